"""HashingEmbedder: vectors without a model."""

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.errors import BadInput
from omoide.models.hashing import HashingEmbedder


@given(st.lists(st.text(st.characters(), max_size=60), max_size=5))
def test_every_text_has_a_unit_vector(texts: list[str]) -> None:
    """Any text, even of lone surrogates, gives a finite vector of length 1, alone as in a batch."""
    embedder = HashingEmbedder(64)
    vectors = embedder.embed(texts)
    assert vectors.shape == (len(texts), 64)
    assert vectors.dtype == np.float32
    assert np.abs(np.linalg.norm(vectors, axis=1) - 1).max(initial=0) < 1e-5
    for text, vector in zip(texts, vectors, strict=True):
        assert np.array_equal(embedder.embed([text], query=True)[0], vector)


def test_vectors_are_the_same_on_every_machine() -> None:
    """The rounded vector of a fixed text has a fixed digest."""
    vector = HashingEmbedder().embed(["Tokyo 東京 is rainy"])[0]
    assert hashlib.sha256(np.rint(vector * 1000).astype("<i4").tobytes()).hexdigest()[:12] == "d1e4b2920ac4"


def test_letters_in_common_bring_texts_together() -> None:
    """A text is nearer to one that shares words than to one that shares none, whatever width or case."""
    a, b, c, d = HashingEmbedder().embed(["東京の天気", "明日の東京の天気は", "red bicycle", "ＲＥＤ BICYCLE"])
    assert a @ b > 0.5 > abs(a @ c) + 0.2
    assert c @ d > 0.999


def test_name_and_empty_text() -> None:
    """The name holds the dimensions, and a text without letters is the first axis."""
    embedder = HashingEmbedder()
    assert (embedder.name, embedder.dimensions) == ("hashing-256", 256)
    assert embedder.embed(["", "!?"])[:, 0].tolist() == [1.0, 1.0]
    with pytest.raises(BadInput, match="at least 1"):
        HashingEmbedder(0)
