"""Entries of a daily log: one section each, added at the end of its day's file, never changed afterwards.

    memory/2026-11-30.md, or rooms/design-91c2/log/2026-11-30.md

    ## 14:20 Saving sketches (session s-41; at 2026-11-30T14:20:05+09:00)

    They are kept every 30 seconds now.

A summary of a conversation carries its session and the moment it was made; `nothing found` marks the record of a
search that found nothing. What people write into these files by hand stays where it is.
"""

from __future__ import annotations

import re
from datetime import datetime, tzinfo
from typing import NamedTuple

from omoide.errors import BadInput
from omoide.store import disk
from omoide.store.disk_errors import named
from omoide.store.door import Door

NOTHING_FOUND = "nothing found"

_SESSION = re.compile(r"[^\s;()]{1,200}")
_HEADING = re.compile(r"^( {0,3})(?=#{1,6}(?:\s|$))", re.MULTILINE)
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})", re.MULTILINE)
_LINE_ENDS = re.compile(r"\r\n|\r")


class DailyEntry(NamedTuple):
    """`at`: with its zone. `title` "" is none. `session`: of the conversation it sums up, "" for none. `failed`: it records
    a search that found nothing."""

    at: datetime
    text: str
    title: str = ""
    session: str = ""
    failed: bool = False


def append(door: Door, folder: str, entry: DailyEntry, zone: tzinfo) -> tuple[str, int]:
    """Add it to the file of its day (in `zone`, the owner's) below `folder`; gives path and line, safe on disk.

    Raises `BadInput` for an entry that no text file holds, `StoreFailed` if the disk refuses; then nothing was added.
    """
    _check(entry)
    clock = entry.at.astimezone(zone)
    name = f"{clock:%Y-%m-%d}.md"
    path = f"{folder}/{name}"
    subject = folder.removesuffix("/log")
    with (
        door.locked(subject), named(path), disk.opened_home(door.root) as home,
        disk.opened_folder(home, folder.split("/"), make=True) as inside,
    ):  # fmt: skip
        data = disk.read(home, path) or b""
        gap = b"" if not data or data.endswith(b"\n\n") else b"\n" if data.endswith(b"\n") else b"\n\n"
        disk.Lines(inside, name).append(gap + _written(entry, clock).encode())
    return path, len((data + gap).splitlines()) + 1


def _check(entry: DailyEntry) -> None:
    if entry.at.tzinfo is None:
        raise BadInput("at: an entry needs a moment with its zone")
    if not entry.text.strip():
        raise BadInput("text: an entry without words cannot be found again; say what happened")
    if "\n" in entry.title or "\r" in entry.title:
        raise BadInput("title: one line")
    if entry.session and not _SESSION.fullmatch(entry.session):
        raise BadInput(f"session: {entry.session[:60]!r} has spaces, brackets or a semicolon, or more than 200 letters")
    for name, value in (("text", entry.text), ("title", entry.title)):
        if "\0" in value:
            raise BadInput(f"{name}: it holds a NUL byte, so it is no text")
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise BadInput(f"{name}: letter {error.start + 1} is half a letter (a lone surrogate); send it whole") from error


def _written(entry: DailyEntry, clock: datetime) -> str:
    """As Markdown. A heading inside the text stays text, and a fence that was left open is closed: the next entry is none of it."""
    text = _HEADING.sub(r"\1\\", _LINE_ENDS.sub("\n", entry.text.strip("\r\n")))
    fence = ""
    for found in _FENCE.findall(text):
        fence = "" if fence and found.startswith(fence) else fence or found
    marks = [f"session {entry.session}"] if entry.session else []
    marks += [f"at {entry.at.isoformat()}"] if entry.session or entry.failed else []
    marks += [NOTHING_FOUND] if entry.failed else []
    head = " ".join(part for part in (f"## {clock:%H:%M}", entry.title.strip(), f"({'; '.join(marks)})" if marks else "") if part)
    return f"{head}\n\n{text}" + (f"\n{fence}" if fence else "")
