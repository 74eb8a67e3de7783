"""The verbs about people and rooms: `Omoide.people`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from omoide.api.folks import Folks
from omoide.api.hearing import Hearing, hear, overhear
from omoide.api.knowing import OWNER, Asking, Group, Knowledge, know, resolve
from omoide.api.looking import Candidate, Card, Line, candidates, card, described, grep, why
from omoide.api.migrating import Migration, migrate
from omoide.api.remembering import Remembered, Saying, forget, move, remember
from omoide.errors import BadInput
from omoide.people.directory import Name, Resolved
from omoide.people.rooms import Room, Stay
from omoide.settings import Settings
from omoide.store.door import Receipt, Record

__all__ = [
    "OWNER", "Asking", "Candidate", "Card", "Hearing", "Knowledge", "Line", "Migration", "Name", "People", "Receipt", "Record",
    "Remembered", "Resolved", "Room", "Saying", "Stay",
]  # fmt: skip


class People:
    """Who is who, what is known of them, and who may hear it. Made by `Omoide`."""

    def __init__(self, folks: Folks, settings: Settings) -> None:
        self._folks, self._settings = folks, settings

    # -- who ---------------------------------------------------------------------------------------

    def meet(self, account: str, *names: str | Name, at: datetime, kind: str = "person", bot: bool = False) -> str:
        """The folder of whoever is behind an account; a new one gets a folder, new names are added. Raises `BadInput`."""
        return self._folks.meet(account, names, at, kind=kind, bot=bot)

    def who(self, name: str, room: str, at: datetime) -> Resolved:
        """Whom a typed name means in a room: one, ambiguous with all candidates, or unknown. Never a pick."""
        with self._folks.looking():
            return resolve(self._folks, Asking("", room, at, name=name))

    def folders(self, person: str) -> tuple[str, ...]:
        """The folders of one person, given by account or by one of them. Raises `BadInput`."""
        return tuple(sorted(self._group(person).ids_of_person))

    def accounts(self, person: Iterable[str]) -> frozenset[str]:
        """The accounts behind the folders of one person."""
        return self._folks.directory().accounts(person)

    def rename(self, account: str, name: str, at: datetime) -> None:
        """The account carries another name from now on; its folder and its facts stay."""
        self._folks.rename(account, name, at)

    def link(self, one: str, other: str, *, proof: bool, at: datetime) -> bool:
        """Two accounts are one person, if both sides proved it; else nothing is done. Nothing is moved: `unlink` undoes it."""
        if proof:
            self._folks.link(one, other, at, joined=True)
        return proof

    def unlink(self, one: str, other: str, *, at: datetime) -> None:
        """They are two again, and each fact is about the account it was about."""
        self._folks.link(one, other, at, joined=False)

    def candidates(self, name: str, at: datetime) -> list[Candidate]:
        """Everybody in the home who carries or carried a name, with what tells them apart: for its owner."""
        with self._folks.looking():
            return candidates(self._folks, name, at)

    def everybody(self, at: datetime) -> list[Candidate]:
        """All persons of the home: for its owner."""
        with self._folks.looking():
            directory = self._folks.directory()
            groups = {directory.group_of(person) for person in directory.persons}
            return sorted(described(self._folks, ids, at) for ids in groups)

    def rooms(self) -> list[Room]:
        """All rooms of the home: for its owner."""
        return sorted(self._folks.directory().rooms.values())

    # -- rooms -------------------------------------------------------------------------------------

    def open_room(self, room: Room, at: datetime) -> None:
        """Make a room with those who are in it. A known one is left as it is."""
        self._folks.open_room(room, at)

    def join(self, room: str, account: str, at: datetime) -> None:
        """An account comes into a room; what is said from now on it hears."""
        self._folks.join(room, account, at)

    def leave(self, room: str, account: str, at: datetime) -> None:
        """An account leaves a room; from now on it is not told what was said there."""
        self._folks.join(room, account, at, leaves=True)

    # -- facts -------------------------------------------------------------------------------------

    def remember(self, saying: Saying) -> Remembered:
        """Keep what was said about somebody. Raises `BadInput`, `CardFull`, `StaleWrite`, `StoreFailed`."""
        return remember(self._folks, saying, self._settings.home.card_chars)

    def hear(self, hearing: Hearing) -> Remembered:
        """Keep what was heard, after finding in its words: dates, whose word it is, for whom, what it replaces. Raises as `remember`."""
        return hear(self._folks, hearing, self._settings.home.card_chars)

    def overhear(self, by: str, room: str, at: datetime, text: str) -> Remembered:
        """Keep a message as a note about its speaker, if it plainly is one; anything else is ignored. Raises as `remember`."""
        return overhear(self._folks, by, room, at, text, self._settings.home.card_chars)

    def know(self, asking: Asking) -> Knowledge:
        """The facts about somebody that everybody who reads in the room may hear, best first."""
        with self._folks.looking():
            return know(self._folks, asking, self._settings)

    def move(self, person: str, fact: str, place: str, at: datetime) -> Remembered:
        """Put a fact from the card into the drawer or back. `person`: an account or a folder."""
        return move(self._folks, self._group(person), fact, place, at, self._settings.home.card_chars)

    def card(self, person: str, room: str, at: datetime) -> Card:
        """What is before the agent's eyes in every turn with this person, as far as the room may hear it."""
        with self._folks.looking():
            return card(self._folks, self._group(person).ids_of_person, room, at, self._settings.home.card_chars)

    def grep(self, person: str, pattern: str, room: str, at: datetime, *, literal: bool = False, around: int = 0) -> list[Line]:
        """Lines of a person's files that match, straight from the disk. Raises `BadInput` for a bad expression."""
        with self._folks.looking():
            ids = self._group(person).ids_of_person
            return grep(self._folks, ids, pattern, room, at, literal=literal, around=around)

    def why(self, fact: str) -> dict[str, Any]:
        """Where a fact comes from: its file, who told it when and in which room, and every change since."""
        return why(self._folks, fact)

    def history(self, person: str) -> list[Record]:
        """Every change of a person's folders, oldest first."""
        records = [record for one in self._group(person).ids_of_person for record in self._folks.door.records(one)]
        return sorted(records, key=lambda record: record.id)

    def undo(self, change: str, at: datetime, reason: str = "") -> Receipt:
        """Put back what a change did. Raises `StaleWrite` naming what came after it, `BadInput` for an unknown one."""
        for person in self._folks.directory().persons:
            if any(record.id == change for record in self._folks.door.records(person)):
                return self._folks.door.undo(person, change, at, reason)
        raise BadInput(f"there is no change {change}; `omoide history PERSON` lists them")

    def migrate(self, people: Mapping[str, str], at: datetime, *, dry: bool = False) -> Migration:
        """Move what an old MEMORY.md or USER.md says of people into their folders; what is undecided stays and is listed.

        `people`: names with accounts ("" where none is known), beside those on cards. Raises `BadInput`, `StaleWrite`.
        """
        return migrate(self._folks, people, at, dry=dry)

    def forget(
        self, at: datetime, *, person: str = "", fact: str = "", source: str = "", room: str = "", everything: bool = False
    ) -> list[str]:
        """Forget one fact with its restatements, or what came from a source or a room, or (`everything`) a person.

        `person` narrows; it is needed for a fact. What was told independently stays. Gives the ids that are gone.
        """
        if not (fact or source or room or (person and everything)):
            raise BadInput("say what to forget: a fact, a source, a room, or everything about a person")
        groups = [self._group(person)] if person else self._groups()
        wanted = {key: drop for group in groups for key, drop in _chosen(group, fact.removeprefix("^"), source, room, at)}
        return forget(self._folks, groups, wanted, at)

    def _group(self, person: str) -> Group:
        directory = self._folks.directory()
        group = directory.of_account(person) or directory.group_of(person)
        if not group:
            raise BadInput(f"nobody is known as {person}; give an account such as slack:T01:U02ABC, or a folder such as people/sato-7f3a")
        return Group(self._folks, group)

    def _groups(self) -> list[Group]:
        directory = self._folks.directory()
        return [Group(self._folks, ids) for ids in {directory.group_of(person) for person in directory.persons}]


def _chosen(group: Group, fact: str, source: str, room: str, at: datetime) -> Iterable[tuple[str, set[int] | None]]:
    """Ids with the numbers of the tellings to drop; None is all of the fact."""
    for known in group.known:
        told = known.detail.tellings
        if told and told[0].at > at:
            continue
        if source or room:
            drop = {i for i, one in enumerate(told) if (one.source == source if source else one.room == room)}
            if drop:
                yield known.fact.id, drop
        elif not fact or fact in (known.fact.id, known.detail.restates) or _restates(group, fact) == known.fact.id:
            yield known.fact.id, None


def _restates(group: Group, fact: str) -> str:
    return next((known.detail.restates for known in group.known if known.fact.id == fact), "")
