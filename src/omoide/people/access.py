"""Who may hear what: one function, used by every read, below ranking."""

from __future__ import annotations

from omoide.types import EVERYTHING, Scope


def may_read(scope: Scope, audience: str) -> bool:
    """True if what is meant for `audience` may reach the caller. An empty scope reads nothing."""
    return EVERYTHING in scope.audiences or audience in scope.audiences
