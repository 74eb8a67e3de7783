"""Raw scores on one scale."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.search.scales import CosineScale, text_scale, vector_scale


@given(st.lists(st.floats(0, 100), min_size=1), st.floats(0, 100))
def test_text_scores_are_shares(bm25: list[float], ceiling: float) -> None:
    """Every text score lies in 0…1 and keeps the order of BM25."""
    found = text_scale(np.array(bm25), ceiling, np.ones(len(bm25)))
    assert ((found >= 0) & (found <= 1)).all()
    assert (np.diff(found[np.argsort(bm25)]) >= 0).all()


def test_by_hand() -> None:
    """A quarter of the ceiling is a half, the evidence multiplies, no ceiling is 0; cosines are clipped to their span."""
    assert text_scale(np.array([1.0, 4.0, 1.0]), 4.0, np.array([1, 1, 0.5])).tolist() == [0.5, 1.0, 0.25]
    assert text_scale(np.array([1.0]), 0.0, np.ones(1)).tolist() == [0.0]
    scaled = vector_scale(np.array([0.7, 0.8, 0.85, 0.9, 1.0]), CosineScale(0.8, 0.9))
    assert scaled.tolist() == pytest.approx([0, 0, 0.5, 1, 1])
    assert vector_scale(np.array([0.5]), CosineScale(0.5, 0.5)).tolist() == [0.0]
