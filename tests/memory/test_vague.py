"""Entries that will be hard to find again."""

from __future__ import annotations

import pytest

from omoide.memory.vague import hint, names_nothing


@pytest.mark.parametrize("text", ["fixed bug", "Fixed a bug.", "バグを修正した", "対応しました", "会議", "done", "いろいろ作業", "問題を解決した", "トラブル対応", "updated docs", "made some progress", "今日は色々やった", "Had a meeting and discussed stuff"])
def test_words_that_tell_nothing(text: str) -> None:
    """Only words that stand in any entry."""
    assert names_nothing(text)


@pytest.mark.parametrize("text", ["fixed the login redirect", "auth.ts を修正", "田中さんと会議", "3件対応", "A社と打ち合わせ", "TB-126 fixed", "薬を飲んだ"])
def test_words_that_name_something(text: str) -> None:
    """One thing, person, place or number is enough."""
    assert not names_nothing(text)


def test_the_hint_speaks_the_language_of_the_entry() -> None:
    """Japanese for Japanese, English for the rest, nothing for what names something."""
    assert hint("バグを修正した").startswith("あとで探しにくい") and hint("fixed bug").startswith("This will be hard")
    assert hint("fixed the login redirect") == ""
