"""Cosine similarity, exact and through sign bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from omoide.errors import BadInput, ModelFailed
from omoide.index import dense
from omoide.index.allowed import Allowed, Narrow
from omoide.index.dense import cosine
from omoide.index.index import Index
from omoide.index.lexical import Source
from omoide.index.write import writing
from omoide.settings import Settings
from omoide.types import Scope
from parts.bm25 import row

EVERYTHING = Allowed(None, None)
A, B, C = (0.9, 0.5, 0.1), (0.8, 0.6, 0.1), (0.1, 0.1, 0.9)


def unit(vectors: Any) -> Any:
    """Rows of length 1, in single precision."""
    values = np.asarray(vectors, np.float32)
    return values / np.linalg.norm(values, axis=1, keepdims=True)


def segment(vectors: Any, part: int = 1) -> Source:
    """A dense segment of these rows, numbered from 1."""
    half = np.asarray(vectors, np.float16)
    return Source(dense.build(0, len(half), [(i, part, i, 0, 1, values.tobytes()) for i, values in enumerate(half, 1)], half.shape[1]), None)


def test_den_01_the_worked_example() -> None:
    """The cosines of the three textbook vectors are .9908 and .2441."""
    assert round(cosine(A, B), 4) == 0.9908
    assert round(cosine(A, C), 4) == 0.2441


@given(st.floats(0.01, 100), st.floats(0.01, 100))
def test_den_01_direction_not_length(a: float, b: float) -> None:
    """Scaling either vector changes nothing."""
    assert cosine([a * x for x in A], [b * x for x in C]) == pytest.approx(cosine(A, C))


def test_den_01_no_direction_no_cosine() -> None:
    """A zero vector and different dimensions are errors, never NaN."""
    with pytest.raises(BadInput, match="zero vector"):
        cosine(A, (0, 0, 0))
    with pytest.raises(BadInput, match="dimensions"):
        cosine(A, (1, 0))


@given(arrays.arrays(np.float16, st.integers(1, 40), elements=st.floats(-1, 1, width=16)))
def test_half_to_single_is_exact(half: Any) -> None:
    """The fast cast gives the very numbers of NumPy's own, subnormal ones and both zeros included."""
    assert (dense.single(half) == half.astype(np.float32)).all()


@given(st.integers(1, 130), st.integers(1, 5))
def test_sign_planes_hold_the_signs(dimensions: int, rows: int) -> None:
    """The Hamming distance of two rows is the number of dimensions whose signs differ."""
    vectors = np.random.default_rng(dimensions).standard_normal((rows, dimensions)).astype(np.float32)
    planes = dense.sign_planes(vectors)
    assert planes.shape == (-(-dimensions // 64), rows)
    want = ((vectors > 0) != (vectors[0] > 0)).sum(axis=1)
    assert dense._hamming(planes, planes[:, 0]).tolist() == want.tolist()


def test_small_sets_are_compared_wholly() -> None:
    """The lane is the exact order of all cosines, over several segments, equal ones by their tie."""
    vectors = unit(np.random.default_rng(1).standard_normal((300, 48)))
    query = vectors[7]
    sources = [segment(vectors[:100]), segment(vectors[100:])]
    found = dense.search(sources, query, EVERYTHING, 10)
    exact = np.sort(vectors.astype(np.float16).astype(np.float64) @ query.astype(np.float64))[::-1][:10]
    assert found.scores == pytest.approx(exact)
    same = dense.search([segment(np.repeat(vectors[:1], 20, axis=0))], query, EVERYTHING, 20)
    assert same.ties == sorted(same.ties)


@pytest.mark.parametrize("shape", ["clusters", "few directions"])
def test_sign_bits_choose_well_and_the_scores_are_exact(shape: str) -> None:
    """On 30,000 rows with the structure that texts have, the coarse pass keeps nine of the ten nearest, and every score is the exact cosine."""
    rng = np.random.default_rng(42)
    base = rng.standard_normal((30_000, 256), np.float32)
    if shape == "clusters":
        base = rng.standard_normal((60, 256), np.float32)[rng.integers(0, 60, 30_000)] + 0.6 * base
    else:  # most of the variance in 40 directions, as embeddings have it
        base = rng.standard_normal((30_000, 40), np.float32) @ rng.standard_normal((40, 256), np.float32) + 0.5 * base
    vectors = unit(base)
    queries = unit(vectors[rng.integers(0, 30_000, 20)] + 0.02 * rng.standard_normal((20, 256)))
    source, stored, recall = segment(vectors), vectors.astype(np.float16).astype(np.float64), 0
    for query in queries:
        found = dense.search([source], query, EVERYTHING, 10)
        exact = stored @ query.astype(np.float64)
        assert found.scores == pytest.approx(exact[np.array(found.ids) - 1], abs=1e-12)
        assert list(found.scores) == sorted(found.scores, reverse=True)
        recall += len(set(found.ids) & set((np.argsort(-exact)[:10] + 1).tolist()))
    assert recall / 200 >= 0.9


def test_filtered_rows_are_searched_as_well() -> None:
    """Behind a filter that leaves many or few rows, the nearest of what is left are found."""
    vectors = unit(np.random.default_rng(3).standard_normal((12_000, 64)))
    source, query = segment(vectors), vectors[5]
    exact = vectors.astype(np.float16).astype(np.float64) @ query.astype(np.float64)
    for step in (2, 50):
        keep = np.zeros(12_000, bool)
        keep[1::step] = True
        found = dense.search([source], query, Allowed(None, None, lambda _, keep=keep: keep), 10)
        best = np.argsort(-np.where(keep, exact, -9))[:10] + 1
        assert len(set(found.ids) & set(best.tolist())) >= 8
        assert keep[np.array(found.ids) - 1].all()


def test_vectors_of_another_shape_are_refused() -> None:
    """Too few vectors, or of other dimensions, are an error and nothing is stored."""
    index = Index(None, Settings().lexical, model="m", dimensions=8)
    for shape in ((1, 8), (2, 16)):
        with pytest.raises(ModelFailed, match="2 vectors of 8 dimensions"), writing(index) as writer:
            writer.add([row("a", "x"), row("b", "y")], np.ones(shape, np.float32))
    assert index.count("SELECT count(*) FROM chunks") == 0


def test_an_index_finds_the_nearest_text() -> None:
    """Through an index the nearest wanted row comes first, removed rows never."""
    index = Index(None, Settings().lexical, model="m", dimensions=3)
    with writing(index) as writer:
        writer.add([row("a", "x"), row("b", "y", "other"), row("c", "z")], unit([A, B, C]))
    everything = index.allowed(index.view(), Scope(), Narrow())
    found = index.search_dense(index.view(), unit([A])[0], everything, 3)
    chunks = index.chunks(found.ids)
    assert [chunks[i].id for i in found.ids] == ["a", "b", "c"]
    with writing(index) as writer:
        writer.remove(["a"])
    found = index.search_dense(index.view(), unit([A])[0], index.allowed(index.view(), Scope(audiences=frozenset({"all"})), Narrow()), 3)
    assert [index.chunks(found.ids)[i].id for i in found.ids] == ["c"]
    assert len(dense.search([], unit([A])[0], EVERYTHING, 3).ids) == 0


@pytest.mark.parametrize("every", [2, 3, 7])
def test_a_filter_in_the_rhythm_of_the_rows(every: int) -> None:
    """Of many rows of which every second, third or seventh is wanted, or gone, the nearest of those left are found."""
    rng = np.random.default_rng(every)
    vectors = unit(rng.standard_normal((20_000, 64)))
    segment = dense.build(0, 20_000, [(i + 1, 1, i, 0, 1, v.tobytes()) for i, v in enumerate(vectors.astype(np.float16))], 64)
    gone = np.zeros(20_000, bool)
    gone[::every] = True
    for dead in (gone, ~gone):
        found = dense.search([Source(segment, dead)], vectors[5], EVERYTHING, 10)
        assert len(found.ids) == 10
        assert not dead[np.array(found.ids) - 1].any()
