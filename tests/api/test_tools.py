"""`memory_search`, `memory_get` and `memory_recall` as agents call them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from omoide import Omoide, Scope
from omoide.api.tools import SCHEMAS, call
from omoide.serve.cli.main import main

Opened = Callable[..., Omoide]


def test_the_schemas() -> None:
    """Three tools, each an object schema whose required arguments exist and that allows no others."""
    assert set(SCHEMAS) == {"memory_search", "memory_recall", "memory_get"}
    for name, schema in SCHEMAS.items():
        assert schema["name"] == name
        assert set(schema["parameters"]["required"]) <= set(schema["parameters"]["properties"])
        assert schema["parameters"]["additionalProperties"] is False


def test_memory_search(opened: Opened) -> None:
    """Each result has path, lines, scores of both sides, a snippet and a citation."""
    found = call(opened("hashing"), "memory_search", {"query": "zebra crossing", "maxResults": 2})
    best = found["results"][0]
    assert (best["path"], best["startLine"], best["endLine"], best["citation"]) == ("deep/a/b/c/zebra.md", 1, 1, "deep/a/b/c/zebra.md#L1")
    assert best["snippet"] == "zebra crossing"
    assert 0 < best["score"] <= 1
    assert best["textScore"] > 0
    assert len(found["results"]) <= 2


def test_memory_search_says_what_it_lacks(opened: Opened) -> None:
    """Without a model the mode is keyword and a warning says so; with nothing relevant the list is empty with a code."""
    found = call(opened(), "memory_search", {"query": "zebra"})
    assert (found["mode"], found["notices"]) == ("keyword", ["words_only"])
    found = call(opened(), "memory_search", {"query": "qwzrk plonfitz"})
    assert found["results"] == []
    assert "nothing_relevant" in found["notices"]
    assert call(opened(), "memory_search", {"query": "zebra", "minScore": 1})["results"] == []


def test_memory_get(opened: Opened, home: Any) -> None:
    """Exact lines with where to go on; missing, empty and forbidden are told apart without an exception."""
    (home / "empty.md").write_text("", encoding="utf-8")
    omoide = opened()
    found = call(omoide, "memory_get", {"path": "memory/2026-11-29.md", "from": 1, "lines": 3})
    assert (found["status"], found["text"], found["totalLines"], found["nextFrom"]) == ("ok", "# 2026-11-29\n\n## 10:00", 5, 4)
    assert "truncated" not in call(omoide, "memory_get", {"path": "memory/2026-11-29.md"})
    assert call(omoide, "memory_get", {"path": "memory/2099-01-01.md"})["status"] == "not_found"
    assert call(omoide, "memory_get", {"path": "empty.md"})["status"] == "ok"
    refused = call(omoide, "memory_get", {"path": "../secret.md"})
    assert (refused["status"], refused["code"]) == ("error", "MEMORY_PATH_NOT_ALLOWED")
    assert str(home) not in str(refused)
    assert call(omoide, "memory_get", {"path": "MEMORY.md"}, Scope("x", frozenset()))["status"] == "error"


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("memory_forget", {}, "there is no tool"), ("memory_search", {}, "query is missing"), ("memory_search", {"query": 3}, "query is string"),
        ("memory_search", {"query": "x", "maxResults": 0}, "at least 1"), ("memory_search", {"query": "x", "maxResults": True}, "integer"),
        ("memory_search", {"query": "x", "minScore": 2}, "at most 1"), ("memory_search", {"query": "x", "person": "y"}, "unknown argument"),
        ("memory_get", {"path": "a.md", "from": 0}, "at least 1"), ("memory_search", {"query": "x", "sources": ["mail"]}, "list of memory and sessions"),
        ("memory_search", {"query": "x", "sources": []}, "list of memory and sessions"), ("memory_search", {"query": "x", "sources": "memory"}, "is array"),
        ("memory_recall", {}, "words, or a period"), ("memory_recall", {"words": 3}, "words is array or string"),
        ("memory_recall", {"words": ["a", 3]}, "a list of strings"), ("memory_recall", {"words": "?!"}, "nothing but punctuation"),
        ("memory_recall", {"words": "a", "since": "soon"}, "since 'soon' is not a date"), ("memory_recall", {"words": ["a"] * 2, "maxResults": 0}, "at least 1"),
        ("memory_recall", {"words": "a", "since": "2026-11-30", "until": "2026-11-01"}, "before since"),
        ("memory_recall", {"words": [f"w{number}" for number in range(1000)]}, "50 at most"),
    ],
)  # fmt: skip
def test_bad_arguments_are_answers(opened: Opened, name: str, arguments: dict[str, Any], said: str) -> None:
    """What a model gets wrong comes back as an error with what to do, never as an exception."""
    found = call(opened(), name, arguments)
    assert said in found["error"]
    assert found["action"]
    assert found["results"] == []


def test_other_spellings_are_understood(opened: Opened) -> None:
    """The argument names that agents often use instead are taken."""
    assert call(opened(), "memory_get", {"file": "MEMORY.md"})["status"] == "ok"
    assert call(opened(), "memory_search", {"query": "zebra", "limit": 1})["results"]


WORDS = (["鍋", "夕食"], "夕食 zebra", ["rice", "miso", "plonfitz"], "plonfitz", ["認証"])


@pytest.mark.parametrize("words", WORDS, ids=str)
@pytest.mark.parametrize("more", [{}, {"since": "2026-11-20", "until": "2026-11-29"}, {"maxResults": 1}], ids=str)
def test_rcl_04_the_tool_and_the_command_say_the_same(
    opened: Opened,
    home: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: Any,
    more: dict[str, Any],
) -> None:
    """`memory_recall` gives the lines that `omoide recall` prints, and the same results, missing words and notices."""
    monkeypatch.setenv("OMOIDE_CACHE", str(tmp_path / "cache"))
    told = call(opened(), "memory_recall", {"words": words} | more)
    options = [part for name, value in more.items() for part in (f"--{name.replace('maxResults', 'limit')}", str(value))]
    typed = ["recall", *([words] if isinstance(words, str) else words), *options, "--home", str(home), "--set", "home.zone=Asia/Tokyo"]
    assert main(typed) == 0
    printed = capsys.readouterr()
    assert printed.out.splitlines() == told["lines"]
    assert all(word in told.get("warning", "") for word in told["absent"])
    assert main([*typed, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)["data"]
    for key in ("id", "path", "lines", "when", "matched", "failed", "source"):
        assert [one[key] for one in told["results"]] == [one[key] for one in data["results"]], key
    assert [told[key] for key in ("absent", "partly", "cut")] == [data[key] for key in ("absent", "partly", "cut")]
    assert told.get("notices", []) == [notice["code"] for notice in data["notices"]]


def test_memory_recall_long_lines_and_callers(opened: Opened, home: Path) -> None:
    """A long entry is shortened as on the command line; a caller recalls what they may read; words may be left out for a period."""
    (home / "memory/2026-11-20.md").write_text("## 09:00 long\n\n" + "many words " * 99, encoding="utf-8")
    omoide = opened()
    (line,) = call(omoide, "memory_recall", {"words": ["many"]})["lines"]
    assert "…" in line
    assert len(line) < 340
    found = call(omoide, "memory_recall", {"words": "鍋"}, Scope("x", frozenset({"all"})))
    assert (found["results"], found["absent"]) == ([], ["鍋"])
    assert [one["path"] for one in call(omoide, "memory_recall", {"since": "2026-11-29", "until": "2026-11-29"})["results"]] == [
        "memory/2026-11-29.md"
    ]


def test_ocw_04_sources(opened: Opened, home: Path) -> None:
    """A hit names its source; what was said in rooms can be searched alone or left out, by a call or by the setting, below ranking."""
    for number in range(9):
        (home / f"memory/zebra{number}.md").write_text(f"zebra in the yard {number}\n", encoding="utf-8")
    (home / "rooms/ie-c8f4/log/2026-11-16.md").write_text(
        "## 20:00 Talk\n\nmuch later in a long talk about other things a zebra\n", encoding="utf-8"
    )

    def sources(omoide: Omoide, **more: Any) -> set[tuple[str, str]]:
        found = call(omoide, "memory_search", {"query": "zebra", "maxResults": 1} | more)
        return {(hit["source"], hit["path"].partition("/")[0]) for hit in found["results"]}

    omoide = opened()
    assert sources(omoide) <= {("memory", "memory"), ("memory", "deep")}
    assert sources(omoide, sources=["sessions"]) == {("sessions", "rooms")}
    assert sources(omoide, sources=["memory"], maxResults=50) == {("memory", "memory"), ("memory", "deep")}
    assert sources(omoide, sources=["memory", "sessions"], maxResults=50) == {
        ("memory", "memory"),
        ("memory", "deep"),
        ("sessions", "rooms"),
    }
    only = opened(**{"search.sources": "sessions"})
    assert sources(only) == {("sessions", "rooms")}
    assert sources(only, sources=["memory"]) != {("sessions", "rooms")}
    assert {hit.chunk.kind for hit in only.search("zebra", kinds=["log", "note"]).hits} == {"note"}
