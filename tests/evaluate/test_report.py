"""Results for the eye and for the repository."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from omoide.errors import BadInput
from omoide.evaluate.report import record, render, table, to_toml, width
from omoide.evaluate.retrieval import RetrievalOptions, evaluate_retrieval

MakeFolder = Callable[..., Path]

DOCS = [
    {"id": "a", "text": "cat", "meta": {"t": "2025-01-01"}},
    {"id": "b", "text": "cat dog", "meta": {"t": "2025-09-01"}},
]
QUERIES = [
    {"id": "q1", "text": "cat", "type": "猫", "t": "2025-06-01"},
    {"id": "q2", "text": "cat", "type": "adversarial", "t": "2025-06-01"},
    {"id": "q3", "text": "dog", "type": "猫", "t": "2025-06-01"},
    {"id": "q4", "text": "dog"},
]


@pytest.fixture
def result(make_folder: MakeFolder, opener: Any) -> dict[str, Any]:
    folder = make_folder(DOCS, QUERIES, "q1 a 1\nq1 b 1\nq2 a 1\nq3 b 1")
    options = RetrievalOptions(recipe="lexical", by="type", per_query=True)
    return evaluate_retrieval([folder], options, opener=opener)


def test_table_shows_what_was_measured(result: dict[str, Any]) -> None:
    """The table has the recipe, each measure with its interval, the wider numbers, groups and definitions."""
    text = render(result)
    assert text.startswith("set: recipe lexical, 1 queries, 2 documents\n")
    assert "all 2" in text
    assert any(
        line.split() == ["hit_rate@1", "1.000", "1.000", "to", "1.000", "1.000"] for line in text.splitlines()
    )
    assert "by type" in text
    assert "failure_rate: 1 - recall@20" in text


def test_table_shows_what_was_left_out(result: dict[str, Any]) -> None:
    """Queries that were not asked and documents that came too late are told, not hidden."""
    text = render(result)
    assert "not asked: 1 (gold later than query)" in text
    assert "not asked: 1 (unjudged)" in text
    assert "left out as later than their query: 2" in text


def test_several_folders_are_listed(make_folder: MakeFolder, opener: Any) -> None:
    """With several folders each has its row."""
    folders = [make_folder(DOCS, QUERIES, "q1 a 1", name=name) for name in ("one", "two")]
    text = render(evaluate_retrieval(folders, RetrievalOptions(recipe="lexical"), opener=opener))
    assert "by folder" in text
    assert {"one", "two"} <= {line.split()[0] for line in text.splitlines() if line}


def test_columns_line_up_with_wide_letters() -> None:
    """A Japanese letter takes two columns, a combining mark none, so that columns stay straight."""
    assert (width("猫a"), width("e\u0301"), width("ｱ")) == (3, 1, 1)
    lines = table([["", "n"], ["猫", "1"], ["cats", "22"]]).splitlines()
    assert [width(line) for line in lines] == [8, 8, 8]
    assert lines[1] == "猫     1"


def test_record_as_json_keeps_everything(result: dict[str, Any]) -> None:
    """The JSON record is the result with its command, rows per query included."""
    data = json.loads(record(result, "omoide eval retrieval --data x", "json"))
    assert data["command"] == "omoide eval retrieval --data x"
    assert data["strict_recall@10"] == result["strict_recall@10"]
    assert len(data["per_query"]) == 2


def test_record_as_toml_reads_back(result: dict[str, Any]) -> None:
    """The TOML record reads back as the same data, without the rows per query."""
    data = tomllib.loads(record(result, 'omoide eval "x"'))
    expected = {"command": 'omoide eval "x"', **result}
    del expected["per_query"]
    assert data == json.loads(json.dumps(expected))


def test_other_forms_are_refused(result: dict[str, Any]) -> None:
    """A record in a form nobody reads is an error that names the two there are."""
    with pytest.raises(BadInput, match="toml or json"):
        record(result, "x", "yaml")
    with pytest.raises(BadInput, match="not bytes"):
        to_toml({"a": b"x"})


SCALARS = st.one_of(st.booleans(), st.integers(-(2**60), 2**60), st.floats(allow_nan=False), st.text())
PLAIN = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def _mixed(value: object) -> bool:
    """Whether a list somewhere holds objects beside other things, or inside a list of lists."""
    if isinstance(value, list):
        return any(isinstance(one, dict) for one in value) or any(map(_mixed, value))
    return isinstance(value, dict) and any(map(_mixed, value.values()))


@settings(max_examples=50)
@given(st.dictionaries(st.text(), PLAIN, max_size=4).filter(lambda data: not _mixed(data)))
def test_any_plain_data_survives_toml(data: dict[str, Any]) -> None:
    """Whatever the keys and texts hold, what is written is what is read."""
    assert tomllib.loads(to_toml(data)) == data


def test_lists_of_objects_become_tables() -> None:
    """A list of objects is written as an array of tables, nested ones too."""
    data = {"sets": [{"name": "a", "by": {"x": {"n": 1}}}, {"name": "b", "deep": [{"v": 1}]}], "n": 1}
    assert tomllib.loads(to_toml(data)) == data
