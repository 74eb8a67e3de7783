"""A trace in words: each step says what it did, and the printed parts add up to the printed score.

A score is printed with three digits. Where the printed factors or summands would give another third digit, they are
printed with as many digits as it takes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from omoide.settings import Hybrid
from omoide.types import Hit, Step


def because(step: Step) -> str:
    """The reason of one step, from its facts."""
    say = _REASONS.get(step.stage)
    return step.because or (say(step, step.facts or {}) if say else "")


def explained(hit: Hit) -> Hit:
    """The same hit with every `because` filled in."""
    return Hit(hit.chunk, tuple(_explained(step) for step in hit.trace))


def _explained(step: Step) -> Step:
    return step._replace(because=because(step), parts=tuple(_explained(part) for part in step.parts))


def lines(hit: Hit) -> list[str]:
    """The trace as indented lines, widest first: three digits, the stage, the rank, the reason."""
    return [line for step in hit.trace for line in _lines(step, 1)]


def _lines(step: Step, depth: int) -> list[str]:
    indent = "  " * depth
    if step.stage == "mmr":
        return [f"{indent} rank {step.rank} mmr      {because(step)}"]
    rank = f"rank {step.rank:<3} " if step.rank else ""
    out = [f"{indent} {step.score:.3f}  {step.stage:<8} {rank}{because(step)}".rstrip()]
    for part in step.parts:
        out += _lines(part, depth + 1)
    if step.stage == "lexical":
        out += [f"{indent}     {line}" for line in _word_lines(step)]
        missing = [word["term"] for word in (step.facts or {}).get("words", ()) if not word["df"]]
        if missing:
            out.append(f"{indent}     nowhere: {' · '.join(missing)}")
    return out


def adding_up(parts: Sequence[float], whole: str, worth: Callable[..., float], digits: int = 3) -> list[str]:
    """`parts` as printed: with `digits`, or as many more as it takes until their `worth` is `whole` when rounded like it."""
    after = len(whole.partition(".")[2])
    for more in range(digits, 17):
        printed = [f"{part:.{more}f}" for part in parts]
        if f"{worth(*map(float, printed)):.{after}f}" == whole:
            return printed
    return [f"{part:.{digits}f}" for part in parts]


def _word_lines(step: Step) -> list[str]:
    """The words of BM25 that stand in the text: what each gave, and from which numbers."""
    words = [word for word in (step.facts or {}).get("words", ()) if word["tf"]]
    if not words:
        return []
    gave = adding_up([word["gave"] for word in words], _shares(step)[0], lambda *parts: sum(parts), 2)
    return [f"{part}  {_word(word)}" for part, word in zip(gave, words, strict=True)]


def _word(word: dict[str, Any]) -> str:
    times = f" × {word['times']}" if word["times"] > 1 else ""
    return f"{word['term']}   idf {word['idf']:.2f} (in {word['df']}){times}, {word['tf']} times here"


def _fuse(step: Step, facts: dict[str, Any]) -> str:
    hybrid: Hybrid = facts["hybrid"]
    by_stage = {part.stage: part for part in step.parts}
    text, vector = by_stage.get("lexical"), by_stage.get("dense")
    if hybrid.fusion == "rrf":
        sides = ((text, hybrid.text_weight * 2), (vector, hybrid.vector_weight * 2))
        return " + ".join(f"{weight:g} / ({hybrid.rrf_k} + {side.rank})" for side, weight in sides if side) or "no side"
    near, words = adding_up(
        (vector.score if vector else 0.0, text.score if text else 0.0), f"{step.score:.3f}",
        lambda one, other: hybrid.vector_weight * one + hybrid.text_weight * other,
    )  # fmt: skip
    return f"{hybrid.vector_weight:g} × {near} + {hybrid.text_weight:g} × {words}"


def _shares(step: Step) -> list[str]:
    """BM25, what it could be at most, and the weight of words for this text, as printed."""
    facts = step.facts or {}
    parts = facts["bm25"], facts["ceiling"], facts.get("evidence", 1.0)
    return adding_up(parts, f"{step.score:.3f}", lambda bm25, most, evidence: math.sqrt(min(bm25 / most, 1)) * evidence if most else -1, 2)


def _lexical(step: Step, facts: dict[str, Any]) -> str:
    if "words" not in facts:
        return f"bm25 {facts['bm25']:.2f} of {facts['ceiling']:.2f}"
    bm25, most, evidence = _shares(step)
    script = f", other script × {evidence}" if float(evidence) < 1 else ""
    return f"√({bm25} of {most}){script}, length {facts['length']} where {facts['average']:.1f} is usual, {facts['n']} texts"


def _dense(step: Step, facts: dict[str, Any]) -> str:
    return f"cosine {facts['cosine']:.3f}, calibrated"


def _support(step: Step, facts: dict[str, Any]) -> str:
    before, gain = adding_up((step.score - facts["gain"], facts["gain"]), f"{step.score:.3f}", lambda one, other: one + other)
    return f"{before} + {gain} from neighbours {facts['beside']:.3f}, session {facts['session']:.2f}"


def _decay(step: Step, facts: dict[str, Any]) -> str:
    if not facts:
        return "timeless"
    before, times = adding_up((facts["before"], facts["factor"]), f"{step.score:.3f}", lambda one, other: one * other)
    return f"{before} × {times}, {facts['age_days']:.1f} days old"


def _mmr(step: Step, facts: dict[str, Any]) -> str:
    share, beside = facts["lambda"], f" with {facts['with']}" if facts["with"] else ""
    parts = facts["relevance"], facts["overlap"]
    score, overlap = adding_up(parts, f"{step.score:.3f}", lambda one, other: share * one - (1 - share) * other)
    return f"λ {share:g} × {score} − {1 - share:g} × overlap {overlap}{beside} = {step.score:.3f}, was {facts['was']}"


_REASONS: dict[str, Callable[[Step, dict[str, Any]], str]] = {
    "fuse": _fuse, "lexical": _lexical, "dense": _dense, "support": _support, "decay": _decay, "mmr": _mmr,
}  # fmt: skip


def rank_changes(hits: Sequence[Hit]) -> dict[str, float]:
    """How far the final order is from each lane's: mean and greatest |lane rank − new rank|."""
    out: dict[str, float] = {}
    for stage in ("dense", "lexical"):
        moves = [abs(lane.rank - rank) for rank, hit in enumerate(hits, 1) if (lane := hit.lane(stage))]
        if moves:
            out[f"{stage}_moved_mean"] = sum(moves) / len(moves)
            out[f"{stage}_moved_max"] = max(moves)
    return out
