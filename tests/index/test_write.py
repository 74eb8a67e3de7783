"""The writing side: one transaction, ids that replace, tidying that changes nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from omoide.errors import BadInput
from omoide.index.index import Index
from omoide.index.write import copy_vectors, passage_hash, tidy, writing
from omoide.settings import Settings
from parts.bm25 import add, filled, remove, row, scores


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
        writer.add([row("a", "same")], np.array([[1, 0]], np.float32))
        writer.add([row("b", "same")])
        assert writer.attach_known() == 1
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
