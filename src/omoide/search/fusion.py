"""Two lanes become one ranking.

`weighted_sum`: vector_weight × vectorScore + text_weight × textScore, both on a 0…1 scale that does not
depend on the other results, so a lone weak hit stays weak. A side that did not find a text counts 0.

`reciprocal_rank`: Σ weight / (k + rank). Cormack, Clarke, Büttcher, "Reciprocal Rank Fusion outperforms
Condorcet and individual rank learning methods", SIGIR 2009. Only ranks count, so the scales may be any;
`k` damps the first ranks, it is not how many are returned.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def weighted_sum(text: float, vector: float, text_weight: float, vector_weight: float) -> float:
    """`text` and `vector`: scores 0…1 of one text, 0 where a side did not find it."""
    return vector_weight * vector + text_weight * text


def reciprocal_rank(text_rank: int, vector_rank: int, text_weight: float = 1.0, vector_weight: float = 1.0, k: int = 60) -> float:
    """Ranks from 1; 0 where a side did not find the text. With both weights 1 a text first in both gets 2 / (k + 1)."""
    text = text_weight / (k + text_rank) if text_rank else 0.0
    vector = vector_weight / (k + vector_rank) if vector_rank else 0.0
    return text + vector


def fuse_rankings(rankings: Sequence[Sequence[str]], k: int = 60) -> Mapping[str, float]:
    """Reciprocal rank fusion of any number of rankings of ids, best first."""
    out: dict[str, float] = {}
    for ranking in rankings:
        for rank, key in enumerate(ranking, 1):
            out[key] = out.get(key, 0.0) + 1 / (k + rank)
    return dict(sorted(out.items(), key=lambda item: (-item[1], item[0])))


def min_max(scores: Sequence[float]) -> list[float]:
    """Scores stretched to 0…1. All equal, or only one: each is 1.0. Empty: empty. Negative ones are fine."""
    if not scores:
        return []
    low, high = min(scores), max(scores)
    return [1.0] * len(scores) if high == low else [(score - low) / (high - low) for score in scores]
