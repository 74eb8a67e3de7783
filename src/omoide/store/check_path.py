"""Which strings are the path of a note: relative to the home, `/` between segments, NFC.

Two groups of rules. Those of safety always hold. Those of portability (names Windows cannot
store, blanks at an edge) hold for a new name; a note that already stands on this disk under
such a name can still be read, because its owner's disk allows it.
"""

from __future__ import annotations

import re
import unicodedata

from omoide.errors import BadInput
from omoide.text.legible import hides_escape, leads_away, unfit

MAX_SEGMENTS = 20
MAX_SEGMENT_BYTES = 255
MAX_PATH_BYTES = 1024

_JOINERS = "\u200c\u200d" + "".join(map(chr, range(0xFE00, 0xFE10)))
_DEVICE = re.compile(r"(?i)con|prn|aux|nul|conin\$|conout\$|clock\$|(com|lpt)[1-9\u00b9\u00b2\u00b3]")


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
    broken = unfit(path) or _traversal(path) or _shape(path, segments)
    if not broken and portable:
        broken = next(filter(None, map(_portable, segments)), "")
    return broken


def shown(path: object) -> str:
    """A path fit for a message: what cannot be printed is written out, and it has an end."""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in str(path)[:300])


def _traversal(path: str) -> str:
    """What would lead out of the home, in words, or nothing."""
    found = leads_away(path)
    if not found and "\\" in path:
        return "it holds a backslash; segments are separated by /"
    return found or hides_escape(path)


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
