"""What a home finds where it is opened: its settings, models that are installed or brought along, a terminal for progress."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from omoide.errors import BadSettings
from omoide.settings import Settings, read_settings
from omoide.store.files import Problem, read

if TYPE_CHECKING:
    from omoide.types import Embedder


def home_settings(path: Path) -> Settings:
    """Settings of a home: `omoide.toml`, else `omoide.json` (OpenClaw's keys), else the defaults."""
    for name in ("omoide.toml", "omoide.json"):
        data = read(Path(path).resolve(), name)
        if not isinstance(data, Problem):
            return read_settings(data.decode("utf-8-sig", "replace"), name)
        if data.code != "missing":
            raise BadSettings(f"{name}: {data.text}. Without it the settings of this home are not known; nothing was done.")
    return Settings()


def guest_of(embedder: Embedder) -> Embedder:
    """An embedder that a caller brought, as the other rooms may rely on it. Raises `BadInput` if it is none."""
    from omoide.models.guest import guest

    return guest(embedder)


def local_is_installed() -> bool:
    """Whether the extra `local` is there."""
    from omoide.models import choose

    return choose.local_is_installed()


LONG_WORK = 50
"""Work on fewer things than this is over before anybody reads about it."""


def to_stderr(what: str, done: int, of: int) -> None:
    """A progress line that overwrites itself; only its end where the error output is no terminal; nothing for short work."""
    if of >= LONG_WORK and (sys.stderr.isatty() or done == of):
        end = "\n" if done == of else ""
        print(f"\r{what} {done:,} of {of:,}", end=end, file=sys.stderr, flush=True)
