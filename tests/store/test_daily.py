"""Entries of a daily log, on disk."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from omoide.errors import BadInput
from omoide.store.daily import DailyEntry, append
from omoide.store.door import Door
from omoide.text.chunking import chunk

AT = datetime(2026, 11, 30, 5, 20, 5, tzinfo=UTC)
TOKYO = timezone(timedelta(hours=9))


def test_what_stands_there(tmp_path: Path) -> None:
    """One section an entry, in the owner's zone; with a session the exact moment stands with it."""
    (tmp_path / "memory").mkdir()
    day = tmp_path / "memory/2026-11-30.md"
    day.write_bytes(b"# By hand\r\nno end")
    assert append(Door(tmp_path), "memory", DailyEntry(AT, "They are kept.", "Sketches", "s-41", failed=True), TOKYO) == ("memory/2026-11-30.md", 4)
    assert append(Door(tmp_path), "memory", DailyEntry(AT, "two\r\nlines\n"), TOKYO)[1] == 8
    assert day.read_bytes() == (
        b"# By hand\r\nno end\n\n## 14:20 Sketches (session s-41; at 2026-11-30T05:20:05+00:00; nothing found)\n\nThey are kept.\n"
        b"\n## 14:20\n\ntwo\nlines\n"
    )


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
    [(DailyEntry(AT, " \n"), "without words"), (DailyEntry(AT, "a\0b"), "NUL"), (DailyEntry(AT, "a\ud800"), "half a letter"), (DailyEntry(AT, "a", "b\nc"), "one line"),
     (DailyEntry(AT, "a", session="s 1"), "session"), (DailyEntry(datetime(2026, 1, 1), "a"), "zone")],
)  # fmt: skip
def test_what_no_log_holds(tmp_path: Path, entry: DailyEntry, said: str) -> None:
    """It is refused by name, and nothing is written."""
    with pytest.raises(BadInput, match=said):
        append(Door(tmp_path), "memory", entry, UTC)
    assert list(tmp_path.iterdir()) == []
