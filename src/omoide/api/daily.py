"""`log`: an entry at the end of today's file, of the owner's own log or of a room's."""

from __future__ import annotations

from typing import NamedTuple

from omoide.api.folks import Folks
from omoide.memory.vague import hint
from omoide.store import daily
from omoide.store.daily import DailyEntry

OWN = "memory"
"""Folder of the owner's daily logs."""


class Kept(NamedTuple):
    """Where an entry stands, and what should be said of it: "" or a hint. `added`: False for a summary that stood there already."""

    path: str
    line: int
    hint: str
    added: bool = True


def log(folks: Folks, entry: DailyEntry, room: str, most_bytes: int) -> Kept:
    """Add an entry; `room` "" is the owner's own log. Raises `BadInput`, `StoreFailed`; then nothing was added."""
    folder = f"{folks.room_folder(room)}/log" if room else OWN
    path, line, added = daily.append(folks.door, folder, entry, folks.zone, most_bytes)
    about = (value for values in entry.marks.values() for value in values)
    return Kept(path, line, hint(" ".join((entry.title, entry.text, *about))), added)
