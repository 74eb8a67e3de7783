"""An embedder that somebody else wrote, at the border: whatever it does wrong is `ModelFailed`, and its vectors are as ours.

It may raise anything, give lists or other kinds of numbers, and vectors of any length but 0: those are divided by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from omoide.errors import BadInput, ModelFailed, OmoideError

if TYPE_CHECKING:
    from omoide.types import Embedder, Vectors

PARTS = ("name", "dimensions", "max_tokens", "embed", "count_tokens")


def guest(embedder: Embedder) -> Embedder:
    """The embedder as the other rooms may rely on it; one of ours is itself. Raises `BadInput` if it lacks a part."""
    if type(embedder).__module__.startswith("omoide.models."):
        return embedder
    missing = [part for part in PARTS if not hasattr(embedder, part)]
    if missing:
        raise BadInput(f"embedder: {type(embedder).__name__} has no {', '.join(missing)}; an embedder has {', '.join(PARTS)}")
    return Guest(embedder)


class Guest:
    """See `guest`."""

    def __init__(self, inner: Embedder) -> None:
        self.inner = inner
        self.name, self.dimensions, self.max_tokens = inner.name, inner.dimensions, inner.max_tokens

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """Unit vectors, float32 (len(texts), dimensions). Raises `ModelFailed`."""
        try:
            vectors = np.asarray(self.inner.embed(texts, query=query), np.float32)
        except OmoideError:
            raise
        except Exception as error:  # it is not ours: what it raises nobody knows
            raise ModelFailed(f"The embedder {self.name} failed ({type(error).__name__}: {error}).") from error
        if vectors.shape != (len(texts), self.dimensions):
            wanted = f"{len(texts)} rows of {self.dimensions} numbers were expected"
            raise ModelFailed(f"The embedder {self.name} gave an array of the shape {vectors.shape}; {wanted}.")
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not (np.isfinite(lengths).all() and (lengths > 0).all()):
            raise ModelFailed(f"The embedder {self.name} gave a vector of zeros, or one with numbers that are none.")
        made: Vectors = vectors if (np.abs(lengths - 1) < 1e-4).all() else vectors / lengths
        return made

    def count_tokens(self, text: str) -> int:
        """As the inner one counts."""
        return self.inner.count_tokens(text)
