"""English roots."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.text.stem import stem


@pytest.mark.parametrize("forms", ["deploy deployed deploys deploying", "note notes noted", "fix fixes fixed fixing", "study studies studied"])
def test_forms_of_a_word_share_a_root(forms: str) -> None:
    """The forms of one English verb or noun meet in one root."""
    assert len({stem(word) for word in forms.split()}) == 1


@pytest.mark.parametrize(("one", "other"), [("authorization", "authentication"), ("test", "text"), ("2024", "2025"), ("cat", "category")])
def test_other_words_stay_apart(one: str, other: str) -> None:
    """Different words and numbers keep different roots."""
    assert stem(one) != stem(other)


@given(st.text(st.characters(min_codepoint=128), min_size=1, max_size=20))
def test_other_scripts_come_back_unchanged(word: str) -> None:
    """A word with no plain letter is its own root."""
    assert stem(word) == word
