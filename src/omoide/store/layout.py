"""From the place of a note in the home to what it is: kind, audience, subject and day.

Five layouts are read as they stand: a home of omoide, an OpenClaw workspace, a Claude Code
memory folder, a Codex or OpenAI-Agents `memories/` folder, an Obsidian vault. Where they do not
speak, a note is the owner's: kind "note", audience "me".

A folder of the layout is known in any letter case, because on many disks `People/x/card.md`
opens `people/x/card.md`: a spelling must never make a note audible to more people.
`knowledge`, which would make it audible to all, is known in lower case only.
"""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from typing import NamedTuple

from omoide.store.names import stem
from omoide.text.dates import day_in_name, is_bare_day
from omoide.types import TIMELESS

_SUBJECTS = {"people": "person", "users": "person", "projects": "project", "teams": "team", "agents": "agent"}
_MEMORY_FILES = frozenset({"memory.md", "user.md", "memory_summary.md", "raw_memories.md"})
_NO_SOURCES = frozenset({"DREAMS.md", "dreams.md"})


KINDS = ("memory", "log", "note", "card", "drawer", "room", "room-log", "knowledge", "skill")
"""Every kind that a note of a home can have."""


class Place(NamedTuple):
    """What the path of a note says. The fields are those of `types.Document`."""

    kind: str
    audience: str
    subject: str = ""
    when: datetime | None = None


def place(path: str, zone: tzinfo) -> Place:
    """What the note at `path` (NFC, relative to the home) is.

    Its day is the one its file name begins with, in any folder, at midnight in `zone`;
    kinds in `types.TIMELESS` have none.
    """
    found = _place(path.split("/"))
    if found.kind in TIMELESS:
        return found
    return found._replace(when=day_in_name(path.rpartition("/")[2], zone))


def is_source(path: str) -> bool:
    """False for a report that another program writes about the memory itself (OpenClaw's dream diary)."""
    return path not in _NO_SOURCES


def _place(parts: list[str]) -> Place:
    top, name = parts[0].casefold(), parts[-1]
    below = parts[1:-1]
    if len(parts) == 1:
        return Place("memory" if top in _MEMORY_FILES else _dated_kind(name), "me")
    if top in _SUBJECTS and below:
        return Place(_subject_kind(below, name), f"{_SUBJECTS[top]}:{below[0]}", below[0])
    if top == "rooms" and below:
        return Place(_room_kind(below, name), f"room:{below[0]}", below[0])
    if top == "agent":
        kinds = {"skills": "skill", "memories": "memory"}
        return Place(kinds.get(below[0].casefold(), "note") if below else "note", "agent")
    if parts[0] == "knowledge":
        return Place("knowledge", "all")
    if top in ("memory", "log", "rollout_summaries"):
        return Place("log" if _has_day(name) else "note", "me")
    return Place("skill" if top == "skills" else _dated_kind(name), "me")


def _subject_kind(below: list[str], name: str) -> str:
    """Kind of a note in the folder of a person, project, team or agent. `below[0]` is its id."""
    if len(below) == 1 and name.casefold() in ("card.md", "user.md"):
        return "card"
    if len(below) > 1 and below[1].casefold() == "drawer":
        return "drawer"
    return "note"


def _room_kind(below: list[str], name: str) -> str:
    if len(below) == 1 and name.casefold() == "room.md":
        return "room"
    if len(below) > 1 and below[1].casefold() == "log":
        return "room-log"
    return "note"


def _dated_kind(name: str) -> str:
    """A note called by a day alone is a daily note wherever a vault keeps it."""
    return "log" if is_bare_day(stem(name)) and _has_day(name) else "note"


def _has_day(name: str) -> bool:
    return day_in_name(name, UTC) is not None
