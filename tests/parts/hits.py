"""Hits and queries made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from omoide.index.bm25 import term_hash
from omoide.text.tokenize import terms
from omoide.types import Chunk, Hit, Query, Step

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def query(text: str = "q", limit: int = 10, **more: Any) -> Query:
    """A query at the fixed moment."""
    return Query(text, NOW, limit, **more)


def hit(key: str, score: float, text: str = "", path: str = "", lines: tuple[int, int] = (0, 0), **more: Any) -> Hit:
    """A hit with a score from a first stage."""
    return Hit(Chunk(key, path, lines, "all", text or key, **more), (Step("fuse", score),))


def term_sets(hits: Sequence[Hit]) -> Any:
    """What an index gives MMR: ids → hashes of terms."""
    texts = {one.chunk.id: one.chunk.full_text for one in hits}

    def sets(ids: Sequence[str]) -> list[Any]:
        return [frozenset(term_hash(term) for term in terms(texts[key])) for key in ids]

    return sets


def ids(hits: Sequence[Hit]) -> list[str]:
    """Their ids in order."""
    return [one.chunk.id for one in hits]
