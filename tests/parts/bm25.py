"""Indexes made of rows, and what BM25 says by the book."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from omoide.index.allowed import Narrow
from omoide.index.bm25 import LexicalLane
from omoide.index.index import Index
from omoide.index.write import writing
from omoide.settings import Lexical, Settings
from omoide.text.tokenize import counts_for_length, query_terms, terms
from omoide.types import Chunk, Scope


def row(key: str, text: str, audience: str = "all", **more: Any) -> Chunk:
    """A chunk with the usual nothing around it."""
    return Chunk(key, more.pop("path", ""), more.pop("lines", (0, 0)), audience, text, **more)


def lexical_settings(**values: Any) -> Lexical:
    """BM25 settings by their keys."""
    return Settings().with_values({f"lexical.{key}": value for key, value in values.items()}).lexical


def add(index: Index, *chunks: Chunk) -> None:
    """Add in one transaction."""
    with writing(index) as writer:
        writer.add(chunks)


def remove(index: Index, *keys: str) -> None:
    """Remove in one transaction."""
    with writing(index) as writer:
        writer.remove(keys)


def lane(index: Index, query: str, *audiences: str, narrow: Narrow = Narrow(), k: int = 1000) -> LexicalLane:  # noqa: B008
    """The lexical lane as a caller with these audiences gets it; none given is all. The way without arrays must say
    the same to the last bit."""
    view = index.view()
    scope = Scope(audiences=frozenset(audiences or {"*"}))
    found = index.search_lexical(view, index.terms(query), index.allowed(view, scope, narrow), k)
    assert index.damaged or index.search_plain(index.terms(query), scope, narrow, k, 2**62) == found
    return found


def scores(index: Index, query: str, *audiences: str, narrow: Narrow = Narrow()) -> dict[str, float]:  # noqa: B008
    """Public id → score."""
    found = lane(index, query, *audiences, narrow=narrow)
    chunks = index.chunks(found.ids)
    return {chunks[number].id: score for number, score in zip(found.ids, found.scores, strict=True)}


def by_the_book(texts: dict[str, str], query: str, settings: Lexical) -> dict[str, float]:
    """BM25 as the formula stands, one text and one word at a time."""
    counts = {key: Counter(terms(text)) for key, text in texts.items()}
    lengths = {key: sum(n for term, n in found.items() if counts_for_length(term)) for key, found in counts.items()}
    average = sum(lengths.values()) / len(texts) if texts else 0
    out: dict[str, float] = {}
    for term, weight in zip(*query_terms(query), strict=True):
        df = sum(term in found for found in counts.values())
        rarity = math.log(1 + (len(texts) - df + 0.5) / (df + 0.5))
        for key, found in counts.items():
            if found[term]:
                norm = settings.k1 * (1 - settings.b + settings.b * (lengths[key] / average if average else 0))
                out[key] = out.get(key, 0.0) + weight * rarity * found[term] * (settings.k1 + 1) / (found[term] + norm)
    return out


def filled(texts: Iterable[str] | dict[str, str], settings: Lexical | None = None) -> Index:
    """An index in memory of texts called d0, d1, … or by their keys."""
    rows: Sequence[tuple[str, str]] = list(texts.items()) if isinstance(texts, dict) else [(f"d{i}", text) for i, text in enumerate(texts)]
    made = Index(None, settings or Settings().lexical)
    add(made, *(row(key, text) for key, text in rows))
    return made
