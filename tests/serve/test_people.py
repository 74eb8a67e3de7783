"""Commands about people and rooms: what they say where the words do not fit, and in a room."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from omoide.serve.cli.main import main

Capture = pytest.CaptureFixture[str]
ROOM, AWAY = "slack:T01:C1", "slack:T01:C2"
ANN, BOB, OTHER = "slack:T01:U1", "slack:T01:U2", "slack:T01:U3"
NOW = ["--now", "2026-12-01T10:00"]


@pytest.fixture(autouse=True)
def home(empty_home: Path, capsys: Capture) -> Path:
    """Two in a room, and elsewhere somebody who has the name of one of them."""
    for account, name in ((ANN, "Ann"), (BOB, "Bob"), (OTHER, "Ann")):
        run(capsys, "people", "meet", account, name)
    run(capsys, "rooms", "open", ROOM, "design", ANN, BOB)
    run(capsys, "rooms", "open", AWAY, "hidden", OTHER)
    return empty_home


def run(capture: Capture, *words: str, code: int = 0) -> tuple[str, str]:
    """One command at a fixed time: what it printed, and what it printed as an error."""
    capture.readouterr()
    assert main([*words, *NOW]) == code
    shown = capture.readouterr()
    return shown.out, shown.err


@pytest.mark.parametrize("words", [["card", "Ann"], ["grep", ".", "--about", "Ann"], ["who", "Ann"], ["about", "Ann"], ["who"]])
def test_a_room_decides_whom_a_name_means(capsys: Capture, words: list[str]) -> None:
    """For the room there is one of that name; of the other nothing is said, not even that there is one. The owner is asked which."""
    out, err = run(capsys, *words, "--room", ROOM)
    assert OTHER not in out + err and "hidden" not in out + err and "may be" not in out + err
    if words[-1] == "Ann" and words[0] != "who":
        assert "may be 2 people" in run(capsys, *words, code=2)[1]


def test_a_room_that_is_not_there_is_named(capsys: Capture) -> None:
    """What was said there is kept all the same, for it may be opened later, and the error output says that nothing is told there."""
    assert "no room slack:T01:C9 is known" in run(capsys, "remember", "x", "--about", ANN, "--room", "slack:T01:C9")[1]
    assert "no room" not in run(capsys, "remember", "x", "--about", ANN, "--room", ROOM)[1]


@pytest.mark.parametrize(("words", "said"), [
    (["about", ANN, "--as-of", "someday"], "'someday' is not a date"),
    (["about", "slack:T01:U9"], "nobody here is known as slack:T01:U9"),
    (["about", ANN, "-n", "0"], "limit is 1 or more"),
    (["grep", ".", "--about", ANN, "-C", "-1"], "around is 0 or more"),
    (["remember", "x", "--about", ANN, "--since", "2026-12-05", "--until", "2026-12-01"], "before since"),
    (["rooms", "open", ROOM, "design", ANN, OTHER], f"rooms join {ROOM} ACCOUNT` lets {OTHER} in"),
])  # fmt: skip
def test_what_is_refused_says_why(capsys: Capture, words: list[str], said: str) -> None:
    """No traceback, no "done" where nothing was done, no empty answer to a question that cannot be."""
    assert said in run(capsys, *words, code=2)[1]


def test_the_one_person_in_a_room_is_meant_and_speaks(capsys: Capture) -> None:
    """Without an account it is about whoever is alone there, in their own words unless another is named."""
    kept = json.loads(run(capsys, "remember", "likes tea", "--room", AWAY, "--json")[0])["data"]["id"]
    assert f"by {OTHER} in {AWAY}" in run(capsys, "why", kept)[0]
    assert run(capsys, "remember", "likes tea", "--room", AWAY)[0].startswith(f"again ^{kept}")
    assert run(capsys, "remember", "Likes rice.", "--room", AWAY, "--each")[0].startswith("new")
    assert run(capsys, "remember", "likes gin", "--room", AWAY, "--by", BOB)[0].startswith("new")


def test_a_date_in_the_words_is_pointed_out(capsys: Capture) -> None:
    """Words that name a day end nothing by themselves: the command says which day it is, and what would end the fact. Days in
    figures are days, too."""
    for words in ("in Oslo until next Friday", "in Oslo until 2026-12-11", "12月11日まで大阪"):
        out, err = run(capsys, "remember", words, "--about", ANN)
        assert ("2026-12-11" in err or "12月11日" in err) and "--until" in err and out.startswith("new")
    found = json.loads(run(capsys, "remember", "in Bern until next Friday", "--about", ANN, "--json")[0])["data"]
    assert [(one["words"], one["last"]) for one in found["dates"]] == [("until next Friday", "2026-12-11")]
    assert run(capsys, "remember", "in Rome until next Friday", "--about", ANN, "--until", "2026-12-11")[1] == ""
    assert run(capsys, "remember", "likes tea", "--about", ANN)[1] == ""


def test_an_undone_change_is_undone_once(capsys: Capture) -> None:
    """The second time says so, and writes nothing."""
    change = json.loads(run(capsys, "remember", "likes tea", "--about", ANN, "--json")[0])["data"]["change"]
    run(capsys, "undo", change)
    before = run(capsys, "history", ANN)[0]
    assert "taken back already" in run(capsys, "undo", change, code=2)[1]
    assert run(capsys, "history", ANN)[0] == before


def test_forgetting_a_person_says_that_all_is_gone(capsys: Capture) -> None:
    """Also of somebody of whom no fact was known."""
    assert run(capsys, "forget", "--person", BOB)[0] == f"0 facts forgotten, and all else of {BOB}\n"
    assert BOB not in run(capsys, "who")[0]
