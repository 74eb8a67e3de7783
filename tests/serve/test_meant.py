"""Whom and which room a command means: every command answers a name of several, of nobody, and a room that is not there, alike."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from omoide.serve.cli.main import _parser, main

Capture = pytest.CaptureFixture[str]
ROOM = "slack:T01:C1"
ANN, OTHER, BOB = "slack:T01:U1", "slack:T01:U2", "slack:T01:U3"
NOW = ["--now", "2026-12-01T10:00"]

WHO = "•"
"""Where a case has the person or the room that is looked for."""
PEOPLE = {
    "about PERSON": ["about", WHO], "about PERSON --room": ["about", WHO, "--room", ROOM],
    "card PERSON": ["card", WHO], "card PERSON --room": ["card", WHO, "--room", ROOM],
    "grep --about": ["grep", ".", "--about", WHO], "grep --about --room": ["grep", ".", "--about", WHO, "--room", ROOM],
    "search --about": ["search", "tea", "--about", WHO], "history PERSON": ["history", WHO], "forget --person": ["forget", "--person", WHO],
    "remember --about": ["remember", "x", "--about", WHO], "remember --by": ["remember", "x", "--about", BOB, "--by", WHO],
    "people rename": ["people", "rename", WHO, "New"], "people link": ["people", "link", BOB, WHO, "--proof"],
    "people unlink": ["people", "unlink", WHO, BOB], "people merge": ["people", "merge", WHO, BOB], "people split": ["people", "split", BOB, WHO],
    "rooms open": ["rooms", "open", "slack:T01:C7", "new", WHO], "rooms join": ["rooms", "join", ROOM, WHO],
    "rooms leave": ["rooms", "leave", ROOM, WHO], "rooms say": ["rooms", "say", ROOM, WHO, "hello"],
}  # fmt: skip
"""Every place of a command where somebody stands."""
STRANGERS = {"remember --about", "remember --by", "rooms open", "rooms join", "rooms leave", "rooms say"}
"""Where an account may stand that nobody was met by: who speaks, comes or goes may be new. No folder comes of it, but by `remember --about`."""
ROOMS = {
    "about --room": ["about", BOB, "--room", WHO], "card --room": ["card", "--room", WHO], "card PERSON --room": ["card", BOB, "--room", WHO],
    "grep --room": ["grep", ".", "--about", BOB, "--room", WHO], "who --room": ["who", "--room", WHO], "who NAME --room": ["who", "Bob", "--room", WHO],
    "search --room": ["search", "tea", "--room", WHO], "recall --room": ["recall", "tea", "--room", WHO], "log --room": ["log", "tea", "--room", WHO], "rooms join": ["rooms", "join", WHO, BOB], "rooms leave": ["rooms", "leave", WHO, BOB], "rooms say": ["rooms", "say", WHO, BOB, "hello"],
    "rooms log": ["rooms", "log", WHO], "rooms --for": ["rooms", "log", ROOM, "--for", WHO],
}  # fmt: skip
"""Every place of a command where a room stands that must be there."""
ELSEWHERE = {
    "who NAME": "it is the question who may be meant, and its answer says so", "people meet": "it makes somebody new",
    "people list": "it takes nobody", "rooms list": "it takes nobody", "rooms tidy": "it takes nobody", "rooms log": "it takes a room alone",
    "remember --room": "a room may be opened later; a note says that nothing is told there", "forget --room": "what was said in a room that was never opened",
    "recall --about": "any word that entries are marked with", "log --about": "any word that entries are marked with",
    "migrate --person": "it makes somebody new, and refuses a name of several itself",
}  # fmt: skip
"""What takes a name or a room, and why it is no case of these."""


@pytest.fixture(autouse=True)
def home(empty_home: Path, capsys: Capture) -> Path:
    """Two of one name and another in one room."""
    for account, name in ((ANN, "Ann"), (OTHER, "Ann"), (BOB, "Bob")):
        assert main(["people", "meet", account, name, *NOW]) == 0
    assert main(["rooms", "open", ROOM, "design", ANN, OTHER, BOB, *NOW]) == 0
    capsys.readouterr()
    return empty_home


def files(home: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in home.rglob("*") if path.is_file() and path.suffix != ".lock"}


def refused(capture: Capture, home: Path, words: list[str], who: str) -> str:
    """A command that is refused: exit code 2, nothing on the output, no byte of the home changed. Gives what it says."""
    before = files(home)
    assert main([who if word == WHO else word for word in words] + NOW) == 2
    shown = capture.readouterr()
    assert shown.out == "" and files(home) == before
    return shown.err


@pytest.mark.parametrize("case", PEOPLE)
def test_a_name_of_several_lists_them(home: Path, capsys: Capture, case: str) -> None:
    """Each with its folder and account, its rooms and how much is known; nobody is taken."""
    said = refused(capsys, home, PEOPLE[case], "Ann")
    assert said.startswith("omoide: Ann may be 2 people; name one by account or folder:\n")
    assert all(f"{account}  in design  0 facts" in said for account in (ANN, OTHER)) and BOB not in said


@pytest.mark.parametrize("case", PEOPLE)
def test_a_name_of_nobody_is_refused(home: Path, capsys: Capture, case: str) -> None:
    """With those whose name is nearly the same, who are not taken for it."""
    assert refused(capsys, home, PEOPLE[case], "Zebulon").startswith("omoide: nobody here is called Zebulon. `omoide who")
    said = refused(capsys, home, PEOPLE[case], "Bbo")
    assert "nearly the same, and never taken for it:" in said and BOB in said and ANN not in said


@pytest.mark.parametrize("case", [case for case in PEOPLE if case not in STRANGERS])
def test_an_account_of_nobody_is_refused(home: Path, capsys: Capture, case: str) -> None:
    """No command that is about somebody who is there makes somebody; accounts that are nearly the same are named."""
    said = refused(capsys, home, PEOPLE[case], "slack:T01:U33")
    assert said.startswith("omoide: nobody here is known as slack:T01:U33. ") and BOB in said


@pytest.mark.parametrize("case", sorted(STRANGERS))
@pytest.mark.parametrize("typed", ["slack:U3", "slack::U3", ":T01:U3", "slack:T01:", "::"])
def test_a_new_account_has_three_parts(home: Path, capsys: Capture, case: str, typed: str) -> None:
    """Where a new one may stand it must be one; nothing is done with half of one."""
    said = refused(capsys, home, PEOPLE[case], typed)
    assert "is no account" in said or (case == "rooms leave" and "is not in" in said)


@pytest.mark.parametrize("case", ROOMS)
def test_a_room_that_is_not_there_is_refused(home: Path, capsys: Capture, case: str) -> None:
    """The error names the rooms it may be a slip for, by id or by their name."""
    assert refused(capsys, home, ROOMS[case], "irc:x:far").startswith("omoide: no room irc:x:far is known; `omoide rooms` lists them")
    for typed in ("slack:T01:C11", "design"):
        assert f"\n  {ROOM}  design  group\n" in refused(capsys, home, ROOMS[case], typed)


def test_nobody_is_named_to_a_room_who_is_not_in_it(home: Path, capsys: Capture) -> None:
    """What is nearly the same is looked for among those in the room alone, or in the whole home for its owner."""
    assert main(["people", "meet", "slack:T01:U44", "Bobby", *NOW]) == 0
    capsys.readouterr()
    for words in (["card", WHO], ["about", WHO], ["grep", ".", "--about", WHO]):
        said = refused(capsys, home, [*words, "--room", ROOM], "Bobbi")
        assert BOB in said and "U44" not in said
        assert "U44" in refused(capsys, home, words, "Bobbi")


def test_who_is_new_is_said(home: Path, capsys: Capture) -> None:
    """A new account is taken where one may be new, and named on the error output with what it may be a slip for."""
    for words in (["remember", "x", "--about", WHO], ["rooms", "join", ROOM, WHO], ["rooms", "open", "slack:T01:C8", "more", WHO]):
        assert main(["slack:T01:U3" + words[0][:2] if word == WHO else word for word in words] + NOW) == 0
        said = capsys.readouterr().err
        assert "nobody was met as slack:T01:U3" in said and f"Nearly the same: {BOB}" in said
    assert len(list((home / "people").iterdir())) == 4


def test_who_answers_the_question(home: Path, capsys: Capture) -> None:
    """Several and nobody are answers to `who`: exit code 0, with those of nearly the name."""
    for name, status, near in (("Ann", "ambiguous", 0), ("Bbo", "unknown", 1), ("Bob", "one", 0)):
        assert main(["who", name, "--json", *NOW]) == 0
        found = json.loads(capsys.readouterr().out)["data"]
        assert (found["status"], len(found["near"])) == (status, near)


def _places(parser: argparse.ArgumentParser, above: str = "") -> Iterator[str]:
    """Every place of every command where a person, an account or a room may stand."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, child in action.choices.items():
                yield from _places(child, f"{above} {name}".strip())
        elif action.dest == "do" and action.choices and above != "review":
            yield from (f"{above} {word}" for word in action.choices)
        elif action.dest in ("person", "about", "by", "room", "reading", "name") and not above.startswith(("eval", "tool")):
            yield f"{above} {action.option_strings[0] if action.option_strings else action.dest.upper()}"


def test_every_command_is_a_case() -> None:
    """A command that takes a person or a room stands in one of the tables above, so that a new one cannot answer in a way of its own."""
    known = {*PEOPLE, *ROOMS, *ELSEWHERE}
    assert [place for place in _places(_parser()) if place not in known] == []
