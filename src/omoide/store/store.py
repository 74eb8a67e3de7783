"""The reading half of the store: list the notes, read one, cut a page out of one. Nothing is written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import tzinfo
from pathlib import Path
from typing import NamedTuple

from omoide.errors import BadInput, StoreFailed
from omoide.store import files, layout, markdown
from omoide.store.check_path import checked, shown
from omoide.store.files import MAX_BYTES, Problem, Scan
from omoide.store.layout import Place
from omoide.store.names import SUFFIXES, conflict_copies, is_note
from omoide.types import Document, Page

PAGE_LINES = 120
"""Lines of a page unless asked otherwise."""

PAGE_CHARS = 12_000
"""Most characters of a page."""

_FAULTS = {
    "binary": "it holds NUL bytes: a binary file, not a note; move it or rename it",
    "encoding_unknown": "encoding unknown: it is no UTF-8 and cannot be told; save it as UTF-8",
}


class Reading(NamedTuple):
    """One note, read. `problems` are what its owner should hear though the note is used.

    `first_line` is the 1-based line where the body begins, behind the front matter;
    `front` is what that says, `front.context` the words to find the note by.
    """

    document: Document
    front: markdown.FrontMatter
    problems: tuple[Problem, ...] = ()

    @property
    def first_line(self) -> int:
        """Where the body begins."""
        return self.front.first_line


class Store:
    """The notes of one home. `home` may be reached by any path; it is resolved once, here.

    `zone` is the owner's (days in file names are days there); `max_bytes` the largest note that is read.
    """

    def __init__(self, home: Path, *, zone: tzinfo, max_bytes: int = MAX_BYTES) -> None:
        self.home = Path(os.path.realpath(home))
        self.zone = zone
        self.max_bytes = max_bytes

    def scan(self) -> Scan:
        """Every note now on disk. Raises `StoreFailed` if the home is missing or no folder."""
        scan = files.walk(self.home, self.max_bytes)
        top = {found.path for found in scan.found if "/" not in found.path}
        unread = {path for path in top if not layout.is_source(path)}
        if {"memory.md", "MEMORY.md"} <= top:  # on a disk that ignores letter case they are one
            unread.add("memory.md")
            text = "MEMORY.md stands beside it and is the one that is read; join the two"
            scan.problems.append(Problem("memory.md", "legacy_twin", text))
        if unread:
            scan.found[:] = [found for found in scan.found if found.path not in unread]
        return scan

    def place(self, path: str) -> Place:
        """What the note at `path` (as `checked` returns it) is, and whose: nothing is read for it."""
        return layout.place(path, self.zone)

    def document(self, path: str) -> Document | Problem:
        """The note at `path`, or why it is no source. Raises `StoreFailed` only if the home is gone."""
        reading = self.read(path)
        return reading.document if isinstance(reading, Reading) else reading

    def read(self, path: str) -> Reading | Problem:
        """The note at `path` with its front matter, or why it is no source."""
        name = path.rpartition("/")[2]
        if conflict_copies([name]):
            return Problem(path, "conflict_copy", "a sync program left this copy; it is not read")
        data = files.read(self.home, path, self.max_bytes)
        return data if isinstance(data, Problem) else self.taken(path, data)

    def taken(self, path: str, data: bytes) -> Reading | Problem:
        """The note at `path` if these were its bytes, or why they are no source."""
        text = _decoded(path, data)
        if isinstance(text, Problem):
            return text
        decoded, digest = text
        front = markdown.front_matter(decoded)
        if front.generated:
            return Problem(path, "generated", "it says generated: true, so it is never a source")
        place = self.place(path)
        document = Document(path, decoded, digest, place.kind, place.audience, place.subject, place.when)
        return Reading(document, front, tuple(Problem(path, code, words) for code, words in front.faults))

    def lines(
        self, path: str, first: int = 1, count: int = PAGE_LINES, limit_chars: int = PAGE_CHARS
    ) -> Page:
        """`count` lines of a note from line `first` on, with their own ends but for the last one's.

        The outcome is found, empty (no lines, or `first` is past the end), not_found or not_allowed,
        with the reason in words that never hold a path of the machine. Raises `BadInput` only for
        `first`, `count` or `limit_chars` below 1.
        """
        for name, number in (("first", first), ("count", count), ("limit_chars", limit_chars)):
            if number < 1:
                raise BadInput(f"{name}: must be 1 or more, not {number}")
        try:
            text = self._asked(path)
        except StoreFailed:
            return Page("not_found", shown(path), first=first, reason="the home cannot be opened")
        if isinstance(text, Problem):
            outcome = "not_found" if text.code == "missing" else "not_allowed"
            return Page(outcome, text.path, first=first, reason=text.text)
        return _page(checked(path, portable=False), markdown.split_lines(text), first, count, limit_chars)

    def _asked(self, path: str) -> str | Problem:
        """The text at a path that somebody outside gave."""
        refusal = ""
        try:
            normal = checked(path)
        except BadInput as error:
            refusal = str(error)
            try:  # a name only other disks refuse may stand on this one
                normal = checked(path, portable=False)
            except BadInput:
                return Problem(shown(path), "name_not_allowed", refusal)
        if not is_note(normal):
            return Problem(normal, "name_not_allowed", f"only notes can be read ({', '.join(SUFFIXES)})")
        data = files.read(self.home, normal, self.max_bytes)
        text = data if isinstance(data, Problem) else _decoded(normal, data)
        if isinstance(text, Problem):
            unknown = refusal and text.code == "missing"
            return Problem(normal, "name_not_allowed", refusal) if unknown else text
        return text[0]


def _decoded(path: str, data: bytes) -> tuple[str, str] | Problem:
    """The decoded text of a note and the SHA-256 of its bytes, in hexadecimal."""
    decoded = markdown.decode(data)
    if decoded.fault:
        return Problem(path, decoded.fault, _FAULTS[decoded.fault])
    import hashlib  # loads OpenSSL: a search that finds no changed file does without

    return decoded.text, hashlib.sha256(data).hexdigest()


def _page(path: str, lines: list[str], first: int, count: int, limit_chars: int) -> Page:
    total = len(lines)
    if first > total:
        reason = "the file is empty" if not total else f"past the end: the file has {total} lines"
        return Page("empty", path, first=first, total=total, reason=reason)
    taken = list(_fitting(lines[first - 1 : first - 1 + count], limit_chars))
    reason = ""
    if not taken:
        line = lines[first - 1]
        reason = f"line {first} has {len(line)} characters; only the first {limit_chars} are shown"
        taken = [line[:limit_chars]]
    after = first + len(taken)
    text = "".join(taken)
    text = text[:-2] if text.endswith("\r\n") else text[:-1] if text.endswith(("\n", "\r")) else text
    return Page("found", path, text, first, len(taken), total, after if after <= total else None, reason)


def _fitting(lines: list[str], limit_chars: int) -> Iterator[str]:
    """The first of `lines` that together have at most `limit_chars` characters, ends included."""
    room = limit_chars
    for line in lines:
        room -= len(line)
        if room < 0:
            return
        yield line
