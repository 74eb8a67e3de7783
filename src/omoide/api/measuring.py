"""What an evaluation needs besides collections: an embedder that remembers its vectors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from omoide.api.opening import cache_root
from omoide.models.cache import CachedEmbedder
from omoide.models.choose import choose
from omoide.settings import Settings

if TYPE_CHECKING:
    from omoide.types import Embedder


@contextmanager
def embedder_for_measuring(settings: Settings, cache: str | None) -> Iterator[Embedder | None]:
    """The embedder of the settings behind a cache file (default: vectors.db in the cache folder)."""
    wish = settings.embedding
    inner = choose(
        wish.model, base_url=wish.base_url, api_key_env=wish.api_key_env, model=wish.name, dimensions=wish.dimensions,
        threads=wish.threads,
    )  # fmt: skip
    if inner is None:
        yield None
        return
    cached = CachedEmbedder(inner, Path(cache) if cache else cache_root() / "vectors.db")
    try:
        yield cached
    finally:
        cached.close()
