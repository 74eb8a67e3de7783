"""`text.counting`: how far off a date is."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from omoide.text.counting import counted

TOKYO = ZoneInfo("Asia/Tokyo")


def days(text: str, now: str, zone: str = "Asia/Tokyo") -> list[tuple[str, int]]:
    return [(one.day.isoformat(), one.days) for one in counted(text, datetime.fromisoformat(now).replace(tzinfo=ZoneInfo(zone)))]


@pytest.mark.parametrize("text", ["My birthday is on June 15th.", "誕生日は6月15日です", "我的生日是6月15日", "born on 1990-06-15", "days until June 15?", "6月15日まで"])
@pytest.mark.parametrize(
    ("now", "day", "left"),
    [("2026-05-20T10:00", "2026-06-15", 26), ("2026-06-15T23:59", "2026-06-15", 0), ("2026-06-16T00:00", "2027-06-15", 364),
     ("2026-12-31T23:59", "2027-06-15", 166), ("2028-02-28T12:00", "2028-06-15", 108), ("2027-02-28T12:00", "2027-06-15", 107)],
)  # fmt: skip
def test_days_until_a_yearly_day(text: str, now: str, day: str, left: int) -> None:
    """The next one, today included; over the turn of a year and a leap day by the calendar."""
    assert days(text, now) == [(day, left)]


@pytest.mark.parametrize("text", ["born on 29 February", "誕生日は2月29日", "生日是2月29日"])
def test_a_leap_day_waits_for_a_leap_year(text: str) -> None:
    """The 29 February of the next year that has one, also where a century has none."""
    assert days(text, "2026-03-01T09:00") == [("2028-02-29", 730)]
    assert days(text, "2028-02-29T09:00") == [("2028-02-29", 0)]
    assert days(text, "2097-01-01T09:00") == [("2104-02-29", 2614)]


@pytest.mark.parametrize(
    ("text", "day", "left"),
    [("we met yesterday", "2026-12-31", -1), ("おととい会った", "2026-12-30", -2), ("明後日出発", "2027-01-03", 2), ("后天出发", "2027-01-03", 2),
     ("due on 2027-02-18", "2027-02-18", 48), ("期限は2026年12月25日", "2026-12-25", -7), ("in three days", "2027-01-04", 3)],
)  # fmt: skip
def test_other_dates(text: str, day: str, left: int) -> None:
    """Relative days and full dates, before and after, around New Year."""
    assert days(text, "2027-01-01T00:30") == [(day, left)]


def test_days_are_of_the_calendar_where_clocks_change() -> None:
    """A day of 23 or 25 hours is a day; what day it is, is that of the asker's zone."""
    assert days("March 9", "2026-03-07T23:30", "America/New_York") == [("2026-03-09", 2)]
    assert days("November 2", "2026-10-31T23:30", "America/New_York") == [("2026-11-02", 2)]
    assert days("tomorrow", "2026-03-07T23:59", "America/New_York") == [("2026-03-08", 1)]
    moment = datetime.fromisoformat("2026-12-31T15:30:00+00:00")
    assert counted("1月2日", moment.astimezone(TOKYO))[0].days == 1
    assert counted("1月2日", moment)[0].days == 2


@pytest.mark.parametrize("text", ["I went to Paris last week", "先週パリに行った", "我上周去了巴黎"])
def test_a_week_that_was_meant_when_it_was_said(text: str) -> None:
    """Last week is the one before the week of the moment that is given, in its zone, also over New Year and a leap day."""
    for said, first, last in (("2023-05-24T10:00", "2023-05-15", "2023-05-21"), ("2027-01-01T00:30", "2026-12-21", "2026-12-27"),
                              ("2028-03-06T09:00", "2028-02-28", "2028-03-05")):  # fmt: skip
        one = counted(text, datetime.fromisoformat(said).replace(tzinfo=TOKYO))[0]
        assert (one.day.isoformat(), one.last.isoformat()) == (first, last)


def test_a_text_without_a_date() -> None:
    """Nothing is found where nothing is said, and any text is legal."""
    assert counted("hello", datetime(2026, 1, 1, tzinfo=TOKYO)) == []
    assert counted("", datetime(2026, 1, 1, tzinfo=TOKYO)) == []
    assert counted("7-8 people, May I?", datetime(2026, 1, 1, tzinfo=TOKYO)) == []
    assert counted("2月30日", datetime(2026, 1, 1, tzinfo=TOKYO)) == []
