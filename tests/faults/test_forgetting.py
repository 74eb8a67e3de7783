"""Forgotten is forgotten: no byte of the home or of the cache holds it, in any encoding; a kill or a bad disk changes nothing of that."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from omoide import Omoide, Settings
from omoide.api.people import OWNER, Asking, People, Room, Saying, Stay
from omoide.errors import BadInput
from omoide.store import disk
from omoide.store.door import Door
from omoide.testing import FixedClock
from parts.broken_disk import Died

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
KEN, KEN2, YUMI = "chat:w:ken", "mail:w:ken", "chat:w:yumi"
GROUP, DEN = "chat:w:group", "chat:w:den"
MARK, KANJI = "zebrafinch", "蜃気楼"
SETTINGS = Settings().with_values({"embedding.model": "hashing"})


class Place:
    """A home with its cache, in which some things are known of two people."""

    def __init__(self, folder: Path, name: str = "Ken", other: str = "Kenji") -> None:
        self.home, self.cache = folder / "home", folder / "cache"
        self.home.mkdir()
        with self.open() as omoide:
            people = omoide.people
            people.meet(KEN, name, at=NOW)
            people.meet(KEN2, other, at=NOW)
            people.meet(YUMI, "Yumi", at=NOW)
            people.open_room(Room(GROUP, "group", "group", "since_join", (Stay(KEN), Stay(YUMI))), NOW)
            people.open_room(Room(DEN, "den", "group", "since_join", (Stay(KEN), Stay(YUMI))), NOW)
            for number in range(40):
                say(people, YUMI, f"likes song {number}, the one about a river in spring")

    def open(self, **changes: str) -> Omoide:
        """With vectors."""
        return Omoide(self.home, settings=SETTINGS.with_values(changes), cache=self.cache, clock=FixedClock(NOW))

    def holding(self, *words: str) -> list[str]:
        """Files that hold one of the words in their bytes or their path, in UTF-8, UTF-16 or as JSON escapes."""
        forms = {form for word in words for form in (word.encode(), word.encode("utf-16-le"), word.encode("utf-16-be"), ascii(word)[1:-1].encode())}
        found = []
        for root in (self.home, self.cache):
            for path in root.rglob("*"):
                data = os.fsencode(path.relative_to(root)) + (path.read_bytes() if path.is_file() else b"")
                if any(form.lower() in data.lower() for form in forms):
                    found.append(str(path.relative_to(root)))
        return found


def say(people: People, about: str, text: str, **more: Any) -> str:
    """Remember it, told by the person in the group."""
    return people.remember(Saying(text, about, more.pop("by", about), more.pop("room", GROUP), more.pop("at", NOW), more.pop("place", "drawer"), **more)).id


def a_fact(people: People) -> dict[str, Any]:
    key = say(people, KEN, f"keeps a {MARK} and a {KANJI}", place="card")
    say(people, KEN, f"still keeps a {MARK} and a {KANJI}", restates=key, at=NOW + timedelta(hours=1))
    people.move(KEN, key, "drawer/birds", NOW)
    say(people, KEN, "keeps nothing now", supersedes=key, at=NOW + timedelta(days=1))
    return {"person": KEN, "fact": key}


def a_source(people: People) -> dict[str, Any]:
    for number in range(3):
        say(people, KEN, f"{MARK} {KANJI} number {number}", source=f"{MARK}-mail")
    say(people, KEN, "rows on the lake")
    return {"source": f"{MARK}-mail"}


def a_room(people: People) -> dict[str, Any]:
    say(people, KEN, f"dreams of {KANJI} like a {MARK}", room=DEN)
    say(people, YUMI, f"saw the {MARK}", room=DEN, by=KEN, via="other")
    return {"room": DEN}


def a_person(people: People) -> dict[str, Any]:
    people.link(KEN, KEN2, proof=True, at=NOW)
    say(people, KEN, f"keeps a {MARK}", place="card")
    say(people, KEN2, f"paints a {KANJI}")
    people.rename(KEN, f"K. {MARK} {KANJI}", NOW)
    people.unlink(KEN, KEN2, at=NOW)
    people.link(KEN, KEN2, proof=True, at=NOW)
    return {"person": KEN, "everything": True}


KINDS = (a_fact, a_source, a_room, a_person)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("steps", ["searched before", "another process reads", "never searched"])
def test_no_byte_holds_it(tmp_path: Path, kind: Callable[[People], dict[str, Any]], steps: str) -> None:
    """After forgetting a fact, a source, a room or a person, home and cache are read byte by byte: the words are nowhere."""
    place = Place(tmp_path, *((f"Ken {MARK}", KANJI) if kind is a_person else ()))
    other: sqlite3.Connection | None = None
    with place.open() as omoide:
        wish = kind(omoide.people)
        if steps != "never searched":
            omoide.build()
            (place.home / "people").joinpath("note.md").write_text(f"- {MARK} by hand {KANJI}\n", encoding="utf-8")
            omoide.search(f"song {MARK}")
            omoide.recall(f"song {KANJI}")
            (place.home / "people/note.md").unlink()
            assert place.holding(MARK)
        if steps == "another process reads":
            other = sqlite3.connect(next(place.cache.rglob("index.db")))
            other.execute("SELECT count(*) FROM chunks").fetchall()
        omoide.people.forget(NOW + timedelta(days=2), **wish)
        assert place.holding(MARK, KANJI) == []
        with place.open(**{"calls.keep": "false"}) as asking:  # else the log of calls holds this question
            assert not any(MARK in hit.chunk.full_text for hit in asking.search(MARK, limit=99).hits)
        found = omoide.people.know(Asking("", OWNER, NOW + timedelta(days=3), want=frozenset({"history", "planned", "pending"}), limit=99))
        assert not any(MARK in told.known.fact.text for told in found.facts)
        assert steps == "never searched" or omoide.verify()["wrong"] == []
    if other is not None:
        other.close()
    assert place.holding(MARK, KANJI) == []


def test_a_line_of_the_room_goes_with_the_room(tmp_path: Path) -> None:
    """A line that a hand wrote as learned in a room is forgotten with it; lines without an id beside it stay."""
    place = Place(tmp_path)
    with place.open() as omoide:
        card = place.home / omoide.people.meet(KEN, at=NOW) / "card.md"
        card.write_text(card.read_text() + f"- {MARK} by hand (in {DEN})\n- likes tea\n- {MARK} once more (in {DEN}) ^h1\n", encoding="utf-8")
        omoide.people.forget(NOW, room=DEN)
        assert card.read_text().endswith("- likes tea\n")
    assert place.holding(MARK) == []


def test_a_fact_that_was_in_an_old_memory(tmp_path: Path) -> None:
    """What migrate moved is in the history of everybody it moved something for: forgotten, it is in none of them."""
    place = Place(tmp_path)
    (place.home / "MEMORY.md").write_text(f"## Ken\n\n- keeps a {MARK} ^z1\n- rows\n\n## Yumi\n\n- saw it\n\n## Kenji\n\n- sails\n", encoding="utf-8")
    with place.open() as omoide:
        omoide.people.migrate({}, NOW)
        assert len(place.holding(MARK)) > 1
        assert omoide.people.forget(NOW, person=KEN, fact="z1") == ["z1"]
        assert place.holding(MARK) == []
        omoide.people.undo(omoide.people.history(YUMI)[-1].id, NOW)
        assert "saw it" in (place.home / "MEMORY.md").read_text()


def test_what_is_in_the_way_of_erasing_is_named_first(tmp_path: Path) -> None:
    """A note that cannot be removed stops forgetting a person before anything is gone; a picture is left where it is."""
    place = Place(tmp_path)
    with place.open() as omoide:
        say(omoide.people, KEN, "rows on the lake")
        folder = place.home / omoide.people.meet(KEN, at=NOW)
        (folder / "photo.png").write_bytes(b"png")
        (folder / "link.md").symlink_to(tmp_path)
        before = {path: path.read_bytes() for path in place.home.rglob("*") if path.is_file()}
        with pytest.raises(BadInput, match=r"link\.md.*Nothing was forgotten"):
            omoide.people.forget(NOW + timedelta(days=1), person=KEN, everything=True)
        assert before == {path: path.read_bytes() for path in place.home.rglob("*") if path.is_file()}
        (folder / "link.md").unlink()
        omoide.people.forget(NOW + timedelta(days=1), person=KEN, everything=True)
        assert [path.name for path in folder.rglob("*")] == ["photo.png"]


def test_who_is_forgotten_still_listens(tmp_path: Path) -> None:
    """Forgotten while in a room, somebody is a stranger there who reads along; met again they are new, and their own words are theirs."""
    place = Place(tmp_path)
    with place.open() as omoide:
        people = omoide.people
        say(people, YUMI, "is on holiday", by=KEN, via="other")
        people.open_room(Room("chat:w:two", "two", "dm", "since_join", (Stay(YUMI),)), NOW)
        say(people, YUMI, "looks for work", room="chat:w:two")
        people.forget(NOW + timedelta(days=1), person=KEN, everything=True)
        told = people.know(Asking("", GROUP, NOW + timedelta(days=2), YUMI, want=frozenset({"pending"}), limit=99)).facts
        assert "looks for work" not in [one.known.fact.text for one in told]
        assert "is on holiday" in [one.known.fact.text for one in told]
        assert people.who("Ken", GROUP, NOW + timedelta(days=2)).status == "unknown"
        people.meet(KEN, "Ken", at=NOW + timedelta(days=3))
        assert [record.verb for record in people.history(KEN)] == ["meet"]


def test_an_index_that_cannot_be_cleaned_is_removed(tmp_path: Path) -> None:
    """A damaged database may hold anything: after forgetting it is gone, and the next search makes another."""
    place = Place(tmp_path)
    with place.open() as omoide:
        key = say(omoide.people, KEN, f"keeps a {MARK}")
        omoide.build()
    database = next(place.cache.rglob("index.db"))
    database.write_bytes(f"no database, but a {MARK}".encode() * 99)
    with place.open() as omoide:
        omoide.people.forget(NOW, person=KEN, fact=key)
        assert place.holding(MARK) == []
        assert omoide.search("river").hits


@pytest.mark.parametrize("verb", ["doctor", "build"])
def test_doctor_and_build_complete_what_was_promised(tmp_path: Path, verb: str) -> None:
    """A forgetting that a dead process began is completed by `doctor` and `index build`, too; what somebody is at is named as advice."""
    place = Place(tmp_path)
    with place.open() as omoide:
        key = say(omoide.people, KEN, f"keeps a {MARK}")
        with pytest.MonkeyPatch.context() as patch, pytest.raises(Died):
            patch.setattr(disk, "put", died)
            omoide.people.forget(NOW, person=KEN, fact=key)
        for lock in place.home.rglob("*.lock"):
            lock.unlink()  # as after the machine itself died
        getattr(omoide, verb)()
        assert place.holding(MARK) == []
        assert [row for row in omoide.doctor() if row["what"] == "unfinished_change"] == []
        with Door(place.home).locked("people/x"), pytest.MonkeyPatch.context() as patch:
            patch.setattr(Door, "unfinished", lambda door: ["people/x"])
            row = next(row for row in omoide.doctor() if row["what"] == "unfinished_change")
            assert (row["where"], row["severity"]) == ("people/x", "advice")


def died(*_: object) -> None:
    """A process that is killed before it touches a file."""
    raise Died
