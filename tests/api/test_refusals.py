"""What is asked of people and rooms that are not there, in words that nobody knows, or for nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from omoide import Omoide
from omoide.api.people import OWNER, Asking, Event, People, Room, Saying, Stay
from omoide.errors import BadInput

NOW = datetime(2026, 12, 1, 10, tzinfo=UTC)
ANN, BOB, NEW, ROOM = "chat:w:ann", "chat:w:bob", "chat:w:bobb", "chat:w:room"


@pytest.fixture
def people(tmp_path: Path) -> Iterator[People]:
    """Ann and Bob in one room."""
    (tmp_path / "home").mkdir()
    with Omoide(tmp_path / "home", cache=tmp_path / "cache") as omoide:
        for account, name in ((ANN, "Ann"), (BOB, "Bob")):
            omoide.people.meet(account, name, at=NOW)
        omoide.people.open_room(Room(ROOM, "room", "group", "since_join", (Stay(ANN), Stay(BOB))), NOW)
        yield omoide.people


def files(tmp_path: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in (tmp_path / "home").rglob("*") if path.is_file() and path.suffix != ".lock"}


@pytest.mark.parametrize("do", [
    lambda people: people.rename(NEW, "Robert", NOW), lambda people: people.link(ANN, NEW, proof=True, at=NOW), lambda people: people.link(NEW, ANN, proof=True, at=NOW),
    lambda people: people.unlink(ANN, NEW, at=NOW), lambda people: people.merge(NEW, ANN, at=NOW), lambda people: people.split(ANN, NEW, at=NOW),
])  # fmt: skip
def test_changing_somebody_makes_nobody(people: People, tmp_path: Path, do: Callable[[People], Any]) -> None:
    """An account that nobody was met by is refused with the one it is a slip for, and no folder is made."""
    before = files(tmp_path)
    with pytest.raises(BadInput, match=rf"nobody is known as {NEW}.*Nearly the same: {BOB}, people/bob-\w+\..*omoide people meet"):
        do(people)
    assert files(tmp_path) == before


def test_what_was_so_already_is_told(people: People) -> None:
    """A verb that had nothing to do gives False, and one that did something True."""
    assert (people.rename(ANN, "ann", NOW), people.rename(ANN, "Anna", NOW)) == (False, True)
    assert (people.join(ROOM, BOB, NOW), people.leave(ROOM, BOB, NOW), people.leave(ROOM, BOB, NOW), people.join(ROOM, BOB, NOW)) == (
        False,
        True,
        False,
        True,
    )
    assert people.open_room(Room(ROOM, "room"), NOW) is False and people.open_room(Room("chat:w:other"), NOW)
    assert not people.unlink(ANN, BOB, at=NOW) and not people.link(ANN, BOB, proof=False, at=NOW)
    assert people.link(ANN, BOB, proof=True, at=NOW) and not people.link(BOB, ANN, proof=True, at=NOW)
    assert people.merge(ANN, BOB, at=NOW) == people.folders(ANN)
    assert people.unlink(ANN, BOB, at=NOW)


@pytest.mark.parametrize(
    "what",
    [{"room": "chat:w:other"}, {"room": "bogus"}, {"source": "bogus"}, {"fact": "zzz", "person": ANN}, {"room": ROOM, "person": ANN}],
)
def test_forgetting_what_is_not_there_is_an_error(people: People, what: dict[str, str]) -> None:
    """Whoever mistypes what is to be forgotten is told that nothing was."""
    people.remember(Saying("likes tea", ANN, ANN, "", NOW))
    with pytest.raises(BadInput, match="nothing was forgotten"):
        people.forget(NOW, **what)  # type: ignore[arg-type]


@pytest.mark.parametrize(("more", "said"), [
    ({"via": "hearsay"}, "via: 'hearsay' is none; it is other, unlinked, document, forward, quote, bot, joke, order, question, or empty for the person's own word"),
    ({"via": "Quote"}, "via"), ({"audience": "me"}, "audience: 'me' is none; it is open, secret, or empty for who was there"),
    ({"message": -1}, "0 or more"), ({"place": "shelf"}, "card, drawer or drawer/TOPIC"), ({"by": "chat:ann"}, "by: .*two parts"), ({"room": "room"}, "room: .*platform"),
])  # fmt: skip
@pytest.mark.parametrize("verb", ["remember", "hear", "hear_each"])
def test_a_word_that_nobody_knows_is_refused(people: People, tmp_path: Path, verb: str, more: dict[str, Any], said: str) -> None:
    """It is never passed over, for it would make hearsay somebody's own word; the error names what is allowed, and nothing is kept."""
    before = files(tmp_path)
    with pytest.raises(BadInput, match=said):
        getattr(people, verb)(Saying(**{"text": "likes tea", "about": ANN, "by": ANN, "room": ROOM, "at": NOW, **more}))
    assert files(tmp_path) == before


@pytest.mark.parametrize("by", ["ann", "chat:ann", "::", ":w:ann", "chat::ann", "chat:w:", "chat:w:.."])
def test_who_speaks_in_a_log_has_an_account(people: People, by: str) -> None:
    """The same rule as everywhere: three parts, none of them empty."""
    with pytest.raises(BadInput, match=r"by: .*is no account"):
        people.say(ROOM, Event(by, NOW, "hello"))
    assert people.said(ROOM, OWNER, NOW) == []


def test_an_account_that_a_hand_wrote_otherwise_is_known(people: People, tmp_path: Path) -> None:
    """A card that was written by hand keeps the account it has: it is remembered, renamed and heard by it, and no second folder is made."""
    card = tmp_path / "home/people/mia/card.md"
    card.parent.mkdir()
    card.write_text("---\nnames: [Mia]\naccounts: [phone:42]\n---\n", encoding="utf-8")
    assert people.remember(Saying("likes tea", "phone:42", "phone:42", ROOM, NOW, "drawer")).path == "people/mia/drawer/notes.md"
    assert people.rename("phone:42", "Mia M.", NOW) and people.join(ROOM, "phone:42", NOW)
    assert people.say(ROOM, Event("phone:42", NOW, "hello")).by == "phone:42"
    assert people.leave(ROOM, "phone:42", NOW)


def test_what_is_asked_for_is_known(people: People) -> None:
    """A wish that nobody knows is refused, for its answer would look as if there were nothing."""
    with pytest.raises(BadInput, match="want: past is not known; it is any of history, planned, pending"):
        people.know(Asking("", ROOM, NOW, ANN, want=frozenset({"past"})))


def test_a_stranger_in_the_room_may_have_said_it(people: People) -> None:
    """Where an account without a card is in the room, too, it must be said whom it is about; told of the one who has a card it
    would be that one's own word. Met as a bot it is nobody, and one alone in a room is meant, with a card or without."""
    people.open_room(Room("chat:w:two", "two", "group", "since_join", (Stay(ANN), Stay(NEW))), NOW)
    for verb in (people.remember, people.hear, people.hear_each):
        with pytest.raises(BadInput, match=f"room chat:w:two has 2 people, one of them not met so far: {NEW}"):
            verb(Saying("likes tea", "", "", "chat:w:two", NOW))
    people.meet(NEW, at=NOW, bot=True)
    assert people.remember(Saying("likes tea", "", "", "chat:w:two", NOW)).path.startswith("people/ann-")
    people.open_room(Room("chat:w:one", "one", "dm", "since_join", (Stay("chat:w:zoe"),)), NOW)
    assert people.remember(Saying("likes rice", "", "", "chat:w:one", NOW)).path.startswith("people/zoe-")


def test_the_dates_in_the_words_come_back(people: People) -> None:
    """A fact without dates neither begins nor ends by its words: the dates it names are given back with the days they mean."""
    kept = people.remember(Saying("in Oslo until 2026-12-11", ANN, ANN, ROOM, NOW))
    assert [(one.words, one.last) for one in kept.dates] == [("until 2026-12-11", date(2026, 12, 11))]
    assert people.know(Asking("", ROOM, NOW.replace(year=2027), ANN)).facts
    assert people.remember(Saying("来週の金曜まで大阪", ANN, ANN, ROOM, NOW)).dates[0].last == date(2026, 12, 11)
    assert people.remember(Saying("in Rome until 2026-12-11", ANN, ANN, ROOM, NOW, until="2026-12-11")).dates == ()
    assert people.remember(Saying("likes tea", ANN, ANN, ROOM, NOW)).dates == ()
    assert people.hear(Saying("in Bern until 2026-12-11", ANN, ANN, ROOM, NOW)).dates == ()


def test_nearly_the_same_is_shown_and_never_meant(people: People) -> None:
    """The nearest first, three at most; in a room only those who are in it."""
    for number in range(5):
        people.meet(f"chat:w:bobb{number}", f"Bobb{number}", at=NOW)
    assert len(people.nearly("Bobb", NOW)) == 3
    assert [one.accounts for one in people.nearly("Bobb", NOW, ROOM)] == [(BOB,)]
    assert people.who("Bobb", ROOM, NOW).status == "unknown"
    assert people.nearly("Bobb", NOW, "chat:w:nowhere") == people.nearly("Zzzzzz", NOW) == []


ODD = ["likes\0tea", "caf\udce9"]


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("do", [
    lambda people, odd: people.remember(Saying(odd, NEW, NEW, ROOM, NOW)), lambda people, odd: people.hear(Saying(odd, ANN, ANN, ROOM, NOW), odd),
    lambda people, odd: people.hear_each(Saying(odd, ANN, ANN, ROOM, NOW)), lambda people, odd: people.overhear(ANN, ROOM, NOW, odd),
    lambda people, odd: people.remember(Saying("tea", NEW, NEW, ROOM, NOW, because=odd)), lambda people, odd: people.remember(Saying("tea", NEW, NEW, ROOM, NOW, source=odd)),
    lambda people, odd: people.remember(Saying("tea", NEW, odd, ROOM, NOW)), lambda people, odd: people.remember(Saying("tea", odd, "", ROOM, NOW)),
    lambda people, odd: people.say(ROOM, Event(ANN, NOW, odd)), lambda people, odd: people.meet(NEW, odd, at=NOW), lambda people, odd: people.meet(odd, "Bo", at=NOW),
    lambda people, odd: people.rename(ANN, odd, NOW), lambda people, odd: people.open_room(Room("chat:w:other", odd, "group"), NOW),
    lambda people, odd: people.merge(ANN, BOB, at=NOW, reason=odd), lambda people, odd: people.join(ROOM, odd, NOW),
])  # fmt: skip
def test_no_verb_writes_what_no_text_file_holds(people: People, tmp_path: Path, do: Callable[[People, str], Any], odd: str) -> None:
    """A NUL would make a whole file binary and hide all in it, and half a letter has no bytes: refused, and nobody is made."""
    before = files(tmp_path)
    with pytest.raises(BadInput):
        do(people, odd)
    assert files(tmp_path) == before
