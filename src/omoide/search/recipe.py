"""A recipe is a visible list of stages. Four have names; any other is a comma list.

    lexical   words only                          dense     meaning only
    hybrid    both lanes, fused                   default   hybrid ▸ support ▸ decay ▸ mmr
"""

from __future__ import annotations

from omoide.errors import BadInput
from omoide.types import Hit, Query, Stage

NAMED = {"default": ("hybrid", "support", "decay", "mmr")}
LANES = ("lexical", "dense", "hybrid")
LATER = ("support", "decay", "mmr")


def stages_of(recipe: str) -> tuple[str, ...]:
    """Names of the stages, the lanes first. Raises `BadInput` naming what is unknown or out of order."""
    names = NAMED.get(recipe) or tuple(name.strip() for name in recipe.split(","))
    if names[0] not in LANES:
        raise BadInput(f"recipe {recipe!r}: it begins with {', '.join(LANES)}, or is {', '.join(NAMED)}")
    unknown = [name for name in names[1:] if name not in LATER]
    if unknown:
        raise BadInput(f"recipe {recipe!r}: unknown stage {unknown[0]!r}; known are {', '.join(LATER)}")
    if len(set(names)) < len(names) or list(names[1:]) != sorted(names[1:], key=LATER.index):
        raise BadInput(f"recipe {recipe!r}: each stage once, in the order {' ▸ '.join(LATER)}")
    return names


def run(stages: list[Stage], query: Query) -> list[Hit]:
    """Each stage takes the hits of the one before."""
    hits: list[Hit] = []
    for stage in stages:
        hits = stage(query, hits)
    return hits
