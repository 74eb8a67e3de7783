"""The verbs about people and rooms: `Omoide.people`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from omoide.api.changing import Remembered
from omoide.api.folks import Folks
from omoide.api.hearing import hear, hear_each, overhear
from omoide.api.knowing import OWNER, Asking, Group, Knowledge, know, named_in, resolve
from omoide.api.look_alikes import alike, everybody, letters_apart, nearly, warn
from omoide.api.looking import Candidate, Card, Line, candidates, card, expression, grep, why
from omoide.api.merging import link, merge, split, unlink
from omoide.api.migrating import Migration, migrate
from omoide.api.remembering import move, remember
from omoide.api.retaining import tidy
from omoide.api.reviewing import Waiting, accept, carry_out, reject, review
from omoide.api.room_logs import forget_learned, said, say, unchecked
from omoide.api.scrubbing import chosen, erase, forget, notes_of, nothing_to_forget
from omoide.api.spotting import people_holding
from omoide.api.undoing import undo
from omoide.errors import BadInput
from omoide.memory.saying import Saying
from omoide.people.accounts import nfc
from omoide.people.directory import Directory, Name, Resolved
from omoide.people.rooms import Room, Stay, usual_history
from omoide.settings import Settings
from omoide.store.door import Receipt, Record
from omoide.store.facts import masked
from omoide.store.log import Event
from omoide.store.retention import Dropped
from omoide.text.legible import as_seen
from omoide.text.when import BEGINNING
from omoide.types import Scope

__all__ = [
    "OWNER", "Asking", "Candidate", "Card", "Dropped", "Event", "Knowledge", "Line", "Migration", "Name", "People", "Receipt", "Record",
    "Remembered", "Resolved", "Room", "Saying", "Stay", "Waiting", "as_seen", "letters_apart", "usual_history",
]  # fmt: skip


class People:
    """Who is who, what is known of them, and who may hear it. Made by `Omoide`."""

    def __init__(self, folks: Folks, settings: Settings, forgotten: Callable[[bool], None] = lambda _: None) -> None:
        self._folks, self._settings, self._forgotten = folks, settings, forgotten

    # -- who ---------------------------------------------------------------------------------------

    def meet(self, account: str, *names: str | Name, at: datetime, kind: str = "person", bot: bool = False) -> str:
        """The folder of whoever is behind an account; a new one gets a folder, new names are added. Raises `BadInput`."""
        before = self._folks.directory()
        folder = self._folks.meet(account, names, at, kind=kind, bot=bot)
        self._warn(before, at, account)
        return folder

    def who(self, name: str, room: str, at: datetime) -> Resolved:
        """Whom a typed name means in a room: one, ambiguous with all candidates, or unknown. Never a pick."""
        with self._folks.looking():
            alike = self._folks.directory().alike(name, at, room=room)
            return named_in(self._folks, resolve(self._folks, Asking("", room, at, name=name))._replace(alike=alike), room, at)

    def folders(self, person: str) -> tuple[str, ...]:
        """The folders of one person, given by account or by one of them. Raises `BadInput`."""
        return tuple(sorted(self._folks.group(person)))

    def accounts(self, person: Iterable[str]) -> frozenset[str]:
        """The accounts behind the folders of one person."""
        directory = self._folks.directory()
        return directory.accounts(map(directory.folder_of, person))

    def rename(self, account: str, name: str, at: datetime) -> bool:
        """The account carries another name from now on; its folder and its facts stay. False if it carries it already. Raises
        `BadInput` for an account that nobody was met by, as all do that change somebody."""
        before = self._folks.directory()
        renamed = self._folks.rename(account, name, at)
        self._warn(before, at, account)
        return renamed

    def link(self, one: str, other: str, *, proof: bool, at: datetime) -> bool:
        """Two accounts are one person, if both sides proved it; else nothing is done (False), nor where they are linked already.
        Nothing is moved: `unlink` undoes it."""
        return proof and link(self._folks, one, other, at)

    def unlink(self, one: str, other: str, *, at: datetime) -> bool:
        """They are two again, and each fact is about the account it was about. False if no link ties these two."""
        return unlink(self._folks, one, other, at)

    def merge(self, one: str, other: str, *, at: datetime, reason: str = "") -> tuple[str, ...]:
        """The owner's own hand: two (accounts or folders) are one person; if they are already, nothing is done. Nothing is moved.
        Gives the folders of that person."""
        return merge(self._folks, one, other, at, reason)

    def split(self, one: str, other: str, *, at: datetime, reason: str = "") -> tuple[str, ...]:
        """Take a merge or a link back: folders and facts are what they were. Gives the folders of the first."""
        return split(self._folks, one, other, at, reason)

    def candidates(self, name: str, at: datetime, room: str = OWNER) -> list[Candidate]:
        """Everybody a name may mean, with what tells them apart: in the home, for its owner, or as a room may hear it."""
        with self._folks.looking():
            return candidates(self._folks, name, at, room)

    def alike(self, name: str, at: datetime, room: str = OWNER) -> list[Candidate]:
        """Everybody whose name only looks like this one: a warning, no candidates. For the owner, or as a room may hear it."""
        with self._folks.looking():
            return alike(self._folks, name, at, room)

    def nearly(self, name: str, at: datetime, room: str = OWNER) -> list[Candidate]:
        """At most three with nearly this name, account or folder: a hint for whoever mistyped, no candidates. `room`: of those in it."""
        with self._folks.looking():
            return nearly(self._folks, name, at, room)

    def everybody(self, at: datetime, room: str = OWNER) -> list[Candidate]:
        """All subjects of the home, for its owner, or of a room; each with those it could be taken for."""
        with self._folks.looking():
            return everybody(self._folks, at, room)

    def rooms(self) -> list[Room]:
        """All rooms of the home: for its owner."""
        return sorted(self._folks.directory().rooms.values())

    # -- rooms -------------------------------------------------------------------------------------

    def open_room(self, room: Room, at: datetime) -> bool:
        """Make a room with those who are in it. A known one is left as it is (False)."""
        before = self._folks.directory()
        opened = self._folks.open_room(room, at)
        self._warn(before, at, *(stay.account for stay in room.stays))
        return opened

    def join(self, room: str, account: str, at: datetime) -> bool:
        """An account comes into a room; what is said from now on it hears. False if it is there already."""
        before = self._folks.directory()
        joined = self._folks.join(room, account, at)
        self._warn(before, at, account)
        return joined

    def leave(self, room: str, account: str, at: datetime) -> bool:
        """An account leaves a room; from now on it is not told what was said there. False if it is not there."""
        return self._folks.join(room, account, at, leaves=True)

    def say(self, room: str, event: Event) -> Event:
        """Keep what was said, answered or found by a tool, in the log of the room, which only grows. Raises `BadInput`, `StoreFailed`."""
        return say(self._folks, room, event)

    def said(self, room: str, reading: str, at: datetime, session: str = "") -> list[Event]:
        """The log of a room, by time, as far as everybody in the room `reading` may hear it (OWNER: all)."""
        return said(self._folks, room, reading, at, session)

    def unchecked(self, room: str, session: str = "") -> list[Event]:
        """Replies of the agent before which it did not look into the memory, since somebody last spoke."""
        return unchecked(said(self._folks, room, OWNER, BEGINNING, session))

    def tidy(self, at: datetime) -> list[Dropped]:
        """Drop what was said longer ago than `logs.keep_days` from all logs; each says so. Raises `StoreFailed`."""
        try:
            return tidy(self._folks.door, at, self._settings.logs.keep_days, self._folks.zone)
        finally:
            if self._settings.logs.keep_days:
                self._forgotten(False)

    # -- facts -------------------------------------------------------------------------------------

    def remember(self, saying: Saying) -> Remembered:
        """Keep what was said about somebody. Raises `BadInput`, `CardFull`, `StaleWrite`, `StoreFailed`."""
        return remember(self._folks, saying, self._settings)

    def hear(self, saying: Saying, message: str = "") -> Remembered:
        """Keep what was heard, after finding in its words and its message what nobody passed: dates, whose word it is, for whom,
        what it replaces. Raises as `remember`."""
        return hear(self._folks, saying, message, self._settings)

    def hear_each(self, saying: Saying) -> list[Remembered]:
        """File a message of several details piece by piece, each sentence in its own place. Raises as `remember`."""
        return hear_each(self._folks, saying, self._settings)

    def overhear(self, by: str, room: str, at: datetime, text: str, session: str = "", number: int | None = None) -> Remembered:
        """Keep a message as a note about its speaker, if it plainly is one; anything else is ignored. Raises as `remember`."""
        said = Saying(text, by, by, room, at, "drawer", session=session, message=number)
        return overhear(self._folks, said, self._settings)

    def know(self, asking: Asking) -> Knowledge:
        """The facts about somebody that everybody who reads in the room may hear, best first."""
        with self._folks.looking():
            return know(self._folks, asking, self._settings)

    def move(self, person: str, fact: str, place: str, at: datetime, because: str = "") -> Remembered:
        """Put a fact from the card into the drawer or back. `person`: an account or a folder."""
        to = Saying("", "", "", "", at, place, because=because)
        return move(self._folks, self._folks.group(person), fact, to, self._settings)

    def card(self, person: str, room: str, at: datetime) -> Card:
        """What is before the agent's eyes in every turn with this person, as far as the room may hear it."""
        with self._folks.looking():
            return card(self._folks, self._folks.group(person), room, at, self._settings)

    def scope(self, room: str, at: datetime) -> Scope:
        """What whole files everybody in a room may read, for `search` and `get`. Facts about people are told by `know`."""
        with self._folks.looking():
            known, listeners = self._folks.directory().room(room), self._folks.listeners(room, at)
            heard = listeners.audiences(known, self._folks.room_folder(room).rpartition("/")[2]) if known else frozenset()
            return Scope(room, heard, at)

    def cards(self, room: str, at: datetime) -> list[Card]:
        """What a turn begins with: the cards of everybody in a room and of no one else, each as the room may hear it."""
        with self._folks.looking():
            known = self._folks.directory().room(room)
            present = self._folks.directory().people_in(known.members(at)) if known else set()
            return [card(self._folks, ids, room, at, self._settings) for ids in sorted(present, key=sorted)]

    def grep(self, person: str, pattern: str, room: str, at: datetime, *, literal: bool = False, around: int = 0) -> list[Line]:
        """Lines of a person's files that match, straight from the disk. Raises `BadInput` for a bad expression."""
        if around < 0:
            raise BadInput(f"around is 0 or more, not {around}")
        wanted = expression(pattern, literal=literal)
        with self._folks.looking():
            return grep(self._folks, self._folks.group(person), wanted, room, at, around, self._settings.fields.latest)

    def why(self, fact: str) -> dict[str, Any]:
        """Where a fact comes from: its file, who told it when and in which room, and every change since."""
        return why(self._folks, fact)

    def history(self, person: str) -> list[Record]:
        """Every change of a person's folders, oldest first."""
        records = [record for one in self._folks.group(person) for record in self._folks.records(one)]
        return sorted(records, key=lambda record: record.at.timestamp())

    def undo(self, change: str, at: datetime, reason: str = "", fact: str = "") -> Receipt:
        """Put back what a change did: whole, or fact by fact where the file was written since. With `fact` only that one; without a
        change its last. Raises `StaleWrite` naming what came after it, `BadInput` for an unknown one."""
        return undo(self._folks, change, at, reason, fact)

    # -- review ------------------------------------------------------------------------------------

    def review(self, at: datetime) -> list[Waiting]:
        """What waits for the owner: claims, words that were passed on, moves between card and drawer. For nobody else."""
        with self._folks.looking():
            waiting = review(self._folks, self._everybody(), at, self._settings)
        return carry_out(self._folks, waiting, at, self._settings) if self._settings.review.automatic else waiting

    def accept(self, waiting: str, at: datetime, reason: str = "") -> Remembered:
        """Believe a claim, or make a move. Once more does nothing. Raises `BadInput` for what does not wait, `CardFull`."""
        return accept(self._folks, self._holding(waiting), waiting, at, reason, self._settings)

    def reject(self, waiting: str, at: datetime, reason: str = "") -> Remembered:
        """Say no: told never, and not taken again from the same source. Once more does nothing. Raises `BadInput`."""
        return reject(self._folks, self._holding(waiting), waiting, at, reason, self._settings)

    def migrate(self, people: Mapping[str, str], at: datetime, *, dry: bool = False) -> Migration:
        """Move what an old MEMORY.md or USER.md says of people into their folders; what is undecided stays and is listed.

        `people`: names with accounts ("" where none is known), beside those on cards. Raises `BadInput`, `StaleWrite`.
        """
        return migrate(self._folks, people, at, dry=dry)

    def forget(
        self, at: datetime, *, person: str = "", fact: str = "", source: str = "", room: str = "", everything: bool = False
    ) -> list[str]:
        """Forget one fact with its restatements, or what came from a source or a room, or (`everything`) a person.

        `person` narrows; it is needed for a fact. What was told independently stays. Gives the ids that are gone. Raises
        `BadInput` where there is nothing of the kind: whoever mistypes must not believe that it is forgotten.
        """
        if not (fact or source or room or (person and everything)):
            raise BadInput("say what to forget: a fact, a source, a room, or everything about a person")
        word = source or nfc(room) or fact
        if room and masked(word) != word:
            word = ""  # a line may spell it in several ways, so nobody is passed over
        groups = [self._group(person)] if person else [Group(self._folks, ids) for ids in self._holding(word)]
        pick = partial(chosen, fact=fact.removeprefix("^"), source=source, room=nfc(room), at=at)
        whole = not (fact or source or room)
        for one in groups[0].ids_of_person if whole else ():
            notes_of(self._folks, one)  # before anything is gone
        learned = {one.known.fact.id: one.drop for group in groups for one in pick(group)}
        logs = forget_learned(self._folks, groups, learned, room=nfc(room), speaker=whole)
        if whole:
            gone = erase(self._folks, groups[0].ids_of_person, self._folks.directory().folder_of(person), at)
        else:
            gone = forget(self._folks, [group.ids_of_person for group in groups], pick, at)
        self._forgotten(bool(whole or learned or logs))
        if not (whole or learned or logs):
            raise BadInput(nothing_to_forget(fact=fact, source=source, room=room))
        return gone

    def _warn(self, before: Directory, at: datetime, *accounts: str) -> None:
        """Only of what just changed."""
        if self._folks.directory() is not before:
            warn(self._folks, accounts, at)

    def _group(self, person: str) -> Group:
        return Group(self._folks, self._folks.group(person))

    def _holding(self, word: str) -> list[frozenset[str]]:
        return people_holding(self._folks, word.removeprefix("^"))

    def _everybody(self) -> set[frozenset[str]]:
        return self._folks.directory().everybody()
