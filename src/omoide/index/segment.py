"""Segments: compact arrays derived from the database, written once, read through mmap.

A segment covers the rows low < number ≤ high of one series ("lexical" or "dense:<model>"). Its rows are
ordered by partition, so that what one person may hear is a slice, not a list. It is made in a
temporary file, synced, renamed, and only then named by the database: a half-written one is never read.
"""

from __future__ import annotations

import json
import math
import mmap
import os
from collections.abc import Mapping
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from omoide.errors import IndexFailed

if TYPE_CHECKING:  # a short command that only reads words never loads NumPy: that alone takes as long as the rest
    from numpy.typing import NDArray

    Array = NDArray[Any]

_MAGIC = b"OMOSEG1\n"
_ALIGN = 64


_CODES: dict[str, Any] = {"<i8": "q", "<u8": "Q", "<i4": "i", "<f4": "f", "|u1": "B"}
"""NumPy's names of the plain types, and memoryview's."""


_ROWS = frozenset({"ids", "tie", "seconds", "kinds", "by_id", "parts", "part_start"})
_WORDS = _ROWS | {"length", "script", "hashes", "start", "docs", "freq", "impact"}
_VECTORS = _ROWS | {"half", "planes"}


class Segment:
    """Columns by name, each with one entry a row unless said otherwise, as arrays or, without NumPy, as `plain` views.

    Both kinds: `ids` (chunk number), `tie` (order among equal scores, the same in every segmentation),
    `seconds` (time, or NEVER), `kinds`, `by_id` (row order by id), `parts` and `part_start` (the
    partitions in order, and where each begins; one longer).
    Lexical: `length` (terms counted), `script` (share of spaced words × 255), `hashes`, `start` (one longer),
    `docs`, `freq`, `impact`: postings, a slice a term.
    Dense: `half` (float16 rows of length 1), `planes` (sign bits, dimension words × rows).
    """

    def __init__(
        self, low: int, high: int, arrays: Mapping[str, Array], *, file: str = "", raw: Mapping[str, _Raw] | None = None
    ) -> None:
        self.low, self.high, self.file = low, high, file
        self.made_of: list[tuple[Any, ...]] = []
        """The rows of the database, of a small segment in memory: it will be joined with later ones."""
        self._raw = raw or {}
        if raw is None:
            self.arrays = arrays
        self.rows = self._raw["ids"].shape[0] if raw else len(arrays["ids"])

    @cached_property
    def arrays(self) -> Mapping[str, Array]:
        import numpy as np

        return {key: np.frombuffer(raw.data, raw.dtype).reshape(raw.shape) for key, raw in self._raw.items()}

    def __getattr__(self, name: str) -> Array:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self.arrays[name]
        except KeyError:
            raise AttributeError(name) from None

    def plain(self, name: str) -> memoryview[Any]:
        """A column of numbers without NumPy."""
        raw = self._raw.get(name)
        return raw.data.cast(_CODES[raw.dtype]) if raw else self.arrays[name].data

    @cached_property
    def total(self) -> int:
        """Sum of the lengths of all texts."""
        return sum(self.plain("length"))

    @property
    def average(self) -> float:
        """Mean length of the texts, or 1 where they have none."""
        return self.total / self.rows or 1.0

    @cached_property
    def single(self) -> Array:
        """`half` in single precision, kept: for small segments, which are compared whole at every question."""
        return single(self.half)

    @cached_property
    def sorted_ids(self) -> Array:
        ids: Array = self.arrays["ids"][self.arrays["by_id"]]
        return ids

    def rows_of(self, ids: Array) -> Array:
        """Rows of those chunk numbers that are in this segment, in no particular order."""
        import numpy as np

        if not len(ids) or not self.rows:
            return np.empty(0, np.int64)
        at = np.minimum(np.searchsorted(self.sorted_ids, ids), self.rows - 1)
        rows: Array = self.arrays["by_id"][at[self.sorted_ids[at] == ids]].astype(np.int64)
        return rows

    def slices(self, partitions: frozenset[int] | None) -> list[tuple[int, int]]:
        """Row ranges of some partitions, neighbours joined; None is all of them."""
        if partitions is None:
            return [(0, self.rows)] if self.rows else []
        out: list[tuple[int, int]] = []
        for part in sorted(partitions & self._ranges.keys()):
            low, high = self._ranges[part]
            if out and out[-1][1] == low:
                low = out.pop()[0]
            out.append((low, high))
        return out

    @cached_property
    def _ranges(self) -> dict[int, tuple[int, int]]:
        """Rows of each partition: they lie in the order of the partitions' numbers."""
        start = self.plain("part_start").tolist()
        return dict(zip(self.plain("parts").tolist(), pairwise(start), strict=True))

    def in_memory(self) -> Segment:
        """The same copied out of the file map, where pages are small: for a process that stays."""
        return Segment(self.low, self.high, {name: array.copy() for name, array in self.arrays.items()}, file=self.file)


class _Raw(NamedTuple):
    """A column as bytes of a file map."""

    dtype: str
    shape: tuple[int, ...]
    data: memoryview


def single(half: Array) -> Array:
    """Half precision to single, exactly, by moving bits: NumPy's own cast takes five times as long on machines
    without a vector instruction for it. Only for finite numbers."""
    import numpy as np

    bits = half.view(np.int16).astype(np.int32)  # the sign fills the upper half
    bits <<= 13
    bits &= np.int32(~0x70001FFF)  # of the sign only the highest bit
    values: Array = bits.view(np.float32)
    values *= np.float32(2.0**112)  # the exponents' different zero points
    return values


def row_arrays(ids: Array, parts: Array, tie: Array, seconds: Array, kinds: Array) -> tuple[Array, dict[str, Array]]:
    """Row order (by partition, then number) and the arrays that both kinds of segment have."""
    import numpy as np

    order = np.lexsort((ids, parts))
    keys, first = np.unique(parts[order], return_index=True)
    return order, {
        "ids": ids[order],
        "tie": tie[order],
        "seconds": seconds[order],
        "kinds": kinds[order],
        "by_id": np.argsort(ids[order], kind="stable").astype(np.int32),
        "parts": keys.astype(np.int64),
        "part_start": np.append(first, len(ids)).astype(np.int64),
    }


def write(folder: Path, name: str, segment: Segment) -> tuple[int, str]:
    """Write a segment so that it is whole or absent. Gives its size in bytes and its digest."""
    header: dict[str, Any] = {"low": segment.low, "high": segment.high, "arrays": {}}
    at = 0
    for key, array in segment.arrays.items():
        header["arrays"][key] = [array.dtype.str, list(array.shape), at]
        at += -(-array.nbytes // _ALIGN) * _ALIGN
    head = json.dumps(header).encode()
    head += b" " * (-(len(_MAGIC) + 8 + len(head)) % _ALIGN)
    digest = blake2b(digest_size=16)
    temporary = folder / f".{name}.{os.getpid()}.part"
    try:
        with open(temporary, "wb") as out:
            for block in (_MAGIC, len(head).to_bytes(8, "little"), head, *_blocks(segment)):
                digest.update(block)
                out.write(block)
            out.flush()
            os.fsync(out.fileno())
            size = out.tell()
        os.replace(temporary, folder / name)
        sync_folder(folder)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise IndexFailed(f"a part of the index could not be written ({error.strerror}); make room and search again") from error
    return size, digest.hexdigest()


def _blocks(segment: Segment) -> Any:
    import numpy as np

    for array in segment.arrays.values():
        data = np.ascontiguousarray(array)
        yield data.data.cast("B") if data.size else b""
        yield b"\0" * (-data.nbytes % _ALIGN)


def read(path: Path, size: int) -> Segment:
    """Map a segment. Raises `IndexFailed` when it is missing, cut or not a segment."""
    try:
        with open(path, "rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if len(mapped) != size or mapped[: len(_MAGIC)] != _MAGIC:
            raise ValueError("its size or first bytes are wrong")
        start = len(_MAGIC) + 8
        head = int.from_bytes(mapped[len(_MAGIC) : start], "little")
        header = json.loads(mapped[start : start + head])
        raw = {key: _raw(mapped, start + head, *column) for key, column in header["arrays"].items()}
        if missing := (_VECTORS if raw.keys() & {"half", "planes"} else _WORDS) - raw.keys():
            raise ValueError(f"it has no {', '.join(sorted(missing))}")
        return Segment(header["low"], header["high"], {}, file=path.name, raw=raw)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, OverflowError) as error:
        raise IndexFailed(f"index part {path.name} is damaged ({error}); it will be rebuilt") from error


def _raw(mapped: mmap.mmap, base: int, dtype: str, shape: list[int], at: int) -> _Raw:
    size = int(dtype[2:]) * math.prod(shape)
    data = memoryview(mapped)[base + at : base + at + size]
    if len(data) != size:
        raise ValueError("a column is cut")
    return _Raw(dtype, tuple(shape), data)


def digest_of(path: Path) -> str:
    """Digest of a file's bytes, to compare with what `write` gave."""
    digest = blake2b(digest_size=16)
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def sync_folder(folder: Path) -> None:
    """Make a rename in this folder last."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def merge_plan(rows: list[int], ratio: int = 2) -> int:
    """How many of the newest segments to join into one, given their sizes, oldest first; 0 is none.

    The logarithmic method (Bentley and Saxe 1980): a segment is joined with its older neighbour as soon as that
    has at most `ratio` times its size. More makes fewer segments to search and more rows to join again.
    """
    joined, total = 1, rows[-1] if rows else 0
    for size in reversed(rows[:-1]):
        if size > ratio * total:
            break
        joined, total = joined + 1, total + size
    return joined if joined > 1 else 0
