"""Expressions of dates in a text: where they stand and what they say, not yet what they are for.

The words are in `date_words`, the calendar in `date_reckoning`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from functools import cache
from typing import NamedTuple

from omoide.text import date_words as words
from omoide.text.date_reckoning import Length, Named, Span, at_distance, month_span, one_day, week_span, year_span


class Mention(NamedTuple):
    """`what` the letters from `start` to `end` say. A `weak` one is a date only beside a word that makes it one.

    `default` is its role where no word says another. The two halves of "3 to 17 May" have the kind "pair".
    """

    start: int
    end: int
    what: Named | Span | Length
    kind: str
    weak: bool
    default: str = "on"



@cache
def _expressions() -> list[tuple[str, re.Pattern[str], bool]]:
    """Compiled at first use: many programs never read a spoken date."""
    return [(kind, compiled(pattern), weak) for kind, pattern, weak in words.EXPRESSIONS]


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern of `date_words`, read as all of them are."""
    return re.compile(pattern, re.ASCII | re.IGNORECASE)


def mentions(plain: str, today: date) -> list[Mention]:
    """Expressions that do not overlap, in order: of two, the one that begins first, then the longer."""
    found: list[tuple[int, int, int, list[Mention]]] = []
    for rank, (kind, pattern, weak) in enumerate(_expressions()):
        for match in pattern.finditer(plain):
            read = _read(kind, match, weak, today)
            if read:
                found.append((read[0].start, -read[-1].end, rank, read))
    out: list[Mention] = []
    for start, _, _, read in sorted(found, key=lambda item: item[:3]):
        if not out or start >= out[-1].end:
            out.extend(read)
    return out


def _read(kind: str, match: re.Match[str], weak: bool, today: date) -> list[Mention]:
    said = {name: value for name, value in match.groupdict().items() if value is not None}
    start, end = match.span("x") if "x" in said else match.span()
    try:
        if kind == "pair":
            second = _named(said, today)
            first = second._replace(day=int(said["d1"]), weekday=None)
            middle = match.start("d")
            return [Mention(match.start(), middle, first, "pair", False), Mention(middle, end, second, "pair", False)]
        what = _READERS[kind](said, today)
    except (ValueError, OverflowError):  # no such day, or outside the calendar
        return []
    if what is None:
        return []
    if kind == "weekday" and match[0] in ("sun", "sat", "wed"):  # words of their own
        return []
    weak = weak or said.get("m") == "may"  # the verb
    default = _DEFAULTS.get(kind, "range" if isinstance(what, Span) and what.precision == "day" and what.first != what.last else "on")
    return [Mention(start, end, what, kind, weak, default)]


_DEFAULTS = {"more": "until", "lasting": "until", "rest": "until", "within": "until"}


def number(text: str) -> int:
    """The value of figures or number words: "31", "二十三", "二〇二六", "two". Raises ValueError for anything else."""
    text = text.strip().lower()
    if text.isdigit():
        return int(text)
    if text in words.NUMBER_WORDS:
        return words.NUMBER_WORDS[text]
    if len(text) == 4:  # a year, figure by figure: 二〇二六
        return int("".join(str("〇一二三四五六七八九".index(sign.replace("零", "〇"))) for sign in text))
    tens, ten, ones = text.rpartition("十")
    figure = "〇一二三四五六七八九".index
    return (figure(tens) if tens else bool(ten)) * 10 + (figure(ones) if ones else 0)


def _weekday(said: dict[str, str]) -> int | None:
    sign = next((said[name] for name in ("w", "w2", "w3") if name in said), None)
    return None if sign is None else words.WEEKDAYS[sign.lower()[:3]]


def _spaced(word: str) -> str:
    return " ".join(word.lower().split())


def _named(said: dict[str, str], today: date) -> Named:
    year = number(said["y"]) if "y" in said else None
    month = (words.MONTHS.get(said["m"].lower()[:3]) or number(said["m"])) if "m" in said else None
    if "ry" in said:
        year = today.year + words.YEAR_WORDS[_spaced(said["ry"])]
    if "rm" in said:
        there = month_span(today.year, today.month + words.MONTH_WORDS[_spaced(said["rm"])]).first
        year, month = there.year, there.month
    day = number(said["d"]) if "d" in said else None
    return Named(year, month, day, _weekday(said), "end" in said)


def _slash(said: dict[str, str], today: date) -> Named | None:
    month, day = int(said["m"]), int(said["d"])
    return Named(None, month, day, _weekday(said)) if 1 <= month <= 12 and 1 <= day <= 31 else None


def _day(said: dict[str, str], today: date) -> Span:
    return one_day(today + timedelta(days=words.DAY_WORDS[_spaced(said["rd"])]))


def _weeks(said: dict[str, str], today: date) -> int:
    if "rw" in said:
        return words.WEEK_WORDS[_spaced(said["rw"])]
    return {"next": 1, "last": -1}.get(said.get("this", "").lower(), 0)


def _week(said: dict[str, str], today: date) -> Span:
    if "coming" in said.get("this", "").lower():
        return _coming(said, today)
    span, weekday = week_span(today, _weeks(said, today)), _weekday(said)
    return span if weekday is None else one_day(span.first + timedelta(days=weekday))


def _coming(said: dict[str, str], today: date) -> Span:
    days = ((_weekday(said) or 0) - today.weekday() - 1) % 7 + 1
    return one_day(today + timedelta(days=days))


def _weekend(said: dict[str, str], today: date) -> Span:
    sunday = week_span(today, _weeks(said, today)).last
    return Span(sunday - timedelta(days=1), sunday)


def _length(said: dict[str, str]) -> Length:
    count = number(said.get("n", "one"))
    unit = said["u"].lower()
    return Length(count, words.UNITS.get(unit) or words.UNITS["星期" if unit.endswith("星期") else unit[-1]])  # か月, 个星期


def _rest(said: dict[str, str], today: date) -> Span:
    ending = {"day": today, "week": week_span(today, 0).last, "year": date(today.year, 12, 31)}
    return Span(today, ending.get(said["u"].lower(), month_span(today.year, today.month).last))


_READERS: dict[str, Callable[[dict[str, str], date], Named | Span | Length | None]] = {
    "named": _named,
    "slash": _slash,
    "bare day": _named,
    "the day": _named,
    "weekday": _named,
    "month end": lambda said, today: one_day(month_span(today.year, today.month).last),
    "year end": lambda said, today: one_day(year_span(today.year).last),
    "today": lambda said, today: one_day(today),
    "day": _day,
    "week": _week,
    "week end": lambda said, today: one_day(week_span(today, _weeks(said, today)).last),
    "coming": _coming,
    "weekend": _weekend,
    "later": lambda said, today: at_distance(today, _length(said)),
    "ago": lambda said, today: at_distance(today, _length(said)._replace(number=-_length(said).number)),
    "within": lambda said, today: at_distance(today, _length(said)),
    "more": lambda said, today: at_distance(today, _length(said)),  # today does not count
    "lasting": lambda said, today: _length(said),  # from today, or from what is joined to it
    "rest": _rest,
    "length": lambda said, today: _length(said),
}
