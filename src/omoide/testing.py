"""Parts for tests that need a model, a clock or a bad day, without any model and without mocks.

`ScriptedModelServer` is a real HTTP server on this machine that speaks the two OpenAI-compatible calls and
can misbehave on demand. The embedders wrap any other embedder.
"""

from __future__ import annotations

import json
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from omoide.models.hashing import HashingEmbedder

if TYPE_CHECKING:
    from omoide.types import Embedder, Vectors

__all__ = ["CountingEmbedder", "FixedClock", "Request", "ScriptedModelServer", "SlowEmbedder"]

Script = Iterable[str] | Callable[[dict[str, Any]], str]
"""Chat replies one after the other, or a function from the request body to a reply."""


@dataclass(frozen=True, slots=True)
class FixedClock:
    """A clock that stands still; calling it gives `now`."""

    now: datetime

    def __call__(self) -> datetime:
        return self.now


class CountingEmbedder:
    """Passes everything on and counts: `calls` of `embed`, `texts` in them, and `seen`, all texts in order."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.name, self.dimensions, self.max_tokens = inner.name, inner.dimensions, inner.max_tokens
        self.calls = 0
        self.seen: list[str] = []

    @property
    def texts(self) -> int:
        """How many texts were embedded so far."""
        return len(self.seen)

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """The vectors of the wrapped embedder."""
        self.calls += 1
        self.seen += texts
        return self._inner.embed(texts, query=query)

    def count_tokens(self, text: str) -> int:
        """Tokens as the wrapped embedder counts them."""
        return self._inner.count_tokens(text)


class SlowEmbedder:
    """Waits `seconds` before every call of `embed`, then passes it on."""

    def __init__(self, inner: Embedder, seconds: float) -> None:
        self._inner, self._seconds = inner, seconds
        self.name, self.dimensions, self.max_tokens = inner.name, inner.dimensions, inner.max_tokens

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """The vectors of the wrapped embedder, late."""
        time.sleep(self._seconds)
        return self._inner.embed(texts, query=query)

    def count_tokens(self, text: str) -> int:
        """Tokens as the wrapped embedder counts them."""
        return self._inner.count_tokens(text)


@dataclass(frozen=True, slots=True)
class Request:
    """What the server received: path, headers (names in lower case) and the decoded JSON body."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass(slots=True)
class _Failure:
    status: int = 0
    retry_after: float | str | None = None
    message: str = "scripted failure"
    how: str = ""
    seconds: float = 0.0


@dataclass(slots=True)
class _Habits:
    """How the server answers until it is told otherwise."""

    length_factor: float = 1.0
    dimensions: int | None = None
    longest_input: int | None = None
    largest_batch: int | None = None
    reverse_order: bool = False


HOW = ("cut", "drip", "broken_json", "wrong_count", "wrong_index", "nan", "zero", "ragged", "no_data", "drop")
"""Ways to fail other than by a status; see `ScriptedModelServer.fail_next`."""


@dataclass
class ScriptedModelServer:
    """A real server on loopback: POST /v1/embeddings and POST /v1/chat/completions.

    Use it as a context manager; `base_url` is what a client needs and `requests` everything it sent.
    Vectors come from `embedder`; chat replies from `replies`, which answers 500 when they run out.
    """

    embedder: Embedder = field(default_factory=HashingEmbedder)
    replies: Script = ()
    requests: list[Request] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._failures: deque[_Failure] = deque()
        self.habits = _Habits()
        self._replies = self.replies if callable(self.replies) else iter(self.replies)
        self._lock = threading.Lock()
        self._stopping = threading.Event()

    def __enter__(self) -> Self:
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), type("Door", (_Door,), {"owner": self}))
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopping.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(5)

    @property
    def base_url(self) -> str:
        """The address for a client, ending in /v1."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def fail_next(
        self,
        times: int = 1,
        *,
        status: int = 0,
        retry_after: float | str | None = None,
        message: str = "scripted failure",
        how: str = "",
        seconds: float = 0.0,
    ) -> None:
        """Fail the next `times` requests: with a `status`, or one of `HOW`, or by waiting `seconds` first.

        "cut" ends the body half-way, "drip" sends it byte by byte, "drop" closes without an answer,
        "broken_json" is no JSON; the others are JSON with wrong vectors.
        """
        if how and how not in HOW:
            raise ValueError(f"how is one of {', '.join(HOW)}, not {how!r}")
        self._failures.extend(_Failure(status, retry_after, message, how, seconds) for _ in range(times))

    def behave(self, **habits: Any) -> None:
        """Set lasting habits: length_factor, dimensions, longest_input (characters), largest_batch, reverse_order."""
        for name, value in habits.items():
            setattr(self.habits, name, value)

    def _next_failure(self) -> _Failure:
        with self._lock:
            return self._failures.popleft() if self._failures else _Failure()

    def _pause(self, seconds: float) -> None:
        self._stopping.wait(seconds)

    def _answer(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if path.endswith("/v1/embeddings"):
            return self._embeddings(body)
        if path.endswith("/v1/chat/completions"):
            return self._chat(body)
        return 404, _error(f"no such path: {path}")

    def _embeddings(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        texts = [body["input"]] if isinstance(body.get("input"), str) else body.get("input") or []
        habits = self.habits
        if not texts or "" in texts:
            return 400, _error("input must not be empty")
        if habits.largest_batch is not None and len(texts) > habits.largest_batch:
            return 413, _error(f"at most {habits.largest_batch} inputs")
        if habits.longest_input is not None and max(map(len, texts)) > habits.longest_input:
            return 400, _error(f"input is longer than {habits.longest_input} characters")
        with self._lock:
            vectors = self.embedder.embed(texts) * habits.length_factor
        size = habits.dimensions or vectors.shape[1]
        lists = [(row.tolist() + [0.0] * size)[:size] for row in vectors]
        rows = [{"object": "embedding", "index": i, "embedding": row} for i, row in enumerate(lists)]
        if habits.reverse_order:
            rows.reverse()
        usage = {"prompt_tokens": sum(map(self.embedder.count_tokens, texts))}
        return 200, {"object": "list", "data": rows, "model": body.get("model"), "usage": usage}

    def _chat(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        with self._lock:
            reply = self._replies(body) if callable(self._replies) else next(self._replies, None)
        if reply is None:
            return 500, _error("the script has no more replies")
        message = {"role": "assistant", "content": reply}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return 200, {"object": "chat.completion", "model": body.get("model"), "choices": [choice]}


class _Door(BaseHTTPRequestHandler):
    """One request: log it, then answer or fail as told."""

    owner: ScriptedModelServer
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing on the terminal: `requests` is the log."""

    def do_POST(self) -> None:
        """Both calls are POST."""
        self.close_connection = True
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            body = json.loads(raw)
        except ValueError:
            self._send(400, json.dumps(_error("the body is not JSON")).encode())
            return
        names = {name.lower(): value for name, value in self.headers.items()}
        self.owner.requests.append(Request(self.path, names, body))
        failure = self.owner._next_failure()
        self.owner._pause(failure.seconds)
        if failure.how == "drop":
            return
        try:
            self._fail(failure, body)
        except OSError:
            return  # the client has gone, which is what a test of time-outs wants

    def _fail(self, failure: _Failure, body: dict[str, Any]) -> None:
        if failure.status:
            extra = {} if failure.retry_after is None else {"Retry-After": str(failure.retry_after)}
            self._send(failure.status, json.dumps(_error(failure.message)).encode(), extra)
            return
        status, answer = self.owner._answer(self.path, body)
        _spoil(answer, failure.how)
        content = json.dumps(answer).encode()
        if failure.how == "broken_json":
            content = content[: len(content) // 2]
        if failure.how == "drip":
            self._drip(content)
        else:
            self._send(status, content, cut=failure.how == "cut")

    def _send(
        self, status: int, content: bytes, extra: dict[str, str] | None = None, cut: bool = False
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        for name, value in (extra or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content[: len(content) // 2] if cut else content)

    def _drip(self, content: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        for i in range(len(content)):
            if self.owner._stopping.wait(0.02):
                return
            self.wfile.write(content[i : i + 1])


def _error(message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": "scripted"}}


def _spoil(answer: dict[str, Any], how: str) -> None:
    """Make the rows of a good answer wrong."""
    rows = answer.get("data") or []
    if how == "no_data":
        answer.pop("data", None)
    elif how == "wrong_count":
        rows.pop()
    elif how == "wrong_index":
        rows[-1]["index"] = len(rows) + 3
    elif how == "nan":
        rows[-1]["embedding"][0] = math.nan
    elif how == "zero":
        rows[-1]["embedding"] = [0.0] * len(rows[-1]["embedding"])
    elif how == "ragged":
        rows[-1]["embedding"].pop()
