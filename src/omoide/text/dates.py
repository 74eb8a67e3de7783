"""The date in a file name: `2026-11-30.md`, `2026-11-30-standup.md`, `2026-11-30-09-15.md`."""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo

_DAY = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})(?![0-9])")


def day_in_name(name: str, zone: tzinfo) -> datetime | None:
    """Midnight, in `zone`, of the day a file name begins with; None if it begins with none.

    A day that the calendar does not have (`2026-02-30`) is no day. Whatever follows the day
    (a slug, a time) is not read. `name` is a file name without folders.
    """
    found = _DAY.match(name)
    if not found:
        return None
    year, month, day = (int(part) for part in found.groups())
    try:
        midnight = datetime(year, month, day, tzinfo=zone)
        midnight.astimezone(UTC)  # the first and last day of the calendar cannot be compared
    except (ValueError, OverflowError):
        return None
    return midnight


def is_bare_day(stem: str) -> bool:
    """Whether a file name without its suffix is a day and nothing else, or a day and a time (`-HH-MM`)."""
    return re.fullmatch(_DAY.pattern + "(-[0-9]{2}-[0-9]{2})?", stem) is not None
