"""What an account, a name and a room may be called. Nothing of it ever becomes a path: folders are named by
`store/subjects.py`. What is taken is taken in NFC, so that one id typed on two keyboards is one id.
"""

from __future__ import annotations

import unicodedata

from omoide.errors import BadInput
from omoide.text.legible import heap_of_marks, hides_escape, leads_away, says_something, unfit

MAX_ID_BYTES = 256
"""Of each of platform, workspace and id."""
MAX_NAME_LETTERS = 200
MAX_MARKS = 8
"""Combining marks on one character: no script needs more, and heaps of them hide the lines above and below."""


def nfc(text: str) -> str:
    """The form in which ids are compared. Letter case counts: `Straße` is not `STRASSE`."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def account(text: str, field: str = "account") -> str:
    """`platform:workspace:id`, all three of them, in NFC; `field` names it in the error. Raises `BadInput`."""
    text = nfc(text)
    broken = _broken_id(text)
    if broken:
        example = "it looks like platform:workspace:id, for example slack:T01:U02ABC"
        raise BadInput(f"{field}: {text[:60]!r} is no account ({broken}); {example}")
    return text


def _broken_id(text: str) -> str:
    """In words, the first rule that an id breaks."""
    if broken := unfit(text):
        return broken
    if any(char.isspace() for char in text):
        return "it holds white space"
    parts = text.split(":", 2)
    if len(parts) == 1 or not parts[0]:
        return "it names no platform"
    if len(parts) == 2:
        return "it has two parts, not three"
    if not parts[1]:
        return "it names no workspace"
    if broken := unfit(parts[2]):
        return "its last part: " + broken
    if any(len(part.encode()) > MAX_ID_BYTES for part in parts):
        return f"a part is longer than {MAX_ID_BYTES} bytes"
    return next(filter(None, (leads_away(part) or hides_escape(part) for part in (*text.split(":"), parts[2]))), "")


def name(text: str, field: str = "name") -> str:
    """A name somebody carries, in NFC and without blanks around it. Raises `BadInput`."""
    broken = _broken_name(nfc(text))
    if broken:
        advice = "; `as_seen` takes such letters out of what a platform sends" if unfit("a" + nfc(text)) else ""
        raise BadInput(f"{field}: {text[:60]!r} cannot be a name: {broken}{advice}")
    return nfc(text).strip()


def _broken_name(text: str) -> str:
    """In words, the first rule that a name breaks."""
    if broken := unfit(text):
        return broken
    if not says_something(text):
        return "there is no letter, number or symbol in it"
    if len(text) > MAX_NAME_LETTERS:
        return f"it has {len(text)} letters; {MAX_NAME_LETTERS} are allowed"
    if heap_of_marks(text) > MAX_MARKS:
        return f"more than {MAX_MARKS} marks stand on one letter"
    return leads_away(text)


def room_name(text: str) -> str:
    """The name of a room, which may be missing; `#general` and `/r/tea` are good ones. Raises `BadInput`."""
    text = nfc(text).strip()
    broken = unfit(text) or (f"it has {len(text)} letters; {MAX_NAME_LETTERS} are allowed" if len(text) > MAX_NAME_LETTERS else "")
    if text and broken:
        raise BadInput(f"room name: {text[:60]!r} cannot be one: {broken}")
    return text
