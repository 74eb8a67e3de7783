"""Maximal marginal relevance: near-duplicates are spread, nothing is dropped.

Carbonell and Goldstein, "The use of MMR, diversity-based reranking", SIGIR 1998. Results are taken one at
a time, each the argmax of

    λ · relevance − (1 − λ) · greatest similarity to those already taken

Similarity is the Jaccard index of the term sets. The greatest similarity is kept as a running maximum, and
only results that could be next are compared; a set is one long integer, so a comparison is an AND.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from heapq import heapify, heappop, heapreplace
from typing import Any, NamedTuple

from omoide.settings import Mmr
from omoide.types import Hit, Query, Stage, Step


class Choice(NamedTuple):
    """Which result was taken: `place` in the input, its `objective`, the greatest `overlap` and with which (−1: none)."""

    place: int
    objective: float
    overlap: float
    beside: int


def maximal_marginal_relevance(relevance: Sequence[float], bits: Sequence[int], lambda_: float, count: int | None = None) -> list[Choice]:
    """The order of MMR. `bits`: a term set a result (see `pack`). Equal objectives: first wins."""
    sizes = [one.bit_count() for one in bits]
    overlap = [(0.0, -1)] * len(bits)
    chosen: list[Choice] = []
    # an objective only falls as more is taken: one that was worked out earlier is a bound, and the best bound is
    # brought up to date until it stands. Entries: −objective, place, how many of those taken it knows.
    waiting = [(-lambda_ * value, place, 0) for place, value in enumerate(relevance)]
    heapify(waiting)
    while waiting and (count is None or len(chosen) < count):
        negative, place, known = waiting[0]
        if known == len(chosen):
            heappop(waiting)
            chosen.append(Choice(place, -negative, *overlap[place]))
            continue
        for other in (choice.place for choice in chosen[known:]):
            shared = (bits[place] & bits[other]).bit_count()
            alike = shared / (sizes[place] + sizes[other] - shared) if shared else 0.0
            if alike > overlap[place][0]:
                overlap[place] = alike, other
        heapreplace(waiting, ((1 - lambda_) * overlap[place][0] - lambda_ * relevance[place], place, len(chosen)))
    return chosen


def pack(sets: Sequence[Collection[int]], texts: Sequence[str]) -> list[int]:
    """Term sets as integers, a bit a term. An empty set becomes a set of its own text."""
    filled: list[Any] = [terms or (text,) for terms, text in zip(sets, texts, strict=True)]
    place = {term: i for i, term in enumerate(dict.fromkeys(term for terms in filled for term in terms))}
    out = []
    for terms in filled:
        bits = bytearray(len(place) // 8 + 1)
        for term in terms:
            at = place[term]
            bits[at >> 3] |= 1 << (at & 7)
        out.append(int.from_bytes(bits, "little"))
    return out


def mmr(settings: Mmr, term_sets: Callable[[Sequence[str]], list[tuple[int, ...]]]) -> Stage:
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
    facts = {
        "lambda": settings.lambda_,
        "relevance": pool[choice.place].score,
        "overlap": choice.overlap,
        "with": other,
        "was": choice.place + 1,
    }
    return pool[choice.place].then(Step("mmr", choice.objective, rank=rank, facts=facts))
