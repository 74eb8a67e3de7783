"""Entries of a daily log, on disk."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from omoide.errors import BadInput, StoreFailed
from omoide.store.daily import DailyEntry, append
from omoide.store.door import Door
from omoide.text.chunking import chunk

AT = datetime(2026, 11, 30, 5, 20, 5, tzinfo=UTC)
TOKYO = timezone(timedelta(hours=9))


SUMMARY = {"session": ("s-41",)}


def test_what_stands_there(tmp_path: Path) -> None:
    """One section an entry, in the owner's zone, with the exact moment and its marks in one parenthesis."""
    (tmp_path / "memory").mkdir()
    day = tmp_path / "memory/2026-11-30.md"
    day.write_bytes(b"# By hand\r\nno end")
    entry = DailyEntry(AT, "They are kept.", "Sketches", {"about": ("ana", "tokyo"), **SUMMARY}, failed=True)
    assert append(Door(tmp_path), "memory", entry, TOKYO) == ("memory/2026-11-30.md", 4, True)
    assert append(Door(tmp_path), "memory", DailyEntry(AT, "two\r\nlines\n"), TOKYO).line == 8
    assert day.read_bytes() == (
        b"# By hand\r\nno end\n\n## 14:20 Sketches (about ana, tokyo; session s-41; at 2026-11-30T14:20:05+09:00; nothing found)\n\n"
        b"They are kept.\n\n## 14:20 (at 2026-11-30T14:20:05+09:00)\n\ntwo\nlines\n"
    )


def test_a_summary_is_added_once(tmp_path: Path) -> None:
    """The same words, title and conversation told again are where they stand, also after midnight; anything else is another entry."""
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/2026-11-30.md").write_bytes(b"one\ntwo\nthree\n")
    door, late = Door(tmp_path), AT + timedelta(hours=12)
    entry = DailyEntry(AT, "They are kept.\n\n## so", "Sketches (kept)", SUMMARY)
    assert append(door, "memory", entry, TOKYO) == ("memory/2026-11-30.md", 5, True)
    for again in (entry, entry._replace(at=AT + timedelta(minutes=9)), entry._replace(at=late, text="They are kept.\r\n\r\n## so\r\n")):
        assert append(door, "memory", again, TOKYO) == ("memory/2026-11-30.md", 5, False)
    for other in ({"text": "They are kept."}, {"title": "Sketches"}, {"marks": {"session": ("s-42",)}}, {"failed": True}, {"marks": {}}, {"marks": {}}):
        assert append(door, "memory", entry._replace(**other), TOKYO).added  # type: ignore[arg-type]
    text = (tmp_path / "memory/2026-11-30.md").read_text("utf-8")
    assert text.startswith("one\ntwo\nthree\n\n## 14:20 Sketches (kept) (session s-41; at ")
    assert text.count("\n## ") == 7
    assert not (tmp_path / "memory/2026-12-01.md").exists()


@pytest.mark.parametrize(
    ("at", "zone", "day", "clock"),
    [("2026-04-11T19:53:00+00:00", "Asia/Tokyo", "2026-04-12", "04:53"), ("2026-04-11T19:53:00+00:00", "America/Los_Angeles", "2026-04-11", "12:53"),
     ("2026-03-08T01:59:59-08:00", "America/Los_Angeles", "2026-03-08", "01:59"), ("2026-03-08T10:00:00+00:00", "America/Los_Angeles", "2026-03-08", "03:00"),
     ("2026-11-01T08:30:00+00:00", "America/Los_Angeles", "2026-11-01", "01:30"), ("2026-11-01T09:30:00+00:00", "America/Los_Angeles", "2026-11-01", "01:30"),
     ("2026-04-11T14:59:59.999999+00:00", "Asia/Tokyo", "2026-04-11", "23:59"), ("2026-04-11T15:01:00+00:00", "Asia/Tokyo", "2026-04-12", "00:01")],
)  # fmt: skip
def test_the_day_is_the_owners(tmp_path: Path, at: str, zone: str, day: str, clock: str) -> None:
    """An entry stands in the file of its day where the owner is, also around midnight and when clocks change, with its moment exact."""
    moment = datetime.fromisoformat(at)
    path = append(Door(tmp_path), "memory", DailyEntry(moment, "tea"), ZoneInfo(zone)).path
    heading = (tmp_path / path).read_text("utf-8").partition("\n")[0]
    assert (path, heading[:8]) == (f"memory/{day}.md", f"## {clock}")
    assert datetime.fromisoformat(heading.partition("(at ")[2].rstrip(")")) == moment


@pytest.mark.parametrize(
    "before",
    [b"", b"one\r\ntwo\r\n", b"one\rtwo\r", b"no end", b"\xef\xbb\xbf# day\n", b"a\n\n\n", "手で書いた".encode(), b"- item\n  ```\n  open in an item\n",
     b"```\nopen", b"~~~~\n```\n~~~\n", b"```python\n```\n", b"- a\n\n    indented\n", b"---\ntitle: x\n---\n", b"Title\n"],
)  # fmt: skip
def test_what_stood_there_stays(tmp_path: Path, before: bytes) -> None:
    """Byte for byte, whatever its line ends and encoding marks; the new entry is a section of its own, at the line that is told."""
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/2026-11-30.md").write_bytes(before)
    placed = append(Door(tmp_path), "memory", DailyEntry(AT, "tea"), UTC)
    data = (tmp_path / "memory/2026-11-30.md").read_bytes()
    assert data.startswith(before)
    last = chunk(data.decode("utf-8-sig"), style="log")[-1]
    assert (last.first, last.text) == (placed.line, "## 05:20 (at 2026-11-30T05:20:05+00:00)\n\ntea")


@pytest.mark.parametrize(("before", "kept"), [(b"one\n\0\0\0", b"one\n"), (b"\0" * 5, b""), ("一\n二".encode()[:-1], "一\n".encode())])
def test_what_a_lost_power_left_goes(tmp_path: Path, before: bytes, kept: bytes) -> None:
    """NULs and half a letter at the end would make the whole day unreadable once something stands behind them."""
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/2026-11-30.md").write_bytes(before)
    append(Door(tmp_path), "memory", DailyEntry(AT, "tea"), UTC)
    data = (tmp_path / "memory/2026-11-30.md").read_bytes()
    assert data.startswith(kept)
    assert b"\0" not in data
    assert data.decode().endswith("tea\n")


@pytest.mark.parametrize(("before", "said"), [("## 朝\n".encode("utf-16"), "UTF-8"), ("朝の散歩をした".encode("cp932"), "UTF-8"), (b"a\0b\n", "NUL")])
def test_a_file_in_another_encoding(tmp_path: Path, before: bytes, said: str) -> None:
    """Nothing is added to it: two encodings in one file are none."""
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/2026-11-30.md").write_bytes(before)
    with pytest.raises(StoreFailed, match=said):
        append(Door(tmp_path), "memory", DailyEntry(AT, "tea"), UTC)
    assert (tmp_path / "memory/2026-11-30.md").read_bytes() == before


@settings(deadline=None)
@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1).filter(str.strip), min_size=1, max_size=4))
def test_every_entry_is_one_section(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    """Whatever its words are: headings and fences in them begin no other entry and swallow none. Nothing before changes."""
    home = tmp_path_factory.mktemp("home")
    before = b""
    for text in ["```\nopen", "## no heading", *texts]:
        append(Door(home), "memory", DailyEntry(AT, text), UTC)
        now = (home / "memory/2026-11-30.md").read_bytes()
        assert now.startswith(before)
        before = now
    pieces = chunk(before.decode(), style="log", max_tokens=1 << 60)
    assert len(pieces) == len(texts) + 2


@pytest.mark.parametrize(
    ("entry", "said"),
    [(DailyEntry(AT, " \n\u3000\u200b"), "without words"), (DailyEntry(AT, "a\0b"), "NUL"), (DailyEntry(AT, "a\ud800"), "half a letter"), (DailyEntry(AT, "a", "b\nc"), "one line"),
     (DailyEntry(datetime(2026, 1, 1), "a"), "zone"), (DailyEntry(datetime(1, 1, 1, tzinfo=UTC), "a"), "calendar")],
)  # fmt: skip
def test_what_no_log_holds(tmp_path: Path, entry: DailyEntry, said: str) -> None:
    """It is refused by name, and nothing is written."""
    with pytest.raises(BadInput, match=said):
        append(Door(tmp_path), "memory", entry, UTC)
    assert list(tmp_path.iterdir()) == []
