"""Who is who. A person is found by an account; a name gives candidates and never joins people.

Accounts are different people until somebody proves that they are one. A link joins them without moving
anything, so that an unlink gives every fact back to the account it is about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import NamedTuple

from omoide.people.names import plain
from omoide.people.rooms import Room
from omoide.text.when import BEGINNING, FOREVER


class Name(NamedTuple):
    """A name somebody carries, from `since` until `until` (not included)."""

    text: str
    since: datetime = BEGINNING
    until: datetime = FOREVER


@dataclass(frozen=True, slots=True)
class Person:
    """One folder: an id, the accounts it is known by, its names. `same` are ids proven to be the same person.

    `kind` is person, project, team or agent. A `bot` is an account that nobody reads behind.
    """

    id: str
    accounts: tuple[str, ...] = ()
    names: tuple[Name, ...] = ()
    same: frozenset[str] = frozenset()
    kind: str = "person"
    bot: bool = False

    def called(self, wanted: str, at: datetime, *, former: bool) -> bool:
        """Whether the plain name `wanted` is carried now, or (`former`) was carried and given up."""
        return any(
            plain(name.text) == wanted and (name.until <= at if former else name.since <= at < name.until) for name in self.names
        )


class Resolved(NamedTuple):
    """What a typed name means: "one", "ambiguous" or "unknown", and the ids found, each group one person."""

    status: str
    people: tuple[frozenset[str], ...] = ()


@dataclass(frozen=True)
class Directory:
    """All persons and rooms at one moment of knowledge."""

    persons: Mapping[str, Person]
    rooms: Mapping[str, Room]

    @cached_property
    def _by_account(self) -> dict[str, str]:
        return {account: person.id for person in self.persons.values() for account in person.accounts}

    @cached_property
    def _group(self) -> dict[str, frozenset[str]]:
        """Id → ids of the same person. A link counts when both sides name each other."""
        left = set(self.persons)
        out: dict[str, frozenset[str]] = {}
        while left:
            group, todo = set(), [left.pop()]
            while todo:
                one = todo.pop()
                group.add(one)
                todo += [other for other in self.persons[one].same if other in left and one in self.persons[other].same]
                left -= set(todo)
            out |= dict.fromkeys(group, frozenset(group))
        return out

    @cached_property
    def _readers(self) -> dict[frozenset[str], list[frozenset[str]]]:
        """Members of a room → the persons behind them: hundreds of people are worked out once."""
        return {}

    def of_account(self, account: str) -> frozenset[str]:
        """Ids of the person behind an account; empty if the account is not known."""
        known = self._by_account.get(account)
        return self._group[known] if known else frozenset()

    def group_of(self, person: str) -> frozenset[str]:
        """Ids proven to be the same person as this one."""
        return self._group.get(person, frozenset())

    def accounts(self, group: Iterable[str]) -> frozenset[str]:
        """All accounts of a person."""
        return frozenset(account for one in group for account in self.persons[one].accounts)

    def is_bot(self, group: Iterable[str]) -> bool:
        return any(self.persons[one].bot for one in group)

    def people_in(self, accounts: Iterable[str]) -> set[frozenset[str]]:
        """The persons behind accounts, without bots."""
        groups = {self.of_account(account) for account in accounts} - {frozenset()}
        return {group for group in groups if not self.is_bot(group)}

    def readers(self, room: str, at: datetime) -> list[frozenset[str]]:
        """Accounts of everybody who reads in a room now, one set a person."""
        known = self.rooms.get(room)
        inside = known.members(at) if known else frozenset()
        if inside not in self._readers:
            self._readers[inside] = [self.accounts(group) for group in self.people_in(inside)]
        return self._readers[inside]

    def resolve(self, name: str, room: str, at: datetime) -> Resolved:
        """Whom a name typed in a room means. The first of these that finds somebody decides: people in the room by
        a name they carry, by one they carried; people who were in the room; people who share some room with every
        reader, by a name they carry, by one they carried. Several are all given, none is picked."""
        wanted = plain(name)
        known = self.rooms.get(room)
        if known is None or not wanted:
            return Resolved("unknown")
        near = self.people_in(known.members(at))
        gone = self.people_in(known.ever(at)) - near
        far = self._shared(near, at) - near - gone
        now: Callable[[Person], bool] = lambda person: person.called(wanted, at, former=False)  # noqa: E731
        once: Callable[[Person], bool] = lambda person: person.called(wanted, at, former=True)  # noqa: E731
        for people, called in ((near, now), (near, once), (gone, lambda one: now(one) or once(one)), (far, now), (far, once)):
            found = sorted((group for group in people if any(called(self.persons[one]) for one in group)), key=sorted)
            if found:
                return Resolved("one" if len(found) == 1 else "ambiguous", tuple(found))
        return Resolved("unknown")

    def _shared(self, readers: set[frozenset[str]], at: datetime) -> set[frozenset[str]]:
        """Everybody who shares a room with every reader."""
        together = [self.people_in(room.members(at)) for room in self.rooms.values()]
        reached = [set().union(*(people for people in together if reader in people)) for reader in readers]
        return set.intersection(*reached) if reached else set()
