"""The first stage: both lanes are asked, their answers fused, their chunks loaded.

A lane is a function, so it can be slow (a model on the network) or missing; slow lanes run side by side.
A query touches hundreds of rows, so plain tuples do; only the lanes below need arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from omoide.index.bm25 import LexicalLane
from omoide.search import fusion
from omoide.search.scales import CosineScale, text_scale, vector_scale
from omoide.settings import Hybrid, Lexical
from omoide.text.scripts import word_evidence, yields_to_meaning
from omoide.types import Chunk, Hit, Query, Stage, Step

if TYPE_CHECKING:
    from omoide.index.dense import DenseLane

    Lanes = tuple[LexicalLane | None, DenseLane | None]


def side_by_side(*lanes: Callable[[], Any]) -> tuple[Any, ...]:
    """Call all at once and wait for all: two lanes of 200 ms take 200 ms, not 400."""
    if len(lanes) < 2:
        return tuple(lane() for lane in lanes)
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(len(lanes) - 1) as pool:
        others = [pool.submit(lane) for lane in lanes[1:]]
        return (lanes[0](), *(other.result() for other in others))


class Side(NamedTuple):
    """What one lane says of a row: its own score, the same on 0…1, its rank from 1."""

    raw: float
    score: float
    rank: int
    evidence: float = 1.0


class Candidate(NamedTuple):
    """A row that one lane or both found."""

    row: int
    tie: int
    text: Side | None
    vector: Side | None


def retrieve(lanes: Lanes, load: Callable[[Sequence[int]], Mapping[int, Chunk]], hybrid: Hybrid, lexical: Lexical,
             scale: CosineScale, pool: int) -> Stage:  # fmt: skip
    """A stage that ignores what comes in and gives the fused candidates, best first, at most `pool`."""

    def stage(query: Query, hits: list[Hit]) -> list[Hit]:
        scored = [(fused(one, lanes, hybrid), one) for one in union(query, lanes, scale)]
        best = sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: (-pair[0], pair[1].tie))[:pool]
        chunks = load([one.row for _, one in best])
        words = _words(lanes[0], lexical) if lanes[0] is not None and query.explain else None
        return [Hit(chunks[one.row], (_step(one, score, lanes, hybrid, words),)) for score, one in best if one.row in chunks]

    return stage


def union(query: Query, lanes: Lanes, scale: CosineScale) -> list[Candidate]:
    """Both lanes in one table."""
    text, vector = lanes
    words = dict(_text_sides(query, text, vector is not None)) if text else {}
    if vector is None:
        return [Candidate(row, tie, side, None) for row, (tie, side) in words.items()]
    out = []
    for rank, (row, tie, cosine) in enumerate(zip(vector.ids, vector.ties, vector.scores, strict=True), 1):
        beside = words.pop(row, None)
        out.append(Candidate(row, tie, beside and beside[1], Side(cosine, vector_scale(cosine, scale), rank)))
    return out + [Candidate(row, tie, side, None) for row, (tie, side) in words.items()]


def _text_sides(query: Query, lane: LexicalLane, yields: bool) -> Iterator[tuple[int, tuple[int, Side]]]:
    """Row → tie and side. `yields`: words yield to meaning, which they do only where there is a lane for it."""
    ceiling, yields = lane.about.ceiling, yields and yields_to_meaning(query.text)
    for rank, (row, tie, bm25, spaced) in enumerate(zip(lane.ids, lane.ties, lane.scores, lane.spaced, strict=True), 1):
        speaks = word_evidence(spaced) if yields else 1.0
        yield row, (tie, Side(bm25, text_scale(bm25, ceiling, speaks), rank, speaks))


def fused(found: Candidate, lanes: Lanes, hybrid: Hybrid) -> float:
    """Relevance of a row. One lane alone keeps its own scale."""
    text, vector = found.text, found.vector
    if lanes[0] is None or lanes[1] is None:
        side = text or vector
        return side.score if side else 0.0
    if hybrid.fusion == "rrf":
        ranks = text.rank if text else 0, vector.rank if vector else 0
        return fusion.reciprocal_rank(*ranks, hybrid.text_weight * 2, hybrid.vector_weight * 2, hybrid.rrf_k)
    scores = text.score if text else 0.0, vector.score if vector else 0.0
    return fusion.weighted_sum(*scores, hybrid.text_weight, hybrid.vector_weight)


Words = Callable[[int], dict[str, Any]]
"""What is behind the text score of the hit at that rank of the lane."""


def _words(lane: LexicalLane, settings: Lexical) -> Words:
    gave = lane.contributions(settings)
    about = lane.about

    def words(rank: int) -> dict[str, Any]:
        at = rank - 1
        names = zip(about.terms, about.df, about.idf, about.weights, lane.freq[at], gave[at], strict=True)
        found = [
            {"term": term, "df": df, "idf": idf, "times": times, "tf": int(tf), "gave": part}
            for term, df, idf, times, tf, part in names
        ]
        return {"words": found, "length": int(lane.lengths[at]), "n": about.n, "average": about.average}

    return words


def _step(found: Candidate, score: float, lanes: Lanes, hybrid: Hybrid, words: Words | None) -> Step:
    parts = []
    if lanes[0] is not None and found.text:
        facts = {"bm25": found.text.raw, "ceiling": lanes[0].about.ceiling}
        if words:
            facts |= {**words(found.text.rank), "evidence": found.text.evidence}
        parts.append(Step("lexical", found.text.score, rank=found.text.rank, facts=facts))
    if found.vector:
        parts.append(Step("dense", found.vector.score, rank=found.vector.rank, facts={"cosine": found.vector.raw}))
    if lanes[0] is None or lanes[1] is None:
        return parts[0]
    return Step("fuse", score, parts=tuple(parts), facts={"hybrid": hybrid})
