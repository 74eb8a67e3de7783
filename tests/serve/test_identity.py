"""Who is who, at the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from omoide.serve.cli.main import main

Capture = pytest.CaptureFixture[str]
ROOM = "slack:T01:C1"


@pytest.fixture(autouse=True)
def home(empty_home: Path) -> Path:
    """Every test here has it."""
    return empty_home


def run(capture: Capture, *words: str, code: int = 0) -> tuple[str, str]:
    """One command: what it printed, and what it printed as an error."""
    capture.readouterr()
    assert main(list(words)) == code
    shown = capture.readouterr()
    return shown.out, shown.err


def data(capture: Capture, *words: str) -> Any:
    """The data of one command's JSON."""
    return json.loads(run(capture, *words, "--json")[0])["data"]


def test_a_look_alike_is_shown_with_a_warning(home: Path, capsys: Capture) -> None:
    """`who` and `people` name it beside the candidates with the letters that differ; a command about the name alone does not
    take it; whoever gets such a name in a room is warned of on the error output, and the command is done."""
    run(capsys, "people", "meet", "slack:T01:U1", "Marc")
    run(capsys, "people", "meet", "slack:T01:U2", "Mark")
    run(capsys, "rooms", "open", ROOM, "design", "slack:T01:U1", "slack:T01:U2")
    out, err = run(capsys, "people", "rename", "slack:T01:U2", "Маrc")
    assert out == "done\n" and "careful: slack:T01:U2 looks like people/marc-" in err and "М U+041C, а U+0430" in err
    out, err = run(capsys, "who", "Marc")
    assert out.splitlines()[0] == "one person" and "slack:T01:U1" in out.splitlines()[1]
    assert "careful" in out.splitlines()[2] and "slack:T01:U2" in out.splitlines()[3] and "other letters: М U+041C, а U+0430" in out.splitlines()[3]
    for more in ([], ["--room", ROOM]):
        found = data(capsys, "who", "Marc", *more)
        assert [one["accounts"] for one in found["people"]] == [["slack:T01:U1"]]
        assert [one["accounts"] for one in found["alike"]] == [["slack:T01:U2"]]
    assert run(capsys, "people")[0].count("careful: looks like") == 2
    run(capsys, "people", "rename", "slack:T01:U1", "Marcus")
    out, err = run(capsys, "card", "Mаrk", code=2)
    assert "nobody here is called" in err and "only looks like it" in err and "slack:T01:U2" in err


def test_merge_and_split(home: Path, capsys: Capture) -> None:
    """Two are made one by the owner's hand and two again, by name, account or folder, with a reason that is kept; the command
    says how to take it back."""
    one, two = (run(capsys, "people", "meet", f"slack:T0{number}:U1", name)[0].strip() for number, name in ((1, "Ken"), (2, "健")))
    cards = {path: path.read_bytes() for path in home.rglob("card.md")}
    out, _ = run(capsys, "people", "merge", "Ken", "slack:T02:U1", "--reason", "he says so in both")
    assert out.startswith(f"{' + '.join(sorted((one, two)))}  (`omoide people split ")
    assert "Ken / 健" in run(capsys, "who", "Ken")[0] or "健 / Ken" in run(capsys, "who", "Ken")[0]
    assert "he says so in both" in (home / ".history" / f"{one}.jsonl").read_text(encoding="utf-8")
    assert data(capsys, "people", "split", one, two)["folders"] == [one]
    assert {path: path.read_bytes() for path in home.rglob("card.md")} == cards
    assert "were not joined" in run(capsys, "people", "split", one, two, code=2)[1]


def test_link_needs_proof(home: Path, capsys: Capture) -> None:
    """Accounts are linked only where both sides have shown that they are one, and unlinked at a word."""
    run(capsys, "people", "meet", "slack:T01:U1", "Ken")
    run(capsys, "people", "meet", "line:p:U2")
    assert "likeness is no proof" in run(capsys, "people", "link", "slack:T01:U1", "line:p:U2", code=2)[1]
    run(capsys, "people", "link", "slack:T01:U1", "line:p:U2", "--proof")
    assert data(capsys, "who", "Ken")["people"][0]["accounts"] == ["line:p:U2", "slack:T01:U1"]
    run(capsys, "people", "unlink", "slack:T01:U1", "line:p:U2")
    assert data(capsys, "who", "Ken")["people"][0]["accounts"] == ["slack:T01:U1"]


@pytest.mark.parametrize("kind", ["project", "team", "agent"])
def test_other_subjects_by_the_same_words(home: Path, capsys: Capture, kind: str) -> None:
    """A project, a team and an agent are met, remembered, shown, grepped, explained, undone and forgotten like a person."""
    account = f"work:w:{kind}"
    folder = run(capsys, "people", "meet", account, "Apollo", "--kind", kind)[0].strip()
    assert folder.startswith(f"{kind}s/apollo-")
    run(capsys, "remember", "ships on Fridays", "--about", "Apollo", "--place", "card", "--by", "slack:T01:U1")
    kept = data(capsys, "remember", "uses port 8080", "--about", folder, "--place", "drawer/setup", "--by", "slack:T01:U1")
    assert "ships on Fridays" in run(capsys, "card", account)[0] and "drawer/setup: 1 fact" in run(capsys, "card", "Apollo")[0]
    assert "uses port 8080" in run(capsys, "about", "Apollo", "port")[0].splitlines()[0]
    assert f"{folder}/drawer/setup.md:1:" in run(capsys, "grep", "8080", "--about", "Apollo")[0]
    assert "by slack:T01:U1" in run(capsys, "why", kept["id"])[0]
    assert [row["verb"] for row in data(capsys, "history", "Apollo")] == ["meet", "remember", "remember"]
    run(capsys, "undo", kept["change"])
    assert "8080" not in run(capsys, "about", "Apollo")[0]
    assert "1 fact forgotten" in run(capsys, "forget", "--person", "Apollo")[0]
    assert not any(b"Fridays" in path.read_bytes() for path in home.rglob("*") if path.is_file())


@pytest.mark.parametrize("name", ["Ravi s/o Kumar", "team:blue", "佐藤 健"])
def test_a_name_that_looks_like_an_account_is_a_name(home: Path, capsys: Capture, name: str) -> None:
    """Somebody whose name holds a slash or a colon is found by it, and a name written like another's account finds the account."""
    run(capsys, "people", "meet", "slack:T01:U1", name)
    run(capsys, "people", "meet", "slack:T01:U2", "slack:T01:U1")
    run(capsys, "remember", "drinks tea", "--about", name)
    assert "drinks tea" in run(capsys, "about", name)[0]
    assert "drinks tea" in run(capsys, "about", "slack:T01:U1")[0]


def test_bots_are_nobody(home: Path, capsys: Capture) -> None:
    """An account met as a bot reads nothing, so that a room with it tells what a room without it would."""
    run(capsys, "people", "meet", "slack:T01:U1", "Ken")
    run(capsys, "people", "meet", "slack:T01:B1", "Clock", "--bot")
    run(capsys, "rooms", "open", ROOM, "design", "slack:T01:U1", "slack:T01:B1")
    run(capsys, "remember", "drinks tea", "--about", "Ken", "--room", "slack:T01:other")
    assert "drinks tea" in run(capsys, "about", "Ken", "--room", ROOM)[0]
    assert data(capsys, "who", "Clock", "--room", ROOM)["status"] == "unknown"


def test_a_word_about_somebody_else_is_pointed_out(capsys: Capture) -> None:
    """Who keeps as a fact what another said is told so, and how to keep it as a claim; the same said by the person is not remarked on."""
    run(capsys, "people", "meet", "chat:w:1", "Ann")
    assert "with --claim it waits" in run(capsys, "remember", "likes tea", "--about", "chat:w:1", "--by", "chat:w:2")[1]
    for more in (["--claim", "--by", "chat:w:2"], ["--by", "chat:w:1"], []):
        assert "--claim" not in run(capsys, "remember", "likes tea a lot", "--about", "chat:w:1", *more)[1]
