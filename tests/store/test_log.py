"""`store.log`: files that only grow."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from omoide.errors import BadInput
from omoide.store.door import Door
from omoide.store.log import FORGOTTEN, Event, Log

ZONE = ZoneInfo("Asia/Tokyo")
AT = datetime(2026, 11, 30, 9, 15, 3, 250000, tzinfo=ZONE)
MIA = "chat:w:mia"


@pytest.fixture
def log(tmp_path: Path) -> Log:
    (tmp_path / "rooms/garden-1a").mkdir(parents=True)
    return Log(Door(tmp_path), "rooms/garden-1a")


def day(tmp_path: Path, name: str = "2026-11-30") -> Path:
    return tmp_path / f"rooms/garden-1a/log/{name}.md"


def test_an_event_is_one_section(log: Log, tmp_path: Path) -> None:
    """The file is Markdown a person reads: a heading with time and speaker, the words quoted, a block id."""
    kept = log.append(Event(MIA, AT, "two\nlines", "s-1", 7), ZONE)
    assert day(tmp_path).read_text() == (
        "## 09:15 chat:w:mia (s-1#7; at 2026-11-30T09:15:03.250000+09:00)\n\n> two\n> lines\n\n^412a8ed91a\n"
    )
    assert (kept.path, kept.line, oct(day(tmp_path).stat().st_mode & 0o777)) == ("rooms/garden-1a/log/2026-11-30.md", 1, "0o600")
    assert list(log.events()) == [kept]


@pytest.mark.parametrize(
    "text",
    ["", " ", "\n", "\r", "\r\n", "a\r\n\rb\n", "> quoted", "## 10:00 x:y (s#1; at 2026-11-30T09:00:00+09:00)\n\n> no\n\n^0123456789\n", "```\nopen",
     "^4f3a91c2d0", "\u2028\x0b\x85", "髙橋さん 𠮷野家 👩‍👩‍👧‍👦", "---\ntitle: x\n---", "end\r"],
)  # fmt: skip
def test_words_come_back_byte_for_byte(log: Log, text: str) -> None:
    """Whatever is said comes back as it was said and is one event, also what looks like the file's own form."""
    log.append(Event(MIA, AT, text), ZONE)
    log.append(Event(MIA, AT, "after"), ZONE)
    assert [event.text for event in log.events()] == [text, "after"]


def test_kinds_of_events(log: Log) -> None:
    """Replies and results of tools keep what they are, the tool and the id of the call."""
    told = [
        Event(MIA, AT, "hi", "s", 1), Event("chat:w:bot", AT, "hello", "s", 2, "reply"),
        Event("chat:w:bot", AT, '{"results": []}', "s", 3, "tool", "memory_search", "call_9"),
    ]  # fmt: skip
    for event in told:
        log.append(event, ZONE)
    assert [event._replace(path="", line=0) for event in log.events()] == told


def test_what_was_written_stays(log: Log, tmp_path: Path) -> None:
    """After every further event the file begins with the bytes it had before."""
    before = b""
    for number in range(20):
        log.append(Event(MIA, AT + timedelta(seconds=number), f"message {number}"), ZONE)
        now = day(tmp_path).read_bytes()
        assert now.startswith(before)
        before = now
    assert [event.message for event in log.events()] == list(range(1, 21))


def test_the_day_is_the_owners(log: Log, tmp_path: Path) -> None:
    """An evening elsewhere is the owner's next day; the moment keeps the speaker's clock."""
    log.append(Event(MIA, datetime.fromisoformat("2026-11-29T19:53:00-00:00"), "x"), ZONE)
    assert day(tmp_path).read_text().startswith("## 04:53 chat:w:mia (2026-11-30#1; at 2026-11-29T19:53:00+00:00)")


def test_a_session_goes_on_over_midnight(log: Log) -> None:
    """Numbers count on in the next day's file, and a number of yesterday is known there."""
    log.append(Event(MIA, AT, "one", "s"), ZONE)
    assert log.append(Event(MIA, AT + timedelta(days=1), "two", "s"), ZONE).message == 2
    assert log.append(Event(MIA, AT + timedelta(days=1), "one", "s", 1), ZONE).path.endswith("2026-11-30.md")


def test_told_twice_is_kept_once(log: Log, tmp_path: Path) -> None:
    """An event sent again after a lost answer is given as it stands; another one under its number is refused, and no byte differs."""
    kept = log.append(Event(MIA, AT, "one", "s", 4), ZONE)
    before = day(tmp_path).read_bytes()
    assert log.append(Event(MIA, AT, "one", "s", 4), ZONE) == kept
    with pytest.raises(BadInput, match=r"2026-11-30\.md:1 is message 4 of session s already"):
        log.append(Event(MIA, AT, "another", "s", 4), ZONE)
    assert day(tmp_path).read_bytes() == before


@pytest.mark.parametrize("cut", range(1, 97))
def test_half_an_event_is_not_there(log: Log, tmp_path: Path, cut: int) -> None:
    """Wherever a dying process stopped, the events before it stay, the half is none, and the next one is whole."""
    log.append(Event(MIA, AT, "whole"), ZONE)
    whole = day(tmp_path).read_bytes()
    log.append(Event(MIA, AT, "half\nof one"), ZONE)
    day(tmp_path).write_bytes(day(tmp_path).read_bytes()[: len(whole) + cut])
    assert [event.text for event in log.events()] == ["whole"]
    log.append(Event(MIA, AT, "next"), ZONE)
    assert [(event.text, event.message) for event in log.events()] == [("whole", 1), ("next", 2)]
    now = day(tmp_path).read_bytes()
    assert now.startswith(whole)
    assert cut < 65 or b"half" not in now


def test_blocks_that_were_never_written(log: Log, tmp_path: Path) -> None:
    """NULs at the end, as a crash of the machine leaves them, are taken away."""
    log.append(Event(MIA, AT, "whole"), ZONE)
    with open(day(tmp_path), "ab") as file:
        file.write(b"\0" * 4096)
    log.append(Event(MIA, AT, "next"), ZONE)
    assert [event.text for event in log.events()] == ["whole", "next"]
    assert b"\0" not in day(tmp_path).read_bytes()


@pytest.mark.parametrize("hand", ["## 20:00 Dinner", "## 20:00 夕食\n\n鍋を囲んだ。", "> a quote\n", "- item ^abc123", "# Day\n\ntext\r\n"])
def test_what_a_hand_wrote_stays(log: Log, tmp_path: Path, hand: str) -> None:
    """Sections written by hand, with or without a line end, keep every byte, and are no events."""
    log.append(Event(MIA, AT, "one"), ZONE)
    before = day(tmp_path).read_bytes() + b"\n" + hand.encode()
    day(tmp_path).write_bytes(before)
    log.append(Event(MIA, AT, "two"), ZONE)
    assert day(tmp_path).read_bytes().startswith(before)
    events = list(log.events())
    assert [event.text for event in events] == ["one", "two"]
    assert day(tmp_path).read_bytes().splitlines()[events[1].line - 1].startswith(b"## 09:15 chat:w:mia")


@pytest.mark.parametrize(
    ("change", "said"),
    [({"text": "a\0b"}, "NUL"), ({"text": "\ud800"}, "half a letter"), ({"session": "a b"}, "session"), ({"session": "a#b"}, "session"),
     ({"by": "x y"}, "by"), ({"message": -1}, "number"), ({"role": "god"}, "role"), ({"role": "tool"}, "tool"), ({"tool": "x"}, "tool"),
     ({"role": "reply", "call": "a;b"}, "call"), ({"at": datetime(2026, 1, 1)}, "zone")],
)  # fmt: skip
def test_what_cannot_be_kept(log: Log, tmp_path: Path, change: dict[str, object], said: str) -> None:
    """An event that could not be read again is refused with a sentence, and nothing is written."""
    with pytest.raises(BadInput, match=said):
        log.append(Event(MIA, AT, "x")._replace(**change), ZONE)  # type: ignore[arg-type]
    assert not day(tmp_path).exists()


def test_forgotten_words_are_gone(log: Log, tmp_path: Path) -> None:
    """A forgotten event keeps its time and number, not its words and its speaker; every other byte stays."""
    for text in ("one", "two", "three"):
        log.append(Event(MIA, AT, text, "s"), ZONE)
    before = day(tmp_path).read_bytes()
    assert log.forget(lambda event: event.text == "two") == ["rooms/garden-1a/log/2026-11-30.md"]
    events = list(log.events())
    assert [(event.text, event.message, event.at) for event in events] == [("one", 1, AT), ("", 2, AT), ("three", 3, AT)]
    assert (events[1].by, events[1].role) == ("-", FORGOTTEN)
    now = day(tmp_path).read_bytes()
    assert b"two" not in now
    assert len(set(before.splitlines()) - set(now.splitlines())) == 2
    assert log.forget(lambda event: True) == ["rooms/garden-1a/log/2026-11-30.md"]
    assert MIA.encode() not in day(tmp_path).read_bytes()
    assert log.forget(lambda event: True) == []
    assert log.erase() == ["rooms/garden-1a/log/2026-11-30.md"]
    assert not day(tmp_path).exists()


def test_an_odd_event_by_hand_stops_nothing(log: Log, tmp_path: Path) -> None:
    """A time that no calendar has is passed over; the others are read."""
    log.append(Event(MIA, AT, "one"), ZONE)
    log.append(Event(MIA, AT, "two"), ZONE)
    day(tmp_path).write_bytes(day(tmp_path).read_bytes().replace(b"2026-11-30T", b"2026-99-30T", 1))
    assert [event.text for event in log.events()] == ["two"]


def test_forgetting_reaches_what_has_no_end(log: Log, tmp_path: Path) -> None:
    """Half an event, at the end or with a note behind it, loses its words too; the note stays."""
    log.append(Event(MIA, AT, "secret\nwords", "s"), ZONE)
    half = day(tmp_path).read_bytes()[:-14]
    day(tmp_path).write_bytes(half + b"\n\n## Note\n\nstays\n\n" + half)
    assert log.forget(lambda event: "secret" in event.text) == ["rooms/garden-1a/log/2026-11-30.md"]
    assert day(tmp_path).read_bytes().strip() == b"## Note\n\nstays"
