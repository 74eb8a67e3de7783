"""Folders of people and rooms: their names, and what their front matter gives back."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from omoide.people.accounts import account, name
from omoide.people.directory import Name
from omoide.store.check_path import checked
from omoide.store.markdown import front_matter
from omoide.store.subjects import NUMBERS, folder_name, new_file, person_of, room_of, timed, with_field

ANY = st.text(st.characters(codec=None), max_size=60)
"""Any text, lone surrogates too."""


@given(ANY, ANY)
def test_a_folder_name_is_legal_everywhere(display: str, key: str) -> None:
    """On Windows, macOS and Linux, whatever the name: one segment, short, small letters in NFC, no device, no dot or blank."""
    folder = folder_name(display, key)
    assert checked(f"people/{folder}/card.md") == f"people/{folder}/card.md"
    assert "/" not in folder and len(folder.encode()) <= 100 and folder == folder.casefold() == unicodedata.normalize("NFC", folder)
    assert not set(folder) & set('<>:"|?*\\.% ')


@given(ANY, ANY, ANY, ANY)
def test_two_ids_never_share_a_folder(one: str, other: str, display: str, third: str) -> None:
    """Also where the disk takes letter case and normal form for nothing; one id in two normal forms is one."""
    assume(unicodedata.normalize("NFC", one) != unicodedata.normalize("NFC", other))
    flat = [unicodedata.normalize("NFD", folder_name(shown, key)).casefold() for shown, key in ((display, one), (third, other))]
    assert flat[0] != flat[1]
    assert folder_name(display, unicodedata.normalize("NFD", one)) == folder_name(display, unicodedata.normalize("NFC", one))


def test_a_longer_number_tells_more_apart() -> None:
    """For the rare case that two ids have one short number."""
    assert len({folder_name("Ken", "chat:w:ken", size) for size in NUMBERS}) == len(NUMBERS)


LETTERS = st.characters(exclude_categories=("C", "Z", "Mn")) | st.sampled_from("'\"[]{}()#,&*!|>@`?-:;^%=<$_+0123abn")
"""Letters that most texts of them are legal with, and many that mean something in Markdown or in front matter."""


@st.composite
def names(draw: st.DrawFn) -> str:
    """A legal name, often one that ends like a time."""
    end = draw(st.sampled_from(["", " (since 2026)", "(until 2026-03-31)", " (secret)", " ^k7f3", ": x", " (since x)"]))
    text = draw(st.sampled_from(["a", "- ", "[x] ", "# ", "!"])) + " ".join(draw(st.lists(st.text(LETTERS, min_size=1, max_size=8), max_size=4))) + "b" + end
    return name(unicodedata.normalize("NFC", text))


@st.composite
def accounts(draw: st.DrawFn) -> str:
    """A legal account, often one that ends like metadata."""
    end = draw(st.sampled_from(["", "(secret)", "(wrong;pending)", ")", "^x", ","]))
    return account("chat:w:ab" + draw(st.text(LETTERS, max_size=20).filter(lambda text: "%" not in text)) + end)


@given(names(), names(), accounts(), accounts(), st.booleans())
def test_a_card_gives_back_what_was_written(one: str, other: str, mine: str, too: str, renamed: bool) -> None:
    """Names with their times and accounts come back unchanged, whatever letters they hold."""
    at = datetime(2026, 3, 1, 12, tzinfo=UTC) if renamed else None
    data = new_file([("id", "x"), ("names", [timed(one, None, None), timed(other, at, None)]), ("accounts", [mine, too])])
    person = person_of("people/x", front_matter(data.decode()))
    assert person.names == (Name(one), Name(other, at) if at else Name(other))
    assert person.accounts == (mine, too)


@given(accounts(), accounts(), names())
def test_a_room_gives_back_its_members(key: str, member: str, called: str) -> None:
    """Whoever is in a room is in it by their own account, whatever it ends with."""
    data = new_file([("id", key), ("name", called), ("type", "group")]) + f"## Members\n\n- {timed(member, None, None)}\n".encode()
    room = room_of(front_matter(data.decode()), data)
    assert room is not None
    assert (room.id, room.name, [stay.account for stay in room.stays]) == (key, called, [member])


@pytest.mark.parametrize(
    "card",
    [b"---\nid: x\n---\n\n- a ^k1\n", b"\xef\xbb\xbf---\r\nid: x\r\nodd:  [ a,b ]  # why\r\n---\r\n\r\n- a ^k1\r\n", b"- by hand\n", b"", b"---\nid: x\nsame: [people/z]\n---\n"],
)
def test_a_field_that_is_taken_out_leaves_the_bytes(card: bytes) -> None:
    """A list that was added and taken out again is a file that was never touched."""
    held = [one for one in ("people/z",) if b"people/z" in card]
    assert with_field(with_field(card, "same", [*held, "people/y"]), "same", held) == card
