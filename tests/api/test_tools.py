"""`memory_search` and `memory_get` as agents know them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from omoide import Omoide, Scope
from omoide.api.tools import SCHEMAS, call

Opened = Callable[..., Omoide]


def test_the_schemas() -> None:
    """Two tools, each an object schema whose required arguments exist and that allows no others."""
    assert set(SCHEMAS) == {"memory_search", "memory_get"}
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
        ("memory_get", {"path": "a.md", "from": 0}, "at least 1"),
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
