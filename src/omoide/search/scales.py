"""Raw scores of a lane on a scale of 0…1 that is the same for every query and every result list.

Text: √(bm25 / ceiling), where the ceiling is what BM25 would give a text of nothing but the query (every
word at full saturation). The root is there because real texts saturate early; words that stand nowhere
raise the ceiling, so a query in another language cannot shine by one chance word.

Vector: where the cosine lies between what the model gives unrelated texts and what it gives a question
and its answer. Both ends are measured for each model (`models.calibration`), never copied.
"""

from __future__ import annotations

import math
from typing import NamedTuple


class CosineScale(NamedTuple):
    """Cosine `low` is 0, `high` is 1; `noise` is the level below which a best hit says nothing."""

    low: float = 0.0
    high: float = 1.0
    noise: float = -1.0


def text_scale(bm25: float, ceiling: float, evidence: float = 1.0) -> float:
    """textScore of a hit; `evidence` is its `text.scripts.word_evidence`."""
    return math.sqrt(min(max(bm25, 0.0), ceiling) / ceiling) * evidence if ceiling > 0 else 0.0


def vector_scale(cosine: float, scale: CosineScale) -> float:
    """vectorScore of a hit."""
    return min(max((cosine - scale.low) / max(scale.high - scale.low, 1e-9), 0.0), 1.0)
