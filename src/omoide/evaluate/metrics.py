"""How good is one ranking? Textbook measures, one function each.

Every function looks at one query. `ranking` holds document ids, best first, each id once;
`relevant` holds the ids that were judged relevant (grade above 0). All values lie in 0…1.
The mean over queries is taken by `summary`; `bootstrap_ci95` says how far that mean can be trusted.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from omoide.errors import BadInput

DEFINITIONS = {
    "hit_rate": "share of queries with at least one relevant document in the first k (success@k)",
    "strict_recall": "relevant documents in the first k / all relevant ones of the query, mean over queries",
    "recall_all": "share of queries with every relevant document in the first k",
    "mrr": "mean of 1 / rank of the first relevant document, 0 when it is not in the first k",
    "ndcg": "DCG@k / ideal DCG@k, gain 2^grade - 1, discount log2(rank + 1)",
    "failure_rate": "1 - recall@20, recall meant as hit rate: share of queries with no relevant document "
    "in the first 20",
    "subtopic_recall": "share of the query's subtopics that have a document in the first k",
    "alpha_ndcg": "alpha-DCG@k / the same of the greedy ideal ranking, alpha 0.5",
    "newest_first": "share of queries for the latest state whose newest best-graded document was found "
    "and stands above every older one",
    "stale_above": "share of queries with a known outdated document where one stands above "
    "the newest right document",
    "abstain_rate": "share of unanswerable queries that were answered with nothing, or marked as weak",
    "false_abstain": "share of answerable queries that were answered with nothing, or marked as weak",
}
"""What each number means, printed beside it. Keys are field names without their `@k`."""


def _needs(relevant: Collection[str], k: int) -> None:
    if not relevant:
        raise BadInput("a measure of relevance needs at least one relevant document; leave such queries out")
    if k < 1:
        raise BadInput(f"the cut-off k must be 1 or more, not {k}")


def _found(ranking: Sequence[str], relevant: Collection[str], k: int) -> int:
    _needs(relevant, k)
    return sum(1 for doc in ranking[:k] if doc in relevant)


def hit_rate(ranking: Sequence[str], relevant: Collection[str], k: int) -> float:
    """1 if at least one relevant document stands in the first `k`, else 0.

    Also known as success@k. Some books call this value recall@k; the strict one is `strict_recall`.
    """
    return float(_found(ranking, relevant, k) > 0)


def strict_recall(ranking: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Relevant documents in the first `k`, divided by all relevant documents.

    Source: Manning, Raghavan, Schütze, Introduction to Information Retrieval (2008), 8.3. The divisor
    is not capped at `k`: a query with 20 relevant documents cannot pass 0.5 at k = 10.
    """
    return _found(ranking, relevant, k) / len(relevant)


def recall_all(ranking: Sequence[str], relevant: Collection[str], k: int) -> float:
    """1 if every relevant document stands in the first `k`, else 0."""
    return float(_found(ranking, relevant, k) == len(relevant))


def failure_rate(ranking: Sequence[str], relevant: Collection[str], k: int = 20) -> float:
    """1 if no relevant document stands in the first `k`, else 0: one minus the hit rate.

    The mean is the retrieval failure rate of industry reports ("1 - recall@20", where recall is meant
    as hit rate: the share of queries whose right passage is missing from the first 20).
    """
    return 1.0 - hit_rate(ranking, relevant, k)


def reciprocal_rank(ranking: Sequence[str], relevant: Collection[str], k: int = 20) -> float:
    """1 / rank of the first relevant document, 0 if there is none in the first `k`.

    Rank 1 gives 1, rank 10 gives 0.1. The mean is MRR (Voorhees, TREC-8 question answering track, 1999).
    """
    _needs(relevant, k)
    for rank, doc in enumerate(ranking[:k], start=1):
        if doc in relevant:
            return 1.0 / rank
    return 0.0


def ndcg(ranking: Sequence[str], grades: Mapping[str, int], k: int = 10) -> float:
    """Discounted gain of the first `k`, divided by the best that is possible.

    DCG@k = Σ (2^grade − 1) / log2(rank + 1); `grades` maps document id to grade (0 or absent: not
    relevant). Source: Järvelin and Kekäläinen (2002), with the gain of Burges et al. (2005).
    """
    _needs([doc for doc, grade in grades.items() if grade > 0], k)
    best = sorted(grades.values(), reverse=True)[:k]
    return _dcg([grades.get(doc, 0) for doc in ranking[:k]]) / _dcg(best)


def _dcg(grades: Sequence[int]) -> float:
    return sum((2.0**grade - 1.0) / math.log2(rank + 1) for rank, grade in enumerate(grades, start=1))


def subtopic_recall(ranking: Sequence[str], subtopics: Mapping[str, Collection[str]], k: int) -> float:
    """Share of the subtopics that have at least one document in the first `k`.

    `subtopics` maps subtopic to the ids of its documents. Source: Zhai, Cohen, Lafferty (2003), S-recall.
    """
    _needs(subtopics, k)
    top = set(ranking[:k])
    return sum(1 for docs in subtopics.values() if not top.isdisjoint(docs)) / len(subtopics)


def alpha_ndcg(
    ranking: Sequence[str], subtopics: Mapping[str, Collection[str]], k: int, alpha: float = 0.5
) -> float:
    """nDCG that pays less for a subtopic each time it is seen again.

    A document's gain is Σ over its subtopics of (1 − alpha)^(times the subtopic stood above), discounted
    by log2(rank + 1) and divided by the value of the ideal ranking. That one is made greedily, as finding
    the true optimum is NP-hard. Source: Clarke et al. (2008), section 4.
    """
    _needs(subtopics, k)
    topics_of = _topics_of(subtopics)
    best = _alpha_dcg(_ideal(topics_of, k, alpha), topics_of, alpha)
    return _alpha_dcg(ranking[:k], topics_of, alpha) / best


def _topics_of(subtopics: Mapping[str, Collection[str]]) -> dict[str, list[str]]:
    topics_of: dict[str, list[str]] = {}
    for topic, docs in subtopics.items():
        for doc in docs:
            topics_of.setdefault(doc, []).append(topic)
    return topics_of


def _alpha_dcg(ranking: Sequence[str], topics_of: Mapping[str, Sequence[str]], alpha: float) -> float:
    seen: dict[str, int] = {}
    total = 0.0
    for rank, doc in enumerate(ranking, start=1):
        for topic in topics_of.get(doc, ()):
            times = seen.get(topic, 0)
            total += (1.0 - alpha) ** times / math.log2(rank + 1)
            seen[topic] = times + 1
    return total


def _ideal(topics_of: Mapping[str, Sequence[str]], k: int, alpha: float) -> list[str]:
    """Take the document with the largest gain, again and again; of equals the last id in code-point order."""
    seen: dict[str, int] = {}
    left = sorted(topics_of, reverse=True)
    chosen: list[str] = []
    while left and len(chosen) < k:
        best = max(left, key=lambda doc: sum((1.0 - alpha) ** seen.get(topic, 0) for topic in topics_of[doc]))
        for topic in topics_of[best]:
            seen[topic] = seen.get(topic, 0) + 1
        left.remove(best)
        chosen.append(best)
    return chosen


def stands_above(ranking: Sequence[str], targets: Collection[str], others: Collection[str]) -> bool:
    """True if one of `targets` is in the ranking and nothing of `others` stands above the first of them."""
    return next((doc in targets for doc in ranking if doc in targets or doc in others), False)


def mean(values: Sequence[float]) -> float:
    """Arithmetic mean; raises `BadInput` on no values."""
    if not values:
        raise BadInput("the mean of no values is not defined")
    return math.fsum(values) / len(values)


def percentile(values: Sequence[float], percent: float) -> float:
    """The value below which `percent` (0…100) of `values` lie, linear between neighbours."""
    return float(np.percentile(np.asarray(values, dtype=np.float64), percent))


def bootstrap_ci95(values: Sequence[float], rounds: int = 1000, seed: int = 7) -> tuple[float, float]:
    """95 % interval of the mean of `values` (one a query): percentile bootstrap.

    `rounds` samples of the same size are drawn with replacement; the 2.5th and 97.5th percentile of
    their means are the answer. The same values and seed give the same interval, and measures over the
    same queries are resampled alike. Source: Efron (1979); Sakai (2006) for retrieval measures.
    """
    if not values:
        raise BadInput("the interval of no values is not defined")
    data = np.asarray(values, dtype=np.float64)
    random = np.random.default_rng(seed)
    means = [float(data[random.integers(0, len(data), len(data))].mean()) for _ in range(rounds)]
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)
