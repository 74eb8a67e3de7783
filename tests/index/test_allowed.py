"""Rights come before the top k, in every lane."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide import Chunk, Collection, Scope
from omoide.errors import BadInput
from omoide.index.allowed import Allowed, Narrow, allowed
from omoide.models.hashing import HashingEmbedder

RECIPES = ("lexical", "dense", "hybrid", "default", "hybrid,mmr", "lexical,support,decay,mmr")
PARTITIONS = {1: ("me", ""), 2: ("person:a", "a"), 3: ("person:b", "b"), 4: ("all", "")}
NOW = datetime(2026, 11, 30, tzinfo=UTC)


def scope(*audiences: str) -> Scope:
    """A caller with these audiences."""
    return Scope("x", frozenset(audiences), NOW)


def test_rights_are_decided_for_each_partition() -> None:
    """Everything is no filter, nothing is an empty one, and a wish for subjects never widens a right."""
    assert allowed(Scope(), Narrow(), PARTITIONS) == Allowed(None, None)
    assert allowed(scope(), Narrow(), PARTITIONS) == Allowed(frozenset(), frozenset())
    assert allowed(scope("me", "all"), Narrow(), PARTITIONS).readable == {1, 4}
    wish = allowed(scope("me", "person:a"), Narrow(subjects=frozenset({"a", "b"})), PARTITIONS)
    assert (wish.readable, wish.wanted) == ({1, 2}, {2})


@pytest.mark.parametrize("recipe", RECIPES)
def test_b17_the_filter_is_applied_before_the_top_k(recipe: str) -> None:
    """Among 5,000 notes of another person on the same topic, the three a caller may read are all found."""
    rows = [Chunk(f"b{i}", "", (0, 0), "person:b", f"deploy notes of the week {i}") for i in range(5000)]
    rows += [Chunk(f"a{i}", "", (0, 0), "person:a", f"deploy notes of the week, mine {i}") for i in range(3)]
    vectors = np.random.default_rng(0).standard_normal((5003, 16)).astype(np.float32)
    vectors[:, 0] = np.abs(vectors[:, 0]) + 0.1
    vectors[:5000, 0] += 8  # the others' notes lie nearer to the question
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    asked = np.eye(1, 16, dtype=np.float32)[0]
    with Collection(model="m", dimensions=16) as notes:
        notes.add(rows, vectors)
        for caller in (scope("person:a"), scope("person:a", "person:empty")):
            found = notes.search("deploy notes of the week", scope=caller, limit=3, recipe=recipe, vector=asked)
            assert {hit.chunk.id for hit in found.hits} == {"a0", "a1", "a2"}
        assert not notes.search("deploy notes", scope=scope(), recipe=recipe, vector=asked).hits
        assert not notes.search("deploy notes", scope=scope("person:empty"), recipe=recipe, vector=asked).hits


AUDIENCES = st.sampled_from(["me", "all", "person:a", "person:ab", "room:r"])


@given(st.lists(st.tuples(AUDIENCES, st.sampled_from(["cat", "cat dog", "bird"])), min_size=1, max_size=12), st.sets(AUDIENCES), st.sampled_from(RECIPES))
def test_c92_hits_are_readable_in_every_recipe(rows: list[tuple[str, str]], audiences: set[str], recipe: str) -> None:
    """Whatever the notes and the rights, no hit is outside what the caller may read; ids that are prefixes of others open nothing."""
    notes = Collection(({"id": f"n{i}", "text": text, "audience": audience} for i, (audience, text) in enumerate(rows)), embedder=HashingEmbedder(32))
    notes.embed()
    found = notes.search("cat dog", scope=scope(*audiences), recipe=recipe)
    assert {hit.chunk.audience for hit in found.hits} <= audiences
    assert found.hits or found.notices
    notes.close()


@given(st.lists(st.tuples(AUDIENCES, st.integers(0, 400), st.booleans()), min_size=1, max_size=12), st.integers(0, 400), st.integers(0, 400))
def test_narrowing_by_time_and_kind(rows: list[tuple[str, int, bool]], since: int, until: int) -> None:
    """`since`, `until` and `kinds` leave exactly what they say; undated notes pass times; a period that ends before it begins is refused."""
    def day(number: int) -> datetime:
        return datetime.fromtimestamp(1_750_000_000 + 86_400 * number, UTC)

    notes = Collection(
        {"id": f"n{i}", "text": "cat", "audience": audience, "when": None if not number else day(number), "kind": "log" if log else "card"}
        for i, (audience, number, log) in enumerate(rows)
    )
    if until < since:
        with pytest.raises(BadInput, match="before since"):
            notes.search("cat", since=day(since), until=day(until))
        since, until = until, since
    found = {hit.chunk.id for hit in notes.search("cat", recipe="lexical", limit=50, since=day(since), until=day(until), kinds=["log"]).hits}
    assert found == {f"n{i}" for i, (_, number, log) in enumerate(rows) if log and (not number or since <= number <= until)}
    notes.close()


def test_counts_are_of_what_the_caller_may_read() -> None:
    """A notice about missing vectors counts the caller's rows; how many others have is not told."""
    embedder = HashingEmbedder(16)
    mine = [{"id": f"m{i}", "text": f"tea number {i}", "audience": "me"} for i in range(3)]
    with Collection(mine, embedder=embedder) as notes:
        notes.embed()
        notes.add([{"id": f"o{i}", "text": f"tea secret {i}", "audience": "person:o"} for i in range(40)])
        assert "partial_vectors" not in [notice.code for notice in notes.search("tea", scope=scope("me")).notices]
        told = [notice.text for notice in notes.search("tea", scope=scope("me", "person:o")).notices if notice.code == "partial_vectors"]
        assert told and told[0].startswith("3 of 43 ")
        notes.remove(["m0"])
        assert [notice for notice in notes.search("tea", scope=scope("me")).notices if notice.code == "partial_vectors"] == []
