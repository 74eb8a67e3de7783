"""Entries of a daily log: one section each, added at the end of its day's file, never changed afterwards.

    memory/2026-11-30.md, or rooms/design-91c2/log/2026-11-30.md

    ## 14:20 Saving sketches (about ana; session s-41; at 2026-11-30T14:20:05+09:00)

    They are kept every 30 seconds now.

Every entry says the moment it was made; a summary of a conversation carries its session as well, and told again
on the same day or the next it is not added again. What people write into these files by hand stays where it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta, tzinfo
from typing import NamedTuple

from omoide.errors import BadInput, StoreFailed
from omoide.store import disk
from omoide.store.check_text import check_text
from omoide.store.disk_errors import named
from omoide.store.door import Door
from omoide.store.files import MAX_BYTES
from omoide.store.log import half
from omoide.store.sections import gap, line_ends
from omoide.text.chunking import WHOLE, chunk, open_fence, without_headings
from omoide.text.marks import NOTHING_FOUND, Marks, marks_of, written
from omoide.text.normalize import search_form

_LINE_ENDS = re.compile(r"\r\n|\r")
_CLOCK = re.compile(r"## \d\d:\d\d ?")


class DailyEntry(NamedTuple):
    """`at`: with its zone. `title` "" is none. `marks`: as `text.marks.checked` gives them. `failed`: it records a search
    that found nothing."""

    at: datetime
    text: str
    title: str = ""
    marks: Mapping[str, tuple[str, ...]] = {}
    failed: bool = False


class Placed(NamedTuple):
    """Where an entry stands. `added`: False for a summary that stood there already."""

    path: str
    line: int
    added: bool


def append(door: Door, folder: str, entry: DailyEntry, zone: tzinfo, most_bytes: int = MAX_BYTES) -> Placed:
    """Add it to the file of its day (in `zone`, the owner's) below `folder`, safe on disk.

    Raises `BadInput` for an entry that no text file holds or that makes it larger than `most_bytes`, `StoreFailed` if the disk
    refuses or the file is in another encoding; then nothing was added.
    """
    _check(entry)
    try:
        clock = entry.at.astimezone(zone)
        names = [f"{day.date().isoformat()}.md" for day in (clock, clock - timedelta(days=1))]
    except OverflowError as error:
        raise BadInput(f"at: {entry.at.isoformat()} is outside of the calendar") from error
    section = _section(entry, clock)
    with (
        door.locked(folder.removesuffix("/log")), named(f"{folder}/{names[0]}"), disk.opened_home(door.root) as home,
        disk.opened_folder(home, folder.split("/"), make=True) as inside,
    ):  # fmt: skip
        if "session" in entry.marks:
            for path in (f"{folder}/{name}" for name in names):
                if line := _standing(disk.read(home, path) or b"", section):
                    return Placed(path, line, False)
        data, path = disk.read(home, f"{folder}/{names[0]}") or b"", f"{folder}/{names[0]}"
        if len(data) + len(section.encode()) + 100 > most_bytes:
            more = f"{path} would be larger than home.max_file_mb ({most_bytes / 1e6:g} MB), so nothing in it could be found any more"
            raise BadInput(f"{more}; shorten the entry, or raise the setting")
        return _added(data, disk.Lines(inside, names[0]), path, section)


def _added(data: bytes, lines: disk.Lines, path: str, section: str) -> Placed:
    whole = _whole(data, path)
    if len(whole) < len(data):
        lines.take_back(data[len(whole) + 1 :])
    before = gap(whole)
    lines.append(before + section.encode())
    return Placed(path, line_ends(whole + before) + 1, True)


def _whole(data: bytes, path: str) -> bytes:
    """The file without what a lost power left at its end: NULs, half a letter, half an event of a room. Raises `StoreFailed` where
    nothing can be added."""
    data = data[: len(data) - half(data)].rstrip(b"\0")
    try:
        data.decode()
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data" and not data[: error.start].isascii():
            return data[: error.start]
        raise StoreFailed(f"{path} is not in UTF-8, and an entry of another encoding would make it unreadable; save it as UTF-8") from error
    if b"\0" in data:
        raise StoreFailed(f"{path} holds NUL bytes: a binary file that is not read; move or repair it first")
    return data


def _standing(data: bytes, section: str) -> int:
    """The line of an entry that says the same, whatever the moment it was told; 0 where there is none."""
    wanted = _same(section)
    text = data.decode("utf-8-sig", "replace")
    return next((piece.first for piece in chunk(text, style="log", max_tokens=WHOLE) if _same(piece.text) == wanted), 0)


def _same(section: str) -> tuple[str, Marks, str]:
    heading, _, text = section.partition("\n")
    title, marks = marks_of(heading)
    return _CLOCK.sub("", title, count=1), {key: values for key, values in marks.items() if key != "at"}, _LINE_ENDS.sub("\n", text).strip()


def _check(entry: DailyEntry) -> None:
    if entry.at.tzinfo is None:
        raise BadInput("at: an entry needs a moment with its zone")
    check_text(entry.text)
    check_text(entry.title, "title")
    if not search_form(entry.text).strip():
        raise BadInput("text: an entry without words cannot be found again; say what happened")
    if "\n" in entry.title or "\r" in entry.title:
        raise BadInput("title: one line")


def _section(entry: DailyEntry, clock: datetime) -> str:
    """As Markdown. A heading inside the text stays text, and a fence that was left open is closed: the next entry is none of it."""
    text = without_headings(_LINE_ENDS.sub("\n", entry.text.strip("\r\n")))
    fence = open_fence(text)
    marks: Marks = {**entry.marks, **({NOTHING_FOUND: ()} if entry.failed else {})}
    head = " ".join(part for part in (f"## {clock:%H:%M}", entry.title.strip(), written(marks, clock)) if part)
    return f"{head}\n\n{text}" + (f"\n{fence}" if fence else "")
