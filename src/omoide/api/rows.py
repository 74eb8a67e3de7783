"""A row of a collection becomes a chunk."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from omoide.errors import BadInput
from omoide.text.marks import Marks, checked
from omoide.types import Chunk

_NUMBERED = re.compile(r"(.+)[#:](\d{1,9})\Z", re.DOTALL)
_KEYS = {"id", "text", "title", "meta", "audience", "when", "kind", "subject", "path", "marks"}


def chunk_of(row: Mapping[str, Any] | Chunk, at: int) -> Chunk:
    """A chunk of {"id", "text", "title"?, "audience"?, "when"?, "kind"?, "subject"?, "path"?, "marks"?, "meta"?}.

    An id such as `talk-3#17` or `talk-3:17` says that this is piece 17 of `talk-3`: neighbours are known.
    Raises `BadInput` naming the row and the key.
    """
    if isinstance(row, Chunk):
        return row
    for key in ("id", "text"):
        if not isinstance(row.get(key), str) or (key == "id" and not row[key]):
            raise BadInput(f"row {at}: {key!r} is a text and must be there")
    unknown = set(row) - _KEYS
    when = row.get("when")
    if when is not None and (not isinstance(when, datetime) or when.tzinfo is None):
        raise BadInput(f"row {at} ({row['id']}): 'when' is a datetime with a time zone, or None")
    if unknown & {"person", "date", "line", "lines"}:
        raise BadInput(f"row {at} ({row['id']}): unknown key {sorted(unknown)[0]!r}; known are {', '.join(sorted(_KEYS))}")
    numbered = _NUMBERED.match(row["id"])
    path = row.get("path") or (numbered[1] if numbered else "")
    line = 2 * int(numbered[2]) if numbered else 0  # twice: a piece between two others is between their lines
    return Chunk(
        id=row["id"], path=path, lines=(line, line), audience=row.get("audience") or "all", text=row["text"],
        context=row.get("title") or "", when=when, kind=row.get("kind") or "note", subject=row.get("subject") or "",
    )  # fmt: skip


def marks_of_row(row: Mapping[str, Any] | Chunk, at: int) -> Marks:
    """The marks of a row, as `Omoide.log` takes them. Raises `BadInput` naming the row."""
    given = {} if isinstance(row, Chunk) else row.get("marks") or {}
    try:
        if isinstance(given, Mapping):
            return checked(given)
        raise BadInput("'marks' are names with their values")
    except BadInput as error:
        raise BadInput(f"row {at}: {error}") from error
