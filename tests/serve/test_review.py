"""`omoide review` as it is typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from omoide.serve.cli.main import main

KEN, MIA, ROOM = "chat:w:ken", "chat:w:mia", "chat:w:room"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """Two people in one room."""
    monkeypatch.setenv("OMOIDE_HOME", str(tmp_path))
    monkeypatch.setenv("OMOIDE_CACHE", str(tmp_path / ".cache"))
    for words in (["people", "meet", KEN, "Ken"], ["people", "meet", MIA, "Mia"], ["rooms", "open", ROOM, "room", KEN, MIA]):
        assert main([*words, "--now", "2026-06-01"]) == 0
    capsys.readouterr()
    return tmp_path


def test_list_accept_reject_and_back(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What waits is listed with whose it is, who said it and why; answers take ids, say what was done, and undo takes them back."""
    assert main(["review"]) == 0
    assert capsys.readouterr().out == "nothing waits\n"
    for text in ("Ken moved to York", "Ken plays the oboe"):
        assert main(["remember", text, "--about", KEN, "--by", MIA, "--room", ROOM, "--claim", "--now", "2026-06-02"]) == 0
    capsys.readouterr()
    assert main(["review", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["data"]
    assert {(row["what"], row["by"]) for row in rows} == {("claim", MIA)}
    ids = {row["text"]: row["id"] for row in rows}
    assert main(["review"]) == 0
    shown = capsys.readouterr().out
    assert f"said by {MIA} on 2026-06-02 in {ROOM}; somebody else said it" in shown
    assert main(["review", "accept", f"^{ids['Ken moved to York']}", "--reason", "asked"]) == 0
    assert capsys.readouterr().out.startswith(f"accepted ^{ids['Ken moved to York']}  ")
    assert main(["review", "accept", ids["Ken moved to York"]]) == 0
    assert "was done before" in capsys.readouterr().out
    assert main(["review", "reject", ids["Ken plays the oboe"], "--json"]) == 0
    change = json.loads(capsys.readouterr().out)["data"][0]["change"]
    assert main(["about", KEN, "--pending", "--json"]) == 0
    assert [row["text"] for row in json.loads(capsys.readouterr().out)["data"]["facts"]] == ["Ken moved to York"]
    assert main(["undo", change, "--reason", "it is so"]) == 0
    assert main(["review", "accept"]) == 2
    assert main(["review", "accept", "zzz"]) == 2
    assert "lists what waits" in capsys.readouterr().err


def test_a_message_piece_by_piece_and_the_reasons(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each piece is printed with its place and why; `why` says it again; without a person in a room of two nothing is kept."""
    assert main(["remember", "絵文字なしで。登山が好き。", "--each", "--about", KEN, "--room", ROOM, "--now", "2026-06-01"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert "card.md  (it says how to talk with them)" in first
    assert "drawer/notes.md  (it is looked up when it matters)" in second
    key = first.split()[1]
    assert main(["why", key]) == 0
    assert "(it says how to talk with them)" in capsys.readouterr().out
    assert main(["move", key, "drawer", "--because", "settled"]) == 0
    assert main(["undo", key]) == 0
    assert main(["remember", "no emoji", "--room", ROOM]) == 2
    assert "whom this is about" in capsys.readouterr().err
