"""Lines of history: exact whatever the bytes, small where little changed, and sure of themselves."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.errors import BadInput
from omoide.store import history
from omoide.store.history import Edit, Record

AT = datetime(2026, 11, 30, 8, 27, 1, 123456, UTC)

pieces = st.lists(st.sampled_from([b"a\n", b"b\r\n", b"c\r", "健\n".encode(), b"\xff\n", b"\xef\xbb\xbf", b"", b"\n", b"end"]), max_size=8)
contents = st.none() | pieces.map(b"".join) | st.binary(max_size=40)
words = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


def record(*edits: Edit, number: int = 0, facts: object = None, **other: object) -> Record:
    """A record of these edits."""
    usual = {"id": f"{number:04}", "at": AT, "subject": "people/x", "verb": "v", "reason": "", "source": "", "facts": facts or {}}
    return Record(**(usual | other), edits=edits)  # type: ignore[arg-type]


@given(st.lists(st.tuples(st.sampled_from(["a.md", "b/c.md"]), contents, contents, st.booleans()), max_size=8), words)
def test_whatever_is_written_is_read_back(changes: list[tuple[str, bytes | None, bytes | None, bool]], word: str) -> None:
    """Records of any bytes are read back equal, whether an edit begins where the one before ended or not."""
    now: dict[str, bytes | None] = {}
    known: dict[str, str] = {}
    records, lines = [], []
    for number, (path, before, after, chained) in enumerate(changes):
        edit = Edit(path, now.get(path) if chained else before, after)
        records.append(record(edit, number=number, facts={"k7": {word: [word, None, 1.5, True]}}, reason=word))
        lines.append(history.line_of(records[-1], known))
        now[path], known[path] = after, history.digest(after)
        assert b"\n" not in lines[-1]
        assert not history.finished(lines[-1])
    done = [line.replace(b'{"done":"?"', b'{"done":"y"', 1) for line in lines]
    assert list(history.replayed(done)) == records
    assert history.rewritten(records) == done
    assert all(map(history.finished, done))
    assert history.ended_with(done, ["a.md", "b/c.md"]) == known


def test_one_changed_line_is_one_line() -> None:
    """A change of one fact keeps that line only, to be read by the eye."""
    before = "".join(f"- 事実 {number}\n" for number in range(1000)).encode()
    after = before.replace("- 事実 500\n".encode(), b"- fact 500\r\n")
    row = json.loads(history.line_of(record(Edit("a.md", before, after)), {"a.md": history.digest(before)}))
    (edit,) = row["edits"]
    assert edit.pop("at") == before.index("- 事実 500".encode())
    assert edit == {"path": "a.md", "was": history.digest(before), "now": history.digest(after),
                    "cut": "- 事実 500\n", "put": "- fact 500\r\n"}  # fmt: skip


def test_the_first_line_of_a_file_keeps_it_whole() -> None:
    """Where the history does not end with the bytes before, they are in the line; bytes that are no UTF-8 are marked."""
    for known in ({}, {"a.md": history.digest(b"other")}):
        (edit,) = json.loads(history.line_of(record(Edit("a.md", b"\xff", b"x")), known))["edits"]
        assert edit["before"] == {"base64": "/w=="}
        assert edit["put"] == "x"


def test_ids_sort_by_time() -> None:
    """An id begins with its moment in UTC, and two of one moment differ."""
    tokyo = timezone(timedelta(hours=9))
    assert history.new_id(AT.astimezone(tokyo)).startswith("20261130T082701.123456Z-")
    assert history.new_id(AT) < history.new_id(AT + timedelta(microseconds=1))
    assert len({history.new_id(AT) for _ in range(1000)}) == 1000
    with pytest.raises(BadInput, match="zone"):
        history.new_id(AT.replace(tzinfo=None))


@pytest.mark.parametrize("other", [
    {"id": ""}, {"id": "a b"}, {"id": "x" * 81}, {"at": AT.replace(tzinfo=None)}, {"facts": {"k": {"a": {1}}}}, {"facts": {"k": 1}},
    {"facts": {"k": {"a": float("nan")}}}, {"reason": "\ud800"},
])  # fmt: skip
def test_what_cannot_be_written_down_is_refused(other: dict[str, object]) -> None:
    """An odd id, a moment without a zone, facts that are not plain JSON: a sentence."""
    with pytest.raises(BadInput):
        history.line_of(record(**other), {})


def test_damage_is_noticed() -> None:
    """A line that was changed or lost by hand is named; no wrong bytes are ever given."""
    first, second = (
        history.line_of(record(Edit("a.md", before, after)), known)
        for before, after, known in ((None, b"a\n", {}), (b"a\n", b"b\n", {"a.md": history.digest(b"a\n")}))
    )
    assert len(list(history.replayed([first, second]))) == 2
    for lines in ([second], [first.replace(b'"a\\n"', b'"c\\n"'), second], [first, b"{}"], [first, b"[]"], [first, b"\xff"], [first, b""]):
        with pytest.raises(ValueError, match=f"line {len(lines) if first in lines else 1}:"):
            list(history.replayed(lines))


@pytest.mark.parametrize("line", [b"", b"{}", b'{"done":"', b'{"done":"y', b"null", b'{"done":1}', b"\xff" * 20])
def test_a_line_that_cannot_be_read_waits_for_nothing(line: bytes) -> None:
    """Damage is not taken for a change that has still to be carried out."""
    assert history.finished(line)
    with pytest.raises(ValueError, match=r"."):
        history.parsed(line)
