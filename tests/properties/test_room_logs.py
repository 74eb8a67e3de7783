"""The log of a room under any sequence of events: what stands in it stays, byte for byte."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.errors import BadInput
from omoide.store.door import Door
from omoide.store.log import Event, Log

AT = datetime(2026, 11, 30, 22, tzinfo=UTC)
FOLDER = "rooms/garden-1a"

TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=40),
    st.sampled_from(
        ["> quoted", "## 22:00 a:b:c (s#1; at 2026-11-30T22:00:00+00:00)\n\n> x\n\n^0123456789\n", "## 3 events dropped", "^0123456789\n"]
    ),
)
EVENTS = st.builds(
    lambda by, minutes, text, session, message, role: Event(
        by, AT + timedelta(minutes=minutes), text, session, message, role, "grep" if role == "tool" else "", "c1" if role == "tool" else ""
    ),
    st.sampled_from(["a:b:ann", "a:b:健"]), st.integers(0, 300), TEXTS, st.sampled_from(["s", "t"]), st.none() | st.integers(0, 6),
    st.sampled_from(["user", "reply", "tool"]),
)  # fmt: skip


def files(home: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (home / FOLDER).rglob("*.md")}


@given(st.lists(EVENTS, max_size=12))
def test_trj_01_append_only(events: list[Event]) -> None:
    """After each event, kept, told again or refused, every file begins with what it was; all kept ones come back as they were told."""
    with TemporaryDirectory() as home:
        log, before, kept = Log(Door(Path(home)), FOLDER), {}, []
        for event in events:
            try:
                told = log.append(event, UTC)
            except BadInput:
                assert files(Path(home)) == before
                continue
            now = files(Path(home))
            assert all(now[name].startswith(data) for name, data in before.items())
            kept += [told] if now != before else []
            before = now
            with pytest.raises(BadInput, match="never changed"):
                log.append(told._replace(text=told.text + "!"), UTC)
            assert log.append(told, UTC) == told
            assert files(Path(home)) == before
        assert sorted(log.events(), key=str) == sorted(kept, key=str)


@given(st.lists(EVENTS, max_size=12), st.integers(-10, 310))
def test_trj_03_what_is_dropped_and_what_stays(events: list[Event], minutes: int) -> None:
    """Dropped are exactly the events before the moment, whatever their words look like; the others come back word for word."""
    with TemporaryDirectory() as home:
        log = Log(Door(Path(home)), FOLDER)
        for number, event in enumerate(events):
            log.append(event._replace(message=number), UTC)
        told = list(log.events())
        before = AT + timedelta(minutes=minutes)
        due = log.due(before + timedelta(days=5), 5, UTC)
        entries = log.drop(before + timedelta(days=5), 5, UTC)
        left = [event._replace(path="", line=0) for event in log.events()]
        assert left == [event._replace(path="", line=0) for event in told if event.at >= before]
        assert due == sum(entry.events for entry in entries) == len(told) - len(left)
        gone = {(event.session, event.message) for event in told if event.at < before}
        assert {
            (event.session, event.message) for event in told if any(entry.has(event.session, event.message) for entry in log.dropped())
        } == gone
