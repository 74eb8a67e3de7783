"""Traces for doors: as lines of text and as plain data."""

from __future__ import annotations

from dataclasses import asdict, is_dataclass
from typing import Any

from omoide.api.sources import source_of
from omoide.search.explain import because, lines
from omoide.types import Hit, Step

__all__ = ["as_data", "lines"]


def as_data(hit: Hit, rank: int, explain: bool = False) -> dict[str, Any]:
    """A hit as plain data. `change`: places gained against the dense lane (else the lexical one)."""
    chunk = hit.chunk
    dense, text = hit.lane("dense"), hit.lane("lexical")
    lane = dense or text
    out = {
        "id": chunk.id, "path": chunk.path, "lines": list(chunk.lines), "kind": chunk.kind, "source": source_of(chunk.kind),
        "subject": chunk.subject,
        "when": chunk.when.isoformat() if chunk.when else None, "context": chunk.context, "text": chunk.text,
        "score": hit.score, "rank": rank, "dense_rank": dense.rank if dense else None, "sparse_rank": text.rank if text else None,
        "change": lane.rank - rank if lane else None,
    }  # fmt: skip
    return out | {"trace": [_step(step) for step in hit.trace]} if explain else out


def _step(step: Step) -> dict[str, Any]:
    facts = {key: _plain(value) for key, value in (step.facts or {}).items()}
    return {
        "stage": step.stage, "score": step.score, "rank": step.rank or None, "because": because(step), "facts": facts,
        "parts": [_step(part) for part in step.parts],
    }  # fmt: skip


def _plain(value: Any) -> Any:
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
