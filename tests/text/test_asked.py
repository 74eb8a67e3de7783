"""The words of a query: whole words, not the pieces they are found by."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.text.asked import asked
from omoide.text.tokenize import terms


def held(query: str, text: str) -> int:
    """How many words of the query the text holds."""
    here = set(terms(text))
    return sum(any(len(here & set(way.terms)) >= way.need for way in word.ways) for word in asked(query))


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("サーバー", "サーバを止めた"),
        ("サーバ", "サーバーを止めた"),
        ("データベースサーバー", "サーバーを止めた"),
        ("ガラス", "がらすを割った"),
        ("冷蔵庫の修理", "修理を頼んだ"),
        ("猫の餌", "猫は元気"),
        ("もなかは元気ですか", "名前はもなか"),
        ("さけはどこ", "さけを食べた"),
        ("deploying", "we deployed it"),
        ("auth.ts", "the auth settings"),
        ("pve-01", "pve 01"),
        ("2026-04-10", "2026/04/10"),
        ("5km", "it is 5 km"),
        ("E21", "error E21"),
        ("GZipMiddleware", "a middleware"),
        ("東京の天気", "東京へ行く"),
        ("안녕", "안녕하세요"),
        ("🌸", "桜🌸"),
    ],
)
def test_a_word_is_held_in_every_form(query: str, text: str) -> None:
    """A word counts as held in another ending, spelling, inside a compound, and a code by its words or all of its parts."""
    assert held(query, text)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("ペンギン", "赤いペンを買った"),
        ("ルーター", "フィルターとモーターを替えた"),
        ("サーバー", "そばのアレルギー"),
        ("ギター", "食べすぎた"),
        ("ヘリコプター", "プリンターの紙"),
        ("水族館", "家族と旅館に泊まり、水を買った"),
        ("E21", "e, at 21:30"),
        ("21:30", "it was 21 degrees"),
        ("どこですか", "どこですか"),
        ("what is it", "what is it"),
        ("映画を見たい", "本を読みたい"),
    ],
)
def test_a_piece_is_no_word(query: str, text: str) -> None:
    """Letters, endings and numbers that two words have in common, and grammar, are no word of a query."""
    assert not held(query, text)


@given(st.text(st.characters(), max_size=60))
def test_any_text_holds_the_words_of_itself(text: str) -> None:
    """Every word of a query stands in a text that is the query."""
    assert held(text, text) == len(asked(text))
