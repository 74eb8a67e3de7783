"""The writing side: one transaction, ids that replace, tidying that changes nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from omoide.errors import BadInput, ModelFailed
from omoide.index.allowed import Narrow
from omoide.index.index import Index
from omoide.index.write import copy_vectors, passage_hash, tidy, writing
from omoide.settings import Settings
from omoide.types import Scope
from parts.bm25 import add, filled, lane, remove, row, scores


def test_all_or_nothing(index: Index) -> None:
    """When something fails inside a transaction nothing of it is seen, and the next one works."""
    with pytest.raises(KeyError), writing(index) as writer:
        writer.add([row("a", "alpha")])
        raise KeyError("later")
    assert scores(index, "alpha") == {}
    add(index, row("a", "alpha"))
    assert set(scores(index, "alpha")) == {"a"}


def test_an_id_replaces_what_had_it(index: Index) -> None:
    """A row with a known id takes the place of the old one, in a later commit or the same."""
    add(index, row("a", "alpha"), row("b", "beta"))
    add(index, row("a", "gamma"))
    assert scores(index, "alpha") == {}
    assert set(scores(index, "gamma")) == {"a"}
    assert index.count("SELECT count(*) FROM chunks") == 2


def test_an_id_given_twice_is_refused(index: Index) -> None:
    """Two rows with one id in one call are an error that names the id, and nothing is added."""
    with pytest.raises(BadInput, match="'a' is given twice"):
        add(index, row("a", "x"), row("a", "y"))
    assert index.count("SELECT count(*) FROM chunks") == 0


def test_what_cannot_be_stored_is_replaced(index: Index) -> None:
    """NUL and lone surrogates become the replacement character, and the text is found by its other words."""
    add(index, row("a\ud800", "zero\x00 alpha \udfff"))
    assert set(scores(index, "alpha")) == {"a\ufffd"}
    chunk = next(iter(index.chunks([1]).values()))
    assert chunk.text == "zero\ufffd alpha \ufffd"


def test_a_chunk_comes_back_as_it_went_in(index: Index) -> None:
    """Place, time, kind, subject, audience and context survive the index."""
    from datetime import datetime

    when = datetime.fromisoformat("2026-11-24T09:15:00+09:00")
    chunk = row("k", "text", "person:x", path="a/b.md", lines=(3, 5), context="T › H", when=when, kind="log", subject="x")
    add(index, chunk)
    index.view()
    assert list(index.chunks([1]).values()) == [chunk]
    assert index.chunks([99]) == {}


def test_another_connection_sees_the_newest(tmp_path: Path) -> None:
    """A reader that had the index open catches up at its next look, also after tidying."""
    writer, reader = Index(tmp_path, Settings().lexical), Index(tmp_path, Settings().lexical)
    add(writer, row("a", "alpha"))
    assert set(scores(reader, "alpha")) == {"a"}
    add(writer, row("b", "alpha"))
    tidy(writer, fully=True)
    assert set(scores(reader, "alpha")) == {"a", "b"}
    remove(writer, "a")
    assert set(scores(reader, "alpha")) == {"b"}
    writer.close()
    reader.close()


def test_tidying_changes_no_answer(tmp_path: Path) -> None:
    """With thousands of rows added and removed, scores are those of a fresh index and removed texts leave the disk."""
    index = Index(tmp_path, Settings().lexical, model="m", dimensions=4)
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((6000, 4)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    for start in range(0, 6000, 1500):
        with writing(index) as writer:
            writer.add([row(f"d{i}", f"alpha secret{i} w{i % 7}") for i in range(start, start + 1500)], vectors[start : start + 1500])
        tidy(index)
    remove(index, *(f"d{i}" for i in range(0, 6000, 2)))
    tidy(index)
    left = {f"d{i}": f"alpha secret{i} w{i % 7}" for i in range(1, 6000, 2)}
    found, fresh = scores(index, "w3 secret77"), scores(filled(left), "w3 secret77")
    assert found["d77"] == fresh["d77"]
    assert len(index.view().lexical) <= 4
    assert index.count("SELECT count(*) FROM dead") == 0
    assert index.count("SELECT count(*) FROM vectors") == 3000
    index.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert not any(b"secret0 " in path.read_bytes() or b"secret1000 " in path.read_bytes() for path in tmp_path.iterdir())
    index.close()


def test_vectors_are_kept_by_text_and_taken_along(tmp_path: Path) -> None:
    """The same text has one vector, a copy has it at once, and a new generation takes it along."""
    (tmp_path / "old").mkdir()
    (tmp_path / "new").mkdir()
    old = Index(tmp_path / "old", Settings().lexical, model="m", dimensions=2)
    with writing(old) as writer:
        writer.add([row("a", "same"), row("b", "same")])
        writer.store_vectors([passage_hash("same")], np.array([[1, 0]], np.float32))
        assert writer.attach_known() == 2
    assert old.count("SELECT count(*) FROM vectors") == 1
    new = Index(tmp_path / "new", Settings().lexical, model="m", dimensions=2)
    add(new, row("c", "same"))
    assert copy_vectors(new, str(tmp_path / "old" / "index.db")) == 1
    assert copy_vectors(new, str(tmp_path / "missing" / "index.db")) == 0
    with writing(new) as writer:
        assert writer.attach_known() == 1
    old.close()
    new.close()


def test_the_key_of_a_passage() -> None:
    """Equal texts share a key, other texts do not, and any string has one."""
    assert passage_hash("a") == passage_hash("a") != passage_hash("b")
    assert len(passage_hash("\ud800")) == 16


@pytest.mark.parametrize("model", ["", "m"])
def test_a_burial_while_another_model_is_open(tmp_path: Path, model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many rows removed and tidied by a process that has no vectors, or others, open: who has them sees what is left."""
    monkeypatch.setattr("omoide.index.write.FLUSH_ROWS", 20)
    seeing = Index(tmp_path, Settings().lexical, model="seen", dimensions=2)
    angles = np.linspace(0, 1, 100)
    with writing(seeing) as writer:
        writer.add([row(f"d{i}", f"alpha w{i}") for i in range(100)], np.stack([np.cos(angles), np.sin(angles)], axis=1))
    tidy(seeing)
    other = Index(tmp_path, Settings().lexical, model=model, dimensions=2 if model else 0)
    remove(other, *(f"d{i}" for i in range(90)))
    tidy(other)
    assert other.count("SELECT count(*) FROM dead") == 0
    for index in (seeing, Index(tmp_path, Settings().lexical, model="seen", dimensions=2)):
        view = index.view()
        found = index.search_dense(view, np.array([1, 0], np.float32), index.allowed(view, Scope(), Narrow()), 100)
        assert {chunk.id for chunk in index.chunks(found.ids).values()} == {f"d{i}" for i in range(90, 100)}
        assert len(found.ids) == len(set(found.ids)) == 10
        index.close()
    other.close()


@pytest.mark.parametrize("rows", [3, 20])
def test_a_large_edit_counts_nothing_twice(tmp_path: Path, rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Replacing many rows at once leaves each once, in the counts and among the hits."""
    monkeypatch.setattr("omoide.index.write.FLUSH_ROWS", rows)
    index = Index(tmp_path, Settings().lexical)
    for text in ("alpha one", "alpha two", "alpha three"):
        with writing(index) as writer:
            writer.add([row(f"d{i}", text) for i in range(40)])
        tidy(index)
        found = lane(index, "alpha")
        assert (found.about.n, len(found.ids)) == (40, 40)
    index.close()


def test_vectors_given_with_rows_belong_to_the_row(tmp_path: Path) -> None:
    """Two rows of one text keep their own vectors, and a row given again has its new one."""
    index = Index(tmp_path, Settings().lexical, model="m", dimensions=2)
    for one in (np.array([[1, 0], [0, 1]], np.float32), np.array([[0, 1], [1, 0]], np.float32)):
        with writing(index) as writer:
            writer.add([row("a", "same"), row("b", "same")], one)
        view = index.view()
        found = index.search_dense(view, one[0], index.allowed(view, Scope(), Narrow()), 1)
        assert [index.chunks(found.ids)[number].id for number in found.ids] == ["a"]
    index.close()


@pytest.mark.parametrize("bad", [[[3.0, 4.0]], [[float("nan"), 0.0]], [[0.0, 0.0]], [[1e6, 0.0]]])
def test_vectors_of_another_length_are_refused(bad: list[list[float]]) -> None:
    """A vector that is no direction of length 1 is refused with its place, and nothing is kept."""
    index = Index(None, Settings().lexical, model="m", dimensions=2)
    with pytest.raises(ModelFailed, match="vector 1 of 1"), writing(index) as writer:
        writer.add([row("a", "x")], np.array(bad, np.float32))
    assert index.count("SELECT count(*) FROM chunks") == 0
