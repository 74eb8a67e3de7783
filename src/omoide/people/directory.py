"""Who is who. A person is found by an account; a name gives candidates and never joins people.

Accounts are different people until somebody proves that they are one. A link joins them without moving
anything, so that an unlink gives every fact back to the account it is about.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from hashlib import blake2b
from typing import NamedTuple

from omoide.people.accounts import nfc
from omoide.people.names import looks, plain
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
    card_id: str = ""
    """The id on the card: of a folder that was renamed by hand the one it had before."""

    def called(self, wanted: str, at: datetime, *, former: bool) -> bool:
        """Whether the plain name `wanted` is carried now, or (`former`) was carried and given up."""
        return any(
            plain(name.text) == wanted and (name.until <= at if former else name.since <= at < name.until) for name in self.names
        )

    @property
    def slug(self) -> str:
        """The words in the id of the folder, made of the name somebody was met under; of a folder made by hand its name."""
        name = self.id.rpartition("/")[2]
        return name.removesuffix(self.number).removesuffix("-")

    @property
    def number(self) -> str:
        """What is left of the id without words; of a folder made by hand a number made from its name."""
        found = _NUMBER.search(self.id)
        return found[1] if found else blake2b(self.id.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()

    @property
    def bare_id(self) -> str:
        """The id without words: it says nothing of a name, and is taken for the id wherever one is asked."""
        return f"{self.id.rpartition('/')[0]}/{self.number}"

    def carried(self, at: datetime) -> frozenset[str]:
        """The names carried now, as they are written."""
        return frozenset(name.text for name in self.names if name.since <= at < name.until)


_NUMBER = re.compile(r"[/-]([0-9a-f]{8}(?:[0-9a-f]{8}|[0-9a-f]{24}|[0-9a-f]{56})?)\Z")
NEAR_ID, NEAR_NAME = 0.85, 0.65
"""Share of letters in common from which an id, or a name, counts as mistyped. Ids of one workspace begin alike."""
MUTE = ("project", "team")
"""Kinds of subjects that have a folder and a name, and neither say nor read anything."""


class Resolved(NamedTuple):
    """What a typed name means: "one", "ambiguous" or "unknown", and the ids found, each group one person.

    `alike` are people whose name only looks like the typed one: never meant by it, shown as a warning.
    """

    status: str
    people: tuple[frozenset[str], ...] = ()
    alike: tuple[frozenset[str], ...] = ()


@dataclass(frozen=True)
class Directory:
    """All persons and rooms at one moment of knowledge."""

    persons: Mapping[str, Person]
    rooms: Mapping[str, Room]

    @cached_property
    def _by_account(self) -> dict[str, str]:
        return {account: person.id for person in self.persons.values() for account in person.accounts}

    @cached_property
    def _by_bare_id(self) -> dict[str, str]:
        said = Counter(person.bare_id for person in self.persons.values())
        return {person.bare_id: person.id for person in self.persons.values() if said[person.bare_id] == 1}

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
        known = self._by_account.get(nfc(account))
        return self._group[known] if known else frozenset()

    def folder_of(self, who: str) -> str:
        """The folder of an account, or the folder itself, also by its id without words; "" if it is not known."""
        return who if who in self.persons else self._by_account.get(nfc(who), "") or self._by_bare_id.get(who, "")

    def group_of(self, who: str) -> frozenset[str]:
        """Ids proven to be the same person as the one of an account or a folder; empty if it is not known."""
        return self._group.get(self.folder_of(who), frozenset())

    def everybody(self) -> set[frozenset[str]]:
        """All there are, each group of ids one person."""
        return set(self._group.values())

    def accounts(self, group: Iterable[str]) -> frozenset[str]:
        """All accounts of a person."""
        return frozenset(account for one in group if one in self.persons for account in self.persons[one].accounts)

    def is_bot(self, group: Iterable[str]) -> bool:
        return any(self.persons[one].bot for one in group)

    def is_mute(self, group: Iterable[str]) -> bool:
        """Whether it is a project or a team: somebody speaks about it, nobody speaks or reads as it."""
        return any(self.persons[one].kind in MUTE for one in group)

    def room(self, key: str) -> Room | None:
        """A room by its id."""
        return self.rooms.get(nfc(key))

    def subjects_in(self, accounts: Iterable[str]) -> set[frozenset[str]]:
        """Whom a name may mean, of those behind accounts: everybody and everything but bots."""
        groups = {self.of_account(account) for account in accounts} - {frozenset()}
        return {group for group in groups if not self.is_bot(group)}

    def people_in(self, accounts: Iterable[str]) -> set[frozenset[str]]:
        """Those behind accounts who read: persons, and agents other than the one whose home this is."""
        return {group for group in self.subjects_in(accounts) if not self.is_mute(group)}

    def listening(self, accounts: Iterable[str]) -> set[frozenset[str]]:
        """The same with strangers: an account without a card, never met or forgotten, reads as well. It stands for itself."""
        inside = set(accounts)
        return self.people_in(inside) | {frozenset({one}) for one in inside if not self.of_account(one)}

    def readers(self, room: str, at: datetime) -> list[frozenset[str]]:
        """Accounts of everybody who reads in a room now, one set a person."""
        known = self.room(room)
        inside = known.members(at) if known else frozenset()
        if inside not in self._readers:
            self._readers[inside] = [self.accounts(group) or group for group in self.listening(inside)]
        return self._readers[inside]

    def resolve(self, name: str, room: str, at: datetime) -> Resolved:
        """Whom a name typed in a room means. The first of these that finds somebody decides: people in the room by
        a name they carry, by one they carried; people who were in the room; people who share some room with every
        reader, by a name they carry, by one they carried. Several are all given, none is picked."""
        wanted = plain(name)
        near, gone, far = self._reach(room, at)
        if not wanted:
            return Resolved("unknown")
        now: Callable[[Person], bool] = lambda person: person.called(wanted, at, former=False)  # noqa: E731
        once: Callable[[Person], bool] = lambda person: person.called(wanted, at, former=True)  # noqa: E731
        for people, called in ((near, now), (near, once), (gone, lambda one: now(one) or once(one)), (far, now), (far, once)):
            found = sorted((group for group in people if any(called(self.persons[one]) for one in group)), key=sorted)
            if found:
                return Resolved("one" if len(found) == 1 else "ambiguous", tuple(found))
        return Resolved("unknown")

    def _reach(self, room: str, at: datetime) -> tuple[set[frozenset[str]], ...]:
        """Who is in a room, who was, and who else shares some room with everybody who reads there."""
        known = self.room(room)
        if known is None:
            return set(), set(), set()
        near = self.subjects_in(known.members(at))
        gone = self.subjects_in(known.ever(at)) - near
        return near, gone, self._shared(self.listening(known.members(at)), at) - near - gone

    def is_near(self, group: frozenset[str], room: str, at: datetime) -> bool:
        """Whether a name typed in a room may mean this person at all."""
        known = self.room(room)
        if known is not None and group in self.subjects_in(self.accounts(group) & frozenset(known.ever(at))):
            return True  # most who are asked about are there: nobody else need be looked at
        return any(group in people for people in self._reach(room, at))

    def names_in(self, group: Iterable[str], room: str, at: datetime) -> list[str]:
        """The names by which everybody who reads in a room may know somebody: those carried now, if one typed there may mean them."""
        ids = sorted(group)
        near = self.is_near(frozenset(ids), room, at)
        return list(dict.fromkeys(name.text for one in ids for name in self.persons[one].names if near and name.since <= at < name.until))

    def alike(self, name: str, at: datetime, *, room: str | None = None) -> tuple[frozenset[str], ...]:
        """Everybody whose name, carried now or once, only looks like the typed one: in the home, or as far as `resolve`
        sees from a room. Whoever carries the typed name itself is not among them."""
        wanted, seen = plain(name), looks(name)
        people = self.everybody() if room is None else set().union(*self._reach(room, at))
        held = {group: {one.text for key in group for one in self.persons[key].names if one.since <= at} for group in people}
        return tuple(sorted(
            (group for group, names in held.items()
             if any(looks(one) & seen for one in names) and all(plain(one) != wanted for one in names)), key=sorted,
        ))  # fmt: skip

    def nearly(self, typed: str, *, room: str | None = None, at: datetime | None = None) -> tuple[frozenset[str], ...]:
        """At most three who have an account, a folder or a name that a slip of the hand makes of the typed text, the nearest
        first: a hint for whoever mistyped, never who is meant. `room`, `at`: only those who are in it."""
        from difflib import SequenceMatcher

        known = self.room(room) if room else None
        people = self.everybody() if room is None else self.subjects_in(known.members(at)) if known and at else set()
        text, short = nfc(typed), plain(typed)

        def near(group: frozenset[str]) -> float:
            ids = [SequenceMatcher(None, text, key).ratio() for key in (*self.accounts(group), *group)]
            names = [SequenceMatcher(None, short, plain(name.text)).ratio() for key in group for name in self.persons[key].names]
            return max((one for one in (*(one for one in ids if one >= NEAR_ID), *(one for one in names if one >= NEAR_NAME))), default=0)

        found = sorted(((near(group), sorted(group), group) for group in people), key=lambda one: (-one[0], one[1]))
        return tuple(group for score, _, group in found[:3] if score)

    def taken_for(self, account: str, at: datetime) -> tuple[frozenset[str], ...]:
        """Those who are in a room with this account and carry another name that looks like one of its own."""
        own = self.of_account(account)
        mine = self._carried(own, at)
        seen, same = frozenset().union(*map(looks, mine)), set(map(plain, mine))
        inside = [room.members(at) for room in self.rooms.values()]
        beside = set().union(*(self.subjects_in(members) for members in inside if members & self.accounts(own))) - {own}
        double: Callable[[str], bool] = lambda name: bool(looks(name) & seen) and plain(name) not in same  # noqa: E731
        return tuple(sorted((group for group in beside if any(map(double, self._carried(group, at)))), key=sorted))

    def _carried(self, group: Iterable[str], at: datetime) -> frozenset[str]:
        return frozenset().union(*(self.persons[one].carried(at) for one in group))

    def _shared(self, readers: set[frozenset[str]], at: datetime) -> set[frozenset[str]]:
        """Everybody who shares a room with every reader."""
        together = [(self.listening(inside), self.subjects_in(inside)) for room in self.rooms.values() if (inside := room.members(at))]
        reached = [set().union(*(subjects for people, subjects in together if reader in people)) for reader in readers]
        return set.intersection(*reached) if reached else set()
