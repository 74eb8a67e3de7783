"""Empty indexes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from omoide.index import kernel
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


@pytest.fixture(autouse=True, scope="module", params=["compiled", "numpy"])
def passes(request: pytest.FixtureRequest) -> Iterator[None]:
    """Everything of this room is tested with the compiled passes and without."""
    library = kernel.library
    if request.param == "compiled" and library is None:
        pytest.skip("no C compiler was at hand when omoide was installed")
    if request.param == "numpy":
        kernel.library = None
    yield
    kernel.library = library
