"""Markdown to chunks along its own structure, with true 1-based lines.

Headings are borders and become context; a fence, a table and a list item stay whole while they fit;
what does not fit is cut at sentences, a fence is closed and opened again, a table repeats its header.
Four styles: `sections` packs the blocks under one heading, `log` makes one chunk of each `##`
section, `entries` makes one chunk of each list item or paragraph (curated memory, cards, drawers);
`room` is `sections` without the accounts in a list: who is in a room is no text to be found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from omoide.text.sentences import fit
from omoide.text.tokens import estimate_tokens

VERSION = "chunks-2"
"""Part of the index fingerprint: raise it when any file would be cut elsewhere."""

WHOLE = 1 << 60
"""Tokens where nothing is to be cut: all words of a question may have to stand in an entry."""

MAX_TOKENS = 400
"""Estimated tokens of a chunk; inside the 512 of small embedding models with room for the context."""


class Piece(NamedTuple):
    """Text from lines `first`…`last` (1-based, inclusive) below `headings`, outermost first."""

    first: int
    last: int
    text: str
    headings: tuple[str, ...] = ()


class _Block(NamedTuple):
    kind: str  # heading, fence, table, item, paragraph
    first: int  # 0-based line
    last: int
    level: int = 0
    title: str = ""


_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ITEM = re.compile(r"( {0,3})(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)")
_MEMBER = re.compile(r"[ \t]*[-*+][ \t]+[a-z][a-z0-9.+-]*:(?!//)[^\s:]*:\S+(?:[ \t]+\([^()]*\))?(?:[ \t]+\^[\w-]+)?[ \t]*")
_TABLE_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)+\|?\s*$|\s*\|\s*:?-+:?\s*\|\s*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_LINE_END = re.compile(r"\r\n|\n|\r")


def lines_of(text: str) -> list[str]:
    """Lines without their ends. The final line end makes no further line; "" has none."""
    lines = _LINE_END.split(text)
    return lines[:-1] if lines[-1] == "" else lines


def without_headings(text: str) -> str:
    """The same text with a backslash wherever a line would be a heading or make one of the line above; fences stay as they are."""
    lines = lines_of(text)
    while headings := [block for block in _blocks(lines, 0) if block.kind == "heading"]:
        for block in headings:  # the last line of one is its marks or its underline
            lines[block.last] = re.sub(r"(?=[#=-])", r"\\", lines[block.last], count=1)
    return "\n".join(lines)


def open_fence(text: str) -> str:
    """What closes the fence that runs to the end of a text and would swallow what came next; "" if none does."""
    lines = [*lines_of(text), "## ."]
    *_, last = _blocks(lines, 0)
    return "".join(_closing(lines, last))


def chunk(text: str, *, style: str = "sections", first_line: int = 1, max_tokens: int = MAX_TOKENS) -> list[Piece]:
    """Cut a Markdown text. `first_line` is where the body begins (after front matter), 1-based."""
    lines = lines_of(text)
    if style == "room":
        lines = ["" if _MEMBER.fullmatch(line) else line for line in lines]
    pieces = list(STYLES[style](lines, list(_blocks(lines, first_line - 1)), max_tokens))
    return [piece for piece in pieces if piece.text.strip()]


def _blocks(lines: list[str], at: int) -> Iterator[_Block]:
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        block = _heading(lines, at) or _fence(lines, at) or _table(lines, at) or _item(lines, at) or _paragraph(lines, at)
        yield block
        at = block.last + 1


def _heading(lines: list[str], at: int) -> _Block | None:
    found = _HEADING.match(lines[at])
    if found:
        return _Block("heading", at, at, len(found[1]), (found[2] or "").strip())
    plain = lines[at].strip()
    if at + 1 < len(lines) and plain and not _starts_block(lines[at]):
        under = _UNDERLINE.match(lines[at + 1])
        if under and not plain.startswith(("|", ">")):
            return _Block("heading", at, at + 1, 1 if under[1][0] == "=" else 2, plain)
    return None


def _starts_block(line: str) -> bool:
    return bool(_HEADING.match(line) or _FENCE.match(line) or _ITEM.match(line))


def _fence(lines: list[str], at: int) -> _Block | None:
    found = _FENCE.match(lines[at])
    if not found:
        return None
    close = re.compile(rf" {{0,3}}{re.escape(found[1][0])}{{{len(found[1])},}}[ \t]*$")
    for end in range(at + 1, len(lines)):
        if close.match(lines[end]):
            return _Block("fence", at, end)
    return _Block("fence", at, len(lines) - 1)  # never closed: it runs to the end, as in CommonMark


def _table(lines: list[str], at: int) -> _Block | None:
    if "|" not in lines[at] or at + 1 >= len(lines) or not _TABLE_RULE.match(lines[at + 1]):
        return None
    end = at + 1
    while end + 1 < len(lines) and "|" in lines[end + 1] and lines[end + 1].strip():
        end += 1
    return _Block("table", at, end)


def _item(lines: list[str], at: int) -> _Block | None:
    if not _ITEM.match(lines[at]):
        return None
    end = at
    for here in range(at + 1, len(lines)):
        line = lines[here]
        if not line.strip():
            continue
        indented = line[0] in " \t" and (line[0] == "\t" or line.startswith("  "))
        lazy = here == end + 1 and not _starts_block(line)
        if not (indented or lazy):
            break
        end = here
    return _Block("item", at, end)


def _paragraph(lines: list[str], at: int) -> _Block:
    end = at
    while end + 1 < len(lines) and lines[end + 1].strip() and not _starts_block(lines[end + 1]):
        if _table(lines, end + 1):
            break
        end += 1
    return _Block("paragraph", at, end)


# -- styles ----------------------------------------------------------------------------------------


class _Path:
    """The headings above a line."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    def enter(self, block: _Block) -> None:
        self._open = [(level, title) for level, title in self._open if level < block.level]
        self._open.append((block.level, block.title))

    def titles(self) -> tuple[str, ...]:
        return tuple(title for _, title in self._open if title)


def _sections(lines: list[str], blocks: list[_Block], max_tokens: int) -> Iterator[Piece]:
    path = _Path()
    pack: list[_Block] = []
    above: _Block | None = None
    for block in [*blocks, _Block("heading", len(lines), len(lines))]:
        if block.kind != "heading":
            pack.append(block)
            continue
        yield from _packed(lines, pack, path.titles(), max_tokens)
        if above and not pack and block.level <= above.level:  # nothing below it, yet it can be found
            yield Piece(above.first + 1, above.last + 1, above.title, path.titles()[:-1])
        pack, above = [], block
        path.enter(block)


def _log(lines: list[str], blocks: list[_Block], max_tokens: int) -> Iterator[Piece]:
    """One chunk a `##` section, its heading line included: the time and title belong to the entry."""
    path = _Path()
    pack: list[_Block] = []
    above: tuple[str, ...] = ()
    for block in blocks:
        if block.kind == "heading" and block.level <= 2:
            yield from _packed(lines, pack, above, max_tokens)
            path.enter(block)
            above = path.titles()[:-1] if block.level == 2 else path.titles()
            pack = [block] if block.level == 2 else []
        else:
            pack.append(block)
    yield from _packed(lines, pack, above, max_tokens)


def _entries(lines: list[str], blocks: list[_Block], max_tokens: int) -> Iterator[Piece]:
    path = _Path()
    for block in blocks:
        if block.kind == "heading":
            path.enter(block)
        else:
            yield from _packed(lines, [block], path.titles(), max_tokens)


STYLES = {"sections": _sections, "log": _log, "entries": _entries, "room": _sections}


# -- packing and cutting ---------------------------------------------------------------------------


def _packed(lines: list[str], blocks: list[_Block], headings: tuple[str, ...], max_tokens: int) -> Iterator[Piece]:
    """Neighbouring blocks together while they fit; a block that does not fit alone is cut."""
    group: list[_Block] = []
    size = 0
    for block in blocks:
        size += _size(lines, group[-1].last + 1 if group else block.first, block.last)
        if group and size > max_tokens:
            yield from _piece(lines, group, headings, max_tokens)
            group, size = [], _size(lines, block.first, block.last)
        group.append(block)
    if group:
        yield from _piece(lines, group, headings, max_tokens)


def _size(lines: list[str], first: int, last: int) -> int:
    return sum(estimate_tokens(line) + 1 for line in lines[first : last + 1])


def _piece(lines: list[str], group: list[_Block], headings: tuple[str, ...], max_tokens: int) -> Iterator[Piece]:
    first, last = group[0].first, group[-1].last
    if _size(lines, first, last) <= max_tokens:
        yield Piece(first + 1, last + 1, "\n".join(lines[first : last + 1]), headings)
        return
    block = group[0]
    if block.kind == "fence":
        yield from _cut_framed(lines, block, (lines[first],), _closing(lines, block), headings, max_tokens)
    elif block.kind == "table":
        yield from _cut_framed(lines, block, (lines[first], lines[first + 1]), (), headings, max_tokens)
    else:
        yield from _cut_lines(lines, first, last, headings, max_tokens)


def _closing(lines: list[str], block: _Block) -> tuple[str, ...]:
    found = _FENCE.match(lines[block.first])
    return (found[1],) if found else ()


def _cut_framed(
    lines: list[str], block: _Block, head: tuple[str, ...], foot: tuple[str, ...], headings: tuple[str, ...], max_tokens: int
) -> Iterator[Piece]:
    """Rows of a table or lines of a fence, each piece inside the frame of the whole."""
    last = block.last
    if foot and last > block.first and lines[last].strip().startswith(foot[0]):
        last -= 1
    frame = sum(estimate_tokens(line) + 1 for line in (*head, *foot))
    room = max(max_tokens - frame, 16)
    first = block.first + len(head)
    for piece in _cut_lines(lines, first, last, headings, room):
        yield piece._replace(text="\n".join((*head, piece.text, *foot)))


def _cut_lines(lines: list[str], first: int, last: int, headings: tuple[str, ...], max_tokens: int) -> Iterator[Piece]:
    """Whole lines while they fit; a line that does not fit alone is cut at its sentences."""
    start, size = first, 0
    for at in range(first, last + 1):
        cost = estimate_tokens(lines[at]) + 1
        if size and size + cost > max_tokens:
            yield Piece(start + 1, at, "\n".join(lines[start:at]), headings)
            start, size = at, 0
        if cost > max_tokens:
            for part in fit(lines[at], max_tokens):
                yield Piece(at + 1, at + 1, part, headings)
            start, size = at + 1, 0
        else:
            size += cost
    if start <= last:
        yield Piece(start + 1, last + 1, "\n".join(lines[start : last + 1]), headings)
