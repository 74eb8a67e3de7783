"""Is the index what the files say, and are its parts what was written? For `verify`, and after a failure."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from omoide.errors import IndexFailed
from omoide.index import schema
from omoide.index.index import Index
from omoide.index.segment import digest_of
from omoide.index.write import columns, writing
from omoide.types import Chunk

_STRAY = {
    "vectors belong to no model": "SELECT count(*) FROM vectors WHERE model NOT IN (SELECT id FROM models)",
    "texts are said to have a vector that is not there": (
        "SELECT count(*) FROM dense d LEFT JOIN chunks c ON c.id = d.chunk LEFT JOIN vectors v ON v.model = d.model AND v.hash = c.hash"
        " WHERE v.id IS NULL"
    ),
    "parts are of a model that has no name": (
        "SELECT count(*) FROM segments WHERE series <> 'lexical' AND series NOT IN (SELECT 'dense:' || name FROM models)"
    ),
}
"""What no table may say that another does not know of. A text without a vector is none of it: that is work to be done."""

_ROW = (
    "SELECT c.key, c.path, c.first, c.last, c.at, c.seconds, c.text, c.context, c.length, c.script, c.tie, c.terms, c.hash,"
    " p.audience, p.subject, k.name FROM chunks c LEFT JOIN partitions p ON p.id = c.partition LEFT JOIN kinds k ON k.id = c.kind"
    " WHERE c.path = ? ORDER BY c.id"
)


def damaged_parts(index: Index) -> list[str]:
    """Names of segments whose bytes are not those that were written, or that are gone."""
    folder = index.folder
    return [file for file, digest in index.parts().items() if not _is(folder / file, digest)] if folder else []


def _is(path: Path, digest: str) -> bool:
    try:
        return digest_of(path) == digest
    except OSError:
        return False


def drop_damaged(index: Index) -> bool:
    """Take damaged segments, and the later ones of the same series, out of use: they are made again from the
    database. The caller holds the writer's lock. Whether there were any."""
    bad = damaged_parts(index)
    with writing(index) as writer:
        for file in bad:
            writer.db.execute(
                "DELETE FROM segments WHERE EXISTS (SELECT 1 FROM segments s"
                " WHERE s.file = ? AND s.series = segments.series AND s.low <= segments.low)",
                (file,),
            )
    return bool(bad)


def faults(index: Index) -> list[str]:
    """What is wrong with the database and the segments themselves, in words."""
    wrong = [f"index part {file} is damaged" for file in damaged_parts(index)]
    found = schema.is_damaged(index.db)
    if found:
        return [*wrong, f"index database: {found}"]
    try:
        return wrong + _rows(index) + _vectors(index)
    except IndexFailed as error:
        return [*wrong, str(error)]


def _rows(index: Index) -> list[str]:
    """The rows that can be found by words and by vectors are those of the database, and its tables agree."""
    with writing(index) as writer:  # one moment for all, whoever else is writing
        view = index.view()
        texts = {row[0] for row in writer.db.execute("SELECT id FROM chunks")}
        having = "SELECT d.chunk FROM dense d JOIN models m ON m.id = d.model WHERE m.name = ?"
        vectors = {row[0] for row in writer.db.execute(having, (index.model,))}
        stray = {text: writer.db.execute(sql).fetchone()[0] for text, sql in _STRAY.items()}
    odd = {"rows": _odd(view.lexical, texts), "vectors": _odd(view.dense, vectors)}
    wrong = [f"index: {count:,} {what} are not both in the database and, once, in a segment" for what, count in odd.items() if count]
    return wrong + [f"index: {count:,} {text}" for text, count in stray.items() if count]


def _odd(sources: Iterable[Any], known: set[int]) -> int:
    """How many chunks a lane gives twice, or not although they are known, or although they are not."""
    listed = (source.segment.ids if source.dead is None else source.segment.ids[~source.dead] for source in sources)
    living = [number for ids in listed for number in ids.tolist()]
    return len(set(living) ^ known) + len(living) - len(set(living))


def _vectors(index: Index) -> list[str]:
    """Each vector is the one that was written for its text, and those of the model in use have its dimensions."""
    wrong = 0
    with index.lock, schema.damage():
        for key, vector, kept, name in index.db.execute(
            "SELECT v.hash, v.vector, v.sum, m.name FROM vectors v LEFT JOIN models m ON m.id = v.model"
        ):
            wrong += schema.vector_sum(key, vector) != kept or (name == index.model and len(vector) != 2 * index.dimensions)
    return [f"index: {wrong:,} vectors are not those that were written"] if wrong else []


def differs(index: Index, path: str, chunks: Iterable[Chunk]) -> bool:
    """Whether what the index keeps of a file is other than what the file, read and cut now, gives."""
    with index.lock, schema.damage():
        rows = index.db.execute(_ROW, (path,)).fetchall()
    return rows != [(*columns(chunk, index), chunk.audience, chunk.subject, chunk.kind) for chunk in chunks]
