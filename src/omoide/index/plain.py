"""The lexical lane without NumPy: for a command that asks once, where loading NumPy would take longer than asking.

The same texts, scores and order as `omoide.index.lexical`, to the last bit, from the same segments and, for
what was written after them, from the rows of the database.
"""

from __future__ import annotations

import sqlite3
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from typing import NamedTuple

from omoide.index.allowed import Allowed, Narrow, allowed
from omoide.index.bm25 import TERM, LexicalLane, norm, statistics, term_hash
from omoide.index.segment import Segment
from omoide.settings import Lexical
from omoide.text.tokenize import QueryTerms
from omoide.types import Scope

MOST_STEPS = 300_000
"""Above so many steps a loop takes longer than NumPy to load (measured: about 0.2 µs against 0.1 s)."""


class Row(NamedTuple):
    """What a score and a filter need of one text."""

    id: int
    partition: int
    tie: int
    seconds: int
    kind: int
    length: int
    script: int


class Tail(NamedTuple):
    """A text that is in no segment yet, with its terms: hash → frequency."""

    row: Row
    terms: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Look:
    """The words of an index at one moment. `under`: chunk numbers below the wanted path, or None for all."""

    segments: Sequence[Segment]
    tail: Sequence[Tail]
    gone: frozenset[int]
    partitions: Mapping[int, tuple[str, str]]
    kinds: Mapping[str, int]
    under: frozenset[int] | None = None


def look(db: sqlite3.Connection, segments: Sequence[Segment], partitions: Mapping[int, tuple[str, str]],
         kinds: Mapping[str, int], under: str) -> Look:  # fmt: skip
    """Read, inside the caller's transaction, what is not in the segments."""
    covered = segments[-1].high if segments else 0
    rows = db.execute(
        "SELECT id, partition, tie, seconds, kind, length, script, terms FROM chunks WHERE id > ? ORDER BY id", (covered,)
    )
    tail = [Tail(Row(number, part, tie % 2**64, *others), dict(TERM.iter_unpack(terms))) for number, part, tie, *others, terms in rows]
    gone = frozenset(row[0] for row in db.execute("SELECT chunk FROM dead WHERE chunk <= ?", (covered,)))
    return Look(segments, tail, gone, partitions, kinds, below(db, under) if under else None)


def below(db: sqlite3.Connection, under: str) -> frozenset[int]:
    """Numbers of the chunks of all files whose path begins so."""
    found = db.execute("SELECT id FROM chunks WHERE path >= ? AND path < ?", (under, under + "\U0010ffff"))
    return frozenset(row[0] for row in found)


def steps(seen: Look, query: QueryTerms) -> int:
    """About how many steps a search takes: postings of the query's words, texts whose lengths are added, and the
    terms of texts that are in no segment."""
    hashes = [term_hash(term) for term in query.terms]
    postings = sum(high - low for segment in seen.segments for low, high in _ranges(segment, hashes))
    return postings + sum(segment.rows for segment in seen.segments) + sum(len(text.terms) for text in seen.tail)


def search(seen: Look, query: QueryTerms, scope: Scope, narrow: Narrow, k: int, settings: Lexical) -> LexicalLane:
    """The k best texts of those wanted. Equal scores are ordered by `tie`; a score of 0 is no hit."""
    hashes = [term_hash(term) for term in query.terms]
    within = allowed(scope, narrow, seen.partitions)
    gathered = _Gathered(within, _filter(within, narrow, seen), [0] * len(hashes), [])
    for segment in seen.segments:
        gathered.take(segment, hashes, seen.gone)
    for text in seen.tail:
        gathered.take_row(text, hashes)
    about = statistics(query, gathered.df, gathered.n, gathered.total, settings)
    factors = about.factors()
    scored = []
    for hit in gathered.hits:
        score = _score(hit.freq, factors, norm(hit.length, about.average, settings), settings)
        if score > 0:
            scored.append((-score, hit.tie, hit))
    best = nsmallest(k, scored, key=lambda one: one[:2])
    hits = [hit for _, _, hit in best]
    return LexicalLane(
        [hit.id for hit in hits], [-score for score, _, _ in best], [hit.tie for hit in hits], [hit.freq for hit in hits],
        [float(hit.length) for hit in hits], [hit.script / 255 for hit in hits], about,
    )  # fmt: skip


def _score(freq: Sequence[float], factors: Sequence[float], bound: float, settings: Lexical) -> float:
    """Word after word, as `LexicalLane.contributions` gives them."""
    score = 0.0
    for tf, factor in zip(freq, factors, strict=True):
        if tf:
            score += tf * factor if settings.weighting == "tfidf" else tf / (tf + bound) * (settings.k1 + 1) * factor
    return score


class _Hit(NamedTuple):
    """A wanted text that holds a word of the query."""

    id: int
    tie: int
    length: int
    script: int
    freq: list[float]


@dataclass(slots=True)
class _Gathered:
    """Counts over all that is readable, and the hits among what is wanted. `wants` None: all that is readable."""

    within: Allowed
    wants: Callable[[Row], bool] | None
    df: list[int]
    hits: list[_Hit]
    n: int = 0
    total: int = 0

    def take(self, segment: Segment, hashes: Sequence[int], gone: frozenset[int]) -> None:
        readable = segment.slices(self.within.readable)
        ids, ties, lengths, scripts = (segment.plain(name) for name in ("ids", "tie", "length", "script"))
        dead = {row for row, number in enumerate(ids.tolist()) if number in gone} if gone else set()
        buried = [row for row in dead if any(low <= row < high for low, high in readable)]
        self.n += sum(high - low for low, high in readable) - len(buried)
        self.total += sum(sum(lengths[low:high]) for low, high in readable) - sum(lengths[row] for row in buried)
        whole = _row_reader(segment) if self.wants else None
        for doc, freq in self._held(segment, hashes, readable, dead).items():
            if whole is None or (self.wants and self.wants(whole(doc))):
                self.hits.append(_Hit(ids[doc], ties[doc], lengths[doc], scripts[doc], freq))

    def _held(
        self, segment: Segment, hashes: Sequence[int], readable: list[tuple[int, int]], dead: set[int]
    ) -> dict[int, list[float]]:
        """Frequencies of the words in each living, readable row that has one; counts `df` on the way."""
        docs, frequencies = segment.plain("docs"), segment.plain("freq")
        held: dict[int, list[float]] = {}
        for i, (start, end) in enumerate(_ranges(segment, hashes)):
            for low, high in readable:
                first, last = bisect_left(docs, low, start, end), bisect_left(docs, high, start, end)
                for doc, tf in zip(docs[first:last], frequencies[first:last], strict=True):
                    if doc in dead:
                        continue
                    self.df[i] += 1
                    if doc not in held:
                        held[doc] = [0.0] * len(hashes)
                    held[doc][i] = tf
        return held

    def take_row(self, text: Tail, hashes: Sequence[int]) -> None:
        row = text.row
        if self.within.readable is not None and row.partition not in self.within.readable:
            return
        self.n, self.total = self.n + 1, self.total + row.length
        freq = [float(text.terms.get(value, 0)) for value in hashes]
        self.df = [before + (tf > 0) for before, tf in zip(self.df, freq, strict=True)]
        if any(freq) and (self.wants is None or self.wants(row)):
            self.hits.append(_Hit(row.id, row.tie, row.length, row.script, freq))


def _ranges(segment: Segment, hashes: Sequence[int]) -> list[tuple[int, int]]:
    """Where the postings of each term begin and end."""
    known, start = segment.plain("hashes"), segment.plain("start")
    out = []
    for value in hashes:
        at = bisect_left(known, value)
        there = at < len(known) and known[at] == value
        out.append((start[at], start[at + 1]) if there else (0, 0))
    return out


def _row_reader(segment: Segment) -> Callable[[int], Row]:
    parts, start = segment.plain("parts").tolist(), segment.plain("part_start").tolist()
    ids, *others = (segment.plain(name) for name in ("ids", "tie", "seconds", "kinds", "length", "script"))
    return lambda row: Row(ids[row], parts[bisect_left(start, row + 1) - 1], *(column[row] for column in others))


def _filter(within: Allowed, narrow: Narrow, seen: Look) -> Callable[[Row], bool] | None:
    """Whether a readable row is wanted: `allowed.row_mask`, one row at a time."""
    if within.wanted == within.readable and not narrow.by_row:
        return None
    kinds = None if narrow.kinds is None else {seen.kinds[name] for name in narrow.kinds if name in seen.kinds}

    def wants(row: Row) -> bool:
        return (
            (within.wanted is None or row.partition in within.wanted)
            and (kinds is None or row.kind in kinds)
            and narrow.in_time(row.seconds)
            and (seen.under is None or row.id in seen.under)
        )

    return wants
