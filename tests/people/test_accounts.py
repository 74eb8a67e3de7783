"""What an account and a name may be."""

from __future__ import annotations

import pytest

from omoide.errors import BadInput
from omoide.people.accounts import account, name, room_name


@pytest.mark.parametrize(
    "text", ["slack:T01:U02ABC", "line:prov9:U4af4", "matrix:hs:@kana:example.org", "x:w:1", "mail:example.org:ken@example.org", "gchat:w:users/103", "irc:net:*",
             "ad:CORP:CORP\\ken", "web:w:a%2Fb", "web:w:<b>(1)</b>;"]
)  # fmt: skip
def test_accounts_as_platforms_have_them(text: str) -> None:
    """An id is taken as it is: slashes, percent signs, brackets and wild cards are letters like others."""
    assert account(text) == text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty"), ("ken", "platform"), (":w:ken", "platform"), ("chat:w:", "last part: it is empty"), ("chat:w:a b", "white space"),
        ("chat:w:a\nb", "control"), ("chat:w:\u200ba", "invisible"), ("chat:w:\u202ea", "direction"), ("chat:w:\ud800", "surrogate"), ("chat:w:\ufffe", "no character"),
        ("chat:w:..", "segment"), ("chat:w:../x", "segment"), ("chat:w:x\\..\\y", "segment"), ("chat:..:x", "segment"), ("chat:w:/etc", "root"),
        ("chat:w:~x", "root"), ("D:\\home", "two parts"), ("file:///etc/hosts", "two parts"), ("C:w:/etc", "root"), ("mail::ken", "workspace"), ("::", "platform"), ("a:b:", "last part"), ("chat:w:%2e%2e%2fx", "escapes"), ("chat:w:" + "x" * 257, "256 bytes"),
        ("chat:w:\u3164", "shows nothing"),
    ],
)  # fmt: skip
def test_accounts_that_are_none(text: str, why: str) -> None:
    """The refusal names the field and the rule, and shows what an account looks like."""
    with pytest.raises(BadInput, match=f"(?s)^said by: .*{why}.*slack:T01:U02ABC"):
        account(text, "said by")


def test_one_id_in_two_normal_forms_is_one() -> None:
    """An id typed decomposed is the composed one; letter case and look-alike letters make another."""
    assert account("chat:w:か\u3099") == account("chat:w:が")
    assert len({account(f"chat:w:{one}") for one in ("admin", "Admin", "аdmin")}) == 3


@pytest.mark.parametrize("text", ["Null", "1984", "true", "Ravi s/o Kumar", "- 太郎", "#tag", "Ken (secret)", "D'Angelo, Jr.", "🐼", "佐々木 々", "می‌خواهم", "x" * 200])
def test_names_as_people_have_them(text: str) -> None:
    """A name is text and nothing else."""
    assert name(text) == text


@pytest.mark.parametrize(
    ("text", "why"),
    [("", "empty"), ("\u3000", "shows nothing"), ("---", "letter"), ("a\tb", "control"), ("a\u200bb", "invisible"), ("a/../b", "segment"), ("/root", "root"),
     ("x" * 201, "201 letters"), ("Z" + "\u0301" * 9, "marks"), ("\u2800", "shows nothing")],
)  # fmt: skip
def test_names_that_are_none(text: str, why: str) -> None:
    """The refusal names the field and the rule."""
    with pytest.raises(BadInput, match=f"(?s)^name: .*{why}"):
        name(text)


def test_the_name_of_a_room_is_freer() -> None:
    """A room may have none, and one that looks like a path."""
    assert [room_name(text) for text in ("", " ", "#general", "/r/tea")] == ["", "", "#general", "/r/tea"]
    with pytest.raises(BadInput, match="room name"):
        room_name("a\nb")
