"""Cosine similarity over segments, exact after a coarse pass over sign bits.

Rows are unit vectors in half precision. Where a caller may see few rows, all are compared. Above that
the sign bits choose candidates by Hamming distance (the angle between two vectors is about π · distance /
dimensions: Charikar 2002) and the half-precision rows of the candidates give the cosine.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from omoide.errors import BadInput
from omoide.index import kernel
from omoide.index.allowed import Allowed
from omoide.index.lexical import Source
from omoide.index.segment import Segment, row_arrays, single

if TYPE_CHECKING:
    from omoide.index.segment import Array

EXACT_ROWS = 4_000
"""Up to so many rows every one is compared: above it the coarse pass is cheaper."""


class DenseLane(NamedTuple):
    """Hits of the dense lane, best first: chunk numbers, cosines, order among equals."""

    ids: list[int]
    scores: list[float]
    ties: list[int]


def cosine(a: Sequence[float], b: Sequence[float]) -> float:
    """Cosine of two vectors, in −1…1. Raises `BadInput` for a zero vector or different dimensions."""
    left, right = np.asarray(a, float), np.asarray(b, float)
    if left.shape != right.shape:
        raise BadInput(f"vectors of {left.shape[0]} and {right.shape[0]} dimensions cannot be compared")
    size = float(np.linalg.norm(left) * np.linalg.norm(right))
    if size == 0:
        raise BadInput("a zero vector has no direction, so it has no cosine")
    return float(left @ right) / size


def search(sources: Sequence[Source], vector: Array, allowed: Allowed, k: int) -> DenseLane:
    """The k nearest of the wanted rows. `vector`: float32, length 1, as many dimensions as the rows."""
    found = [columns for source in sources if len((columns := _candidates(source, vector, allowed, k))[0])]
    if not found:
        return DenseLane([], [], [])
    ids, scores, ties = (np.concatenate(column) for column in zip(*found, strict=True)) if len(found) > 1 else found[0]
    order = np.lexsort((ties, -scores))[:k]
    return DenseLane(ids[order].tolist(), scores[order].tolist(), ties[order].tolist())


def _candidates(source: Source, vector: Array, allowed: Allowed, k: int) -> tuple[Array, Array, Array]:
    """Chunk numbers, cosines (float64) and ties of the rows of one source that can be among the k nearest."""
    segment = source.segment
    slices = segment.slices(allowed.wanted)
    size = sum(high - low for low, high in slices)
    keep = None if allowed.mask is None else allowed.mask(segment)
    if source.dead is not None:
        keep = ~source.dead if keep is None else keep & ~source.dead
    if size <= EXACT_ROWS or keep is not None:
        rows = np.concatenate([np.arange(low, high, dtype=np.int32) for low, high in slices]) if slices else np.empty(0, np.int32)
        rows = rows if keep is None else rows[keep[rows]]
    if size > EXACT_ROWS and (keep is None or len(rows) > EXACT_ROWS):
        bits, wanted = sign_planes(vector[None, :])[:, 0], max(500, 10 * k, size // 200)
        rows = (_near if kernel.library is None else kernel.near)(segment, bits, slices, keep, wanted)
    values = None if kernel.library else _values(segment, rows)
    if len(rows) > k:
        rough = kernel.cosines(segment, vector, rows) if values is None else values @ vector
        near = np.flatnonzero(rough >= np.partition(rough, -k)[-k] - 1e-5)
        rows, values = rows[near], None if values is None else values[near]
    # one row at a time in double precision: the same number whatever stands beside it
    values = _values(segment, rows) if values is None else values
    exact = (values.astype(np.float64) * vector.astype(np.float64)).sum(axis=1)
    return segment.ids[rows], exact, segment.tie[rows]


def _values(segment: Segment, rows: Array) -> Array:
    """Rows in single precision; of a small segment all of them are kept so."""
    if kernel.library is None and segment.rows <= EXACT_ROWS:
        return segment.single if len(rows) == segment.rows else segment.single[rows]
    if len(rows) and len(rows) == int(rows[-1]) - int(rows[0]) + 1:
        return single(segment.half[int(rows[0]) : int(rows[-1]) + 1])
    return single(segment.half[rows])


def _near(segment: Segment, bits: Array, slices: list[tuple[int, int]], keep: Array | None, wanted: int) -> Array:
    """What `kernel.near` does, by NumPy: about `wanted` rows, at least half of them."""
    out = []
    for low, high in slices:
        out.append(_hamming(segment.planes[:, low:high], bits))
    distance = out[0] if len(out) == 1 else np.concatenate(out)
    kept = None if keep is None else np.flatnonzero(np.concatenate([keep[low:high] for low, high in slices]))
    if kept is not None:
        distance = distance[kept]
    sample = distance[:: max(1, len(distance) // 8192)]  # the threshold from a sample; all of a small one
    counts = np.cumsum(np.bincount(sample, minlength=1)[: 64 * len(bits) + 1]) * (len(distance) / len(sample))
    positions = np.flatnonzero(distance <= np.searchsorted(counts, min(wanted, int(counts[-1]))))
    if len(positions) < min(wanted // 2, len(distance)):  # the sample misled: rows may repeat in its rhythm
        positions = np.flatnonzero(distance <= np.partition(distance, min(wanted, len(distance)) - 1)[min(wanted, len(distance)) - 1])
    if kept is not None:
        positions = kept[positions]
    if len(slices) == 1:
        return positions + slices[0][0]
    rows = np.concatenate([np.arange(low, high) for low, high in slices])
    chosen: Array = rows[positions]
    return chosen


def _hamming(planes: Array, bits: Array) -> Array:
    """Differing bits of each row. Three words of 64 fit into a byte, so most of the adding is in bytes; the room
    for words and bytes is taken once, for fresh pages cost as much as the counting."""
    rows = planes.shape[1]
    total, differ = np.zeros(rows, np.uint16), np.empty(rows, np.uint64)
    count, part = np.empty(rows, np.uint8), np.empty(rows, np.uint8)
    for word, bit in enumerate(bits):
        np.bitwise_xor(planes[word], bit, out=differ)
        np.bitwise_count(differ, out=count if word % 3 else part)
        if word % 3:
            part += count
        if word % 3 == 2 or word + 1 == len(bits):
            total += part
    return total


def sign_planes(vectors: Array) -> Array:
    """Sign bits as (words of 64 dimensions × rows), so that one word of all rows lies together."""
    rows, dimensions = vectors.shape
    bits = np.zeros((rows, -(-dimensions // 64) * 64), bool)
    bits[:, :dimensions] = vectors > 0
    return np.ascontiguousarray(np.packbits(bits, axis=1).view(np.uint64).T)


def build(low: int, high: int, rows: Sequence[tuple[int, int, int, int, int, bytes]], dimensions: int) -> Segment:
    """A dense segment from database rows (id, partition, tie, seconds, kind, half-precision vector)."""
    columns = [np.array([row[i] for row in rows], np.int64) for i in range(5)]
    ids, parts, tie, seconds, kinds = columns
    order, arrays = row_arrays(ids, parts, tie.view(np.uint64), seconds, kinds.astype(np.int32))
    half = np.frombuffer(b"".join(rows[i][5] for i in order.tolist()), np.float16).reshape(len(rows), dimensions)
    return Segment(low, high, arrays | {"half": half, "planes": sign_planes(half)})
