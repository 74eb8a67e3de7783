"""Older counts less: score × e^(−λt), λ = ln 2 / half-life, t in days.

At 0, 30, 60 and 90 days with a half-life of 30 the factor is 1, 1/2, 1/4, 1/8. A text without a date and
an evergreen file keep their score; a date in the future has age 0.
"""

from __future__ import annotations

import math
from datetime import datetime

from omoide.settings import Decay
from omoide.types import TIMELESS, Chunk, Hit, Query, Stage, Step


def factor(age_days: float, half_life_days: float) -> float:
    """e^(−λ · age); a negative age counts as 0."""
    return math.exp(-math.log(2) / half_life_days * max(0.0, age_days))


def age_days(chunk: Chunk, now: datetime, settings: Decay) -> float | None:
    """Days between a chunk's date and now; None for what does not age."""
    if chunk.when is None or chunk.kind in TIMELESS or chunk.path in settings.evergreen:
        return None
    return max(0.0, (now - chunk.when).total_seconds() / 86400)


def decay(settings: Decay) -> Stage:
    """A stage that multiplies and sorts again; equal scores keep their order."""

    def stage(query: Query, hits: list[Hit]) -> list[Hit]:
        return sorted((_aged(hit, query, settings) for hit in hits), key=lambda hit: -hit.score)

    return stage


def _aged(hit: Hit, query: Query, settings: Decay) -> Hit:
    age = age_days(hit.chunk, query.now, settings)
    if age is None:
        return hit.then(Step("decay", hit.score))
    times = factor(age, settings.half_life_days)
    return hit.then(Step("decay", hit.score * times, facts={"before": hit.score, "age_days": age, "factor": times}))
