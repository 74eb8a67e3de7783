"""Homes to try things on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from omoide import Omoide, Settings
from omoide.models.hashing import HashingEmbedder
from omoide.testing import FixedClock

NOW = datetime.fromisoformat("2026-11-30T12:00:00+09:00")

NOTES = {
    "MEMORY.md": "# MEMORY\n\n## Who\n\n- 旅券の期限は 2027-02-18\n- The cat is called Yuzu\n",
    "memory/2026-11-24.md": "# 2026-11-24\n\n## 09:15 朝会\n\n認証の不具合を直した。\n\n## 15:40 release\n\nShipped version 2026.4.10.\n",
    "memory/2026-11-29.md": "# 2026-11-29\n\n## 10:00\n\nBought rice and miso.\n",
    "memory/2026-12-24.md": "# 2026-12-24\n\n## 10:00\n\nA plan for later.\n",
    "people/sato-ken-7f3a/card.md": "# 佐藤 健\n\n- peanut allergy\n",
    "people/sato-ken-7f3a/drawer/travel.md": "# Travel\n\n- 窓側の席が好き\n",
    "rooms/ie-c8f4/log/2026-11-15.md": "## 20:00 夕食\n\n鍋を囲んだ。\n",
    "knowledge/deploy.md": "---\ntitle: Deploy\n---\n# Deploy\n\nRun `make ship`.\n",
    "agent/skills/summary.md": "# Morning summary\n\nRead the newest log.\n",
    "deep/a/b/c/zebra.md": "zebra crossing\n",
}


def write(home: Path, notes: dict[str, str]) -> None:
    """Write files below a home."""
    for path, text in notes.items():
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_text(text, encoding="utf-8")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home of ten notes."""
    write(tmp_path / "home", NOTES)
    return tmp_path / "home"


@pytest.fixture
def opened(home: Path, tmp_path: Path) -> Iterator[Callable[..., Omoide]]:
    """Opens the home with settings by key; `embedder` "hashing" brings vectors."""
    with ExitStack() as stack:

        def open_it(embedder: Any = None, **values: Any) -> Omoide:
            values = {"embedding.model": "none", "home.zone": "Asia/Tokyo"} | values
            given = HashingEmbedder(64) if embedder == "hashing" else embedder
            omoide = Omoide(home, settings=Settings().with_values(values), embedder=given, cache=tmp_path / "cache", clock=FixedClock(NOW))
            return stack.enter_context(omoide)

        yield open_it
