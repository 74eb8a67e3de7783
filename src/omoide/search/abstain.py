"""When the honest answer is: nothing here. The least bad of fifty unrelated notes is not a find.

A search abstains when neither lane has evidence: no candidate holds a share of the query's words, by
their rarity, that chance would not give, and the best cosine lies below the model's own noise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from omoide.index.bm25 import LexicalLane
from omoide.search.scales import CosineScale

if TYPE_CHECKING:
    from omoide.index.dense import DenseLane

WORD_SHARE = 0.1
"""Least share of the query's rarity that the best candidate must hold."""


def nothing_relevant(text: LexicalLane | None, vector: DenseLane | None, scale: CosineScale) -> str:
    """The reason to return nothing, or "" when something speaks for the best candidates."""
    if vector is not None and vector.scores and vector.scores[0] >= scale.noise:
        return ""
    if text is not None and text.scores:
        share = word_share(text)
        return "" if share >= WORD_SHARE else f"Only common pieces of words match: the best holds {share:.0%} of the query by rarity."
    if vector is not None and vector.scores:
        return f"The nearest text has cosine {vector.scores[0]:.3f}, below this model's noise of {scale.noise:.3f}."
    return "No text holds a word of the query."


def word_share(lane: LexicalLane) -> float:
    """Greatest Σ idf of the words a candidate holds / Σ idf of all words of the query, over the first 20."""
    weights = [_weight(term, value) for term, value in zip(lane.about.terms, lane.about.idf, strict=True)]
    total = sum(weights)
    if total <= 0:
        return 1.0 if lane.scores else 0.0
    held = (sum(weight for tf, weight in zip(row, weights, strict=True) if tf) for row in lane.freq[:20])
    return max(held, default=0.0) / total


def _weight(term: str, idf: float) -> float:
    """A single character of a longer word is half a piece of evidence; what stands nowhere still counts."""
    return max(idf, 0.0) * (0.5 if len(term) == 1 else 1.0)
