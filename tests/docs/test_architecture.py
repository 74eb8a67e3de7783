"""The page about the architecture equals the folders."""

from __future__ import annotations

import re

from parts.pages import section
from parts.source import PACKAGE, ROOT, modules, room_of

PAGE = ROOT / "ARCHITECTURE.md"


def _rooms() -> set[str]:
    return {path.parent.relative_to(PACKAGE).parts[0] for path in modules() if path.parent != PACKAGE}


def test_the_rooms_of_the_page_are_the_folders() -> None:
    """Each room has one row with a sentence and what it must never do; no room stands there that is not built."""
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \| (.+?) \|$", section(PAGE, "Rooms"), re.MULTILINE)
    assert {name for name, _, _ in rows} == _rooms()
    assert all(len(sentence) > 20 and len(never) > 5 for _, sentence, never in rows)


def test_the_files_of_each_room_are_named() -> None:
    """The tree on the page names every file of the package."""
    tree = section(PAGE, "Files")
    missing = [path.relative_to(PACKAGE).as_posix() for path in modules() if path.name != "__init__.py" and path.stem not in tree]
    assert not missing


def test_the_floors_of_the_page_are_those_of_the_test() -> None:
    """The stairs drawn on the page have the rooms of the test on the same floors."""
    drawn = dict(re.findall(r"^ ?(\d)  (.+?)(?:  .*)?$", section(PAGE, "Floors"), re.MULTILINE))
    from house.test_floors import FLOORS

    for room in {room_of(path) for path in modules()} - {"__init__", "testing"}:
        assert room in re.split(r"[ ·,]+", drawn[str(FLOORS[room])]), room
