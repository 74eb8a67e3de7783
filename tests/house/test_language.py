"""Language lives in one room: only `text/` knows Japanese from English."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from parts.source import docstrings, modules, name_of, tree_of

# Han, kana, Hangul, full-width forms
CJK = re.compile("[\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003ffff]")
ESCAPED = re.compile(r"\\u(?:11|2[eEfF]|[3-9]|[aA][9cCdD]|[bB]|[cC]|[dD][0-7]|[fF][9aAfF])[0-9a-fA-F]{2,3}|\\U0002")
"""The same as an escape that the regular expression reads, not Python."""

ALLOWED = {
    "serve/cli/find.py": {"auth.ts の認証設定"},  # the question of the demo
}


def _strings(path: Path) -> list[ast.Constant]:
    told = docstrings(path)
    return [
        node for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes) and id(node) not in told
    ]  # fmt: skip


@pytest.mark.parametrize("path", [path for path in modules() if not name_of(path).startswith("text/")], ids=name_of)
def test_no_room_but_text_knows_a_script(path: Path) -> None:
    """Outside `text/` no string holds a CJK character or a range of them; docstrings, comments and data files are free."""
    found = set()
    for node in _strings(path):
        value = node.value if isinstance(node.value, str) else node.value.decode("utf-8", "replace")
        if CJK.search(value) or ESCAPED.search(value):
            found.add(value)
    assert found == ALLOWED.get(name_of(path), set())


SCRIPTS = re.compile(r"\b(?:HIRAGANA|KATAKANA|HANGUL|CJK|KANJI|THAI)\b", re.IGNORECASE)
NAMED_SCRIPTS = {
    # telling cp932 from euc-jp needs kana, and bytes become letters in the store
    "store/markdown.py": {"HIRAGANA", "KATAKANA"},
}


@pytest.mark.parametrize("path", [path for path in modules() if not name_of(path).startswith("text/")], ids=name_of)
def test_no_room_but_text_names_a_script(path: Path) -> None:
    """Outside `text/` no string names a script to ask for its letters, but for the decoder of old encodings."""
    found = {node.value for node in _strings(path) if isinstance(node.value, str) and SCRIPTS.search(node.value)}
    assert found == NAMED_SCRIPTS.get(name_of(path), set())
