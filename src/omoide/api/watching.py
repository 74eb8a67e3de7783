"""An index that follows its home while nobody asks. No search relies on it: each looks at the files itself."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event
from typing import Any

from omoide.api.care import build
from omoide.api.home import Home
from omoide.errors import MissingExtra, OmoideError

FIRST_MS = 200
"""The watch stands after so long; only then are the files read, so that no change falls between."""


def watch(home: Home, vectors: bool, stop: Event | None) -> Iterator[dict[str, Any]]:
    """See `Omoide.watch`."""
    try:
        import watchfiles
    except ImportError as error:
        raise MissingExtra("watchfiles (to follow changes)", "watch") from error
    built = False
    for changes in watchfiles.watch(home.store.home, stop_event=stop, rust_timeout=FIRST_MS, yield_on_timeout=True):
        if changes or not built:
            try:
                yield build(home, False, vectors)
                built = True
            except OmoideError as error:  # a full disk or a model that is away passes; the next change tries again
                built = True
                yield {"failed": str(error)}
