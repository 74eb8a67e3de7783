"""The log of calls: every answered call through any door, with ids and never a text of what came back."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from omoide import Omoide
from omoide.api.calling import Broken, read_calls, scope_key
from omoide.api.people import Name, Room, Saying, Stay
from omoide.api.tools import call
from omoide.errors import BadInput
from omoide.serve.cli.main import main
from omoide.settings import Settings
from omoide.types import Scope

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
NO_MODEL = Settings().with_values({"embedding.model": "none", "home.zone": "Asia/Tokyo"})


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home/memory").mkdir(parents=True)
    (tmp_path / "home/memory/2026-11-29.md").write_text("## 10:00 Walnut bread\n\nBaked in Uji.\n\n## 11:00 Tea\n\nA new tin.\n", "utf-8")
    return tmp_path / "home"


def opened(home: Path, **settings: str) -> Omoide:
    return Omoide(home, settings=NO_MODEL.with_values(settings), cache=home.parent / "cache", clock=lambda: NOW)


def logged(home: Path) -> list[dict[str, Any]]:
    files = sorted((home.parent / "cache").rglob("calls*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]


def test_what_a_line_holds(home: Path) -> None:
    """Time in the owner's zone, words or question, rule, period, ids and what was cut off; never a word of a result."""
    with opened(home) as omoide:
        omoide.recall("walnut Uji", until=NOW, limit=1)
        omoide.recall(since=NOW.replace(day=28), until=NOW, limit=1)
        omoide.search("fresh tea", recipe="lexical", limit=1, kinds=["log"], under="memory")
        omoide.recall("giraffe", marks={"mood": "glad"})
    when = "2026-11-30T18:00:00+09:00"
    assert logged(home) == [
        {"t": when, "verb": "recall", "words": ["walnut", "Uji"], "rule": "recall", "limit": 1, "until": NOW.isoformat(),
         "ids": ["memory/2026-11-29.md:1"], "cut": 0},
        {"t": when, "verb": "recall", "words": [], "rule": "recall", "limit": 1, "since": NOW.replace(day=28).isoformat(),
         "until": NOW.isoformat(), "ids": ["memory/2026-11-29.md:5"], "cut": 1},
        {"t": when, "verb": "search", "query": "fresh tea", "rule": "lexical", "limit": 1, "kinds": ["log"], "under": "memory",
         "ids": ["memory/2026-11-29.md:5"], "cut": 0},
        {"t": when, "verb": "recall", "words": ["giraffe"], "rule": "recall", "limit": 20, "marks": {"mood": "glad"}, "ids": [], "cut": 0},
    ]  # fmt: skip
    raw = "".join(file.read_text("utf-8") for file in (home.parent / "cache").rglob("calls*.jsonl"))
    assert "Baked" not in raw and "tin" not in raw


def test_cut_counts_what_was_left_out(home: Path) -> None:
    """Of two entries that a recall finds one is shown and one counted."""
    with opened(home) as omoide:
        assert omoide.recall("walnut tin", limit=1).facts["cut"] == 1
    assert logged(home)[0]["cut"] == 1


def test_every_door(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Library, command line and tool write the same log."""
    monkeypatch.setenv("OMOIDE_CACHE", str(home.parent / "cache"))
    with opened(home) as omoide:
        omoide.recall("walnut")
        omoide.search("walnut")
        call(omoide, "memory_search", {"query": "walnut"})
        call(omoide, "memory_recall", {"words": ["walnut"]})
    where = ["--home", str(home), "--set", "embedding.model=none"]
    assert main(["recall", "walnut", *where]) == main(["search", "walnut", *where]) == 0
    assert main(["tool", "memory_search", '{"query": "walnut"}', *where]) == main(["tool", "memory_recall", '{"words": "walnut"}', *where]) == 0
    assert [row["verb"] for row in logged(home)] == ["recall", "search", "search", "recall"] * 2
    assert {tuple(row["ids"]) for row in logged(home)} == {("memory/2026-11-29.md:1",)}


def test_off_by_a_setting(home: Path) -> None:
    """With calls.keep false nothing is written."""
    with opened(home, **{"calls.keep": "false"}) as omoide:
        omoide.recall("walnut")
        omoide.search("walnut")
    assert logged(home) == []


def test_who_asked_is_a_hash(home: Path) -> None:
    """The owner is nothing; everybody else a hash that is the same each time, with no name in it."""
    with opened(home) as omoide:
        for audiences in ({"person:ken"}, {"person:ken"}, {"person:mia"}, {"*"}):
            omoide.recall("walnut", scope=Scope("agent" if audiences != {"*"} else "owner", frozenset(audiences)))
    ken, again, mia, owner = [row.get("scope", "") for row in logged(home)]
    assert ken == again != mia and not owner and len(ken) == 16
    assert scope_key(Scope("agent", frozenset({"person:mia"}))) == mia
    assert "ken" not in json.dumps(logged(home))


def test_a_full_disk_costs_the_line_not_the_answer(home: Path) -> None:
    """The answer stands, and a notice says that the call is not in the log and what to do."""
    with opened(home) as omoide:
        omoide.recall("walnut")
        log = next((home.parent / "cache").rglob("calls.jsonl"))
        log.unlink()
        log.mkdir()
        found = omoide.recall("walnut")
    assert len(found) == 1 and found.notices[-1].code == "call_not_kept" and "calls.keep" in found.notices[-1].text


def test_a_call_that_was_refused_is_none(home: Path) -> None:
    """Bad input is an error, not a call without a result."""
    with opened(home) as omoide:
        for bad in (lambda: omoide.recall("…"), lambda: omoide.recall(""), lambda: omoide.search("x", limit=0)):
            with pytest.raises(BadInput):
                bad()
    assert logged(home) == []


def test_forgetting_empties_it(home: Path) -> None:
    """After somebody was forgotten, no file of the cache folder holds what was asked about them."""
    with opened(home) as omoide:
        omoide.people.meet("chat:w:ken", Name("Ken"), at=NOW)
        omoide.people.open_room(Room("chat:w:room", "room", "group", "members", (Stay("chat:w:ken"),)), NOW)
        omoide.people.remember(Saying("plays the theremin", "chat:w:ken", "chat:w:ken", "chat:w:room", NOW))
        omoide.search("theremin")
        assert any(b"theremin" in path.read_bytes() for path in (home.parent / "cache").rglob("*") if path.is_file())
        omoide.people.forget(NOW, person="chat:w:ken", everything=True)
    assert not any(b"theremin" in path.read_bytes() for path in (home.parent / "cache").rglob("*") if path.is_file())


def test_a_long_question_is_kept_as_far_as_it_is_searched(home: Path) -> None:
    """A megabyte of question is no megabyte of log."""
    with opened(home) as omoide:
        omoide.search("walnut " * 150_000)
    assert len(logged(home)[0]["query"]) == 20_000


BAD = {
    "nonsense": "Expecting value", "[]": "no JSON object", '{"t": "2026-01-01"}': "either words or a query",
    '{"t": "2026-01-01", "words": [], "query": ""}': "either words or a query", '{"words": ["a"]}': "its time t",
    '{"t": "yesterday", "words": ["a"]}': "'yesterday' is not a date", '{"t": "2026-01-01", "words": "a"}': "words is a list of texts",
    '{"t": "2026-01-01", "words": ["a"], "ids": [1]}': "ids is a list of texts", '{"t": "2026-01-01", "words": ["a"], "limit": "9"}': "limit is int",
    '{"t": "2026-01-01", "words": ["a"], "until": 3}': "until", '{"t": "2026-01-01", "query": 7}': "a list of texts", "\ufeff{}": "",
    '{"t": "2026-01-01", "words": ["a"], "scope": []}': "scope is str", "[" * 5000: "", '{"t":"20': "",
}  # fmt: skip


def test_broken_lines_are_named_and_stop_nothing(tmp_path: Path) -> None:
    """Every line that is no call is given back with its file, its number and the reason; the others are read."""
    good = '{"t": "2026-01-02T10:00", "words": ["a"], "ids": []}'
    text = "\n".join([good, *BAD, "", good]).encode() + b'\n{"t": "2026-01-01", "words": ["\xff"]}'
    (tmp_path / "log.jsonl").write_bytes(text)
    found, broken = read_calls(tmp_path, tmp_path / "log.jsonl", UTC)
    assert [call.where for call in found] == ["log.jsonl:1", f"log.jsonl:{len(BAD) + 3}"]
    assert [one.where for one in broken] == [f"log.jsonl:{number}" for number in (*range(2, len(BAD) + 2), len(BAD) + 4)]
    for one, said in zip(broken, BAD.values(), strict=False):
        assert said in one.why and isinstance(one, Broken) and len(one.why) < 300


def test_a_log_that_is_not_there(tmp_path: Path) -> None:
    """The file is named, and what else can be given."""
    with pytest.raises(BadInput, match="none for the home's own"):
        read_calls(tmp_path, tmp_path / "none.jsonl", UTC)
    assert read_calls(tmp_path, None, UTC) == ([], [])


def test_the_home_is_untouched_by_asking(home: Path) -> None:
    """Who only asks writes nothing into the home."""
    before = {path: os.stat(path).st_mtime_ns for path in home.rglob("*")}
    with opened(home) as omoide:
        omoide.recall("walnut")
    assert {path: os.stat(path).st_mtime_ns for path in home.rglob("*")} == before


def test_what_the_program_writes_it_can_read(home: Path) -> None:
    """Blank questions, half letters, marks: every line of the log is a call, and its replay is what came back."""
    with opened(home) as omoide:
        omoide.search("")
        omoide.search(" ")
        omoide.recall("\ud800walnut")
        omoide.recall(marks={"about": ["東京", "tokyo"]})
        omoide.recall("walnut", limit=1_000_000)
        found = omoide.replay()
    assert found.broken == [] and [one.same for one in found.made] == [True] * 5


def test_the_moment_is_that_of_the_question(home: Path) -> None:
    """What came while a call was answered is later than the call."""
    at = [NOW]
    with Omoide(home, settings=NO_MODEL, cache=home.parent / "cache", clock=lambda: at[0]) as omoide:
        answer = omoide._home.answer

        def slowly(*args: Any, **more: Any) -> Any:
            found = answer(*args, **more)
            at[0] = NOW.replace(minute=5)
            omoide.log("walnut in between")
            return found

        omoide._home.answer = slowly  # type: ignore[method-assign]
        omoide.recall("walnut")
        omoide._home.answer = answer  # type: ignore[method-assign]
        assert [one.same for one in omoide.replay().made] == [True]
