"""The writing side of an index: one transaction, one fsync, then tidying up that nobody waits for."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from omoide.errors import BadInput, IndexFailed, ModelFailed
from omoide.index import entries, grams, schema
from omoide.index.allowed import NEVER
from omoide.index.bm25 import TERM, term_hash
from omoide.index.index import Index, Series
from omoide.index.segment import merge_plan, write
from omoide.text.normalize import clean
from omoide.text.scripts import spaced_share
from omoide.text.tokenize import counts_for_length
from omoide.types import Chunk

if TYPE_CHECKING:
    from omoide.index.segment import Array

FLUSH_ROWS = 2000
"""So many rows may lie in memory before they get a segment on disk."""


def passage_hash(text: str) -> bytes:
    """Key of a passage in the vector cache."""
    return blake2b(("passage: " + text).encode("utf-8", "surrogatepass"), digest_size=16).digest()


class Writer:
    """Changes inside one transaction. Made by `writing`; nothing is seen by others until it ends."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.db = index.db
        self._partitions: dict[tuple[str, str], int] = {}
        self._names: dict[tuple[str, str], int] = {}

    def add(self, chunks: Iterable[Chunk], vectors: Array | None = None) -> list[int]:
        """Add chunks; one with the id of another replaces it. `vectors`: unit rows in the same order; they are kept by
        id, because two callers may mean different things by one text."""
        chunks = list(chunks)
        self._replace([chunk.id for chunk in chunks])
        if vectors is None:
            return [self._insert(chunk) for chunk in chunks]
        own = [passage_hash(f"{chunk.id}\n{clean(chunk.full_text)}") for chunk in chunks]
        ids = [self._insert(chunk, key) for chunk, key in zip(chunks, own, strict=True)]
        self._attach(ids, own, vectors)
        return ids

    def _insert(self, chunk: Chunk, key: bytes = b"") -> int:
        row = columns(chunk, self.index)
        row = (*row[:-1], key or row[-1])
        places = (self.partition(chunk.audience, chunk.subject), self.kind(chunk.kind))
        row = row[:4] + places + row[4:]
        done = self.db.execute(f"INSERT INTO chunks VALUES (NULL{',?' * len(row)})", row)
        return int(done.lastrowid or 0)

    def _replace(self, keys: Sequence[str]) -> None:
        if len(set(keys)) != len(keys):
            twice = next(key for key, count in Counter(keys).items() if count > 1)
            raise BadInput(f"the id {twice!r} is given twice; ids must differ. Nothing was added.")
        if self.db.execute("SELECT EXISTS(SELECT 1 FROM chunks)").fetchone()[0]:
            self.remove(keys)

    def remove(self, keys: Iterable[str]) -> int:
        """Remove chunks by their public ids; unknown ones are no error. Gives how many there were."""
        return sum(self._drop("key = ?", key) for key in keys)

    def remove_path(self, path: str) -> int:
        """Remove all chunks and entries of a file."""
        return self._drop("path = ?", path)

    def _drop(self, where: str, value: str) -> int:
        entries.remove(self.db, where, value)
        ids = self.db.execute(f"SELECT id FROM chunks WHERE {where}", (value,)).fetchall()
        if ids:
            self.db.executemany("INSERT INTO dead(chunk) VALUES (?)", ids)
            self.db.executemany("DELETE FROM dense WHERE chunk = ?", ids)
            self.db.executemany("DELETE FROM chunks WHERE id = ?", ids)
        return len(ids)

    def partition(self, audience: str, subject: str) -> int:
        key = (audience, subject)
        if key not in self._partitions:
            self.db.execute("INSERT OR IGNORE INTO partitions(audience, subject) VALUES (?, ?)", key)
            row = self.db.execute("SELECT id FROM partitions WHERE audience = ? AND subject = ?", key).fetchone()
            self._partitions[key] = row[0]
        return self._partitions[key]

    def kind(self, name: str) -> int:
        return self._name("kinds", name)

    def _name(self, table: str, name: str) -> int:
        if (table, name) not in self._names:
            self.db.execute(f"INSERT OR IGNORE INTO {table}(name) VALUES (?)", (name,))
            self._names[table, name] = self.db.execute(f"SELECT id FROM {table} WHERE name = ?", (name,)).fetchone()[0]
        return self._names[table, name]

    # -- vectors -----------------------------------------------------------------------------------

    def _attach(self, ids: Sequence[int], hashes: Sequence[bytes], vectors: Array) -> None:
        self.store_vectors(hashes, vectors)
        model = self._name("models", self.index.model)
        self.db.executemany("INSERT OR IGNORE INTO dense(model, chunk) VALUES (?, ?)", [(model, row) for row in ids])

    def store_vectors(self, hashes: Sequence[bytes], vectors: Array) -> None:
        """Keep vectors under the hash of their text. Raises `ModelFailed` on a wrong shape or length."""
        import numpy as np

        try:
            vectors = np.asarray(vectors, np.float32)
        except (ValueError, TypeError) as error:
            raise ModelFailed(f"vectors of {self.index.dimensions} numbers each were expected ({error})") from error
        if vectors.shape != (len(hashes), self.index.dimensions):
            raise ModelFailed(f"{len(hashes)} vectors of {self.index.dimensions} dimensions expected, got {vectors.shape}")
        off = np.flatnonzero(~(np.abs(np.linalg.norm(vectors, axis=1) - 1) < 0.01))
        if len(off):
            said = f"vector {int(off[0]) + 1} of {len(hashes)} does not have the length 1: divide each by its length"
            raise ModelFailed(f"{said}. None was kept")
        model = self._name("models", self.index.model)
        half = np.ascontiguousarray(vectors, np.float16)
        kept = [(key, row.tobytes()) for key, row in zip(hashes, half, strict=True)]
        rows = [(model, key, data, schema.vector_sum(key, data)) for key, data in kept]
        self.db.executemany("INSERT OR REPLACE INTO vectors(model, hash, vector, sum) VALUES (?, ?, ?, ?)", rows)

    def attach_known(self) -> int:
        """Give every chunk without a vector the one its text already has. Gives how many got one."""
        model = self._name("models", self.index.model)
        done = self.db.execute(
            "INSERT OR IGNORE INTO dense(model, chunk) SELECT v.model, c.id FROM chunks c"
            " JOIN vectors v ON v.model = ? AND v.hash = c.hash"
            " WHERE NOT EXISTS (SELECT 1 FROM dense d WHERE d.chunk = c.id AND d.model = v.model)",
            (model,),
        )
        return done.rowcount

    # -- notes about files -------------------------------------------------------------------------

    def count_burial(self) -> None:
        """Say that marks of removed rows are gone: rows that a reader holds in memory may be among them."""
        row = self.db.execute("SELECT value FROM meta WHERE key = 'burials'").fetchone()
        self.set_meta("burials", str(int(schema.unmarked(row[0])) + 1 if row else 1))

    def set_meta(self, key: str, value: str) -> None:
        self.db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, schema.marked(value)))


def columns(chunk: Chunk, index: Index) -> tuple[Any, ...]:
    """What the database keeps of a chunk, but for its partition and kind, in the order of the table."""
    text, context = clean(chunk.text), clean(chunk.context)
    full = f"{context}\n{text}" if context else text
    length, blob = term_blob(index.analyzer(full))
    tie = blake2b(f"{chunk.id}\n{full}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return (
        clean(chunk.id), clean(chunk.path), *chunk.lines, chunk.when.isoformat() if chunk.when else None,
        int(chunk.when.timestamp()) if chunk.when else NEVER, text, context, length,
        round(spaced_share(full) * 255), int.from_bytes(tie, "little", signed=True), blob, passage_hash(full),
    )  # fmt: skip


def term_blob(terms: Iterable[str]) -> tuple[int, bytes]:
    """Length of a text and its terms as bytes: each once, by hash, with its frequency."""
    counts: Mapping[str, int] = Counter(terms)
    length = sum(count for term, count in counts.items() if counts_for_length(term))
    entries = sorted((term_hash(term), count) for term, count in counts.items())
    return length, b"".join(TERM.pack(*entry) for entry in entries)


@contextmanager
def writing(index: Index) -> Iterator[Writer]:
    """One transaction on an index: all of it or nothing; one fsync when it ends."""
    with index.lock, schema.damage((UnicodeDecodeError,)):
        index.db.execute("BEGIN IMMEDIATE")
        try:
            yield Writer(index)
            index.db.execute("COMMIT")
            index.writes += 1
        except BaseException:
            if index.db.in_transaction:
                index.db.execute("ROLLBACK")
            raise


def tidy(index: Index, *, fully: bool = False) -> None:
    """Write the tail as a segment and join small segments. Called by the one writer; readers go on."""
    if not (fully or _has_much(index)):
        return
    if index.folder is None:  # nothing on disk: only the marks of removed rows can become many
        with index.lock:
            _bury(index)
        return
    with index.lock:
        index.view()
        for series, build in ((index.lexical, index.lexical_segment), (index.dense, index.dense_segment)):
            tail = sum(segment.rows for segment in series.tail)
            if series.damaged or (tail and (fully or tail >= FLUSH_ROWS)) or (fully and len(series.disk) > 1):
                _flush(index, series, build, fully)
        index.view()
        _bury(index)
        index.view()


def _has_much(index: Index) -> bool:
    """Whether enough was written since the last look that tidying up is worth it: a few numbers."""
    last = index.count("SELECT coalesce(max(id), 0) FROM chunks"), index.count("SELECT coalesce(max(seq), 0) FROM dense")
    if index.folder is None:
        return _are_many(index)
    covered = index.lexical.covered, index.dense.covered
    damaged = bool(index.lexical.damaged or index.dense.damaged)
    return damaged or _are_many(index) or any(high - low >= FLUSH_ROWS for high, low in zip(last, covered, strict=True))


def _flush(index: Index, series: Series, build: Any, fully: bool) -> None:
    sizes = [segment.rows for segment in series.disk] + [sum(segment.rows for segment in series.tail)]
    count = len(sizes) if fully else max(merge_plan(sizes), 1)
    keep = series.disk[: len(sizes) - count]
    low = keep[-1].high if keep else 0
    segment = build(low, max(series.high, low + 1))
    assert index.folder is not None
    name = f"{series.name.split(':')[0]}-{low}-{segment.high}-{blake2b(series.name.encode(), digest_size=3).hexdigest()}.seg"
    old = {part.file for part in series.disk[len(keep) :]} | set(series.damaged)
    if name in old:
        name = name.replace(".seg", f"-{index.writes}.seg")
    size, digest = write(index.folder, name, segment)
    with writing(index):
        index.db.executemany("DELETE FROM segments WHERE file = ?", [(file,) for file in old])
        index.db.execute(
            "INSERT OR REPLACE INTO segments VALUES (?, ?, ?, ?, ?, ?, ?)",
            (name, series.name, low, segment.high, segment.rows, size, digest),
        )
    for file in old - {name}:
        take_away(index.folder / file)


def take_away(part: Path) -> None:
    """Remove a part of the index that nobody uses any more, whatever stands in its place. What cannot be removed does no harm."""
    if part.is_dir() and not part.is_symlink():
        shutil.rmtree(part, ignore_errors=True)
    with suppress(OSError):
        part.unlink(missing_ok=True)


def _are_many(index: Index) -> bool:
    """Whether so many rows were removed that their marks should go: more than a quarter of what is left."""
    marks = index.count("SELECT coalesce(max(seq), 0) - coalesce(min(seq), 1) + 1 FROM dead")
    return marks > FLUSH_ROWS and marks * 4 > index.count("SELECT count(*) FROM chunks")


def purge(index: Index) -> bool:
    """Leave nothing of removed rows in any byte: not in segments, not as a vector, a name or a mark, and not in the log of
    the database. Called by the one writer. False if a reader was in the way for long."""
    with index.lock, schema.damage():
        index.view()
        _bury(index, all_of_them=True)
        with writing(index) as writer:
            writer.db.execute("DELETE FROM partitions WHERE id NOT IN (SELECT partition FROM chunks UNION SELECT partition FROM entries)")
            if grams.there(index.db):
                grams.tidy(index.db)
        index.db.execute("PRAGMA temp_store=MEMORY")
        index.db.execute("VACUUM")  # pages that were joined or split keep what was deleted, whatever secure_delete says
        index.writes += 1
        return not index.db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]


def model_of(index: Index) -> tuple[str, int]:
    """Name and dimensions of the model that has a segment; "" and 0 for none."""
    with index.lock, schema.damage():
        row = index.db.execute(
            "SELECT m.name, length(v.vector) / 2 FROM segments s JOIN models m ON s.series = 'dense:' || m.name"
            " JOIN vectors v ON v.model = m.id ORDER BY s.high DESC LIMIT 1"
        ).fetchone()
    return (row[0], row[1]) if row else ("", 0)


def _bury(index: Index, *, all_of_them: bool = False) -> None:
    """When many rows are gone, make the segments anew without them and forget their marks. Segments of models that
    are not open are dropped (the database has all that is in them); whoever has rows in memory reads them again."""
    if not (all_of_them or _are_many(index)):
        return
    if index.folder is not None:
        for series, build in ((index.lexical, index.lexical_segment), (index.dense, index.dense_segment)):
            if series.disk or series.tail:
                _flush(index, series, build, True)
    with writing(index) as writer:
        others = index.db.execute("SELECT file FROM segments WHERE series NOT IN (?, ?)", (index.lexical.name, index.dense.name)).fetchall()
        index.db.executemany("DELETE FROM segments WHERE file = ?", others)
        index.db.execute("DELETE FROM dead")
        index.db.execute("DELETE FROM vectors WHERE NOT EXISTS (SELECT 1 FROM chunks c WHERE c.hash = vectors.hash)")
        writer.count_burial()
    for (file,) in others if index.folder is not None else ():
        take_away(index.folder / file)


def copy_vectors(index: Index, old: str) -> int:
    """Take the vectors of another index file along, so that a rebuild embeds nothing again. Damaged ones are left."""
    try:
        with schema.damage():
            return _copied(index, old)
    except IndexFailed:
        return 0


def _copied(index: Index, old: str) -> int:
    index.db.create_function("vector_sum", 2, schema.vector_sum)
    index.db.execute("ATTACH ? AS old", (old,))
    try:
        with writing(index):
            index.db.execute("INSERT OR IGNORE INTO models(name) SELECT name FROM old.models")
            done = index.db.execute(
                "INSERT OR IGNORE INTO vectors(model, hash, vector, sum) SELECT n.id, v.hash, v.vector, v.sum FROM old.vectors v"
                " JOIN old.models m ON m.id = v.model JOIN models n ON n.name = m.name"
                " WHERE EXISTS (SELECT 1 FROM chunks c WHERE c.hash = v.hash) AND v.sum = vector_sum(v.hash, v.vector)"
            )
            return done.rowcount
    finally:
        index.db.execute("DETACH old")
