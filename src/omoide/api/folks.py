"""People and rooms of a home: read from their folders, changed through the write door."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any

from omoide.api.renaming import left_behind, renamed, under
from omoide.errors import BadInput
from omoide.people.access import Listeners
from omoide.people.accounts import account as checked_account
from omoide.people.accounts import name as checked_name
from omoide.people.accounts import nfc
from omoide.people.accounts import room_name as checked_room
from omoide.people.directory import Directory, Name, Person
from omoide.people.names import plain
from omoide.people.rooms import HISTORIES, KINDS, Room, usual_history
from omoide.store import files
from omoide.store.door import Door, Edit, Receipt, Record, new_id
from omoide.store.facts import Fact, changed, facts_in, with_fact
from omoide.store.files import Found, Problem
from omoide.store.markdown import front_matter
from omoide.store.subjects import FOLDERS, NUMBERS, folder_name, new_file, person_of, room_of, timed, unique, with_field

CARD, ROOM = "card.md", "room.md"
NEWCOMERS = "newcomers"
"""What is locked while an account gets its folder, so that two who meet it at once give it one."""
Bytes = Mapping[str, tuple[bytes | None, bytes | None]]
"""Path → what stood there and what shall."""


class Folks:
    """Who is who in one home. Cards are read again only when they changed on disk."""

    def __init__(self, root: Path, zone: tzinfo) -> None:
        self.root, self.zone = root, zone
        self.door = Door(root)
        self._held = threading.local()
        self._read: dict[str, tuple[Found, Person | Room | None]] = {}
        self._seen: tuple[Found, ...] = ()
        self._directory = Directory({}, {})
        self._room_files: dict[str, str] = {}
        self._was: dict[str, str] = {}

    # -- reading -----------------------------------------------------------------------------------

    @contextmanager
    def looking(self) -> Iterator[None]:
        """Inside, the folders are looked at once: one answer is of one moment, and hundreds of cards are not asked thrice."""
        before: Directory | None = getattr(self._held, "directory", None)
        self._held.directory = self.directory()
        try:
            yield
        finally:
            self._held.directory = before

    def directory(self) -> Directory:
        """Everybody and every room as the files are now."""
        held: Directory | None = getattr(self._held, "directory", None)
        if held is not None:
            return held
        seen = tuple(
            found for folder, name in (*((folder, CARD) for folder in FOLDERS.values()), ("rooms", ROOM))
            for found in files.one_each(self.root, folder, name)
        )  # fmt: skip
        if seen != self._seen:
            self._read = {found.path: self._known(found) for found in seen}
            persons = [one for _, one in self._read.values() if isinstance(one, Person)]
            rooms = {one.id: path for path, (_, one) in self._read.items() if isinstance(one, Room)}
            self._was = renamed(persons)
            is_now = {was: person for person, was in self._was.items()}
            self._directory = Directory(
                {person.id: replace(person, same=frozenset(is_now.get(one, one) for one in person.same)) for person in persons},
                {one.id: one for _, one in self._read.values() if isinstance(one, Room)},
            )
            self._room_files, self._seen = rooms, seen
        return self._directory

    def _known(self, found: Found) -> tuple[Found, Person | Room | None]:
        before = self._read.get(found.path)
        if before and before[0] == found:
            return before
        data = self.bytes_of(found.path)
        if data is None:
            return found, None
        front = front_matter(data.decode("utf-8-sig", "replace"))
        place = found.path.rpartition("/")[0]
        return found, room_of(front, data) if place.startswith("rooms/") else person_of(place, front)

    def group(self, person: str) -> frozenset[str]:
        """The folders of one person, given by account or by one of them. Raises `BadInput` where nobody is known."""
        found = self.directory().group_of(person)
        if not found:
            raise BadInput(f"nobody is known as {person}; give an account such as slack:T01:U02ABC, or a folder such as people/sato-7f3a")
        return found

    def account(self, text: str, field: str = "account") -> str:
        """An account or the id of a room, in NFC: one that is known as it stands, though a hand wrote it in another form; a new
        one must be `platform:workspace:id`. Every text that a caller gives for one goes through here. Raises `BadInput`."""
        directory = self.directory()
        known = directory.of_account(text) or directory.room(text)
        return nfc(text) if known else checked_account(text, field)

    def known(self, who: str) -> str:
        """The folder of an account (or the folder itself) that is to be changed: a change makes nobody. Raises `BadInput` that
        names those with nearly the same account or name."""
        directory = self.directory()
        if not directory.folder_of(who):
            near = [", ".join((*sorted(directory.accounts(group)), *sorted(group))) for group in directory.nearly(who)]
            hint = f" Nearly the same: {'; '.join(near)}." if near else ""
            raise BadInput(f"nobody is known as {who}. Nothing was changed.{hint} `omoide people meet ACCOUNT NAME` makes somebody new")
        return directory.folder_of(who)

    def listeners(self, room: str, at: datetime) -> Listeners:
        """Everybody who reads in a room now."""
        directory = self.directory()
        return Listeners(directory.readers(room, at), directory.rooms, at)

    def bytes_of(self, path: str) -> bytes | None:
        """The bytes of a file, or None where there is none. Raises `BadInput` for one that cannot be read."""
        data = files.read(self.root, path)
        if isinstance(data, Problem):
            if data.code == "missing":
                return None
            raise BadInput(f"{path}: {data.text}. Nothing was changed.")
        return data

    def records(self, folder: str) -> list[Record]:
        """The history of a folder, with what it had under another name, before a hand renamed it."""
        was = self.was_called(folder)
        before = [under(record, was, folder) for record in self.door.records(was)] if was else []
        return before + self.door.records(folder)

    def kept(self, folder: str) -> list[tuple[str, Mapping[str, Any]]]:
        """What the history of a folder keeps of facts, change by change: all that most readers ask of `records`, and quickly read."""
        was = self.was_called(folder)
        return (self.door.kept(was) if was else []) + self.door.kept(folder)

    def was_called(self, folder: str) -> str:
        """The name that a folder had before a hand renamed it, or "": of a person as the card says, of a room as its history does."""
        self.directory()
        room = next((room for room, path in self._room_files.items() if path == f"{folder}/{ROOM}"), "")
        if not room:
            return self._was.get(folder, "")
        return left_behind(self.door, room, {found.path.rpartition("/")[0] for found in self._seen}, ROOM)

    # -- writing -----------------------------------------------------------------------------------

    def write(
        self, subject: str, verb: str, at: datetime, edits: Bytes, *, reason: str = "", facts: Mapping[str, Any] | None = None
    ) -> Receipt:
        """One change through the door."""
        made = tuple(Edit(path, before, after) for path, (before, after) in edits.items() if before != after)
        self.adopt(subject)
        return self.door.apply(Record(self.change_id or new_id(at), at, subject, verb, reason, "", facts or {}, made))

    @property
    def change_id(self) -> str:
        """The id that this thread writes all its records under just now, or "": each has its own."""
        return getattr(self._held, "change", "")

    @contextmanager
    def one_change(self, at: datetime) -> Iterator[None]:
        """What is written inside, in several folders, is one change: all its records have one id, and one undo takes them back."""
        before, self._held.change = self.change_id, self.change_id or new_id(at)
        try:
            yield
        finally:
            self._held.change = before

    def adopt(self, folder: str) -> None:
        """Keep the history of a folder that was renamed by hand under the name it has now."""
        was = self.was_called(folder)
        if was and self.door.records(was):
            with self.door.locked(folder), self.door.locked(was):
                known = {one.id for one in self.door.records(folder)}
                old = [under(record, was, folder) for record in self.door.records(was) if record.id not in known]
                self.door.rewrite(folder, lambda one: one, first=old)
                self.door.rewrite(was, lambda _: None)

    def meet(
        self, account: str, names: Iterable[str | Name], at: datetime, *, kind: str = "person", bot: bool = False
    ) -> str:
        """The id of whoever is behind an account, with a folder made for a new one and new names added."""
        wanted = [name if isinstance(name, Name) else Name(name) for name in names]
        wanted = [one._replace(text=checked_name(one.text)) for one in wanted]
        account = self.account(account)
        if kind not in FOLDERS:
            raise BadInput(f"kind {kind!r}: one of {', '.join(FOLDERS)}")
        if not self.directory().folder_of(account):
            with self.door.locked(NEWCOMERS):
                if not self.directory().folder_of(account):
                    return self._newcomer(account, wanted, at, kind, bot)
        person = self.directory().folder_of(account)
        known = self.directory().persons[person]
        if kind not in ("person", known.kind):
            raise BadInput(f"{account} is a {known.kind} ({person}) and cannot be met as a {kind}")
        missing = [name for name in wanted if name not in known.names]
        return self._named(person, missing, at) if missing else person

    def _newcomer(self, account: str, names: Sequence[Name], at: datetime, kind: str, bot: bool) -> str:
        person = self.newcomers_folder(kind, names[0].text if names else account.rpartition(":")[2], account)
        fields: list[tuple[str, str | Sequence[str]]] = [("id", person.rpartition("/")[2])]
        fields += [("names", [_name(name) for name in names])] if names else []
        fields += [("accounts", [account])] + ([("bot", "true")] if bot else [])
        self.write(person, "meet", at, {f"{person}/{CARD}": (None, new_file(fields))})
        return person

    def newcomers_folder(self, kind: str, display: str, account: str, taken: Collection[str] = ()) -> str:
        """The folder that an account gets which has none. Raises `BadInput` for a card that may be its own."""
        for one in self.directory().persons.values():
            if not one.accounts and one.id.endswith(folder_name("", account)):  # a hand broke the card, and it may be this one's
                raise BadInput(f"{one.id}/{CARD}: it names no account and was made for {account}; mend it. Nothing was changed")
        return self.new_folder(FOLDERS[kind], CARD, display, account, taken)

    def new_folder(self, kind: str, file: str, display: str, key: str, taken: Collection[str] = ()) -> str:
        """A folder that nobody has: two keys with one short number are told apart by a longer one. `taken`: those about to be made."""
        names = (f"{kind}/{folder_name(display, key, size)}" for size in NUMBERS)
        return next(name for name in names if name not in taken and self.bytes_of(f"{name}/{file}") is None)

    def _named(self, person: str, names: Sequence[Name], at: datetime) -> str:
        path = f"{person}/{CARD}"
        with self.door.locked(person):
            held = [_name(name) for name in self.directory().persons[person].names]
            before = self.bytes_of(path)
            after = with_field(before or b"", "names", unique([*held, *map(_name, names)]))
            self.write(person, "name", at, {path: (before, after)})
        return person

    def rename(self, account: str, name: str, at: datetime) -> bool:
        """A name carried from now on; the older ones stay what they were. False if it is carried already."""
        person, name = self.known(account), checked_name(name)
        held = self.directory().persons[person].names
        if any(plain(old.text) == plain(name) and old.since <= at < old.until for old in held):
            return False
        self._named(person, [Name(name, at)], at)
        return True

    def open_room(self, room: Room, at: datetime) -> bool:
        """Make a room, or leave it as it is where it is known (False)."""
        room = room._replace(id=self.account(room.id, "room"), name=checked_room(room.name))
        if room.id in self.directory().rooms:
            return False
        accounts = [self.account(stay.account) for stay in room.stays]
        if room.kind not in KINDS or room.history not in HISTORIES:
            raise BadInput(f"room {room.id}: kind is one of {', '.join(KINDS)}, history one of {', '.join(HISTORIES)}")
        folder = self.new_folder("rooms", ROOM, room.name or room.kind, room.id)
        fields = [("id", room.id), ("name", room.name), ("type", room.kind)]
        data = new_file([*fields, *([("history", room.history)] if room.history != usual_history(room.kind) else [])])
        data += b"## Members\n\n"
        for account, stay in zip(accounts, room.stays, strict=True):
            data += f"- {timed(account, None if stay.since.year == 1 else stay.since, None)}\n".encode()
        self.write(folder, "room", at, {f"{folder}/{ROOM}": (None, data)})
        return True

    def room_folder(self, room: str) -> str:
        """The folder of a room. Raises `BadInput` for one that is not known."""
        if self.directory().room(room) is None:
            raise BadInput(f"there is no room {room}; open it first")
        return self._room_files[nfc(room)].rpartition("/")[0]

    def join(self, room: str, account: str, at: datetime, *, leaves: bool = False) -> bool:
        """Somebody comes into a room, or leaves it. False if they are there already, or are not there."""
        folder, account = self.room_folder(room), nfc(account) if leaves else self.account(account)
        with self.door.locked(folder):
            before = self.bytes_of(f"{folder}/{ROOM}") or b""
            if (account in self.directory().rooms[nfc(room)].members(at)) != leaves:
                return False
            if leaves:
                stays = [fact for fact in facts_in(before) if nfc(fact.text) == account]
                stay = next((fact for fact in reversed(stays) if "until" not in fact.meta), stays[-1])
                after = changed(before, stay, stay._replace(meta={**stay.meta, "until": at.isoformat()}))
            else:
                after = with_fact(before, Fact("", account, {"since": at.isoformat()}))
            self.write(folder, "leave" if leaves else "join", at, {f"{folder}/{ROOM}": (before, after)})
        return True


def _name(name: Name) -> str:
    return timed(name.text, None if name.since.year == 1 else name.since, None if name.until.year == 9999 else name.until)
