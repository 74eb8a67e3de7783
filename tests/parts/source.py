"""The source of the project as trees, for tests that measure the house itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "omoide"

Function = ast.FunctionDef | ast.AsyncFunctionDef


def modules() -> list[Path]:
    """Every Python file of the package, sorted."""
    return sorted(PACKAGE.rglob("*.py"))


def name_of(path: Path) -> str:
    """`search/mmr.py`: a file as people name it."""
    return path.relative_to(PACKAGE).as_posix()


def room_of(path: Path) -> str:
    """`search`, `serve/cli` for the command line, or the file's own name at the top."""
    parts = path.relative_to(PACKAGE).parts
    return "serve/cli" if parts[:2] == ("serve", "cli") else parts[0].removesuffix(".py")


@cache
def tree_of(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def functions(path: Path) -> Iterator[tuple[str, Function]]:
    """Every function of a file with its name and class, nested ones too."""

    def walk(node: ast.AST, above: str) -> Iterator[tuple[str, Function]]:
        for child in ast.iter_child_nodes(node):
            named = isinstance(child, Function | ast.ClassDef)
            name = f"{above}{child.name}" if isinstance(child, Function | ast.ClassDef) else above
            if isinstance(child, Function):
                yield name, child
            yield from walk(child, f"{name}." if named else above)

    yield from walk(tree_of(path), "")


def without_docstring(node: Function | ast.ClassDef | ast.Module) -> list[ast.stmt]:
    """The statements of a body but its docstring."""
    first = node.body[0] if node.body else None
    told = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    return node.body[1:] if told else node.body


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """(line, module) of every import of the project's own modules, wherever it stands, type checking included."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{name_of(path)}:{node.lineno} imports relatively; write the whole name"
            # `from omoide.store import files` may name a module: both readings are given
            names = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        yield from ((node.lineno, name) for name in names if name.split(".")[0] == "omoide")


def docstrings(path: Path) -> set[int]:
    """`id`s of the constants that are docstrings, also those below a name (`X = 1` and a text after it)."""
    out = set()
    for node in ast.walk(tree_of(path)):
        for statement in getattr(node, "body", []) if not isinstance(node, ast.Lambda | ast.IfExp) else []:
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                out.add(id(statement.value))
    return out
