"""Raw scores on one scale."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.search.scales import CosineScale, text_scale, vector_scale


@given(st.lists(st.floats(0, 100), min_size=1), st.floats(0, 100))
def test_text_scores_are_shares(bm25: list[float], ceiling: float) -> None:
    """Every text score lies in 0…1 and keeps the order of BM25."""
    found = [text_scale(score, ceiling) for score in sorted(bm25)]
    assert all(0 <= score <= 1 for score in found)
    assert found == sorted(found)


def test_by_hand() -> None:
    """A quarter of the ceiling is a half, the evidence multiplies, no ceiling is 0; cosines are clipped to their span."""
    assert [text_scale(*given) for given in ((1.0, 4.0, 1), (4.0, 4.0, 1), (1.0, 4.0, 0.5), (1.0, 0.0))] == [0.5, 1.0, 0.25, 0.0]
    scaled = [vector_scale(cosine, CosineScale(0.8, 0.9)) for cosine in (0.7, 0.8, 0.85, 0.9, 1.0)]
    assert scaled == pytest.approx([0, 0, 0.5, 1, 1])
    assert vector_scale(0.5, CosineScale(0.5, 0.5)) == 0.0
