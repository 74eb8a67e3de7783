"""Homes as a report needs them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from omoide import Omoide, Settings
from omoide.testing import FixedClock
from parts.reports import NOW, Open


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty home."""
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def opened(home: Path, tmp_path: Path) -> Iterator[Open]:
    """Opens the home, each time as another process would."""
    with ExitStack() as stack:

        def open_it(embedder: Any = None, **values: Any) -> Omoide:
            settings = Settings().with_values({"embedding.model": "none", "home.zone": "Asia/Tokyo"} | values)
            return stack.enter_context(Omoide(home, settings=settings, embedder=embedder, cache=tmp_path / "cache", clock=FixedClock(NOW)))

        yield open_it
