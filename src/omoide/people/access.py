"""Who may hear what. Every read goes through this file, below ranking; nothing above decides by itself.

Two questions, one answer each: may a caller read what is meant for an audience (`may_read`: files), and may
the people in a room be told a fact (`may_hear`: what was said, where and when).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from omoide.people.rooms import Room
from omoide.types import EVERYTHING, Scope

OPEN, SECRET = "all", "secret"
"""Audiences of a telling that change the rule: told for anybody; for those who heard it only."""


class Telling(NamedTuple):
    """One time something was said: by which account, in which room, at which moment, and for whom."""

    by: str
    room: str
    at: datetime
    audience: str = ""
    source: str = ""
    via: str = ""


def may_read(scope: Scope, audience: str) -> bool:
    """True if what is meant for `audience` may reach the caller. An empty scope reads nothing."""
    return EVERYTHING in scope.audiences or audience in scope.audiences


def may_know(reader: frozenset[str], telling: Telling, rooms: Mapping[str, Room], now: datetime) -> bool:
    """Whether one reader may be told now what was said then. `reader`: all accounts proven to be theirs.

    They may know what was told for anybody, what they said themself, and what was said in a room they are in
    now, if the room shows its past or they were in it when it was said; of a secret only the latter. A room that
    is not known lets nobody know.
    """
    if telling.audience == OPEN or telling.by in reader:
        return True
    room = rooms.get(telling.room)
    if room is None or not room.members(now) & reader:
        return False
    if room.history == "members" and telling.audience != SECRET:
        return True
    return bool(room.members(telling.at) & reader)


def may_hear(
    readers: Iterable[frozenset[str]], tellings: Iterable[Telling], rooms: Mapping[str, Room], now: datetime
) -> bool:
    """Whether a fact may be said where all these people read: each of them may know one telling of it.

    Without readers nothing may be heard: a room that nobody is in is unknown, and unknown is private.
    """
    told = list(tellings)
    each = [any(may_know(reader, telling, rooms, now) for telling in told) for reader in readers]
    return bool(each) and all(each)
