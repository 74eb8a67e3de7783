"""A file becomes chunks: which style of cutting, which context, which time."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta

from omoide.index.entries import Entry
from omoide.index.sync import Content
from omoide.store.files import UNKNOWN, Problem
from omoide.store.store import Reading
from omoide.text.chunking import WHOLE, Piece, chunk
from omoide.text.marks import Marks, marks_of, moment
from omoide.types import Chunk

STYLE = {"memory": "entries", "card": "entries", "drawer": "entries", "log": "log", "room-log": "log", "room": "room"}

_TIMED = re.compile(r"#{1,6}\s+(\d{1,2}):(\d{2})\b")


def content_of(read: Reading | Problem) -> Content:
    """What the index takes from one file."""
    if isinstance(read, Problem):
        unknown = read.code in UNKNOWN or read.code == "missing"
        return Content(f"problem:{read.code}", problem=(read.code, read.text), keep=unknown)
    told = (read.problems[0].code, "; ".join(problem.text for problem in read.problems)) if read.problems else None
    entries = entries_of(read)
    return Content(read.document.digest, chunks_of(read, entries), entries, told)


def chunks_of(read: Reading, entries: Sequence[Entry]) -> tuple[Chunk, ...]:
    """Chunks with ids `path:line`, and `path:line.2` for the second piece of one long line. Of a dated note each has the moment
    of the entry that it begins in."""
    document = read.document
    begin = [entry.chunk.lines[0] for entry in entries]
    pieces = chunk(document.text, style=STYLE.get(document.kind, "sections"), first_line=read.first_line)
    name = document.path.rpartition("/")[2].rpartition(".")[0]
    seen: dict[int, int] = {}
    out = []
    for piece in pieces:
        seen[piece.first] = seen.get(piece.first, 0) + 1
        again = f".{seen[piece.first]}" if seen[piece.first] > 1 else ""
        context = " › ".join(dict.fromkeys(part for part in (name, read.front.context, *piece.headings) if part))
        inside = bisect_right(begin, piece.first)
        when = entries[inside - 1].chunk.when if inside else document.when
        out.append(
            Chunk(f"{document.path}:{piece.first}{again}", document.path, (piece.first, piece.last), document.audience,
                  piece.text, context, when, document.kind, document.subject)
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
        if "forgotten" in marks:  # an event whose words are gone
            continue
        out.append(Entry(Chunk(*place, piece.text, context, when, document.kind, document.subject), marks))
    return tuple(out)


def _told(piece: Piece, day: datetime) -> tuple[datetime, Marks]:
    """When an entry was made and what its heading says of it. The moment in its heading counts before the clock there."""
    marks = marks_of(piece.text.partition("\n")[0])[1]
    exact = moment(marks)
    with suppress(OverflowError):  # the calendar has an end, and by this zone an earlier one
        if exact:
            return (exact.astimezone(day.tzinfo) if exact.tzinfo else exact.replace(tzinfo=day.tzinfo)), marks
    return _clock(day, piece), marks


def _clock(day: datetime, piece: Piece) -> datetime:
    """The day of the file and the `HH:MM` its section begins with."""
    timed = _TIMED.match(piece.text)
    if timed is None or int(timed[1]) > 23 or int(timed[2]) > 59:
        return day
    return day + timedelta(hours=int(timed[1]), minutes=int(timed[2]))
