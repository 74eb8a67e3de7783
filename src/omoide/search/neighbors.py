"""Support from the place: a text gains by what stands before and after it, and by its session.

In a conversation the answer often follows the sentence that names the subject. Each hit gets
`neighbours` × the scores of the hits next to it in the same file, and `session` × the share of the best
session that its own has. Scores stay below 1: what a hit gains is taken from the room it has left.
"""

from __future__ import annotations

import itertools
from collections import defaultdict

from omoide.settings import Support
from omoide.types import Hit, Query, Stage, Step

NEXT_LINES = 2
"""A hit is next to another if at most one line (a blank one) lies between them."""


def support(settings: Support) -> Stage:
    """A stage that adds and sorts again; equal scores keep their order."""

    def stage(query: Query, hits: list[Hit]) -> list[Hit]:
        sessions: dict[str, list[Hit]] = defaultdict(list)
        for hit in hits:
            sessions[hit.chunk.path].append(hit)
        weight = {path: _session_weight(members) for path, members in sessions.items() if path}
        most = max(weight.values(), default=0.0)
        beside = {key: value for path, members in sessions.items() if path for key, value in _beside(members).items()}
        lifted = [_lifted(hit, beside.get(hit.chunk.id, 0.0), weight.get(hit.chunk.path, 0.0), most, settings) for hit in hits]
        return sorted(lifted, key=lambda hit: -hit.score)

    return stage


def _session_weight(members: list[Hit]) -> float:
    """The three best of a session: one good hit is an accident, three are a subject."""
    return sum(sorted((hit.score for hit in members), reverse=True)[:3])


def _beside(members: list[Hit]) -> dict[str, float]:
    """For each hit of one file the scores of the hits before and after it, added."""
    inorder = sorted(members, key=lambda hit: (hit.chunk.lines, hit.chunk.id))
    out: dict[str, float] = defaultdict(float)
    for before, after in itertools.pairwise(inorder):
        if 0 < after.chunk.lines[0] - before.chunk.lines[1] <= NEXT_LINES:
            out[before.chunk.id] += after.score
            out[after.chunk.id] += before.score
    return out


def _lifted(hit: Hit, beside: float, weight: float, most: float, settings: Support) -> Hit:
    prior = weight / most if most else 0.0
    raw = settings.neighbours * beside + settings.session * prior * hit.score
    gain = raw / (1 + raw) * (1 - hit.score)
    return hit.then(Step("support", hit.score + gain, facts={"beside": beside, "session": prior, "gain": gain}))
