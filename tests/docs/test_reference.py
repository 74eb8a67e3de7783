"""The reference names every command, option, setting, name, notice and error, and nothing that is gone."""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import omoide
from omoide import errors, testing
from omoide.api.tools import SCHEMAS
from omoide.serve.cli.main import _parser
from omoide.settings import Settings
from parts.pages import first_cells, section
from parts.source import PACKAGE, ROOT, modules, tree_of

REFERENCE = ROOT / "docs" / "reference"


def _sub_parsers(parser: argparse.ArgumentParser, above: str = "") -> Iterator[tuple[str, argparse.ArgumentParser]]:
    found = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not found and above:
        yield above, parser
    for action in found:
        for name, child in action.choices.items():
            yield from _sub_parsers(child, f"{above} {name}".strip())


COMMANDS = dict(_sub_parsers(_parser()))
SHARED = {"--home", "--config", "--set", "--json", "-h", "--help"}
"""Described once for all commands."""


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_described(command: str) -> None:
    """Each command has a section that names each of its arguments and options."""
    page = REFERENCE / "commands.md"
    text = section(page, f"omoide {command}")
    missing = []
    for action in COMMANDS[command]._actions:
        shared = SHARED if command not in ("init", "eval retrieval") else {"-h", "--help"}
        names = [name for name in action.option_strings if name not in shared] or ([] if action.option_strings else [action.dest])
        missing += [name for name in names if f"`{name}" not in text and f" {name.upper()}" not in text]
    assert not missing


def test_no_command_is_described_that_is_gone() -> None:
    """The sections of the page are the commands, and every option it names exists."""
    page = (REFERENCE / "commands.md").read_text(encoding="utf-8")
    assert re.findall(r"^## omoide (.+)$", page, re.MULTILINE) == list(COMMANDS)
    known = {name for parser in COMMANDS.values() for action in parser._actions for name in action.option_strings} | {"--version"}
    assert set(re.findall(r"`(--?[a-z][a-z-]*)", page)) <= known


def test_every_setting_is_described_with_its_default() -> None:
    """The settings page has one row a setting, in order, with the default of the code."""
    text = (REFERENCE / "settings.md").read_text(encoding="utf-8").partition("## Keys of OpenClaw")[0]
    rows = dict(re.findall(r"^\| `([a-z_.0-9]+)` \| (?:`([^`]*)`|—) \|", text, re.MULTILINE))
    values = {key: ", ".join(value) if isinstance(value, tuple) else value for key, value in Settings().values().items()}
    assert rows == {key: str(value).lower() if isinstance(value, bool) else str(value) for key, value in values.items()}


def test_every_openclaw_key_is_described() -> None:
    """The keys that are read from an OpenClaw configuration stand beside ours."""
    from omoide.settings import _OPENCLAW

    text = section(REFERENCE / "settings.md", "Keys of OpenClaw")
    assert dict(re.findall(r"^\| `([\w.]+)` \| `([\w.]+)` \|", text, re.MULTILINE)) == _OPENCLAW


def test_the_public_names_are_those_of_the_page() -> None:
    """The page lists what `omoide.__all__` lists, in that order."""
    assert first_cells(section(REFERENCE / "python.md", "Names")) == list(omoide.__all__)


def test_every_verb_is_described() -> None:
    """Each public method of `Omoide` and `Collection` is named on the page, and no other."""
    for shown in (omoide.Omoide, omoide.Collection):
        verbs = {name for name in vars(shown) if not name.startswith("_")}
        named = {re.split(r"\W", cell)[0] for cell in first_cells(section(REFERENCE / "python.md", shown.__name__))}
        assert named == verbs, shown.__name__


def test_every_testing_part_is_described() -> None:
    """The page names the parts of `omoide.testing`."""
    assert sorted(first_cells(section(REFERENCE / "python.md", "omoide.testing"))) == sorted(testing.__all__)


def test_every_error_is_described() -> None:
    """The page names every error that can be raised."""
    classes = {name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, errors.OmoideError)}
    assert set(first_cells(section(REFERENCE / "python.md", "Errors"))) == classes


def _codes(called: str, at: int) -> set[str]:
    """First texts that are given to a constructor in the code."""
    found = set()
    for path in modules():
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == called and len(node.args) > at:
                value = node.args[at]
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    found.add(value.value)
    return found


def test_every_notice_is_described() -> None:
    """The page names every code of a notice."""
    assert set(first_cells(section(REFERENCE / "notices.md", "Notices of a search"))) == _codes("Notice", 0)


def test_every_problem_is_described() -> None:
    """The page names every code of a problem that the store knows, and those only `doctor` says."""
    told = next(node for node in tree_of(PACKAGE / "store/listing.py").body if isinstance(node, ast.ClassDef) and node.name == "Problem")
    words = re.findall(r"[a-z_]+", (ast.get_docstring(told) or "").partition("Codes of listing and opening:")[2])
    codes = {word for word in words if word not in {"odes", "of", "content"}}
    assert codes >= _codes("Problem", 1)
    care = (PACKAGE / "api/care.py").read_text(encoding="utf-8")
    said = set(re.findall(r'"what": "([a-z_]+)"', care))
    assert set(first_cells(section(REFERENCE / "notices.md", "What doctor says"))) == codes | said


@pytest.mark.parametrize("tool", SCHEMAS)
def test_every_argument_of_a_tool_is_described(tool: str) -> None:
    """Each tool has a section that names its arguments."""
    assert first_cells(section(REFERENCE / "tools.md", tool))[: len(SCHEMAS[tool]["parameters"]["properties"])] == list(
        SCHEMAS[tool]["parameters"]["properties"]
    )


def test_sections_of_settings_exist_in_examples() -> None:
    """Keys in the settings files that the project shows are legal, also those switched off by a comment."""
    from omoide.settings import read_settings

    def tried(path: Path) -> str:
        lines = path.read_text(encoding="utf-8").splitlines()
        return "\n".join(re.sub(r"^# (?=\[|\w+ = )", "", line) for line in lines)

    home = ROOT / "examples/home/omoide.toml"
    assert read_settings(tried(home), home.name).search.mmr.lambda_ == 1.0
    for page in sorted((ROOT / "docs").rglob("*.md")):
        for block in re.findall(r"^```toml\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
            read_settings(block, page.name)
