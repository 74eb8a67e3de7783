"""Both lanes in one table, side by side."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide import Collection, Settings
from omoide.index.bm25 import LexicalLane, Statistics
from omoide.index.dense import DenseLane
from omoide.models.hashing import HashingEmbedder
from omoide.search.retrieve import Sides, ranked, side_by_side
from omoide.settings import Hybrid
from omoide.testing import SlowEmbedder

ROWS = [
    {"id": "cat", "text": "the cat sleeps on the warm stove"},
    {"id": "dog", "text": "the dog runs along the river"},
    {"id": "both", "text": "cat and dog share one bowl of water"},
    {"id": "code", "text": "error HTTP-403 means forbidden"},
]


def collection(**settings: Any) -> Collection:
    """The rows with vectors of the hashing embedder."""
    notes = Collection(ROWS, settings=Settings().with_values(settings), embedder=HashingEmbedder(128))
    notes.embed()
    return notes


def test_hyb_01_slow_lanes_run_side_by_side() -> None:
    """Two lanes of 200 ms take less than 350 ms together, and their answers come in order."""
    def slow(answer: str) -> Any:
        def lane() -> str:
            time.sleep(0.2)
            return answer

        return lane

    start = time.perf_counter()
    assert side_by_side(slow("a"), slow("b")) == ("a", "b")
    assert time.perf_counter() - start < 0.35
    assert side_by_side(slow("a")) == ("a",)
    assert side_by_side() == ()


def test_hyb_01_a_lane_that_fails_is_heard() -> None:
    """An error of either lane reaches the caller."""
    def bad() -> None:
        raise KeyError("lane")

    for lanes in ((bad, lambda: 1), (lambda: 1, bad)):
        with pytest.raises(KeyError):
            side_by_side(*lanes)


def test_hyb_01_a_slow_model_is_asked_once() -> None:
    """A search waits for a slow embedder once, not once a lane."""
    notes = Collection(ROWS, embedder=HashingEmbedder(32))
    notes.embed()
    notes.search("cat")
    notes.embedder = SlowEmbedder(HashingEmbedder(32), 0.2)
    start = time.perf_counter()
    assert notes.search("cat").hits
    assert 0.2 <= time.perf_counter() - start < 0.35


def test_hyb_07_ranks_in_every_hit() -> None:
    """Each hit shows its rank on each side, 1 is first, and those are the ranks of the lanes alone."""
    with collection() as notes:
        found = notes.search("cat bowl", recipe="hybrid", explain=True)
        for stage in ("lexical", "dense"):
            alone = [hit.chunk.id for hit in notes.search("cat bowl", recipe=stage).hits]
            shown = {hit.chunk.id: part.rank for hit in found.hits if (part := hit.lane(stage))}
            assert {key: alone.index(key) + 1 for key in shown if key in alone} == {key: rank for key, rank in shown.items() if key in alone}


def test_hyb_07_the_change_of_rank_is_summed_up() -> None:
    """The printed change is lane rank − new rank, with the mean and the greatest over all hits."""
    with collection() as notes:
        found = notes.search("cat bowl dog", explain=True)
        moves = [abs(part.rank - rank) for rank, hit in enumerate(found.hits, 1) if (part := hit.lane("dense"))]
        assert found.facts["rank_changes"]["dense_moved_max"] == max(moves)
        assert found.facts["rank_changes"]["dense_moved_mean"] == pytest.approx(sum(moves) / len(moves))


def test_one_lane_alone_keeps_its_scale() -> None:
    """Without the other side a hit has the score of its lane, and its trace is that lane."""
    with collection() as notes:
        for stage in ("lexical", "dense"):
            for hit in notes.search("cat bowl", recipe=stage).hits:
                assert [step.stage for step in hit.trace] == [stage]
                part = hit.lane(stage)
                assert part is not None
                assert hit.score == part.score


def test_hyb_02_rank_fusion_through_a_search() -> None:
    """With fusion rrf a text first on both sides gets 2/61."""
    with collection(**{"search.hybrid.fusion": "rrf"}) as notes:
        best = notes.search("the cat sleeps on the warm stove", recipe="hybrid", explain=True).hits[0]
        assert best.chunk.id == "cat"
        assert best.score == pytest.approx(2 / 61)
        assert best.trace[0].because == "1 / (60 + 1) + 1 / (60 + 1)"


def test_a_lane_alone() -> None:
    """Where only meaning was asked, its scores are the scores and no text has a text rank."""
    lane = DenseLane([7, 3, 5], [0.4, 0.9, 0.0], [1, 2, 3])
    found = ranked((None, lane), Sides([], lane.scores, []), Hybrid())
    assert [(one.row, one.text, one.vector, one.score) for one in found] == [(3, -1, 1, 0.9), (7, -1, 0, 0.4)]


LANE = st.lists(st.tuples(st.integers(0, 12), st.floats(0, 1)), max_size=8, unique_by=lambda pair: pair[0])


@given(LANE, LANE, st.sampled_from(["weighted", "rrf"]), st.floats(0, 1))
def test_places_are_only_a_way_to_add_up(words: Any, near: Any, how: str, weight: float) -> None:
    """The fused score of a text is what the formula gives for its place in either lane, each text stands once, best first."""
    about = Statistics((), (), (), (), 0, 0.0, 1.0)
    text = LexicalLane([row for row, _ in words], [s for _, s in words], [row for row, _ in words], [], [], [], about)
    vector = DenseLane([row for row, _ in near], [s for _, s in near], [row for row, _ in near])
    hybrid = Hybrid(fusion=how, text_weight=weight, vector_weight=1 - weight)
    want = {}
    for row in {*text.ids, *vector.ids}:
        if how == "rrf":
            want[row] = sum(2 * share / (60 + lane.ids.index(row) + 1) for lane, share in ((text, weight), (vector, 1 - weight)) if row in lane.ids)
        else:
            want[row] = weight * dict(words).get(row, 0.0) + (1 - weight) * dict(near).get(row, 0.0)
    found = ranked((text, vector), Sides(text.scores, vector.scores, []), hybrid)
    assert {one.row: one.score for one in found} == {row: pytest.approx(score) for row, score in want.items() if score > 0}
    assert [(-one.score, one.tie) for one in found] == sorted((-one.score, one.tie) for one in found)
