"""A wrong change taken back: only that, whatever was written since."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from omoide import Omoide
from omoide.api.people import OWNER, Asking, People, Room, Saying, Stay
from omoide.errors import BadInput, StaleWrite

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
KEN, MIA, DAN, ROOM, OTHER = "chat:w:ken", "chat:w:mia", "chat:w:dan", "chat:w:room", "chat:w:other"


@pytest.fixture
def people(tmp_path: Path) -> Iterator[People]:
    (tmp_path / "home").mkdir()
    with Omoide(tmp_path / "home", cache=tmp_path / "cache") as omoide:
        for account, name in ((KEN, "Ken"), (MIA, "Mia"), (DAN, "Dan")):
            omoide.people.meet(account, name, at=NOW)
        for room, members in ((ROOM, (KEN, MIA)), (OTHER, (DAN,))):
            omoide.people.open_room(Room(room, room[-4:], "group", "since_join", tuple(map(Stay, members))), NOW)
        yield omoide.people


def day(number: int) -> datetime:
    return NOW + timedelta(days=number)


def say(people: People, text: str, days: int = 0, **more: Any) -> tuple[str, str]:
    kept = people.remember(Saying(text, KEN, KEN, more.pop("room", ROOM), day(days), **more))
    return kept.id, kept.change


def told(people: People, days: int = 30, room: str = ROOM) -> list[str]:
    return sorted(one.known.fact.text for one in people.know(Asking("", room, day(days), KEN, limit=50)).facts)


def test_upd_05_a_wrong_update_is_undone_and_later_writes_stay(people: People) -> None:
    """The old value holds again, the wrong one is gone, and what was written into the same file afterwards stays."""
    old, _ = say(people, "住まいは横浜")
    wrong, change = say(people, "住まいは千葉", 1, supersedes=old)
    say(people, "Plays the oboe", 2)
    people.undo(change, day(3), "misheard")
    assert told(people) == ["Plays the oboe", "住まいは横浜"]
    assert people.history(KEN)[-1].reason == "misheard"
    with pytest.raises(BadInput):
        people.why(wrong)
    people.undo(people.history(KEN)[-1].id, day(4))
    assert told(people) == ["Plays the oboe", "住まいは千葉"]


def test_upd_05_one_fact_of_a_change(people: People) -> None:
    """What a change did to one fact is undone alone: the old one holds again beside the new one."""
    old, _ = say(people, "Has a cat")
    _, change = say(people, "Has a dog", 1, supersedes=old)
    people.undo(change, day(2), fact=old)
    assert told(people) == ["Has a cat", "Has a dog"]
    with pytest.raises(BadInput, match="did nothing to"):
        people.undo(change, day(3), fact="zzz")


def test_upd_05_a_line_that_a_script_deleted_comes_back(people: People, tmp_path: Path) -> None:
    """By the fact's id alone, from the history, with who may hear it; the other lines of the file keep every byte."""
    gone, _ = say(people, "対応は英語で", place="drawer")
    say(people, "Plays the oboe", 1, place="drawer")
    path = tmp_path / "home" / people.folders(KEN)[0] / "drawer/notes.md"
    kept = b"".join(line for line in path.read_bytes().splitlines(True) if gone.encode() not in line)
    path.write_bytes(kept)
    assert told(people) == ["Plays the oboe"]
    people.undo("", day(2), fact=f"^{gone}")
    assert told(people) == ["Plays the oboe", "対応は英語で"]
    assert kept in path.read_bytes()
    people.undo("", day(3), fact=gone)
    assert told(people) == ["Plays the oboe"]


def test_a_move_and_a_further_telling_are_undone(people: People) -> None:
    """The fact is back where it stood; a telling that is taken back lets nobody hear any more."""
    key, _ = say(people, "Plays the oboe", place="drawer/music")
    moved = people.move(KEN, key, "card", day(1))
    say(people, "Has a cat", 2, place="card")
    people.undo(moved.change, day(3))
    assert people.why(key)["path"].endswith("drawer/music.md")
    _, again = say(people, "Plays the oboe", 4, room=OTHER, restates=key)
    assert told(people, room=OTHER) == ["Plays the oboe"]
    people.undo(again, day(5))
    assert told(people, room=OTHER) == []
    assert told(people) == ["Has a cat", "Plays the oboe"]
    assert people.forget(day(6), room=ROOM) != []
    assert told(people, room=OWNER) == []


def test_what_came_after_is_in_the_way_and_named(people: People, tmp_path: Path) -> None:
    """A fact that was changed since, by a change or by hand, is not overwritten, and no byte differs."""
    first, change = say(people, "Lives in Leeds")
    _, second = say(people, "Lives in York", 1, supersedes=first)
    path = tmp_path / "home" / people.why(first)["path"]
    before = path.read_bytes()
    with pytest.raises(StaleWrite, match=second):
        people.undo(change, day(2))
    path.write_bytes(before.replace(b"in York", b"near York"))
    with pytest.raises(StaleWrite, match="by hand"):
        people.undo(second, day(2))
    assert path.read_bytes() == before.replace(b"in York", b"near York")


def test_what_a_change_wrote_in_two_folders_is_one_change(people: People) -> None:
    """One id and one undo, where it ended a fact in the folder of another account of the same person; and one undo of that."""
    old, _ = say(people, "Has a cat")
    people.link(KEN, DAN, proof=True, at=NOW)
    new = people.remember(Saying("Has a dog", DAN, DAN, ROOM, day(1), supersedes=old))
    assert [one.id for one in people.history(KEN)].count(new.change) == 2
    undone = people.undo(new.change, day(2))
    assert {path.split("/")[1][:3] for path in undone.paths} == {"ken", "dan"}
    assert told(people) == ["Has a cat"]
    with pytest.raises(BadInput, match="taken back already"):
        people.undo(new.change, day(3))
    people.undo(undone.id, day(3))
    assert told(people) == ["Has a dog"]
    people.undo(new.change, day(4), fact=old)
    assert told(people) == ["Has a cat", "Has a dog"]


def test_a_change_in_two_folders_is_undone_wholly_or_not_at_all(people: People) -> None:
    """What is in the way in one of them leaves the other as it is."""
    old, _ = say(people, "Has a cat")
    people.link(KEN, DAN, proof=True, at=NOW)
    new = people.remember(Saying("Has a dog", DAN, DAN, ROOM, day(1), supersedes=old))
    people.move(DAN, new.id, "drawer/pets", day(2))
    before = told(people)
    with pytest.raises(StaleWrite):
        people.undo(new.change, day(3))
    assert told(people) == before


def test_what_is_said_again_on_another_account_is_one_more_telling(people: People) -> None:
    """The line stays where it is, in the folder of the first account, and the history there knows that it was said again."""
    people.link(KEN, DAN, proof=True, at=NOW)
    key, _ = say(people, "Has a cat")
    again = people.remember(Saying("Has a cat", DAN, DAN, OTHER, day(1), "drawer"))
    assert (again.what, again.id) == ("again", key)
    assert [one["by"] for one in people.why(key)["tellings"]] == [KEN, DAN]
    assert told(people, room=OTHER) == ["Has a cat"]


def test_a_merge_is_undone_at_once(people: People) -> None:
    """Both cards, by one undo."""
    people.merge(KEN, DAN, at=NOW)
    change = people.history(KEN)[-1].id
    people.undo(change, day(1))
    assert len(people.folders(KEN)) == 1
    assert not any(one.same for one in people._folks.directory().persons.values())
