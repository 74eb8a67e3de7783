"""Rooms: who was in them when. A room is a place where people and agents read the same words."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from omoide.text.when import BEGINNING, FOREVER

KINDS = ("dm", "group", "channel")
HISTORIES = ("members", "since_join")


class Stay(NamedTuple):
    """One account in one room, from its joining until its leaving (not included)."""

    account: str
    since: datetime = BEGINNING
    until: datetime = FOREVER


class Room(NamedTuple):
    """A room and everybody who ever was in it.

    `id` is `platform:workspace:id`. `history` says whether newcomers see what was said before them: "members"
    (yes, the usual way of a channel) or "since_join" (no, that of groups and direct messages).
    """

    id: str
    name: str = ""
    kind: str = "group"
    history: str = "since_join"
    stays: tuple[Stay, ...] = ()

    def members(self, at: datetime) -> frozenset[str]:
        """Accounts in the room at that moment."""
        return frozenset(stay.account for stay in self.stays if stay.since <= at < stay.until)

    def ever(self, at: datetime) -> frozenset[str]:
        """Accounts that were in the room at some time up to that moment."""
        return frozenset(stay.account for stay in self.stays if stay.since <= at)


def usual_history(kind: str) -> str:
    """What a room of that kind shows to newcomers unless it says otherwise."""
    return "members" if kind == "channel" else "since_join"
