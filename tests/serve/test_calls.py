"""`omoide replay` and `omoide misses` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from omoide.serve.cli.main import main

MAY = ["--now", "2026-05-01T09:00"]


@pytest.fixture
def home(empty_home: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """Two entries, and three calls: one before the second entry, one by all words, one search."""
    main(["log", "Sketches are saved on the shelf", *MAY])
    main(["recall", "sketches", "shelf", "--now", "2026-05-01T10:00"])
    main(["log", "Sketches of the boat are on the shelf", "--now", "2026-05-02T09:00"])
    main(["recall", "sketches", "roof", "--rule", "all-words", "--now", "2026-05-02T10:00"])
    main(["search", "sketches", "boat", "--now", "2026-05-02T11:00"])
    capsys.readouterr()
    return empty_home


def test_as_it_was(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The home's own log, each call by its own rule: nothing differs, exit code 0."""
    assert main(["replay"]) == 0
    assert capsys.readouterr().out == "3 calls made again: 3 as they were, 0 otherwise\n"
    assert main(["replay", "--all"]) == 0
    assert "recall 1 | recall 1" in capsys.readouterr().out


def test_side_by_side(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By another rule: old and new counts, what came and what went, and how many found something where there was nothing."""
    assert main(["replay", "--rule", "recall"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "2026-05-02 10:00:00  sketches roof  all-words 0 | recall 2"
    assert out[1:3] == ["    + memory/2026-05-01.md:1", "    + memory/2026-05-02.md:1"]
    assert out[-1] == "1 found something where there was nothing, 0 nothing where there was something"


def test_a_difference_is_a_broken_promise(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where the old rule does not give the log again (a hand changed a file), the call is shown and the exit code is 1."""
    (home / "memory/2026-05-01.md").write_text("# nothing\n", "utf-8")
    assert main(["replay"]) == 1
    assert "    - memory/2026-05-01.md:1" in capsys.readouterr().out


def test_broken_lines_are_counted_and_named(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Good lines are replayed; of the others the file, the number and the reason stand on the error output and in the JSON."""
    log = tmp_path / "old.jsonl"
    log.write_text('{"t": "2026-05-03", "words": ["shelf"], "ids": []}\n{"t": "20\n{"t": "2026-05-03", "words": ["shelf"]}\n', "utf-8")
    main(["replay", str(log)])
    done = capsys.readouterr()
    assert "(broken lines, passed over: 1)\n  old.jsonl:2: " in done.err
    assert "(not made again: 1, old.jsonl:3: its result was not kept)" in done.err
    main(["replay", str(log), "--json"])
    data = json.loads(capsys.readouterr().out)["data"]
    assert (data["calls"], data["same"], data["broken"][0]["where"], data["skipped"][0]["where"]) == (1, 0, "old.jsonl:2", "old.jsonl:3")
    assert data["results"][0]["new"]["ids"] == ["memory/2026-05-01.md:1", "memory/2026-05-02.md:1"]
    assert main(["misses", str(log)]) == 0
    assert "old.jsonl:2: " in capsys.readouterr().err


def test_every_judged_call(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--all prints each call with its verdict; without labels it is said that rules judged."""
    assert main(["misses", "--all"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "2026-05-02 10:00:00  sketches roof  [one word too many, by the rules; recall finds it]"
    assert any("were judged by rules" in line for line in out)


@pytest.mark.parametrize("command", ["replay", "misses"])
def test_bad_input(home: Path, tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A log that is not there is named; a home without any call has an empty answer."""
    assert main([command, str(tmp_path / "none.jsonl")]) == 2
    assert "none.jsonl: No such file" in capsys.readouterr().err
    assert main([command, "--set", "home.zone=Mars/Base"]) == 2
    assert "Mars/Base" in capsys.readouterr().err
    (tmp_path / "other").mkdir()
    assert main([command, "--home", str(tmp_path / "other")]) == 0
    assert capsys.readouterr().out.startswith(("0 calls", "calls by words "))


def test_an_unknown_rule(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The rules that there are, are named."""
    assert main(["replay", "--rule", "magic"]) == 2
    assert "all-words, recall, search" in capsys.readouterr().err
