"""Where the history of a subject lies, and which subjects and records may be written. Nothing here touches the disk."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from datetime import UTC
from typing import TypeVar

from omoide.errors import BadInput, StoreFailed
from omoide.store import history, layout
from omoide.store.check_path import broken_rule, checked
from omoide.store.check_text import check_text
from omoide.store.history import Edit, Record
from omoide.store.names import is_skipped

T = TypeVar("T")

HISTORY = ".history"
MAX_NAME_BYTES = 240
"""Of the last segment of a subject: its history and its lock need an ending each."""

_ENDS = (".jsonl", ".lock", ".tmp")


def file_of(subject: str) -> str:
    """Path of the history, relative to the home."""
    return f"{HISTORY}/{subject}.jsonl"


def lock_of(subject: str) -> str:
    """Name of the lock beside it."""
    return subject.rpartition("/")[2] + ".lock"


def temp_of(subject: str, path: str) -> str:
    """Name of the file in which the new bytes wait beside the old: hidden, and always the same for one writer's file.

    Only the holder of the subject's lock uses it, so one that is found is a dead process's.
    """
    return f".omoide-{history.digest(f'{subject} {path}'.encode())[:16]}.tmp"


def is_temp(name: str) -> bool:
    """Whether it is the name of such a file."""
    return bool(re.fullmatch(r"\.omoide-[0-9a-f]{16}\.tmp", name))


def subject_of(subject: str) -> str:
    """The id in NFC. Raises `BadInput` for one that is no plain id."""
    normal = unicodedata.normalize("NFC", subject) if isinstance(subject, str) else ""
    broken = broken_rule(normal)
    if not broken and any(part.casefold().endswith(_ENDS) for part in normal.split("/")):
        broken = f"a segment ends with {', '.join(_ENDS)}"
    if not broken and len(normal.rpartition("/")[2].encode()) > MAX_NAME_BYTES:
        broken = f"its name is longer than {MAX_NAME_BYTES} bytes"
    if broken:
        raise BadInput(f"subject: {broken}. Give a plain id, like people/sato-ken-7f3a")
    return normal


def valid(record: Record, *, portable: bool = True) -> Record:
    """The record with its subject and paths in NFC. Raises `BadInput`. `portable`: for names of new files."""
    edits = tuple(
        Edit(checked(edit.path, portable=portable and edit.before is None), edit.before, edit.after) for edit in record.edits
    )  # fmt: skip
    for key, text in (("reason", record.reason), ("source", record.source)):
        check_text(text, key)
    paths = [edit.path for edit in edits]
    for path in paths:
        if any(map(is_skipped, path.split("/"))):
            raise BadInput(f"{path}: it lies in a folder that holds no notes of the home")
        if layout.place(path, UTC).kind == "room-log":
            raise BadInput(f"{path}: it is the log of a room, which only grows; nothing in it is changed or removed")
        if paths.count(path) > 1 or any(other.startswith(path + "/") for other in paths):
            raise BadInput(f"{path}: one record changes a file once, and does not use it as a folder too")
    return record._replace(subject=subject_of(record.subject), edits=edits, left=())


def read_as(subject: str, lines: list[bytes], reader: Callable[[list[bytes]], Iterator[T]]) -> list[T]:
    """What a reader of `history.py` makes of the lines of a subject. Raises `StoreFailed` that names the file and the line."""
    try:
        return list(reader(lines))
    except ValueError as error:
        said = f"{file_of(subject)}, {error}. Put the line back from a copy, or take it and those after it out by hand."
        raise StoreFailed(said) from error
