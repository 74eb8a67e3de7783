"""The form of a word for recall: one for all spellings, never a piece."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.text.wording import asked_form, word_form, words_of


@pytest.mark.parametrize(
    ("one", "other"),
    [("ﾊﾞｯｸｱｯﾌﾟ", "バックアップ"), ("サーバー", "サーバ"), ("コンピューター", "コンピュータ"), ("リンゴ", "りんご"), ("ＡＢＣ", "abc"), ("Café", "cafe"),
     ("が", "が"), ("ソフト―ウェア", "ソフトーウェア"), ("髙橋", "高橋")],
)  # fmt: skip
def test_spellings_are_one(one: str, other: str) -> None:
    """Width, case, kana, composition and a final long vowel mark make no other word."""
    assert asked_form(one) == asked_form(other)


@pytest.mark.parametrize(("one", "other"), [("ビール", "ビル"), ("か", "が"), ("キー", "キ"), ("art", "arts"), ("薬", "葯")])
def test_other_words_stay_others(one: str, other: str) -> None:
    """A long vowel inside a word, a voiced sound and an ending are letters."""
    assert word_form(one) != word_form(other)


@given(st.text())
def test_it_is_idempotent(text: str) -> None:
    """The form of a form is itself."""
    assert word_form(word_form(text)) == word_form(text)


def test_words_that_were_typed() -> None:
    """White space of any width parts words; each counts once; what has no letter is none."""
    assert words_of(["スケッチ　保存", "ｽｹｯﾁ", "!?", "R2"]) == ["スケッチ", "保存", "R2"]


@pytest.mark.parametrize(("one", "other"), [("ヴァイオリン", "バイオリン"), ("ウィンドウ", "ウインドウ"), ("ヴェネツィア", "ベネツイア"), ("ゔ", "ブ"), ("ファイル", "フアイル")])
def test_kana_variants(one: str, other: str) -> None:
    """Two ways to write one sound are one word; a long vowel mark inside is not."""
    assert word_form(one) == word_form(other)
    assert word_form("ビール") != word_form("ビル")


@pytest.mark.parametrize(("typed", "words"), [
    ("スケッチ、保存、決定", ["スケッチ", "保存", "決定"]), ("スケッチ・保存", ["スケッチ", "保存"]), ("sketch,save, decision", ["sketch", "save", "decision"]),
    ("「スケッチ」 保存。", ["スケッチ", "保存"]), ('"window seat"', ["window", "seat"]), ("seat, 'door'?", ["seat", "door"]),
    ("1,182 yen", ["1,182", "yen"]), ("@scope/pkg .env #12 C++ C# -1", ["@scope/pkg", ".env", "#12", "C++", "C#", "-1"]),
    ("v2.6.0. src/a/b.py: (TB-121)", ["v2.6.0", "src/a/b.py", "TB-121"]), ("(a)(b)", ["a)(b"]), ("🎉 ± 、", ["🎉", "±"]), ("１２，０００円", ["１２", "０００円"]),
])
def test_how_words_are_typed(typed: str, words: list[str]) -> None:
    """Commas, middle dots and white space part words, quotes and full stops around one are none of it."""
    assert words_of([typed]) == words
