"""The whole evaluation, on small folders with a ranking in plain Python, and on the real collection."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from omoide.errors import BadData, BadInput, BadSettings
from omoide.evaluate.retrieval import RetrievalOptions, evaluate_retrieval, read_ks
from omoide.settings import Settings

MakeFolder = Callable[..., Path]

DOCS = [
    {"id": "a1", "text": "the cat sleeps", "meta": {"conv": "a", "t": "2025-01-01"}},
    {"id": "a2", "text": "the cat eats fish", "meta": {"conv": "a", "t": "2025-02-01"}},
    {"id": "b1", "text": "the cat eats", "meta": {"conv": "b", "t": "2025-01-01"}},
    {"id": "b2", "text": "nothing here", "meta": {"conv": "b"}},
]
QUERIES = [
    {"id": "q1", "text": "cat eats", "type": "exact", "t": "2025-03-01", "meta": {"conv": "a"}},
    {"id": "q2", "text": "cat eats", "type": "exact", "t": "2025-03-01", "meta": {"conv": "b"}},
    {"id": "q3", "text": "zebra", "type": "negative", "t": "2025-03-01", "meta": {"conv": "a"}},
]
QRELS = "q1 a2 1\nq1 a1 1\nq2 b1 1"
TIMING = ("ms_p50", "ms_p99", "build_s", "embed_s")


def _options(**more: Any) -> RetrievalOptions:
    return RetrievalOptions(**({"recipe": "lexical", "ks": (1, 5)} | more))


def test_fields(make_folder: MakeFolder, opener: Any) -> None:
    """The answer has every documented field, with the values of a ranking that can be done by hand."""
    found = evaluate_retrieval(
        [make_folder(DOCS, QUERIES, QRELS)], _options(scope_field="meta.conv", by="type"), opener=opener
    )
    assert (found["queries"], found["documents"], found["recipe"], found["folders"]) == (
        2,
        4,
        "lexical",
        ["set"],
    )
    assert (found["hit_rate@1"], found["strict_recall@1"], found["recall_all@1"]) == (1.0, 0.75, 0.5)
    assert (found["mrr@20"], found["ndcg@10"], found["failure_rate@20"]) == (1.0, 1.0, 0.0)
    assert (found["abstain_rate"], found["false_abstain"]) == (1.0, 0.0)
    assert found["newest_first"] == 1.0
    assert set(found["by"]) == {"exact", "negative"}
    assert set(TIMING) <= set(found)
    assert len(found["fingerprint"]) == 16
    assert found["ci95"]["strict_recall@1"] == [0.5, 1.0]
    assert "first 20" in found["definitions"]["failure_rate"]


def test_scope_and_time_reach_the_search(make_folder: MakeFolder, opener: Any) -> None:
    """Each query is asked within its audience, at its time, and with its time as the last of a candidate."""
    docs = [*DOCS, {"id": "a3", "text": "cat eats again", "meta": {"conv": "a", "t": "2025-04-01"}}]
    options = _options(scope_field="meta.conv", per_query=True, recipe="hybrid,mmr")
    found = evaluate_retrieval([make_folder(docs, QUERIES, QRELS)], options, opener=opener)
    (collection,) = opener.opened
    text, scope, limit, recipe, until = collection.calls[1]
    assert (text, limit, recipe) == ("cat eats", 20, "hybrid,mmr")
    assert scope.audiences == {"a"}
    assert scope.now == until == datetime(2025, 3, 1, tzinfo=UTC)
    assert [row["ranking"] for row in found["per_query"]] == [("a2", "a1"), ("b1",), ()]
    assert collection.embedded
    assert collection.closed


def test_undated_query_has_no_last_moment(make_folder: MakeFolder, opener: Any) -> None:
    """A query without a time leaves nothing out and is asked at the newest date in scope."""
    folder = make_folder(DOCS, [{"id": "q", "text": "cat", "meta": {"conv": "a"}}], "q a1 1")
    evaluate_retrieval([folder], _options(scope_field="meta.conv"), opener=opener)
    _, scope, _, _, until = opener.opened[0].calls[0]
    assert until is None
    assert scope.now == datetime(2025, 2, 1, tzinfo=UTC)


def test_lexical_makes_no_vectors(make_folder: MakeFolder, opener: Any) -> None:
    """Only a recipe with a dense lane pays for vectors; the depth follows the largest cut-off."""
    evaluate_retrieval([make_folder(DOCS, QUERIES, QRELS)], _options(ks=(1, 50)), opener=opener)
    assert not opener.opened[0].embedded
    assert opener.opened[0].calls[0][2] == 50


def test_two_runs_are_equal(make_folder: MakeFolder, opener: Any) -> None:
    """Apart from the times, two runs give the same answer, intervals and fingerprint included."""
    folder = make_folder(DOCS, QUERIES, QRELS)
    first, second = (evaluate_retrieval([folder], _options(by="type"), opener=opener) for _ in range(2))
    for name in TIMING:
        del first[name], second[name]
    assert first == second


def test_fingerprint_follows_settings(make_folder: MakeFolder, opener: Any) -> None:
    """A changed setting reaches the collection and changes the fingerprint; a wrong one is refused."""
    folder = make_folder(DOCS, QUERIES, QRELS)
    plain = evaluate_retrieval([folder], _options(), opener=opener)
    changed = evaluate_retrieval([folder], _options(overrides=("lexical.k1=1.5",)), opener=opener)
    given = evaluate_retrieval(
        [folder], _options(), settings=Settings().with_values({"lexical.k1": "1.5"}), opener=opener
    )
    assert opener.opened[1].settings.lexical.k1 == 1.5
    assert plain["fingerprint"] != changed["fingerprint"] == given["fingerprint"]
    with pytest.raises(BadSettings):
        evaluate_retrieval([folder], _options(overrides=("lexical.nonsense=1",)), opener=opener)
    with pytest.raises(BadInput, match="--set"):
        evaluate_retrieval([folder], _options(overrides=("nonsense",)), opener=opener)


def test_several_folders(make_folder: MakeFolder, opener: Any) -> None:
    """Several folders never see each other's rows; the top is over all queries, `sets` has each folder."""
    one = make_folder(DOCS, QUERIES[:1], "q1 a2 1", name="one")
    two = make_folder(DOCS, [QUERIES[1], {"id": "q4", "text": "zebra"}], "q2 b2 1\nq4 b1 1", name="two")
    found = evaluate_retrieval([one, two], _options(per_query=True), opener=opener)
    assert (found["queries"], found["documents"], found["folders"]) == (3, 8, ["one", "two"])
    assert [one["queries"] for one in found["sets"]] == [1, 2]
    assert found["hit_rate@1"] == pytest.approx(1 / 3, abs=1e-6)
    assert [row["set"] for row in found["per_query"]] == ["one", "two", "two"]
    assert len(opener.opened) == 2


def test_sessions_take_the_place_of_their_best_turn(make_folder: MakeFolder, opener: Any) -> None:
    """Where sessions are judged, the ranking of turns becomes one of sessions, each once."""
    docs = [
        {"id": "s1#0", "text": "cat"},
        {"id": "s1#1", "text": "cat eats fish"},
        {"id": "s2#0", "text": "cat eats"},
        {"id": "s3#0", "text": "cat"},
    ]
    folder = make_folder(docs, [{"id": "q", "text": "cat eats fish"}], "q s2 1")
    found = evaluate_retrieval([folder], _options(per_query=True), opener=opener)
    assert found["per_query"][0]["ranking"] == ("s1", "s2", "s3")
    assert found["mrr@20"] == 0.5
    assert opener.opened[0].calls[0][2] > 20


def test_direction_limit_and_other_judgements(make_folder: MakeFolder, opener: Any) -> None:
    """--docs, --queries, --limit and --qrels choose rows, queries and judgements; what is left out is counted."""
    folder = make_folder(DOCS, QUERIES, QRELS)
    options = _options(docs=("meta.conv=b",), queries=("type=exact",))
    found = evaluate_retrieval([folder], options, opener=opener)
    assert (found["documents"], found["queries"], found["skipped"]) == (2, 1, {"gold_not_chosen": 1})
    assert evaluate_retrieval([folder], _options(limit=1), opener=opener)["queries"] == 1
    (folder / "other.json").write_text('{"q1": ["b2"]}', encoding="utf-8")
    other = evaluate_retrieval([folder], _options(qrels=Path("other.json")), opener=opener)
    assert (other["queries"], other["failure_rate@20"]) == (1, 1.0)


def test_progress_is_told(make_folder: MakeFolder, opener: Any) -> None:
    """The callback hears the folder and how many queries of all are done."""
    heard: list[tuple[str, int, int]] = []
    evaluate_retrieval(
        [make_folder(DOCS, QUERIES, QRELS)],
        _options(),
        opener=opener,
        progress=lambda *told: heard.append(told),
    )
    assert heard == [("set", 1, 3), ("set", 2, 3), ("set", 3, 3)]


def test_bad_use(tmp_path: Path, make_folder: MakeFolder, opener: Any) -> None:
    """No folder, a wrong limit and a folder that is not there are refused before anything is built."""
    with pytest.raises(BadInput, match="--data"):
        evaluate_retrieval([], opener=opener)
    folder = make_folder(DOCS, QUERIES, QRELS)
    with pytest.raises(BadInput, match="--limit"):
        evaluate_retrieval([folder], _options(limit=0), opener=opener)
    with pytest.raises(BadData, match="nowhere"):
        evaluate_retrieval([folder, tmp_path / "nowhere"], opener=opener)
    assert opener.opened == []


def test_collection_is_closed_when_a_search_fails(make_folder: MakeFolder, opener: Any) -> None:
    """An error in a search reaches the caller and leaves no open collection."""

    def failing(rows: list[dict[str, Any]], settings: Settings) -> Any:
        collection = opener(rows, settings)
        collection.search = lambda *args, **more: (_ for _ in ()).throw(BadInput("no such recipe"))
        return collection

    with pytest.raises(BadInput, match="no such recipe"):
        evaluate_retrieval([make_folder(DOCS, QUERIES, QRELS)], _options(recipe="x"), opener=failing)
    assert opener.opened[0].closed


@pytest.mark.parametrize(("text", "ks"), [("1,5,10,20", (1, 5, 10, 20)), ("10, 1,1", (1, 10))])
def test_cut_offs_are_read(text: str, ks: tuple[int, ...]) -> None:
    """Cut-offs are sorted and each stands once."""
    assert read_ks(text) == ks


@pytest.mark.parametrize("text", ["", "0", "1,x", "-5", "1.5"])
def test_wrong_cut_offs(text: str) -> None:
    """Anything but whole numbers from 1 is refused."""
    with pytest.raises(BadInput, match="--k"):
        read_ks(text)


def test_the_real_collection(make_folder: MakeFolder) -> None:
    """The public collection answers the same small folder: right rows first, scope and time kept."""
    docs = [*DOCS, {"id": "a3", "text": "cat eats again", "meta": {"conv": "a", "t": "2025-04-01"}}]
    options = _options(scope_field="meta.conv", per_query=True)
    found = evaluate_retrieval([make_folder(docs, QUERIES, QRELS)], options)
    rows = {row["id"]: row for row in found["per_query"]}
    assert rows["q1"]["ranking"] == ("a2", "a1")
    assert rows["q2"]["ranking"] == ("b1",)
    assert rows["q3"]["abstained"]
    assert found["abstain_rate"] == 1.0


SHARED = Path(__file__).resolve().parents[3] / "shared"


@pytest.mark.skipif(not SHARED.is_dir(), reason="the labelled sets are not here")
def test_locomo_floor() -> None:
    """Words alone find 60 % of the evidence turns in the first ten, 61.5 % with the traps counted in."""
    options = RetrievalOptions(recipe="lexical", scope_field="meta.conv", by="meta.category")
    found = evaluate_retrieval([SHARED / "data" / "locomo"], options)
    assert (found["queries"], found["all"]["queries"]) == (760, 997)
    assert found["strict_recall@10"] >= 0.60
    assert found["all"]["strict_recall@10"] >= 0.615
    assert list(found["by"]) == ["1", "2", "3", "4", "5"]
