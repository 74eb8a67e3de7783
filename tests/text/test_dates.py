"""The day a file name begins with."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.text.dates import day_in_name, is_bare_day


@given(st.dates(date(2, 1, 1), date(9998, 12, 30)), st.sampled_from([".md", "-slug.md", "-09-15.md", " memo.md", "会議.md"]))
def test_every_day_of_the_calendar(day: date, rest: str) -> None:
    """Any real day is found whatever follows it, at midnight of the given zone."""
    zone = timezone(timedelta(hours=9))
    assert day_in_name(day.isoformat() + rest, zone) == datetime(day.year, day.month, day.day, tzinfo=zone)


@pytest.mark.parametrize(
    "name",
    [
        "2026-02-30.md", "2026-13-01.md", "0000-01-01.md", "2026-11-301.md", "x2026-11-30.md", "2026-1-3.md",
        "２０２６-11-30.md", "note.md", "",
    ],
)
def test_no_day(name: str) -> None:
    """An impossible day, or digits that only look like one, leave a file undated."""
    assert day_in_name(name, UTC) is None


def test_the_edges_of_the_calendar() -> None:
    """A day that cannot be compared with others in UTC is none, rather than an error later."""
    assert day_in_name("0001-01-01.md", ZoneInfo("Asia/Tokyo")) is None
    assert day_in_name("9999-12-31.md", timezone(timedelta(hours=-5))) == datetime(
        9999, 12, 31, tzinfo=timezone(timedelta(hours=-5))
    )


def test_the_owners_zone_decides() -> None:
    """One name is two moments in two zones, also on a day when the clocks change."""
    tokyo, angeles = (day_in_name("2026-03-08.md", ZoneInfo(name)) for name in ("Asia/Tokyo", "America/Los_Angeles"))
    assert tokyo
    assert angeles
    assert angeles - tokyo == timedelta(hours=17)


def test_bare_days() -> None:
    """A daily note is called by a day, or a day and a time, and nothing else."""
    assert is_bare_day("2026-11-30")
    assert is_bare_day("2026-11-30-09-15")
    assert not any(map(is_bare_day, ("2026-11-30-x", "2026-11-30 ", "2026-11-301", "x", "")))
