"""The stated estimate of tokens."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from omoide.text.tokens import estimate_tokens

ANY = st.text(st.characters(), max_size=200)


def test_the_estimate_is_as_stated() -> None:
    """Four plain characters are one token, a letter of an unspaced script is one."""
    assert [estimate_tokens(text) for text in ("", "a", "abcd", "abcde")] == [0, 1, 1, 2]
    assert estimate_tokens("日本語") == 3
    assert estimate_tokens("日本 abc") == 3
    assert estimate_tokens("：" * 5000) == 5000


@given(ANY, ANY)
def test_the_estimate_never_falls_when_text_is_added(text: str, more: str) -> None:
    """A longer text has at least as many tokens, and never more than its two halves together."""
    both = estimate_tokens(text + more)
    assert max(estimate_tokens(text), estimate_tokens(more)) <= both <= estimate_tokens(text) + estimate_tokens(more)
    assert (both == 0) == (text + more == "")
