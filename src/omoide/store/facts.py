"""Fact lines: what a list item says, and how one line of a file is added, changed or taken away.

    - 12月1日から5日まで東京出張 (until 2026-12-05; by slack:T01:U02ABC) ^p4d8

The text comes first; what a reader must see stands in one parenthesis at the end, a block id closes the line. A
parenthesis is metadata only if every part of it is a known key with a legal value; otherwise it is text.
Changes work on bytes: a line that is not meant keeps every byte, and a new line ends as its neighbours do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC
from typing import NamedTuple

from omoide.store.check_text import encoded
from omoide.text.when import period

DATES = ("since", "until", "said")
KEYS = (*DATES, "by", "in", "to", "kind", "now")
FLAGS = ("wrong", "pending", "secret")
EARLIER = "## Earlier"

_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_ID = re.compile(r"[ \t]\^([A-Za-z0-9][A-Za-z0-9-]{0,63})[ \t]*\Z")
_META = re.compile(r"[ \t]*(\\?)\(([^()]*)\)[ \t]*\Z")
_FENCE = re.compile(r"[ \t]*(```|~~~)")


class Fact(NamedTuple):
    """One fact as its line says it. `id` "" is a line that never got one; `line` is 1-based, 0 for one not on disk.

    `meta` has the keys of `KEYS` with their text and those of `FLAGS` with "". `earlier`: it stands under
    `## Earlier`, where superseded and ended facts are kept.
    """

    id: str
    text: str
    meta: Mapping[str, str] = {}
    line: int = 0
    earlier: bool = False

    def written(self) -> str:
        """The line, without its end."""
        parts = [f"{key} {masked(self.meta[key])}" for key in KEYS if key in self.meta] + [flag for flag in FLAGS if flag in self.meta]
        told = f" ({'; '.join(parts)})" if parts else ""
        return f"- {self.text if told else _guarded(self.text)}{told}" + (f" ^{self.id}" if self.id else "")


def one_line(text: str) -> str:
    """A text as a fact can hold it: one line, no white space around it."""
    return " ".join(text.split())


def facts_in(data: bytes) -> list[Fact]:
    """The facts of a file: its list items outside of front matter and code."""
    found, earlier, fenced = [], False, False
    for number, line in _body(data):
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced and line.startswith("#"):
            earlier = line.strip().casefold() == EARLIER.casefold() or (earlier and line.startswith("###"))
        elif not fenced and (item := _ITEM.match(line)):
            found.append(_fact(line[item.end() :], number, earlier))
    return found


def lines_of(data: bytes) -> list[str]:
    """The lines of a file without their ends, as facts are numbered: a line separator or a form feed within a line ends none."""
    return [line.decode("utf-8", "replace") for line in data.removeprefix(b"\xef\xbb\xbf").splitlines()]


def _body(data: bytes) -> Iterator[tuple[int, str]]:
    """Numbered lines behind the front matter, without their ends."""
    lines = lines_of(data)
    start = 0
    if lines and lines[0].rstrip() == "---":
        start = next((at + 1 for at, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "...")), 0)
    yield from ((at + 1, line) for at, line in enumerate(lines) if at >= start)


def _fact(text: str, line: int, earlier: bool) -> Fact:
    found = _ID.search(text) if "^" in text else None  # most lines have neither, or both: letters are quicker to look for
    if found:
        text = text[: found.start()]
    meta = _META.search(text) if ")" in text else None
    fields = _fields(meta[2]) if meta else None
    if meta and fields is not None and meta[1]:
        text, fields = text[: meta.start(1)] + text[meta.end(1) :], None
    elif meta and fields is not None:
        text = text[: meta.start()]
    return Fact(found[1] if found else "", text.strip(), fields or {}, line, earlier)


def _guarded(text: str) -> str:
    """Words that end like metadata get a backslash before the parenthesis, so that nobody widens by saying "(to all)" who may hear it."""
    meta = _META.search(text)
    return text if not meta or _fields(meta[2]) is None else text[: meta.end(1)] + "\\" + text[meta.end(1) :]


def _fields(inside: str) -> dict[str, str] | None:
    """The parts of a parenthesis, or None if one of them is no metadata."""
    fields: dict[str, str] = {}
    for part in inside.split(";"):
        key, _, value = part.strip().partition(" ")
        value = value.strip()
        if key in fields or not (_legal(key, value) if value else key in FLAGS):
            return None
        fields[key] = _MASKED.sub(lambda found: chr(int(found[1], 16)), value)
    return fields


_MASKED = re.compile("%(25|28|29|3[Bb])")
_TO_MASK = re.compile(rf"[;()]|%(?={_MASKED.pattern[1:]})")


def masked(value: str) -> str:
    """An id may hold what would end the parenthesis; it stands there as `%3B`, `%28`, `%29`, and what looks like one as `%25…`."""
    return _TO_MASK.sub(lambda found: f"%{ord(found[0]):02X}", value)


def _legal(key: str, value: str) -> bool:
    if key in DATES:
        try:
            period(value, UTC)
        except ValueError:
            return False
        return True
    if key == "now":
        return bool(re.fullmatch(r"\^[A-Za-z0-9-]+", value))
    return key in KEYS and not any(char.isspace() for char in value)


# ---- changing lines


def with_fact(data: bytes, fact: Fact) -> bytes:
    """The file with one more fact: behind the last one, under `## Earlier` if the fact belongs there. NULs that a crash left
    at the end do not get between the lines."""
    lines = data.rstrip(b"\0").splitlines(True)
    end = _line_end(lines)
    new = encoded(fact.written()) + end
    here = [known.line for known in facts_in(data) if known.earlier == fact.earlier]
    if here:
        at = max(here)
        while at < len(lines) and lines[at].startswith((b"  ", b"\t")) and lines[at].strip():
            at += 1  # the lines that go on with that item
    elif fact.earlier:
        new, at = EARLIER.encode() + end * 2 + new, len(lines)
        if lines and lines[-1].strip():
            new = end + new
    else:
        at = next((known.line - 1 for known in facts_in(data)), len(lines))
        at = next((i for i, line in enumerate(lines) if line.strip().lower() == EARLIER.lower().encode()), at)
    if at and at <= len(lines) and not lines[at - 1].endswith((b"\n", b"\r")):
        lines[at - 1] += end
    return b"".join([*lines[:at], new, *lines[at:]])


def without_fact(data: bytes, line: int) -> bytes:
    """The file without the fact on that line (1-based) and the lines that go on with it."""
    lines = data.splitlines(True)
    stop = line
    while stop < len(lines) and lines[stop].startswith((b"  ", b"\t")) and lines[stop].strip() and not _is_item(lines[stop]):
        stop += 1
    return b"".join([*lines[: line - 1], *lines[stop:]])


def changed(data: bytes, old: Fact, new: Fact) -> bytes:
    """The file with one fact told differently, in its place. What stands before the text (indent, mark) stays."""
    lines = data.splitlines(True)
    raw = lines[old.line - 1]
    body = raw.rstrip(b"\r\n")
    lead = _ITEM.match(body.decode("utf-8", "surrogateescape"))
    mark = lead[0].encode("utf-8", "surrogateescape") if lead else b"- "
    lines[old.line - 1] = mark + encoded(new.written().removeprefix("- ")) + raw[len(body) :]
    return b"".join(lines)


def _is_item(line: bytes) -> bool:
    return bool(_ITEM.match(line.decode("utf-8", "replace")))


def _line_end(lines: list[bytes]) -> bytes:
    r"""How lines end here: as the first one does, `\n` in a new file."""
    for line in lines:
        for end in (b"\r\n", b"\n", b"\r"):
            if line.endswith(end):
                return end
    return b"\n"
