"""Embedders that others wrote: what they do wrong costs their lane and no more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from omoide import Collection, Omoide
from omoide.errors import BadInput, ModelFailed
from omoide.models.guest import guest
from omoide.models.hashing import HashingEmbedder

OURS = HashingEmbedder(8)


class Theirs:
    """An embedder whose answers are what `make` makes of good vectors."""

    name, dimensions, max_tokens = "theirs", 8, 100

    def __init__(self, make: Callable[[Any], Any]) -> None:
        self.make = make

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Any:
        return self.make(OURS.embed(texts))

    def count_tokens(self, text: str) -> int:
        return len(text)


def fails(_: Any) -> Any:
    raise RuntimeError("out of memory")


BAD = [fails, lambda made: None, lambda made: made[:, :3], lambda made: made * 0, lambda made: made * np.nan, lambda made: [[1.0], [2.0, 3.0]], lambda made: "text"]
GOOD = [lambda made: made, lambda made: made.tolist(), lambda made: made * 7, lambda made: made.astype(np.float64), lambda made: [list(row * 2) for row in made]]


@pytest.mark.parametrize("make", BAD)
def test_a_bad_answer_is_a_model_that_failed(tmp_path: Path, make: Callable[[Any], Any]) -> None:
    """Whatever it raises or returns: the error names it, and a search goes by words and says so."""
    with pytest.raises(ModelFailed, match="theirs"):
        guest(Theirs(make)).embed(["a", "b"])
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "a.md").write_text("- the walrus is well\n")
    with Omoide(tmp_path / "home", cache=tmp_path / "cache", embedder=Theirs(lambda made: made)) as omoide:
        omoide.build()
    with Omoide(tmp_path / "home", cache=tmp_path / "cache", embedder=Theirs(make)) as omoide:
        found = omoide.search("walrus")
        assert [hit.chunk.path for hit in found.hits] == ["a.md"]
        assert "model_failed" in [notice.code for notice in found.notices]


@pytest.mark.parametrize("make", GOOD)
def test_rows_are_made_unit_vectors(make: Callable[[Any], Any]) -> None:
    """Lists, other kinds of numbers and other lengths give what unit vectors give."""
    assert np.allclose(guest(Theirs(make)).embed(["tea", "お茶"]), OURS.embed(["tea", "お茶"]), atol=1e-5)
    with Collection([{"id": "a", "text": "green tea"}, {"id": "b", "text": "coffee"}], embedder=Theirs(make)) as rows:
        assert rows.embed().embedded == 2
        assert rows.search("tea", recipe="dense").hits[0].chunk.id == "a"


def test_what_lacks_a_part_is_refused() -> None:
    """An object that is no embedder is told what one has; one of ours stays itself."""
    with pytest.raises(BadInput, match="count_tokens"):
        guest(object())  # type: ignore[arg-type]
    assert guest(OURS) is OURS
