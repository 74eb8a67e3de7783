"""Is the index what the files say, and are its parts what was written? For `verify`, and after a failure."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from omoide.errors import IndexFailed
from omoide.index import schema
from omoide.index.dense import is_unit
from omoide.index.index import Index
from omoide.index.segment import digest_of
from omoide.index.write import columns, writing
from omoide.types import Chunk

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
    """The rows that can be found are those of the database."""
    with writing(index) as writer:  # one moment for both, whoever else is writing
        view = index.view()
        known = {row[0] for row in writer.db.execute("SELECT id FROM chunks")}
    listed = [source.segment.ids if source.dead is None else source.segment.ids[~source.dead] for source in view.lexical]
    found = set(np.concatenate(listed).tolist()) if listed else set()
    return [f"index: {len(found ^ known):,} rows are in the database or in a segment, but not in both"] if found != known else []


def _vectors(index: Index) -> list[str]:
    """Each vector of the model in use has its dimensions and length 1, within half precision."""
    wrong = 0
    with index.lock, index.failing():
        for (vector,) in index.db.execute(
            "SELECT v.vector FROM vectors v JOIN models m ON m.id = v.model WHERE m.name = ?", (index.model,)
        ):
            wrong += not is_unit(vector) or len(vector) != 2 * index.dimensions
    return [f"index: {wrong:,} vectors do not have the length 1"] if wrong else []


def differs(index: Index, path: str, chunks: Iterable[Chunk]) -> bool:
    """Whether what the index keeps of a file is other than what the file, read and cut now, gives."""
    with index.lock, index.failing():
        rows = index.db.execute(_ROW, (path,)).fetchall()
    return rows != [(*columns(chunk, index), chunk.audience, chunk.subject, chunk.kind) for chunk in chunks]
