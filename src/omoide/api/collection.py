"""A searchable set of ready chunks: no files needed. Thrown away, or kept in a folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from omoide.api.asking import Ask, ask, narrow
from omoide.api.clock import machine_clock
from omoide.api.recalling import recall, recall_query
from omoide.api.rows import chunk_of, marks_of_row
from omoide.errors import BadInput, IndexFailed
from omoide.index import entries, generation
from omoide.index.embed import Coverage, Progress, coverage, embed_missing
from omoide.index.entries import Entry
from omoide.index.index import Index
from omoide.index.write import tidy, writing
from omoide.settings import Settings
from omoide.types import Chunk, Query, Results, Scope

if TYPE_CHECKING:
    from omoide.types import Embedder, Vectors

Row = Mapping[str, Any] | Chunk


class Collection:
    """Chunks that can be searched, added and removed.

    `folder` None keeps it in memory; a folder makes every `add` durable when it returns. `embedder` None
    searches by words, unless vectors come with the rows (then say `model` and `dimensions`).
    """

    def __init__(
        self, rows: Iterable[Row] = (), *, settings: Settings | None = None, embedder: Embedder | None = None,
        folder: Path | None = None, model: str = "", dimensions: int = 0,
    ) -> None:  # fmt: skip
        self.settings = settings or Settings()
        self.embedder = embedder
        if embedder is not None:
            from omoide.models.guest import guest

            self.embedder = guest(embedder)
            model, dimensions = embedder.name, embedder.dimensions
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
        self.index = Index(folder, self.settings.lexical, model=model, dimensions=dimensions, resident=True)
        self._check_make()
        self.add(rows)

    def _check_make(self) -> None:
        made = generation.fingerprint(self.settings.lexical.analyzer)
        known = self.index.meta("fingerprint")
        if known and known != made:
            raise IndexFailed("this folder was made by another version or analyzer; make the collection anew in an empty folder")
        if not known:
            with writing(self.index) as writer:
                writer.set_meta("fingerprint", made)

    def __enter__(self) -> Collection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the files. A collection without a folder is gone."""
        self.index.close()

    def add(self, rows: Iterable[Row], vectors: Vectors | None = None) -> int:
        """Add rows in one commit; a known id is replaced. `vectors`: float32, one unit row a row. Raises `BadInput`."""
        rows = list(rows)
        chunks, marks = [chunk_of(row, at) for at, row in enumerate(rows, 1)], [marks_of_row(row, at) for at, row in enumerate(rows, 1)]
        if vectors is not None and not self.index.model:
            raise BadInput("vectors need a name: make the collection with model=… and dimensions=…")
        if chunks:
            with writing(self.index) as writer:
                writer.add(chunks, vectors)
                entries.add(writer, [Entry(chunk, found) for chunk, found in zip(chunks, marks, strict=True)])
            tidy(self.index)
        return len(chunks)

    def remove(self, ids: Sequence[str]) -> int:
        """Remove rows by id; unknown ones are no error. Gives how many there were."""
        with writing(self.index) as writer:
            removed = writer.remove(ids)
        tidy(self.index)
        return removed

    def embed(self, progress: Progress | None = None) -> Coverage:
        """Embed what has no vector yet. Without an embedder nothing happens. Raises `ModelFailed`."""
        return embed_missing(self.index, self.embedder, progress) if self.embedder else coverage(self.index)

    def search(
        self, text: str, *, scope: Scope | None = None, limit: int = 10, recipe: str = "default",
        vector: Vectors | None = None, explain: bool = False, until: datetime | None = None,
        since: datetime | None = None, kinds: Iterable[str] | None = None, subjects: Iterable[str] | None = None,
    ) -> Results:  # fmt: skip
        """Hits, best first. `until` and `since` leave out rows dated later or earlier; undated ones stay."""
        scope = scope or Scope()
        query = Query(text, scope.now or machine_clock(), limit, scope, explain)
        return ask(self.index, self.embedder, self.settings, Ask(query, recipe, narrow(since, until, kinds, subjects, ""), vector))

    def recall(
        self, words: str | Sequence[str] = (), *, scope: Scope | None = None, limit: int = 20, since: datetime | None = None,
        until: datetime | None = None, rule: str = "recall", marks: Mapping[str, str | Sequence[str]] = {},
    ) -> Results:  # fmt: skip
        """As `Omoide.recall`, over the rows that have a time."""
        asked = recall_query(words, scope or Scope(), since, until, limit, rule, marks)
        return recall(self.index, asked)

    def stats(self) -> dict[str, Any]:
        """Numbers: documents, terms, bytes, vectors, segments, fingerprint."""
        view = self.index.view()
        return {
            "documents": self.index.count("SELECT count(*) FROM chunks"),
            "segments": len(view.lexical),
            "vectors": coverage(self.index).embedded,
            "model": self.index.model,
            "bytes": sum(array.nbytes for source in (*view.lexical, *view.dense) for array in source.segment.arrays.values()),
            "fingerprint": self.index.meta("fingerprint"),
        }
