"""A file becomes chunks: which style of cutting, which context, which time."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import datetime, timedelta

from omoide.index.entries import Entry
from omoide.index.sync import Content
from omoide.store.files import UNKNOWN, Problem
from omoide.store.store import Reading
from omoide.text.chunking import Piece, chunk
from omoide.text.marks import Marks, marks_of, moment
from omoide.types import Chunk

STYLE = {"memory": "entries", "card": "entries", "drawer": "entries", "log": "log", "room-log": "log", "room": "room"}
WHOLE = 1 << 60
"""Tokens of an entry: it is never cut, for all words of a question may have to stand in it."""

_TIMED = re.compile(r"#{1,6}\s+(\d{1,2}):(\d{2})\b")


def content_of(read: Reading | Problem) -> Content:
    """What the index takes from one file."""
    if isinstance(read, Problem):
        unknown = read.code in UNKNOWN or read.code == "missing"
        return Content(f"problem:{read.code}", problem=(read.code, read.text), keep=unknown)
    told = (read.problems[0].code, "; ".join(problem.text for problem in read.problems)) if read.problems else None
    return Content(read.document.digest, chunks_of(read), entries_of(read), told)


def chunks_of(read: Reading) -> tuple[Chunk, ...]:
    """Chunks with ids `path:line`, and `path:line.2` for the second piece of one long line."""
    document = read.document
    pieces = chunk(document.text, style=STYLE.get(document.kind, "sections"), first_line=read.first_line)
    name = document.path.rpartition("/")[2].rpartition(".")[0]
    seen: dict[int, int] = {}
    out = []
    for piece in pieces:
        seen[piece.first] = seen.get(piece.first, 0) + 1
        again = f".{seen[piece.first]}" if seen[piece.first] > 1 else ""
        context = " › ".join(dict.fromkeys(part for part in (name, read.front.context, *piece.headings) if part))
        out.append(
            Chunk(f"{document.path}:{piece.first}{again}", document.path, (piece.first, piece.last), document.audience,
                  piece.text, context, _moment(document.when, piece), document.kind, document.subject)
        )  # fmt: skip
    return tuple(out)


def entries_of(read: Reading) -> tuple[Entry, ...]:
    """The sections of a dated note, whole, with ids `path:line`: what recall looks through."""
    document = read.document
    if document.when is None:
        return ()
    out = []
    for piece in chunk(document.text, style="log", first_line=read.first_line, max_tokens=WHOLE):
        context = " › ".join(part for part in (read.front.context, *piece.headings) if part)
        place = f"{document.path}:{piece.first}", document.path, (piece.first, piece.last), document.audience
        when, marks = _told(piece, document.when)
        out.append(Entry(Chunk(*place, piece.text, context, when, document.kind, document.subject), marks))
    return tuple(out)


def _told(piece: Piece, day: datetime) -> tuple[datetime, Marks]:
    """When an entry was made and what its heading says of it. The moment in its heading counts before the clock there."""
    marks = marks_of(piece.text.partition("\n")[0])[1]
    exact = moment(marks)
    with suppress(OverflowError):  # the calendar has an end, and by this zone an earlier one
        if exact:
            return (exact.astimezone(day.tzinfo) if exact.tzinfo else exact.replace(tzinfo=day.tzinfo)), marks
    return _moment(day, piece) or day, marks


def _moment(day: datetime | None, piece: Piece) -> datetime | None:
    """The day of the file and the `HH:MM` its section begins with."""
    timed = _TIMED.match(piece.text)
    if day is None or timed is None or int(timed[1]) > 23 or int(timed[2]) > 59:
        return day
    return day + timedelta(hours=int(timed[1]), minutes=int(timed[2]))
