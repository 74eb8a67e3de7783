"""How hard the property tests try: OMOIDE_FULL=1 for the full counts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

_SLOW = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large]
settings.register_profile("small", max_examples=40, deadline=None, derandomize=True, suppress_health_check=_SLOW)
settings.register_profile("full", max_examples=1000, deadline=None, suppress_health_check=_SLOW)
settings.load_profile("full" if os.environ.get("OMOIDE_FULL") else "small")


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """No test leaves an index in the cache of whoever runs it; models prepared there are used."""
    os.environ["OMOIDE_CACHE"] = str(Path(tmp_path_factory.mktemp("cache")) / "omoide")
