"""What looks alike, and what does not."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.text.alike import look, unlike


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Marc", "Маrc"), ("Вob", "Bob"), ("admin", "аdmin"), ("Bob", "B0b"), ("Alice", "A1ice"), ("Alice", "AIice"), ("modern", "rnodern"),
        ("Zoe", "Zoë"), ("Jean-Luc", "Jean–Luc"), ("Anna", "An\u200bna"), ("ＫＥＮ", "KEN"),
        ("佐藤", "佐籐"), ("高橋", "髙橋"), ("斉藤", "斎藤"), ("斉藤", "齋藤"), ("渡辺", "渡邊"), ("渡辺", "渡邉"), ("山崎", "山﨑"), ("張偉", "张伟"), ("辻", "辻\U000e0100"),
        ("ひろし", "ヒロシ"), ("ヒロシ", "ﾋﾛｼ"), ("ユーキ", "ユ一キ"), ("ユーキ", "ユ―キ"), ("キヤノン", "キャノン"), ("カ", "力"), ("がく", "か\u3099く"),
    ],
)  # fmt: skip
def test_these_look_alike(one: str, other: str) -> None:
    """Letters of two scripts, digits among letters, forms of one kanji, kana, width, dashes and invisible letters."""
    assert look(one) == look(other)


@pytest.mark.parametrize(
    ("one", "other"), [("Mike", "Mika"), ("田中", "由中"), ("佐藤", "佐々木"), ("たなか", "田中"), ("か", "が"), ("가", "나"), ("王", "玉"), ("Jon", "John")]
)
def test_these_do_not(one: str, other: str) -> None:
    """Names that are read as different ones, whatever they sound like."""
    assert look(one) != look(other)


@given(st.text(max_size=20))
def test_any_text_has_a_look(text: str) -> None:
    """Any string is taken, and its normal forms look like it."""
    assert look(unicodedata.normalize("NFD", text)) == look(unicodedata.normalize("NFC", text))


def test_the_letters_that_differ_are_named() -> None:
    """The warning shows which letters the eye cannot tell apart."""
    assert unlike("Marc", "Маrc") == "М U+041C, а U+0430"
    assert unlike("Ken", "Ken") == ""
