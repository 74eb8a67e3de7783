"""A hand in the files is as good as a call: seen at once, never overwritten, and what is known of a fact stays with its id."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from omoide import Omoide
from omoide.api.people import OWNER, Asking, Event, People, Room, Saying, Stay
from omoide.errors import OmoideError, StaleWrite
from omoide.store import disk

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
KEN, KEN2, YUMI, GROUP = "chat:w:ken", "mail:w:ken", "chat:w:yumi", "chat:w:group"
ODD = (
    "\ufeff---\r\nid: {id}\r\ncolour:   teal # odd\r\nnames: [Ken]\r\naccounts: [chat:w:ken]\r\nnested:\r\n  deep: [a,  b]\r\n---\r\n"
    "<!-- 消さないで -->\r\n\r\n*   Likes tea  (the green one)\r\n-\tCall him Ken ^k7f3\r\n\r\n\r\ntail  \r\n"
)


@pytest.fixture
def people(tmp_path: Path) -> Iterator[People]:
    """Two people in a group."""
    home = tmp_path / "home"
    home.mkdir()
    with Omoide(home, cache=tmp_path / "cache") as omoide:
        for account, name in ((KEN, "Ken"), (KEN2, "Kenji"), (YUMI, "Yumi")):
            omoide.people.meet(account, name, at=NOW)
        omoide.people.open_room(Room(GROUP, "group", "group", "since_join", (Stay(KEN), Stay(YUMI))), NOW)
        yield omoide.people


@pytest.fixture
def ken(people: People, tmp_path: Path) -> Path:
    """His folder."""
    return tmp_path / "home" / people.meet(KEN, at=NOW)


def say(people: People, text: str, days: int = 0, **more: Any) -> str:
    """Ken tells it in the group; gives the id."""
    return people.remember(Saying(text, KEN, KEN, GROUP, NOW + timedelta(days=days), **{"place": "drawer", **more})).id


def told(people: People, room: str = GROUP, account: str = KEN, days: int = 9) -> list[str]:
    """What may be said of him there, in no order."""
    return sorted(one.known.fact.text for one in people.know(Asking("", room, NOW + timedelta(days=days), account, limit=99)).facts)


def by_hand(path: Path, change: Callable[[str], str]) -> None:
    """Save a file as an editor does: a new file with a new name takes its place."""
    other = path.with_name(f"{path.name}~save")
    other.write_bytes(change(path.read_bytes().decode()).encode())
    os.replace(other, path)


VERBS: dict[str, Callable[[People, str], object]] = {
    "remember": lambda people, key: say(people, "keeps bees"),
    "supersede": lambda people, key: say(people, "keeps two finches", days=1, supersedes=key),
    "move": lambda people, key: people.move(KEN, key, "card", NOW),
    "forget": lambda people, key: people.forget(NOW, person=KEN, fact=key),
}


@pytest.mark.parametrize("verb", VERBS)
def test_an_edit_between_read_and_write_is_never_overwritten(people: People, ken: Path, verb: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A save that comes while a verb is at work wins: the verb says which file changed and what to do, and done again it works."""
    key = say(people, "keeps a finch")
    note, real = ken / "drawer/notes.md", disk.Lines.append

    def append(lines: disk.Lines, line: bytes) -> None:
        by_hand(note, lambda text: text + "- written while nobody looked\n")
        monkeypatch.setattr(disk.Lines, "append", real)
        real(lines, line)

    monkeypatch.setattr(disk.Lines, "append", append)
    with pytest.raises(StaleWrite, match=r"drawer/notes\.md has changed since it was read.*read it again and repeat"):
        VERBS[verb](people, key)
    assert note.read_text() == f"- keeps a finch ^{key}\n- written while nobody looked\n"
    assert [path.name for path in ken.rglob("*") if path.suffix == ".tmp"] == []
    VERBS[verb](people, key)
    assert "- written while nobody looked\n" in note.read_text()


def test_an_undo_goes_around_what_a_hand_wrote(people: People, ken: Path) -> None:
    """A change is taken back although the file was edited since, and the edit stays."""
    say(people, "keeps a finch")
    by_hand(ken / "drawer/notes.md", lambda text: text + "- written while nobody looked\n")
    people.undo(people.history(KEN)[-1].id, NOW)
    assert (ken / "drawer/notes.md").read_text() == "- written while nobody looked\n"


def test_what_an_editor_leaves_beside_a_file_is_nobodys_concern(people: People, ken: Path) -> None:
    """Swap files, backups and half-saved copies are no notes: they are not read, and no verb touches them."""
    key = say(people, "keeps a finch")
    beside = {ken / "drawer" / name: f"- {name}\n".encode() for name in (".notes.md.swp", "notes.md~", "4913", "#notes.md#", ".#notes.md")}
    for path, data in beside.items():
        path.write_bytes(data)
    say(people, "keeps bees")
    people.move(KEN, key, "card", NOW)
    assert told(people, OWNER) == ["keeps a finch", "keeps bees"]
    people.forget(NOW + timedelta(days=1), person=KEN, fact=key)
    assert all(path.read_bytes() == data for path, data in beside.items())


def test_a_hand_written_card_keeps_every_byte(people: People, ken: Path) -> None:
    """Byte order mark, CRLF, comments, odd front matter and spacing stay: one more fact is one more line, one changed fact one other."""
    card = ken / "card.md"
    card.write_bytes(ODD.replace("{id}", ken.name).encode())
    before = card.read_bytes().splitlines(True)
    key = say(people, "keeps bees", place="card")
    after = card.read_bytes().splitlines(True)
    assert [line for line in after if line not in before] == [f"- keeps bees ^{key}\r\n".encode()]
    assert [line for line in after if line in before] == before
    people.forget(NOW + timedelta(days=1), person=KEN, fact=key)
    assert card.read_bytes().splitlines(True) == before
    say(people, "Call him Kenneth", days=1, place="card", supersedes="k7f3")
    left = [line for line in before if b"k7f3" not in line and line.strip()]
    assert [line for line in card.read_bytes().splitlines(True) if line in left] == left
    people.rename(KEN, "Kenneth", NOW)
    lines = card.read_bytes().splitlines(True)
    assert [line for line in left if line not in lines] == [b"names: [Ken]\r\n"]


def test_a_fact_keeps_its_history_when_its_words_change(people: People, ken: Path) -> None:
    """A typo put right by hand, or another order of the lines: the id still says who told it and who may hear it."""
    keys = [say(people, f"likes tune {number}") for number in range(5)]
    note = ken / "drawer/notes.md"
    by_hand(note, lambda text: text.replace("likes tune 0", "loves tune 0"))
    assert told(people) == ["likes tune 1", "likes tune 2", "likes tune 3", "likes tune 4", "loves tune 0"]
    assert [one["by"] for one in people.why(keys[0])["tellings"]] == [KEN]
    lines = note.read_text().splitlines(True)
    random.Random(1).shuffle(lines)
    by_hand(note, lambda _: "".join(lines))
    assert told(people) == ["likes tune 1", "likes tune 2", "likes tune 3", "likes tune 4", "loves tune 0"]
    people.move(KEN, keys[3], "card", NOW)
    say(people, "loves no tune", days=1, supersedes=keys[0])
    assert told(people) == ["likes tune 1", "likes tune 2", "likes tune 3", "likes tune 4", "loves no tune"]
    assert people.forget(NOW + timedelta(days=2), person=KEN, fact=keys[3]) == [keys[3]]


@pytest.mark.parametrize("where", ["card.md", "drawer/notes.md", "drawer/other.md"])
def test_a_copied_line_is_the_same_fact(people: People, ken: Path, where: str) -> None:
    """A line copied with its id, into another file or the same: what ends it ends both, and forgotten both are gone."""
    key = say(people, "lives in Rome")
    line = (ken / "drawer/notes.md").read_text()
    with open(ken / where, "a", encoding="utf-8") as file:
        file.write(line)
    assert set(told(people)) == {"lives in Rome"}
    assert len(people.why(key)["tellings"]) == 1
    new = say(people, "lives in Oslo", days=1, supersedes=key)
    assert told(people) == ["lives in Oslo"]
    people.undo(people.history(KEN)[-1].id, NOW + timedelta(days=2))
    assert set(told(people)) == {"lives in Rome"}
    assert new not in (ken / where).read_text()
    assert set(people.forget(NOW + timedelta(days=3), person=KEN, fact=key)) == {key}
    assert told(people, OWNER) == []
    assert not any(b"Rome" in path.read_bytes() for path in ken.parents[1].rglob("*") if path.is_file())


def test_one_id_on_two_facts(people: People, ken: Path) -> None:
    """Where a hand copied a line and wrote something else into it, both are told, and ending the one leaves the other."""
    key = say(people, "lives in Rome")
    by_hand(ken / "drawer/notes.md", lambda text: text + text.replace("lives in Rome", "works in Bari"))
    assert told(people) == ["lives in Rome", "works in Bari"]
    say(people, "lives in Oslo", days=1, supersedes=key)
    assert told(people) == ["lives in Oslo", "works in Bari"]


def test_a_line_moved_to_somebody_else_brings_no_rights_along(people: People, ken: Path, tmp_path: Path) -> None:
    """An id means something in the folder it was given in only: in another's it is a line written by hand, the owner's alone."""
    key = say(people, "lives in Rome")
    yumi = tmp_path / "home" / people.meet(YUMI, at=NOW) / "card.md"
    yumi.write_bytes(yumi.read_bytes() + (ken / "drawer/notes.md").read_bytes())
    assert told(people, account=YUMI) == []
    assert told(people, OWNER, YUMI) == ["lives in Rome"]
    assert people.why(key)["person"] == f"people/{ken.name}"


def test_a_folder_renamed_by_hand_stays_the_person(people: People, ken: Path) -> None:
    """The card says who it is: facts, tellings, links and changes are found under the new name, before anything is written and after."""
    old = say(people, "lives in Rome")
    key = say(people, "lives in Oslo", days=1, supersedes=old)
    people.link(KEN, KEN2, proof=True, at=NOW)
    people.remember(Saying("rows", KEN2, KEN2, GROUP, NOW, "drawer"))
    changes = [record.id for record in people.history(KEN)]
    ken.rename(ken.with_name("ken-from-work"))
    before = {path: path.read_bytes() for path in ken.parents[1].rglob("*") if path.is_file()}
    assert told(people) == told(people, account=KEN2) == ["lives in Oslo", "rows"]
    assert people.folders(KEN) == tuple(sorted(["people/ken-from-work", people.meet(KEN2, at=NOW)]))
    assert [one["at"] for one in people.why(key)["tellings"]] == [NOW + timedelta(days=1)]
    assert sorted(record.id for record in people.history(KEN)) == sorted(changes)
    assert before == {path: path.read_bytes() for path in ken.parents[1].rglob("*") if path.is_file()}
    change = next(record.id for record in people.history(KEN) if key in record.facts)
    people.undo(change, NOW + timedelta(days=2))
    assert told(people) == ["lives in Rome", "rows"]
    say(people, "keeps bees", days=3)
    assert not ken.exists()
    assert {record.id for record in people.history(KEN)} >= set(changes)
    assert not (ken.parents[1] / ".history/people" / f"{ken.name}.jsonl").exists()
    people.unlink(KEN, KEN2, at=NOW)
    assert told(people) == ["keeps bees", "lives in Rome"]
    people.forget(NOW + timedelta(days=4), person=KEN, everything=True)
    assert not any(b"Rome" in path.read_bytes() or "ken-from" in path.name for path in ken.parents[1].rglob("*") if path.is_file())


def test_a_room_renamed_by_hand_stays_the_room(people: People, ken: Path) -> None:
    """As with people: whoever writes next keeps the history under the new name, nothing of the old one stays, and the log goes on."""
    old = next((ken.parents[1] / "rooms").iterdir())
    people.join(GROUP, KEN2, NOW + timedelta(days=1))
    history = ken.parents[1] / ".history/rooms"
    before = (history / f"{old.name}.jsonl").read_bytes().count(b"\n")
    old.rename(old.with_name("kitchen"))
    people.say(GROUP, Event(KEN, NOW + timedelta(days=2), "hello", "s"))
    assert people.said(GROUP, GROUP, NOW + timedelta(days=2))[0].path.startswith("rooms/kitchen/")
    people.leave(GROUP, KEN2, NOW + timedelta(days=3))
    assert [path.name for path in history.iterdir() if path.suffix == ".jsonl"] == ["kitchen.jsonl"]
    assert (history / "kitchen.jsonl").read_bytes().count(b"\n") == before + 1
    assert str(old.name).encode() not in (history / "kitchen.jsonl").read_bytes()


def test_a_room_takes_over_no_history_of_another(people: People, ken: Path, tmp_path: Path) -> None:
    """A copy of a room's folder, and the history of another room whose folder is gone, change nothing of whose history is whose."""
    import shutil

    rooms, history = ken.parents[1] / "rooms", ken.parents[1] / ".history/rooms"
    one = next(rooms.iterdir())
    people.open_room(Room("chat:w:other", "other", "group", "since_join", (Stay(KEN),)), NOW)
    other = next(path for path in rooms.iterdir() if path != one)
    shutil.rmtree(other)
    shutil.copytree(one, tmp_path / "copy")
    people.join(GROUP, KEN2, NOW + timedelta(days=1))
    assert {path.stem for path in history.iterdir() if path.suffix == ".jsonl"} == {one.name, other.name}


def test_a_folder_copied_by_hand_takes_nothing_over(people: People, ken: Path, tmp_path: Path) -> None:
    """A copy of a folder beside the original has no history of its own, and the original keeps its."""
    import shutil

    key = say(people, "lives in Rome")
    shutil.copytree(ken, ken.with_name("ken-copy"))
    assert people.why(key)["person"] == f"people/{ken.name}"
    assert len(people.history(f"people/{ken.name}")) == 2
    assert people.history("people/ken-copy") == []


def test_a_broken_card_is_named_and_stays(people: People, ken: Path) -> None:
    """Front matter that a hand left open: no verb writes into that card, and it keeps every byte."""
    say(people, "lives in Rome")
    card = ken / "card.md"
    card.write_bytes(b"---\nid: x\nnames: [Ken\n- oops")
    before = card.read_bytes()
    with pytest.raises(OmoideError, match=r"card\.md"):
        say(people, "keeps bees", place="card")
    assert card.read_bytes() == before
