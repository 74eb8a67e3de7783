"""The first stage: both lanes are asked, their answers fused, their chunks loaded.

A lane is a function, so it can be slow (a model on the network) or missing; slow lanes run side by side.
A query touches hundreds of rows, so plain tuples do; only the lanes below need arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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


class Candidate(NamedTuple):
    """A row that one lane or both found: its place in each from 0, or −1, and its score after fusion."""

    score: float
    tie: int
    row: int
    text: int
    vector: int


def retrieve(lanes: Lanes, load: Callable[[Sequence[int]], Mapping[int, Chunk]], hybrid: Hybrid, lexical: Lexical,
             scale: CosineScale, pool: int) -> Stage:  # fmt: skip
    """A stage that ignores what comes in and gives the fused candidates, best first, at most `pool`."""

    def stage(query: Query, hits: list[Hit]) -> list[Hit]:
        sides = _sides(query, lanes, scale)
        best = ranked(lanes, sides, hybrid)[:pool]
        chunks = load([one.row for one in best])
        words = _words(lanes[0], lexical) if lanes[0] is not None and query.explain else None
        step = _steps(lanes, sides, hybrid, words)
        return [Hit(chunks[one.row], (step(one),)) for one in best if one.row in chunks]

    return stage


class Sides(NamedTuple):
    """Scores 0…1 of each lane's rows by place; `evidence`: for how much the matching words of each text speak."""

    text: list[float]
    vector: list[float]
    evidence: list[float]


def _sides(query: Query, lanes: Lanes, scale: CosineScale) -> Sides:
    text, vector = lanes
    near = [vector_scale(cosine, scale) for cosine in vector.scores] if vector is not None else []
    if text is None:
        return Sides([], near, [])
    # words yield to meaning only where there is a lane for it
    yields = vector is not None and yields_to_meaning(query.text)
    speak = [word_evidence(share) for share in text.spaced] if yields else [1.0] * len(text.ids)
    ceiling = text.about.ceiling
    return Sides([text_scale(bm25, ceiling, evidence) for bm25, evidence in zip(text.scores, speak, strict=True)], near, speak)


def ranked(lanes: Lanes, sides: Sides, hybrid: Hybrid) -> list[Candidate]:
    """The rows of both lanes, best first; those with a score of 0 are none. One lane alone keeps its own scale."""
    text, vector = lanes
    words, near = _worth(sides, hybrid) if text is not None and vector is not None else ([*sides.text, 0.0], [*sides.vector, 0.0])
    places = {row: place for place, row in enumerate(text.ids)} if text is not None else {}
    out = []
    if vector is not None:
        for place, (row, tie) in enumerate(zip(vector.ids, vector.ties, strict=True)):
            beside = places.pop(row, -1)
            out.append((-(words[beside] + near[place]), tie, row, beside, place))
    if text is not None:
        out += [(-words[place], text.ties[place], row, place, -1) for row, place in places.items()]
    out.sort()
    return [Candidate(-score, tie, row, beside, place) for score, tie, row, beside, place in out if score < 0]


def _worth(sides: Sides, hybrid: Hybrid) -> tuple[list[float], list[float]]:
    """What each place of both lanes adds to a fused score; the last entry is for −1, not found."""
    if hybrid.fusion == "rrf":
        text = fusion.reciprocal_ranks(len(sides.text), 2 * hybrid.text_weight, hybrid.rrf_k)
        vector = fusion.reciprocal_ranks(len(sides.vector), 2 * hybrid.vector_weight, hybrid.rrf_k)
    else:
        text, vector = fusion.weighted(sides.text, hybrid.text_weight), fusion.weighted(sides.vector, hybrid.vector_weight)
    return [*text, 0.0], [*vector, 0.0]


Words = Callable[[int], dict[str, Any]]
"""What is behind the text score of the hit at that place of the lane."""


def _words(lane: LexicalLane, settings: Lexical) -> Words:
    gave = lane.contributions(settings)
    about = lane.about

    def words(at: int) -> dict[str, Any]:
        names = zip(about.terms, about.df, about.idf, about.weights, lane.freq[at], gave[at], strict=True)
        found = [
            {"term": term, "df": df, "idf": idf, "times": times, "tf": int(tf), "gave": part}
            for term, df, idf, times, tf, part in names
        ]
        return {"words": found, "length": int(lane.lengths[at]), "n": about.n, "average": about.average}

    return words


def _steps(lanes: Lanes, sides: Sides, hybrid: Hybrid, words: Words | None) -> Callable[[Candidate], Step]:
    """What gives a candidate its trace, from the places where the lanes found it."""
    text, vector = lanes
    about: dict[str, Any] = {"hybrid": hybrid}

    def step(found: Candidate) -> Step:
        parts = []
        if text is not None and found.text >= 0:
            facts = {"bm25": text.scores[found.text], "ceiling": text.about.ceiling}
            if words:
                facts |= {**words(found.text), "evidence": sides.evidence[found.text]}
            parts.append(Step("lexical", sides.text[found.text], "", (), found.text + 1, facts))
        if vector is not None and found.vector >= 0:
            parts.append(Step("dense", sides.vector[found.vector], "", (), found.vector + 1, {"cosine": vector.scores[found.vector]}))
        return parts[0] if text is None or vector is None else Step("fuse", found.score, "", tuple(parts), 0, about)

    return step
