"""Several results side by side, and what each recipe misses that another finds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from omoide.errors import BadInput

Result = Mapping[str, Any]
"""What `evaluate_retrieval` answers."""


@dataclass(frozen=True, slots=True)
class Missed:
    """A query that not every recipe finds. `ranks`: recipe → rank of the first right document, 0 for none."""

    query: str
    ranks: Mapping[str, int]


def first_ranks(result: Result, k: int) -> dict[str, int]:
    """Query id → rank of its first relevant document, 0 if it is not in the first `k`.

    Needs the rows of `per_query`; raises `BadInput` without them.
    """
    if "per_query" not in result:
        raise BadInput("this result has no rows per query; run the evaluation with per-query output")
    return {
        f"{row['set']}/{row['id']}": _first(row["ranking"][:k], set(row["relevant"]))
        for row in result["per_query"]
        if row["relevant"]
    }


def _first(ranking: Sequence[str], relevant: set[str]) -> int:
    return next((rank for rank, doc in enumerate(ranking, start=1) if doc in relevant), 0)


def missed(results: Mapping[str, Result], k: int = 10) -> dict[str, list[Missed]]:
    """Recipe → the queries that it misses in the first `k` although another recipe finds them."""
    ranks = {name: first_ranks(result, k) for name, result in results.items()}
    tables = list(ranks.values())
    shared = [query for query in tables[0] if all(query in one for one in tables)] if tables else []
    rows = [Missed(query, {name: ranks[name][query] for name in ranks}) for query in shared]
    found = [row for row in rows if any(row.ranks.values())]
    return {name: [row for row in found if not row.ranks[name]] for name in ranks}
