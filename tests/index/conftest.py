"""Empty indexes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from omoide.index.index import Index
from omoide.settings import Settings


@pytest.fixture
def index() -> Iterator[Index]:
    """An empty index in memory."""
    made = Index(None, Settings().lexical)
    yield made
    made.close()


@pytest.fixture
def on_disk(tmp_path: Path) -> Iterator[Index]:
    """An empty index in a folder."""
    made = Index(tmp_path, Settings().lexical)
    yield made
    made.close()
