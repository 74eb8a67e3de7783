"""One rule for every text that is written into a home."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from omoide.errors import BadInput
from omoide.store.check_text import check_text, encoded
from omoide.store.facts import Fact, changed, facts_in, with_fact
from omoide.store.subjects import new_file, with_field

ODD = ["likes\0tea", "caf\udce9", "\ud800", "\0"]


@pytest.mark.parametrize("text", ["", "tea", "お茶が好き", "a\tb\n", "𠮷"])
def test_a_text_is_written_as_it_is(text: str) -> None:
    """What a text file can hold keeps every letter."""
    assert encoded(text).decode() == check_text(text) == text


@pytest.mark.parametrize("text", ODD)
@pytest.mark.parametrize("write", [
    lambda text: encoded(text), lambda text: with_fact(b"", Fact("a1", text)), lambda text: new_file([("name", text)]),
    lambda text: with_field(b"---\nid: a\n---\n", "names", [text]), lambda text: changed(b"- a ^a1\n", facts_in(b"- a ^a1\n")[0], Fact("a1", text)),
])  # fmt: skip
def test_no_line_takes_what_no_file_holds(write: Callable[[str], bytes], text: str) -> None:
    """A NUL or half a letter is refused wherever a line is made, and no bytes come out. (JSON spells a NUL, so a field may hold one.)"""
    try:
        made = write(text)
    except BadInput:
        return
    assert b"\0" not in made
    assert "\\u0000" in made.decode()
