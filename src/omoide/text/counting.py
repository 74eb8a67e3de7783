"""How many days there are from now to the dates in a text, in the calendar of whoever asks.

    counted("My birthday is on June 15th.", now)      → 2026-06-15, in 26 days
    counted("3日後に出発", now)                        → in 3 days

A day of the calendar without a year, and one that comes every year (a birthday), is the next one, today included; the
29 February waits for a leap year. Any other date is where it is, the past with days below 0.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import NamedTuple

from omoide.text import date_words as words
from omoide.text.date_expressions import Mention, compiled, mentions
from omoide.text.date_reckoning import Named
from omoide.text.spoken_dates import _NARROW, Spoken, spoken_dates

MAX_CHARS = 20_000


class Counted(NamedTuple):
    """A date as it is written in the text, its first and last day (where something ends then, the last is both), and how
    many days the first is off."""

    words: str
    day: date
    last: date
    days: int


def counted(text: str, now: datetime) -> list[Counted]:
    """The dates of a text, in its order. `now` is aware; its zone is that of whoever asks."""
    today, text = now.date(), text[:MAX_CHARS]
    plain = text.translate(_NARROW)
    spoken = [(one.start, one.words, *_span(one)) for one in spoken_dates(text, now)]
    found: list[tuple[int, str, date, date]] = []
    for mention in mentions(plain, today):
        what = mention.what
        if mention.weak or not isinstance(what, Named) or what.month is None or what.day is None:
            continue
        if what.year is None or _comes_every_year(plain, mention):
            day = _next(what.month, what.day, today)
            found += [(mention.start, text[mention.start : mention.end], day, day)] if day else []
    yearly = {(day.month, day.day) for _, _, day, _ in found}
    found += [one for one in spoken if (one[2].month, one[2].day) not in yearly]
    return [Counted(said, day, last, (day - today).days) for _, said, day, last in sorted(found, key=lambda one: one[0])]


def _span(one: Spoken) -> tuple[date, date]:
    first = one.value.first.date()
    last = first if one.value.precision == "instant" else (one.value.after - timedelta(microseconds=1)).date()
    return (last, last) if one.role == "until" else (first, last)


def _comes_every_year(plain: str, mention: Mention) -> bool:
    before = compiled(words.RECURRING_BEFORE).search(plain, max(0, mention.start - 40), mention.start)
    return bool(before or compiled(words.RECURRING_AFTER).match(plain, mention.end))


def _next(month: int, day: int, today: date) -> date | None:
    """The next such day of the calendar, from today on: eight years have a leap year in them, also around 1900 and 2100."""
    for year in range(today.year, today.year + 9):
        try:
            if (found := date(year, month, day)) >= today:
                return found
        except ValueError:
            continue
    return None
