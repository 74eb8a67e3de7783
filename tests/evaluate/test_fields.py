"""Naming values inside rows."""

from __future__ import annotations

import pytest

from omoide.errors import BadInput
from omoide.evaluate.fields import SESSION, holds, pair, texts_at, value_at

ROW = {"id": "s1#4", "text": "x", "meta": {"conv": "c", "n": 4, "flag": True, "list": ["a", 2], "none": None}}


def test_dotted_path() -> None:
    """A dotted path goes into objects; where it leads nowhere there is no value and no error."""
    assert value_at(ROW, "meta.conv") == "c"
    assert value_at(ROW, "meta.conv.deeper") is None
    assert value_at(ROW, "nowhere") is None


def test_session_is_the_id_before_the_first_hash() -> None:
    """session(id) is the id before `#`, or the whole id."""
    assert value_at(ROW, SESSION) == "s1"
    assert value_at({"id": "a#b#c"}, SESSION) == "a"
    assert value_at({"id": "plain"}, SESSION) == "plain"


def test_values_are_compared_as_text() -> None:
    """Numbers, booleans and members of lists are compared the way they are written in JSON."""
    assert texts_at(ROW, "meta.list") == ["a", "2"]
    assert texts_at(ROW, "meta.none") == []
    assert holds(ROW, [("meta.n", "4"), ("meta.flag", "true"), ("meta.list", "2")])
    assert not holds(ROW, [("meta.n", "4"), ("meta.flag", "false")])
    assert holds(ROW, [])


def test_pair_names_the_option() -> None:
    """A condition without = is refused with the option's name; a value may hold = itself."""
    assert pair("meta.q=a=b", "--docs") == ("meta.q", "a=b")
    with pytest.raises(BadInput, match="--docs needs NAME=VALUE"):
        pair("meta.lang", "--docs")
    with pytest.raises(BadInput):
        pair("=ja", "--docs")
