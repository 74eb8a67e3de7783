"""The first stage: both lanes are asked, their answers fused, their chunks loaded.

A lane is a function, so it can be slow (a model on the network) or missing; slow lanes run side by side.
Everything here is arrays until the candidates are chosen: a query touches hundreds of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from omoide.index.dense import DenseLane
from omoide.index.lexical import LexicalLane
from omoide.search import fusion
from omoide.search.scales import CosineScale, text_scale, vector_scale
from omoide.settings import Hybrid, Lexical
from omoide.text.scripts import word_evidence
from omoide.types import Chunk, Hit, Query, Stage, Step

Array = NDArray[Any]
Lanes = tuple[LexicalLane | None, DenseLane | None]


def side_by_side(*lanes: Callable[[], Any]) -> tuple[Any, ...]:
    """Call all at once and wait for all: two lanes of 200 ms take 200 ms, not 400."""
    if len(lanes) < 2:
        return tuple(lane() for lane in lanes)
    with ThreadPoolExecutor(len(lanes) - 1) as pool:
        others = [pool.submit(lane) for lane in lanes[1:]]
        return (lanes[0](), *(other.result() for other in others))


@dataclass(frozen=True, slots=True)
class Found:
    """The union of two lanes as columns: row numbers, ties, raw scores, 0…1 scores and ranks (0: not found)."""

    ids: Array
    ties: Array
    bm25: Array
    cosine: Array
    text: Array
    vector: Array
    text_rank: Array
    vector_rank: Array
    at: Array
    """Where the row stands in the lexical lane, or −1."""


def retrieve(lanes: Lanes, load: Callable[[Sequence[int]], Mapping[int, Chunk]], hybrid: Hybrid, lexical: Lexical,
             scale: CosineScale, pool: int) -> Stage:  # fmt: skip
    """A stage that ignores what comes in and gives the fused candidates, best first, at most `pool`."""

    def stage(query: Query, hits: list[Hit]) -> list[Hit]:
        found = union(query, lanes, scale)
        scores = fused(found, lanes, hybrid)
        order = np.lexsort((found.ties, -scores))
        order = order[scores[order] > 0][:pool]
        chunks = load(found.ids[order].tolist())
        words = _words(lanes[0], lexical) if query.explain else None
        return [
            Hit(chunks[row], (_step(found, i, score, lanes, hybrid, words),))
            for i, row, score in zip(order.tolist(), found.ids[order].tolist(), scores[order].tolist(), strict=True)
            if row in chunks
        ]

    return stage


def union(query: Query, lanes: Lanes, scale: CosineScale) -> Found:
    """Both lanes in one table."""
    text, vector = lanes
    text_ids = text.ids if text else np.empty(0, np.int64)
    vector_ids = vector.ids if vector else np.empty(0, np.int64)
    ids, first = np.unique(np.concatenate([text_ids, vector_ids]), return_index=True)
    ties = np.concatenate([text.ties if text else np.empty(0, np.uint64), vector.ties if vector else np.empty(0, np.uint64)])[first]
    columns = {name: np.zeros(len(ids)) for name in ("bm25", "cosine", "text", "vector", "text_rank", "vector_rank")}
    at = np.full(len(ids), -1)
    if text is not None and len(text_ids):
        where = np.searchsorted(ids, text_ids)
        at[where] = np.arange(len(text_ids))
        columns["bm25"][where] = text.scores
        # words yield to meaning only where there is a lane for meaning
        shares = text.script.tolist() if vector is not None else ()
        evidence = np.array([word_evidence(query.text, share) for share in shares] or 1.0)
        columns["text"][where] = text_scale(text.scores, text.ceiling, evidence)
        columns["text_rank"][where] = np.arange(1, len(text_ids) + 1)
    if vector is not None and len(vector_ids):
        where = np.searchsorted(ids, vector_ids)
        columns["cosine"][where] = vector.scores
        columns["vector"][where] = vector_scale(vector.scores, scale)
        columns["vector_rank"][where] = np.arange(1, len(vector_ids) + 1)
    return Found(ids, ties, at=at, **columns)


def fused(found: Found, lanes: Lanes, hybrid: Hybrid) -> Array:
    """Relevance of each row. One lane alone keeps its own scale."""
    if lanes[1] is None:
        return found.text
    if lanes[0] is None:
        return found.vector
    if hybrid.fusion == "rrf":
        return fusion.reciprocal_rank(
            found.text_rank, found.vector_rank, hybrid.text_weight * 2, hybrid.vector_weight * 2, hybrid.rrf_k
        )
    return fusion.weighted_sum(found.text, found.vector, hybrid.text_weight, hybrid.vector_weight)


Words = Callable[[int], list[dict[str, Any]]]


def _words(lane: LexicalLane | None, settings: Lexical) -> Words | None:
    if lane is None:
        return None
    gave = lane.contributions(settings)

    def words(at: int) -> list[dict[str, Any]]:
        names = zip(lane.terms, lane.df, lane.idf, lane.weights, strict=True)
        return [
            {"term": term, "df": df, "idf": idf, "times": times, "tf": int(lane.freq[at, i]), "gave": float(gave[at, i])}
            for i, (term, df, idf, times) in enumerate(names)
        ]

    return words


def _step(found: Found, i: int, score: float, lanes: Lanes, hybrid: Hybrid, words: Words | None) -> Step:
    parts = []
    if lanes[0] is not None and found.text_rank[i]:
        parts.append(_lexical_step(found, i, lanes[0], words))
    if lanes[1] is not None and found.vector_rank[i]:
        facts = {"cosine": float(found.cosine[i])}
        parts.append(Step("dense", float(found.vector[i]), rank=int(found.vector_rank[i]), facts=facts))
    if lanes[0] is None or lanes[1] is None:
        return parts[0]
    return Step("fuse", score, parts=tuple(parts), facts={"hybrid": hybrid})


def _lexical_step(found: Found, i: int, lane: LexicalLane, words: Words | None) -> Step:
    at = int(found.at[i])
    facts: dict[str, Any] = {"bm25": float(found.bm25[i]), "ceiling": lane.ceiling}
    if words:
        facts |= {"words": words(at), "length": int(lane.length[at]), "n": lane.n, "average": lane.average,
                  "evidence": float(found.text[i]) / max(float(np.sqrt(found.bm25[i] / lane.ceiling)), 1e-12)}  # fmt: skip
    return Step("lexical", float(found.text[i]), rank=int(found.text_rank[i]), facts=facts)
