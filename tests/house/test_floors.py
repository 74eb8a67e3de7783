"""Imports go down the stairs only, and rooms on one floor do not know each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from parts.source import imports, modules, name_of, room_of

FLOORS = {
    "types": 0, "errors": 0, "settings": 0,
    "text": 1,
    "people": 2, "privacy": 2, "prompts": 2,
    "store": 3, "index": 3, "models": 3,
    "search": 4,
    "memory": 5, "knowledge": 5, "answer": 5,
    "api": 6,
    "serve": 7, "integrations": 7, "evaluate": 7,
    "serve/cli": 8, "testing": 8, "__init__": 8,
}  # fmt: skip

DOORS = {"serve", "serve/cli", "integrations", "evaluate"}
HALLWAY = {"api", "types", "errors", "settings", "__init__"}
"""What a door may import besides its own room."""

SUB_COMMANDS = {"serve/cli/evaluating.py": {"evaluate"}}
"""Files of the command line that may also import another door. Each is loaded only by its own command."""


def _room(module: str) -> str:
    path = module.split(".")[1:]
    if not path:
        return "__init__"
    if path[:2] == ["serve", "cli"]:
        return "serve/cli"
    return path[0] if path[0] in FLOORS else "__init__"  # `from omoide import Omoide`


def _rooms_used(path: Path) -> set[tuple[int, str]]:
    # `from omoide.api import care` reads as the room api twice; `from omoide import __version__` as the package
    return {(line, _room(name)) for line, name in imports(path)}


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_every_import_points_down(path: Path) -> None:
    """A file imports its own room or rooms on lower floors, at whatever depth of the code the import stands."""
    own = room_of(path)
    if own in ("__init__", "testing"):
        return
    wrong = []
    for line, room in _rooms_used(path):
        if own in DOORS:
            allowed = room == own or room in HALLWAY or room in SUB_COMMANDS.get(name_of(path), ())
        else:
            nouns = FLOORS[own] == 0 == FLOORS[room]  # three files, one room: settings raise errors
            allowed = room == own or nouns or (FLOORS[room] < FLOORS[own] and room != "__init__")
        if not allowed:
            wrong.append(f"line {line}: {own} imports {room}")
    assert not wrong, f"{name_of(path)}: {wrong}"


def test_only_api_wires_models() -> None:
    """Makers of models are chosen in `api` and nowhere else: everybody below takes the protocol."""
    users = {name_of(path) for path in modules() for _, room in _rooms_used(path) if room == "models"}
    assert {name.split("/")[0] for name in users} <= {"api", "models", "testing.py"}


def test_sub_commands_are_loaded_late() -> None:
    """No file of the command line imports a file that brings another door along."""
    late = {f"omoide.{name.removesuffix('.py').replace('/', '.')}" for name in SUB_COMMANDS}
    early = [name_of(path) for path in modules() for _, name in imports(path) if name in late]
    assert not early


def test_every_room_has_a_floor() -> None:
    """A new folder or top file is put on a floor before it is used."""
    assert {room_of(path) for path in modules()} <= set(FLOORS)
