"""People and rooms of a home: read from their folders, changed through the write door."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any

from omoide.errors import BadInput
from omoide.people.directory import Directory, Name, Person
from omoide.people.names import plain
from omoide.people.rooms import HISTORIES, KINDS, Room, usual_history
from omoide.store import files
from omoide.store.door import Door, Edit, Receipt, Record
from omoide.store.facts import Fact, changed, facts_in, with_fact
from omoide.store.files import Found, Problem
from omoide.store.markdown import front_matter
from omoide.store.subjects import FOLDERS, folder_name, new_file, person_of, room_of, timed, unique, with_field

CARD, ROOM = "card.md", "room.md"
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

    # -- reading -----------------------------------------------------------------------------------

    @contextmanager
    def looking(self) -> Iterator[None]:
        """Inside, the folders are looked at once: one answer is of one moment, and hundreds of cards are not asked thrice."""
        self._held.directory = self.directory()
        try:
            yield
        finally:
            self._held.directory = None

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
            self._directory = Directory(
                {person.id: person for person in persons},
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

    def bytes_of(self, path: str) -> bytes | None:
        """The bytes of a file, or None where there is none. Raises `BadInput` for one that cannot be read."""
        data = files.read(self.root, path)
        if isinstance(data, Problem):
            if data.code == "missing":
                return None
            raise BadInput(f"{path}: {data.text}. Nothing was changed.")
        return data

    # -- writing -----------------------------------------------------------------------------------

    def write(
        self, subject: str, verb: str, at: datetime, edits: Bytes, *, reason: str = "", facts: Mapping[str, Any] | None = None
    ) -> Receipt:
        """One change through the door."""
        record = f"{at.strftime('%Y%m%dT%H%M%S.%f')}-{secrets.token_hex(3)}"
        made = tuple(Edit(path, before, after) for path, (before, after) in edits.items() if before != after)
        return self.door.apply(Record(record, at, subject, verb, reason, "", facts or {}, made))

    def meet(
        self, account: str, names: Iterable[str | Name], at: datetime, *, kind: str = "person", bot: bool = False
    ) -> str:
        """The id of whoever is behind an account, with a folder made for a new one and new names added."""
        wanted = [name if isinstance(name, Name) else Name(name) for name in names]
        known = self.directory().of_account(_account(account))
        if known:
            person = next(one for one in sorted(known) if account in self.directory().persons[one].accounts)
            missing = [name for name in wanted if name not in self.directory().persons[person].names]
            return self._named(person, missing, at) if missing else person
        display = wanted[0].text if wanted else account.rpartition(":")[2]
        person = f"{FOLDERS[kind]}/{folder_name(display, account)}"
        fields: list[tuple[str, str | Sequence[str]]] = [("id", person.rpartition("/")[2])]
        fields += [("names", [_name(name) for name in wanted])] if wanted else []
        fields += [("accounts", [account])] + ([("bot", "true")] if bot else [])
        self.write(person, "meet", at, {f"{person}/{CARD}": (None, new_file(fields))})
        return person

    def _named(self, person: str, names: Sequence[Name], at: datetime) -> str:
        held = [_name(name) for name in self.directory().persons[person].names]
        self._field(person, "names", unique([*held, *map(_name, names)]), "name", at)
        return person

    def _field(self, person: str, key: str, value: Sequence[str], verb: str, at: datetime) -> Receipt:
        path = f"{person}/{CARD}"
        before = self.bytes_of(path)
        return self.write(person, verb, at, {path: (before, with_field(before or b"", key, value))})

    def link(self, one: str, other: str, at: datetime, *, joined: bool) -> None:
        """Tie the folders of two accounts, or untie them: each names the other."""
        pair = [self.meet(account, (), at) for account in (one, other)]
        if pair[0] == pair[1]:
            raise BadInput(f"{one} and {other} stand on one card; take one off {pair[0]}/{CARD} by hand to part them")
        for person, friend in (pair, pair[::-1]):
            same = self.directory().persons[person].same
            wanted = same | {friend} if joined else same - {friend}
            if wanted != same:
                self._field(person, "same", sorted(wanted), "link" if joined else "unlink", at)

    def rename(self, account: str, name: str, at: datetime) -> str:
        """A name carried from now on; the older ones stay what they were."""
        person = self.meet(account, (), at)
        held = self.directory().persons[person].names
        if any(plain(old.text) == plain(name) and old.since <= at < old.until for old in held):
            return person
        return self._named(person, [Name(name, at)], at)

    def open_room(self, room: Room, at: datetime) -> None:
        """Make a room, or leave it as it is where it is known."""
        if room.id in self.directory().rooms:
            return
        if room.kind not in KINDS or room.history not in HISTORIES:
            raise BadInput(f"room {room.id}: kind is one of {', '.join(KINDS)}, history one of {', '.join(HISTORIES)}")
        folder = f"rooms/{folder_name(room.name or room.kind, _account(room.id))}"
        fields = [("id", room.id), ("name", room.name), ("type", room.kind)]
        data = new_file([*fields, *([("history", room.history)] if room.history != usual_history(room.kind) else [])])
        data += b"## Members\n\n"
        for stay in room.stays:
            data += f"- {timed(stay.account, None if stay.since.year == 1 else stay.since, None)}\n".encode()
        self.write(folder, "room", at, {f"{folder}/{ROOM}": (None, data)})

    def join(self, room: str, account: str, at: datetime, *, leaves: bool = False) -> None:
        """Somebody comes into a room, or leaves it."""
        known = self.directory().rooms.get(room)
        if known is None:
            raise BadInput(f"there is no room {room}; open it first")
        path = self._room_files[room]
        before = self.bytes_of(path) or b""
        inside = account in known.members(at)
        if inside != leaves:
            return
        if leaves:
            stay = next(fact for fact in reversed(facts_in(before)) if fact.text == account and "until" not in fact.meta)
            after = changed(before, stay, stay._replace(meta={**stay.meta, "until": at.isoformat()}))
        else:
            after = with_fact(before, Fact("", account, {"since": at.isoformat()}))
        self.write(path.rpartition("/")[0], "leave" if leaves else "join", at, {path: (before, after)})


def _account(text: str) -> str:
    if text.count(":") < 1 or any(char.isspace() for char in text):
        raise BadInput(f"{text!r} is no account; it looks like platform:workspace:id, for example slack:T01:U02ABC")
    return text


def _name(name: Name) -> str:
    return timed(name.text, None if name.since.year == 1 else name.since, None if name.until.year == 9999 else name.until)
