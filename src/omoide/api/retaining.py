"""How long the words of rooms are kept: `logs.keep_days`, carried out by `tidy`. Facts, summaries and histories stay."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any

from omoide.errors import StaleWrite, StoreFailed
from omoide.people.access import Telling
from omoide.store import files
from omoide.store.door import Door
from omoide.store.log import Log
from omoide.store.retention import Dropped


def tidy(door: Door, at: datetime, days: int, zone: tzinfo) -> list[Dropped]:
    """Drop what is older from every log of the home, also of a room whose `room.md` is gone; each file wholly or not at all.

    Gives an entry for each file. Raises `StoreFailed` at the end for what could not be read or written.
    """
    if not _ends(at, days):
        return []
    done, failed = [], []
    folders, unknown = _logged(door.root)
    for folder in folders:
        try:
            done += Log(door, folder).drop(at, days, zone)
        except (StoreFailed, StaleWrite) as error:
            failed.append(str(error))
    failed += [f"{one.path}: {one.text}." for one in unknown]
    if failed:
        raise StoreFailed(f"Not all that is older than {days} days is dropped: {' '.join(failed)} Then run again: omoide rooms tidy")
    return done


def due(root: Path, at: datetime, days: int, zone: tzinfo) -> Iterator[tuple[str, int]]:
    """Folders of rooms whose logs hold what `tidy` would drop, each with how many events."""
    for folder in _logged(root)[0] if _ends(at, days) else ():
        number = Log(Door(root), folder).due(at, days, zone)
        if number:
            yield folder, number


def gone(log: Log, told: Telling) -> dict[str, Any] | None:
    """The entry that took away the message of a telling; None if none did. Where the telling does not name its message, the
    moment decides."""
    for entry in log.dropped():
        if entry.has(told.session, told.message) if told.session else entry.first <= told.at <= entry.last:
            return {"at": entry.at, "days": entry.days, "path": entry.path, "line": entry.line}
    return None


def _logged(root: Path) -> tuple[list[str], list[files.Problem]]:
    """The folders of rooms that have a log, and what may hide one."""
    seen = files.walk(root, sys.maxsize, "rooms")
    paths = (found.path.split("/") for found in seen.found)
    folders = {"/".join(parts[:2]) for parts in paths if len(parts) > 3 and parts[2] == "log"}
    unknown = [one for one in seen.problems if one.code in files.UNKNOWN and (one.path.split("/") + ["log"] * 2)[2] == "log"]
    return sorted(folders), [one for one in unknown if "/".join(one.path.split("/")[:2]) not in folders]


def _ends(at: datetime, days: int) -> bool:
    """Whether anything can be too old: 0 keeps everything, and before the first day of the calendar there is nothing."""
    return 0 < days < at.toordinal() - 1
