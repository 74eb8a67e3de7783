"""From when until when a thing holds that somebody said: the dates in the note, else in the message."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import NamedTuple

from omoide.memory.phrases import form, says
from omoide.text.spoken_dates import Spoken, spoken_dates
from omoide.text.when import Period, written


class Validity(NamedTuple):
    """Dates as they are written into a line; empty where nothing was said."""

    since: str = ""
    until: str = ""


def validity(text: str, message: str, said: datetime) -> Validity:
    """The note counts first. Of the message only a beginning or an end that was called one."""
    plain = form(text)
    found = spoken_dates(text, said)
    own = _validity(found, plain, said)
    if own.until or own.since:
        return own
    told = [one for one in spoken_dates(message, said) if one.role in ("since", "until")]
    return _validity(told, form(message) + " " + plain, said)


def _validity(found: Sequence[Spoken], plain: str, said: datetime) -> Validity:
    begins = [one.value for one in found if one.role == "since"]
    ends = [one.value for one in found if one.role == "until"]
    since = _beginning(begins[0], said) if begins else ""
    if ends:
        arranged = since and begins[0].first > said and says("arranged", plain)
        return Validity("" if arranged else since, written(ends[-1]))
    if begins:
        return Validity(since)
    return _of_days([one for one in found if one.role in ("on", "range")], plain, said)


def _beginning(value: Period, said: datetime) -> str:
    """From today on is from now on: what held this morning held until now."""
    return "" if value.precision == "day" and value.first.date() == said.date() else written(value)


def _of_days(found: Sequence[Spoken], plain: str, said: datetime) -> Validity:
    """A day that is named: a thing of that day is over after it; an absence also begins with it."""
    if not found:
        return Validity()
    today = said.date()
    days = [one for one in found if one.value.precision == "day"]
    coming = [one for one in days if _last(one.value) >= today]
    if coming:
        return _coming(coming, plain, said)
    if days:
        return Validity(written(days[0].value)) if days[0].role == "on" and says("step", plain) else Validity()
    month = found[0].value
    if month.precision == "month" and month.first > said and says("begins", plain):
        return Validity(month.first.date().isoformat())
    if month.precision != "month" or month.after <= said or says("opening", plain) or not says("lasting", plain):
        return Validity()
    return Validity(written(month) if month.first > said else "", written(month))


def _coming(days: Sequence[Spoken], plain: str, said: datetime) -> Validity:
    today = said.date()
    first, last = min(one.value.first.date() for one in days), max(_last(one.value) for one in days)
    if last == today and says("step", plain):
        return Validity()  # done today, and it stays done
    if says("begins", plain) and first > today:
        return Validity(first.isoformat())
    if says("opening", plain):
        return Validity()
    away = first > today and says("absence", plain) and not says("arranged", plain)
    return Validity(first.isoformat() if away else "", last.isoformat())


def _last(value: Period) -> date:
    return (value.after - timedelta(microseconds=1)).date()
