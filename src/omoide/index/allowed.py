"""What a caller may see of an index, as row ranges: the filter comes before the top k.

A partition is a pair (audience, subject). Rights are asked once a partition, of `people.access`, and
rows of a partition lie together, so a permission is a handful of slices whatever the size.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from omoide.people.access import may_read
from omoide.types import Scope

if TYPE_CHECKING:
    from omoide.index.segment import Array, Segment

NEVER = -(2**62)
"""`seconds` of an undated row."""


@dataclass(frozen=True, slots=True)
class Narrow:
    """What the caller wants of what they may read. Statistics of words still come from all they may read.

    `since` and `until` are seconds; undated rows pass both unless `dated` is asked.
    """

    subjects: frozenset[str] | None = None
    kinds: frozenset[str] | None = None
    since: int | None = None
    until: int | None = None
    under: str = ""

    @property
    def by_row(self) -> bool:
        return self.kinds is not None or self.since is not None or self.until is not None or bool(self.under)

    def in_time(self, seconds: int) -> bool:
        """Whether a row of that time passes `since` and `until`."""
        late = self.until is not None and seconds > self.until  # NEVER is smaller than any time: undated rows stay
        return not late and (self.since is None or seconds >= self.since or seconds == NEVER)


@dataclass(frozen=True, slots=True)
class Allowed:
    """`readable`: partitions whose statistics count; `wanted`: those whose rows may be hits; None is all."""

    readable: frozenset[int] | None
    wanted: frozenset[int] | None
    mask: Callable[[Segment], Array] | None = None
    """Rows that pass the narrowing, as booleans of a segment's length; None: all pass."""


def allowed(scope: Scope, narrow: Narrow, partitions: Mapping[int, tuple[str, str]]) -> Allowed:
    """Decide every partition. `partitions`: number → (audience, subject)."""
    readable = frozenset(part for part, (audience, _) in partitions.items() if may_read(scope, audience))
    wanted = readable
    if narrow.subjects is not None:
        wanted = frozenset(part for part in readable if partitions[part][1] in narrow.subjects)
    everything = len(readable) == len(partitions)
    return Allowed(None if everything else readable, None if everything and wanted == readable else wanted)


def readable_rows(segment: Segment, dead: Array | None, within: Allowed) -> int:
    """How many living rows of a segment the caller may read: the only count a caller is told."""
    slices = segment.slices(within.readable)
    return sum(high - low - (0 if dead is None else int(dead[low:high].sum())) for low, high in slices)


def row_mask(segment: Segment, narrow: Narrow, kinds: Mapping[str, int], under: Array | None) -> Array:
    """Booleans: which rows pass kinds, times and the path prefix (`under`: chunk numbers below it, sorted)."""
    import numpy as np

    passes = np.ones(segment.rows, bool)
    if narrow.kinds is not None:
        passes &= np.isin(segment.kinds, [kinds[name] for name in narrow.kinds if name in kinds])
    if narrow.until is not None:
        passes &= segment.seconds <= narrow.until  # NEVER is smaller than any time: undated rows stay
    if narrow.since is not None:
        passes &= (segment.seconds >= narrow.since) | (segment.seconds == NEVER)
    if under is not None:
        passes &= np.isin(segment.ids, under)
    return passes
