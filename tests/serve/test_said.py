"""The commands about what was said: `rooms say`, `rooms log`, `why`, `card --room`, `days`."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from omoide.serve.cli.main import main

Capture = pytest.CaptureFixture[str]
ANN, BOT, ROOM = "chat:w:ann", "chat:w:bot", "chat:w:garden"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> Path:
    (tmp_path / "omoide.toml").write_text('[home]\nzone = "Asia/Tokyo"\n[embedding]\nmodel = "none"\n', encoding="utf-8")
    monkeypatch.setenv("OMOIDE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("OMOIDE_HOME", str(tmp_path))
    assert main(["people", "meet", ANN, "Ann", "--now", "2026-11-30"]) == 0
    assert main(["rooms", "open", ROOM, "garden", ANN, "--now", "2026-11-30"]) == 0
    capsys.readouterr()
    return tmp_path


def say(*words: str) -> int:
    return main(["rooms", "say", ROOM, *words, "--now", "2026-11-30T09:15"])


def test_say_and_log(home: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was said is printed back in order, a tool's result from the standard input too; a reply without a look is marked."""
    assert say(ANN, "where", "is", "my", "key?", "--session", "s") == 0
    assert capsys.readouterr().out.startswith("s#1  rooms/garden-")
    assert say(BOT, "I do not know", "--role", "reply", "--session", "s") == 0
    monkeypatch.setattr("sys.stdin", io.StringIO('{"results": []}\n'))
    assert say(BOT, "--tool", "memory_search", "--call", "c1", "--session", "s") == 0
    capsys.readouterr()
    assert main(["rooms", "log", ROOM]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "2026-11-30T09:15:00+09:00  s#1  chat:w:ann  where is my key?"
    assert "(reply)  (unchecked: nothing was looked up before it)  I do not know" in lines[1]
    assert "(tool memory_search)" in lines[2]
    assert main(["rooms", "log", ROOM, "--session", "s", "--for", "chat:w:elsewhere"]) == 2
    assert "no room chat:w:elsewhere is known" in capsys.readouterr().err
    assert main(["rooms", "log", ROOM, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)["data"]
    assert [(event["message"], event["unchecked"]) for event in data] == [(1, False), (2, True), (3, False)]
    assert data[2]["text"] == '{"results": []}\n'


def test_why_shows_the_message(home: Path, capsys: Capture) -> None:
    """A fact's session, message, time and call are printed with the place in the log, or that the log does not have it."""
    say(ANN, "I moved to Lyon", "--session", "s")
    ids = []
    for message in ("1", "7"):
        capsys.readouterr()
        main(["remember", f"Lives in Lyon {message}", "--about", ANN, "--room", ROOM, "--session", "s", "--message", message, "--call", "c9",
              "--place", "drawer", "--now", "2026-11-30T09:15", "--json"])  # fmt: skip
        ids.append(json.loads(capsys.readouterr().out)["data"]["id"])
    assert main(["why", ids[0]]) == 0
    told = capsys.readouterr().out
    assert "kept by call c9" in told
    assert "message s#1 of 2026-11-30 09:15:00+09:00, rooms/garden-" in told
    assert main(["why", ids[1]]) == 0
    assert "message s#7, which is not in the log" in capsys.readouterr().out


def test_cards_of_a_room(home: Path, capsys: Capture) -> None:
    """Without a person, the cards of everybody in the room; without both, a sentence says what is missing."""
    main(["remember", "Call her Ann", "--about", ANN, "--room", ROOM, "--place", "card", "--now", "2026-11-30"])
    capsys.readouterr()
    assert main(["card", "--room", ROOM]) == 0
    assert capsys.readouterr().out == "# Ann\n- Call her Ann\n"
    assert main(["card"]) == 2
    assert "needs a person, or --room" in capsys.readouterr().err


def test_days(home: Path, capsys: Capture) -> None:
    """Each date of a text with its distance; a text without one is no error."""
    assert main(["days", "June 15th", "--now", "2026-05-20"]) == 0
    assert capsys.readouterr().out == "+26 days  2026-06-15  June 15th\n"
    assert main(["days", "hello"]) == 0
    assert capsys.readouterr().out == "there is no date in it\n"


@pytest.mark.parametrize(("words", "said"), [(["log"], "one room"), (["say", ROOM], "a room and an account"), (["say", "chat:w:x", ANN, "x"], "open makes one"),
                                             (["say", ROOM, "chat:ann", "x"], "no account"), (["say", ROOM, "nina", "x"], "nobody here is called nina")])  # fmt: skip
def test_bad_words(home: Path, capsys: Capture, words: list[str], said: str) -> None:
    """What is missing or not known is a sentence, and nothing is written."""
    assert main(["rooms", *words]) == 2
    assert said in capsys.readouterr().err
    assert not list(home.rglob("log"))


def test_tidy(home: Path, capsys: Capture) -> None:
    """Without a setting nothing is dropped and the answer says why; with one it says what went, and `log` and `why` show it."""
    say(ANN, "I moved to Lyon", "--session", "s")
    main(["remember", "Lives in Lyon", "--about", ANN, "--room", ROOM, "--session", "s", "--message", "1", "--place", "drawer",
          "--now", "2026-11-30T09:15", "--json"])  # fmt: skip
    fact = json.loads(capsys.readouterr().out.partition("\n")[2])["data"]["id"]
    assert main(["rooms", "tidy", "--now", "2027-11-30"]) == 0
    assert capsys.readouterr().out == "nothing to do: logs.keep_days is 0: everything is kept\n"
    keep = ["--set", "logs.keep_days=30", "--now", "2026-12-31"]
    assert main(["rooms", "tidy", *keep]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("rooms/garden-")
    assert printed.endswith("/log/2026-11-30.md: 1 event dropped, older than 30 days: s: 1\n")
    assert main(["rooms", "tidy", *keep, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)["data"]
    assert data == {"done": "", "why": "nothing is older than 30 days (logs.keep_days)", "dropped": []}
    assert main(["rooms", "log", ROOM]) == 0
    assert capsys.readouterr().out == "2026-12-31T00:00:00+09:00  -  -  (dropped)  1 event dropped, older than 30 days: s: 1\n"
    assert main(["why", fact]) == 0
    assert (
        "message s#1, which is no longer kept (dropped 2026-12-31 00:00:00+09:00, older than 30 days, rooms/garden-"
        in capsys.readouterr().out
    )
    assert main(["rooms", "tidy", ROOM]) == 2
    assert "holds for the whole home" in capsys.readouterr().err
