"""What one recipe misses that another finds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from omoide.errors import BadInput
from omoide.evaluate.compare import missed
from omoide.evaluate.report import render_missed, side_by_side
from omoide.evaluate.retrieval import RetrievalOptions, evaluate_retrieval

MakeFolder = Callable[..., Path]


def _result(*rows: tuple[str, list[str], list[str]]) -> dict[str, Any]:
    return {
        "per_query": [
            {"set": "s", "id": name, "ranking": ranking, "relevant": relevant}
            for name, ranking, relevant in rows
        ]
    }


WORDS = _result(
    ("code", ["e403", "x"], ["e403"]), ("kitty", ["x"], ["cat"]), ("none", ["x"], ["y"]), ("neg", [], [])
)
MEANING = _result(
    ("code", ["x"], ["e403"]), ("kitty", ["x", "cat"], ["cat"]), ("none", [], ["y"]), ("neg", [], [])
)
BOTH = _result(
    ("code", ["e403"], ["e403"]), ("kitty", ["cat"], ["cat"]), ("none", [], ["y"]), ("neg", [], [])
)


def test_each_side_shows_what_it_misses() -> None:
    """Dense misses the exact code, lexical misses the synonym, hybrid neither; what nobody finds is no miss."""
    found = missed({"lexical": WORDS, "dense": MEANING, "hybrid": BOTH})
    assert {name: [row.query for row in rows] for name, rows in found.items()} == {
        "lexical": ["s/kitty"],
        "dense": ["s/code"],
        "hybrid": [],
    }
    assert found["lexical"][0].ranks == {"lexical": 0, "dense": 2, "hybrid": 1}


def test_a_hit_beyond_the_cut_off_is_a_miss() -> None:
    """What stands below k counts as missed."""
    assert [
        row.query for row in missed({"lexical": WORDS, "dense": MEANING, "hybrid": BOTH}, 1)["dense"]
    ] == [
        "s/code",
        "s/kitty",
    ]


def test_rows_per_query_are_needed() -> None:
    """A result without rows per query cannot be compared and says how to get them."""
    with pytest.raises(BadInput, match="per-query"):
        missed({"lexical": {"queries": 1}})
    assert missed({}) == {}


def test_printed(make_folder: MakeFolder, opener: Any) -> None:
    """Misses are printed with the rank the other recipe gives, results side by side with one row each."""
    text = render_missed(missed({"lexical": WORDS, "dense": MEANING}))
    assert text == "lexical misses 1 that another finds\n  s/kitty: dense rank 2\n\n" + (
        "dense misses 1 that another finds\n  s/code: lexical rank 1\n"
    )
    folder = make_folder([{"id": "a", "text": "cat"}], [{"id": "q", "text": "cat"}], "q a 1")
    result = evaluate_retrieval([folder], RetrievalOptions(recipe="lexical"), opener=opener)
    lines = side_by_side({"lexical": result, "again": result}).splitlines()
    assert lines[0].split()[:2] == ["queries", "hit_rate@1"]
    assert [line.split()[0] for line in lines[1:]] == ["lexical", "again"]
