"""A trace in words: each step says what it did, and the printed parts add up to the printed score."""

from __future__ import annotations

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
        out += [f"{indent}     {word_line(word)}" for word in (step.facts or {}).get("words", ()) if word["tf"]]
        missing = [word["term"] for word in (step.facts or {}).get("words", ()) if not word["df"]]
        if missing:
            out.append(f"{indent}     nowhere: {' · '.join(missing)}")
    return out


def word_line(word: dict[str, Any]) -> str:
    """One word of BM25: what it gave, and from which numbers."""
    times = f" × {word['times']}" if word["times"] > 1 else ""
    return f"{word['gave']:.2f}  {word['term']}   idf {word['idf']:.2f} (in {word['df']}){times}, {word['tf']} times here"


def _fuse(step: Step, facts: dict[str, Any]) -> str:
    hybrid: Hybrid = facts["hybrid"]
    by_stage = {part.stage: part for part in step.parts}
    text, vector = by_stage.get("lexical"), by_stage.get("dense")
    if hybrid.fusion == "rrf":
        sides = ((text, hybrid.text_weight * 2), (vector, hybrid.vector_weight * 2))
        return " + ".join(f"{weight:g} / ({hybrid.rrf_k} + {side.rank})" for side, weight in sides if side) or "no side"
    return (
        f"{hybrid.vector_weight:g} × {vector.score if vector else 0:.3f} + "
        f"{hybrid.text_weight:g} × {text.score if text else 0:.3f}"
    )


def _lexical(step: Step, facts: dict[str, Any]) -> str:
    said = f"bm25 {facts['bm25']:.2f} of {facts['ceiling']:.2f}"
    if "words" not in facts:
        return said
    script = f", other script × {facts['evidence']:.2f}" if facts["evidence"] < 0.995 else ""
    return f"√({said[5:]}){script}, length {facts['length']} where {facts['average']:.1f} is usual, {facts['n']} texts"


def _dense(step: Step, facts: dict[str, Any]) -> str:
    return f"cosine {facts['cosine']:.3f}, calibrated"


def _support(step: Step, facts: dict[str, Any]) -> str:
    return f"+ {facts['gain']:.3f} from neighbours {facts['beside']:.3f}, session {facts['session']:.2f}"


def _decay(step: Step, facts: dict[str, Any]) -> str:
    return f"× {facts['factor']:.3f}, {facts['age_days']:.1f} days old" if facts else "timeless"


def _mmr(step: Step, facts: dict[str, Any]) -> str:
    beside = f" with {facts['with']}" if facts["with"] else ""
    return f"λ {facts['lambda']:g}, overlap {facts['overlap']:.2f}{beside}, objective {step.score:.3f}, was {facts['was']}"


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
