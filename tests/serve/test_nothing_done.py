"""A command that did nothing says so: what is so already is "nothing to do", what is not there is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from omoide.serve.cli.main import main

Capture = pytest.CaptureFixture[str]
ROOM, ANN, BOB, CAT = "slack:T01:C1", "slack:T01:U1", "slack:T01:U2", "slack:T01:U3"
NOW = ["--now", "2026-12-01T10:00"]


@pytest.fixture(autouse=True)
def home(empty_home: Path, capsys: Capture) -> Path:
    """Ann and Bob in a room; Ann is linked with Cat; one fact of Ann's, a claim that was accepted, one that was rejected."""
    for words in (["people", "meet", ANN, "Ann"], ["people", "meet", BOB, "Bob"], ["people", "meet", CAT, "Catherine"],
                  ["rooms", "open", ROOM, "design", ANN, BOB], ["people", "link", ANN, CAT, "--proof"]):  # fmt: skip
        assert main([*words, *NOW]) == 0
    capsys.readouterr()
    return empty_home


def files(home: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in home.rglob("*") if path.is_file() and path.suffix != ".lock"}


def kept(capture: Capture, text: str, *more: str) -> str:
    assert main(["remember", text, "--about", ANN, *more, "--json", *NOW]) == 0
    return str(json.loads(capture.readouterr().out)["data"]["id"])


@pytest.mark.parametrize("words", [
    ["people", "rename", ANN, "Ann"], ["people", "link", ANN, CAT, "--proof"], ["people", "link", CAT, ANN, "--proof"], ["people", "merge", ANN, CAT],
    ["rooms", "join", ROOM, BOB], ["rooms", "open", ROOM, "design", ANN], ["move", "FACT", "drawer"], ["review", "accept", "TRUE"],
    ["review", "reject", "FALSE"], ["migrate"],
])  # fmt: skip
def test_what_is_so_already_is_nothing_to_do(home: Path, capsys: Capture, words: list[str]) -> None:
    """Exit code 0, for the wish is fulfilled; the answer does not say "done", and no byte is written."""
    ids = {
        "FACT": kept(capsys, "likes tea", "--place", "drawer"),
        "TRUE": kept(capsys, "rows", "--claim", "--by", BOB),
        "FALSE": kept(capsys, "sings", "--claim", "--by", BOB),
    }
    assert main(["review", "accept", ids["TRUE"], *NOW]) == main(["review", "reject", ids["FALSE"], *NOW]) == 0
    before = files(home)
    capsys.readouterr()
    assert main([ids.get(word, word) for word in words] + NOW) == 0
    assert capsys.readouterr().out.startswith("nothing to do")
    assert files(home) == before


@pytest.mark.parametrize(("words", "said"), [
    (["people", "unlink", ANN, BOB], "are not linked with each other. Nothing"), (["people", "split", ANN, BOB], "were not joined"),
    (["people", "merge", ANN, ANN], "named twice"), (["people", "merge", "Bob", "Bob"], "named twice"), (["people", "link", ANN, ANN, "--proof"], "named twice"),
    (["people", "unlink", ANN, ANN], "named twice"), (["people", "split", ANN, ANN], "named twice"),
    (["people", "link", ANN, BOB], "likeness is no proof"), (["people", "link", ANN, BOB, CAT, "--proof"], "takes two accounts"),
    (["rooms", "leave", ROOM, CAT], f"{CAT} is not in {ROOM}"), (["rooms", "leave", ROOM, "slack:T01:U9"], "is not in"),
    (["rooms", "join", ROOM, BOB, CAT], "one account"), (["rooms", "open", ROOM, "other"], "called design"),
    (["rooms", "open", ROOM, "design", "--type", "dm"], "as group"), (["rooms", "open", ROOM, "design", "--past", "members"], "as group"),
    (["forget", "--room", "bogus"], "said in bogus"), (["forget", "--room", ROOM], f"said in {ROOM}"), (["forget", "--source", "bogus"], "source bogus"),
    (["forget", "--person", ANN, "--source", "bogus"], "source bogus"), (["forget", "^zzz"], "no fact has the id"), (["forget"], "say what to forget"),
    (["forget", "FACT", "--person", BOB], "known of this person"),
    (["undo", "zzz"], "no change zzz"), (["undo", "^zzz"], "^zzz"), (["move", "zzz", "card"], "no fact has the id"), (["move", "FACT", "shelf"], "card, drawer or drawer/TOPIC"),
    (["review", "accept", "zzz"], "lists what waits"), (["review", "reject", "FACT"], "it does not wait"), (["why", "zzz"], "no fact has the id"),
    (["remember", "x", "--about", ANN, "--supersedes", "zzz"], "^zzz"), (["remember", "x", "--about", ANN, "--wrong"], "--supersedes"),
])  # fmt: skip
def test_what_is_not_there_is_refused(home: Path, capsys: Capture, words: list[str], said: str) -> None:
    """Exit code 2, a sentence, and no byte is written: nobody who mistyped believes that it is done."""
    key = kept(capsys, "likes tea")
    before = files(home)
    assert main([key if word == "FACT" else word for word in words] + NOW) == 2
    shown = capsys.readouterr()
    assert said in shown.err and shown.out == ""
    assert files(home) == before


def test_an_answer_to_several_is_given_to_all_or_none(home: Path, capsys: Capture) -> None:
    """An id that does not wait stops the answer before the first is given."""
    key = kept(capsys, "rows", "--claim", "--by", BOB)
    before = files(home)
    assert main(["review", "accept", key, "zzz", *NOW]) == 2
    assert files(home) == before
    assert main(["review", "accept", key, f"^{key}", *NOW]) == 0
    assert capsys.readouterr().out.count(f"^{key}") == 2


def test_what_is_left_undone_is_data_too(home: Path, capsys: Capture) -> None:
    """Programs read an empty `done` and why."""
    assert main(["rooms", "join", ROOM, BOB, "--json", *NOW]) == 0
    assert json.loads(capsys.readouterr().out)["data"] == {"done": "", "why": f"{BOB} is in {ROOM} already", "careful": []}


def test_a_room_with_a_log_and_no_fact_is_forgotten(home: Path, capsys: Capture) -> None:
    """What goes is the log; the second time there is nothing."""
    assert main(["rooms", "say", ROOM, ANN, "hello", *NOW]) == 0
    assert main(["forget", "--room", ROOM, *NOW]) == 0
    assert main(["forget", "--room", ROOM, *NOW]) == 2


@pytest.mark.parametrize(("options", "said"), [
    (["--place", "shelf"], "card, drawer or drawer/TOPIC"), (["--place", "card/x"], "card, drawer"), (["--place", "drawer/"], "card, drawer"),
    (["--place", "drawerx"], "card, drawer"), (["--place", "drawer/../x"], "x.md"), (["--message", "-1"], "0 or more"), (["--message", "x"], "invalid int"),
    (["--by", "slack:U1"], "two parts"), (["--room", "design"], "names no platform"), (["--room", "slack::C1"], "no workspace"), (["--open", "--secret"], "not allowed with"),
    (["--since", "soon"], "since"), (["--until", "soon"], "until"),
])  # fmt: skip
@pytest.mark.parametrize("each", [[], ["--each"]])
def test_a_value_that_nobody_knows_is_refused(home: Path, capsys: Capture, options: list[str], said: str, each: list[str]) -> None:
    """Every option of `remember` that takes one of a few values, or an account, names what it takes."""
    before = files(home)
    try:
        code = main(["remember", "likes tea", "--about", ANN, *options, *each, *NOW])
    except SystemExit as stopped:  # argparse
        code = int(str(stopped.code))
    assert code == 2 and said in capsys.readouterr().err
    assert files(home) == before
