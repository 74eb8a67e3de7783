"""Raw scores of a lane on a scale of 0…1 that is the same for every query and every result list.

Text: √(bm25 / ceiling), where the ceiling is what BM25 would give a text of nothing but the query (every
word at full saturation). The root is there because real texts saturate early; words that stand nowhere
raise the ceiling, so a query in another language cannot shine by one chance word.

Vector: where the cosine lies between what the model gives unrelated texts and what it gives a question
and its answer. Both ends are measured for each model (`models.calibration`), never copied.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]


class CosineScale(NamedTuple):
    """Cosine `low` is 0, `high` is 1; `noise` is the level below which a best hit says nothing."""

    low: float = 0.0
    high: float = 1.0
    noise: float = -1.0


def text_scale(bm25: Scores, ceiling: float, evidence: Scores) -> Scores:
    """textScore of each hit; `evidence` is `text.scripts.word_evidence` of each."""
    if ceiling <= 0:
        return np.zeros_like(bm25)
    scaled: Scores = np.sqrt(np.clip(bm25, 0.0, ceiling) / ceiling) * evidence
    return scaled


def vector_scale(cosine: Scores, scale: CosineScale) -> Scores:
    """vectorScore of each hit."""
    return np.clip((cosine - scale.low) / max(scale.high - scale.low, 1e-9), 0.0, 1.0)
