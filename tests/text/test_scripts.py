"""Scripts, as far as search must know them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.text.scripts import spaced_share, word_evidence, yields_to_meaning


@pytest.mark.parametrize(("text", "share"), [("plain words", 1.0), ("日本語だけ", 0.0), ("", 1.0), ("…", 1.0), ("auth 日本", 0.5)])
def test_the_share_of_spaced_words(text: str, share: float) -> None:
    """Two letters without spaces weigh as much as one word; no letters at all is 1."""
    assert spaced_share(text) == share


@given(st.text(st.characters(), max_size=60))
def test_the_share_is_a_share(text: str) -> None:
    """Any string has a share between 0 and 1."""
    assert 0 <= spaced_share(text) <= 1


def test_words_of_another_script_say_less() -> None:
    """An English question counts words of a Japanese text less; one Japanese letter in it and all count."""
    assert yields_to_meaning("fix auth bug")
    assert not yields_to_meaning("auth の設定")
    assert [word_evidence(share) for share in (0.0, 0.5, 1.0)] == [0.0, 0.125, 1.0]


@pytest.mark.parametrize("query", ["🦉", "4711", "XK9-2B4-7Q1", "auth.ts", "HTTP-403", "C++", "@scope/pkg", "2026.4.10", "v2.5"])
def test_codes_say_the_same_in_every_text(query: str) -> None:
    """A query of codes, numbers or symbols counts in a text of any script, for meaning cannot answer it."""
    assert not yields_to_meaning(query)
