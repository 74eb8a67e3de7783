"""Each measure against values worked out by hand, and the properties all of them have."""

from __future__ import annotations

from math import isclose, log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.errors import BadInput
from omoide.evaluate import metrics

THREE = {"a", "b", "c"}


def test_one_of_three_found_is_a_hit_but_a_third_of_recall() -> None:
    """Hit rate and strict recall are two numbers: 3 relevant, 1 found gives 1.0 and 1/3."""
    ranking = ["x", "a", "y", "z"]
    assert metrics.hit_rate(ranking, THREE, 4) == 1.0
    assert isclose(metrics.strict_recall(ranking, THREE, 4), 1 / 3)
    assert metrics.recall_all(ranking, THREE, 4) == 0.0


def test_recall_all_needs_every_document() -> None:
    """recall_all is 1 only when the last relevant document is inside the cut-off."""
    ranking = ["a", "b", "x", "c"]
    assert metrics.recall_all(ranking, THREE, 3) == 0.0
    assert metrics.recall_all(ranking, THREE, 4) == 1.0


def test_cut_off_is_inclusive() -> None:
    """A document at rank k counts at k and not at k - 1."""
    ranking = ["p", "q", "r", "s", "a"]
    assert metrics.hit_rate(ranking, {"a"}, 4) == 0.0
    assert metrics.hit_rate(ranking, {"a"}, 5) == 1.0


def test_recall_is_not_capped_at_k() -> None:
    """Strict recall divides by all relevant documents, also where there are more than k."""
    relevant = {f"d{number}" for number in range(20)}
    assert metrics.strict_recall(sorted(relevant), relevant, 10) == 0.5


@pytest.mark.parametrize(("rank", "value"), [(1, 1.0), (2, 0.5), (10, 0.1), (20, 0.05), (21, 0.0)])
def test_reciprocal_rank(rank: int, value: float) -> None:
    """Rank 1 gives 1 point, rank 10 gives 0.1, and beyond 20 there is nothing."""
    ranking = [f"x{number}" for number in range(1, 30)]
    ranking[rank - 1] = "a"
    assert isclose(metrics.reciprocal_rank(ranking, {"a"}, 20), value)


def test_reciprocal_rank_takes_the_first() -> None:
    """Only the first relevant document counts for MRR."""
    assert metrics.reciprocal_rank(["x", "b", "a"], {"a", "b"}, 20) == 0.5


def test_ndcg_with_grades_3_2_1() -> None:
    """With grades 3, 2, 1 in the order 2, 3, 0, 1 the DCG has gains 3, 7, 0, 1 over log2(rank + 1)."""
    grades = {"a": 3, "b": 2, "c": 1}
    found = 3 / log2(2) + 7 / log2(3) + 0 + 1 / log2(5)
    best = 7 / log2(2) + 3 / log2(3) + 1 / log2(4)
    assert isclose(metrics.ndcg(["b", "a", "x", "c"], grades, 10), found / best)
    assert isclose(found / best, 0.83545, abs_tol=5e-6)


def test_ndcg_of_the_best_order_is_one() -> None:
    """Documents by falling grade give exactly 1, cut at k or not; judged 0 changes nothing."""
    grades = {"a": 3, "b": 2, "c": 1, "d": 0}
    assert metrics.ndcg(["a", "b", "c", "d"], grades, 10) == 1.0
    assert metrics.ndcg(["a", "b"], grades, 2) == 1.0


def test_failure_rate_is_about_queries_without_any_right_document() -> None:
    """The failure rate is one minus the hit rate in the first 20, not one minus strict recall."""
    ranking = [f"x{number}" for number in range(19)] + ["a", "b"]
    assert metrics.failure_rate(ranking, {"a", "b"}, 20) == 0.0
    assert metrics.failure_rate(ranking, {"b", "c"}, 20) == 1.0
    assert "first 20" in metrics.DEFINITIONS["failure_rate"]


SUBTOPICS = {"1": {"a", "b"}, "2": {"b", "c"}, "3": {"d"}}


def test_subtopic_recall() -> None:
    """A subtopic counts once, however many of its documents stand in the first k."""
    assert isclose(metrics.subtopic_recall(["a", "x", "b"], SUBTOPICS, 2), 1 / 3)
    assert isclose(metrics.subtopic_recall(["a", "x", "b"], SUBTOPICS, 3), 2 / 3)
    assert metrics.subtopic_recall(["b", "d"], SUBTOPICS, 2) == 1.0


def test_alpha_ndcg_by_hand() -> None:
    """A subtopic seen again gains half: a, c, b, d gives 1, 1/log2(3), (1/2 + 1/2)/2 and 1/log2(5)."""
    found = 1 + 1 / log2(3) + (0.5 + 0.5) / log2(4) + 1 / log2(5)
    # ideal: b (two new), d (one new), then c and a (half each)
    best = 2 + 1 / log2(3) + 0.5 / log2(4) + 0.5 / log2(5)
    assert isclose(metrics.alpha_ndcg(["a", "c", "b", "d"], SUBTOPICS, 10), found / best)


def test_alpha_ndcg_punishes_repeats() -> None:
    """Two documents of one subtopic are worth less than two of different ones."""
    repeat = metrics.alpha_ndcg(["a", "b"], {"1": {"a", "b"}, "2": {"c"}}, 2)
    spread = metrics.alpha_ndcg(["a", "c"], {"1": {"a", "b"}, "2": {"c"}}, 2)
    assert repeat < spread == 1.0


def test_stands_above() -> None:
    """A target wins when it comes before every rival, loses after one, and loses when it is absent."""
    assert metrics.stands_above(["x", "new", "old"], {"new"}, {"old"})
    assert not metrics.stands_above(["old", "new"], {"new"}, {"old"})
    assert not metrics.stands_above(["x"], {"new"}, {"old"})


def test_nothing_relevant_is_no_number() -> None:
    """A query without relevant documents has no recall: it is an error, not 0 or 1."""
    with pytest.raises(BadInput, match="at least one relevant"):
        metrics.strict_recall(["a"], set(), 10)
    with pytest.raises(BadInput, match="at least one relevant"):
        metrics.ndcg(["a"], {"a": 0}, 10)
    with pytest.raises(BadInput, match="1 or more"):
        metrics.hit_rate(["a"], {"a"}, 0)
    with pytest.raises(BadInput):
        metrics.mean([])
    with pytest.raises(BadInput):
        metrics.bootstrap_ci95([])


def test_bootstrap_is_deterministic_and_holds_the_mean() -> None:
    """The same values and seed give the same interval; it holds the mean and shrinks with more queries."""
    values = [0.0, 1.0, 1.0, 0.0, 1.0] * 10
    low, high = metrics.bootstrap_ci95(values)
    assert (low, high) == metrics.bootstrap_ci95(values)
    assert low < 0.6 < high
    more = metrics.bootstrap_ci95(values * 10)
    assert more[1] - more[0] < high - low
    # the interval of a proportion by its formula: 0.6 ± 1.96 · sqrt(0.6 · 0.4 / 50)
    assert isclose(low, 0.464, abs_tol=0.03)
    assert isclose(high, 0.736, abs_tol=0.03)


def test_bootstrap_of_equal_values_has_no_width() -> None:
    """Where every query has the same value there is nothing to doubt."""
    assert metrics.bootstrap_ci95([0.25] * 7) == (0.25, 0.25)


def test_percentile_is_linear_between_neighbours() -> None:
    """The median of 1 and 2 is 1.5."""
    assert metrics.percentile([2.0, 1.0], 50) == 1.5
    assert metrics.percentile([5.0], 99) == 5.0


DOCS = st.permutations([f"d{number}" for number in range(8)])


@given(DOCS, st.sets(st.sampled_from([f"d{number}" for number in range(10)]), min_size=1), st.integers(1, 12))
def test_values_lie_between_nought_and_one(ranking: list[str], relevant: set[str], k: int) -> None:
    """Every measure stays in 0…1, grows with k, and all-found ≤ recall ≤ hit."""
    everything = metrics.recall_all(ranking, relevant, k)
    recall = metrics.strict_recall(ranking, relevant, k)
    hit = metrics.hit_rate(ranking, relevant, k)
    assert 0 <= everything <= recall <= hit <= 1
    assert recall <= metrics.strict_recall(ranking, relevant, k + 1)
    assert metrics.failure_rate(ranking, relevant, k) == 1 - hit
    assert 0 <= metrics.ndcg(ranking, dict.fromkeys(relevant, 2), k) <= 1 + 1e-12
    assert 0 <= metrics.alpha_ndcg(ranking, {"t": relevant}, k) <= 1 + 1e-12
