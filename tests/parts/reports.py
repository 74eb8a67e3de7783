"""What tests of bug reports share: small memories, and what to read of a result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from omoide import Collection, Omoide, Results, Settings
from omoide.errors import ModelFailed
from omoide.models.hashing import HashingEmbedder

NOW = datetime.fromisoformat("2026-11-30T12:00:00+09:00")
FILLER = ("天気は晴れ、洗濯をした", "paid the rent and the water bill", "会議は水曜日の午後三時から")
Open = Callable[..., Omoide]
"""Opens the home of a test, each time as another process would."""


def ids(found: Results) -> list[str]:
    """Ids of the hits."""
    return [hit.chunk.id for hit in found.hits]


def paths(found: Results) -> list[str]:
    """Paths of the hits, each once."""
    return list(dict.fromkeys(hit.chunk.path for hit in found.hits))


def codes(found: Results) -> list[str]:
    """Codes of the notices."""
    return [notice.code for notice in found.notices]


def notes(*texts: str, **settings: Any) -> Collection:
    """Texts called n0, n1, … beside three others, words only."""
    rows = [{"id": f"n{i}", "text": text} for i, text in enumerate(texts)] + [{"id": f"f{i}", "text": text} for i, text in enumerate(FILLER)]
    return Collection(rows, settings=Settings().with_values(settings))


class Other:
    """An embedder of any name, size and length of its vectors that can be out of reach or refuse long texts."""

    def __init__(self, name: str, dimensions: int, *, reachable: bool = True, longest: int = 10**9) -> None:
        self._inner = HashingEmbedder(dimensions)
        self.name, self.dimensions, self.max_tokens = name, dimensions, 8192
        self.reachable, self.longest = reachable, longest
        self.longest_sent = 0

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Any:
        """Vectors, or a refusal."""
        if not self.reachable or any(len(text) > self.longest for text in texts):
            raise ModelFailed("The model cannot be reached.")
        self.longest_sent = max([self.longest_sent, *map(len, texts)])
        return self._inner.embed(texts, query=query)

    def count_tokens(self, text: str) -> int:
        """A token a character."""
        return len(text)
