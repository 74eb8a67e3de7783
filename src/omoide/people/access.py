"""Who may hear what. Every read goes through this file, below ranking; nothing above decides by itself.

Two questions, one answer each: may a caller read what is meant for an audience (`may_read`: files), and may
the people in a room be told a fact (`Listeners.may_hear`: what was said, where and when).
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from omoide.people.directory import Person
from omoide.people.rooms import Room
from omoide.types import EVERYTHING, Scope

OPEN, SECRET = "all", "secret"
"""Audiences of a telling that change the rule: told for anybody; for those who heard it only."""


class Telling(NamedTuple):
    """One time something was said: by which account, in which room, at which moment, and for whom.

    `session`, `message`: the number of the message it was learned from; `call`: the id of the call that kept it;
    `zone`: the name of the speaker's zone, where the clock had one ("Asia/Tokyo").
    """

    by: str
    room: str
    at: datetime
    audience: str = ""
    source: str = ""
    via: str = ""
    session: str = ""
    message: int | None = None
    call: str = ""
    zone: str = ""


def may_read(scope: Scope, audience: str) -> bool:
    """True if what is meant for `audience` may reach the caller. An empty scope reads nothing."""
    return EVERYTHING in scope.audiences or audience in scope.audiences


def id_among(person: Person, names: Iterable[str]) -> str:
    """The id of a folder for those who may know these names of its bearer. Its words are made of the name somebody was met
    under; where that is none of these, and no part of an account either, they are left out."""
    slug = _letters(person.slug)
    known = (*names, *(account.rpartition(":")[2] for account in person.accounts))
    return person.id if any(_letters(one).startswith(slug) for one in known) else person.bare_id


def _letters(text: str) -> str:
    return "".join(re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).casefold()))


class Listeners:
    """Everybody who reads in a room now, each by all accounts proven to be theirs, and what they were there to hear.

    Without readers nothing may be heard: a room that nobody is in is unknown, and unknown is private.
    """

    def __init__(self, readers: Iterable[frozenset[str]], rooms: Mapping[str, Room], now: datetime) -> None:
        self.readers, self.rooms, self.now = list(readers), rooms, now
        self._own = {account: frozenset({place}) for place, reader in enumerate(self.readers) for account in reader}
        self._turns: dict[str, list[datetime]] = {}
        self._knowing: dict[tuple[str, int], frozenset[int]] = {}

    def may_hear(self, tellings: Iterable[Telling]) -> bool:
        """Whether a fact may be said where all these people read: each of them may know one telling of it."""
        know: frozenset[int] = frozenset()
        for telling in tellings:
            if len(know) < len(self.readers):
                more = self._who_may_know(telling)
                know = know | more if know else more
        return bool(self.readers) and len(know) == len(self.readers)

    def audiences(self, room: Room, folder: str) -> frozenset[str]:
        """What whole files these people, who read in a room, may read: those for all, and what lies in the room's folder if each of
        them may be told all that was ever said there. Files of people are for nobody here: a fact is told one by one."""
        turns = {turn for stay in room.stays for turn in (stay.since, stay.until) if turn <= self.now}
        if not self.readers:
            return frozenset()
        whole = all(self.may_hear([Telling("", room.id, turn)]) for turn in turns)
        return frozenset({OPEN, f"room:{folder}"}) if whole else frozenset({OPEN})

    def may_know(self, tellings: Sequence[Telling]) -> list[int]:
        """Which tellings of a fact that may be said here may be spoken of: those that each reader may know; where there is no such,
        because each knows the fact from elsewhere, those that somebody may. Who knows of another one learns nothing from an answer.
        """
        everybody = [number for number, one in enumerate(tellings) if self.may_hear([one])]
        return everybody or [number for number, one in enumerate(tellings) if self._who_may_know(one)]

    def _who_may_know(self, telling: Telling) -> frozenset[int]:
        """Places of the readers who may be told now what was said then.

        They may know what was told for anybody, what they said themself, and what was said in a room they are in
        now, if the room shows its past or they were in it when it was said; of a secret only the latter. A room that
        is not known lets nobody know.
        """
        if telling.audience == OPEN:
            return frozenset(range(len(self.readers)))
        own = self._own.get(telling.by, frozenset())
        room = self.rooms.get(telling.room)
        heard = self._who_heard(room, telling) if room else frozenset()
        return heard if own <= heard else heard | own

    def _who_heard(self, room: Room, telling: Telling) -> frozenset[int]:
        """Worked out once for the time between two comings or goings: a question asks it for every fact."""
        at = self.now if room.history == "members" and telling.audience != SECRET else telling.at
        if room.id not in self._turns:
            self._turns[room.id] = sorted({turn for stay in room.stays for turn in (stay.since, stay.until)})
        key = room.id, bisect_right(self._turns[room.id], at)
        if key not in self._knowing:
            here, there = room.members(self.now), room.members(at)
            self._knowing[key] = frozenset(
                place for place, reader in enumerate(self.readers) if not (reader.isdisjoint(here) or reader.isdisjoint(there))
            )
        return self._knowing[key]
