"""Sentences and safe cuts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.text.sentences import fit, graphemes, sentences
from omoide.text.tokens import estimate_tokens

ANY = st.text(st.characters(), max_size=120)
PROSE = st.text(st.sampled_from("ab A.!? \n。！？」』(日本語ー🌸\u200d👩\ufe0f\u0301が\u3099"), max_size=80)


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("今日は雨。明日は晴れ！本当？はい", ["今日は雨。", "明日は晴れ！", "本当？", "はい"]),
        ("「行く。」と言った。", ["「行く。」", "と言った。"]),
        ("It works. Really? Yes! Done", ["It works. ", "Really? ", "Yes! ", "Done"]),
        ("version 3.14 of auth.ts is out", ["version 3.14 of auth.ts is out"]),
        ("one\n\ntwo", ["one\n\n", "two"]),
        ("", []),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, want: list[str]) -> None:
    """A stop with its closing bracket ends a sentence, a dot inside a number or a file name does not."""
    assert sentences(text) == want


@given(ANY | PROSE)
def test_joined_sentences_are_the_text(text: str) -> None:
    """No character is lost or moved, and no sentence is empty."""
    assert "".join(sentences(text)) == text
    assert all(sentences(text))


@given(ANY | PROSE)
def test_joined_graphemes_are_the_text(text: str) -> None:
    """No character is lost or moved, and no grapheme is empty."""
    assert "".join(graphemes(text)) == text
    assert all(graphemes(text))


@pytest.mark.parametrize("whole", ["👩‍👩‍👧‍👦", "👍🏽", "🇯🇵", "か\u3099", "e\u0301\u0327", "ｶﾞ", "🏴\U000e0067\U000e0062\U000e007f", "❤\ufe0f", "\r\n", "กำ"[0:1] + "\u0e34"])
def test_what_a_reader_sees_as_one_is_one(whole: str) -> None:
    """An emoji with its joiners, a letter with its marks and CR LF are never taken apart."""
    assert list(graphemes(f"x{whole}y")) == ["x", whole, "y"]


@given(ANY | PROSE, st.integers(8, 40))
def test_pieces_fit_and_join_to_the_text(text: str, limit: int) -> None:
    """Pieces are the text again, and none is over the limit unless it is a single grapheme."""
    pieces = fit(text, limit)
    assert "".join(pieces) == text
    assert all(estimate_tokens(piece) <= limit or len(list(graphemes(piece))) == 1 for piece in pieces)


def test_a_cut_is_at_sentences_where_possible() -> None:
    """A text of short sentences is cut between them."""
    text = "今日は雨が降った。" * 20
    assert all(piece.endswith("。") for piece in fit(text, 30))


def test_an_absurd_grapheme_is_cut() -> None:
    """A letter with thousands of marks does not break the limit."""
    text = "a" + "\u0301" * 5000
    assert "".join(fit(text, 50)) == text
    assert all(estimate_tokens(piece) <= 50 for piece in fit(text, 50))
