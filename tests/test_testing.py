"""The parts for tests are tested too."""

import json
import time
import urllib.error
import urllib.request
from datetime import UTC, datetime
from typing import Any

import pytest

from omoide.models.hashing import HashingEmbedder
from omoide.testing import CountingEmbedder, FixedClock, ScriptedModelServer, SlowEmbedder


def chat(server: ScriptedModelServer, text: str) -> str:
    body = {"model": "m", "messages": [{"role": "user", "content": text}]}
    request = urllib.request.Request(server.base_url + "/chat/completions", json.dumps(body).encode())
    with urllib.request.urlopen(request, timeout=5) as answer:
        return str(json.load(answer)["choices"][0]["message"]["content"])


def test_chat_from_a_list_and_from_a_function() -> None:
    """Replies come in their order, then 500; a function gets the request body."""
    with ScriptedModelServer(replies=["one", "two"]) as server:
        assert [chat(server, "a"), chat(server, "b")] == ["one", "two"]
        with pytest.raises(urllib.error.HTTPError, match="500"):
            chat(server, "c")
        assert [r.body["messages"][0]["content"] for r in server.requests] == ["a", "b", "c"]

    def shout(body: dict[str, Any]) -> str:
        return str(body["messages"][-1]["content"]).upper()

    with ScriptedModelServer(replies=shout) as server:
        assert chat(server, "abc") == "ABC"


def test_server_refuses_what_it_does_not_know() -> None:
    """An unknown path is 404, a body that is not JSON is 400 and an unknown way to fail is an error."""
    with ScriptedModelServer() as server:
        for path, body, status in (("/models", b"{}", "404"), ("/embeddings", b"{", "400")):
            with pytest.raises(urllib.error.HTTPError, match=status):
                urllib.request.urlopen(server.base_url + path, body, timeout=5)
        with pytest.raises(ValueError, match="how is one of"):
            server.fail_next(how="explode")


def test_clock_and_wrappers() -> None:
    """The clock stands still, the counter counts, the slow one waits, and vectors pass through unchanged."""
    now = datetime(2026, 1, 2, tzinfo=UTC)
    assert FixedClock(now)() == now
    inner = HashingEmbedder()
    counting = CountingEmbedder(inner)
    start = time.monotonic()
    slow = SlowEmbedder(counting, 0.05)
    assert (slow.embed(["a", "b"]) == inner.embed(["a", "b"])).all()
    assert time.monotonic() - start >= 0.05
    assert (counting.calls, counting.texts, counting.seen) == (1, 2, ["a", "b"])
    assert slow.count_tokens("abc") == inner.count_tokens("abc")
    assert slow.name == inner.name
