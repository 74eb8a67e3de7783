"""The command line: answers, JSON, words for what is wrong, exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from omoide.serve.cli.main import main

NOTES = {
    "MEMORY.md": "# MEMORY\n\n- 旅券の期限は 2027-02-18\n",
    "memory/2026-11-24.md": "# 2026-11-24\n\n## 09:15 朝会\n\n認証の不具合を直した。\n\n## 15:40 release\n\nShipped version 2026.4.10.\n",
    "memory/2026-10-01.md": "# 2026-10-01\n\nOld release notes of the release.\n",
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small home, named by the environment, with a cache of its own and no model."""
    for path, text in NOTES.items():
        (tmp_path / "home" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "home" / path).write_text(text, encoding="utf-8")
    (tmp_path / "home" / "omoide.toml").write_text('[home]\nzone = "Asia/Tokyo"\n[embedding]\nmodel = "none"\n', encoding="utf-8")
    monkeypatch.setenv("OMOIDE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("OMOIDE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


Capture = pytest.CaptureFixture[str]


def data(capture: Capture, command: str) -> Any:
    """The data of the JSON envelope."""
    envelope = json.loads(capture.readouterr().out)
    assert set(envelope) == {"status", "command", "duration_ms", "data"}
    assert (envelope["status"], envelope["command"]) == ("ok", command)
    return envelope["data"]


def test_search(home: Path, capsys: Capture) -> None:
    """Each hit is a line with score, place and text; notices go to the error output; the exit code is 0."""
    assert main(["search", "認証の不具合"]) == 0
    shown = capsys.readouterr()
    assert " memory/2026-11-24.md:3  ## 09:15 朝会" in shown.out.split("\n")[0]
    assert "only words were compared" in shown.err


def test_search_json(home: Path, capsys: Capture) -> None:
    """The JSON envelope has hits with ranks of both sides and the change, and the notices with their codes."""
    assert main(["search", "旅券", "期限", "--json"]) == 0
    found = data(capsys, "search")
    best = found["results"][0]
    assert (best["path"], best["lines"], best["rank"], best["sparse_rank"], best["dense_rank"], best["change"]) == ("MEMORY.md", [3, 3], 1, 1, None, 0)
    assert [notice["code"] for notice in found["notices"]] == ["words_only"]
    assert "trace" not in best


def test_search_explain(home: Path, capsys: Capture) -> None:
    """With --explain the trace is printed, and in JSON each step has stage, score, reason and facts."""
    assert main(["search", "旅券", "--explain"]) == 0
    shown = capsys.readouterr().out
    assert "lexical" in shown
    assert "idf" in shown
    assert main(["search", "旅券", "--explain", "--json"]) == 0
    trace = data(capsys, "search")["results"][0]["trace"]
    assert next(step["stage"] for step in trace) in ("lexical", "fuse")
    assert trace[-1]["facts"] is not None or trace[-1]["stage"] == "decay"
    assert all(step["because"] for step in trace)


def test_search_options(home: Path, capsys: Capture) -> None:
    """Limit, recipe, kind, folder, times, now and single settings are taken."""
    def found(*options: str) -> list[str]:
        assert main(["search", "release", "--json", *options]) == 0
        return [hit["path"] for hit in data(capsys, "search")["results"]]

    assert len(found("-n", "1")) == 1
    assert found("--kind", "memory") == []
    assert set(found("--since", "2026-11-01")) == {"memory/2026-11-24.md"}
    assert set(found("--until", "2026-10-01")) == {"memory/2026-10-01.md"}
    assert found("--now", "2026-11-25")[0] == "memory/2026-11-24.md"
    assert found("--recipe", "lexical")[0] == "memory/2026-10-01.md"
    assert found("--under", "memory/2026-10") == ["memory/2026-10-01.md"]
    assert found("--set", "search.min_score=1") == []


def test_nothing_found(home: Path, capsys: Capture) -> None:
    """An honest nothing is no failure."""
    assert main(["search", "qwzrk plonfitz"]) == 0
    shown = capsys.readouterr()
    assert shown.out == "nothing found\n"
    assert "No text holds a word" in shown.err


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["search", "x", "--home", "/nowhere/at/all"], "there is no folder /nowhere/at/all"), (["search", "x", "-n", "0"], "limit is a number from 1"),
        (["search", "x", "--recipe", "best"], "recipe 'best'"), (["search", "x", "--set", "search.limit"], "KEY=VALUE"),
        (["search", "x", "--set", "search.lmit=3"], "unknown key search.lmit"), (["search", "x", "--since", "yesterday"], "--since 'yesterday'"),
        (["search", "x", "--config", "/nowhere.toml"], "--config /nowhere.toml"), (["inspect", "chunks", "nope.md"], "nope.md"),
        (["config", "search.nope"], "no setting search.nope"), (["tool", "memory_search", "{"], "JSON object"), (["tool", "memory_search", "[]"], "JSON object"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(home: Path, capsys: Capture, argv: list[str], said: str) -> None:
    """A bad value is one line that begins with the name of the program and says what to do, and the exit code is 2."""
    assert main(argv) == 2
    shown = capsys.readouterr()
    assert shown.err.startswith("omoide: ")
    assert said in shown.err
    assert shown.err.count("\n") == 1
    assert shown.out == ""


@pytest.mark.parametrize("argv", [["serach", "x"], ["search"], ["search", "x", "-n", "many"], ["index"], ["get"]])
def test_bad_usage(home: Path, capsys: Capture, argv: list[str]) -> None:
    """A command or option that does not exist shows the usage, and the exit code is 2."""
    with pytest.raises(SystemExit) as stopped:
        main(argv)
    assert stopped.value.code == 2
    assert "usage: omoide" in capsys.readouterr().err


def test_without_a_command(capsys: Capture) -> None:
    """Without a command the help is printed, and the exit code is 2."""
    assert main([]) == 2
    assert "search all notes" in capsys.readouterr().out


def test_get(home: Path, capsys: Capture) -> None:
    """Lines of a file, from a line on, also as path:line; a missing one says so with exit code 1."""
    assert main(["get", "memory/2026-11-24.md:3", "--lines", "1"]) == 0
    shown = capsys.readouterr()
    assert shown.out == "## 09:15 朝会\n"
    assert "--from 4" in shown.err
    assert main(["get", "memory/2099-01-01.md"]) == 1
    assert "not found" in capsys.readouterr().err
    assert main(["get", "../x.md", "--json"]) == 1
    assert data(capsys, "get")["outcome"] == "not_allowed"


def test_start(home: Path, capsys: Capture) -> None:
    """MEMORY.md and the newest logs are printed with their names."""
    assert main(["start", "--days", "1", "--now", "2026-11-30"]) == 0
    shown = capsys.readouterr().out
    assert "--- MEMORY.md" in shown
    assert "--- memory/2026-11-24.md" in shown
    assert "2026-10-01" not in shown


def test_tools(home: Path, capsys: Capture) -> None:
    """The tools answer JSON as an agent gets it; without a name the schemas are printed."""
    assert main(["tool"]) == 0
    assert {schema["name"] for schema in json.loads(capsys.readouterr().out)} == {"memory_search", "memory_recall", "memory_get"}
    assert main(["tool", "memory_search", '{"query": "旅券"}']) == 0
    assert json.loads(capsys.readouterr().out)["results"][0]["path"] == "MEMORY.md"
    assert main(["tool", "memory_search", "{}"]) == 1
    assert "query is missing" in json.loads(capsys.readouterr().out)["error"]


def test_the_index(home: Path, capsys: Capture) -> None:
    """Build, status and verify print their numbers, in words and as JSON; all is well, so 0."""
    assert main(["index", "build", "--json"]) == 0
    assert data(capsys, "index build")["files"] == 3
    assert main(["index", "status"]) == 0
    assert "chunks" in capsys.readouterr().out
    assert main(["index", "verify"]) == 0
    out = capsys.readouterr().out
    assert "the index equals the files" in out
    assert "\ndo" not in out


def test_inspect(home: Path, capsys: Capture) -> None:
    """The insides are shown: terms of a query, pieces of a file, posting lists of a word."""
    assert main(["inspect", "query", "旅券", "旅券"]) == 0
    assert "terms: 旅券 ×2" in capsys.readouterr().out
    assert main(["inspect", "chunks", "MEMORY.md"]) == 0
    assert "MEMORY.md:3  lines 3–3" in capsys.readouterr().out
    assert main(["inspect", "index", "releases"]) == 0
    assert "releas: in 2 of" in capsys.readouterr().out


def test_doctor(home: Path, capsys: Capture) -> None:
    """A problem is named and the exit code is 1; without one it is 0."""
    assert main(["doctor"]) == 0
    assert "all is well" in capsys.readouterr().out
    (home / "bad.md").write_bytes(b"\x00")
    assert main(["doctor"]) == 1
    assert "bad.md" in capsys.readouterr().out


def test_doctor_gives_advice(home: Path, capsys: Capture) -> None:
    """A home that is not embedded yet is well: what can be done is printed, the exit code is 0."""
    hashing = ["--set", "embedding.model=hashing"]
    assert main(["index", "build", "--no-vectors", *hashing]) == 0
    for number in range(40):  # more than are embedded on the way
        (home / "memory" / f"n{number}.md").write_text(f"- note {number}\n", encoding="utf-8")
    assert main(["doctor", *hashing]) == 0
    out = capsys.readouterr().out
    assert "partial_vectors" in out
    assert "nothing is wrong" in out
    assert "all is well" not in out
    assert main(["doctor", "--json", *hashing]) == 0
    assert [item["severity"] for item in data(capsys, "doctor")] == ["advice"]
    (home / "bad.md").write_bytes(b"\x00")
    assert main(["doctor", *hashing]) == 1
    assert "1 to look at" in capsys.readouterr().out


def test_config(home: Path, capsys: Capture) -> None:
    """The settings in force are printed, one or all."""
    assert main(["config", "home.zone"]) == 0
    assert capsys.readouterr().out == "home.zone  Asia/Tokyo\n"
    assert main(["config", "--json", "--set", "search.limit=3"]) == 0
    assert data(capsys, "config")["search.limit"] == 3


def test_init(tmp_path: Path, capsys: Capture) -> None:
    """A new home is made; a second time nothing is changed."""
    assert main(["init", str(tmp_path / "new")]) == 0
    (tmp_path / "new" / "MEMORY.md").write_text("mine", encoding="utf-8")
    assert main(["init", str(tmp_path / "new")]) == 0
    assert "it is a home already" in capsys.readouterr().out
    assert (tmp_path / "new" / "MEMORY.md").read_text(encoding="utf-8") == "mine"


def test_the_nearest_home_above(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    """Without --home and without $OMOIDE_HOME the folder above with an omoide.toml is taken."""
    monkeypatch.delenv("OMOIDE_HOME")
    monkeypatch.chdir(home / "memory")
    assert main(["search", "旅券"]) == 0
    assert "MEMORY.md:3" in capsys.readouterr().out


def test_as_a_program(home: Path) -> None:
    """Run as a program in a plain locale it prints UTF-8, and a reader that goes away is no error."""
    run = [sys.executable, "-W", "error::EncodingWarning", "-X", "warn_default_encoding", "-m", "omoide.serve.cli.main"]
    environment = os.environ | {"LC_ALL": "C"}
    done = subprocess.run([*run, "search", "旅券"], capture_output=True, env=environment, timeout=60, check=False)
    assert done.returncode == 0
    assert "旅券の期限" in done.stdout.decode("utf-8")
    assert "Warning" not in done.stderr.decode("utf-8")
    piped = subprocess.Popen([*run, "config"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    assert piped.stdout is not None
    piped.stdout.close()
    assert piped.wait(60) == 0
    assert piped.stderr is not None
    assert piped.stderr.read() == b""
    piped.stderr.close()


def test_a_cache_that_cannot_be_kept(home: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    """Build and verify end with 1, and all three say on the error output that nothing was kept."""
    monkeypatch.setenv("OMOIDE_CACHE", "/dev/null")
    for command, code in (("build", 1), ("verify", 1), ("status", 0)):
        assert main(["index", command]) == code
        shown = capsys.readouterr()
        assert "nothing was kept" in shown.err
        assert "equals the files" not in shown.out


def test_files_that_no_search_can_find(home: Path, capsys: Capture) -> None:
    """A search tells their number once, build names them, a generated file is no fault; NULs at the very end are no reason."""
    (home / "binary.md").write_bytes(b"walrus\0walrus\n")
    (home / "padded.md").write_bytes("- セイウチ\n".encode() + bytes(4096))
    (home / "made.md").write_text("---\ngenerated: true\n---\nwalrus\n", encoding="utf-8")
    assert main(["search", "セイウチ"]) == 0
    shown = capsys.readouterr()
    assert "padded.md:1" in shown.out
    assert shown.err.count("1 file could not be read") == 1
    assert main(["index", "build"]) == 0
    shown = capsys.readouterr()
    assert "binary.md" in shown.err
    assert "refused" not in shown.out
    (home / "binary.md").unlink()
    assert main(["doctor"]) == 0
    assert "generated" in capsys.readouterr().out
    assert main(["search", "セイウチ"]) == 0
    assert "could not be read" not in capsys.readouterr().err


def test_any_text_is_a_query(home: Path, capsys: Capture) -> None:
    """Of a query that is too long the beginning is searched, and a word that looks like an option gets a hint."""
    assert main(["search", "旅券 " + "x" * 30_000]) == 0
    shown = capsys.readouterr()
    assert "MEMORY.md" in shown.out
    assert "20,000" in shown.err
    with pytest.raises(SystemExit):
        main(["search", "-pve"])
    assert "write -- before words" in capsys.readouterr().err
    assert main(["search", "--", "-pve"]) == 0


@pytest.mark.parametrize(("words", "said"), [
    (["search", "x", "--kind", "foo"], "room-log"), (["search", "x", "--since", "2026-12-01", "--until", "2026-11-01"], "before since"),
    (["get", "MEMORY.md", "--from", "0"], "1 or more"), (["get", "MEMORY.md:0"], "1 or more"), (["get", "MEMORY.md:²"], "MEMORY.md:²"),
    (["inspect", "chunks", "caf\udce9.md"], "surrogate"), (["remember", "caf\udce9", "--about", "chat:w:ann"], "half a letter"),
    (["remember", "a\0b", "--about", "chat:w:ann"], "NUL"),
])  # fmt: skip
def test_odd_values_are_refused_in_words(home: Path, capsys: Capture, words: list[str], said: str) -> None:
    """Kinds that do not exist, reversed dates, lines that are none, half letters: a sentence, and nothing is written."""
    assert main(words) != 0
    assert said in capsys.readouterr().err
    assert not (home / "people").exists()


def test_a_filter_of_half_a_letter_finds_nothing(home: Path, capsys: Capture) -> None:
    """What no path can hold is below no folder."""
    assert main(["search", "release", "--under", "caf\udce9"]) == 0
    assert "nothing found" in capsys.readouterr().out


def test_an_unmarked_folder_is_named(home: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no file says that this is a home, the folder that is taken is told, and an empty start says so."""
    (tmp_path / "bare").mkdir()
    monkeypatch.delenv("OMOIDE_HOME")
    monkeypatch.chdir(tmp_path / "bare")
    assert main(["start"]) == 0
    shown = capsys.readouterr()
    assert f"{tmp_path / 'bare'} is taken" in shown.err
    assert "nothing to begin with" in shown.err
    monkeypatch.chdir(home / "memory")
    assert main(["start"]) == 0
    assert "is taken" not in capsys.readouterr().err


def test_a_terminal_without_utf8(home: Path) -> None:
    """Under LC_ALL=C without Python's UTF-8 mode Japanese arguments and names of files work as anywhere."""
    env = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0"}
    for words, said in ((["people", "meet", "chat:w:ken", "佐藤"], "佐藤"), (["remember", "お茶が好き", "--about", "佐藤"], "new"), (["search", "旅券"], "MEMORY.md")):
        done = subprocess.run([sys.executable, "-m", "omoide.serve.cli.main", *words], env=env, capture_output=True, check=False)
        assert (done.returncode, done.stderr.count(b"Traceback")) == (0, 0), done.stderr
        assert said in done.stdout.decode()


def test_notes_do_not_command_a_terminal(home: Path) -> None:
    """Escapes and marks of direction are spelled on a terminal, and stand as they are in a pipe."""
    (home / "evil.md").write_text("- walrus \x1b]0;owned\x07 \x9b31m \u202egnp.exe\n", encoding="utf-8")
    for words in (["search", "walrus"], ["get", "evil.md"], ["inspect", "chunks", "evil.md"], ["grep", "walrus", "--about", "nobody"]):
        ours, theirs = os.openpty()
        command = [sys.executable, "-m", "omoide.serve.cli.main", *words]
        with subprocess.Popen(command, stdout=theirs, stderr=theirs, close_fds=True) as child:
            child.wait(60)
        os.close(theirs)
        shown = os.read(ours, 65536).decode()
        os.close(ours)
        assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(shown)
    piped = subprocess.run([*command[:3], "get", "evil.md"], capture_output=True, check=True).stdout.decode()
    assert "\x1b]0;owned\x07" in piped
