"""`HashingEmbedder`: vectors without a model, for tests and for a first try without any download.

Signed feature hashing (Weinberger et al., 2009) of character n-grams and words. It finds texts that share
letters, not texts that share meaning.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from omoide.errors import BadInput
from omoide.models.texts import estimate_tokens

if TYPE_CHECKING:
    from omoide.types import Vectors

_WORDS = re.compile(r"\w+")
_WEIGHTS = {1: 0.3, 2: 1.0, 3: 1.0}
"""Weight of a character n-gram by its length; a single character says little."""
_WORD_WEIGHT = 2.0


class HashingEmbedder:
    """Deterministic unit vectors of hashed character 1-3-grams and words; the same on every machine."""

    def __init__(self, dimensions: int = 256) -> None:
        if dimensions < 1:
            raise BadInput(f"A hashing embedder needs at least 1 dimension, not {dimensions}.")
        self.name = f"hashing-{dimensions}"
        self.dimensions = dimensions
        self.max_tokens = 8192

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """Unit vectors, float32 (len(texts), dimensions). A text without any letter gives the first axis."""
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for feature, weight in _features(text):
                number = _hashed(feature)
                row[(number >> 1) % self.dimensions] += weight if number & 1 else -weight
            length = float(np.linalg.norm(row))
            if length < 1e-6:  # nothing to hash, or everything cancelled out
                row[:], length = 0.0, 1.0
                row[0] = 1.0
            row /= length
        return vectors

    def count_tokens(self, text: str) -> int:
        """An estimate: see `texts.estimate_tokens`."""
        return estimate_tokens(text)


def _features(text: str) -> list[tuple[str, float]]:
    counts: Counter[str] = Counter()
    weights: dict[str, float] = {}
    for word in _WORDS.findall(unicodedata.normalize("NFKC", text).casefold()):
        counts["w" + word] += 1
        weights["w" + word] = _WORD_WEIGHT
        for size, weight in _WEIGHTS.items():
            for start in range(len(word) - size + 1):
                feature = f"{size}{word[start : start + size]}"
                counts[feature] += 1
                weights[feature] = weight
    # The root keeps a word that comes fifty times from drowning all others.
    return [(feature, weights[feature] * count**0.5) for feature, count in counts.items()]


@lru_cache(maxsize=100_000)
def _hashed(feature: str) -> int:
    digest = hashlib.blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")
