"""What a look at the home gives: the notes that were found, and what is not (wholly) used and why. Values, no disk."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


class Found(NamedTuple):
    """A note as a listing sees it. Any edit changes at least one of the four numbers.

    `path` is relative to the home, with `/`, in NFC. `size` is in bytes, the times in nanoseconds.
    """

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


class Problem(NamedTuple):
    """Why something in the home is not (wholly) used. `code` is stable, `text` is for people.

    Codes of listing and opening: missing, symlink, not_regular, folder, not_a_folder, unreadable,
    conflict_copy, undecodable_name, name_clash, name_not_allowed, too_deep, too_large, legacy_twin,
    skipped. Codes of content: generated, binary, encoding_unknown, front_matter, second_front_matter.
    """

    path: str
    code: str
    text: str


UNKNOWN = frozenset({"unreadable"})
"""Codes of problems that hide a file or everything below a folder without saying that it is gone."""


@dataclass(frozen=True, slots=True)
class Scan:
    """One listing of the home: the notes, sorted by path, and what is not listed and why."""

    found: list[Found] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @property
    def unknown(self) -> list[str]:
        """Files and folders that may hold what is not listed: they were unreadable."""
        return [one.path for one in self.problems if one.code in UNKNOWN]
