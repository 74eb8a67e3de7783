"""The Markdown pages of the project, read for tests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from parts.source import ROOT

_OTHER = {"examples/home", "tests"}
"""Folders whose Markdown is data."""


def _pages() -> list[Path]:
    found = [*ROOT.glob("*.md"), *(page for top in ("docs", "evals", "benchmarks", "examples") for page in (ROOT / top).rglob("*.md"))]
    return sorted(page for page in found if not any(page.is_relative_to(ROOT / other) for other in _OTHER))


PAGES = _pages()


def name_of(page: Path) -> str:
    """The path as people write it."""
    return page.relative_to(ROOT).as_posix()


class Block(NamedTuple):
    """A fenced block: its language, the line its fence stands on, its text, and why it is not run ("": it is)."""

    language: str
    line: int
    text: str
    not_run: str = ""


_FENCE = re.compile(r"(`{3,})(\w*)\s*$")
_MARK = re.compile(r"<!-- not run: (.+) -->")


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page. A mark on the last line with text before a fence belongs to it."""
    lines = page.read_text(encoding="utf-8").splitlines()
    at, said = 0, ""
    while at < len(lines):
        opened = _FENCE.match(lines[at])
        if not opened:
            said = lines[at] if lines[at].strip() else said
            at += 1
            continue
        end = next(here for here in range(at + 1, len(lines)) if lines[here].strip() == opened[1])
        mark = _MARK.fullmatch(said.strip())
        yield Block(opened[2], at + 1, "\n".join(lines[at + 1 : end]) + "\n", mark[1] if mark else "")
        at, said = end + 1, ""


def outside_code(page: Path) -> str:
    """The text of a page without fenced blocks and code spans."""
    text = re.sub(r"^(`{3,}).*?^\1\s*$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", "`code`", text)


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as hosts of Git repositories make them."""
    titles = re.findall(r"^#+\s+(.+?)\s*$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.replace("`", "").lower()).replace(" ", "-") for title in titles}


def section(page: Path, title: str) -> str:
    """The text below a heading, down to the next of its level or higher."""
    text = page.read_text(encoding="utf-8")
    found = re.search(rf"^(#+) {re.escape(title)}\s*$", text, re.MULTILINE)
    assert found, f"{name_of(page)} has no section {title!r}"
    rest = text[found.end() :]
    end = re.search(rf"^#{{1,{len(found[1])}}} ", rest, re.MULTILINE)
    return rest[: end.start()] if end else rest


def first_cells(table: str) -> list[str]:
    """The code spans of the first column of the tables in a text, in order."""
    return [found[1] for line in table.splitlines() if (found := re.match(r"\|\s*`([^`]+)`", line))]
