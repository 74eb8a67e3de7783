"""Vectors behind the words: resumed, never twice, refused one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from omoide import Collection, Embedder
from omoide.errors import ModelFailed
from omoide.index.embed import BATCH, coverage, embed_missing
from omoide.index.index import Index
from omoide.models.hashing import HashingEmbedder
from omoide.models.openai import Manners, OpenAIEmbedder
from omoide.settings import Settings
from omoide.testing import CountingEmbedder, ScriptedModelServer
from omoide.text.tokens import estimate_tokens
from parts.bm25 import add, row


class Picky:
    """Refuses a call that holds a text longer than `longest` characters, or any call after `calls`."""

    def __init__(self, longest: int = 10**9, calls: int = 10**9, name: str = "picky", dimensions: int = 16, max_tokens: int = 8192) -> None:
        self._inner = HashingEmbedder(dimensions)
        self._longest, self._calls = longest, calls
        self.name, self.dimensions, self.max_tokens = name, dimensions, max_tokens
        self.longest_seen = 0

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Any:
        """Vectors, or the refusal of an endpoint."""
        self._calls -= 1
        if self._calls < 0 or any(len(text) > self._longest for text in texts):
            raise ModelFailed("400: too long or gone")
        self.longest_seen = max([self.longest_seen, *map(self.count_tokens, texts)])
        return self._inner.embed(texts, query=query)

    def count_tokens(self, text: str) -> int:
        """A token a character."""
        return len(text)


def index_for(embedder: Embedder, count: int = 0) -> Index:
    """An index for this embedder with so many texts."""
    index = Index(None, Settings().lexical, model=embedder.name, dimensions=embedder.dimensions)
    add(index, *(row(f"d{i}", f"text number {i}") for i in range(count)))
    return index


def test_everything_is_embedded_once() -> None:
    """Each distinct text is sent once; a second run, and a changed neighbour, send only what is new."""
    counting = CountingEmbedder(HashingEmbedder(16))
    index = index_for(counting, 10)
    add(index, row("twin", "text number 3"))
    told: list[tuple[int, int]] = []
    assert embed_missing(index, counting, lambda done, of: told.append((done, of))) == (11, 11, ())
    assert (counting.texts, told) == (10, [(11, 11)])
    embed_missing(index, counting)
    add(index, row("d0", "text number 0"), row("d1", "changed"))
    assert coverage(index)[:2] == (9, 11)
    embed_missing(index, counting)
    assert counting.seen[10:] == ["changed"]
    assert coverage(index).share == 1.0


def test_a_stopped_run_goes_on_where_it_was() -> None:
    """When the model goes away in the middle, what was embedded stays and is not sent again."""
    index = index_for(HashingEmbedder(16), 3 * BATCH)
    with pytest.raises(ModelFailed):
        embed_missing(index, Picky(calls=2, name="hashing-16"))
    assert coverage(index)[:2] == (2 * BATCH, 3 * BATCH)
    counting = CountingEmbedder(HashingEmbedder(16))
    assert embed_missing(index, counting).share == 1.0
    assert counting.texts == BATCH


def test_a_refused_text_is_listed_and_the_rest_goes_on() -> None:
    """One text the model refuses costs only itself; its id is in the answer, and words still find it."""
    picky = Picky(longest=100)
    with Collection(embedder=picky) as notes:
        notes.add([{"id": "huge", "text": "kumquat " * 40}, *({"id": f"d{i}", "text": f"plain {i}"} for i in range(70))])
        done = notes.embed()
        assert done == (70, 71, ("huge",))
        found = notes.search("kumquat")
        assert found.hits[0].chunk.id == "huge"
        assert "partial_vectors" in [notice.code for notice in found.notices]


def test_a_model_that_is_gone_is_an_error() -> None:
    """When every text is refused it is the model that failed, and the caller hears it."""
    index = index_for(Picky(), 10)
    with pytest.raises(ModelFailed):
        embed_missing(index, Picky(calls=0))
    assert coverage(index).embedded == 0


def test_chk_05_nothing_over_the_limit_is_sent() -> None:
    """Of a text over the model's limit only the beginning reaches the endpoint, and the row has its vector."""
    with ScriptedModelServer(embedder=HashingEmbedder(16)) as server:
        embedder = OpenAIEmbedder(server.base_url, "small", dimensions=16, manners=Manners(max_tokens=64))
        index = index_for(embedder)
        add(index, row("long", "これは長い文です。" * 100), row("line", "x" * 5000), row("short", "short"))
        assert embed_missing(index, embedder)[:2] == (3, 3)
        sent = [text for request in server.requests for text in request.body["input"]]
    assert len(sent) == 3
    assert max(map(estimate_tokens, sent)) <= 64


def test_d26_a_change_of_model_mixes_nothing(tmp_path: Any) -> None:
    """X of 8 dimensions, then Y and Z of 16: each search says that vectors are missing, still finds words, and compares only its own."""
    rows = [{"id": f"d{i}", "text": f"note about cats {i}"} for i in range(20)]
    for name, dimensions in (("X", 8), ("Y", 16), ("Z", 16)):
        with Collection(embedder=Picky(name=name, dimensions=dimensions), folder=tmp_path) as notes:
            if name == "X":
                notes.add(rows)
            found = notes.search("cats 7")
            assert [notice.code for notice in found.notices] == ["no_vectors"]
            assert found.hits[0].chunk.id == "d7"
            assert notes.stats()["vectors"] == 0
            notes.embed()
            assert notes.stats()["vectors"] == 20
            found = notes.search("cats 7", recipe="dense")
            assert not found.notices
            assert notes.index.view().dense[0].segment.half.shape[1] == dimensions
    counting = CountingEmbedder(Picky(name="X", dimensions=8))
    with Collection(embedder=counting, folder=tmp_path) as notes:
        assert notes.embed().share == 1.0
        assert counting.texts == 0
