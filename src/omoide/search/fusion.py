"""Two lanes become one ranking.

`weighted`: vector_weight × vectorScore + text_weight × textScore, both on a 0…1 scale that does not
depend on the other results, so a lone weak hit stays weak. A side that did not find a text counts 0.

`reciprocal_ranks`: Σ weight / (k + rank). Cormack, Clarke, Büttcher, "Reciprocal Rank Fusion outperforms
Condorcet and individual rank learning methods", SIGIR 2009. Only ranks count, so the scales may be any;
`k` damps the first ranks, it is not how many are returned.
"""

from __future__ import annotations

from collections.abc import Sequence


def weighted(scores: Sequence[float], weight: float) -> list[float]:
    """What each score 0…1 of one side adds to the sum; a text that a side did not find gets nothing from it."""
    return [weight * score for score in scores]


def reciprocal_ranks(n: int, weight: float = 1.0, k: int = 60) -> list[float]:
    """What the ranks 1 … n of one side add. With both weights 1 a text first in both gets 2 / (k + 1)."""
    return [weight / (k + rank) for rank in range(1, n + 1)]
