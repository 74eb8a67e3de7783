"""Two rankings become one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.search.fusion import reciprocal_ranks, weighted

RANKING = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8)


def fuse_rankings(rankings: list[list[str]], k: int = 60) -> dict[str, float]:
    """Ids with the sum of what each ranking adds, best first."""
    out: dict[str, float] = {}
    for ranking in rankings:
        for key, adds in zip(ranking, reciprocal_ranks(len(ranking), k=k), strict=True):
            out[key] = out.get(key, 0.0) + adds
    return dict(sorted(out.items(), key=lambda item: (-item[1], item[0])))


def test_hyb_02_first_in_both() -> None:
    """A text that is first on both sides gets 2/61, one in a single list still counts."""
    assert fuse_rankings([["a", "b"], ["a", "c"]])["a"] == pytest.approx(2 / 61)
    assert fuse_rankings([["a"], []]) == {"a": pytest.approx(1 / 61)}
    assert 2 * reciprocal_ranks(1)[0] == pytest.approx(2 / 61)


def test_hyb_02_ranks_by_hand() -> None:
    """Hand-made ranks give the hand-worked sums to six digits, read from a table too."""
    found = fuse_rankings([["a", "b", "c"], ["c", "a", "d"]])
    want = {"a": 0.032522, "c": 0.032266, "b": 0.016129, "d": 0.015873}
    assert {key: round(value, 6) for key, value in found.items()} == want
    assert list(found) == ["a", "c", "b", "d"]
    side = [0.0, *reciprocal_ranks(3)]
    table = [side[one] + side[other] for one, other in ((1, 2), (2, 0), (3, 1), (0, 3))]
    assert [round(value, 6) for value in table] == [want[key] for key in "abcd"]


@given(RANKING, RANKING, st.integers(0, 100))
def test_rank_fusion_is_a_ranking_of_the_union(one: list[str], other: list[str], k: int) -> None:
    """Nothing is lost or invented, a text above another in both lists stays above it, and the order of lists is no matter."""
    found = fuse_rankings([one, other], k)
    assert set(found) == set(one) | set(other)
    assert found == pytest.approx(fuse_rankings([other, one], k))
    assert list(found.values()) == sorted(found.values(), reverse=True)
    both = [key for key in one if key in other]
    assert all(found[a] > found[b] for a in both for b in both if one.index(a) < one.index(b) and other.index(a) < other.index(b))


@given(st.lists(st.floats(0, 50), min_size=1, max_size=8, unique=True))
def test_hyb_04_rank_fusion_ignores_scales(scores: list[float]) -> None:
    """Multiplying one side by a thousand leaves the fused scores as they were."""
    def ranking(values: list[float]) -> list[str]:
        return [str(i) for i in sorted(range(len(values)), key=lambda i: -values[i])]

    other = [str(i) for i in range(len(scores))]
    assert fuse_rankings([ranking(scores), other]) == fuse_rankings([ranking([1000 * value for value in scores]), other])


def test_the_weighted_sum() -> None:
    """A missing side counts 0, and a lone weak hit stays weak."""
    found = [sum(pair) for pair in zip(weighted([0.8, 0.0, 0.01], 0.5), weighted([0.4, 0.6, 0.0], 0.5), strict=True)]
    assert found == pytest.approx([0.6, 0.3, 0.005])
