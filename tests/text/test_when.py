"""`period` and `written`: dates of four precisions, at the edges of calendars and clocks."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.text.when import BEGINNING, FOREVER, Period, period, written

TOKYO = ZoneInfo("Asia/Tokyo")
ZONES = ["UTC", "Asia/Tokyo", "America/New_York", "America/Sao_Paulo", "America/Havana", "Africa/Cairo", "Pacific/Apia", "Asia/Kathmandu", "Asia/Beirut"]


@pytest.mark.parametrize(
    ("text", "first", "after", "precision"),
    [
        ("2026", "2026-01-01T00:00:00+09:00", "2027-01-01T00:00:00+09:00", "year"),
        ("2026-02", "2026-02-01T00:00:00+09:00", "2026-03-01T00:00:00+09:00", "month"),
        ("2026-12", "2026-12-01T00:00:00+09:00", "2027-01-01T00:00:00+09:00", "month"),
        ("2024-02-29", "2024-02-29T00:00:00+09:00", "2024-03-01T00:00:00+09:00", "day"),
        ("2026-12-31", "2026-12-31T00:00:00+09:00", "2027-01-01T00:00:00+09:00", "day"),
    ],
)
def test_a_date_is_its_whole_period(text: str, first: str, after: str, precision: str) -> None:
    """Years, months and days are half-open spans in the zone."""
    assert period(text, TOKYO) == Period(datetime.fromisoformat(first), datetime.fromisoformat(after), precision)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-03-31T09:00:00+09:00", "2026-03-31T00:00:00+00:00"),
        ("2026-03-31t09:00:00z", "2026-03-31T09:00:00+00:00"),
        ("2026-03-31 09:00:00.25-03:30", "2026-03-31T12:30:00.250000+00:00"),
        ("2026-03-31T09:00+09:00", "2026-03-31T00:00:00+00:00"),
        ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00+00:00"),  # a leap second
    ],
)
def test_a_time_is_read_in_its_own_offset(text: str, moment: str) -> None:
    """The zone of the reader does not count for a time."""
    value = period(text, ZoneInfo("America/Lima"))
    assert value.first == value.after == datetime.fromisoformat(moment)
    assert value.precision == "instant"


@pytest.mark.parametrize(
    "text",
    ["", "26", "2026-3", "2026-13", "2026-00", "2026-02-30", "2026-02-29", "2026-04-31", "0000", "0000-01-01", "２０２６", "2026-03-31T09:00:00",
     "2026-03-31T24:00:00Z", "2026-03-31T09:60:00Z", "2026-03-31T09:00:00+25:00", "2026-03-31T", "2026-03-31 ", " 2026", "2026\n", "2026-W10",
     "20260331", "tomorrow", "0001-01-01T00:00:00+09:00", "9999-12-31T23:59:59-05:00", "9999-12-31T23:59:60Z"],
)  # fmt: skip
def test_what_is_no_date_is_refused_with_a_sentence(text: str) -> None:
    """Other forms, missing days and missing offsets raise ValueError."""
    with pytest.raises(ValueError, match=r"[a-z]+ [a-z]+"):
        period(text, TOKYO)


def test_a_day_begins_when_its_clocks_begin() -> None:
    """Midnight of 2018-11-04 was skipped in São Paulo; in Havana 2018-11-04 had two."""
    assert period("2018-11-04", ZoneInfo("America/Sao_Paulo")).first == datetime(2018, 11, 4, 3, tzinfo=UTC)
    assert period("2018-11-03", ZoneInfo("America/Sao_Paulo")).after == datetime(2018, 11, 4, 3, tzinfo=UTC)
    havana = period("2018-11-04", ZoneInfo("America/Havana"))
    assert havana.after - havana.first == timedelta(hours=25)
    assert period("2026-03-08", ZoneInfo("America/New_York")).after - period("2026-03-08", ZoneInfo("America/New_York")).first == timedelta(hours=23)


def test_a_day_that_the_clocks_skipped_is_refused() -> None:
    """Samoa had no 30 December 2011, but a December."""
    with pytest.raises(ValueError, match="skipped"):
        period("2011-12-30", ZoneInfo("Pacific/Apia"))
    assert period("2011-12", ZoneInfo("Pacific/Apia")).precision == "month"


@pytest.mark.parametrize("zone", [ZoneInfo("Asia/Tokyo"), ZoneInfo("America/Lima"), timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))], ids=str)
@pytest.mark.parametrize("text", ["0001", "0001-01", "0001-01-01", "9999", "9999-12", "9999-12-31"])
def test_the_ends_of_the_calendar(text: str, zone: ZoneInfo | timezone) -> None:
    """The first and last year, month and day can be compared, converted and written."""
    value = period(text, zone)
    assert BEGINNING <= value.first < value.after <= FOREVER
    assert written(value) == text
    assert value.first.astimezone(UTC) <= value.after.astimezone(UTC)


DATES = st.dates(min_value=date(1900, 1, 1), max_value=date(2100, 12, 30))


@given(day=DATES, length=st.sampled_from([4, 7, 10]), zone=st.sampled_from(ZONES))
def test_written_is_the_way_back(day: date, length: int, zone: str) -> None:
    """`period(written(p), zone) == p`."""
    text = day.isoformat()[:length]
    if (text, zone) == ("2011-12-30", "Pacific/Apia"):
        return
    value = period(text, ZoneInfo(zone))
    assert written(value) == text
    assert period(written(value), ZoneInfo(zone)) == value
    assert BEGINNING < value.first < value.after < FOREVER


@given(day=DATES, zone=st.sampled_from(ZONES))
def test_days_follow_each_other_without_a_gap(day: date, zone: str) -> None:
    """One day ends where the next begins, also where clocks are changed."""
    following = day + timedelta(days=1)
    if zone == "Pacific/Apia" and "2011-12-30" in (str(day), str(following)):
        return
    assert period(str(day), ZoneInfo(zone)).after == period(str(following), ZoneInfo(zone)).first


@given(st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9998, 1, 1)), st.integers(-14 * 60, 14 * 60))
def test_an_instant_comes_back(clock: datetime, minutes: int) -> None:
    """An instant is written without loss."""
    moment = clock.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    value = Period(moment, moment, "instant")
    assert period(written(value), TOKYO) == value
    assert BEGINNING < value.first < FOREVER


def test_a_local_mean_time_is_written_in_utc() -> None:
    """An offset with seconds cannot be written, so the instant is."""
    moment = datetime(1880, 1, 1, tzinfo=TOKYO)  # +09:18:59
    assert period(written(Period(moment, moment, "instant")), UTC).first == moment.astimezone(UTC)


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Nothing but ValueError is raised."""
    try:
        value = period(text, TOKYO)
    except ValueError:
        return
    assert period(written(value), TOKYO) == value
