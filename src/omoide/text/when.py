"""Dates as people write them down, with their precision: `2026`, `2026-03`, `2026-03-31`, an RFC 3339 time.

A date of low precision is the whole of its period, so every date is a half-open span of two
instants. Both carry a fixed offset, never a zone with rules: two times of one zoneinfo zone compare
by their clocks and go wrong where clocks are changed; two fixed offsets compare by the instant.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import NamedTuple

BEGINNING = datetime.min.replace(tzinfo=UTC)
"""Not after any date that can be written."""
FOREVER = datetime.max.replace(tzinfo=UTC)
"""Not before any date that can be written; `after` of the last day of year 9999."""

_DATE = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?")
_TIME = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]+))?)?([Zz]|[+-][0-9]{2}:[0-9]{2})?"
)
_PRECISIONS = ("year", "month", "day")


class Period(NamedTuple):
    """`[first, after)`, aware, with `precision` "year", "month", "day" or "instant"; an instant has `first == after`.

    Of a year, month or day, `first` shows the date in the zone in which it was read.
    """

    first: datetime
    after: datetime
    precision: str


def period(text: str, zone: tzinfo) -> Period:
    """The period that `text` names, in `zone`; a time is read in its own offset.

    A period begins with the first instant that the clocks of `zone` show for it, also where
    midnight is skipped or comes twice. Raises ValueError, with a sentence for a person, for a text
    of another form, a date that the calendar or the zone does not have (2026-02-30), a time without an offset.
    """
    if found := _DATE.fullmatch(text):
        return _calendar_period(text, [int(part) for part in found.groups() if part is not None], zone)
    if found := _TIME.fullmatch(text):
        moment = _moment(found)
        return Period(moment, moment, "instant")
    raise ValueError(f"{text[:40]!r} is not a date: write 2026, 2026-03, 2026-03-31 or 2026-03-31T09:00:00+09:00")


def written(value: Period) -> str:
    """The text form: `period(written(p), zone) == p` for every `p` that `period` gave for that zone."""
    first = value.first
    if value.precision == "instant":
        return _written_time(first)
    year, *rest = (first.year, first.month, first.day)[: _PRECISIONS.index(value.precision) + 1]
    return "-".join([f"{year:04d}", *(f"{part:02d}" for part in rest)])


def _calendar_period(text: str, parts: list[int], zone: tzinfo) -> Period:
    precision = _PRECISIONS[len(parts) - 1]
    year, month, day = (*parts, 1, 1)[:3] if len(parts) < 3 else parts
    try:
        begin = datetime(year, month, day)
    except ValueError:
        raise ValueError(f"{text} is not in the calendar") from None
    first, after = _midnight(begin, zone), _midnight(_following(begin, precision), zone)
    if first >= after:
        raise ValueError(f"the clocks of {zone} skipped the whole of {text}")
    return Period(first, after, precision)


def _following(begin: datetime, precision: str) -> datetime | None:
    """The clock time at which the next period begins; None after the last."""
    try:
        if precision == "day":
            return begin + timedelta(days=1)
        if precision == "year" or begin.month == 12:
            return datetime(begin.year + 1, 1, 1)
        return begin.replace(month=begin.month + 1)
    except (OverflowError, ValueError):
        return None


def _midnight(clock: datetime | None, zone: tzinfo) -> datetime:
    """The first instant at which the clocks show this day. At the two ends of the calendar: the bounds."""
    if clock is None:
        return FOREVER
    try:
        # fold=0 takes the first of two midnights; of none, the way over UTC makes the end of the gap.
        local = clock.replace(tzinfo=zone).astimezone(UTC).astimezone(zone)
    except OverflowError:
        return BEGINNING if clock.year == 1 else FOREVER
    return local.replace(tzinfo=timezone(local.utcoffset() or timedelta()), fold=0)


def _moment(found: re.Match[str]) -> datetime:
    day, hour, minute, second, fraction, offset = found.groups()
    if offset is None:
        raise ValueError(f"{found[0]} has no offset: add Z or, for example, +09:00")
    leap = second == "60"  # legal in RFC 3339, unknown to datetime: the first instant after it
    clock = f"{day}T{hour}:{minute}:{'59' if leap else second or '00'}.{(fraction or '0')[:6]:0<6}"
    try:
        moment = datetime.fromisoformat(clock + ("+00:00" if offset in "Zz" else offset)) + timedelta(seconds=leap)
        moment.astimezone(UTC)  # the first and last hours of the calendar cannot be compared in every zone
    except (ValueError, OverflowError):
        raise ValueError(f"{found[0]} is not a time of the calendar") from None
    return moment


def _written_time(moment: datetime) -> str:
    offset = moment.utcoffset() or timedelta()
    if offset.total_seconds() % 60:  # local mean time: RFC 3339 has no seconds in an offset
        moment = moment.astimezone(UTC)
    text = moment.isoformat()
    return text.removesuffix("+00:00") + "Z" if text.endswith("+00:00") else text
