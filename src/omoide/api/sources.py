"""Where a hit comes from: a file of the memory, or what was said in a session, which stands in the log of a room.

It is decided by kind, so a source is narrowed below ranking like a kind, and what names a hit is what was searched.
"""

from __future__ import annotations

from collections.abc import Iterable

from omoide.api.asking import names
from omoide.errors import BadInput
from omoide.settings import SOURCES
from omoide.store.layout import KINDS

SESSION_KINDS = frozenset({"room-log"})


def source_of(kind: str) -> str:
    """The source of a note, by its kind."""
    memory, sessions = SOURCES
    return sessions if kind in SESSION_KINDS else memory


def known_kinds(kinds: Iterable[str] | None, sources: Iterable[str] | None = None) -> frozenset[str] | None:
    """The kinds of notes that a caller wants, of these sources; None: all. Raises `BadInput` for a kind that no note of a home
    can have, an unknown source, and kinds of which none is of these sources."""
    wanted, within = names(kinds, "kinds"), names(sources, "sources")
    if wanted is not None and (unknown := sorted(wanted - set(KINDS))):
        raise BadInput(f"kind {', '.join(map(repr, unknown))}: a note is one of {', '.join(KINDS)}")
    if within is None:
        return wanted
    if not within or (unknown := sorted(within - set(SOURCES))):
        raise BadInput(f"source {', '.join(map(repr, unknown)) if within else 'none'}: it is {' or '.join(SOURCES)}, or both")
    allowed = frozenset(kind for kind in KINDS if source_of(kind) in within)
    if wanted is not None and not wanted & allowed:
        raise BadInput(f"no note of kind {', '.join(sorted(wanted))} is of the source {', '.join(sorted(within))}")
    return allowed if wanted is None else wanted & allowed


def by_setting(kinds: frozenset[str] | None, sources: tuple[str, ...]) -> frozenset[str] | None:
    """The kinds of a search: where its caller does not say, those of the sources that the settings name."""
    return known_kinds(None, sources) if kinds is None and set(sources) != set(SOURCES) else kinds
