"""A home that commands find by themselves."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def empty_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home without a model, named by the environment, its cache beside it."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "omoide.toml").write_text('[embedding]\nmodel = "none"\n', encoding="utf-8")
    monkeypatch.setenv("OMOIDE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("OMOIDE_HOME", str(home))
    return home
