"""When the honest answer is: nothing here. The least bad of fifty unrelated notes is not a find.

A search abstains when neither lane has evidence: no candidate holds a rare word of the query, nor a share
of its words by their rarity that chance would not give, and the best cosine lies below the model's noise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from omoide.index.bm25 import LexicalLane, idf
from omoide.search.scales import CosineScale
from omoide.text.asked import Way, Word, asked
from omoide.text.tokenize import query_terms

if TYPE_CHECKING:
    from omoide.index.dense import DenseLane

WORD_SHARE = 0.1
"""Least share of the query's rarity that the best candidate must hold."""

RARE = 0.5
"""One word is enough from this share of an unknown word's rarity on: about √(n / 2) texts hold it."""

FEWEST = 100
"""A memory is never taken for smaller: among two notes nothing is rare, and what is unknown says nothing."""


def nothing_relevant(query: str, text: LexicalLane | None, vector: DenseLane | None, scale: CosineScale) -> str:
    """The reason to return nothing, or "" when something speaks for the best candidates."""
    if vector is not None and vector.scores and vector.scores[0] >= scale.noise:
        return ""
    if text is not None and text.scores:
        share = word_share(query, text)
        return "" if share >= WORD_SHARE else f"Only common pieces of words match: the best holds {share:.0%} of the query by rarity."
    if vector is not None and vector.scores:
        return f"The nearest text has cosine {vector.scores[0]:.3f}, below this model's noise of {scale.noise:.3f}."
    return "No text holds a word of the query."


def word_share(query: str, lane: LexicalLane) -> float:
    """Greatest Σ rarity of the words a candidate holds / Σ rarity of all, over the first 20; 1 for a rare word."""
    about = lane.about
    n = max(about.n, FEWEST)
    rarity = {term: idf("plus-one", n, df) for term, df in zip(about.terms, about.df, strict=True)}
    words = asked(query) if query_terms(query).terms == about.terms else []
    words = words or [Word((Way((term,)),)) for term in about.terms]
    total = sum(_weight(word, max(_rarity(way, rarity) for way in word.ways)) for word in words)
    best = 0.0
    for row in lane.freq[:20]:
        here = {term: rarity[term] for term, tf in zip(about.terms, row, strict=True) if tf}
        held = [(word, max((_rarity(way, here) for way in word.ways), default=0.0)) for word in words]
        if any(value >= RARE * idf("plus-one", n, 0) for _, value in held):
            return 1.0
        best = max(best, sum(_weight(*one) for one in held))
    return best / total if total else 1.0


def _rarity(way: Way, rarity: dict[str, float]) -> float:
    """Rarity of the word if it is held this way: of the last of the terms it needs, the rarest first; else 0."""
    found = sorted((rarity[term] for term in way.terms if term in rarity), reverse=True)
    return found[way.need - 1] if len(found) >= way.need else 0.0


def _weight(word: Word, rarity: float) -> float:
    return rarity * (0.5 if word.weak else 1.0)
