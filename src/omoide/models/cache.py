"""An embedder that remembers: every text once for each model, in one SQLite file.

For evaluations, which embed the same corpus again and again. A home keeps its vectors in its own index.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from omoide.errors import ModelFailed

if TYPE_CHECKING:
    from omoide.types import Embedder, Vectors


class CachedEmbedder:
    """`inner` with a memory. Vectors are kept in half precision: cosines differ by less than 0.001."""

    def __init__(self, inner: Embedder, path: Path) -> None:
        self.inner = inner
        self.name, self.dimensions, self.max_tokens = inner.name, inner.dimensions, inner.max_tokens
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self.db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=30.0)
            self.db.execute("PRAGMA journal_mode=WAL")
            self.db.execute(
                "CREATE TABLE IF NOT EXISTS vectors(model TEXT, hash BLOB, vec BLOB, PRIMARY KEY(model, hash)) WITHOUT ROWID"
            )
        except sqlite3.DatabaseError as error:
            raise ModelFailed(f"the vector cache {path.name} cannot be used ({error}); remove it or name another with --cache") from error

    def count_tokens(self, text: str) -> int:
        """As the inner one counts."""
        return self.inner.count_tokens(text)

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """Known vectors from the file, the others from the inner embedder."""
        keys = [_key(text, query) for text in texts]
        rows = [self.db.execute("SELECT vec FROM vectors WHERE model = ? AND hash = ?", (self.name, key)).fetchone() for key in keys]
        missing = [i for i, row in enumerate(rows) if row is None or len(row[0]) != 2 * self.dimensions]
        out = np.empty((len(texts), self.dimensions), np.float32)
        if missing:
            made = self.inner.embed([texts[i] for i in missing], query=query)
            half = made.astype("<f2")
            self.db.execute("BEGIN")
            self.db.executemany(
                "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)",
                [(self.name, keys[i], row.tobytes()) for i, row in zip(missing, half, strict=True)],
            )
            self.db.execute("COMMIT")
            out[missing] = half
        for i, row in enumerate(rows):
            if row is not None and len(row[0]) == 2 * self.dimensions:
                out[i] = np.frombuffer(row[0], "<f2")
        return out

    def close(self) -> None:
        """Release the file."""
        self.db.close()


def _key(text: str, query: bool) -> bytes:
    kind = "query: " if query else "passage: "
    return blake2b((kind + text).encode("utf-8", "surrogatepass"), digest_size=16).digest()
