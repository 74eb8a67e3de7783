"""The index of one home or collection: a disposable cache that answers "which chunks, and how well".

One SQLite file holds what must last; segments derived from it make reading fast; what was written after
the newest segment lies in small segments in memory. A reader catches up at every search by row number.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from omoide.errors import IndexFailed
from omoide.index import plain, schema
from omoide.index.allowed import Allowed, Narrow, allowed, row_mask
from omoide.index.bm25 import LexicalLane, term_hashes
from omoide.index.segment import Segment, merge_plan, read
from omoide.settings import Lexical
from omoide.text.tokenize import ANALYZERS, QueryTerms, query_terms
from omoide.types import Chunk, Scope

if TYPE_CHECKING:  # arrays are for processes that stay; see `Index.words`
    from omoide.index.dense import DenseLane
    from omoide.index.lexical import Source
    from omoide.index.segment import Array

DATABASE = "index.db"
TAIL_RATIO = 4
"""Segments in memory are small: searching one more costs each question as much as joining hundreds of rows."""


KEPT_ROWS = 2_000
"""A segment in memory of up to so many rows keeps what it was made of: joining it reads only what is new."""

_LAST = 2**62
_MOST_CALLERS = 256

Row = tuple[Any, ...]
"""What the database has of a row of a segment, its number first."""


@dataclass(frozen=True)
class View:
    """What a reader sees: fixed while it is used, replaced when something was written.

    `words`, `vectors`: segments of each kind, the newest in memory. `gone`: chunks removed since they were written.
    """

    words: tuple[Segment, ...] = ()
    vectors: tuple[Segment, ...] = ()
    gone: tuple[int, ...] = ()
    partitions: Mapping[int, tuple[str, str]] = field(default_factory=dict)
    kinds: Mapping[str, int] = field(default_factory=dict)
    rights: dict[Hashable, Allowed] = field(default_factory=dict)
    """What was decided while this view lasts, by caller and subjects: thousands of partitions are not asked at every search."""

    @cached_property
    def lexical(self) -> tuple[Source, ...]:
        return _sources(self.words, self.gone)

    @cached_property
    def dense(self) -> tuple[Source, ...]:
        return _sources(self.vectors, self.gone)


class Series:
    """The segments of one kind in row order: those on disk, then the tail in memory."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.disk: list[Segment] = []
        self.tail: list[Segment] = []
        self.damaged: list[str] = []

    @property
    def covered(self) -> int:
        """Highest row number that a segment on disk holds."""
        return self.disk[-1].high if self.disk else 0

    @property
    def high(self) -> int:
        return self.tail[-1].high if self.tail else self.covered

    def reload(self, listed: Sequence[tuple[str, int]], folder: Path | None, resident: bool) -> None:
        """Open what the database lists and this process has not, up to the first damaged one."""
        have = {segment.file: segment for segment in self.disk}
        self.disk, self.damaged = [], []
        for file, size in listed:
            try:
                segment = have.get(file) or read(folder / file if folder else Path(file), size)
            except IndexFailed:
                self.damaged = [name for name, _ in listed[len(self.disk) :]]
                break
            self.disk.append(segment.in_memory() if resident and file not in have else segment)
        self.tail = [segment for segment in self.tail if segment.low >= self.covered]
        if self.tail and self.tail[0].low > self.covered:  # rows between them would be missing
            self.tail = []

    def extend(self, rows: list[Row], read: Callable[[int], list[Row]], build: Callable[[int, list[Row]], Segment]) -> None:
        """Put new rows at the end of the tail, joined with what is small there. `read`: all rows after a number, for
        segments that are too large to keep theirs."""
        count = merge_plan([*(part.rows for part in self.tail), len(rows)], TAIL_RATIO)
        joined = self.tail[1 - count :] if count else []
        low = joined[0].low if joined else self.high
        rows = [row for part in joined for row in part.made_of] + rows if all(part.made_of for part in joined) else read(low)
        segment = build(low, rows)
        segment.made_of = rows if len(rows) <= KEPT_ROWS else []
        self.tail = [*self.tail[: len(self.tail) - len(joined)], segment]


class Index:
    """Reading side of the index, plus its one writer (`omoide.index.write.Writer`).

    `folder` None keeps all in memory. `model` and `dimensions` name the vectors in use; "" is none.
    """

    def __init__(
        self, folder: Path | None, settings: Lexical, *, model: str = "", dimensions: int = 0, resident: bool = False
    ) -> None:
        self.folder = folder
        self.settings = settings
        self.analyzer = ANALYZERS[settings.analyzer]
        self.model, self.dimensions = model, dimensions
        self.resident = resident or folder is None
        self.db = schema.connect(folder / DATABASE if folder else None, cache_mb=64 if self.resident else 16)
        self.lock = threading.RLock()
        self.lexical = Series("lexical")
        self.dense = Series(f"dense:{model}")
        self._seen: tuple[int, int] | None = None
        self._listed: tuple[int, int] | None = None
        self._burials: tuple[str] | None = None
        self._view = View()
        self._partitions: Mapping[int, tuple[str, str]] = {}
        self._kinds: Mapping[int, str] = {}
        self._meta: dict[str, str] = {}
        self.writes = 0
        self.agreed: object = None
        """The look at the files that this index was last found equal to, and its own version then."""

    def close(self) -> None:
        self.db.close()

    # -- catching up -------------------------------------------------------------------------------

    @contextmanager
    def _moment(self) -> Iterator[None]:
        """One read transaction: all that is read in it is of one moment."""
        own = not self.db.in_transaction
        if own:
            self.db.execute("BEGIN")
        try:
            yield
        finally:
            if own:
                self.db.execute("COMMIT")

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """All that is read inside is of one moment, rights included: numbers of rows are given again after a removal."""
        with self.lock, schema.damage((UnicodeDecodeError,)), self._moment():
            yield

    def view(self) -> View:
        """The newest state, caught up in one read transaction."""
        with self.lock, schema.damage():
            version = self.version()
            if version != self._seen:
                with self._moment():
                    self._view = self._catch_up()
                self._seen = self._listed = version
            return self._view

    def look(self) -> None:
        """Open the segments that the database lists now; `damaged` names those that cannot be."""
        with self.lock, schema.damage():
            version = self.version()
            if version != self._listed:
                with self._moment():
                    self._reload()
                self._listed = version

    def version(self) -> tuple[int, int]:
        """Differs when this process or another has written."""
        return int(self.db.execute("PRAGMA data_version").fetchone()[0]), self.writes

    def _reload(self) -> None:
        for series in (self.lexical, self.dense):
            rows = self.db.execute("SELECT file, bytes FROM segments WHERE series = ? ORDER BY low", (series.name,))
            series.reload(rows.fetchall(), self.folder, self.resident)

    def _catch_up(self) -> View:
        self._reload()
        burials = self.db.execute("SELECT value FROM meta WHERE key = 'burials'").fetchone()
        if burials != self._burials:
            self._burials = burials
            self.lexical.tail, self.dense.tail = [], []
        if new := self._lexical_rows(self.lexical.high):
            self.lexical.extend(new, self._lexical_rows, _lexical)
        if self.model and (new := self._dense_rows(self.dense.high)):
            self.dense.extend(new, self._dense_rows, self._dense)
        gone = tuple(row[0] for row in self.db.execute("SELECT chunk FROM dead"))
        words, vectors = (tuple(part for part in (*one.disk, *one.tail) if part.rows) for one in (self.lexical, self.dense))
        return View(words, vectors, gone, *self._names())

    def _names(self) -> tuple[Mapping[int, tuple[str, str]], Mapping[str, int]]:
        """Partitions by number and kinds by name, kept for `chunks`."""
        self._partitions = {row[0]: (row[1], row[2]) for row in self.db.execute("SELECT id, audience, subject FROM partitions")}
        kinds = dict(self.db.execute("SELECT name, id FROM kinds"))
        self._kinds = {number: name for name, number in kinds.items()}
        return self._partitions, kinds

    def lexical_segment(self, low: int, high: int) -> Segment:
        """Rows of `chunks` with low < id ≤ high as a segment."""
        return _lexical(low, self._lexical_rows(low, high), high)

    def _lexical_rows(self, low: int, high: int = _LAST) -> list[Row]:
        return self.db.execute(
            "SELECT id, partition, tie, seconds, kind, length, script, terms FROM chunks WHERE id > ? AND id <= ? ORDER BY id", (low, high)
        ).fetchall()

    def dense_segment(self, low: int, high: int) -> Segment:
        """Rows of `dense` for the model in use with low < seq ≤ high as a segment."""
        return self._dense(low, self._dense_rows(low, high), high)

    def _dense_rows(self, low: int, high: int = _LAST) -> list[Row]:
        return self.db.execute(
            # CROSS: the order of the loops is known best here, new rows first
            "SELECT d.seq, c.id, c.partition, c.tie, c.seconds, c.kind, v.vector FROM dense d CROSS JOIN chunks c ON c.id = d.chunk"
            " CROSS JOIN vectors v ON v.model = d.model AND v.hash = c.hash"
            " WHERE d.seq > ? AND d.seq <= ? AND d.model = (SELECT id FROM models WHERE name = ?) ORDER BY d.seq",
            (low, high, self.model),
        ).fetchall()

    def _dense(self, low: int, rows: list[Row], high: int | None = None) -> Segment:
        from omoide.index import dense

        return dense.build(low, high or rows[-1][0], [row[1:] for row in rows], self.dimensions)

    # -- asking ------------------------------------------------------------------------------------

    def terms(self, text: str) -> QueryTerms:
        return query_terms(text, self.analyzer)

    def allowed(self, view: View, scope: Scope, narrow: Narrow) -> Allowed:
        """Rights and wishes as row ranges of this view."""
        caller = scope.viewer, scope.audiences, narrow.subjects
        found = view.rights.get(caller)
        if found is None:
            if len(view.rights) >= _MOST_CALLERS:
                view.rights.clear()
            found = view.rights[caller] = allowed(scope, narrow, view.partitions)
        if not narrow.by_row:
            return found
        under = self._under(narrow.under) if narrow.under else None
        return replace(found, mask=lambda segment: row_mask(segment, narrow, view.kinds, under))

    def partitions(self, scope: Scope, narrow: Narrow) -> frozenset[int]:
        """Partitions of what the caller may read and wants, decided now: no view of the segments is needed for them."""
        with self.lock, schema.damage():
            known = {row[0]: (row[1], row[2]) for row in self.db.execute("SELECT id, audience, subject FROM partitions")}
        wanted = allowed(scope, narrow, known).wanted
        return frozenset(known) if wanted is None else wanted

    def _under(self, prefix: str) -> Array:
        import numpy as np

        with self.lock, schema.damage():
            return np.array(sorted(plain.below(self.db, prefix)), np.int64)

    def words_alone(self, query: QueryTerms, scope: Scope, narrow: Narrow, k: int) -> LexicalLane | None:
        """The lexical lane without NumPy, or None where loading it is the quicker way or it is there already."""
        return None if "numpy" in sys.modules else self.search_plain(query, scope, narrow, k, plain.MOST_STEPS)

    def search_plain(self, query: QueryTerms, scope: Scope, narrow: Narrow, k: int, most: int) -> LexicalLane | None:
        """The same in any case, but None where it would take more than `most` steps or a segment is damaged."""
        with self.lock, schema.damage(), self._moment():
            self._reload()
            seen = plain.look(self.db, self.lexical.disk, *self._names(), narrow.under)
            if self.damaged or plain.steps(seen, query) > most:
                return None
            return plain.search(seen, query, scope, narrow, k, self.settings)

    def search_lexical(self, view: View, query: QueryTerms, within: Allowed, k: int) -> LexicalLane:
        from omoide.index import lexical

        with schema.damage():
            return lexical.search(view.lexical, query, within, k, self.settings)

    def search_dense(self, view: View, vector: Array, within: Allowed, k: int) -> DenseLane:
        from omoide.index import dense

        with schema.damage():
            return dense.search(view.dense, vector, within, k)

    def chunks(self, ids: Iterable[int]) -> dict[int, Chunk]:
        """Chunks by number; one that was removed in the meantime is left out."""
        wanted = list(ids)
        with self.lock, schema.damage():
            rows = self.db.execute(
                "SELECT id, key, path, first, last, partition, text, context, at, kind FROM chunks"
                f" WHERE id IN ({_marks(wanted)})", wanted
            ).fetchall()
            parts, kinds = self._partitions, self._kinds
            return {row[0]: _chunk(row, parts[row[5]], kinds[row[9]]) for row in rows if row[5] in parts}

    def term_sets(self, keys: Sequence[str]) -> list[tuple[int, ...]]:
        """Hashes of the terms of chunks by their public id: for MMR, without cutting the texts again."""
        with self.lock, schema.damage():
            rows = dict(self.db.execute(f"SELECT key, terms FROM chunks WHERE key IN ({_marks(keys)})", list(keys)))
            return [term_hashes(rows.get(key, b"")) for key in keys]

    @property
    def damaged(self) -> list[str]:
        """Segments that could not be opened at the last look; the database answered for them."""
        return [*self.lexical.damaged, *self.dense.damaged]

    def parts(self) -> dict[str, str]:
        """Segments on disk as the database lists them: file → digest."""
        with self.lock, schema.damage():
            return dict(self.db.execute("SELECT file, digest FROM segments").fetchall())

    def count(self, sql: str, *values: Any) -> int:
        with self.lock, schema.damage():
            return int(self.db.execute(sql, values).fetchone()[0])

    def meta(self, key: str) -> str:
        """A remembered text, or "". What is once there never changes within a generation."""
        if key not in self._meta:
            with self.lock, schema.damage():
                row = self.db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
            if row is None:
                return ""
            self._meta[key] = schema.unmarked(row[0])
        return self._meta[key]


def _sources(segments: Sequence[Segment], gone: Sequence[int]) -> tuple[Source, ...]:
    """The segments with a mask of the rows that are gone, where there are any."""
    import numpy as np

    from omoide.index.lexical import Source

    dead = np.array(gone, np.int64)
    out = []
    for segment in segments:
        rows = segment.rows_of(dead)
        mask = None
        if len(rows):
            mask = np.zeros(segment.rows, bool)
            mask[rows] = True
        out.append(Source(segment, mask))
    return tuple(out)


def _lexical(low: int, rows: list[Row], high: int | None = None) -> Segment:
    from omoide.index import lexical

    return lexical.build(low, high or rows[-1][0], rows)


def _chunk(row: Sequence[Any], part: tuple[str, str], kind: str) -> Chunk:
    _, key, path, first, last, _, text, context, at, _ = row
    return Chunk(key, path, (first, last), part[0], text, context, datetime.fromisoformat(at) if at else None, kind, part[1])


def _marks(values: Sequence[Any]) -> str:
    return ",".join("?" * len(values))
