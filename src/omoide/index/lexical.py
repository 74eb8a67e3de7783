"""BM25 over segments, exact, from the caller's own statistics.

Robertson and Walker 1994; Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009:

    score = Σ_t w_t · IDF(t) · TF · (k1 + 1) / (TF + k1 · (1 − b + b · length / average length))

N, DF and the average length are counted over what the caller may read: texts of others never move a
score. A first pass adds up in single precision and finds the candidates; the final score of each is
computed again from the term frequencies in double precision, so it is the same in every segmentation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from omoide.index.allowed import Allowed
from omoide.index.segment import Array, Segment, row_arrays
from omoide.settings import Lexical
from omoide.text.tokenize import QueryTerms

_SEED = 30_000
"""A posting list up to this long may set the threshold: its k-th best is a floor for the k-th of all."""


@lru_cache(maxsize=1 << 20)
def term_hash(term: str) -> int:
    """64-bit number of a term: the same on every machine and in every process."""
    return int.from_bytes(blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def idf(form: str, n: int, df: int, floor: float = 0.0) -> float:
    """Inverse document frequency: "plus-one", "textbook" (with a floor) or "log". `df` 0 is allowed."""
    if form == "log":
        return math.log(n / df) if df else 0.0
    odds = (n - df + 0.5) / (df + 0.5)
    return math.log1p(odds) if form == "plus-one" else max(floor, math.log(odds))


class Source(NamedTuple):
    """A segment as a reader sees it now: `dead` marks rows removed since it was written, or is None."""

    segment: Segment
    dead: Array | None


@dataclass(frozen=True, slots=True)
class LexicalLane:
    """Hits of the lexical lane, best first, and all that is needed to explain them.

    `ids` chunk numbers; `scores` float64; `ties` order among equals; `freq` (hits × terms) term
    frequencies; `length` terms counted and `script` share of spaced words of each hit; `df`, `idf` a
    term; `n` texts and `average` length of what the caller may read; `ceiling` the score of a text that is nothing but the query.
    """

    ids: Array
    scores: Array
    ties: Array
    freq: Array
    length: Array
    script: Array
    terms: tuple[str, ...]
    weights: tuple[int, ...]
    df: tuple[int, ...]
    idf: tuple[float, ...]
    n: int
    average: float
    ceiling: float

    def contributions(self, settings: Lexical) -> Array:
        """(hits × terms): what each word gave. A row adds up to its score."""
        return _contributions(self, self.freq, self.length, settings)


@dataclass(slots=True)
class _Part:
    """One source cut to the wanted slices. Positions are numbered through the slices, from 0."""

    source: Source
    slices: list[tuple[int, int]]
    size: int
    postings: list[tuple[Array, Array]]
    length: Array
    alive: Array | None = None

    def rows(self, positions: Array) -> Array:
        if len(self.slices) == 1:
            return positions + self.slices[0][0]
        lows = np.array([low for low, _ in self.slices], np.int64)
        starts = np.cumsum([0, *(high - low for low, high in self.slices[:-1])])
        at = np.searchsorted(starts, positions, "right") - 1
        rows: Array = positions - starts[at] + lows[at]
        return rows


def search(sources: Sequence[Source], query: QueryTerms, allowed: Allowed, k: int, settings: Lexical) -> LexicalLane:
    """The k best texts of those wanted. Equal scores are ordered by `tie`; a score of 0 is no hit."""
    hashes = [term_hash(term) for term in query.terms]
    parts = _parts(sources, hashes, allowed)
    n, total, df = _statistics(sources, parts, hashes, allowed)
    average = total / n if n else 0.0
    weights = tuple(idf(settings.idf, n, count, settings.idf_floor) if n else 0.0 for count in df)
    ceiling = _ceiling(query, weights, n, settings)
    empty = LexicalLane(
        np.empty(0, np.int64), np.empty(0), np.empty(0, np.uint64), np.empty((0, len(hashes))), np.empty(0), np.empty(0),
        query.terms, query.counts, df, weights, n, average, ceiling,
    )  # fmt: skip
    found = [_candidates(part, empty, k, settings) for part in parts] if hashes else []  # "。。。" has no terms
    lanes = [lane for lane in found if len(lane.ids)]
    return _best(lanes, k) if lanes else empty


def _ceiling(query: QueryTerms, weights: Sequence[float], n: int, settings: Lexical) -> float:
    """The bound of BM25: every word at full saturation. Words that stand nowhere count too, so a query
    mostly of unknown words cannot reach a high share of it."""
    full = settings.k1 + 1 if settings.weighting == "bm25" else 1.0
    return sum(count * weight for count, weight in zip(query.counts, weights, strict=True)) * full if n else 0.0


def _statistics(
    sources: Sequence[Source], parts: list[_Part], hashes: list[int], allowed: Allowed
) -> tuple[int, int, tuple[int, ...]]:
    """Texts, their terms, and for each word in how many: over all that is readable."""
    if allowed.mask is None and allowed.wanted == allowed.readable:  # the parts are just that, cut already
        own = [part.length if part.alive is None else part.length[part.alive] for part in parts]
        counts = [sum(len(part.postings[i][0]) for part in parts) for i in range(len(hashes))]
        return sum(map(len, own)), sum(int(one.sum()) for one in own), tuple(counts)
    n = total = 0
    df = [0] * len(hashes)
    for source in sources:
        slices = source.segment.slices(allowed.readable)
        for low, high in slices:
            lengths = source.segment.length[low:high]
            alive = None if source.dead is None else ~source.dead[low:high]
            n += high - low if alive is None else int(alive.sum())
            total += int(lengths.sum() if alive is None else lengths[alive].sum())
        for i, (docs, _) in enumerate(_postings(source.segment, hashes)):
            for low, high in slices:
                first, last = (0, len(docs)) if high - low == source.segment.rows else np.searchsorted(docs, (low, high))
                df[i] += int(last - first)
                if source.dead is not None:
                    df[i] -= int(source.dead[docs[first:last]].sum())
    return n, total, tuple(df)


def _postings(segment: Segment, hashes: list[int]) -> list[tuple[Array, Array]]:
    known, start = segment.hashes, segment.start
    out = []
    for value, at in zip(hashes, np.searchsorted(known, np.array(hashes, np.uint64)).tolist(), strict=True):
        first, last = (int(start[at]), int(start[at + 1])) if at < len(known) and known[at] == value else (0, 0)
        out.append((segment.docs[first:last], segment.freq[first:last]))
    return out


def _parts(sources: Sequence[Source], hashes: list[int], allowed: Allowed) -> list[_Part]:
    parts = []
    for source in sources:
        slices = source.segment.slices(allowed.wanted)
        size = sum(high - low for low, high in slices)
        if size:
            postings = _postings(source.segment, hashes)
            if size < source.segment.rows:
                postings = [_cut(docs, freq, slices) for docs, freq in postings]
            lengths = source.segment.length
            cut = [lengths[low:high] for low, high in slices]
            parts.append(_masked(_Part(source, slices, size, postings, cut[0] if len(cut) == 1 else np.concatenate(cut)), allowed))
    return parts


def _cut(docs: Array, freq: Array, slices: list[tuple[int, int]]) -> tuple[Array, Array]:
    bounds = np.searchsorted(docs, np.array(slices, docs.dtype).reshape(-1)).tolist()
    pieces, counts, at = [], [], 0
    for i, (low, high) in enumerate(slices):
        first, last = bounds[2 * i], bounds[2 * i + 1]
        if first < last:
            pieces.append(docs[first:last] + (at - low))
            counts.append(freq[first:last])
        at += high - low
    if len(pieces) == 1:
        return pieces[0], counts[0]
    return (np.concatenate(pieces), np.concatenate(counts)) if pieces else (docs[:0], freq[:0])


def _masked(part: _Part, allowed: Allowed) -> _Part:
    """Without the postings of rows that are dead or do not pass the narrowing."""
    keep = None if allowed.mask is None else allowed.mask(part.source.segment)
    if part.source.dead is not None:
        keep = ~part.source.dead if keep is None else keep & ~part.source.dead
    if keep is not None:
        part.alive = np.concatenate([keep[low:high] for low, high in part.slices])
        passing = [part.alive[docs] for docs, _ in part.postings]
        part.postings = [(docs[ok], freq[ok]) for (docs, freq), ok in zip(part.postings, passing, strict=True)]
    return part


def _candidates(part: _Part, lane: LexicalLane, k: int, settings: Lexical) -> LexicalLane:
    """The rows of one part that can be among the k best, with their exact scores."""
    own = part.length
    scores = np.zeros(part.size, np.float32)
    saturated = _saturation(part, lane.average, settings)
    for (docs, freq), count, weight in zip(part.postings, lane.weights, lane.idf, strict=True):
        if len(docs) and weight > 0:
            scores[docs] += saturated(docs, freq) * np.float32(count * weight)
    positions = _top(scores, k, [docs for docs, _ in part.postings])
    freq = np.stack([_freq_at(docs, freq, positions) for docs, freq in part.postings], axis=1)
    rows = part.rows(positions)
    segment = part.source.segment
    exact = _contributions(lane, freq, own[positions].astype(np.float64), settings).sum(axis=1)
    return LexicalLane(
        segment.ids[rows], exact, segment.tie[rows], freq, own[positions].astype(np.float64), segment.script[rows] / 255,
        lane.terms, lane.weights, lane.df, lane.idf, lane.n, lane.average, lane.ceiling,
    )  # fmt: skip


def _saturation(part: _Part, average: float, settings: Lexical) -> Callable[[Array, Array], Array]:
    """TF · (k1 + 1) / (TF + norm) of postings. For a whole segment asked again with the same average all of
    them are worked out once: a process that stays answers its later queries by adding."""
    if settings.weighting == "tfidf":
        return lambda docs, freq: freq
    segment, top = part.source.segment, np.float32(settings.k1 + 1)
    whole = part.size == segment.rows and part.alive is None
    key = (average, settings.k1, settings.b)
    if whole:
        known, impacts = segment.kept or (None, None)  # one value: another thread may put its own in its place
        if known == key and impacts is None:
            whole_norm = _norm(segment.length.astype(np.float32), average, settings)
            impacts = segment.freq * top / (segment.freq + whole_norm[segment.docs])
        segment.kept = (key, impacts if known == key else None)
        if known == key and impacts is not None:
            return lambda docs, freq: _slice_of(impacts, segment.freq, freq)
    norm = _norm(part.length.astype(np.float32), average, settings)
    return lambda docs, freq: freq * top / (freq + norm[docs])


def _slice_of(values: Array, base: Array, view: Array) -> Array:
    """The part of `values` that stands where `view` stands in `base`."""
    start = (view.__array_interface__["data"][0] - base.__array_interface__["data"][0]) // base.itemsize
    return values[start : start + len(view)]


def _top(scores: Array, k: int, lists: list[Array]) -> Array:
    """Positions that may be among the k best: at least the k-th score less the error of the first pass."""
    seeds = [docs for docs in lists if k < len(docs) <= _SEED]
    floor = max((float(np.partition(scores[docs], -k)[-k]) for docs in seeds[:3]), default=0.0)
    positions = np.flatnonzero(scores >= floor * 0.9999) if floor > 0 else np.flatnonzero(scores > 0)
    if len(positions) > k:
        cut = np.partition(scores[positions], -k)[-k]
        positions = positions[scores[positions] >= cut * 0.9999]
    return positions


def _freq_at(docs: Array, freq: Array, positions: Array) -> Array:
    if not len(docs) or not len(positions):
        return np.zeros(len(positions))
    at = np.minimum(np.searchsorted(docs, positions), len(docs) - 1)
    values: Array = np.where(docs[at] == positions, freq[at], 0).astype(np.float64)
    return values


def _norm(length: Array, average: float, settings: Lexical) -> Array:
    relative = length / length.dtype.type(average) if average else length * 0
    norm: Array = length.dtype.type(settings.k1) * (length.dtype.type(1 - settings.b) + length.dtype.type(settings.b) * relative)
    return norm


def _contributions(lane: LexicalLane, freq: Array, length: Array, settings: Lexical) -> Array:
    factor = np.array(lane.weights, float) * np.array(lane.idf)
    share: Array = freq
    if settings.weighting == "bm25":
        bound: Array = freq + _norm(length, lane.average, settings)[:, None]
        share = np.divide(freq, bound, out=np.zeros_like(freq), where=freq > 0) * (settings.k1 + 1)
    gave: Array = share * factor
    return gave


def _best(lanes: list[LexicalLane], k: int) -> LexicalLane:
    ids, scores, ties, freq, length, script = (
        np.concatenate([getattr(lane, name) for lane in lanes]) for name in ("ids", "scores", "ties", "freq", "length", "script")
    )
    order = np.lexsort((ties, -scores))[:k]
    one = lanes[0]
    return LexicalLane(
        ids[order], scores[order], ties[order], freq[order], length[order], script[order],
        one.terms, one.weights, one.df, one.idf, one.n, one.average, one.ceiling,
    )  # fmt: skip


def build(low: int, high: int, rows: Sequence[tuple[int, int, int, int, int, int, int, bytes]]) -> Segment:
    """A lexical segment from database rows (id, partition, tie, seconds, kind, length, script, terms)."""
    columns = [np.array([row[i] for row in rows], np.int64) for i in range(7)]
    ids, parts, tie, seconds, kinds, length, script = columns
    order, arrays = row_arrays(ids, parts, tie.view(np.uint64), seconds, kinds.astype(np.int32))
    arrays["length"] = length[order].astype(np.int32)
    arrays["script"] = script[order].astype(np.uint8)
    blobs = [rows[i][7] for i in order.tolist()]
    counts = np.array([len(blob) // TERM.itemsize for blob in blobs], np.int64)
    terms = np.frombuffer(b"".join(blobs), TERM)
    docs = np.repeat(np.arange(len(rows), dtype=np.int32), counts)
    by_term = np.argsort(terms["hash"], kind="stable")
    hashes, start = np.unique(terms["hash"][by_term], return_index=True)
    arrays |= {
        "hashes": hashes,
        "start": np.append(start, len(terms)).astype(np.int64),
        "docs": docs[by_term],
        "freq": terms["freq"][by_term].astype(np.float32),
    }
    return Segment(low, high, arrays)


TERM = np.dtype([("hash", "<u8"), ("freq", "<u4")])
"""One entry of a `terms` blob: the terms of a text, each once, with its frequency."""
