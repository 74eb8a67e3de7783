"""The history folded into what is known."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from omoide.memory.known import Detail, Known, details, newest_only, undone
from omoide.store.facts import Fact
from omoide.text.when import FOREVER

TOLD = {"telling": {"by": "a:b:c", "room": "a:b:r", "at": "2026-03-02T10:00:00+00:00"}}
AT = datetime(2026, 6, 1, tzinfo=UTC)


def records(*rows: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [(str(number), {"f": row}) for number, row in enumerate(rows)]


def test_what_was_undone_counts_no_more() -> None:
    """An undo takes back what a change kept of a fact; an undo of the undo brings it again."""
    rows = [{"because": "a"}, {"because": "b"}, {"undoes": "1"}, {"undoes": "2"}]
    assert [details(records(*rows[:count]))["f"].because for count in range(1, 5)] == ["a", "b", "a", "b"]
    assert undone(records(*rows)) == {("2", "f")}


def test_a_telling_that_was_taken_back_keeps_its_number() -> None:
    """It lets nobody hear, but the others are counted as the history counts them."""
    found = details(records(TOLD, TOLD, {"undoes": "0"}))["f"].tellings
    assert [one.by for one in found] == ["", "a:b:c"]


def known(text: str, month: int, **meta: str) -> Known:
    starts = datetime(2026, month, 1, tzinfo=UTC)
    return Known(Fact(text, text, meta), "p/card.md", "p", Detail(), starts, FOREVER)


def test_of_some_kinds_only_the_newest_counts() -> None:
    """What was claimed, wrong or not begun takes no place; other kinds and lines without one stay."""
    facts = [known("a", 1, kind="k"), known("b", 3, kind="k"), known("c", 9, kind="k"), known("d", 4, kind="k", pending=""),
             known("e", 5, kind="k", wrong=""), known("f", 1, kind="other"), known("g", 1)]  # fmt: skip
    assert [one.fact.text for one in newest_only(facts, ("k",), AT)] == ["b", "c", "d", "e", "f", "g"]
    assert newest_only(facts, (), AT) == facts
