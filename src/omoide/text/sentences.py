"""Sentences, and safe places to cut what is too long: never inside a character a reader sees as one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from omoide.text.tokens import estimate_tokens

_END = re.compile(
    r"[。！？!?｡]+[」』）)\]】”\"']*\s*"  # a stop and the brackets it closes
    r"|(?<=[a-z0-9)\]\"'])\.(?:[\"')\]]*)\s+(?=[A-Z\"'(\[#]|[^\x00-\x7f])"
    r"|\n+"
)


def sentences(text: str) -> list[str]:
    """Sentences of a text with their own trailing space; joined they are the text again."""
    out: list[str] = []
    start = 0
    for found in _END.finditer(text):
        if found.end() > start:
            out.append(text[start : found.end()])
            start = found.end()
    if start < len(text):
        out.append(text[start:])
    return out


_LIST_MARK = re.compile(r"^(?:[-*+•・‣]|\d{1,2}[.)])\s*")


def statements(text: str) -> list[str]:
    """What a message states, piece by piece: its sentences, list items and parts between semicolons, but no question."""
    parts = [_LIST_MARK.sub("", part.strip()).strip() for one in sentences(text) for part in re.split("[;；]", one)]
    return [part for part in parts if part and not part.endswith(("?", "？"))]


def graphemes(text: str) -> Iterator[str]:
    """Pieces that must not be cut: a letter with its marks, an emoji with its joiners, CR LF.

    A simplified form of UAX 29: it may keep more together than needed, never less than a reader sees.
    """
    start = 0
    for i in range(1, len(text)):
        if not _sticks(text[i - 1], text[i]):
            yield text[start:i]
            start = i
    if text:
        yield text[start:]


def _sticks(before: str, char: str) -> bool:
    if char < "\u0300":
        return before == "\r" and char == "\n"
    return (
        before == "\u200d"
        or char == "\u200d"
        or "\ufe00" <= char <= "\ufe0f"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\U000e0020" <= char <= "\U000e007f"
        or ("\U0001f1e6" <= char <= "\U0001f1ff" and "\U0001f1e6" <= before <= "\U0001f1ff")
        or unicodedata.category(char)[0] == "M"
        or char in "\uff9e\uff9f"
    )


def fit(text: str, max_tokens: int) -> list[str]:
    """The text in pieces of at most `max_tokens` estimated tokens, cut at sentences where possible.

    Joined, the pieces are the text. A single grapheme larger than the limit stays whole, unless it is
    an absurd one (a letter with hundreds of marks), which is cut between code points.
    """
    out: list[str] = []
    room = 0
    for sentence in sentences(text):
        size = estimate_tokens(sentence)
        if size > max_tokens:
            pieces = list(_cut(sentence, max_tokens))
            out.extend(pieces)
            room = max_tokens - estimate_tokens(pieces[-1])
        elif out and size < room:  # strictly: two estimates rounded up may add up to less than their sum
            out[-1] += sentence
            room -= size
        else:
            out.append(sentence)
            room = max_tokens - size
    return out


def _cut(text: str, max_tokens: int) -> Iterator[str]:
    piece: list[str] = []
    size = 0.0
    for unit in _units(text, max_tokens):
        cost = estimate_tokens(unit) if not unit.isascii() else len(unit) / 4
        if piece and size + cost > max_tokens - 1:
            yield "".join(piece)
            piece, size = [], 0.0
        piece.append(unit)
        size += cost
    yield "".join(piece)


def _units(text: str, max_tokens: int) -> Iterator[str]:
    """Words where there are any, else graphemes."""
    for word in re.findall(r"\S+\s*|\s+", text):
        if word.isascii() and len(word) <= 2 * max_tokens:
            yield word
        else:
            for grapheme in graphemes(word):
                yield from (grapheme,) if estimate_tokens(grapheme) < max_tokens else grapheme
