"""The whole way: a labelled folder, the public collection, the numbers. Small enough to be checked by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from omoide import Collection
from omoide.errors import BadData
from omoide.evaluate.retrieval import RetrievalOptions, Searchable, evaluate_retrieval
from omoide.models.hashing import HashingEmbedder
from omoide.settings import Settings

MakeFolder = Callable[..., Path]


def ask(folder: Path, **more: Any) -> dict[str, Any]:
    """The evaluation of one folder by words, with its rows; `rows` by query id."""
    found = evaluate_retrieval([folder], RetrievalOptions(**({"recipe": "lexical", "ks": (1, 5), "per_query": True} | more)))
    return found | {"rows": {row["id"]: row for row in found["per_query"]}}


def with_vectors(rows: list[dict[str, Any]], settings: Settings) -> Searchable:
    return Collection(rows, settings=settings, embedder=HashingEmbedder())


def test_scope_field(make_folder: MakeFolder) -> None:
    """A query sees only rows of its own scope: the better row of another person is never in its ranking."""
    docs = [
        {"id": "k1", "text": "ken keeps bees on the roof", "meta": {"who": "ken"}},
        {"id": "y1", "text": "bees bees bees", "meta": {"who": "yumi"}},
        {"id": "y2", "text": "yumi rides a horse", "meta": {"who": "yumi"}},
    ]
    queries = [{"id": f"{who}?", "text": "bees", "meta": {"who": who}} for who in ("ken", "yumi")]
    folder = make_folder(docs, queries, "ken? k1 1\nyumi? y1 1")
    alone = ask(folder, scope_field="meta.who")
    assert {key: row["ranking"] for key, row in alone["rows"].items()} == {"ken?": ("k1",), "yumi?": ("y1",)}
    assert alone["hit_rate@1"] == 1.0
    together = ask(folder)
    assert together["rows"]["ken?"]["ranking"] == ("y1", "k1")
    assert together["hit_rate@1"] == 0.5


def test_sessions_as_scope(make_folder: MakeFolder) -> None:
    """`session(id)` pairs the part before # with the query's list of sessions."""
    docs = [{"id": f"s{session}#{turn}", "text": f"owl number {turn}"} for session in (1, 2, 3) for turn in range(3)]
    queries = [{"id": "q", "text": "owl", "meta": {"haystack": ["s1", "s3"]}}]
    found = ask(make_folder(docs, queries, "q s3#2 1"), scope_field="session(id)")
    assert {doc.partition("#")[0] for doc in found["rows"]["q"]["ranking"]} == {"s1", "s3"}
    assert len(found["rows"]["q"]["ranking"]) == 6


def test_judged_sessions(make_folder: MakeFolder) -> None:
    """Where sessions are judged the ranking is of sessions, each at the place of its best turn, once."""
    docs = [
        {"id": "s1#0", "text": "hello there"},
        {"id": "s1#1", "text": "the owl owl owl"},
        {"id": "s1#2", "text": "an owl again"},
        {"id": "s2#0", "text": "an owl and a lot of other words beside it"},
    ]
    found = ask(make_folder(docs, [{"id": "q", "text": "owl"}], "q s2 1"))
    assert found["rows"]["q"]["ranking"] == ("s1", "s2")
    assert (found["hit_rate@1"], found["mrr@20"]) == (0.0, 0.5)


def test_directions(make_folder: MakeFolder) -> None:
    """`docs` and `queries` choose one direction between two languages; the rest is neither asked nor found."""
    docs = [
        {"id": "en", "text": "the owl flies at night", "meta": {"lang": "en"}},
        {"id": "ja", "text": "梟は夜に飛ぶ owl", "meta": {"lang": "ja"}},
    ]
    queries = [{"id": f"q-{lang}", "text": text, "meta": {"lang": lang}} for lang, text in (("en", "owl"), ("ja", "梟"))]
    folder = make_folder(docs, queries, "q-en en 1\nq-en ja 1\nq-ja en 1\nq-ja ja 1")
    found = ask(folder, docs=("meta.lang=ja",), queries=("meta.lang=en",))
    assert (found["documents"], found["queries"]) == (1, 1)
    assert found["rows"]["q-en"]["ranking"] == ("ja",)
    assert found["rows"]["q-en"]["relevant"] == ("ja",)
    with pytest.raises(BadData, match="no document has"):
        ask(folder, docs=("meta.lang=fr",))


def test_nothing_later_than_the_query(make_folder: MakeFolder) -> None:
    """Rows later than the query are not in its ranking, undated ones are; judgements of the later are cut."""
    docs = [
        {"id": "old", "text": "the owl moved", "meta": {"t": "2025-01-01T09:00:00"}},
        {"id": "same", "text": "the owl moved again", "meta": {"t": "2025-03-01T09:00:00"}},
        {"id": "later", "text": "the owl owl moved", "meta": {"t": "2025-03-01T09:00:01"}},
        {"id": "undated", "text": "an owl, some day or other, who knows"},
    ]
    queries = [
        {"id": "q", "text": "owl", "t": "2025-03-01T09:00:00"},
        {"id": "all", "text": "owl"},
    ]
    found = ask(make_folder(docs, queries, "q old 1\nq later 1\nall later 1"))
    assert set(found["rows"]["q"]["ranking"]) == {"old", "same", "undated"}
    assert set(found["rows"]["all"]["ranking"]) == {"old", "same", "later", "undated"}
    assert found["rows"]["q"]["relevant"] == ("old",)
    assert found["gold_later_than_query"] == 1


def test_by_a_field(make_folder: MakeFolder) -> None:
    """`by` gives each group its own numbers; together they are the whole."""
    docs = [{"id": "a", "text": "owl"}, {"id": "b", "text": "heron heron"}, {"id": "c", "text": "heron"}]
    queries = [
        {"id": "q1", "text": "owl", "type": "easy"},
        {"id": "q2", "text": "heron", "type": "hard"},
        {"id": "q3", "text": "owl", "type": "hard"},
    ]
    found = ask(make_folder(docs, queries, "q1 a 1\nq2 c 1\nq3 c 1"), by="type")
    assert found["by"]["easy"]["hit_rate@1"] == 1.0
    assert found["by"]["hard"]["queries"] == 2
    assert found["by"]["hard"]["hit_rate@1"] == 0.0
    assert found["hit_rate@1"] == round(1 / 3, 6)


def test_subtopics(make_folder: MakeFolder) -> None:
    """Subtopic recall counts the sides of a question that are among the first k."""
    docs = [{"id": "pro", "text": "owl owl owl good"}, {"id": "pro2", "text": "owl good"}, {"id": "con", "text": "an owl is bad"}]
    folder = make_folder(docs, [{"id": "q", "text": "owl"}], "q pro 1\nq pro2 1\nq con 1", "q for pro 1\nq for pro2 1\nq against con 1")
    found = ask(folder)
    assert found["subtopic_recall@5"] == 1.0
    assert 0 < found["alpha_ndcg@5"] <= 1


def test_newest_first(make_folder: MakeFolder) -> None:
    """A question for the latest state counts only where the newest right row stands above all older ones."""
    docs = [
        {"id": "old", "text": "the office is in Kobe, office Kobe", "meta": {"t": "2025-01-01"}},
        {"id": "new", "text": "the office is in Nara", "meta": {"t": "2025-06-01"}},
    ]
    queries = [{"id": "q", "text": "office", "type": "latest", "t": "2025-06-02", "meta": {"stale": ["old"]}}]
    folder = make_folder(docs, queries, "q new 1")
    plain = ask(folder)
    assert plain["rows"]["q"]["ranking"] == ("old", "new")
    assert (plain["newest_first"], plain["stale_above"]) == (0.0, 1.0)
    aged = ask(folder, recipe="lexical,decay")
    assert aged["rows"]["q"]["ranking"] == ("new", "old")
    assert (aged["newest_first"], aged["stale_above"]) == (1.0, 0.0)


def test_abstaining(make_folder: MakeFolder) -> None:
    """Nothing, or a weak answer, is right for a question without one, and wrong for any other."""
    docs = [{"id": "a", "text": "owl in the barn"}, {"id": "b", "text": "heron at the lake"}]
    queries = [
        {"id": "none", "text": "quarterly revenue", "type": "negative"},
        {"id": "trap", "text": "owl in the submarine", "type": "negative"},
        {"id": "real", "text": "heron"},
        {"id": "missed", "text": "grey bird"},
    ]
    found = ask(make_folder(docs, queries, "real b 1\nmissed b 1"))
    assert {key: row["abstained"] for key, row in found["rows"].items()} == {
        "none": True, "trap": False, "real": False, "missed": True,
    }  # fmt: skip
    assert (found["unanswerable"], found["abstain_rate"], found["false_abstain"]) == (2, 0.5, 0.5)


def test_unknown_ids_are_named(make_folder: MakeFolder) -> None:
    """A judgement of a row that is not there stops the run and names row and line: no silent zero."""
    folder = make_folder([{"id": "a", "text": "owl"}], [{"id": "q", "text": "owl"}], "q a 1\nq ghost 1")
    with pytest.raises(BadData, match=r"ghost.*line 2"):
        ask(folder)
    other = make_folder([{"id": "a", "text": "owl"}], [{"id": "q", "text": "owl"}], "phantom a 1", name="other")
    with pytest.raises(BadData, match="phantom"):
        ask(other)


@pytest.mark.parametrize("recipe", ["lexical", "dense", "hybrid", "default", "hybrid,decay,mmr"])
def test_two_runs_are_equal(make_folder: MakeFolder, recipe: str) -> None:
    """With each recipe, two runs give the same rankings and numbers, whatever the order of the rows."""
    docs = [
        {"id": f"d{number}", "text": f"the owl number {number % 7} of hill {number % 5}", "meta": {"t": f"2025-01-{number % 28 + 1:02}"}}
        for number in range(60)
    ]
    queries = [{"id": f"q{number}", "text": f"owl {number} hill {number % 5}", "t": "2025-02-01"} for number in range(8)]
    qrels = "\n".join(f"q{number} d{number} 1" for number in range(8))
    runs = []
    for name, rows in (("one", docs), ("two", docs), ("three", docs[::-1])):
        options = RetrievalOptions(recipe=recipe, ks=(1, 5), per_query=True)
        found = evaluate_retrieval([make_folder(rows, queries, qrels, name=name)], options, opener=with_vectors)
        runs.append([(row["id"], row["ranking"], row["measures"]) for row in found["per_query"]])
    assert runs[0] == runs[1] == runs[2]
