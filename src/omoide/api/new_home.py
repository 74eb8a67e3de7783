"""A new home: the folders and files a person begins with."""

from __future__ import annotations

from pathlib import Path

from omoide.store.files import make_missing

FILES = {
    "omoide.toml": '# Settings of this home. All of them, with their defaults: omoide config\n[home]\n# zone = "Asia/Tokyo"\n',
    "MEMORY.md": "# MEMORY\n\n## Who I am\n\n- This file holds what is always kept in mind: one fact a line.\n",
}
FOLDERS = ("memory", "people", "projects", "rooms", "knowledge", "agent/skills", "agent/memories")


def make_home(folder: Path) -> list[str]:
    """Make what is missing; nothing that exists is touched. Gives the paths made. Raises `StoreFailed`."""
    return make_missing(folder, FOLDERS, FILES)
