"""`omoide search --room`: what a room may read of whole files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from omoide.serve.cli.main import main

ROOM, LATE = "chat:w:old", "chat:w:late"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A room of two from the beginning and one with a newcomer, each with words in its log; a person, and a document for all."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("OMOIDE_HOME", str(home))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (home / "knowledge").mkdir()
    (home / "knowledge/tea.md").write_text("# Tea\n\nGreen tea is kept cold.\n", encoding="utf-8")
    (home / "MEMORY.md").write_text("# Memory\n\n- tea for the owner\n", encoding="utf-8")
    monday, friday = ["--now", "2026-11-02"], ["--now", "2026-11-06"]
    for name in ("ann", "bob", "cat"):
        main(["people", "meet", f"chat:w:{name}", name.title(), *monday])
    main(["rooms", "open", ROOM, "old", "chat:w:ann", "chat:w:bob", *monday])
    main(["rooms", "open", LATE, "late", "chat:w:ann", *monday])
    main(["rooms", "say", ROOM, "chat:w:ann", "tea in the old room", *monday])
    main(["rooms", "say", LATE, "chat:w:ann", "tea in the late room", *monday])
    main(["rooms", "join", LATE, "chat:w:cat", *friday])
    main(["remember", "likes tea", "--about", "chat:w:ann", "--room", ROOM, *monday])
    return home


def found(capsys: pytest.CaptureFixture[str], *words: str) -> set[str]:
    """The top folders (and the name of a room) of the hits."""
    capsys.readouterr()
    assert main(["search", *words, "--recipe", "lexical", "-n", "50", "--json", "--now", "2026-11-07"]) == 0
    hits = json.loads(capsys.readouterr().out)["data"]["results"]
    return {hit["path"].split("-")[0] if hit["path"].startswith("rooms") else hit["path"].split("/")[0] for hit in hits}


def test_a_room_finds_what_all_who_read_there_may_read(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Documents for all, and its own folder if nobody there came later; nothing of the owner, of other rooms, of people."""
    assert found(capsys, "tea") == {"MEMORY.md", "knowledge", "people", "rooms/late", "rooms/old"}
    assert found(capsys, "tea", "--room", ROOM) == {"knowledge", "rooms/old"}
    assert found(capsys, "tea", "--room", LATE) == {"knowledge"}
    main(["rooms", "leave", LATE, "chat:w:cat", "--now", "2026-11-06T12:00"])
    assert found(capsys, "tea", "--room", LATE) == {"knowledge", "rooms/late"}


def test_what_cannot_be_asked_for_a_room(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder of a person, and a room that is not there, are refused with the way to go."""
    assert main(["search", "tea", "--room", ROOM, "--about", "Ann"]) == 2
    assert f"omoide about Ann --room {ROOM}" in capsys.readouterr().err
    assert main(["search", "tea", "--room", "chat:w:none"]) == 2
    assert "no room chat:w:none" in capsys.readouterr().err


def test_who_is_in_a_room_is_no_text(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The list of members is no hit; the purpose and the rules of a room are."""
    place = next((home / "rooms").glob("old-*")) / "room.md"
    place.write_text(place.read_text(encoding="utf-8") + "\n## Rules\n\n- No shouting before noon.\n", encoding="utf-8")
    assert found(capsys, "chat:w:bob", "--kind", "room") == set()
    assert found(capsys, "shouting", "--kind", "room") == {"rooms/old"}


def test_sources(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What was said in rooms can be searched alone or left out; hits name their source; an unknown one is refused."""
    assert found(capsys, "tea", "--source", "sessions") == {"rooms/late", "rooms/old"}
    assert found(capsys, "tea", "--source", "memory") == {"MEMORY.md", "knowledge", "people"}
    assert found(capsys, "tea", "--source", "memory", "--source", "sessions") == {
        "MEMORY.md",
        "knowledge",
        "people",
        "rooms/late",
        "rooms/old",
    }
    assert found(capsys, "tea", "--set", "search.sources=memory") == {"MEMORY.md", "knowledge", "people"}
    assert main(["search", "tea", "--source", "sessions", "--recipe", "lexical", "--json"]) == 0
    assert {hit["source"] for hit in json.loads(capsys.readouterr().out)["data"]["results"]} == {"sessions"}
    assert main(["search", "tea", "--source", "mail"]) == 2
    assert "source 'mail': it is memory or sessions" in capsys.readouterr().err
