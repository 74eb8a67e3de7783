"""Older counts less."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.search.decay import decay, factor
from omoide.settings import Decay
from parts.hits import NOW, hit, ids, query

DAY = timedelta(days=1)


def test_ocw_10_the_half_life() -> None:
    """At 0, 30, 60 and 90 days with a half-life of 30 the factor is 1, .5, .25, .125; a future date is age 0."""
    assert [factor(days, 30) for days in (0, 30, 60, 90)] == pytest.approx([1, 0.5, 0.25, 0.125])
    assert factor(-5, 30) == 1.0


@pytest.mark.parametrize(("days", "score"), [(0, 0.8), (30, 0.4), (60, 0.2), (90, 0.1), (-3, 0.8)])
def test_ocw_10_through_the_stage(days: int, score: float) -> None:
    """The stage multiplies by the factor and says the age."""
    aged = decay(Decay())(query(), [hit("a", 0.8, when=NOW - days * DAY)])[0]
    assert aged.score == pytest.approx(score)
    assert aged.trace[-1].facts == {"before": 0.8, "age_days": max(0, days), "factor": pytest.approx(score / 0.8)}


def test_ocw_11_the_half_life_can_be_changed() -> None:
    """With a half-life of a year the better old note comes first again."""
    hits = [hit("old", 0.9, when=NOW - 60 * DAY), hit("new", 0.5, when=NOW)]
    assert ids(decay(Decay())(query(), hits)) == ["new", "old"]
    assert ids(decay(Decay(half_life_days=365))(query(), hits)) == ["old", "new"]


def test_ocw_12_what_does_not_age() -> None:
    """MEMORY.md and other evergreen files, cards, drawers and undated notes keep their score."""
    old = NOW - 1000 * DAY
    timeless = [
        hit("a", 0.5, path="MEMORY.md", when=old), hit("b", 0.5, when=None), hit("c", 0.5, kind="card", when=old),
        hit("d", 0.5, kind="drawer", when=old), hit("e", 0.5, path="notes/rules.md", when=old),
    ]  # fmt: skip
    found = decay(Decay(evergreen=("MEMORY.md", "notes/rules.md")))(query(), timeless)
    assert ids(found) == ["a", "b", "c", "d", "e"]
    assert {one.score for one in found} == {0.5}
    assert decay(Decay())(query(), timeless)[-1].chunk.id == "e"


def test_ocw_13_the_newer_of_two_equal_texts() -> None:
    """Of two equal texts 180 days apart the newer comes first."""
    hits = [hit("talk", 0.7, "the fix", when=NOW - 180 * DAY), hit("fix", 0.7, "the fix", when=NOW - DAY)]
    assert ids(decay(Decay())(query(), hits)) == ["fix", "talk"]


def test_zones_do_not_matter() -> None:
    """The same moment in another zone has the same age."""
    there = NOW.astimezone(timezone(timedelta(hours=9)))
    one, other = (decay(Decay())(query(), [hit("a", 1.0, when=moment - 10 * DAY)])[0].score for moment in (NOW, there))
    assert one == other


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(-10, 2000)), max_size=12), st.floats(0.01, 1e6))
def test_it_only_lowers_and_sorts(rows: list[tuple[float, int]], half_life: float) -> None:
    """Nothing is dropped, no score rises or falls below 0, the best is first, equal ones keep their order."""
    hits = [hit(str(i), score, when=NOW - days * DAY) for i, (score, days) in enumerate(rows)]
    found = decay(Decay(half_life_days=half_life))(query(), hits)
    assert sorted(ids(found)) == sorted(ids(hits))
    assert all(0 <= one.score <= one.trace[0].score for one in found)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


def test_equal_scores_keep_their_order() -> None:
    """A tie is not shuffled."""
    when = datetime(2026, 1, 1, tzinfo=NOW.tzinfo)
    assert ids(decay(Decay())(query(), [hit(key, 0.5, when=when) for key in "cab"])) == ["c", "a", "b"]
