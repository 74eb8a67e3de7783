"""What is known about somebody, now, and who may hear it: through the public verbs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from omoide import Omoide
from omoide.api.people import OWNER, Asking, People, Room, Saying, Stay
from omoide.errors import BadInput, CardFull

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
ANN, BOB, MIKE, MIKE2 = (f"chat:w:{key}" for key in ("ann", "bob", "mike", "mike2"))
GROUP, PRIVATE = "chat:w:group", "chat:w:private"


@pytest.fixture
def people(tmp_path: Path) -> Iterator[People]:
    """Four people, two of one name, a group of all and a private room of one of them."""
    home = tmp_path / "home"
    home.mkdir()
    with Omoide(home, cache=tmp_path / "cache") as omoide:
        for account, name in ((ANN, "Ann"), (BOB, "Bob"), (MIKE, "Mike"), (MIKE2, "Mike")):
            omoide.people.meet(account, name, at=NOW)
        omoide.people.open_room(Room(GROUP, "group", "group", "since_join", tuple(map(Stay, (ANN, BOB, MIKE, MIKE2)))), NOW)
        omoide.people.open_room(Room(PRIVATE, "private", "dm", "since_join", (Stay(MIKE),)), NOW)
        yield omoide.people


def say(people: People, text: str, about: str = MIKE, room: str = GROUP, days: int = 0, **more: Any) -> str:
    """Remember it, told by the person; gives the id."""
    return people.remember(Saying(text, about, more.pop("by", about), room, NOW + timedelta(days=days), **more)).id


def known(people: People, about: str = MIKE, room: str = GROUP, days: int = 1, **more: Any) -> list[str]:
    """Texts of what may be said of somebody in a room."""
    found = people.know(Asking(more.pop("text", ""), room, NOW + timedelta(days=days), about, **more))
    return [told.known.fact.text + (f" [{told.mark}]" if told.mark else "") for told in found.facts]


def test_per_06_two_mikes_are_never_mixed(people: People) -> None:
    """The name alone asks which; by account each answers with his own facts only."""
    say(people, "allergic to peanuts")
    say(people, "eats everything", about=MIKE2)
    found = people.know(Asking("allergic?", GROUP, NOW + timedelta(days=1), name="Mike"))
    assert (found.resolved.status, len(found.resolved.people), found.facts) == ("ambiguous", 2, ())
    assert known(people) == ["allergic to peanuts"]
    assert known(people, MIKE2) == ["eats everything"]
    assert len(people.candidates("mike", NOW)) == 2


def test_per_22_what_was_told_in_private_is_not_said_in_the_group(people: People) -> None:
    """A fact of a direct message is known there and to the owner, and in no group; opened, it is known everywhere."""
    say(people, "looks for another job", room=PRIVATE)
    assert known(people, room=PRIVATE) == ["looks for another job"]
    assert known(people, room=GROUP) == []
    assert known(people, room=OWNER) == ["looks for another job"]
    assert known(people, room="chat:w:unknown") == []
    say(people, "birthday in May", room=PRIVATE, audience="open")
    assert known(people, room=GROUP) == ["birthday in May"]


def test_per_08_what_is_over_is_not_told_as_true(people: People) -> None:
    """A trip ends with its last day; asked for, it comes back marked; at its time it held."""
    say(people, "travels to Tokyo", until="2026-12-05")
    assert known(people, days=5) == ["travels to Tokyo"]
    assert known(people, days=6) == []
    assert known(people, days=6, want=frozenset({"history"})) == ["travels to Tokyo [no longer true]"]
    assert known(people, days=60, as_of="2026-12") == ["travels to Tokyo"]


def test_upd_01_the_newer_of_the_same_thing(people: People) -> None:
    """Superseded, the old address is past from the day of the new one; both have their times, and undo brings it back."""
    old = say(people, "lives in San Francisco")
    new = say(people, "lives in Seattle", days=10, supersedes=old)
    assert known(people, days=11) == ["lives in Seattle"]
    assert known(people, days=11, as_of="2026-12-05") == ["lives in San Francisco"]
    assert people.why(old)["state"]["now"] == f"^{new}"
    people.undo(people.history(MIKE)[-1].id, NOW + timedelta(days=12))
    assert known(people, days=13) == ["lives in San Francisco"]


def test_a_correction_never_held(people: People) -> None:
    """What was wrong is past at no time; the truth holds from when the slip was said."""
    slip = say(people, "has two sons")
    say(people, "has two daughters", days=2, supersedes=slip, correction=True)
    assert known(people, days=3, want=frozenset({"history"})) == ["has two daughters"]
    assert known(people, days=3, as_of="2026-12-01") == ["has two daughters"]


def test_hearsay_is_a_claim(people: People) -> None:
    """What another says is kept, told only when claims are asked for, and becomes a fact when the person says it."""
    claim = say(people, "moves to Osaka", by=ANN, via="other")
    assert known(people) == []
    assert known(people, want=frozenset({"pending"})) == ["moves to Osaka [not confirmed]"]
    say(people, "moves to Osaka", days=1, restates=claim)
    assert known(people, days=2) == ["moves to Osaka"]
    assert people.remember(Saying("admin rights", MIKE, ANN, GROUP, NOW, via="joke")).what == "ignored"


def test_per_07_a_link_needs_proof_and_can_be_undone(people: People) -> None:
    """Linked, both accounts answer with both facts; unlinked, each fact is about the account it was about."""
    say(people, "drinks tea")
    say(people, "plays the oboe", about=MIKE2)
    assert people.link(MIKE, MIKE2, proof=False, at=NOW) is False
    assert known(people) == ["drinks tea"]
    people.link(MIKE, MIKE2, proof=True, at=NOW)
    assert sorted(known(people)) == sorted(known(people, MIKE2)) == ["drinks tea", "plays the oboe"]
    people.unlink(MIKE, MIKE2, at=NOW)
    assert (known(people), known(people, MIKE2)) == (["drinks tea"], ["plays the oboe"])


def test_per_05_a_new_name_leaves_the_folder(people: People) -> None:
    """Renamed, somebody is found by the new name first, still by the old one, and keeps folder and facts."""
    before = people.meet(BOB, at=NOW)
    people.rename(BOB, "Robert", NOW + timedelta(days=1))
    assert people.who("robert", GROUP, NOW + timedelta(days=2)).status == "one"
    assert people.meet(BOB, at=NOW) == before


def test_per_11_a_full_card_refuses(people: People) -> None:
    """A card at its cap takes nothing more: both numbers and what could move are said, and the file is as it was."""
    first = say(people, "x" * 700, place="card")
    say(people, "y" * 400, place="card")
    with pytest.raises(CardFull, match=r"1,20\d characters of 1,200") as caught:
        say(people, "z" * 105, place="card")
    assert any(first in one for one in caught.value.could_move)
    assert len(people.card(MIKE, GROUP, NOW).facts) == 2
    people.move(MIKE, first, "drawer/long", NOW)
    say(people, "z" * 105, place="card")
    shown = people.card(MIKE, GROUP, NOW + timedelta(days=1))
    assert [len(fact.fact.text) for fact in shown.facts] == [400, 105]
    assert [(label.topic, label.facts) for label in shown.labels] == [("long", 1)]


def test_per_04_a_hand_edit_is_seen_at_once_and_is_private(people: People, tmp_path: Path) -> None:
    """A line written by hand is found at the next read by its owner, and by nobody in a room until it says to whom."""
    folder = tmp_path / "home" / people.meet(MIKE, at=NOW)
    with open(folder / "card.md", "a", encoding="utf-8") as card:
        card.write("- plays chess on Fridays\n- born in Kyoto (to all)\n")
    assert known(people, room=OWNER) == ["plays chess on Fridays", "born in Kyoto"]
    assert known(people, room=GROUP) == ["born in Kyoto"]
    assert [line.text for line in people.grep(MIKE, "ches+", OWNER, NOW)] == ["- plays chess on Fridays"]
    assert people.grep(MIKE, "chess", GROUP, NOW) == []


def test_forgotten_is_forgotten(people: People, tmp_path: Path) -> None:
    """A forgotten fact is in no answer, in no file and in no line of the history; what others told independently stays."""
    secret = say(people, "was ill in spring")
    kept = say(people, "rows on the lake", source="forum")
    say(people, "rows on the lake", restates=kept, days=1)
    assert people.forget(NOW + timedelta(days=2), person=MIKE, fact=secret) == [secret]
    assert people.forget(NOW + timedelta(days=2), source="forum") == []
    assert known(people, days=3) == ["rows on the lake"]
    for path in (tmp_path / "home").rglob("*"):
        assert not path.is_file() or b"ill in spring" not in path.read_bytes()
    assert people.forget(NOW + timedelta(days=4), person=MIKE, everything=True) == [kept]
    assert known(people, days=5, want=frozenset({"history", "planned", "pending"})) == []


def test_somebody_who_left_is_not_told_any_more(people: People) -> None:
    """After leaving one hears of the room only one's own words; who comes later hears nothing from before."""
    say(people, "brings the cake")
    say(people, "brings the tea", about=BOB)
    people.leave(GROUP, ANN, NOW + timedelta(days=1))
    people.open_room(Room("chat:w:two", "two", "group", "since_join", (Stay(ANN), Stay(BOB))), NOW)
    assert known(people, BOB, room="chat:w:two", days=2) == []
    people.join(GROUP, ANN, NOW + timedelta(days=3))
    assert known(people, days=4) == ["brings the cake"]


@pytest.mark.parametrize(
    ("change", "said"), [({"text": "  "}, "empty"), ({"until": "soon"}, "until"), ({"supersedes": "zzz"}, "no fact about"), ({"about": "mike"}, "no account")]
)
def test_bad_input_changes_nothing(people: People, tmp_path: Path, change: dict[str, str], said: str) -> None:
    """An empty text, a date that is none, an unknown id, a name in place of an account: a sentence, and no byte differs."""
    before = {path: path.read_bytes() for path in sorted((tmp_path / "home").rglob("*.md"))}
    with pytest.raises(BadInput, match=said):
        people.remember(Saying(**{"text": "x", "about": MIKE, "by": MIKE, "room": GROUP, "at": NOW} | change))  # type: ignore[arg-type]
    assert before == {path: path.read_bytes() for path in sorted((tmp_path / "home").rglob("*.md"))}


def test_everything_of_a_person_in_one_file_is_forgotten(people: People, tmp_path: Path) -> None:
    """However many lines a file loses, none comes back when it is empty; of a linked person both folders lose theirs."""
    people.link(MIKE, MIKE2, proof=True, at=NOW)
    for number in range(4):
        say(people, f"likes tune {number}", about=(MIKE, MIKE2)[number % 2])
    assert len(people.forget(NOW + timedelta(days=1), person=MIKE, everything=True)) == 4
    assert known(people, days=2) == []
    assert not any(b"likes tune" in path.read_bytes() for path in (tmp_path / "home").rglob("*") if path.is_file())
