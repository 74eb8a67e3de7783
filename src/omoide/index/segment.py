"""Segments: compact arrays derived from the database, written once, read through mmap.

A segment covers the rows low < number ≤ high of one series ("lexical" or "dense:<model>"). Its rows are
ordered by partition, so that what one person may hear is a slice, not a list. It is made in a
temporary file, synced, renamed, and only then named by the database: a half-written one is never read.
"""

from __future__ import annotations

import json
import mmap
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from omoide.errors import IndexFailed

Array = NDArray[Any]

_MAGIC = b"OMOSEG1\n"
_ALIGN = 64


@dataclass(eq=False)
class Segment:
    """Arrays by name, each with one entry a row unless said otherwise.

    Both kinds: `ids` (chunk number), `tie` (order among equal scores, the same in every segmentation),
    `seconds` (time, or NEVER), `kinds`, `by_id` (row order by id), `parts` and `part_start` (the
    partitions in order, and where each begins; one longer).
    Lexical: `length` (terms counted), `script` (share of spaced words × 255), `hashes`, `start` (one longer),
    `docs`, `freq`: postings, a slice a term.
    Dense: `half` (float16 rows of length 1), `planes` (sign bits, dimension words × rows).
    """

    low: int
    high: int
    arrays: Mapping[str, Array]
    file: str = ""
    kept: tuple[Any, Any] | None = None
    """What a reader worked out of the arrays, and for what: replaced as a whole, never changed."""

    def __getattr__(self, name: str) -> Array:
        try:
            return self.__dict__["arrays"][name]  # type: ignore[no-any-return]
        except KeyError:
            raise AttributeError(name) from None

    @property
    def rows(self) -> int:
        return len(self.arrays["ids"])

    @cached_property
    def sorted_ids(self) -> Array:
        ids: Array = self.arrays["ids"][self.arrays["by_id"]]
        return ids

    def rows_of(self, ids: Array) -> Array:
        """Rows of those chunk numbers that are in this segment, in no particular order."""
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
        start = self.arrays["part_start"].tolist()
        for i, part in enumerate(self.arrays["parts"].tolist()):
            if part in partitions:
                if out and out[-1][1] == start[i]:
                    out[-1] = (out[-1][0], start[i + 1])
                else:
                    out.append((start[i], start[i + 1]))
        return out

    def in_memory(self) -> Segment:
        """The same copied out of the file map, where pages are small: for a process that stays."""
        return Segment(self.low, self.high, {name: np.array(array) for name, array in self.arrays.items()}, self.file)


def row_arrays(ids: Array, parts: Array, tie: Array, seconds: Array, kinds: Array) -> tuple[Array, dict[str, Array]]:
    """Row order (by partition, then number) and the arrays that both kinds of segment have."""
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
        arrays = {
            key: np.frombuffer(mapped, dtype, int(np.prod(shape)), start + head + at).reshape(shape)
            for key, (dtype, shape, at) in header["arrays"].items()
        }
        return Segment(header["low"], header["high"], arrays, path.name)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise IndexFailed(f"index part {path.name} is damaged ({error}); it will be rebuilt") from error


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


def merge_plan(rows: list[int]) -> int:
    """How many of the newest segments to join into one, given their sizes, oldest first; 0 is none.

    The logarithmic method (Bentley and Saxe 1980): a segment is joined with its older neighbour as
    soon as it has half its size, so there are about log2 of them and each row is rewritten that often.
    """
    joined, total = 1, rows[-1] if rows else 0
    for size in reversed(rows[:-1]):
        if size > 2 * total:
            break
        joined, total = joined + 1, total + size
    return joined if joined > 1 else 0
