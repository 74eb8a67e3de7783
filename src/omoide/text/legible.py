"""Which letters a name, an id or a path may hold, and which of them pretend to lead somewhere else.

Every answer is a few words for a sentence, or "" where nothing is wrong; no text is repeated in one, for it may
hold anything. Nothing is decoded for use.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_INVISIBLE = frozenset("\u00ad\u180e\u200b\u2060\u2061\u2062\u2063\u2064\ufeff")
_ROOT = re.compile(r"[/\\~]|[a-z]:|[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_SEPARATOR = re.compile(r"[/\\]")
_ESCAPES = re.compile(r"%u([0-9a-f]{4})|((?:%[0-9a-f]{2})+)", re.IGNORECASE)


def unfit(text: str) -> str:
    """What is wrong with single characters."""
    kinds = [unicodedata.category(char) for char in text]
    if not any(_visible(char, kind) for char, kind in zip(text, kinds, strict=True)):
        return "it is empty or shows nothing"
    for char, kind in zip(text, kinds, strict=True):
        if kind == "Cc":
            return "it holds a control character (NUL, tab, line break, escape)"
        if kind == "Cs":
            return "it holds half of a character (a lone surrogate)"
        if kind in ("Zl", "Zp"):
            return "it holds a line or paragraph separator"
        if char in _BIDI:
            return "it holds a mark that turns the direction of writing"
        if char in _INVISIBLE or 0xE0000 <= ord(char) <= 0xE007F:
            return "it holds an invisible character"
        if ord(char) & 0xFFFE == 0xFFFE or 0xFDD0 <= ord(char) <= 0xFDEF:
            return "it holds a code that is no character"
    return ""


def unwritable(text: str) -> str:
    """What keeps a text out of every text file: a NUL makes the whole file binary, and half a letter has no bytes."""
    if "\0" in text:
        return "it holds a NUL byte, so it is no text"
    half = next((at for at, char in enumerate(text, 1) if "\ud800" <= char <= "\udfff"), 0) if not text.isascii() else 0
    return f"letter {half} is half a letter (a lone surrogate, or a byte that is no UTF-8)" if half else ""


def as_seen(text: str) -> str:
    """What of a text can be seen, in one line: without controls, marks of direction, invisible letters, halves of letters."""
    kept = (" " if char.isspace() else char for char in text)
    return " ".join("".join(char for char in kept if char == " " or not unfit("a" + char)).split(" ")).strip()


def _visible(char: str, kind: str) -> bool:
    if kind[0] in "ZC":
        return False
    if kind in ("Lo", "So"):  # fillers and the empty Braille cell are letters to Unicode, nothing to the eye
        return not unicodedata.name(char, "").endswith(("FILLER", "BLANK"))
    return kind != "Mn"


def says_something(text: str) -> bool:
    """Whether there is a letter, a number or a symbol to see; punctuation alone is none."""
    return any(_visible(char, kind) and kind[0] in "LNS" for char in text for kind in [unicodedata.category(char)])


def heap_of_marks(text: str) -> int:
    """The most combining marks that stand on one character."""
    most = here = 0
    for char in unicodedata.normalize("NFD", text):
        here = here + 1 if unicodedata.category(char) == "Mn" else 0
        most = max(most, here)
    return most


def leads_away(text: str) -> str:
    """What a program that took the text for a path would follow out of its folder."""
    if has_dots(text) or has_dots(unicodedata.normalize("NFKC", text)):
        return "it holds a segment . or .."
    if _ROOT.match(text):
        return "it starts at a root (/, \\, ~, a drive letter or a URL)"
    return ""


def has_dots(text: str) -> bool:
    """Whether `.` or `..` stands alone between `/` or `\\`."""
    return any(segment in (".", "..") for segment in _SEPARATOR.split(text))


def hides_escape(text: str) -> str:
    """Whether decoding percent escapes, once or several times, gives something dangerous."""
    while "%" in text:
        decoded = _ESCAPES.sub(_unescaped, text)
        if decoded == text:
            break
        if "\0" in decoded or decoded.startswith(("/", "\\")) or has_dots(decoded):
            return "it holds percent escapes for a NUL, a dot segment or a leading slash"
        text = decoded  # each round is shorter than the one before, so this ends
    return ""


def _unescaped(found: re.Match[str]) -> str:
    if found[1]:
        return chr(int(found[1], 16))
    return "".join(map(chr, _code_points(bytes.fromhex(found[2].replace("%", "")))))


def _code_points(data: bytes) -> Iterable[int]:
    """UTF-8 read carelessly: overlong forms give the character they stand for, other bytes themselves."""
    at = 0
    while at < len(data):
        lead = data[at]
        tail = 1 if 0xC0 <= lead < 0xE0 else 2 if 0xE0 <= lead < 0xF0 else 3 if 0xF0 <= lead < 0xF8 else 0
        rest = data[at + 1 : at + 1 + tail]
        if len(rest) == tail and all(0x80 <= byte < 0xC0 for byte in rest):
            code = lead & (0x3F >> tail) if tail else lead
            for byte in rest:
                code = code << 6 | byte & 0x3F
            yield min(code, 0x10FFFF)
            at += tail
        else:
            yield lead
        at += 1
