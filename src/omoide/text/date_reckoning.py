"""From what an expression says of a date (3月, the 31st, a Friday) to days of the calendar.

What is not said is filled in from the day of speaking: an end is the next one, a beginning after
"since" is the last one, and anything else the nearest that people mean.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator
from datetime import date, timedelta
from typing import NamedTuple


class Named(NamedTuple):
    """What was said; None where nothing was. `weekday` 0 is Monday; `last` asks for the last day of the month or year."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None
    last: bool = False


class Span(NamedTuple):
    """Days `first` to `last`, both included. `precision` "year" or "month" only if they are just that."""

    first: date
    last: date
    precision: str = "day"


class Length(NamedTuple):
    """A number of units ("day", "week", "month", "year") without a place in the calendar."""

    number: int
    unit: str


_BACK_ON = 92
"""Days that a date without a year may lie back and still not mean the next year: a season."""
_BACK_SINCE = 183
_BACK_IN_MONTH = 7


def one_day(day: date) -> Span:
    """The span of one day."""
    return Span(day, day)


def month_span(year: int, month: int) -> Span:
    """A month that may be counted past the year's end (13 is next January). Raises ValueError outside years 1 to 9999."""
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    return Span(date(year, month, 1), date(year, month, monthrange(year, month)[1]), "month")


def year_span(year: int) -> Span:
    """A year. Raises ValueError outside years 1 to 9999."""
    return Span(date(year, 1, 1), date(year, 12, 31), "year")


def week_span(today: date, weeks: int) -> Span:
    """Monday to Sunday, `weeks` after the week of `today`."""
    monday = today - timedelta(days=today.weekday()) + timedelta(weeks=weeks)
    return Span(monday, monday + timedelta(days=6))


def moved(day: date, length: Length) -> date:
    """`length` after `day` (before, if negative); the end of a shorter month for its missing days."""
    if length.unit in ("day", "week"):
        return day + timedelta(days=length.number * (7 if length.unit == "week" else 1))
    months = length.number * (12 if length.unit == "year" else 1)
    span = month_span(day.year, day.month + months)
    return span.first.replace(day=min(day.day, span.last.day))


def lasting(first: date, length: Length) -> Span:
    """`length` beginning with `first`, which is its first day."""
    return Span(first, moved(first, length) - timedelta(days=1))


def lasting_from_now(today: date, length: Length) -> Span:
    """Today is the first day; months and years are not counted to the day."""
    return lasting(today, length) if length.unit in ("day", "week") else at_distance(today, length)


def at_distance(today: date, length: Length) -> Span:
    """In or before `length`: a day for days and weeks, else a month or year, since nobody counts more finely."""
    there = moved(today, length)
    if length.unit == "month":
        return month_span(there.year, there.month)
    return year_span(there.year) if length.unit == "year" else one_day(there)


def completed(named: Named, role: str, today: date) -> Span | None:
    """The days that are meant; None if the calendar has none.

    `role` "until": not over yet. "since": not begun after today. "from": nearest. Else: nearest, the future first.
    """
    found = list(_candidates(named, today))
    if named.weekday is not None:
        found = [span for span in found if span.first.weekday() == named.weekday] or found
    if not found:
        return None
    if named.year is not None:
        return found[0]
    if role == "until":
        return next((span for span in found if span.last >= today), None)
    if role == "since":
        return next((span for span in reversed(found) if span.first <= today), None)
    if named.month is None and named.day is not None:  # the 30th, said on the 1st, is of this month
        found = [span for span in found if span.first >= today.replace(day=1)]
    back = (_BACK_SINCE if role == "from" else _BACK_ON) if named.month is not None else _BACK_IN_MONTH
    return next((span for span in found if (today - span.last).days <= back), None)


def before(named: Named, end: date) -> Span | None:
    """The last days so named that begin by `end`."""
    found = [span for span in _candidates(named, end) if span.first <= end]
    return found[-1] if found else None


def after(named: Named, begin: date) -> Span | None:
    """The first days so named that end at `begin` or later."""
    return next((span for span in _candidates(named, begin) if span.last >= begin), None)


def _candidates(named: Named, around: date) -> Iterator[Span]:
    """In order of time. Years without 29 February have none."""
    if named.month is None and named.day is None and named.year is None:
        if named.weekday is not None:
            monday = around - timedelta(days=around.weekday())
            yield from (one_day(monday + timedelta(days=named.weekday + 7 * i)) for i in (-1, 0, 1, 2))
        return
    years = [named.year] if named.year is not None else range(max(1, around.year - 8), min(9999, around.year + 8) + 1)
    for year in years:
        if named.month is None and named.day is None:
            span = year_span(year)
            yield one_day(span.last) if named.last else span
            continue
        for month in [named.month] if named.month is not None else range(1, 13):
            span = month_span(year, month)
            if named.day is None:
                yield one_day(span.last) if named.last else span
            elif named.day <= span.last.day:
                yield one_day(date(year, month, named.day))
