"""Dated entries, whole, for recall: sections of daily logs, turns of rooms, summaries. Found by reading all their forms.

They are cut from the same files in the same transaction as the chunks, and permitted by the same partitions.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from omoide.index.schema import damage
from omoide.text.normalize import clean
from omoide.text.wording import word_form
from omoide.types import Chunk

if TYPE_CHECKING:
    from omoide.index.index import Index
    from omoide.index.write import Writer


class Entry(NamedTuple):
    """A dated text, whole. `marks`: what its heading says of it in one parenthesis, for whoever reads it."""

    chunk: Chunk
    marks: str = ""


class Found(NamedTuple):
    """An entry that holds a word of the question: its number, its time in seconds, and which words it holds."""

    id: int
    seconds: int
    holds: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Range:
    """Which entries are looked through: partitions the caller may read, seconds from and to (inclusive), kinds."""

    partitions: frozenset[int]
    since: int | None = None
    until: int | None = None

    @property
    def where(self) -> str:
        """The condition; its values are those of `values`. Partitions are one JSON text: there may be thousands."""
        bounds = [f" AND seconds {sign} :{name}" for sign, name in ((">=", "since"), ("<=", "until")) if getattr(self, name) is not None]
        return "partition IN (SELECT value FROM json_each(:partitions))" + "".join(bounds)

    @property
    def values(self) -> dict[str, Any]:
        return {"partitions": json.dumps(sorted(self.partitions)), "since": self.since, "until": self.until}


def add(writer: Writer, entries: Iterable[Entry]) -> None:
    """Keep entries with their marks; one with the id of another replaces it. Those without a time are none."""
    rows = [_row(writer, *entry) for entry in entries if entry.chunk.when is not None]
    writer.db.executemany(f"INSERT OR REPLACE INTO entries VALUES (NULL{',?' * 12})", rows)


def _row(writer: Writer, chunk: Chunk, marks: str) -> tuple[Any, ...]:
    """The words of the place (the title of the day's file) are no words of the entry: only its own text is compared."""
    assert chunk.when is not None
    text, context = clean(chunk.text), clean(chunk.context)
    return (
        clean(chunk.id), clean(chunk.path), *chunk.lines, writer.partition(chunk.audience, chunk.subject), writer.kind(chunk.kind),
        chunk.when.isoformat(), int(chunk.when.timestamp()), marks, text, context, word_form(text).encode(),
    )  # fmt: skip


def scan(index: Index, words: Sequence[str], within: Range) -> tuple[int, list[Found]]:
    """How many entries the range has, and those that hold one of the words."""
    forms = {f"w{at}": word_form(word).strip().encode() for at, word in enumerate(words)}
    with index.lock, damage():
        total = index.db.execute(f"SELECT count(*) FROM entries WHERE {within.where}", within.values).fetchone()[0]
        if not forms:
            return total, []
        held = ", ".join(f"instr(form, :{name}) > 0 AS {name}" for name in forms)
        flagged = f"SELECT id, seconds, {held} FROM entries WHERE {within.where}"
        rows = index.db.execute(f"SELECT * FROM ({flagged}) WHERE {' OR '.join(forms)}", within.values | forms)
        return total, [Found(number, seconds, tuple(map(bool, flags))) for number, seconds, *flags in rows]


def latest(index: Index, within: Range, limit: int) -> list[int]:
    """Numbers of the newest entries of the range, oldest first."""
    with index.lock, damage():
        rows = index.db.execute(
            f"SELECT id FROM entries WHERE {within.where} ORDER BY seconds DESC, id DESC LIMIT {int(limit)}", within.values
        )
        return [row[0] for row in rows][::-1]


def read(index: Index, ids: Sequence[int]) -> dict[int, Entry]:
    """Entries by number."""
    with index.lock, damage():
        rows = index.db.execute(
            "SELECT e.id, key, path, first, last, p.audience, text, context, at, k.name, p.subject, marks FROM entries e"
            f" JOIN partitions p ON p.id = partition JOIN kinds k ON k.id = kind WHERE e.id IN ({','.join('?' * len(ids))})", list(ids),
        )  # fmt: skip
        return {
            number: Entry(Chunk(key, path, (first, last), audience, text, context, datetime.fromisoformat(at), kind, subject), marks)
            for number, key, path, first, last, audience, text, context, at, kind, subject, marks in rows
        }
