"""What a file name alone decides: is it a note, is it hidden, is it the copy a sync program left?"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

SUFFIXES = (".md", ".markdown")
"""Endings of a note, in any letter case: a vault from Windows may hold `README.MD`."""

SKIPPED = frozenset({"node_modules", "__pycache__", "venv"})
"""Folders that hold no notes though not hidden. Hidden ones (`.git`, `.history`) are always skipped."""


def is_note(name: str) -> bool:
    """Whether the name ends like Markdown."""
    return name.endswith(SUFFIXES) or name.lower().endswith(SUFFIXES)


def stem(name: str) -> str:
    """The name without the ending of a note."""
    for suffix in SUFFIXES:
        if name.lower().endswith(suffix):
            return name[: -len(suffix)]
    return name


def is_skipped(name: str) -> bool:
    """Whether nothing under this name is ever a note of the home."""
    return name.startswith(".") or name in SKIPPED


def conflict_copies(names: list[str]) -> set[str]:
    """Those of `names` (NFC) that a sync program made when two edits of one file met.

    One look over all names of a folder together, because nearly always the answer is none.
    """
    together = "\n".join(names).lower()
    found: set[str] = set()
    for mark, form in _conflict_forms():
        if mark in together:
            found.update(name for name in names if form.search(name.lower()))
    return found


@cache
def _conflict_forms() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """The forms listed in `conflict_copies.txt`: (text it must hold, pattern)."""
    table = Path(__file__).with_name("conflict_copies.txt").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in table.splitlines() if line and not line.startswith("#")]
    return tuple((mark, re.compile(form)) for mark, form in rows)
