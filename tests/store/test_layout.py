"""From the place of a note to its kind, audience, subject and day."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from omoide.store.layout import is_source, place
from omoide.store.store import Store
from omoide.types import Document

TOKYO = ZoneInfo("Asia/Tokyo")
NOV = "2026-11-30"


@pytest.mark.parametrize(
    ("path", "kind", "audience", "subject", "day"),
    [
        # a home of omoide
        ("MEMORY.md", "memory", "me", "", ""),
        ("memory/2026-11-30.md", "log", "me", "", NOV),
        ("memory/2026-11-30-standup.md", "log", "me", "", NOV),
        ("memory/2026-11-30-09-15.md", "log", "me", "", NOV),
        ("memory/2026/11/2026-11-30-会議.md", "log", "me", "", NOV),
        ("memory/2026-02-30.md", "note", "me", "", ""),
        ("memory/topics/tea.md", "note", "me", "", ""),
        ("log/2026-11-30.md", "log", "me", "", NOV),
        ("people/sato-ken-7f3a/card.md", "card", "person:sato-ken-7f3a", "sato-ken-7f3a", ""),
        ("people/sato-ken-7f3a/drawer/travel.md", "drawer", "person:sato-ken-7f3a", "sato-ken-7f3a", ""),
        ("people/sato-ken-7f3a/drawer/2026-11-30.md", "drawer", "person:sato-ken-7f3a", "sato-ken-7f3a", ""),
        ("people/sato-ken-7f3a/2026-11-30.md", "note", "person:sato-ken-7f3a", "sato-ken-7f3a", NOV),
        ("people/sato-ken-7f3a/x/card.md", "note", "person:sato-ken-7f3a", "sato-ken-7f3a", ""),
        ("people/README.md", "note", "me", "", ""),
        ("projects/apollo-1a/card.md", "card", "project:apollo-1a", "apollo-1a", ""),
        ("teams/blue-2b/drawer/a.md", "drawer", "team:blue-2b", "blue-2b", ""),
        ("agents/helper-3c/card.md", "card", "agent:helper-3c", "helper-3c", ""),
        ("rooms/design-91c2/room.md", "room", "room:design-91c2", "design-91c2", ""),
        ("rooms/design-91c2/log/2026-11-30.md", "room-log", "room:design-91c2", "design-91c2", NOV),
        ("rooms/design-91c2/plan.md", "note", "room:design-91c2", "design-91c2", ""),
        ("knowledge/a/b.md", "knowledge", "all", "", ""),
        ("knowledge/2026-11-30-minutes.md", "knowledge", "all", "", NOV),
        ("agent/skills/deploy.md", "skill", "agent", "", ""),
        ("agent/memories/lessons.md", "memory", "agent", "", ""),
        ("agent/notes.md", "note", "agent", "", ""),
        # an OpenClaw workspace
        ("USER.md", "memory", "me", "", ""),
        ("memory.md", "memory", "me", "", ""),
        ("memory/imports/codex/MEMORY.md", "note", "me", "", ""),
        ("users/u7/USER.md", "card", "person:u7", "u7", ""),
        ("AGENTS.md", "note", "me", "", ""),
        # a Claude Code folder, a Codex folder
        ("feedback_testing.md", "note", "me", "", ""),
        ("memory_summary.md", "memory", "me", "", ""),
        ("raw_memories.md", "memory", "me", "", ""),
        ("rollout_summaries/2026-11-30-fix.md", "log", "me", "", NOV),
        ("skills/release/SKILL.md", "skill", "me", "", ""),
        # a vault
        ("Daily/2026-11-30.md", "log", "me", "", NOV),
        ("2026-11-30.md", "log", "me", "", NOV),
        ("Meetings/2026-11-30 review.md", "note", "me", "", NOV),
        ("日記/2026-11-30.md", "log", "me", "", NOV),
        ("Projects/Apollo.md", "note", "me", "", ""),
    ],
)
def test_places(path: str, kind: str, audience: str, subject: str, day: str) -> None:
    """Each layout is read as it stands, and dates are midnight in the owner's zone."""
    found = place(path, TOKYO)
    when = datetime.fromisoformat(f"{day}T00:00:00+09:00") if day else None
    assert found == (kind, audience, subject, when)
    assert found.when is None or found.when.tzinfo is TOKYO


@pytest.mark.parametrize("path", ["People/x/card.md", "PEOPLE/x/note.md", "Rooms/x/log/2026-11-30.md", "Users/x/USER.md"])
def test_no_spelling_widens_an_audience(path: str) -> None:
    """On a disk that ignores letter case, another spelling of a folder has the same audience or fewer."""
    assert place(path, TOKYO).audience == place(path.lower(), TOKYO).audience
    assert place("Knowledge/a.md", TOKYO).audience == "me"


def test_generated_diaries_are_no_source() -> None:
    """OpenClaw's diary of its own dreaming is never read back as memory; other notes of that name are."""
    assert not is_source("DREAMS.md")
    assert is_source("notes/DREAMS.md")
    assert is_source("MEMORY.md")


HOMES = {
    "openclaw": {
        "AGENTS.md": "note", "SOUL.md": "note", "USER.md": "memory", "MEMORY.md": "memory", "memory/2026-11-30.md": "log",
        "memory/2026-11-29-standup.md": "log", "skills/deploy/SKILL.md": "skill",
    },
    "claude code": {"MEMORY.md": "memory", "user_role.md": "note", "feedback_testing.md": "note", "project_api.md": "note"},
    "codex": {
        "MEMORY.md": "memory", "memory_summary.md": "memory", "raw_memories.md": "memory",
        "rollout_summaries/2026-11-30T10-00-00-abcd-fix.md": "log", "skills/release/SKILL.md": "skill",
    },
    "obsidian": {
        "Daily/2026-11-30.md": "log", "Projects/Apollo.md": "note", "日記/2026-11-30.md": "log", "Templates/Meeting note.md": "note",
    },
}  # fmt: skip
BESIDE = {
    "openclaw": ("DREAMS.md", "memory/.dreams/short.md", "sessions.json"),
    "claude code": (".claude/settings.md", "notes.txt"),
    "codex": (".git/notes.md", "extensions/node_modules/x/README.md"),
    "obsidian": (".obsidian/plugins/x/README.md", ".trash/old.md", "Board.canvas", "image.png"),
}


@pytest.mark.parametrize("name", HOMES)
def test_homes_of_others_are_read_as_they_stand(tmp_path: Path, name: str) -> None:
    """Every note of a foreign home is listed and read as its kind, the owner's alone, and what is beside it is not."""
    for path in (*HOMES[name], *BESIDE[name]):
        place_ = tmp_path / path
        place_.parent.mkdir(parents=True, exist_ok=True)
        place_.write_text("# Title\n\n- a fact\n", encoding="utf-8")
    store = Store(tmp_path, zone=TOKYO)
    listed = [found.path for found in store.scan().found]
    assert listed == sorted(HOMES[name])
    documents = [store.document(path) for path in listed]
    assert {document.path: document.kind for document in documents if isinstance(document, Document)} == HOMES[name]
    assert {document.audience for document in documents if isinstance(document, Document)} == {"me"}
