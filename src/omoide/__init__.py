"""omoide (思い出): a memory for AI agents that share rooms with people, in plain Markdown.

    from omoide import Omoide
    for hit in Omoide("notes").search("旅券の期限"): print(hit.score, hit.chunk.path)

Names are loaded when they are used, so that `import omoide` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from omoide.api.collection import Collection as Collection
    from omoide.api.omoide import Omoide as Omoide
    from omoide.errors import OmoideError as OmoideError
    from omoide.settings import Settings as Settings
    from omoide.types import Chunk as Chunk
    from omoide.types import Document as Document
    from omoide.types import Embedder as Embedder
    from omoide.types import Hit as Hit
    from omoide.types import Notice as Notice
    from omoide.types import Page as Page
    from omoide.types import Query as Query
    from omoide.types import Results as Results
    from omoide.types import Scope as Scope
    from omoide.types import Step as Step

__version__ = "0.1.0"

_HOMES = {
    "Chunk": "types", "Collection": "api.collection", "Document": "types", "Embedder": "types", "Hit": "types",
    "Notice": "types", "Omoide": "api.omoide", "OmoideError": "errors", "Page": "types", "Query": "types",
    "Results": "types", "Scope": "types", "Settings": "settings", "Step": "types",
}  # fmt: skip

__all__ = [
    "Chunk", "Collection", "Document", "Embedder", "Hit", "Notice", "Omoide", "OmoideError", "Page", "Query",
    "Results", "Scope", "Settings", "Step",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"omoide has no {name!r}; it has {', '.join(__all__)}")
    return getattr(import_module(f"omoide.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
