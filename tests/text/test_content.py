"""What a note is about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.text.content import clauses, content, loanwords, numbers, without_numbers


@pytest.mark.parametrize(
    ("text", "topic", "thing"),
    [("席は窓ぎわ", "席", ""), ("Locker: 12", "locker", ""), ("The knee is healed", "the knee", ""), ("車を手放した", "", "車"),
     ("회의는 세 시", "회의", ""), ("儿子转到二班", "儿子", ""), ("At 9:15", "", ""), ("Budget is 2,400", "budget", "")],
)  # fmt: skip
def test_topic_of_a_clause(text: str, topic: str, thing: str) -> None:
    """A colon or comma within a number is no border."""
    assert [(one.topic, one.object) for one in clauses(text)] == [(topic, thing)]


def test_words_say_more_than_endings() -> None:
    """A katakana word counts whole, a Korean word without its particle, English function words not at all."""
    assert content("ナプキンを変えました")["ナプキン"] == 1.0
    assert content("수영을 그만뒀다")["수영"] == 1.0
    assert "the" not in content("the new locker")
    assert content("the new locker")["locker"] == 1.0


def test_numbers() -> None:
    """Digits, numerals before a counter, sizes."""
    assert numbers("三匹と2,400円") == {"三", "2,400"}
    assert numbers("size xl, 9:15") == {"xl", "9:15"}
    assert without_numbers("room 12").strip() == "room"


@pytest.mark.parametrize(("kana", "latin"), [("ピアノ", "piano"), ("チェロ", "cello"), ("カメラ", "camera"), ("タクシー", "taxi"), ("アレルギー", "allergy")])
def test_a_borrowed_word_in_two_scripts(kana: str, latin: str) -> None:
    """Their consonants agree."""
    assert loanwords(kana) & loanwords(latin)


@given(st.text(max_size=200))
def test_any_text_is_legal(text: str) -> None:
    """Weights stay between 0 and 1."""
    assert all(0 < weight <= 1 for weight in content(text).values())
    assert all(one.topic or one.object or one.rest for one in clauses(text))
    loanwords(text)
