"""The house stays small: budgets for files, functions, parameters and verbs."""

from __future__ import annotations

import ast
from pathlib import Path
from statistics import median

import pytest

from parts.source import Function, functions, modules, name_of, tree_of, without_docstring

FILE_LINES = 400
API_LINES = 300
TYPES_LINES = 250
FUNCTION_LINES = 50
MEDIAN_LINES = 12
PARAMETERS = 7
VERB_LINES = 15

MORE_PARAMETERS = {
    # the one question everybody asks: each is a keyword that a caller may leave out, and a bag of them
    # would only move the list into a type that every caller must import
    ("api/omoide.py", "Omoide.search"): 11,
    ("api/collection.py", "Collection.search"): 10,
}


def _lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def _budget(path: Path) -> int:
    return TYPES_LINES if name_of(path) == "types.py" else API_LINES if name_of(path).startswith("api/") else FILE_LINES


def _length(node: ast.AST) -> int:
    return int(getattr(node, "end_lineno", 0)) - int(getattr(node, "lineno", 0)) + 1


def _parameters(node: Function) -> int:
    arguments = node.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    own = bool(named) and named[0].arg in ("self", "cls")
    return len(named) - own


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_files_are_short(path: Path) -> None:
    """A file has at most 400 lines, one of `api` 300, `types.py` 250."""
    assert _lines(path) <= _budget(path)


def test_functions_are_short() -> None:
    """No function is longer than 50 lines, and half of them have at most 12."""
    lengths = {(name_of(path), name): _length(node) for path in modules() for name, node in functions(path)}
    assert not {where: length for where, length in lengths.items() if length > FUNCTION_LINES}
    assert median(lengths.values()) <= MEDIAN_LINES


def test_functions_take_few_parameters() -> None:
    """No function takes more than 7 parameters besides self, but for the searches, which are listed with their number."""
    counted = {(name_of(path), name): _parameters(node) for path in modules() for name, node in functions(path)}
    assert {where: count for where, count in counted.items() if count > PARAMETERS} == MORE_PARAMETERS


def test_more_parameters_are_keywords() -> None:
    """Where a function takes more than 7 parameters, all but the first are keyword-only with a default."""
    for path in modules():
        for name, node in functions(path):
            if (name_of(path), name) in MORE_PARAMETERS:
                assert len(node.args.args) == 2, name  # self and the text
                assert all(default is not None for default in node.args.kw_defaults), name


def test_verbs_are_short() -> None:
    """A verb of `Omoide` says what it does in at most 15 lines; the work is in the rooms below."""
    path = next(path for path in modules() if name_of(path) == "api/omoide.py")
    home = next(node for node in tree_of(path).body if isinstance(node, ast.ClassDef) and node.name == "Omoide")
    long = {}
    for node in home.body:
        if isinstance(node, ast.FunctionDef):
            body = without_docstring(node)
            lines = int(body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0
            if lines > VERB_LINES:
                long[node.name] = lines
    assert not long
