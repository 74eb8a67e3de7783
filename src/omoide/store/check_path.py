"""Which strings are the path of a note: relative to the home, `/` between segments, NFC.

Two groups of rules. Those of safety always hold. Those of portability (names Windows cannot
store, blanks at an edge) hold for a new name; a note that already stands on this disk under
such a name can still be read, because its owner's disk allows it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from omoide.errors import BadInput

MAX_SEGMENTS = 20
MAX_SEGMENT_BYTES = 255
MAX_PATH_BYTES = 1024

_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_INVISIBLE = frozenset("\u00ad\u180e\u200b\u2060\u2061\u2062\u2063\u2064\ufeff")
_JOINERS = "\u200c\u200d" + "".join(map(chr, range(0xFE00, 0xFE10)))
_DEVICE = re.compile(r"(?i)con|prn|aux|nul|conin\$|conout\$|clock\$|(com|lpt)[1-9\u00b9\u00b2\u00b3]")
_ROOT = re.compile(r"[/\\~]|[a-z]:|[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_SEPARATOR = re.compile(r"[/\\]")
_ESCAPES = re.compile(r"%u([0-9a-f]{4})|((?:%[0-9a-f]{2})+)", re.IGNORECASE)


def checked(path: str, *, portable: bool = True) -> str:
    """The path in NFC, if it may name a note.

    `portable=False` leaves out the rules that only other disks need. Raises `BadInput` that says
    in words which rule is broken; the message never repeats the path, which may hold anything.
    """
    if not isinstance(path, str):
        raise BadInput(f"path: must be text, not {type(path).__name__}")
    normal = unicodedata.normalize("NFC", path)
    broken = broken_rule(normal, portable=portable)
    if broken:
        raise BadInput(f"path: {broken}. Give the path of a note in the home, like memory/2026-11-30.md")
    return normal


def broken_rule(path: str, *, portable: bool = True) -> str:
    """In words, the first rule that a path in NFC breaks; "" if it may name a note."""
    segments = path.split("/")
    broken = _letters(path) or _traversal(path) or _shape(path, segments)
    if not broken and portable:
        broken = next(filter(None, map(_portable, segments)), "")
    return broken


def shown(path: object) -> str:
    """A path fit for a message: what cannot be printed is written out, and it has an end."""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in str(path)[:300])


def _letters(path: str) -> str:
    """What is wrong with single characters, in words, or nothing."""
    kinds = [unicodedata.category(char) for char in path]
    if not any(_visible(char, kind) for char, kind in zip(path, kinds, strict=True)):
        return "it is empty or shows nothing"
    for char, kind in zip(path, kinds, strict=True):
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


def _visible(char: str, kind: str) -> bool:
    if kind[0] in "ZC":
        return False
    if kind in ("Lo", "So"):  # fillers and the empty Braille cell are letters to Unicode, nothing to the eye
        return not unicodedata.name(char, "").endswith(("FILLER", "BLANK"))
    return kind != "Mn"


def _traversal(path: str) -> str:
    """What would lead out of the home, in words, or nothing."""
    if _has_dots(path) or _has_dots(unicodedata.normalize("NFKC", path)):
        return "it holds a segment . or .."
    if _ROOT.match(path):
        return "it starts at a root (/, \\, ~, a drive letter or a URL)"
    if "\\" in path:
        return "it holds a backslash; segments are separated by /"
    if "%" in path and _hides_escape(path):
        return "it holds percent escapes for a NUL, a dot segment or a leading slash"
    return ""


def _has_dots(path: str) -> bool:
    return any(segment in (".", "..") for segment in _SEPARATOR.split(path))


def _hides_escape(path: str) -> bool:
    """Whether decoding once or several times gives something dangerous. Nothing is decoded for use."""
    while True:
        decoded = _ESCAPES.sub(_unescaped, path)
        if decoded == path:
            return False
        if "\0" in decoded or decoded.startswith(("/", "\\")) or _has_dots(decoded):
            return True
        path = decoded  # each round is shorter than the one before, so this ends


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


def _shape(path: str, segments: list[str]) -> str:
    """What is wrong with the segments on every disk, in words, or nothing."""
    if "" in segments:
        return "it holds an empty segment or ends with a slash"
    if any(segment.lstrip(_JOINERS).startswith(".") for segment in segments):
        return "a segment begins with a dot: hidden files are not notes"
    if any(segment.casefold() == "git~1" for segment in segments):
        return "a segment is the short form of .git"
    if len(segments) > MAX_SEGMENTS:
        return f"it has {len(segments)} segments; {MAX_SEGMENTS} are allowed"
    if any(len(segment.encode()) > MAX_SEGMENT_BYTES for segment in segments):
        return f"a segment is longer than {MAX_SEGMENT_BYTES} bytes"
    if len(path.encode()) > MAX_PATH_BYTES:
        return f"it is longer than {MAX_PATH_BYTES} bytes"
    return ""


def _portable(segment: str) -> str:
    """Why another disk could not store this segment, in words, or nothing."""
    if segment[0].isspace() or segment[-1].isspace() or segment.endswith("."):
        return "a segment begins or ends with a blank, or ends with a dot"
    if _DEVICE.fullmatch(segment.split(".")[0].rstrip()):
        return "a segment is the name of a Windows device (CON, NUL, COM1, …)"
    if any(char in '<>:"|?*' for char in segment):
        return 'a segment holds one of < > : " | ? *'
    return ""
