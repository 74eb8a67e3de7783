"""OpenAIEmbedder against a real server on loopback that misbehaves on demand."""

import socket
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import numpy as np
import pytest

from omoide.errors import BadInput, ModelFailed
from omoide.models.hashing import HashingEmbedder
from omoide.models.http import Patience
from omoide.models.openai import Manners, OpenAIEmbedder
from omoide.testing import ScriptedModelServer

QUICK = Patience(timeout=0.5, attempts=3, first_wait=0.01, longest_wait=0.5)
SECRET = "sk-very-secret-1234"
TEXTS = ["東京の天気", "red bicycle", "今天开会"]


@pytest.fixture
def server() -> Iterator[ScriptedModelServer]:
    with ScriptedModelServer() as server:
        yield server


def client(server: ScriptedModelServer, dimensions: int | None = None, **manners: object) -> OpenAIEmbedder:
    manners.setdefault("patience", QUICK)
    return OpenAIEmbedder(
        server.base_url,
        "m",
        api_key=SECRET,
        dimensions=dimensions,
        manners=Manners(**manners),  # type: ignore[arg-type]
    )


def test_what_is_sent_and_what_comes_back(server: ScriptedModelServer) -> None:
    """The request holds model, texts and key; the vectors are those of the server."""
    vectors = client(server).embed(TEXTS)
    assert np.allclose(vectors, HashingEmbedder().embed(TEXTS), atol=1e-6)
    assert vectors.dtype == np.float32
    (request,) = server.requests
    assert request.path == "/v1/embeddings"
    assert request.headers["authorization"] == f"Bearer {SECRET}"
    assert request.body == {"model": "m", "input": TEXTS, "encoding_format": "float"}


def test_batches_and_prefixes(server: ScriptedModelServer) -> None:
    """Texts go out in batches, each with the prefix for its side."""
    embedder = client(server, batch=2, query_prefix="query: ", passage_prefix="passage: ")
    assert embedder.embed(TEXTS).shape == (3, 256)
    embedder.embed(["q"], query=True)
    sent = [request.body["input"] for request in server.requests]
    assert sent == [["passage: " + t for t in TEXTS[:2]], ["passage: " + TEXTS[2]], ["query: q"]]


def test_dimensions_are_learned_or_sent(server: ScriptedModelServer) -> None:
    """Unknown dimensions are asked for once; given ones go into the request and cost no extra one."""
    embedder = client(server)
    assert (embedder.dimensions, embedder.dimensions, len(server.requests)) == (256, 256, 1)
    assert client(server, dimensions=256).embed(["a"]).shape == (1, 256)
    assert server.requests[-1].body["dimensions"] == 256
    with pytest.raises(AttributeError, match="no attribute 'size'"):
        _ = embedder.size


def test_nothing_is_sent_before_the_first_text(server: ScriptedModelServer) -> None:
    """Making an embedder, reading its name and counting tokens need no server."""
    embedder = client(server)
    assert "127.0.0.1/m" in embedder.name
    assert SECRET not in embedder.name + repr(vars(embedder))
    assert embedder.count_tokens("東京 abc") >= 3
    assert server.requests == []


def test_name_changes_with_what_changes_vectors(server: ScriptedModelServer) -> None:
    """Dimensions and prefixes are part of the name, the port is not."""
    names = {client(server).name, client(server, dimensions=64).name, client(server, query_prefix="q: ").name}
    assert len(names) == 3
    assert OpenAIEmbedder("http://127.0.0.1:1/v1", "m").name in names


def test_vectors_are_normalised(server: ScriptedModelServer) -> None:
    """A server that gives vectors of length 3 is answered with unit vectors."""
    server.behave(length_factor=3.0)
    assert np.allclose(np.linalg.norm(client(server).embed(TEXTS), axis=1), 1, atol=1e-6)


def test_rows_are_put_in_order(server: ScriptedModelServer) -> None:
    """Rows in another order are sorted by their index."""
    server.behave(reverse_order=True)
    assert np.allclose(client(server).embed(TEXTS), HashingEmbedder().embed(TEXTS), atol=1e-6)


def test_empty_and_dirty_texts(server: ScriptedModelServer) -> None:
    """Empty texts are sent as a space, NUL and lone surrogates are dropped, no texts are no request for them."""
    embedder = client(server, dimensions=256)
    assert embedder.embed([]).shape == (0, 256)
    assert server.requests == []
    embedder.embed(["", "a\x00b\ud800c"])
    assert server.requests[0].body["input"] == [" ", "abc"]


def test_429_waits_as_long_as_asked(server: ScriptedModelServer) -> None:
    """After 429 with Retry-After the next try comes not before that time."""
    server.fail_next(status=429, retry_after=0.2)
    start = time.monotonic()
    assert client(server).embed(TEXTS).shape == (3, 256)
    assert 0.2 <= time.monotonic() - start < 2
    assert len(server.requests) == 2


def test_429_with_a_long_wait_fails_at_once(server: ScriptedModelServer) -> None:
    """A wait longer than the patience is not waited for; the message says how long it would be."""
    server.fail_next(status=429, retry_after=format_datetime(datetime.now(UTC) + timedelta(minutes=10), usegmt=True))
    start = time.monotonic()
    with pytest.raises(ModelFailed, match=r"status 429.*asks to wait (5|6)\d\d s"):
        client(server).embed(TEXTS)
    assert time.monotonic() - start < 1
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_passing_failures_are_tried_again_a_few_times(server: ScriptedModelServer, status: int) -> None:
    """Two failures are survived; a third in a row is an error with host, status and attempts."""
    server.fail_next(2, status=status, retry_after="soon")
    assert client(server).embed(TEXTS).shape == (3, 256)
    server.fail_next(3, status=status)
    with pytest.raises(ModelFailed, match=rf"127\.0\.0\.1:\d+ answered with status {status}.*attempt 3 of 3.*try again"):
        client(server).embed(TEXTS)
    assert len(server.requests) == 6


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (400, "model name"),
        (401, "api_key_env"),
        (403, "may use"),
        (404, "base_url"),
        (413, "max_tokens"),
        (302, "settings"),
    ],
)
def test_lasting_failures_are_not_tried_again(server: ScriptedModelServer, status: int, advice: str) -> None:
    """A refusal fails at once with the server's words and advice, and never shows the key."""
    server.fail_next(status=status, message=f"no use of {SECRET}")
    with pytest.raises(ModelFailed, match=rf"status {status}: no use of \[key\].*{advice}") as caught:
        client(server).embed(["a"])
    assert SECRET not in str(caught.value)
    assert len(server.requests) == 1


@pytest.mark.parametrize(("how", "what"), [("cut", "IncompleteRead"), ("drop", "RemoteDisconnected"), ("drip", "within 0.5 s")])
def test_broken_connections(server: ScriptedModelServer, how: str, what: str) -> None:
    """A cut, dropped or dripping answer is tried again, then an error; half an answer is never used."""
    server.fail_next(how=how)
    assert client(server).embed(TEXTS).shape == (3, 256)
    server.fail_next(3, how=how)
    with pytest.raises(ModelFailed, match=what):
        client(server).embed(TEXTS)


def test_time_out(server: ScriptedModelServer) -> None:
    """A server that is too slow is left after the time-out, on every try."""
    server.fail_next(3, seconds=5)
    start = time.monotonic()
    with pytest.raises(ModelFailed, match=r"did not answer within 0\.5 s \(attempt 3 of 3\)"):
        client(server).embed(TEXTS)
    assert time.monotonic() - start < 4


@pytest.mark.parametrize(
    ("how", "what"),
    [
        ("broken_json", "not with JSON"),
        ("wrong_count", "2 vectors for 3 texts"),
        ("wrong_index", "`index` does not fit"),
        ("nan", "not finite"),
        ("zero", "length 0"),
        ("ragged", "different lengths"),
        ("no_data", "without a list `data`"),
    ],
)
def test_nonsense_is_refused(server: ScriptedModelServer, how: str, what: str) -> None:
    """An answer that cannot be used is an error with host and reason, at once, and nothing is returned."""
    server.fail_next(how=how)
    with pytest.raises(ModelFailed, match=rf"127\.0\.0\.1:\d+.*{what}"):
        client(server).embed(TEXTS)
    assert len(server.requests) == 1


def test_dimensions_that_change(server: ScriptedModelServer) -> None:
    """Vectors of another length than before, or than asked for, are refused."""
    embedder = client(server)
    embedder.embed(TEXTS)
    server.behave(dimensions=100)
    with pytest.raises(ModelFailed, match="length 100 where 256 was expected"):
        embedder.embed(TEXTS)
    with pytest.raises(ModelFailed, match="length 100 where 64 was expected"):
        client(server, dimensions=64).embed(TEXTS)


def test_batches_that_are_too_large_are_halved(server: ScriptedModelServer) -> None:
    """After 413 a batch goes out in halves, in order."""
    server.behave(largest_batch=2)
    texts = [f"text {i}" for i in range(7)]
    assert np.allclose(client(server).embed(texts), HashingEmbedder().embed(texts), atol=1e-6)


def test_inputs_that_are_too_long(server: ScriptedModelServer) -> None:
    """A server's refusal of a long text is passed on, not hidden by cutting the text."""
    server.behave(longest_input=10)
    with pytest.raises(ModelFailed, match="longer than 10 characters"):
        client(server).embed(["short", "much longer than that"])


def test_nobody_listens() -> None:
    """A port without a server is an error that names host and port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    embedder = OpenAIEmbedder(f"http://127.0.0.1:{port}/v1", "m", manners=Manners(patience=QUICK))
    with pytest.raises(ModelFailed, match=rf"127\.0\.0\.1:{port} .*cannot be reached"):
        embedder.embed(["a"])


@pytest.mark.parametrize("url", ["", "localhost:8080", "ftp://host/v1", "http://", "http://host:port/v1", "http://[::1"])
def test_addresses_that_cannot_be_used(url: str) -> None:
    """A wrong address is refused when the embedder is made, with an example of a good one."""
    with pytest.raises(BadInput, match="http://localhost:8080/v1"):
        OpenAIEmbedder(url, "m")


def test_other_values_that_cannot_be_used() -> None:
    """A missing model name, a batch of 0 and a key with a line end are refused without showing the key."""
    with pytest.raises(BadInput, match="model name"):
        OpenAIEmbedder("http://localhost/v1", "")
    with pytest.raises(BadInput, match="at least 1"):
        OpenAIEmbedder("http://localhost/v1", "m", manners=Manners(batch=0))
    with pytest.raises(BadInput, match="cannot be sent") as caught:
        OpenAIEmbedder("http://localhost/v1", "m", api_key=SECRET + "\r\nX: y")
    assert SECRET not in str(caught.value)
