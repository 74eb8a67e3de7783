"""Who speaks of something is told by a look at bytes: nobody who does is passed over, wherever it stands."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from omoide import Omoide
from omoide.api.people import People, Room, Saying, Stay
from omoide.errors import BadInput

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
ANN, BOB = "chat:w:ann", "chat:w:bob"
GROUP = "chat:w:a;(b)"


@pytest.fixture
def people(tmp_path: Path) -> Iterator[People]:
    """Two people in a room whose id is written in a line otherwise than in the history."""
    (tmp_path / "home").mkdir()
    with Omoide(tmp_path / "home", cache=tmp_path / "cache") as omoide:
        for account in (ANN, BOB):
            omoide.people.meet(account, account[7:].title(), at=NOW)
        omoide.people.open_room(Room(GROUP, "group", "group", "since_join", (Stay(ANN), Stay(BOB))), NOW)
        yield omoide.people


def folder(people: People, tmp_path: Path, account: str) -> Path:
    """Where somebody's files are."""
    return tmp_path / "home" / people.folders(account)[0]


def test_a_fact_is_found_wherever_it_stands(people: People, tmp_path: Path) -> None:
    """In a line written by hand, in words that stand in the history alone, and under a folder that a hand renamed."""
    (folder(people, tmp_path, BOB) / "drawer").mkdir()
    (folder(people, tmp_path, BOB) / "drawer/own.md").write_text("- rows ^a1\n", encoding="utf-8")
    waits = people.remember(Saying("keeps bees", ANN, ANN, GROUP, NOW, via="document"))
    kept = people.remember(Saying("likes tea", ANN, ANN, GROUP, NOW))
    folder(people, tmp_path, ANN).rename(tmp_path / "home/people/renamed")
    assert people.why("a1")["person"] == people.folders(BOB)[0]
    assert people.why(waits.id)["person"] == people.why(kept.id)["person"] == "people/renamed"
    people.accept(waits.id, NOW)
    people.undo("", NOW, fact=kept.id)
    with pytest.raises(BadInput, match="no fact"):
        people.why("b2")


def test_an_id_of_two_people_is_neither_of_them(people: People, tmp_path: Path) -> None:
    """Nothing is said by it, and nothing done: nobody is picked."""
    for account in (ANN, BOB):
        card = folder(people, tmp_path, account) / "card.md"
        card.write_bytes(card.read_bytes() + b"- rows ^a1\n")
    with pytest.raises(BadInput, match=r"a fact of .* and of"):
        people.why("^a1")


@pytest.mark.parametrize("spelled", ["chat:w:a%3B%28b%29", "chat:w:a%3b%28b%29"])
def test_a_room_is_forgotten_however_it_is_spelled(people: People, tmp_path: Path, spelled: str) -> None:
    """A line of a hand says it with codes in any letter case."""
    card = folder(people, tmp_path, BOB) / "card.md"
    card.write_bytes(card.read_bytes() + f"- rows (in {spelled}) ^a1\n".encode())
    assert people.forget(NOW, room=GROUP) == ["a1"]
    assert b"rows" not in card.read_bytes()


def test_a_source_and_a_fact_are_forgotten_of_everybody(people: People) -> None:
    """Without a person all are asked who speak of it."""
    for account in (ANN, BOB):
        people.remember(Saying("likes tea", account, account, GROUP, NOW, source='a "list"'))
    assert len(people.forget(NOW, source='a "list"')) == 2
