"""Links of the documentation live, and its two languages say the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from parts.pages import PAGES, anchors, name_of, outside_code
from parts.source import ROOT

_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_relative_link_lives(page: Path) -> None:
    """What a page links to is there, file and heading."""
    dead = []
    for target in _LINK.findall(outside_code(page)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        if not there.exists() or not there.is_relative_to(ROOT) or (anchor and there.suffix == ".md" and anchor not in anchors(there)):
            dead.append(target)
    assert not dead


def test_every_page_is_reached() -> None:
    """Every page below `docs/` can be reached from `docs/README.md` by its links."""
    docs = ROOT / "docs"
    reached, todo = set(), [docs / "README.md"]
    while todo:
        page = todo.pop()
        if page in reached:
            continue
        reached.add(page)
        targets = [(page.parent / target.partition("#")[0]).resolve() for target in _LINK.findall(outside_code(page))]
        todo += [target for target in targets if target.suffix == ".md" and target.is_relative_to(docs) and target.exists()]
    assert {page for page in PAGES if page.is_relative_to(docs)} <= reached


def test_both_readmes_show_the_same() -> None:
    """README.md and README.ja.md have the same code blocks (comments apart), tables and links to pages."""
    def shape(name: str) -> tuple[list[str], int, set[str]]:
        text = (ROOT / name).read_text(encoding="utf-8")
        blocks = re.findall(r"^```(?:console|python|sh)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        code = [re.sub(r" *#.*", "", block) for block in blocks]
        links = {target for target in _LINK.findall(text) if not target.startswith(("http", "README"))}
        return code, text.count("\n## "), links

    assert shape("README.md") == shape("README.ja.md")
