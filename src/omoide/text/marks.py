"""What the heading of an entry says of it, in one parenthesis at its end.

    ## 14:20 Booked the flight (about ana, tokyo; mood glad; task t-12; session s-41; at 2026-11-30T14:20:05+09:00)

A parenthesis holds marks only if every part of it is one of the known keys with a legal value; else it is text. Events
of a room have theirs in the same place: `(s-41#7; at …; tool NAME; call ID; reply)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from omoide.errors import BadInput
from omoide.text.wording import asked_form

Marks = Mapping[str, tuple[str, ...]]
"""Key to its values: one, several of `about`, none of a flag."""

ASKED = ("about", "mood", "task", "session")
"""Those that entries can be asked for by."""

NOTHING_FOUND = "nothing found"
"""The flag of an entry that records a search that found nothing."""

FAILED = f"\n{NOTHING_FOUND}\n"
"""The same as it is looked up."""

_AT_END = re.compile(r"[ \t]*\(([^()]*)\)[ \t]*\Z")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]")
_VALUE = re.compile("[^;()\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]{1,200}")
_WORD = re.compile(r"[^\s;()]{1,200}")
_EVENT = re.compile(r"([^\s#;()]{1,200})#\d{1,18}")
_COMMAS = re.compile("[,、，]")
_KEYS = {"about": _VALUE, "mood": _VALUE, "task": _VALUE, "session": _WORD, "at": _WORD}
_EVENT_KEYS = _KEYS | {"tool": _VALUE, "call": _VALUE}
_EVENT_FLAGS = (NOTHING_FOUND, "reply", "forgotten")


def marks_of(line: str) -> tuple[str, Marks]:
    """The first line of an entry without its marks, and these; none where it is no heading, or its parenthesis is text."""
    found = _AT_END.search(line) if _HEADING.match(line) else None
    marks = _read(found[1]) if found else {}
    return (line[: found.start()] if found and marks else line), marks


def _read(text: str) -> Marks:
    first, *more = parts = [part.strip() for part in text.split(";")]
    event = _EVENT.fullmatch(first)
    marks: dict[str, tuple[str, ...]] = {"session": (event[1],), "message": (first,)} if event else {}
    for part in more if event else parts:
        key, values = _mark(part, bool(event))
        if not key or key in marks:
            return {}
        marks[key] = values
    return marks


def _mark(part: str, event: bool) -> tuple[str, tuple[str, ...]]:
    """One part; key "" if it is no mark."""
    if part in (_EVENT_FLAGS if event else (NOTHING_FOUND,)):
        return part, ()
    key, _, value = part.partition(" ")
    legal = (_EVENT_KEYS if event else _KEYS).get(key)
    values = _values(key, value) if legal and legal.fullmatch(value) else ()
    return (key, values) if values and (key != "at" or moment({key: values})) else ("", ())


def _values(key: str, text: str) -> tuple[str, ...]:
    parts = _COMMAS.split(text) if key == "about" else [text]
    return tuple(dict.fromkeys(value for part in parts if (value := " ".join(part.split()))))


def moment(marks: Marks) -> datetime | None:
    """When the entry was made, if it says so; without a zone as it stands there."""
    text = "".join(marks.get("at", ()))
    with suppress(ValueError):
        return datetime.fromisoformat(text) if "T" in text else None
    return None


def written(marks: Marks, at: datetime) -> str:
    """The parenthesis of an entry."""
    said = [f"{key} {', '.join(marks[key])}" for key in ASKED if key in marks]
    flags = [NOTHING_FOUND] if NOTHING_FOUND in marks else []
    return f"({'; '.join([*said, f'at {at.isoformat()}', *flags])})"


def checked(given: Mapping[str, str | Sequence[str]]) -> Marks:
    """Marks as a caller gives them. Raises `BadInput` for a key nobody knows, or a value that no heading holds."""
    if not isinstance(given, Mapping):
        raise BadInput(f"marks: names with values, such as {{'task': 't-12'}}, not {str(given)[:60]!r}")
    marks = {}
    for key, values in given.items():
        if key not in ASKED:
            raise BadInput(f"marks: {key!r} is none; there are {', '.join(ASKED)}")
        texts: list[Any] = list(values) if isinstance(values, Iterable) and not isinstance(values, str) else [values]
        for text in texts:
            if not isinstance(text, str) or not (_WORD if key == "session" else _VALUE).fullmatch(text) or not asked_form(text).strip(" ,"):
                without = "spaces, `;`, `(` or `)`" if key == "session" else "`;`, `(` or `)`"
                raise BadInput(f"{key}: {str(text)[:60]!r} is no mark; give one line of 200 letters at most, without {without}")
        marks[key] = tuple(dict.fromkeys(value for text in texts for value in _values(key, text)))
        if not marks[key] or (key != "about" and len(texts) > 1):
            raise BadInput(f"{key}: {len(texts)} values; {'name one or more' if key == 'about' else 'an entry has one'}")
    return marks


def forms(marks: Marks) -> tuple[str, ...]:
    """Marks as they are compared: one line each, the value in word form."""
    return tuple(f"\n{key} {asked_form(value)}\n" for key in ASKED for value in marks.get(key, ()))


def filed(marks: Marks) -> str:
    """What an entry is looked up by: its forms, and whether it records a search that found nothing."""
    return "".join(forms(marks)) + (FAILED if NOTHING_FOUND in marks else "")


def words_with(text: str, marks: Marks) -> str:
    """The words of an entry: its text with the values of its marks, without their keys and its moment, which everyone has. Of an
    event in a room only what was said: its account, its session (often the day), its number and its block id are nobody's
    words."""
    heading, end, rest = text.partition("\n")
    if "message" in marks:
        said = [line.removeprefix(">").removeprefix(" ") for line in rest.splitlines() if line.startswith(">")]
        return "\n".join([*said, *marks.get("tool", ())])
    return " ".join([marks_of(heading)[0], *(value for key, values in marks.items() if key != "at" for value in values)]) + end + rest


def legible(text: str) -> str:
    """An entry as people read it: without its marks; of an event in a room who said it, and what."""
    heading, _, rest = text.partition("\n")
    title, marks = marks_of(heading)
    if "message" in marks:
        said = [line.removeprefix(">").strip() for line in rest.splitlines() if line.startswith(">")]
        return f"{title.split()[-1]}: {' '.join(said)}"
    return f"{title} {' '.join(rest.split())}".strip()


def shown(marks: Marks) -> dict[str, str | list[str]]:
    """For programs: the marks one can ask for. Objects are a list, of the others there is one."""
    return {key: list(marks[key]) if key == "about" else marks[key][0] for key in ASKED if key in marks}
