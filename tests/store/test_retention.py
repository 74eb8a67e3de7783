"""`store.retention` and `Log.drop`: old events leave a log, wholly, and an entry says so."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.errors import BadInput
from omoide.store.door import Door
from omoide.store.log import Event, Log
from omoide.store.retention import Number, dropped, dropped_in, written

ZONE = ZoneInfo("Asia/Tokyo")
AT = datetime(2026, 11, 30, 9, 15, tzinfo=ZONE)
MIA = "chat:w:mia"
FOLDER = "rooms/garden-1a"


@pytest.fixture
def log(tmp_path: Path) -> Log:
    (tmp_path / FOLDER).mkdir(parents=True)
    return Log(Door(tmp_path), FOLDER)


def day(log: Log, name: str = "2026-11-30") -> Path:
    return log.door.root / FOLDER / f"log/{name}.md"


def fill(log: Log, *texts: str, at: datetime = AT, session: str = "s") -> list[Event]:
    return [log.append(Event(MIA, at + timedelta(minutes=number), text, session), ZONE) for number, text in enumerate(texts)]


def test_old_events_go_and_an_entry_stays(log: Log) -> None:
    """Words, speakers, tools and calls leave the file; what was dropped, when, how many and under which rule stands there instead."""
    fill(log, "one zebra", "two\nlines")
    log.append(Event("chat:w:bot", AT, "{}", "t", 4, "tool", "grep", "call_9"), ZONE)
    entries = log.drop(AT + timedelta(days=31), 30, ZONE)
    assert day(log).read_text() == (
        "## 3 events dropped (at 2026-12-31T09:15:00+09:00)\n\n"
        "Older than 30 days; said 2026-11-30T09:15:00+09:00 to 2026-11-30T09:16:00+09:00.\n\n- s: 1-2\n- t: 4\n"
    )
    assert list(log.events()) == []
    assert list(log.dropped()) == entries
    assert entries[0].text == "3 events dropped, older than 30 days: s: 1-2; t: 4"


def test_what_is_younger_stays_byte_for_byte(log: Log) -> None:
    """Events that are not older by a moment keep their bytes; a second run changes nothing."""
    fill(log, "old", "young")
    young = day(log).read_bytes().partition(b"^")[2].partition(b"\n\n")[2]
    now = AT + timedelta(days=30, seconds=1)
    assert [one.events for one in log.drop(now, 30, ZONE)] == [1]
    after = day(log).read_bytes()
    assert after.startswith(young)
    assert [event.text for event in log.events()] == ["young"]
    assert log.drop(now, 30, ZONE) == []
    assert log.due(now, 30, ZONE) == 0
    assert day(log).read_bytes() == after
    assert [one.events for one in log.drop(now + timedelta(minutes=1), 30, ZONE)] == [1]
    assert [one.numbers for one in log.dropped()] == [(("s", ((1, 1),)),), (("s", ((2, 2),)),)]


@pytest.mark.parametrize(
    "hand",
    [
        b"# Day\r\n\r\ntext\r\n",
        b"## 20:00 Dinner (session s; at 2026-11-30T20:00:00+09:00)\n\nstew",
        b"> a quote\n",
        b"- item ^abc123\n\n\n",
        b"no end",
    ],
)
def test_what_is_no_event_stays(log: Log, hand: bytes) -> None:
    """Notes by hand and summaries, before, between and behind events, keep every byte."""
    day(log).parent.mkdir()
    day(log).write_bytes(hand)
    fill(log, "one", "two")
    with open(day(log), "ab") as file:
        file.write(b"\n" + hand)
    fill(log, "three")
    log.drop(AT + timedelta(days=9), 1, ZONE)
    left = day(log).read_bytes()
    assert left.count(hand) == 2
    assert MIA.encode() not in left
    assert b"dropped" in left


@pytest.mark.parametrize("cut", [0, 1, 30, 64, 70, 78, 84])
def test_what_has_no_end_goes_too(log: Log, cut: int) -> None:
    """Half an event at the end, or with something written behind it, and one whose time a hand broke: their words are words."""
    fill(log, "secret one")
    whole = day(log).read_bytes()
    fill(log, "secret two")
    day(log).write_bytes(
        day(log).read_bytes()[: len(whole) + cut] + b"\n\n## Note\n\nstays\n" + whole.replace(b"2026-11-30T", b"2026-99-30T")
    )
    log.drop(AT + timedelta(days=9), 1, ZONE)
    left = day(log).read_bytes()
    assert b"secret" not in left
    assert b"## Note\n\nstays\n" in left
    fill(log, "secret three")
    day(log).write_bytes(day(log).read_bytes()[:-20])
    log.drop(AT + timedelta(days=9), 1, ZONE)
    assert b"secret" not in day(log).read_bytes()


def test_a_number_is_never_given_twice(log: Log) -> None:
    """A session goes on counting behind what was dropped, and a dropped message that is sent again is refused."""
    fill(log, "one", "two")
    log.drop(AT + timedelta(days=9), 1, ZONE)
    with pytest.raises(BadInput, match=r"2026-11-30\.md:1: message 2 of session s was there and is dropped"):
        log.append(Event(MIA, AT, "two", "s", 2), ZONE)
    assert log.append(Event(MIA, AT + timedelta(days=10), "three", "s"), ZONE).message == 3


@given(
    st.lists(st.tuples(st.sampled_from(["a", "b:c", "2026-11-30"]), st.integers(0, 30), st.integers(0, 10**6)), min_size=1),
    st.integers(1, 10**5),
)
def test_the_entry_is_read_as_it_was_written(rows: list[tuple[str, int, int]], days: int) -> None:
    """It holds exactly the numbers that were dropped, of each session, and no others."""
    gone = [Number(session, message, AT + timedelta(seconds=seconds)) for session, message, seconds in rows]
    entry = dropped(gone, AT.astimezone(UTC), days)
    (found,) = dropped_in(b"text\n\n" + written(entry), "x.md")
    assert found == entry._replace(path="x.md", line=3)
    for session in ("a", "b:c", "2026-11-30"):
        assert {message for message in range(40) if found.has(session, message)} == {one.message for one in gone if one.session == session}
        assert found.last_of(session) == max((one.message for one in gone if one.session == session), default=0)


def test_an_entry_broken_by_hand_is_passed_over() -> None:
    """A time that is none, or numbers that are none, make it text."""
    entry = written(dropped([Number("s", 1, AT)], AT, 3))
    assert list(dropped_in(entry.replace(b"2026-11", b"2026-99"), "x.md")) == []
    assert list(dropped_in(entry.replace(b"s: 1", b"s: 1-2-3, ,"), "x.md")) == []
