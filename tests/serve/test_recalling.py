"""`omoide log` and `omoide recall` on the command line."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from omoide.serve.cli.main import main

NOON = ["--now", "2026-11-30T12:00+09:00"]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home of an owner in Tokyo."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "omoide.toml").write_text('[home]\nzone = "Asia/Tokyo"\n', "utf-8")
    monkeypatch.setenv("OMOIDE_HOME", str(home))
    monkeypatch.setenv("OMOIDE_CACHE", str(tmp_path / "cache"))
    return home


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """The exit code and what was printed."""
    code = main([*words])
    done = capsys.readouterr()
    return code, done.out, done.err


def test_marks_there_and_back(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Marks that are logged are asked for one by one and together; programs get them with each result."""
    assert run(capsys, "log", "Booked", "ANA 7", "--about", "ana,東京", "--about", "wei", "--mood", "glad", "--task", "t-12", *NOON) == (0, "memory/2026-11-30.md:1\n", "")
    heading = (home / "memory/2026-11-30.md").read_text("utf-8").partition("\n")[0]
    assert heading == "## 12:00 (about ana, 東京, wei; mood glad; task t-12; at 2026-11-30T12:00:00+09:00)"
    for asked in (["--about", "東京"], ["--about", "ana,wei"], ["--mood", "Glad", "--task", "t-12"], ["7", "--task", "t-12"], ["--until", "2026-11-30", "--mood", "glad"]):
        assert "memory/2026-11-30.md:1" in run(capsys, "recall", *asked, *NOON)[1]
    assert run(capsys, "recall", "--about", "東京", "--mood", "sad", *NOON)[1] == "該当なし\n"
    assert run(capsys, "recall", "--mood", "sad", *NOON)[1] == "nothing found\n"
    data = json.loads(run(capsys, "recall", "--task", "t-12", "--json", *NOON)[1])["data"]
    assert data["results"][0]["marks"] == {"about": ["ana", "東京", "wei"], "mood": "glad", "task": "t-12"}
    assert data["marks"] == {"task": "t-12"}


def test_a_summary_told_twice(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The second time there is nothing to do, and the answer says where it stands."""
    (home / "memory").mkdir()
    (home / "memory/2026-11-30.md").write_text("one\ntwo\nthree\n", "utf-8")
    words = ["log", "Nell keeps the sketches.", "--title", "Sketches", "--session", "s-41"]
    assert run(capsys, *words, *NOON) == (0, "memory/2026-11-30.md:5\n", "")
    assert run(capsys, *words, "--now", "2026-12-01T00:01+09:00") == (0, "nothing to do: it stands there already: memory/2026-11-30.md:5\n", "")
    data = json.loads(run(capsys, *words, "--json", *NOON)[1])["data"]
    assert (data["done"], data["added"], data["path"], data["line"]) == ("", False, "memory/2026-11-30.md", 5)
    assert run(capsys, "log", "Nell keeps another.", "--session", "s-41", *NOON)[1] == "memory/2026-11-30.md:9\n"
    assert (home / "memory/2026-11-30.md").read_text("utf-8").startswith("one\ntwo\nthree\n\n## 12:00 Sketches (session s-41; at ")


@pytest.mark.parametrize(
    ("words", "said"),
    [(["log", " \u3000"], "without words"), (["log", "a tea", "--now", "yesterday noon"], "--now 'yesterday noon' is not a date"),
     (["log", "a tea", "--now", "0001-01-01"], "outside of the calendar"), (["log", "a tea", "--room", "chat:w:none"], "no room chat:w:none is known; `omoide rooms` lists"),
     (["log", "a tea", "--mood", "a;b"], "mood: 'a;b' is no mark"), (["log", "a tea", "--session", "s 1"], "session: 's 1' is no mark"),
     (["log", "a tea", "--set", "home.zone=Mars/Base"], "is not an IANA time zone such as Asia/Tokyo"), (["log", "a tea", "--title", "x\ny"], "title: one line"),
     (["recall"], "needs words, or a period or marks"), (["recall", "、。"], "nothing but punctuation"), (["recall", "a", "--since", "2026-12-02", "--until", "2026-12-01"], "before since"),
     (["recall", *map(str, range(1000))], "50 at most"), (["recall", "--task", "("], "task: '(' is no mark")],
)  # fmt: skip
def test_what_is_refused(home: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str) -> None:
    """A sentence says what is wrong and what to do; nothing is written."""
    code, out, err = run(capsys, *words)
    assert (code, out) == (2, "")
    assert said in err
    assert not (home / "memory").exists()


def test_the_zone_of_the_owner(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One moment is two days in two zones: the owner's counts, for writing and for whole days of a period."""
    moment = ["--now", "2026-04-11T19:53Z"]
    assert run(capsys, "log", "Tea with Nell", *moment)[1] == "memory/2026-04-12.md:1\n"
    assert run(capsys, "log", "Tea with Nell", "--set", "home.zone=America/Los_Angeles", *moment)[1] == "memory/2026-04-11.md:1\n"
    (home / "memory/2026-04-11.md").unlink()
    assert "2026-04-12 04:53" in run(capsys, "recall", "tea", "--since", "2026-04-12", "--until", "2026-04-12")[1]
    assert run(capsys, "log", "Last tea", "--now", "2026-04-13T23:59:59.999999")[1] == "memory/2026-04-13.md:1\n"
    assert "2026-04-13 23:59" in run(capsys, "recall", "last", "--until", "2026-04-13")[1]


def test_a_zone_that_is_none(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A zone nobody knows in the settings is named with its file; nothing is written."""
    (home / "omoide.toml").write_text('[home]\nzone = "Tokyo"\n', "utf-8")
    code, _, err = run(capsys, "log", "a tea")
    assert (code, "omoide.toml" in err, "Asia/Tokyo" in err, (home / "memory").exists()) == (2, True, True, False)


def test_words_from_the_standard_input(home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a text the input is read; a vague one draws a hint and is kept."""
    monkeypatch.setattr("sys.stdin", io.StringIO("fixed bug\n"))
    code, out, err = run(capsys, "log", *NOON)
    assert (code, out) == (0, "memory/2026-11-30.md:1\n")
    assert "hard to find" in err
