"""Hostile and merely odd names and ids: each gets its own folder or a clear refusal, never another's."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide import Omoide
from omoide.api.people import OWNER, Asking, People, Room, Saying, Stay
from omoide.errors import BadInput
from omoide.store import subjects
from omoide.store.check_path import checked

CASES = Path(__file__).parents[3] / "shared" / "cases" / "paths_and_names" / "cases.jsonl"
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
KINDS = ("person", "project", "team", "agent")
ME = "chat:w:me"


def rows(*kinds: str) -> list[Any]:
    """The shared rows of these kinds, or one row that is skipped."""
    if not CASES.exists():
        return [pytest.param({}, marks=pytest.mark.skip(reason=f"{CASES.name} of the shared cases is absent"))]
    lines = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    return [pytest.param(row, id=row["id"]) for row in lines if row["kind"] in kinds]


def inputs() -> list[str]:
    """Everything that stands in the shared rows, as an id or a name or a path."""
    return [row.values[0]["input"] for row in rows("account_id", "person_name", "title", "note_path") if row.values[0]]


@pytest.fixture
def people(tmp_path: Path) -> Iterator[People]:
    """An empty home."""
    (tmp_path / "home").mkdir()
    with Omoide(tmp_path / "home", cache=tmp_path / "cache") as omoide:
        yield omoide.people


def written(root: Path) -> dict[str, bytes]:
    """Every file below a folder and its bytes, without locks, which hold nothing."""
    found = (path for path in root.rglob("*") if path.is_file() and path.suffix != ".lock")
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("row", rows("account_id"))
def test_an_id_of_the_shared_cases(people: People, tmp_path: Path, row: dict[str, Any], kind: str) -> None:
    """As the id of an account of any kind: taken and given back with its own facts, or refused by name of the field with nothing written."""
    account = f"chat:w:{row['input']}"
    before = written(tmp_path)
    if row["expect"] == "reject":
        for call in (lambda: people.meet(account, at=NOW, kind=kind), lambda: people.remember(Saying("x", account, account, "", NOW)),
                     lambda: people.open_room(Room(account), NOW), lambda: people.remember(Saying("x", ME, account, "", NOW)),
                     lambda: people.remember(Saying("x", ME, ME, account, NOW))):  # fmt: skip
            with pytest.raises(BadInput, match=r"(?s)^(account|room|by|about): "):
                call()
        assert written(tmp_path) == before
        return
    folder = people.meet(account, "Ken", at=NOW, kind=kind)
    kept = people.remember(Saying("drinks tea", account, ME, "", NOW, place="card"))
    assert people.accounts([folder]) == {unicodedata.normalize("NFC", account)}
    assert people.meet(unicodedata.normalize("NFD", account), at=NOW) == folder
    assert [told.known.fact.id for told in people.know(Asking("", OWNER, NOW, account)).facts] == [kept.id]
    assert people.know(Asking("", OWNER, NOW, account)).facts[0].known.fact.meta["by"] == ME
    assert checked(f"{folder}/card.md") and (tmp_path / "home" / folder / "card.md").is_file()


@pytest.mark.parametrize("row", rows("account_id"))
def test_an_id_of_the_shared_cases_as_a_room(people: People, row: dict[str, Any]) -> None:
    """As the id of a room and of its member: the room has that member, by that id, and comes and goes by it."""
    room = f"chat:w:{row['input']}"
    if row["expect"] == "reject":
        people.open_room(Room(ME, "plain"), NOW)
        with pytest.raises(BadInput, match=r"^account: "):
            people.join(ME, room, NOW)
        return
    people.meet(room, "Ken", at=NOW)
    people.open_room(Room(room, "", "group", "since_join", (Stay(room),)), NOW)
    assert [(known.id, known.members(NOW)) for known in people.rooms()] == [(unicodedata.normalize("NFC", room), {unicodedata.normalize("NFC", room)})]
    people.remember(Saying("drinks tea", room, room, room, NOW))
    assert len(people.know(Asking("", unicodedata.normalize("NFD", room), NOW, room)).facts) == 1
    people.leave(room, room, NOW)
    assert people.rooms()[0].members(NOW) == set()


@pytest.mark.parametrize("row", rows("person_name"))
def test_a_name_of_the_shared_cases(people: People, tmp_path: Path, row: dict[str, Any]) -> None:
    """As the name of somebody of any kind and as a new name: it comes back unchanged and finds its bearers, or is refused with nothing written."""
    people.meet(ME, "Somebody", at=NOW)
    before = written(tmp_path)
    if row["expect"] == "reject":
        for call in (lambda: people.meet("chat:w:new", row["input"], at=NOW), lambda: people.rename(ME, row["input"], NOW)):
            with pytest.raises(BadInput, match=r"^name: "):
                call()
        assert written(tmp_path) == before
        return
    folders = [people.meet(f"chat:w:{kind}", row["input"], at=NOW, kind=kind) for kind in KINDS]
    found = people.candidates(row["input"], NOW)
    assert sorted(one.folders for one in found) == sorted((folder,) for folder in folders)
    assert all(one.names == (unicodedata.normalize("NFC", row["input"]),) for one in found)
    assert people.candidates("Somebody", NOW)[0].accounts == (ME,)


def test_all_of_the_shared_cases_in_one_home(people: People, tmp_path: Path) -> None:
    """Thrown at one home together, as ids and as names, no two ids have one folder on any disk, and nothing lies outside the home."""
    met: dict[str, str] = {}
    for text in [*inputs(), "ken", "Ken", "кen"]:
        for kind in KINDS:
            for account, name in ((f"chat:{kind}:{text}", "Ken"), (f"chat:{kind}:{len(met)}", text)):
                try:
                    met[unicodedata.normalize("NFC", account)] = people.meet(account, name, at=NOW, kind=kind)
                except BadInput:
                    continue
    flat = {unicodedata.normalize("NFD", folder).casefold() for folder in met.values()}
    assert len(flat) == len(met) > 8
    assert {path.split("/")[0] for path in written(tmp_path)} <= {"home", "cache"}
    assert {path.split("/")[1] for path in written(tmp_path / "home") if path.startswith("home")} <= set(subjects.FOLDERS.values())


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_text_is_somebody_or_refused(tmp_path_factory: pytest.TempPathFactory, one: str, other: str) -> None:
    """Two texts as ids and names: two different ids never answer for each other."""
    with Omoide(tmp_path_factory.mktemp("home")) as omoide:
        known = {}
        for text, name in {unicodedata.normalize("NFC", text): name for text, name in ((one, other), (other, one))}.items():
            try:
                account = f"chat:w:{text}"
                folder = omoide.people.meet(account, at=NOW)
                known[unicodedata.normalize("NFC", account)] = (folder, omoide.people.remember(Saying("likes tea", account, account, "", NOW)).id)
                omoide.people.rename(account, name, NOW)
            except BadInput:
                continue
        assert len({folder for folder, _ in known.values()}) == len(known)
        for account, (folder, fact) in known.items():
            assert omoide.people.folders(account) == (folder,)
            assert [told.known.fact.id for told in omoide.people.know(Asking("", OWNER, NOW, account)).facts] == [fact]


def test_two_ids_with_one_number_get_two_folders(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the short number of a folder is taken by another id, a longer one is used: nobody moves in with anybody."""
    real = subjects.folder_name
    monkeypatch.setattr("omoide.api.folks.folder_name", lambda display, key, size: real(display, key, size) if size > 4 else "ken-00000000")
    folders = [people.meet(f"chat:w:{number}", "Ken", at=NOW) for number in range(3)]
    assert len(set(folders)) == 3 and folders[0] == "people/ken-00000000"
    assert [people.meet(f"chat:w:{number}", at=NOW) for number in range(3)] == folders


def test_a_member_whose_id_ends_like_metadata_is_nobody_else(people: People) -> None:
    """`foo(secret)` in a room does not let `foo` in, and what it says is not taken for words about the line."""
    odd, plain = "chat:w:foo(secret)", "chat:w:foo"
    people.open_room(Room("chat:w:R", "R", "group", "since_join", (Stay(odd),)), NOW)
    people.join("chat:w:R", "chat:w:bar(wrong;pending)", NOW)
    assert people.rooms()[0].members(NOW) == {odd, "chat:w:bar(wrong;pending)"}
    kept = people.remember(Saying("drinks tea", plain, "chat:w:x;(y)%3B", "chat:w:R", NOW))
    fact = people.know(Asking("", OWNER, NOW, plain)).facts[0].known.fact
    assert (fact.id, fact.text, fact.meta["by"]) == (kept.id, "drinks tea", "chat:w:x;(y)%3B")
