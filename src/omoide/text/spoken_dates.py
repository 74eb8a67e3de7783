"""Dates in what people say, read against the moment it was said, in the speaker's calendar.

    spoken_dates("3月31日まで出張", said)      → until 2026-03-31
    spoken_dates("away next week", said)      → range, Monday to Sunday of the next week

Three steps: find expressions (`date_expressions`), look at the words beside them for what they are (a
beginning, an end), fill in what was not said (`date_reckoning`). A wrong date is worse than none, so
what could be something else (7-8 people, 4/1 in English, Fridays, birthdays) is not found.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from typing import NamedTuple

from omoide.text import date_words as words
from omoide.text.date_expressions import Mention, compiled, mentions, number
from omoide.text.date_reckoning import Length, Named, Span, after, before, completed, lasting, lasting_from_now, one_day
from omoide.text.when import Period, period


class Spoken(NamedTuple):
    """One date that was said.

    `role`: "since" (holds from), "until" (holds through the whole of `value`), "on" (takes place
    then; whether something ends with it the words do not say), "range" (several days: `value.first`
    to `value.after`, precision "day"). "From A to B" gives a "since" and an "until".
    `value` has the precision of the words; a beginning still to come is a day (来月から is its first).
    `start`, `end`: offsets in the text of `words`, the expression as written, with まで, until, …
    """

    role: str
    value: Period
    start: int
    end: int
    words: str


class _Role(NamedTuple):
    """`strict`: a beginning in the past. `clock`: minutes of the day. `inside`: an end only if it has begun (今月中)."""

    name: str
    start: int
    end: int
    strict: bool = False
    clock: int | None = None
    inside: bool = False


_Found = list[tuple[_Role, Span]]

_NARROW = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20, 0x2019: 0x27, 0xA0: 0x20}
_MAX_LENGTH = 20_000
"""Characters that are read; what somebody says is shorter."""
_NEAR = 60
"""Characters before an expression in which the words of its role are looked for."""


def spoken_dates(text: str, said: datetime) -> list[Spoken]:
    """The dates in `text`, in its order. `said` is aware; its zone is the speaker's.

    Any text is legal. Raises ValueError if `said` has no zone.
    """
    zone = said.tzinfo
    if zone is None or said.utcoffset() is None:
        raise ValueError("the moment of speaking needs a zone")
    today = said.date()
    plain = text[:_MAX_LENGTH].translate(_NARROW)
    found_here = mentions(plain, today)
    out: list[Spoken] = []
    at = 0
    while at < len(found_here):
        found, used = _next(plain, found_here[at : at + 2], today)
        at += used
        for role, span in found:
            value = _valued(role, span, said, zone)
            if value is not None:
                shown = text[role.start : role.end].rstrip()
                out.append(Spoken(_shown(role, span), value, role.start, role.start + len(shown), shown))
    return out


def _next(plain: str, two: list[Mention], today: date) -> tuple[_Found, int]:
    """What the next mention says, or the next two together, and how many that were."""
    try:
        pair = _joined(plain, two[0], two[1], today) if len(two) == 2 else None
        return (_alone(plain, two[0], today), 1) if pair is None else (pair, 2)
    except (ValueError, OverflowError):  # reckoned out of the calendar
        return [], 1


def ends(found: Spoken, zone: tzinfo) -> tuple[Period | None, Period | None]:
    """The `since` and `until` that a found date amounts to; "on" and "range" give both. `zone` as for `spoken_dates`."""
    if found.role == "since":
        return found.value, None
    if found.role == "until":
        return None, found.value
    if found.role == "on":
        return found.value, found.value
    last = found.value.after.astimezone(UTC) - timedelta(microseconds=1)
    return period(found.value.first.date().isoformat(), zone), period(last.astimezone(zone).date().isoformat(), zone)


# --- roles


def _joined(plain: str, first: Mention, second: Mention, today: date) -> _Found | None:
    """From A to B; None if the two do not belong together."""
    begin = _opened(plain, first)
    end = _with_clock(plain, second) or _until_after(plain, second) or _Role("until", second.start, second.end)
    if first.kind == second.kind == "pair" and first.end == second.start:
        return _ranged(first, second, (begin, end), today)
    clock = compiled(words.CLOCK_AFTER_CJK).match(plain, first.end)
    if clock and clock["since"] and clock.end() == second.start:
        return _ranged(first, second, (begin._replace(end=second.start, clock=_minutes(clock)), end), today)
    if between := compiled(words.CLOCK_BETWEEN).fullmatch(plain, first.end, second.start):
        opened = _with_clock_before(plain, first) or begin
        ended = _Role("until", second.start, second.end, clock=_minutes(between))
        return _ranged(first, second, (opened, ended), today)
    join = compiled(words.JOINED).fullmatch(plain, first.end, second.start)
    if join is None or isinstance(first.what, Length) or "ago" in (first.kind, second.kind):
        return None
    if first.kind == second.kind == "weekday":
        return []  # Monday to Friday is a habit
    begin = begin._replace(end=first.end + len(join[0].rstrip()))
    if isinstance(second.what, Length):
        return _counted(first, second, begin, today) if join["opens"] or join["long"] else None
    if join["long"] or (join["and"] and not compiled(words.BETWEEN).search(plain, 0, first.start)):
        return None
    if "slash" in (first.kind, second.kind) and not compiled("[から부터〜~]").search(join[0] + plain[second.end : second.end + 1]):
        return None  # scores and fractions
    return _ranged(first, second, (begin, end), today)


def _opened(plain: str, first: Mention) -> _Role:
    near = max(0, first.start - _NEAR)
    word = compiled(words.SINCE_BEFORE).search(plain, near, first.start) or compiled(words.BETWEEN).search(plain, near, first.start)
    return _Role("since", word.start() if word else first.start, first.end)


def _counted(first: Mention, second: Mention, begin: _Role, today: date) -> _Found | None:
    """From A on, for so long."""
    assert isinstance(second.what, Length)
    start = completed(first.what, "from", today) if isinstance(first.what, Named) else first.what
    if not isinstance(start, Span):
        return None
    return [(begin, start), (_Role("until", second.start, second.end), lasting(start.first, second.what))]


def _ranged(first: Mention, second: Mention, roles: tuple[_Role, _Role], today: date) -> _Found | None:
    if isinstance(first.what, Length) or isinstance(second.what, Length):
        return None
    start, stop = _both(first.what, second.what, today)
    if start is None or stop is None or start.first > stop.last:
        return None
    return [(roles[0], start), (roles[1], stop)]


def _both(first: Named | Span, second: Named | Span, today: date) -> tuple[Span | None, Span | None]:
    """Each fills in for the other what it does not say."""
    if isinstance(first, Named) and isinstance(second, Named) and first.year is None:
        if first.month is not None and second.month is None and second.year is None:  # 12月1日から5日
            start = completed(first, "on", today)
            return start, after(second, start.first) if start else None
        stop = completed(second, "until", today)
        if stop is None:
            return None, None
        # 4月1日から2028年9月30日まで: a year that is left out before another is the present one; English shares the last
        own = completed(first, "from", today) if second.year not in (None, today.year) and first.day and second.day else None
        return own if own and own.first <= stop.last else before(first, stop.last), stop
    start = first if isinstance(first, Span) else completed(first, "from", today)
    stop = second if isinstance(second, Span) else after(second, start.first) if start else None
    return start, stop


def _alone(plain: str, mention: Mention, today: date) -> _Found:
    role = None if mention.kind == "length" else _role(plain, mention)
    if role is None or _is_out_of_place(plain, mention, role):
        return []
    span = _meant(mention, role, today)
    if span is None:
        return []
    if role.inside and span.first > today:  # 10月中は: not an end, said before it began
        role = role._replace(name="on")
    return [(role, span), *_second_clock(plain, role, span)]


def _second_clock(plain: str, role: _Role, span: Span) -> _Found:
    """The other end of 今日10時から15時まで."""
    found = compiled(words.CLOCK_AFTER_CJK).match(plain, role.end) if role.name == "since" and role.clock is not None else None
    return [(_Role("until", role.end, found.end(), clock=_minutes(found)), span)] if found and found["until"] else []


def _meant(mention: Mention, role: _Role, today: date) -> Span | None:
    if isinstance(mention.what, Length):
        return lasting_from_now(today, mention.what)
    if isinstance(mention.what, Span):
        return mention.what
    if mention.kind == "weekday" and not role.strict:
        return _coming_day(mention.what.weekday or 0, today)
    return completed(mention.what, {"until": "until", "since": "since" if role.strict else "from"}.get(role.name, "on"), today)


def _coming_day(weekday: int, today: date) -> Span:
    return one_day(today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1))


def _is_out_of_place(plain: str, mention: Mention, role: _Role) -> bool:
    if mention.kind == "ago":
        return role.name == "until" or (role.name == "on" and not plain[mention.start : mention.end].isascii())
    if mention.kind == "weekday" and role.name != "until" and not role.strict:
        return not compiled(words.STARTING).match(plain, role.start)  # from Monday: a habit as likely
    if mention.kind == "slash" and role.start < mention.start and isinstance(mention.what, Named):
        return (mention.what.day or 0) <= 12 and mention.what.day != mention.what.month  # until 4/1: April or January?
    if compiled(r"\s*(?:-|–|〜|~|/)\s*[0-9]").match(plain, mention.end):  # half of something longer
        return True
    return role.name == "on" and bool(
        compiled(words.COMPARED).match(plain, mention.end)
        or compiled(words.RECURRING_BEFORE).search(plain, max(0, mention.start - 40), mention.start)
        or compiled(words.RECURRING_AFTER).match(plain, mention.end)
    )


def _role(plain: str, mention: Mention) -> _Role | None:
    """What the words beside it make of it; None if a weak one stands alone."""
    before_it = _by_words_before(plain, mention)
    after_it = _with_clock(plain, mention) or _until_after(plain, mention) or _since_after(plain, mention)
    if after_it and before_it and after_it.name == before_it.name:  # 从明天起, from 1 June onwards
        return after_it._replace(start=min(before_it.start, after_it.start))
    if after_it or before_it:
        return after_it or before_it
    if not mention.weak:
        return _Role(mention.default, mention.start, mention.end)
    return _Role("on", mention.start, mention.end) if _stands_on(plain, mention) else None


def _stands_on(plain: str, mention: Mention) -> bool:
    """Whether a weak expression is a date after all, by what follows or by "in"."""
    what, near = mention.what, plain[max(0, mention.start - 12) : mention.start]
    if mention.kind == "slash":
        assert isinstance(what, Named)
        fraction = (what.month or 0) < (what.day or 0) <= 10  # 1/3に減らす
        return what.weekday is not None or (not fraction and bool(compiled(words.ON_AFTER_SLASH).match(plain, mention.end)))
    if mention.kind == "bare day":
        assert isinstance(what, Named)
        follows = what.day != 1 and compiled(words.ON_AFTER_DAY).match(plain, mention.end) is not None  # 1日は24時間
        return follows or what.weekday is not None
    if mention.kind == "the day":
        return near.lower().endswith("on ")
    if mention.kind in ("month end", "year end"):
        return near.lower().endswith("at ")
    if mention.kind == "within":
        return True
    if mention.kind == "named":
        return bool(compiled(words.ON_BEFORE).search(near) or compiled(words.ON_AFTER_MONTH).match(plain, mention.end))
    return False


def _until_after(plain: str, mention: Mention) -> _Role | None:
    found = compiled(words.UNTIL_AFTER).match(plain, mention.end)
    return _Role("until", mention.start, found.end(), inside=found["inside"] is not None) if found else None


def _since_after(plain: str, mention: Mention) -> _Role | None:
    found = compiled(words.SINCE_AFTER).match(plain, mention.end)
    if not found or (found["only_dates"] and not (isinstance(mention.what, Named) and mention.what.day)):
        return None
    return _Role("since", mention.start, found.end(), strict=found["strict"] is not None)


def _by_words_before(plain: str, mention: Mention) -> _Role | None:
    near = max(0, mention.start - _NEAR)
    if found := compiled(words.UNTIL_BEFORE).search(plain, near, mention.start):
        return _Role("until", found.start(), mention.end)
    if found := compiled(words.SINCE_BEFORE).search(plain, near, mention.start):
        return _Role("since", found.start(), mention.end, strict=found["strict"] is not None)
    return None


def _with_clock(plain: str, mention: Mention) -> _Role | None:
    """今日は15時まで, until 3 pm on Friday, tomorrow from 9:00."""
    if found := compiled(words.CLOCK_AFTER_CJK).match(plain, mention.end):
        return _Role("until" if found["until"] else "since", mention.start, found.end(), clock=_minutes(found))
    if found := compiled(words.CLOCK_AFTER_ZH).match(plain, mention.end):
        return _Role("until", mention.start, found.end(), clock=_minutes(found))
    if found := compiled(words.CLOCK_AFTER_EN).match(plain, mention.end):
        told = _by_words_before(plain, mention) if found["role"].lower() == "at" else _Role(_english_role(found), mention.start, 0)
        return told._replace(end=found.end(), clock=_minutes(found)) if told else None
    return _with_clock_before(plain, mention)


def _with_clock_before(plain: str, mention: Mention) -> _Role | None:
    found = compiled(words.CLOCK_BEFORE).search(plain, max(0, mention.start - _NEAR), mention.start)
    return _Role(_english_role(found), found.start(), mention.end, clock=_minutes(found)) if found else None


def _english_role(found: re.Match[str]) -> str:
    return "since" if found["role"].lower().startswith(("from", "start")) else "until"


_AFTERNOON = frozenset(("午後", "下午", "晚上", "夜", "夕方", "오후", "저녁", "pm"))


def _minutes(found: re.Match[str]) -> int | None:
    """Minutes since midnight; None where morning and afternoon are both likely (5時まで), and the day must do."""
    said = {name: value for name, value in found.groupdict().items() if value is not None}
    hour = 12 if "noon" in said else number(said.get("h") or said["hw"])
    half = (said.get("half") or said.get("half2") or "").lower()
    if not half and 1 <= hour <= 6 and not (said.get("h", "").startswith("0")):
        return None
    if half in _AFTERNOON and hour < 12:
        hour += 12
    elif half in ("am", "午前", "오전") and hour == 12:
        hour = 0
    return hour * 60 + (30 if "half_past" in said else int(said.get("min") or said.get("min2") or 0))


# --- values


def _shown(role: _Role, span: Span) -> str:
    several = span.precision == "day" and span.first != span.last
    return "range" if role.name == "on" and several else "on" if role.name == "range" and not several else role.name


def _valued(role: _Role, span: Span, said: datetime, zone: tzinfo) -> Period | None:
    """None where the calendar or the zone has no such day."""
    try:
        if role.clock is not None:
            return _instant(span.first if role.name == "since" else span.last, role.clock, zone)
        if role.name == "until":
            return _written_span(Span(span.last, span.last) if span.precision == "day" else span, zone)
        if role.name == "since":
            dated = span.precision == "day" or (span.precision == "month" and span.first > said.date())
            return _written_span(one_day(span.first) if dated else span, zone)
        return _written_span(span, zone)
    except (ValueError, OverflowError):
        return None


def _written_span(span: Span, zone: tzinfo) -> Period:
    if span.precision == "day" and span.first != span.last:
        return Period(period(span.first.isoformat(), zone).first, period(span.last.isoformat(), zone).after, "day")
    return period(span.first.isoformat()[: {"year": 4, "month": 7}.get(span.precision, 10)], zone)


def _instant(day: date, minutes: int, zone: tzinfo) -> Period:
    clock = datetime(day.year, day.month, day.day, tzinfo=zone) + timedelta(minutes=minutes)
    moment = clock.astimezone(UTC).astimezone(zone)
    moment = moment.replace(tzinfo=timezone(moment.utcoffset() or timedelta()), fold=0)
    return Period(moment, moment, "instant")
