"""A time as people type it becomes a moment with a zone."""

from __future__ import annotations

from datetime import datetime, time, tzinfo

from omoide.errors import BadInput
from omoide.text.counting import Counted, counted

__all__ = ["Counted", "days", "moment"]


def moment(text: str, zone: tzinfo, name: str = "time", *, end: bool = False) -> datetime:
    """`2026-11-30`, `2026-11-30T09:00` or a full RFC 3339 time. `end`: a day means its last microsecond.

    A time without a zone is in the owner's. Raises `BadInput`.
    """
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise BadInput(f"{name} {text!r} is not a date or time such as 2026-11-30 or 2026-11-30T09:00") from error
    day_only = len(text.strip()) <= 10
    if day_only and end:
        found = datetime.combine(found.date(), time.max.replace(fold=1))  # where clocks go back at midnight, the later one
    return found if found.tzinfo else found.replace(tzinfo=zone)


def days(text: str, now: datetime) -> list[Counted]:
    """The dates of a text with how many days off each is, in the calendar of `now`: models are no good at that."""
    return counted(text, now)
