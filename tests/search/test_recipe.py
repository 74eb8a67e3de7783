"""Recipes are visible lists of stages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.errors import BadInput
from omoide.search.recipe import LANES, LATER, run, stages_of
from omoide.types import Hit, Query
from parts.hits import hit, query


@pytest.mark.parametrize(
    ("recipe", "stages"),
    [
        ("default", ("hybrid", "support", "decay", "mmr")),
        ("lexical", ("lexical",)),
        ("hybrid, mmr", ("hybrid", "mmr")),
        ("dense,decay", ("dense", "decay")),
    ],
)
def test_recipes(recipe: str, stages: tuple[str, ...]) -> None:
    """A name or a comma list gives the stages, lanes first."""
    assert stages_of(recipe) == stages


@pytest.mark.parametrize("recipe", ["", "mmr", "mmr,hybrid", "hybrid,nope", "hybrid,mmr,decay", "hybrid,mmr,mmr", "default,mmr", "hybrid,"])
def test_what_is_no_recipe(recipe: str) -> None:
    """An unknown stage, a wrong order or a repetition is an error that shows the recipe."""
    with pytest.raises(BadInput, match="recipe"):
        stages_of(recipe)


@given(st.sampled_from(LANES), st.sets(st.sampled_from(LATER)))
def test_every_stage_can_be_left_out(lane: str, later: set[str]) -> None:
    """Any choice of stages in their order is a recipe."""
    names = [lane, *(name for name in LATER if name in later)]
    assert list(stages_of(",".join(names))) == names


def test_each_stage_takes_the_hits_of_the_one_before() -> None:
    """Stages run in their order; the first starts from nothing."""
    def first(_: Query, hits: list[Hit]) -> list[Hit]:
        return [*hits, hit("a", 1.0)]

    def second(_: Query, hits: list[Hit]) -> list[Hit]:
        return [*hits, hit("b", 0.5)]

    assert [one.chunk.id for one in run([first, second], query())] == ["a", "b"]
    assert run([], query()) == []
