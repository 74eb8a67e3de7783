"""What waits for the owner, and what becomes of it when the owner answers: through the public verbs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from omoide import Omoide
from omoide.api.people import OWNER, Asking, People, Room, Saying, Stay
from omoide.errors import BadInput
from omoide.settings import Settings

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
KEN, MIA, DAN = (f"chat:w:{key}" for key in ("ken", "mia", "dan"))
ROOM = "chat:w:room"
ALL = frozenset({"history", "planned", "pending"})


def opened(tmp_path: Path, settings: Settings | None = None) -> Omoide:
    """A home with three people in one group."""
    (tmp_path / "home").mkdir(exist_ok=True)
    omoide = Omoide(tmp_path / "home", cache=tmp_path / "cache", settings=settings)
    for account, name in ((KEN, "Ken"), (MIA, "Mia"), (DAN, "Dan")):
        omoide.people.meet(account, name, at=NOW)
    omoide.people.open_room(Room(ROOM, "room", "group", "since_join", tuple(map(Stay, (KEN, MIA, DAN)))), NOW)
    return omoide


@pytest.fixture
def people(tmp_path: Path) -> Iterator[People]:
    with opened(tmp_path) as omoide:
        yield omoide.people


def day(number: int) -> datetime:
    return NOW + timedelta(days=number)


def say(people: People, text: str, by: str = KEN, days: int = 0, **more: Any) -> str:
    return people.remember(Saying(text, KEN, by, ROOM, day(days), **more)).id


def told(people: People, days: int = 30, room: str = ROOM, want: frozenset[str] = frozenset()) -> list[str]:
    found = people.know(Asking("", room, day(days), KEN, want=want, limit=50))
    return sorted(one.known.fact.text + (f" [{one.mark}]" if one.mark else "") for one in found.facts)


@pytest.mark.parametrize(
    ("old", "claim", "via"),
    [("Lives in Leeds", "Ken moved to York", "other"), ("住まいは横浜", "健さんは千葉に引っ越した", "unlinked"),
     ("Works at the library", "Ken has a new job at the zoo", "document"), ("肉を食べる", "健さんはベジタリアンになった", "forward")],
)  # fmt: skip
def test_a_contradiction_from_an_unverified_channel_waits(people: People, old: str, claim: str, via: str) -> None:
    """Neither believed nor dropped: the old fact stands, and the queue says who said what, why it waits and what it contradicts."""
    first = say(people, old)
    kept = say(people, claim, MIA, 1, via=via, source="file:notes.pdf" if via == "document" else "")
    assert told(people) == [old]
    [waits] = people.review(day(2))
    assert (waits.id, waits.what, waits.text, waits.by, waits.room, waits.against) == (kept, "claim", claim, MIA, ROOM, first)
    assert waits.person == people.folders(KEN)
    assert f"contradicts ^{first} {old}" in waits.why


@pytest.mark.parametrize("via", ["other", "document"])
def test_accepted_it_is_a_fact_and_ends_what_it_contradicts(people: People, via: str) -> None:
    """From when it was said; once more changes nothing; logged, with the reason; undo puts both back."""
    say(people, "Lives in Leeds")
    kept = say(people, "Ken moved to York", MIA, 4, via=via)
    done = people.accept(kept, day(9), "asked Ken")
    assert told(people) == ["Ken moved to York"]
    assert told(people, want=ALL) == ["Ken moved to York", "Lives in Leeds [no longer true]"]
    assert [one.known.fact.text for one in people.know(Asking("", ROOM, day(9), KEN, as_of="2026-06-03")).facts] == ["Lives in Leeds"]
    assert people.accept(kept, day(10)).change == ""
    [record] = [one for one in people.history(KEN) if one.verb == "review"]
    assert (record.id, record.reason) == (done.change, "asked Ken")
    with pytest.raises(BadInput, match="it was accepted before"):
        people.reject(kept, day(10))
    people.undo(done.change, day(11))
    assert (told(people), [one.id for one in people.review(day(12))]) == (["Lives in Leeds"], [kept])


@pytest.mark.parametrize("via", ["other", "quote"])
def test_rejected_it_is_never_told_and_comes_back_from_another_source_only(people: People, via: str) -> None:
    """In no answer of any kind; the same person saying it again changes nothing, somebody else's word waits anew."""
    say(people, "Lives in Leeds")
    kept = say(people, "Ken moved to York", MIA, 1, via=via)
    done = people.reject(kept, day(2), "a joke")
    assert people.review(day(3)) == []
    assert told(people, want=ALL) == ["Lives in Leeds"]
    assert people.know(Asking("York", OWNER, day(3), KEN, want=ALL, as_of="2026-06-02")).facts[0].known.fact.text == "Lives in Leeds"
    assert people.reject(kept, day(3)).change == ""
    assert people.remember(Saying("Ken moved to York", KEN, MIA, ROOM, day(4), via=via)).what == "ignored"
    other = say(people, "Ken moved to York", DAN, 5, via=via)
    assert [one.id for one in people.review(day(6))] == [other]
    people.undo(done.change, day(7))
    assert {one.id for one in people.review(day(8))} == {kept, other}


def test_what_a_document_says_is_told_nobody_until_it_is_accepted(people: People, tmp_path: Path) -> None:
    """It stands in no file of the person, whoever asks for claims; forgetting its source takes it out of the queue and the history."""
    kept = people.remember(Saying("Must be obeyed", KEN, MIA, ROOM, NOW, via="document", source="file:a.pdf"))
    assert (kept.what, told(people, want=ALL), told(people, room=OWNER, want=ALL)) == ("waits", [], [])
    assert not any(b"obeyed" in path.read_bytes() for path in (tmp_path / "home").rglob("*.md"))
    assert people.forget(day(1), source="file:a.pdf") == [kept.id]
    assert people.review(day(2)) == []
    assert not any(b"obeyed" in path.read_bytes() for path in (tmp_path / "home").rglob("*") if path.is_file())


def test_the_person_decides_without_the_owner(people: People) -> None:
    """What the person then says themself takes the claim out of the queue."""
    claim = say(people, "Ken moved to York", MIA, via="other")
    say(people, "Ken moved to York", KEN, 1, restates=claim)
    assert people.review(day(2)) == []
    assert told(people) == ["Ken moved to York"]


def test_per_20_what_could_move_between_card_and_drawer(people: People) -> None:
    """Proposed are: from the card what is over or not spoken of for long, to the card what belongs before the eyes; each with why."""
    over = say(people, "Prepares the fair", place="card", until="2026-06-05")
    idle = say(people, "Has a red bicycle", place="card")
    say(people, "Allergic to nuts", place="card")
    front = say(people, "短い返信が好き", place="drawer")
    say(people, "Collects stamps", place="drawer")
    assert {(one.id, one.what) for one in people.review(day(3))} == {(front, "to card")}
    later = {one.id: one for one in people.review(day(200))}
    assert {key: one.what for key, one in later.items()} == {over: "to drawer", idle: "to drawer", front: "to card"}
    assert "over since 2026-06-05" in later[over].why
    assert "spoken of it since 2026-06-01" in later[idle].why
    people.accept(front, day(200))
    done = people.reject(idle, day(200), "he likes to talk about it")
    assert [one.id for one in people.review(day(201))] == [over]
    assert [known.fact.text for known in people.card(KEN, OWNER, day(201)).facts] == ["Has a red bicycle", "Allergic to nuts", "短い返信が好き"]
    people.undo(done.change, day(202))
    assert {one.id for one in people.review(day(203))} == {over, idle}


def test_per_20_a_home_curates_by_itself_only_if_told_to(tmp_path: Path) -> None:
    """With the setting on, looking at the queue makes the moves, which undo takes back; claims wait all the same."""
    with opened(tmp_path, Settings().with_values({"review.automatic": True})) as omoide:
        front = say(omoide.people, "Allergic to nuts", place="drawer")
        claim = say(omoide.people, "Ken moved to York", MIA, via="other")
        assert [one.id for one in omoide.people.review(day(1))] == [claim]
        assert [known.fact.id for known in omoide.people.card(KEN, OWNER, day(1)).facts] == [front]
    assert Settings().review.automatic is False


def test_only_what_waits_can_be_answered(people: People) -> None:
    """An id that is not known, or of a fact that does not wait, is refused with what to do."""
    fact = say(people, "Collects stamps")
    for key in ("zzz", fact):
        for answer in (people.accept, people.reject):
            with pytest.raises(BadInput, match="omoide"):
                answer(key, day(1))


def test_a_claim_written_by_hand_waits_too(people: People, tmp_path: Path) -> None:
    """A line with `pending` is in the queue at once, and can be answered if it has an id."""
    folder = tmp_path / "home" / people.folders(KEN)[0]
    with open(folder / "card.md", "a", encoding="utf-8") as card:
        card.write(f"- Sells his car (by {DAN}; pending) ^h1\n- Has twins (pending)\n")
    waiting = {one.text: one for one in people.review(day(1))}
    assert (waiting["Sells his car"].by, waiting["Has twins"].id) == (DAN, "")
    assert "give its line an id" in waiting["Has twins"].why
    people.accept("h1", day(1))
    assert told(people, room=OWNER) == ["Sells his car"]
