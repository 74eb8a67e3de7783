"""Support from the place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.search.neighbors import support
from omoide.settings import Support
from omoide.types import Hit
from parts.hits import hit, ids, query

ALONE = Support(session=0.0)


def test_neighbours_lift_each_other() -> None:
    """Two neighbouring pieces of one file gain 0.3 of each other, within the room that is left, and overtake a lone one."""
    hits = [hit("lone", 0.55, path="b", lines=(9, 9)), hit("x", 0.5, path="a", lines=(1, 2)), hit("y", 0.5, path="a", lines=(4, 5))]
    found = support(ALONE)(query(), hits)
    raw = 0.3 * 0.5
    assert ids(found) == ["x", "y", "lone"]
    assert [one.score for one in found] == pytest.approx([0.5 + raw / (1 + raw) * 0.5] * 2 + [0.55])
    assert found[0].trace[-1].facts == {"beside": 0.5, "session": 0.0 or pytest.approx(1.0), "gain": pytest.approx(raw / (1 + raw) * 0.5)}


@pytest.mark.parametrize(
    ("first", "second"), [(("a", (1, 2)), ("a", (5, 6))), (("a", (1, 2)), ("b", (3, 4))), (("", (1, 2)), ("", (3, 4))), (("a", (1, 4)), ("a", (4, 4)))]
)
def test_what_is_no_neighbour(first: tuple[str, tuple[int, int]], second: tuple[str, tuple[int, int]]) -> None:
    """Pieces further apart, of two files, of none, or of one line give each other nothing."""
    hits = [hit("x", 0.5, path=first[0], lines=first[1]), hit("y", 0.4, path=second[0], lines=second[1])]
    assert [one.score for one in support(ALONE)(query(), hits)] == [0.5, 0.4]


def test_a_session_with_several_hits_counts_more() -> None:
    """The session prior is the share of the best session, from its three best hits."""
    hits = [hit("one", 0.5, path="b", lines=(1, 1)), *(hit(f"s{i}", 0.45, path="a", lines=(10 * i, 10 * i)) for i in range(1, 5))]
    found = {one.chunk.id: one for one in support(Support(neighbours=0.0))(query(), hits)}
    assert found["s1"].trace[-1].facts is not None
    assert found["s1"].trace[-1].facts["session"] == 1.0
    assert found["one"].trace[-1].facts is not None
    assert found["one"].trace[-1].facts["session"] == pytest.approx(0.5 / 1.35)


HITS = st.lists(st.tuples(st.floats(0, 1), st.sampled_from(["", "a", "b"]), st.integers(0, 9)), max_size=12)


@given(HITS, st.floats(0, 1), st.floats(0, 1))
def test_it_only_lifts_and_stays_below_one(rows: list[tuple[float, str, int]], neighbours: float, session: float) -> None:
    """Nothing is dropped, no score falls or passes 1, and the best is first."""
    hits: list[Hit] = [hit(str(i), score, path=path, lines=(line, line)) for i, (score, path, line) in enumerate(rows)]
    found = support(Support(neighbours=neighbours, session=session))(query(), hits)
    assert sorted(ids(found)) == sorted(ids(hits))
    assert all(one.trace[0].score <= one.score <= 1 for one in found)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
