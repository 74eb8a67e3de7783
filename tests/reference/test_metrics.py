"""The measures against trec_eval and ndeval (through ir-measures), on rankings and judgements made by chance."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from omoide.evaluate import metrics
from omoide.evaluate.datasets import read_folder

Rankings = dict[str, list[str]]
Judged = dict[str, dict[str, int]]


def _made_up(seed: int) -> tuple[Rankings, Judged]:
    """40 queries over 60 documents: 30 ranked, up to 12 judged with grades 1 to 3."""
    chance = random.Random(seed)
    docs = [f"d{number}" for number in range(60)]
    rankings = {f"q{number}": chance.sample(docs, 30) for number in range(40)}
    judged = {
        query: {doc: chance.randint(1, 3) for doc in chance.sample(docs, chance.randint(1, 12))}
        for query in rankings
    }
    return rankings, judged


TREC: list[tuple[str, Callable[[list[str], dict[str, int]], float]]] = [
    ("nDCG(gains={1:1,2:3,3:7})@10", lambda ranking, grades: metrics.ndcg(ranking, grades, 10)),
    ("nDCG(gains={1:1,2:3,3:7})@5", lambda ranking, grades: metrics.ndcg(ranking, grades, 5)),
    ("RR@20", lambda ranking, grades: metrics.reciprocal_rank(ranking, grades.keys(), 20)),
    ("Success@5", lambda ranking, grades: metrics.hit_rate(ranking, grades.keys(), 5)),
    ("R@10", lambda ranking, grades: metrics.strict_recall(ranking, grades.keys(), 10)),
]


@pytest.mark.parametrize(("name", "ours"), TREC, ids=[name for name, _ in TREC])
def test_equal_to_trec_eval(name: str, ours: Callable[[list[str], dict[str, int]], float]) -> None:
    """nDCG (gains 1, 3, 7 for grades 1, 2, 3), MRR, hit rate and recall give trec_eval's numbers."""
    reference = pytest.importorskip("ir_measures", reason="ir-measures is not installed")
    rankings, judged = _made_up(1)
    run = {query: {doc: 100.0 - rank for rank, doc in enumerate(docs)} for query, docs in rankings.items()}
    measure = reference.parse_measure(name)
    theirs = {one.query_id: one.value for one in reference.iter_calc([measure], judged, run)}
    mine = {query: ours(rankings[query], judged[query]) for query in judged}
    assert mine == pytest.approx(theirs, abs=1e-9)


def _ndeval(
    name: str, k: int, rankings: Rankings, topics: dict[str, dict[str, set[str]]]
) -> dict[str, float]:
    measures = pytest.importorskip("ir_measures", reason="ir-measures is not installed")
    pytest.importorskip("pyndeval", reason="pyndeval is not installed")
    measure = measures.alpha_nDCG(alpha=0.5) @ k if name == "alpha" else measures.StRecall @ k
    judged = [
        measures.Qrel(query, doc, 1, topic)
        for query, parts in topics.items()
        for topic, docs in parts.items()
        for doc in docs
    ]
    run = [
        measures.ScoredDoc(q, d, 100.0 - rank) for q, docs in rankings.items() for rank, d in enumerate(docs)
    ]
    return {one.query_id: one.value for one in measures.iter_calc([measure], judged, run)}


def _compare(rankings: Rankings, topics: dict[str, dict[str, set[str]]]) -> None:
    for k in (5, 10):
        alpha = {query: metrics.alpha_ndcg(rankings[query], topics[query], k) for query in topics}
        assert alpha == pytest.approx(_ndeval("alpha", k, rankings, topics), abs=1e-9)
        recall = {query: metrics.subtopic_recall(rankings[query], topics[query], k) for query in topics}
        assert recall == pytest.approx(_ndeval("subtopics", k, rankings, topics), abs=1e-9)


def test_diversity_equal_to_ndeval() -> None:
    """α-nDCG (with its greedy ideal) and subtopic recall give the numbers of TREC's ndeval."""
    rankings, judged = _made_up(2)
    chance = random.Random(3)
    topics: dict[str, dict[str, set[str]]] = {}
    for query, docs in judged.items():
        for doc in docs:
            for topic in chance.sample("123456", chance.randint(1, 3)):
                topics.setdefault(query, {}).setdefault(topic, set()).add(doc)
    _compare(rankings, topics)


@pytest.mark.parametrize("name", ["data/perspectrum", "cases/daily_logs_ja"])
def test_diversity_equal_to_ndeval_on_real_judgements(name: str) -> None:
    """The same on published subtopic judgements, whose ties are what a greedy ideal stumbles over."""
    folder = Path(__file__).resolve().parents[3] / "shared" / name
    if not folder.is_dir():
        pytest.skip(f"{name} is not here")
    topics = read_folder(folder).subtopics
    chance = random.Random(4)
    rankings = {}
    for query, parts in topics.items():
        docs = sorted(set().union(*parts.values())) + [f"none{number}" for number in range(10)]
        chance.shuffle(docs)
        rankings[query] = docs[:20]
    _compare(rankings, topics)
