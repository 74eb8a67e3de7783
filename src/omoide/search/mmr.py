"""Maximal marginal relevance: near-duplicates are spread, nothing is dropped.

Carbonell and Goldstein, "The use of MMR, diversity-based reranking", SIGIR 1998. Results are taken one at
a time, each the argmax of

    λ · relevance − (1 − λ) · greatest similarity to those already taken

Similarity is the Jaccard index of the term sets. The greatest similarity is kept as a running maximum, so
n results cost n set comparisons each, not n².
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from omoide.settings import Mmr
from omoide.types import Hit, Query, Stage, Step

Array = NDArray[Any]


class Choice(NamedTuple):
    """Which result was taken: `place` in the input, its `objective`, the greatest `overlap` and with which (−1: none)."""

    place: int
    objective: float
    overlap: float
    beside: int


def jaccard(a: frozenset[Any] | set[Any], b: frozenset[Any] | set[Any]) -> float:
    """|a ∩ b| / |a ∪ b|; two empty sets are 0 here, because only their texts can tell if they are equal."""
    return len(a & b) / len(a | b) if a or b else 0.0


def maximal_marginal_relevance(
    relevance: Sequence[float], bits: Array, lambda_: float, count: int | None = None
) -> list[Choice]:
    """The order of MMR. `bits`: one row a result, packed term sets (uint64 words). Equal objectives: first wins."""
    total = len(relevance)
    value = lambda_ * np.asarray(relevance, float)
    sizes = np.bitwise_count(bits).sum(axis=1, dtype=np.int64)
    greatest = np.zeros(total)
    source = np.full(total, -1)
    free = np.ones(total, bool)
    chosen: list[Choice] = []
    for _ in range(total if count is None else min(count, total)):
        objective = np.where(free, value - (1 - lambda_) * greatest, -np.inf)
        best = int(np.argmax(objective))
        chosen.append(Choice(best, float(objective[best]), float(greatest[best]), int(source[best])))
        free[best] = False
        shared = np.bitwise_count(bits & bits[best]).sum(axis=1, dtype=np.int64)
        either = sizes + sizes[best] - shared
        overlap = np.divide(shared, either, out=np.zeros(total), where=either > 0)
        nearer = overlap > greatest
        greatest[nearer] = overlap[nearer]
        source[nearer] = best
    return chosen


def pack(sets: Sequence[Array], texts: Sequence[str]) -> Array:
    """Term sets (arrays of hashes) as packed bits. An empty set becomes a set of its own text."""
    own = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    filled = [terms if len(terms) else np.array([own[text]], np.uint64) for terms, text in zip(sets, texts, strict=True)]
    vocabulary, column = np.unique(np.concatenate(filled), return_inverse=True)
    row = np.repeat(np.arange(len(filled)), [len(terms) for terms in filled])
    width = -(-len(vocabulary) // 64)
    dense = np.zeros((len(filled), width * 64), bool)
    dense[row, column] = True
    return np.packbits(dense, axis=1).view(np.uint64)


def mmr(settings: Mmr, term_sets: Callable[[Sequence[str]], list[Array]]) -> Stage:
    """A stage that reorders the best `pool` hits: as many as are asked for are taken one by one, the rest follows by
    relevance. `term_sets`: ids of chunks → hashes of their terms."""

    def stage(query: Query, hits: list[Hit]) -> list[Hit]:
        size = sum(hit.score >= settings.least * hits[0].score for hit in hits[: settings.pool]) if hits else 0
        pool, rest = hits[:size], hits[size:]
        if len(pool) < 2:
            return hits
        bits = pack(term_sets([hit.chunk.id for hit in pool]), [hit.chunk.text for hit in pool])
        order = maximal_marginal_relevance([hit.score for hit in pool], bits, settings.lambda_, query.limit)
        taken = {choice.place for choice in order}
        left = [hit for place, hit in enumerate(pool) if place not in taken]
        return [_told(pool, choice, rank, settings) for rank, choice in enumerate(order, 1)] + left + rest

    return stage


def _told(pool: list[Hit], choice: Choice, rank: int, settings: Mmr) -> Hit:
    other = pool[choice.beside].chunk.id if choice.beside >= 0 else ""
    facts = {"lambda": settings.lambda_, "overlap": choice.overlap, "with": other, "was": choice.place + 1}
    return pool[choice.place].then(Step("mmr", choice.objective, rank=rank, facts=facts))
