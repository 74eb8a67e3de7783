"""Marks in the heading of an entry."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.errors import BadInput
from omoide.text.marks import ASKED, checked, forms, marks_of, moment, shown, words_with, written

AT = datetime(2026, 11, 30, 5, 20, 5, 250_000, tzinfo=UTC)


@pytest.mark.parametrize(
    ("heading", "bare", "marks"),
    [("## 14:20 Booked (about ana, 東京、羽田; mood glad; task t-12)", "## 14:20 Booked", {"about": ("ana", "東京", "羽田"), "mood": ("glad",), "task": ("t-12",)}),
     ("### 9:05 Tea (nothing found; at 2026-11-30T14:20)", "### 9:05 Tea", {"nothing found": (), "at": ("2026-11-30T14:20",)}),
     ("## 09:15 chat:w:ann (s-41#7; at 2026-11-30T09:15:03+09:00; reply; tool get)", "## 09:15 chat:w:ann",
      {"session": ("s-41",), "message": ("s-41#7",), "at": ("2026-11-30T09:15:03+09:00",), "reply": (), "tool": ("get",)})],
)  # fmt: skip
def test_what_a_heading_says(heading: str, bare: str, marks: dict[str, tuple[str, ...]]) -> None:
    """Known keys in any order, written by the program or by hand; of a room's event its session, too."""
    assert marks_of(heading) == (bare, marks)


@pytest.mark.parametrize(
    "heading",
    ["## Trip (about ana; or so)", "## Trip (at the office)", "## Trip (at 2026-11-30)", "## Trip (mood)", "## Trip (mood glad; mood sad)", "## Trip (about ,)",
     "## Trip (about ana) and back", "## Trip (session with Ken)", "Trip (about ana)", "## Trip (reply)", "## Trip (tool box)", "## (about ana", "## Trip ()", "## Trip"],
)  # fmt: skip
def test_what_is_text(heading: str) -> None:
    """One part that is no mark makes the parenthesis plain text; and so does a line that is no heading."""
    assert marks_of(heading) == (heading, {})


VALUES = st.text(st.characters(codec="utf-8", exclude_characters=";()"), min_size=1, max_size=30)


@given(st.dictionaries(st.sampled_from(ASKED), VALUES), VALUES)
def test_what_is_written_is_read(given_: dict[str, str], title: str) -> None:
    """Marks that are accepted stand in a heading as they were given, whatever the title is."""
    try:
        marks = checked(given_)
    except BadInput:
        return
    heading = f"## 14:20 {' '.join(title.split())} (about x) {written(marks, AT)}"
    found = marks_of(heading)[1]
    assert {key: found[key] for key in ASKED if key in found} == marks
    assert moment(found) == AT
    assert forms(found) == forms(marks)


@pytest.mark.parametrize(
    ("marks", "said"),
    [({"place": "x"}, "about, mood, task"), ({"mood": "a;b"}, "mood: 'a;b'"), ({"mood": "(a)"}, "mood"), ({"task": "a\nb"}, "task"), ({"mood": ""}, "mood"),
     ({"about": " , "}, "about"), ({"about": []}, "about"), ({"mood": ["a", "b"]}, "2 values"), ({"session": "s 1"}, "session: 's 1'"), ({"mood": 3}, "mood"),
     ({"mood": "a\ud800"}, "mood"), ({"task": "x" * 201}, "200 letters"), ({"mood": "\u200b"}, "mood")],
)  # fmt: skip
def test_what_is_no_mark(marks: dict[str, str], said: str) -> None:
    """A key nobody knows and a value that no heading holds are refused by name."""
    with pytest.raises(BadInput, match=said):
        checked(marks)


def test_words_of_an_entry() -> None:
    """Values of marks are words of the entry; their keys, its moment and a flag are not, for everybody has those."""
    said = words_with("## 14:20 Flight (about ana; at 2026-11-30T14:20:00; nothing found)\n\nbooked", marks_of("## 14:20 Flight (about ana; at 2026-11-30T14:20:00)")[1])
    assert said == "## 14:20 Flight ana\n\nbooked"
    assert words_with("no heading", {"mood": ("glad",)}) == "no heading glad"


def test_for_programs() -> None:
    """Objects are a list, of the others there is one value."""
    assert shown({"about": ("a", "b"), "mood": ("glad",), "at": ("x",)}) == {"about": ["a", "b"], "mood": "glad"}
