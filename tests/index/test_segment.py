"""Segments on disk: whole or refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.errors import IndexFailed
from omoide.index import lexical
from omoide.index.bm25 import TERM, term_hash
from omoide.index.index import Index
from omoide.index.segment import Segment, digest_of, merge_plan, read, write
from omoide.index.write import tidy
from omoide.settings import Settings
from parts.bm25 import add, row, scores


def some(rows: int = 20) -> Segment:
    """A lexical segment over three partitions."""
    blob = b"".join(TERM.pack(term_hash(term), 2) for term in sorted(("alpha", "beta"), key=term_hash))
    return lexical.build(0, rows, [(i, i % 3, i * 7, i, 1, 4, 255, blob) for i in range(1, rows + 1)])


@pytest.mark.parametrize("rows", [0, 1, 20])
def test_what_is_written_is_read(tmp_path: Path, rows: int) -> None:
    """Every array comes back with its type and values, and the digest is that of the file."""
    made = some(rows)
    size, digest = write(tmp_path, "a.seg", made)
    back = read(tmp_path / "a.seg", size)
    assert (back.low, back.high, back.rows, back.file) == (0, rows, rows, "a.seg")
    assert set(back.arrays) == set(made.arrays)
    for name, array in made.arrays.items():
        assert back.arrays[name].dtype == array.dtype
        assert (back.arrays[name] == array).all()
    assert digest_of(tmp_path / "a.seg") == digest
    assert [path.name for path in tmp_path.iterdir()] == ["a.seg"]
    assert (back.in_memory().ids == made.ids).all()


@pytest.mark.parametrize("damage", ["gone", "empty", "cut", "longer", "other first bytes", "header"])
def test_a_damaged_file_is_refused(tmp_path: Path, damage: str) -> None:
    """A segment that is missing, cut, longer or no segment is an `IndexFailed` that names it."""
    size, _ = write(tmp_path, "a.seg", some())
    path = tmp_path / "a.seg"
    data = path.read_bytes()
    if damage == "gone":
        path.unlink()
    else:
        spoilt = {"empty": b"", "cut": data[:-1], "longer": data + b"\0", "other first bytes": b"X" + data[1:], "header": data[:16] + b"\0" * 40 + data[56:]}
        path.write_bytes(spoilt[damage])
    with pytest.raises(IndexFailed, match=r"a\.seg"):
        read(path, size)


def test_a_segment_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    """Where the folder is gone the error says so and no temporary file stays."""
    with pytest.raises(IndexFailed, match="could not be written"):
        write(tmp_path / "gone", "a.seg", some())
    assert list(tmp_path.iterdir()) == []


def test_slices_are_the_rows_of_the_partitions() -> None:
    """The rows of a partition lie together; those of neighbours are one slice."""
    made = some()
    for wanted in ({0}, {1, 2}, {0, 2}, {9}, set()):
        rows = {i for low, high in made.slices(frozenset(wanted)) for i in range(low, high)}
        assert {int(made.ids[i]) for i in rows} == {i for i in range(1, 21) if i % 3 in wanted}
    assert made.slices(frozenset({0, 1, 2})) == made.slices(None) == [(0, 20)]


@given(st.lists(st.integers(0, 40)))
def test_rows_of_finds_what_is_there(ids: list[int]) -> None:
    """Chunk numbers give their rows, unknown ones none."""
    made = some()
    rows = made.rows_of(np.array(ids, np.int64))
    assert sorted(made.ids[rows].tolist()) == sorted(i for i in ids if 1 <= i <= 20)


@given(st.lists(st.integers(1, 500), max_size=400))
def test_there_are_few_segments_and_few_rewrites(sizes: list[int]) -> None:
    """Whatever the batches, the plan keeps about log2 of the rows segments and rewrites a row about as often."""
    rows: list[int] = []
    written = 0
    for size in sizes:
        rows.append(size)
        count = merge_plan(rows)
        assert 0 <= count <= len(rows)
        assert count != 1
        if count:
            rows[-count:] = [sum(rows[-count:])]
            written += rows[-1]
    total = sum(rows)
    assert total == sum(sizes)
    bound = total.bit_length() + 1
    assert len(rows) <= bound
    assert written <= 2 * bound * total


def test_a_damaged_segment_costs_no_answer(tmp_path: Path) -> None:
    """When a segment is damaged its rows are read from the database, and tidying writes it anew."""
    index = Index(tmp_path, Settings().lexical)
    add(index, *(row(f"d{i}", f"alpha {i}") for i in range(50)))
    tidy(index, fully=True)
    want = scores(index, "alpha 7")
    index.close()
    part = next(tmp_path.glob("lexical-*.seg"))
    part.write_bytes(part.read_bytes()[:-64])
    index = Index(tmp_path, Settings().lexical)
    assert scores(index, "alpha 7") == want
    tidy(index)
    assert not index.lexical.damaged
    assert scores(index, "alpha 7") == want
    index.close()
    index = Index(tmp_path, Settings().lexical)
    assert scores(index, "alpha 7") == want
    assert not index.lexical.damaged
    index.close()
