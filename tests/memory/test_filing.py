"""Where a fact goes, why, and how a message is taken apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.memory.filing import field_of, may_be_card, pieces, place_of


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("Prefers short replies", "card"), ("Prefers short films", "drawer"), ("Wants to be called Jo", "card"), ("Coeliac", "card"),
        ("敬語は使わないでほしい", "card"), ("佐藤と呼んでほしい", "card"), ("小麦は食べられない", "card"), ("请叫我小陈", "card"), ("对虾过敏", "card"),
        ("반말로 이야기해 주세요", "card"), ("복숭아 알레르기", "card"), ("Daughter is allergic to milk", "drawer"), ("娘は卵アレルギー", "drawer"),
        ("Not allergic to cats after all", "drawer"), ("Plays the oboe", "drawer"), ("カメラが趣味", "drawer"), ("", "drawer"),
    ],
)  # fmt: skip
def test_the_card_is_for_manner_and_harm(text: str, where: str) -> None:
    """How somebody wants to be talked to, and what may do harm if it is not minded; all else can be looked up."""
    assert place_of(text).where == where
    assert place_of(text).because


@pytest.mark.parametrize(("more", "why"), [({"until": "2026-12"}, "2026-12"), ({"claim": True}, "not confirmed"), ({"secret": True}, "secret")])
def test_what_ends_is_claimed_or_secret_is_not_before_the_eyes(more: dict[str, str], why: str) -> None:
    """Whatever it says."""
    found = place_of("No emoji", **more)  # type: ignore[arg-type]
    assert found.where == "drawer"
    assert why in found.because


@pytest.mark.parametrize(
    ("message", "parts"),
    [
        ("Hello! I like tea. Do you? I hate coffee; my desk is 12.", ["I like tea.", "I hate coffee", "my desk is 12."]),
        ("* one apple\n* two pears", ["one apple", "two pears"]),
        ("こんにちは。紅茶が好きです。あなたは?珈琲は苦手；席は12番。", ["紅茶が好きです。", "珈琲は苦手", "席は12番。"]),
        ("ありがとうございます！", []), ("...", []), ("", []),
    ],
)  # fmt: skip
def test_a_message_is_taken_apart(message: str, parts: list[str]) -> None:
    """Into what it states; greetings, thanks and questions are no facts."""
    assert pieces(message) == parts


@given(st.text(max_size=200))
def test_any_message_can_be_taken_apart(message: str) -> None:
    """Nothing raises, and each piece stands in the message."""
    assert all(part and part in message for part in pieces(message))
    assert place_of(message).where in ("card", "drawer")


@pytest.mark.parametrize(
    ("text", "field"),
    [("Lives in Leeds", "address"), ("転職した", "employment"), ("Her mother lives in Leeds", ""), ("Lives in Leeds, works at the zoo", ""), ("Likes tea", "")],
)
def test_the_field_that_words_speak_of(text: str, field: str) -> None:
    """One of those asked for, if it is one, and the person's own."""
    assert field_of(text, ("address", "employment")) == field
    assert field_of(text, ()) == ""


WORDS = st.sampled_from(["Prefers ", "short replies", "Short Replies", "call her Jo", "娘は", "卵アレルギー", "ｱﾚﾙｷﾞｰ", "allergic", " to ", "milk", "敬語", "は使わないで",
                         "呼んで", "don’t", " use emoji", "tea", "\u2028", "İ", "ﬁsh", ""])  # fmt: skip


@given(st.lists(st.lists(WORDS, max_size=5).map("".join) | st.text(st.characters(exclude_characters="\n\r"), max_size=20), max_size=6))
def test_the_look_at_many_passes_over_nothing(texts: list[str]) -> None:
    """Whatever a look at all texts at once passes over belongs into the drawer, each text by itself."""
    front = may_be_card(texts)
    assert front <= set(range(len(texts)))
    assert all(place_of(text).where == "drawer" for number, text in enumerate(texts) if number not in front)
