"""The compiled passes choose what NumPy chooses, and never answer for a damaged segment."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from omoide import Collection, Scope
from omoide.errors import IndexFailed
from omoide.index import dense, kernel, lexical
from omoide.index.allowed import Allowed
from omoide.index.lexical import Source
from omoide.index.segment import Segment
from omoide.settings import Lexical
from omoide.text.tokenize import query_terms


@pytest.fixture(autouse=True, scope="module")
def passes() -> None:
    """Both are compared here, so the room's way to run everything twice is not wanted."""


ROOT = Path(__file__).parents[2]
needs_library = pytest.mark.skipif(kernel.library is None, reason="no C compiler was at hand when omoide was installed")

WORDS = [*"abcdefgh", "猫", "東京", "v2.5", "deploy"]
ROWS = st.lists(st.tuples(st.lists(st.sampled_from(WORDS), min_size=1, max_size=30).map(" ".join), st.sampled_from(["all", "x", "y"])), max_size=40)


@needs_library
@settings(max_examples=150)
@given(ROWS, st.lists(st.integers(0, 40)), st.lists(st.sampled_from(WORDS), min_size=1).map(" ".join), st.integers(1, 12), st.sampled_from(["*", "x", "all"]))
def test_same_answers_with_and_without(rows: Any, gone: list[int], query: str, limit: int, audience: str) -> None:
    """Ids, scores and traces of every recipe are equal to the last bit, whatever was removed and whoever asks."""
    random = np.random.default_rng(len(rows))
    vectors = random.normal(size=(len(rows), 70)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    question = vectors[0] if len(rows) else np.ones(70, np.float32) / np.sqrt(70).astype(np.float32)
    with Collection(model="m", dimensions=70) as notes:
        if rows:
            notes.add([{"id": str(i), "text": text, "audience": who} for i, (text, who) in enumerate(rows)], vectors)
        notes.remove([str(i) for i in gone])
        for recipe in ("lexical", "dense", "hybrid"):
            asked: Any = {"scope": Scope(audiences=frozenset({audience})), "limit": limit, "recipe": recipe, "vector": question, "explain": True}
            library = kernel.library
            compiled = notes.search(query, **asked)
            try:
                kernel.library = None
                assert notes.search(query, **asked) == compiled
            finally:
                kernel.library = library


def texts(n: int, seed: int = 0) -> Segment:
    """A lexical segment of n rows in three partitions, words of all rarities."""
    random = np.random.default_rng(seed)
    rows = []
    for i in range(n):
        chosen = np.unique(random.zipf(1.3, random.integers(1, 60)).clip(max=500))
        blob = np.array([(lexical.term_hash(f"w{word}"), random.integers(1, 9)) for word in chosen], lexical._TERM)
        rows.append((i + 1, i % 3, int(random.integers(0, 2**60)), 0, 0, int(blob["freq"].sum()), 200, blob.tobytes()))
    return lexical.build(0, n, rows)


@needs_library
@pytest.mark.parametrize("parts", [None, frozenset({1}), frozenset({0, 2})])
@pytest.mark.parametrize("dead", [False, True])
@pytest.mark.parametrize("k", [1, 10, 200])
def test_pruning_of_large_segments_loses_nothing(parts: Any, dead: bool, k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With thousands of rows, where both ways prune, the lanes are equal to the last bit."""
    segment = texts(9000)
    marks = np.random.default_rng(1).random(segment.rows) < 0.2 if dead else None
    source, within = Source(segment, marks), Allowed(parts, parts)
    for question in ("w1", "w1 w2 w3 w40 w41 w499", " ".join(f"w{i}" for i in range(1, 60)), "w1 w1 w7 unknown", "unknown"):
        query = query_terms(question)
        compiled = lexical.search([source], query, within, k, Lexical())
        monkeypatch.setattr(kernel, "library", None)
        assert lexical.search([source], query, within, k, Lexical()) == compiled
        monkeypatch.undo()


@needs_library
@pytest.mark.parametrize("dimensions", [1, 63, 64, 65, 384, 1000, 2500])
def test_the_nearest_by_sign_bits(dimensions: int) -> None:
    """The rows given are exactly those up to some distance, and no smaller distance would have been enough."""
    random = np.random.default_rng(dimensions)
    vectors = random.normal(size=(3000, dimensions)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = [(i + 1, i % 2, i, 0, 0, row.astype(np.float16).tobytes()) for i, row in enumerate(vectors)]
    segment = dense.build(0, 3000, rows, dimensions)
    bits = dense.sign_planes(vectors[:1])[:, 0]
    distance = np.bitwise_count(segment.planes ^ bits[:, None]).sum(axis=0, dtype=np.int64)
    for slices in ([(0, 3000)], [(0, 1500)], [(10, 11), (600, 2999)]):
        for keep in (None, random.random(3000) < 0.5):
            wanted = np.zeros(3000, bool)
            for low, high in slices:
                wanted[low:high] = True
            wanted &= True if keep is None else keep
            for enough in (1, 200, 5000):
                found = kernel.near(segment, bits, slices, keep, enough)
                limit = np.sort(distance[wanted])[: max(1, enough)].max(initial=-1) if wanted.any() else -1
                assert found.tolist() == np.flatnonzero(wanted & (distance <= limit)).tolist()
    rough = kernel.cosines(segment, vectors[0], np.arange(0, 3000, 7, dtype=np.int32))
    assert np.abs(rough - segment.half[::7].astype(np.float64) @ vectors[0]).max() < 5e-6


@needs_library
@pytest.mark.parametrize("column", ["docs", "start", "impact", "freq", "half", "planes"])
@pytest.mark.parametrize("damage", ["too large", "negative", "cut", "another type"])
def test_a_damaged_segment_is_an_error_or_an_answer(column: str, damage: str) -> None:
    """Whatever a column holds, nothing outside of it is read: the search ends, and a bad number is named as damage."""
    words = texts(300)
    near = dense.build(0, 300, [(i + 1, 0, i, 0, 0, np.full(70, 0.1, np.float16).tobytes()) for i in range(300)], 70)
    segment = words if column in words.arrays else near
    arrays = {name: array.copy() for name, array in segment.arrays.items()}
    if damage == "cut":
        arrays[column] = arrays[column][: len(arrays[column]) // 2]
    elif damage == "another type":
        arrays[column] = arrays[column].astype(np.float64)
    else:
        wide = np.int64(2**30) if damage == "too large" else np.int64(-5)
        with np.errstate(over="ignore"):
            arrays[column][...] = np.array(wide).astype(arrays[column].dtype)
    broken = Source(Segment(0, 300, arrays), None)
    everyone = Allowed(None, None)
    try:
        if segment is words:
            lexical.search([broken], query_terms("w1 w2 w3"), everyone, 10, Lexical())
        else:
            dense.search([broken], np.full(70, 70**-0.5, np.float32), everyone, 10)
            kernel.near(broken.segment, np.zeros(2, np.uint64), [(0, 300)], None, 10)
    except (ValueError, LookupError, TypeError, OverflowError):
        return  # what `Index.decoding` makes an IndexFailed of
    assert damage not in ("cut", "another type")


@needs_library
@pytest.mark.parametrize("given", [np.float64, np.float16, "strided"])
def test_a_query_vector_of_another_kind(given: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A vector in double or half precision, or with gaps between its numbers, finds the same as without the passes."""
    random = np.random.default_rng(5)
    vectors = random.normal(size=(300, 70)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    question = np.repeat(vectors[7], 2)[::2] if given == "strided" else vectors[7].astype(given)
    with Collection(model="m", dimensions=70) as notes:
        notes.add([{"id": str(i), "text": "x"} for i in range(300)], vectors)
        compiled = notes.search("x", recipe="dense", vector=question)
        monkeypatch.setattr(kernel, "library", None)
        assert notes.search("x", recipe="dense", vector=question) == compiled
        assert compiled.hits[0].chunk.id == "7"


@needs_library
def test_marks_that_do_not_fit() -> None:
    """Marks of rows that are too short or of another type are an error, not a read past their end."""
    near = dense.build(0, 90, [(i + 1, 0, i, 0, 0, np.full(64, 0.1, np.float16).tobytes()) for i in range(90)], 64)
    for marks in (np.ones(10, bool), np.ones(90, np.int64), np.ones(180, bool)[::2]):
        with pytest.raises(ValueError, match="for 90 rows"):
            kernel.near(near, np.zeros(1, np.uint64), [(0, 90)], marks, 5)


@needs_library
def test_damage_is_told_like_any_other() -> None:
    """A posting that names a row there is not becomes the error that says the files are untouched."""
    with Collection([{"id": "a", "text": "alpha beta"}]) as notes:
        view = notes.index.view()
        view.words[0].arrays["docs"][...] = 7
        with pytest.raises(IndexFailed, match=r"damaged.*The files are untouched"):
            notes.index.search_lexical(view, query_terms("alpha"), Allowed(None, None), 5)


def hook() -> ModuleType:
    """The build hook of the repository."""
    pytest.importorskip("hatchling")
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_without_a_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """An installation without a compiler, or with one that fails, says so, leaves nothing behind, and goes on."""
    for compiler in ("/no/such/compiler", "false"):
        monkeypatch.setenv("CC", compiler)
        assert not hook().compiled(ROOT / "src/omoide/index/kernel.c", tmp_path / "out.so")
        assert "without the compiled passes" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler here")
def test_the_library_as_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the hook builds can be loaded; another file of that name, or the switch, leaves it to NumPy."""
    monkeypatch.delenv("CC", raising=False)
    assert hook().compiled(ROOT / "src/omoide/index/kernel.c", tmp_path / "out.so")
    monkeypatch.delenv(kernel.OFF, raising=False)
    assert kernel.load(tmp_path / "out.so") is not None
    (tmp_path / "bad.so").write_bytes(b"not a library")
    assert kernel.load(tmp_path / "bad.so") is None
    assert kernel.load(tmp_path / "none.so") is None
    monkeypatch.setenv(kernel.OFF, "1")
    assert kernel.load(tmp_path / "out.so") is None
