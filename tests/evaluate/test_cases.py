"""What is asked, of which rows, at which moment, and what counts as right."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from omoide.errors import BadData
from omoide.evaluate.cases import UNDATED, Case, Plan, Planner, ScopeRule, scope_rule
from omoide.evaluate.datasets import read_folder

MakeFolder = Callable[..., Path]


def _plan(folder: Path, scope: str = "", docs: Any = (), queries: Any = (), limit: int | None = None) -> Plan:
    data = read_folder(folder)
    return Planner(data, docs, scope_rule(scope, data)).plan(queries, limit, "type")


def _one(folder: Path, scope: str = "") -> Case:
    return _plan(folder, scope).cases[0]


def _doc(name: str, **meta: Any) -> dict[str, Any]:
    return {"id": name, "text": f"text of {name}", "meta": meta}


def _query(name: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "text": f"query {name}", **more}


def test_rows_carry_audience_and_time(make_folder: MakeFolder) -> None:
    """A row is given on as it is, with its scope value as audience and its date as time."""
    folder = make_folder(
        [{**_doc("a", conv=7, t="2025-01-02"), "title": "T", "extra": 1}],
        [_query("q", meta={"conv": 7})],
        "q a 1",
    )
    assert _plan(folder, "meta.conv").rows == [
        {
            "id": "a",
            "text": "text of a",
            "title": "T",
            "meta": {"conv": 7, "t": "2025-01-02"},
            "audience": "7",
            "when": datetime(2025, 1, 2, tzinfo=UTC),
        }
    ]
    assert _plan(folder).rows[0]["audience"] == "all"


def test_scope_by_equal_field(make_folder: MakeFolder) -> None:
    """A query is asked of the rows whose field is its own."""
    folder = make_folder(
        [_doc("a", conv="x"), _doc("b", conv="y")], [_query("q", meta={"conv": "x"})], "q a 1"
    )
    assert _one(folder, "meta.conv").audiences == {"x"}
    assert _one(folder).audiences == {"all"}


@pytest.mark.parametrize("text", ["meta.haystack", "session(id)", "session(id)=meta.haystack"])
def test_scope_by_list_of_sessions(make_folder: MakeFolder, text: str) -> None:
    """A query's list of sessions is its scope, in each of the three ways to say so."""
    docs = [_doc(f"s{n}#{turn}") for n in (1, 2, 3) for turn in (0, 1)]
    folder = make_folder(docs, [_query("q", meta={"note": "x", "haystack": ["s1", "s3"]})], "q s1#0 1")
    plan = _plan(folder, text)
    assert plan.cases[0].audiences == {"s1", "s3"}
    assert [row["audience"] for row in plan.rows] == ["s1", "s1", "s2", "s2", "s3", "s3"]
    assert scope_rule(text, read_folder(folder)) == ScopeRule("session(id)", "meta.haystack")


@pytest.mark.parametrize(
    ("scope", "message"),
    [
        ("meta.nope", "no document has the field meta.nope"),
        ("meta.conv", "query 'q2' has no meta.conv"),
        ("session(id)", "no list of sessions"),
    ],
)
def test_scope_that_does_not_fit(make_folder: MakeFolder, scope: str, message: str) -> None:
    """A scope field that documents or queries do not have is refused, never taken as "all"."""
    folder = make_folder([_doc("a", conv="x")], [_query("q1", meta={"conv": "x"}), _query("q2")], "q1 a 1")
    with pytest.raises(BadData, match=message):
        _plan(folder, scope)


def test_scope_value_that_means_everything(make_folder: MakeFolder) -> None:
    """A field whose value is the sign for every audience would open all scopes, so it is refused."""
    folder = make_folder([_doc("a", conv="*")], [_query("q", meta={"conv": "*"})], "q a 1")
    with pytest.raises(BadData, match="every scope"):
        _plan(folder, "meta.conv")


def test_time_of_a_query(make_folder: MakeFolder) -> None:
    """`t`, else `meta.iso`, is both now and the last moment of a candidate."""
    queries = [
        _query("a", t="2025-02-01", meta={"iso": "2020-01-01"}),
        _query("b", meta={"iso": "2025-03-01"}),
    ]
    folder = make_folder([_doc("d", t="2025-01-01")], queries, "a d 1\nb d 1")
    first, second = _plan(folder).cases
    assert first.now == first.until == datetime(2025, 2, 1, tzinfo=UTC)
    assert second.now == second.until == datetime(2025, 3, 1, tzinfo=UTC)


def test_query_without_time_is_asked_at_the_newest_date_of_its_scope(make_folder: MakeFolder) -> None:
    """Without a time, now is the newest date in scope and nothing is too late; undated: a fixed moment."""
    docs = [
        _doc("a", c="x", iso="2025-01-05"),
        _doc("b", c="x", iso="2025-01-01"),
        _doc("c", c="y", iso="2026-01-01"),
    ]
    folder = make_folder(
        [*docs, _doc("d", c="z")],
        [_query("q", meta={"c": "x"}), _query("r", meta={"c": "z"})],
        "q a 1\nr d 1",
    )
    dated, undated = _plan(folder, "meta.c").cases
    assert (dated.now, dated.until) == (datetime(2025, 1, 5, tzinfo=UTC), None)
    assert (undated.now, undated.until) == (UNDATED, None)
    assert _one(folder).now == datetime(2026, 1, 1, tzinfo=UTC)


def test_gold_later_than_the_query_is_cut_and_counted(make_folder: MakeFolder) -> None:
    """What is left out as later can be missed by nobody: it leaves the judgements, and the count says so."""
    docs = [_doc("old", t="2025-01-01"), _doc("late", t="2025-12-01"), _doc("undated")]
    queries = [_query("a", t="2025-06-01"), _query("b", t="2025-06-01"), _query("c", t="2025-06-01")]
    plan = _plan(make_folder(docs, queries, "a old 1\na late 1\nb late 1\nc undated 1"))
    assert {case.id: case.relevant for case in plan.cases} == {"a": {"old"}, "c": {"undated"}}
    assert plan.skipped == {"gold_later_than_query": 1}
    assert plan.late_gold == 2


def test_direction(make_folder: MakeFolder) -> None:
    """--docs and --queries choose a direction: judgements are cut to the chosen documents."""
    docs = [_doc("en:1", lang="en"), _doc("ja:1", lang="ja"), _doc("ja:2", lang="ja")]
    queries = [
        _query("q-en", meta={"lang": "en"}),
        _query("q-ja", meta={"lang": "ja"}),
        _query("q-en2", meta={"lang": "en"}),
    ]
    folder = make_folder(docs, queries, "q-en en:1 1\nq-en ja:1 1\nq-ja ja:1 1\nq-en2 en:1 1")
    plan = _plan(folder, docs=[("meta.lang", "ja")], queries=[("meta.lang", "en")])
    assert [row["id"] for row in plan.rows] == ["ja:1", "ja:2"]
    assert [(case.id, case.relevant) for case in plan.cases] == [("q-en", {"ja:1"})]
    assert plan.skipped == {"gold_not_chosen": 1}


def test_nothing_left_is_an_error(make_folder: MakeFolder) -> None:
    """A direction without documents or without queries says so instead of printing zeros."""
    folder = make_folder([_doc("a", lang="en")], [_query("q", meta={"lang": "en"})], "q a 1")
    with pytest.raises(BadData, match=r"no document has meta\.lang=ja"):
        _plan(folder, docs=[("meta.lang", "ja")])
    with pytest.raises(BadData, match="no query left to ask"):
        _plan(folder, queries=[("meta.lang", "ja")])


def test_skipped_queries_are_counted(make_folder: MakeFolder) -> None:
    """A query without text and one that nobody judged are not asked; a limit takes the first queries."""
    queries = [_query("a"), {"id": "b", "text": "  "}, _query("c"), _query("d")]
    folder = make_folder([_doc("x")], queries, "a x 1\nb x 1\nd x 1")
    plan = _plan(folder)
    assert [case.id for case in plan.cases] == ["a", "d"]
    assert plan.skipped == {"empty_text": 1, "unjudged": 1}
    assert [case.id for case in _plan(folder, limit=2).cases] == ["a"]


@pytest.mark.parametrize(
    "mark",
    [
        {"type": "negative"},
        {"type": "abstention"},
        {"meta": {"type": "abstention"}},
        {"meta": {"abstention": True}},
        {"meta": {"category_name": "adversarial"}},
    ],
)
def test_marked_unanswerable(make_folder: MakeFolder, mark: dict[str, Any]) -> None:
    """Each way a set marks a question without an answer is known, with or without judgements."""
    folder = make_folder([_doc("x")], [_query("a", **mark), _query("b", **mark), _query("c")], "b x 1\nc x 1")
    assert [(case.id, case.unanswerable, len(case.relevant)) for case in _plan(folder).cases] == [
        ("a", True, 0),
        ("b", True, 1),
        ("c", False, 1),
    ]


def test_newest_and_stale(make_folder: MakeFolder) -> None:
    """The newest of the best-graded must stand above older gold and above what the set calls stale."""
    docs = [
        _doc("new", t="2025-03-01"),
        _doc("old", t="2025-01-01"),
        _doc("note"),
        _doc("past", t="2025-02-01"),
    ]
    queries = [
        _query("latest", type="latest", meta={"stale": ["note", "past"]}),
        _query("many", type="multi"),
    ]
    latest, many = _plan(
        make_folder(docs, queries, "latest new 2\nlatest old 1\nmany new 1\nmany old 1")
    ).cases
    assert (latest.newest, latest.older, latest.stale) == ({"new"}, {"old", "note", "past"}, {"note", "past"})
    assert (many.newest, many.older, many.stale) == (set(), set(), set())


def test_dated_gold_of_a_set_that_marks_nothing(make_folder: MakeFolder) -> None:
    """Where no question is marked as about the latest state, judged documents of two dates are enough."""
    docs = [_doc("new", t="2025-03-01"), _doc("old", t="2025-01-01"), _doc("none")]
    two, one = _plan(
        make_folder(docs, [_query("a"), _query("b")], "a new 1\na old 1\nb new 1\nb none 1")
    ).cases
    assert (two.newest, two.older) == ({"new"}, {"old"})
    assert one.older == set()


def test_subtopics_are_cut_too(make_folder: MakeFolder) -> None:
    """A subtopic whose documents are all later than the query cannot be covered and does not count."""
    docs = [_doc("a", t="2025-01-01"), _doc("b", t="2025-12-01")]
    folder = make_folder(docs, [_query("q", t="2025-06-01")], "q a 1\nq b 1", "q 1 a 1\nq 1 b 1\nq 2 b 1")
    assert _one(folder).subtopics == {"1": {"a"}}
