"""Names say what a thing is; a room is not empty; nobody patches; no machine shows."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

import pytest

from parts.source import PACKAGE, ROOT, functions, modules, name_of, tree_of

REFUSED = (
    "manager", "service", "engine", "handler", "processor", "helper", "util", "utils", "common", "base", "core", "impl", "v2", "misc",
)  # fmt: skip
DOORS = ("serve/", "integrations/")
BROAD = {"Exception", "BaseException"}
BORDERS = {"models/guest.py"}
"""Where code that is not ours is called: nobody knows what it raises, so all of it becomes an error of ours."""
SKIPPED = {".git", ".venv", "node_modules", "build", "dist"}
BINARY = {".png", ".jpg", ".pyc", ".gz"}


def _tracked() -> list[Path]:
    """Files of the repository: those git knows or would add; without git all that are not hidden."""
    try:
        listed = subprocess.run(
            ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
            capture_output=True, check=True, text=True,
        ).stdout  # fmt: skip
        found = [ROOT / name for name in listed.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        found = [path for path in ROOT.rglob("*") if not any(part in SKIPPED for part in path.relative_to(ROOT).parts)]
    return [path for path in found if path.is_file() and path.suffix not in BINARY]


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_no_file_has_an_empty_name(path: Path) -> None:
    """No file or folder is called by a word that says nothing about its work."""
    words = {word for part in Path(name_of(path)).parts for word in re.split(r"[_.]", part.lower())}
    assert not words & set(REFUSED)


def test_no_room_is_empty() -> None:
    """Every folder with code in it has a function or a class: rooms are built with the issue that needs them."""
    empty = []
    for folder in {path.parent for path in modules()} - {PACKAGE}:
        inside = [path for path in modules() if folder in path.parents]
        if not any(isinstance(node, ast.ClassDef | ast.FunctionDef) for path in inside for node in tree_of(path).body):
            empty.append(name_of(folder))
    assert not empty


def _imported(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    plain = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    return plain | {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}


def test_nobody_patches() -> None:
    """Neither code nor tests replace parts of a running program: `omoide.testing` has real servers and fakes."""
    files = [path for path in _tracked() if path.suffix == ".py"]
    assert not [path.name for path in files if any("mock" in name or name == "unittest" for name in _imported(path))]


def _names(node: ast.expr | None) -> set[str]:
    if node is None:
        return {"BaseException"}  # a bare `except:`
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    return {part.id for part in parts if isinstance(part, ast.Name)}


def test_only_doors_catch_everything() -> None:
    """Below the doors an `except` names its errors, or undoes something and raises the same error again."""
    wrong = []
    for path in modules():
        if name_of(path).startswith(DOORS) or name_of(path) in BORDERS:
            continue
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.ExceptHandler) and _names(node.type) & BROAD:
                last = node.body[-1]
                if not (isinstance(last, ast.Raise) and last.exc is None):
                    wrong.append(f"{name_of(path)}:{node.lineno}")
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "suppress":
                wrong += [f"{name_of(path)}:{node.lineno}" for arg in node.args if _names(arg) & BROAD]
    assert not wrong


def test_public_things_are_described() -> None:
    """Every module with code, and every public class and function of it, has a docstring."""
    bare = []
    for path in modules():
        tree = tree_of(path)
        if tree.body and not ast.get_docstring(tree):
            bare.append(name_of(path))
        for name, node in functions(path):
            inner = any(part.startswith("_") for part in name.split("."))
            if not inner and "." not in name and not ast.get_docstring(node) and not name_of(path).startswith("serve/"):
                bare.append(f"{name_of(path)}: {name}")
    assert not bare


def test_tests_say_what_must_be_true() -> None:
    """Every test has a docstring."""
    bare = []
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_") and not ast.get_docstring(node):
                bare.append(f"{path.relative_to(ROOT)}: {node.name}")
    assert not bare


def test_no_machine_shows() -> None:
    """No file of the repository names a folder of the machine it was written on."""
    words = ["/" + name + "/" for name in ("work", "root")]
    shown = []
    for path in _tracked():
        text = path.read_bytes().decode("utf-8", "replace")
        # a folder at the root of a disk: not the middle of a longer path or address
        shown += [f"{path.relative_to(ROOT)}: {word}" for word in words if re.search(rf"(?<![\w.~}}-]){re.escape(word)}", text)]
    assert not shown
