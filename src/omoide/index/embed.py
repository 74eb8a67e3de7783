"""Vectors behind the lexical index: what has none yet is embedded in batches that can be stopped.

Every batch is committed with its vectors, so a stopped run goes on where it was; a text that was
embedded before with the same model is never sent again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from omoide.errors import ModelFailed
from omoide.index import schema
from omoide.index.index import Index
from omoide.index.write import tidy, writing
from omoide.types import Embedder

if TYPE_CHECKING:
    from omoide.index.segment import Array

BATCH = 64

Progress = Callable[[int, int], None]
"""Called with (done, of how many)."""


class Coverage(NamedTuple):
    """How many of the chunks have a vector of the model in use, and the texts that the model refused."""

    embedded: int
    chunks: int
    refused: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        return self.embedded / self.chunks if self.chunks else 1.0


def coverage(index: Index) -> Coverage:
    """Counted in the database, not assumed."""
    embedded = index.count(
        "SELECT count(*) FROM dense d JOIN models m ON m.id = d.model WHERE m.name = ?", index.model
    )
    return Coverage(embedded, index.count("SELECT count(*) FROM chunks"))


def embed_missing(index: Index, embedder: Embedder, progress: Progress | None = None) -> Coverage:
    """Embed every chunk that has no vector of this model. Raises `ModelFailed` when the model is gone;
    what was embedded until then stays. A text that is refused alone is listed, the rest goes on."""
    with writing(index) as writer:
        writer.attach_known()
    refused: list[str] = []
    done = coverage(index).embedded
    total = index.count("SELECT count(*) FROM chunks")
    for keys, hashes, texts in _missing(index):
        vectors, bad = _embedded(embedder, texts)
        good = [i for i in range(len(texts)) if i not in bad]
        refused += [keys[i] for i in bad]
        with writing(index) as writer:
            writer.store_vectors([hashes[i] for i in good], vectors)
            done += writer.attach_known()
        if progress:
            progress(done, total)
    tidy(index)
    return coverage(index)._replace(refused=tuple(refused))


def _missing(index: Index) -> Iterator[tuple[list[str], list[bytes], list[str]]]:
    """Batches of distinct texts without a vector, in row order."""
    last = 0
    while True:
        with index.lock, schema.damage():
            rows = index.db.execute(
                "SELECT max(c.id), c.key, c.hash, c.context, c.text FROM chunks c WHERE c.id > ? AND NOT EXISTS"
                " (SELECT 1 FROM dense d JOIN models m ON m.id = d.model WHERE d.chunk = c.id AND m.name = ?)"
                " GROUP BY c.hash ORDER BY 1 LIMIT ?",
                (last, index.model, BATCH),
            ).fetchall()
        if not rows:
            return
        last = rows[-1][0]
        yield [row[1] for row in rows], [row[2] for row in rows], [f"{row[3]}\n{row[4]}" if row[3] else row[4] for row in rows]


def _embedded(embedder: Embedder, texts: Sequence[str]) -> tuple[Array, set[int]]:
    """Vectors of the texts the model takes, and the positions of those it refused one by one."""
    import numpy as np

    try:
        return embedder.embed(texts), set()
    except ModelFailed:
        if len(texts) == 1:
            raise
    out: list[Array] = []
    bad: set[int] = set()
    for i, text in enumerate(texts):
        try:
            out.append(embedder.embed([text]))
        except ModelFailed:
            bad.add(i)
            if len(bad) == 3 and not out:  # three in a row and none before: the model is gone, not the text
                raise
    return np.concatenate(out) if out else np.empty((0, embedder.dimensions), np.float32), bad
