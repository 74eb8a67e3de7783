"""The compiled passes over every row (`kernel.c`), where the installation could build them.

They choose candidates and never score: `lexical` and `dense` score what is left with or without them, so an
answer is the same to the last bit. `library` is None where there was no compiler; then NumPy chooses.
Columns come from a segment that may be damaged: their types and lengths are checked here, row numbers in C.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from omoide.index.segment import Array, Segment

FILE = Path(__file__).with_name("_kernel.so")
OFF = "OMOIDE_NO_KERNEL"
"""Set to anything, NumPy chooses: to compare the two."""

_P, _N, _F = ctypes.c_void_p, ctypes.c_int64, ctypes.c_float
_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "omoide_cut": (ctypes.c_int, [_P, _N, _P, _P, _N, _P, _N, _N, _P]),
    "omoide_count": (ctypes.c_int, [_P, _P, _N, _N, _P, _N, _P]),
    "omoide_promising": (_N, [_P, _P, _P, _N, _N, _P, _P, _N, _N, _F, _F, _F, _P, _P]),
    "omoide_frequencies": (None, [_P, _P, _P, _N, _N, _P, _N, _P]),
    "omoide_near": (_N, [_P, _N, _N, _P, _P, _N, _P, _N, _P, _P, _P]),
    "omoide_cosines": (ctypes.c_int, [_P, _N, _N, _P, _N, _P, _P]),
}


def load(file: Path = FILE) -> ctypes.CDLL | None:
    """The library, or None where there is none, it is switched off, or it was built for another machine."""
    if OFF in os.environ or not file.exists():
        return None
    try:
        found = ctypes.CDLL(str(file))
        for name, (gives, takes) in _FUNCTIONS.items():
            function = getattr(found, name)
            function.restype, function.argtypes = gives, takes
    except (OSError, AttributeError):
        return None
    return found


library = load()


def _at(array: Array | None) -> int | None:
    """The address of a whole array."""
    return None if array is None else int(array.__array_interface__["data"][0])


def _marks(marks: Array | None, rows: int) -> int | None:
    """The address of booleans, known to be one a row. Raises `ValueError` for others."""
    if marks is not None and (marks.dtype != bool or marks.shape != (rows,) or not marks.flags.c_contiguous):
        raise ValueError(f"marks of {marks.shape} {marks.dtype} for {rows} rows")
    return _at(marks)


def _column(segment: Segment, name: str, kind: Any, *shape: int) -> int:
    """The address of a column, known to be of that type and shape. Raises `ValueError` for a damaged segment."""
    kept: dict[str, int] = segment.__dict__.setdefault("_addresses", {})
    if name not in kept:
        column = segment.arrays[name]
        if column.dtype != kind or column.shape != shape or not column.flags.c_contiguous:
            raise ValueError(f"column {name} is not {shape} of {np.dtype(kind)}")
        kept[name] = int(column.__array_interface__["data"][0])
    return kept[name]


_kept = threading.local()


def _room(name: str, size: int, kind: Any) -> Array:
    """Room for `size` numbers, kept for the next question of this thread: fresh pages cost as much as the passes."""
    room: Array | None = getattr(_kept, name, None)
    if room is None or len(room) < size:
        room = np.empty(size + size // 4, kind)
        setattr(_kept, name, room)
    return room


def _whole(code: int) -> None:
    """Raises `ValueError` where a pass met a number that points nowhere."""
    if code < 0:
        raise ValueError("a row or a posting is named that does not exist")


class Postings:
    """Where the query's words stand in one segment, as places in `docs`; `keep` marks living rows, or is None."""

    def __init__(self, segment: Segment, first: Array, last: Array, bounds: Sequence[int], keep: Array | None) -> None:
        """`first`, `last`: int64, a posting list a word. `bounds`: from and to of each slice of readable rows."""
        self.segment, self.keep = segment, keep
        self._terms, self._many = len(first), len(bounds)
        many = len(segment.arrays["docs"])
        self._columns = _column(segment, "docs", np.int32, many), _column(segment, "freq", np.float32, many)
        self._impact = _column(segment, "impact", np.uint8, many)
        if first.dtype != np.int64:
            raise ValueError("the starts of the posting lists are no numbers")
        edges = np.array(bounds, np.int32)
        self._cuts = np.empty((self._terms, self._many), np.int64)
        slices = _at(edges), self._many, segment.rows
        _whole(_call("omoide_cut", self._columns[0], many, _at(first), _at(last), self._terms, *slices, _at(self._cuts)))
        counts = np.zeros(self._terms, np.int64)
        living = _marks(keep, segment.rows)
        _whole(_call("omoide_count", self._columns[0], _at(self._cuts), self._terms, self._many, living, segment.rows, _at(counts)))
        self.counts: list[int] = counts.tolist()

    def promising(self, most: Sequence[float], average: float, k: int, wanted: Array | None) -> Array:
        """Rows, int32 and in order, that can be among the k best. `most`: what each word can give; `wanted` marks
        rows that may be hits, or is None.

        An impact is the share of `most` that a word gives, in 255ths, rounded up, for the segment's own average
        length; for another average it is off by at most the ratio of the two.
        """
        ratio = average / self.segment.average
        weights = np.array(most, np.float32) / 255
        slack = float(weights.sum()) + 1e-5 * sum(most)  # what rounding up and single precision can add
        keep = wanted if self.keep is None else self.keep if wanted is None else self.keep & wanted
        rows = self.segment.rows
        out, sums = _room("rows", rows, np.int32), _room("sums", (rows // 16 + 1) * 17, np.float32)
        found = _call(
            "omoide_promising", self._columns[0], self._impact, _at(self._cuts), self._terms, self._many, _at(weights), _marks(keep, rows),
            rows, k, slack, min(1.0, ratio), max(1.0, ratio), _at(sums), _at(out)
        )  # fmt: skip
        _whole(found)
        return out[:found].copy()

    def frequencies(self, rows: Array) -> Array:
        """How often each word stands in some rows (int32, in order), float64 (rows × words)."""
        out = np.empty((len(rows), self._terms))
        _call("omoide_frequencies", *self._columns, _at(self._cuts), self._terms, self._many, _at(rows), len(rows), _at(out))
        return out


def near(segment: Segment, bits: Array, slices: list[tuple[int, int]], keep: Array | None, wanted: int) -> Array:
    """Rows (int32, in order) with the fewest differing sign bits, with all ties: at least `wanted`, or all there are."""
    words, size = len(bits), sum(high - low for low, high in slices)
    planes = _column(segment, "planes", np.uint64, words, segment.rows)
    if any(not 0 <= low <= high <= segment.rows for low, high in slices):
        raise ValueError("a partition lies outside of the rows")
    flat, counts = np.array(slices, np.int64), np.empty(4 * (64 * words + 1), np.int64)
    distance, out = _room("distance", size, np.uint16), _room("rows", size, np.int32)
    marks = _marks(keep, segment.rows)
    found = _call(
        "omoide_near", planes, segment.rows, words, _at(bits), _at(flat), flat.size, marks, wanted, _at(distance), _at(counts), _at(out)
    )  # fmt: skip
    return out[:found].copy()


def cosines(segment: Segment, vector: Array, rows: Array) -> Array:
    """Rough cosines of rows (int32) with a vector (float32), in single precision."""
    half = _column(segment, "half", np.float16, segment.rows, len(vector))
    scaled = np.ascontiguousarray(vector, np.float32) * np.float32(2.0**112)  # whatever a caller gave
    out = np.empty(len(rows), np.float32)
    _whole(_call("omoide_cosines", half, segment.rows, len(vector), _at(rows), len(rows), _at(scaled), _at(out)))
    return out


def _call(name: str, *values: int | float | None) -> Any:
    function: Callable[..., Any] = getattr(library, name)
    return function(*values)
