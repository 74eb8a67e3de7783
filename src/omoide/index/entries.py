"""Dated entries, whole, for recall: sections of daily logs, turns of rooms, summaries, and which of them hold a word.

They are cut from the same files in the same transaction as the chunks, and permitted by the same partitions.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from omoide.index import grams
from omoide.index.schema import damage
from omoide.text.marks import FAILED, Marks, filed, forms, words_with
from omoide.text.normalize import clean
from omoide.text.wording import asked_form, word_form
from omoide.types import Chunk

if TYPE_CHECKING:
    from omoide.index.index import Index
    from omoide.index.write import Writer

FEW = 500
"""So many entries are looked at one by one."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Entry(NamedTuple):
    """A dated text, whole. `marks`: what its heading says of it (`text.marks`)."""

    chunk: Chunk
    marks: Mapping[str, tuple[str, ...]] = {}


class Scanned(NamedTuple):
    """What a range holds: how many entries, their numbers (`inside`; None: every entry there is), for each word those that
    hold it, and those that only record a search that found nothing."""

    total: int
    inside: set[int] | None
    holding: list[set[int]]
    failed: set[int]


@dataclass(frozen=True, slots=True)
class Range:
    """Which entries are looked through: partitions the caller may read, moments from and to (inclusive), marks they all carry."""

    partitions: frozenset[int]
    since: datetime | None = None
    until: datetime | None = None
    marks: Marks = field(default_factory=dict)

    @property
    def where(self) -> str:
        """The condition; its values are those of `values`. Partitions are one JSON text: there may be thousands."""
        bounds = [f"micros {sign} :{name}" for sign, name in ((">=", "since"), ("<=", "until")) if getattr(self, name) is not None]
        carried = [f"instr(filed, :m{at})" for at, _ in enumerate(forms(self.marks))]
        carried += ["filed <> ''"] if carried else []  # there is an index of those that carry any
        return " AND ".join(["partition IN (SELECT value FROM json_each(:partitions))", *bounds, *carried])

    @property
    def values(self) -> dict[str, Any]:
        bounds = {name: micros(moment) for name, moment in (("since", self.since), ("until", self.until)) if moment is not None}
        carried = {f"m{at}": form for at, form in enumerate(forms(self.marks))}
        return {"partitions": json.dumps(sorted(self.partitions)), **bounds, **carried}


def micros(moment: datetime) -> int:
    """Microseconds since 1970, exactly."""
    return ((moment if moment.tzinfo else moment.astimezone()) - _EPOCH) // timedelta(microseconds=1)


def add(writer: Writer, entries: Iterable[Entry]) -> None:
    """Keep entries with their marks. Those of the same ids are gone already, with their chunks; those without a time are none."""
    taken = []
    for row in [_row(writer, *entry) for entry in entries if entry.chunk.when is not None]:
        done = writer.db.execute(f"INSERT INTO entries VALUES (NULL{',?' * len(row)})", row)
        taken.append((int(done.lastrowid or 0), row[-1]))
    if grams.there(writer.db):
        grams.add(writer.db, taken)


def remove(db: sqlite3.Connection, where: str, value: str) -> None:
    """Remove the entries of a file, or the one of a key."""
    if grams.there(db):
        grams.remove(db, db.execute(f"SELECT id, form FROM entries WHERE {where}", (value,)).fetchall())
    db.execute(f"DELETE FROM entries WHERE {where}", (value,))


def _row(writer: Writer, chunk: Chunk, marks: Marks) -> tuple[Any, ...]:
    """The words of the place (the title of the day's file) are no words of the entry: only its own text is compared."""
    assert chunk.when is not None
    text, context = clean(chunk.text), clean(chunk.context)
    return (
        clean(chunk.id), clean(chunk.path), *chunk.lines, writer.partition(chunk.audience, chunk.subject), writer.kind(chunk.kind),
        chunk.when.isoformat(), micros(chunk.when), json.dumps(marks), filed(marks), text, context,
        word_form(words_with(text, marks)).encode(),
    )  # fmt: skip


def scan(index: Index, words: Sequence[str], within: Range) -> Scanned:
    """Which entries of the range hold which word."""
    with index.lock, damage():
        db = index.db
        inside = None if _is_everything(db, within) else _ids(db.execute(f"SELECT id FROM entries WHERE {within.where}", within.values))
        total = len(inside) if inside is not None else db.execute("SELECT count(*) FROM entries").fetchone()[0]
        failed = _ids(db.execute("SELECT id FROM entries WHERE filed <> '' AND instr(filed, ?)", (FAILED,)))
        holding = [_holding(db, asked_form(word).encode(), inside) for word in words]
        return Scanned(total, inside, holding, failed if inside is None else failed & inside)


def _is_everything(db: sqlite3.Connection, within: Range) -> bool:
    parts = {row[0] for row in db.execute("SELECT id FROM partitions")}
    return (within.since, within.until) == (None, None) and not within.marks and within.partitions >= parts


def _holding(db: sqlite3.Connection, form: bytes, inside: set[int] | None) -> set[int]:
    if inside is not None and len(inside) <= FEW:
        among = json.dumps(list(inside))
        return _ids(db.execute("SELECT id FROM entries WHERE id IN (SELECT value FROM json_each(?)) AND instr(form, ?)", (among, form)))
    if len(form) >= grams.SHORTEST and grams.there(db):
        found = grams.holding(db, form)
    else:
        found = _ids(db.execute("SELECT id FROM entries WHERE instr(form, ?)", (form,)))
    return found if inside is None else found & inside


def _ids(rows: Iterable[tuple[int]]) -> set[int]:
    return set(chain.from_iterable(rows))


def newest(index: Index, ids: Collection[int] | None, limit: int) -> list[int]:
    """The newest so many of these entries (None: of all), newest first."""
    by_time, order = "SELECT id FROM entries", "ORDER BY micros DESC, path DESC, first DESC"
    with index.lock, damage():
        if ids is not None and len(ids) <= FEW:
            among = f"{by_time} WHERE id IN (SELECT value FROM json_each(?)) {order} LIMIT ?"
            return [row[0] for row in index.db.execute(among, (json.dumps(list(ids)), limit))]
        walked = (row[0] for row in index.db.execute(f"{by_time} {order}"))
        return list(islice((number for number in walked if ids is None or number in ids), limit))


def read(index: Index, ids: Sequence[int]) -> dict[int, Entry]:
    """Entries by number."""
    with index.lock, damage():
        rows = index.db.execute(
            "SELECT e.id, key, path, first, last, p.audience, text, context, at, k.name, p.subject, marks FROM entries e"
            " JOIN partitions p ON p.id = partition JOIN kinds k ON k.id = kind WHERE e.id IN (SELECT value FROM json_each(?))",
            (json.dumps(list(ids)),),
        )  # fmt: skip
        return {
            number: Entry(Chunk(key, path, (first, last), audience, text, context, datetime.fromisoformat(at), kind, subject), _marks(kept))
            for number, key, path, first, last, audience, text, context, at, kind, subject, kept in rows
        }


def _marks(kept: str) -> Marks:
    return {key: tuple(values) for key, values in json.loads(kept).items()}


def at_line(index: Index, path: str, line: int) -> Entry | None:
    """The entry of a file that a line belongs to."""
    with index.lock, damage():
        row = index.db.execute("SELECT id FROM entries WHERE path = ? AND first <= ? AND last >= ?", (clean(path), line, line)).fetchone()
    return read(index, [row[0]])[row[0]] if row else None


def holds(entry: Entry, word: str) -> bool:
    """Whether the word stands in the entry, as `scan` sees it."""
    return asked_form(word) in word_form(words_with(clean(entry.chunk.text), entry.marks))
