"""What is shown of somebody in a room: who they are, their card, lines of their files. Never more than all who read may hear."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from omoide import Omoide
from omoide.api.people import OWNER, Asking, Name, People, Room, Saying, Stay
from omoide.errors import BadInput

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
LATER = NOW + timedelta(days=1)
ANN, BOB, CAT = (f"chat:w:{key}" for key in ("ann", "bob", "cat"))
GROUP, ALONE, AWAY = "chat:w:group", "chat:w:alone", "chat:w:away"


@pytest.fixture
def people(tmp_path: Path) -> Iterator[People]:
    """Two people in a group; one of them in a room with somebody of the same name, whom the other never met."""
    (tmp_path / "home").mkdir()
    with Omoide(tmp_path / "home", cache=tmp_path / "cache") as omoide:
        for account, name in ((ANN, "Ann"), (BOB, "Bob"), (CAT, "Ann")):
            omoide.people.meet(account, name, at=NOW)
        for room, members in ((GROUP, (ANN, BOB)), (ALONE, (ANN,)), (AWAY, (CAT, ANN))):
            omoide.people.open_room(Room(room, room[7:], "group", "since_join", tuple(map(Stay, members))), NOW)
        yield omoide.people


def say(people: People, text: str, room: str = GROUP, about: str = ANN, **more: Any) -> str:
    """Remember it, told by the person; gives the id."""
    return people.remember(Saying(text, about, more.pop("by", about), room, NOW, **more)).id


@pytest.mark.parametrize("odd", ["\u2028", "\u2029", "\x0b", "\x0c", "\x1c", "\x85"])
def test_a_line_separator_within_a_line_shifts_none(people: People, tmp_path: Path, odd: str) -> None:
    """Lines are counted as facts count them, so a hand-written line with such a letter brings no private line before the room."""
    say(people, "told in private", ALONE)
    say(people, "told to all")
    path = tmp_path / "home" / people.folders(ANN)[0] / "drawer" / "notes.md"
    path.write_bytes(f"# By hand{odd}and more\n".encode() + path.read_bytes())
    assert ["told to all" in line.text for line in people.grep(ANN, ".", GROUP, LATER, around=3)] == [True]
    assert [line.number for line in people.grep(ANN, "told", OWNER, LATER)] == [2, 3]


def test_claims_and_what_was_never_true_are_not_grepped_in_a_room(people: People) -> None:
    """A room sees what holds and what is over; the owner sees every line."""
    say(people, "likes tea")
    say(people, "likes gin", by=BOB, via="other")
    wrong = say(people, "likes rum")
    people.remember(Saying("likes juice", ANN, ANN, GROUP, NOW, supersedes=wrong, correction=True))
    assert {line.text.split(" (")[0].split(" ^")[0] for line in people.grep(ANN, "likes", GROUP, LATER)} == {"- likes tea", "- likes juice"}
    assert len(people.grep(ANN, "likes", OWNER, LATER)) == 4


def test_a_list_of_people_names_and_counts_only_what_the_room_may_hear(people: People) -> None:
    """Facts told elsewhere are not counted, rooms that a reader is not in are not named, and strangers to a reader are not there."""
    say(people, "told in private", ALONE)
    say(people, "told to all")
    [one] = people.candidates("Ann", LATER, GROUP)
    assert (one.accounts, one.facts, one.rooms) == ((ANN,), 1, ("group",))
    assert [(one.names, one.facts) for one in people.everybody(LATER, GROUP)] == [(("Ann",), 1), (("Bob",), 0)]
    assert people.candidates("Ann", LATER, "chat:w:nowhere") == people.everybody(LATER, "chat:w:nowhere") == []
    assert [(one.facts, len(one.rooms)) for one in people.candidates("Ann", LATER) if one.accounts == (ANN,)] == [(2, 3)]


def test_a_card_does_not_name_whom_a_reader_never_met(people: People) -> None:
    """By account somebody may be looked up anywhere, and their names stay where they are known."""
    assert people.card(CAT, GROUP, LATER).names == ()
    assert people.card(CAT, AWAY, LATER).names == people.card(CAT, OWNER, LATER).names == ("Ann",)


def test_fewer_than_no_lines_around(people: People) -> None:
    """A number that makes no sense is refused, not answered with nothing."""
    with pytest.raises(BadInput, match="around is 0 or more"):
        people.grep(ANN, ".", GROUP, LATER, around=-1)


def test_the_name_of_a_folder_is_told_to_who_may_know_it(people: People) -> None:
    """In a room no id and no path has the name somebody was met under, once they carry another, or to who may not know any name of
    theirs; what stands there in its place is taken for the folder."""
    dee = "chat:w:U7"
    folder = people.meet(dee, Name("Dee Moss", until=LATER), Name("Noa", LATER), at=NOW)
    assert people.card(dee, GROUP, LATER).person != (folder,)  # nobody there knows of them
    people.join(GROUP, dee, NOW)
    say(people, "likes tea", about=dee, audience="open")
    assert people.card(dee, GROUP, NOW).person == (folder,)
    shown = [
        people.card(dee, GROUP, LATER).person[0], people.candidates("Noa", LATER, GROUP)[0].folders[0],
        next(iter(people.who("Noa", GROUP, LATER).people[0])), people.grep(dee, "tea", GROUP, LATER)[0].path,
        people.know(Asking("tea", GROUP, LATER, dee)).facts[0].known.path,
    ]  # fmt: skip
    assert not any("dee" in one for one in shown)
    assert people.folders(shown[0]) == (folder,)
    assert people.accounts([shown[0]]) == {dee}
    assert people.card(dee, OWNER, LATER).person == (folder,)


def test_no_line_of_a_room_has_a_number(people: People) -> None:
    """It would say how much stands before it that is not told there."""
    say(people, "told in private", ALONE)
    say(people, "told to all")
    assert [line.number for line in people.grep(ANN, "told", GROUP, LATER)] == [0]
    assert people.know(Asking("told", GROUP, LATER, ANN)).facts[0].known.fact.line == 0
    assert people.know(Asking("told to all", OWNER, LATER, ANN)).facts[0].known.fact.line == 2


def test_what_was_said_again_elsewhere_is_not_dated_by_that(people: People) -> None:
    """The newest day, on the card and in a list of people, is that of the newest telling that the room may hear."""
    say(people, "likes tea", place="drawer/food")
    people.remember(Saying("likes tea", ANN, ANN, ALONE, LATER, "drawer/food"))
    assert people.candidates("Ann", LATER, GROUP)[0].newest == NOW
    assert people.card(ANN, GROUP, LATER).labels[0].newest == NOW
    assert people.candidates("Ann", LATER, ALONE)[0].newest == LATER
