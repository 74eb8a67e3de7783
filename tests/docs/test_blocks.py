"""Documentation is executed: every command and every piece of Python in it runs, and prints what is shown.

The blocks of a page run one after the other in a folder that holds a copy of `examples/home`, as if it
were a checkout. A shown answer must be the real one; `…` in it stands for anything, on a line of its
own for any lines.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from parts.pages import PAGES, Block, blocks, name_of
from parts.source import ROOT

EXECUTED = [page for page in PAGES if page.parent == ROOT or page.is_relative_to(ROOT / "docs")]
COMMANDS = {"console", "sh", "bash", "shell"}
KNOWN = COMMANDS | {"python", "text", "markdown", "toml", "json", "jsonl"}
NEVER_RUN = re.compile(r"\s*(?:\$ )?(?:python3? -m (?:pip|venv)|pip install|make|git clone|cd|\.?\S*/bin/(?:pip|python)|export|ollama)\b.*")
"""What a block that is not run may hold: installing, and what installs."""


@pytest.fixture(scope="session")
def machine(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a newcomer: no settings, an empty cache."""
    place = tmp_path_factory.mktemp("machine")
    out = {key: value for key, value in os.environ.items() if not key.startswith("OMOIDE_") and key != "XDG_CACHE_HOME"}
    return out | {
        "HOME": str(place), "XDG_CACHE_HOME": str(place / "cache"), "PYTHONPATH": str(ROOT / "src"), "PYTHONIOENCODING": "utf-8",
        "TZ": "Asia/Tokyo",
    }  # fmt: skip


def _run(arguments: list[str], place: Path, machine: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], cwd=place, env=machine, capture_output=True, text=True, encoding="utf-8", timeout=300, check=False
    )


def _python(block: Block, place: Path, machine: dict[str, str]) -> None:
    done = _run(["-c", block.text], place, machine)
    assert not done.returncode, f"line {block.line}:\n{done.stderr}"


def _console(block: Block, place: Path, machine: dict[str, str]) -> None:
    for command, shown in _commands(block):
        words = shlex.split(command)
        assert words[0] == "omoide", f"line {block.line}: only omoide is run, not {command!r}; mark the block as not run, with the reason"
        done = _run(["-m", "omoide.serve.cli.main", *words[1:]], place, machine)
        assert not done.returncode, f"line {block.line}: {command}\n{done.stdout}{done.stderr}"
        if shown:
            assert _same(shown, done.stdout), f"line {block.line}: {command} prints\n{done.stdout}and the page shows\n" + "\n".join(shown)


def _commands(block: Block) -> list[tuple[str, list[str]]]:
    """The commands of a block, each with what the page shows as its answer."""
    if block.language != "console":
        return [(line, []) for line in block.text.splitlines() if line.strip() and not line.startswith("#")]
    out: list[tuple[str, list[str]]] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            out.append((line.removeprefix("$ "), []))
        elif line.strip() or out:
            assert out, f"line {block.line}: a console block begins with `$ `"
            out[-1][1].append(line)
    return [(command, shown[: len(shown) - (not shown[-1].strip())] if shown else []) for command, shown in out]


def _same(shown: list[str], printed: str) -> bool:
    parts = [r"(?:.*\n)*" if line == "…" else "[^\n]*".join(map(re.escape, line.split("…"))) + "[ ]*\n" for line in shown]
    return re.fullmatch("".join(parts), printed) is not None


@pytest.mark.parametrize("page", EXECUTED, ids=name_of)
def test_every_block_runs(page: Path, tmp_path: Path, machine: dict[str, str]) -> None:
    """The blocks of a page run from the first to the last, end with exit code 0 and print what the page shows."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    for block in blocks(page):
        if block.not_run:
            continue
        if block.language == "python":
            _python(block, tmp_path, machine)
        elif block.language in COMMANDS:
            _console(block, tmp_path, machine)


@pytest.mark.parametrize("page", EXECUTED, ids=name_of)
def test_what_is_not_run_only_installs(page: Path) -> None:
    """A block may be left out only with a reason, and only if it installs or builds something."""
    for block in blocks(page):
        assert block.language in KNOWN, f"line {block.line}: say what language the block is"
        if block.not_run:
            wrong = [line for line in block.text.splitlines() if line.strip() and not NEVER_RUN.fullmatch(line)]
            assert not wrong, f"line {block.line}"


def test_a_shown_answer_must_be_the_real_one() -> None:
    """A page that shows another answer than the real one fails; `…` stands for the rest of a line or for lines."""
    printed = "0.716  memory/a.md:7  text\n   0.795  lexical\n   last\n"
    assert _same(["0.716  memory/a.md:7  …", "…", "   last"], printed)
    assert not _same(["0.717  memory/a.md:7  …", "…"], printed)
    assert not _same(["0.716  memory/a.md:7  text"], printed)
