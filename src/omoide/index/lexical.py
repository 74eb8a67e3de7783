"""The lexical lane over segments, by arrays: for a process that stays, and for large questions.

Where a query has many postings, MaxScore first leaves out rows that cannot be among the k best (Turtle and
Flood 1995): rare words are added up, the common ones are only looked up for rows they can still lift. Then
the postings are laid one after another, word after word, and added up in double precision in that order, so
a score is the same in every segmentation, and the same as `omoide.index.plain` gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from omoide.index import kernel
from omoide.index.allowed import Allowed
from omoide.index.bm25 import LexicalLane, Statistics, statistics, term_hash
from omoide.index.segment import Segment, row_arrays
from omoide.settings import Lexical
from omoide.text.tokenize import QueryTerms

if TYPE_CHECKING:
    from omoide.index.segment import Array

_DEFAULT = Lexical()
_K1, _B = _DEFAULT.k1, _DEFAULT.b  # impacts are made for these; with others every posting is added up

_FEW = 6_000
"""Up to so many postings adding them all is quicker than finding out which do not matter."""


class Source(NamedTuple):
    """A segment as a reader sees it now: `dead` marks rows removed since it was written, or is None."""

    segment: Segment
    dead: Array | None


class _Postings(NamedTuple):
    """Where the query's words stand in one segment: for each word rows, in order, term frequencies and impacts."""

    docs: list[Array]
    freq: list[Array]
    impact: list[Array]

    @property
    def counts(self) -> list[int]:
        return [len(docs) for docs in self.docs]

    def kept(self, keep: Array) -> _Postings:
        """Only those of the rows marked in `keep`."""
        stays = [keep[docs] for docs in self.docs]
        return _Postings(*([values[ok] for values, ok in zip(column, stays, strict=True)] for column in self))

    def at(self, rows: Array) -> _Postings:
        """Only those of these rows; `docs` then are places in `rows`."""
        found = [_places(docs, rows) for docs in self.docs]
        return _Postings(
            [inside for inside, _ in found],
            [freq[at] for freq, (_, at) in zip(self.freq, found, strict=True)],
            [impact[at] for impact, (_, at) in zip(self.impact, found, strict=True)],
        )


def _places(docs: Array, rows: Array) -> tuple[Array, Array]:
    """Which of `rows` (in order) stand in `docs` (in order), and where there."""
    if not len(docs):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    at = np.searchsorted(docs, rows)
    inside = np.flatnonzero(docs.take(at, mode="clip") == rows)
    return inside, at[inside]


class _Found(NamedTuple):
    """Candidates as columns: chunk numbers, scores, ties, (hits × terms) frequencies, lengths, shares."""

    ids: Array
    scores: Array
    ties: Array
    freq: Array
    lengths: Array
    spaced: Array


_Read = _Postings | kernel.Postings


def search(sources: Sequence[Source], query: QueryTerms, allowed: Allowed, k: int, settings: Lexical) -> LexicalLane:
    """The k best texts of those wanted. Equal scores are ordered by `tie`; a score of 0 is no hit."""
    hashes = np.array([term_hash(term) for term in query.terms], np.uint64)
    passes = kernel.library is not None and _prunable(settings)
    read = [(source.segment, _postings(source, hashes, allowed, passes)) for source in sources]
    n, total = map(sum, zip(*(_texts(source, allowed) for source in sources), strict=True)) if sources else (0, 0)
    df = [sum(counts) for counts in zip(*(postings.counts for _, postings in read), strict=True)] if read else [0] * len(hashes)
    about = statistics(query, df, n, total, settings)
    found = [_candidates(segment, postings, _wanted(segment, allowed), about, k, settings) for segment, postings in read]
    return _best([one for one in found if one is not None], about, k)


def _texts(source: Source, allowed: Allowed) -> tuple[int, int]:
    """Living, readable texts of a segment and the sum of their lengths."""
    n = total = 0
    segment = source.segment
    if allowed.readable is None and source.dead is None:
        return segment.rows, segment.total
    for low, high in segment.slices(allowed.readable):
        lengths = segment.length[low:high]
        if source.dead is not None:
            lengths = lengths[~source.dead[low:high]]
        n, total = n + len(lengths), total + int(lengths.sum())
    return n, total


def _prunable(settings: Lexical) -> bool:
    """Whether impacts say what a posting can give at most: for other settings every one is added up."""
    never_negative = settings.idf != "textbook" or settings.idf_floor >= 0
    return never_negative and (settings.weighting, settings.k1, settings.b) == ("bm25", _K1, _B)


def _postings(source: Source, hashes: Array, allowed: Allowed, compiled: bool) -> _Read:
    """Those in living, readable rows."""
    segment = source.segment
    slices = segment.slices(allowed.readable)
    known, start = segment.hashes, segment.start
    places = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
    held = known[places] == hashes if len(known) else np.zeros(len(hashes), bool)
    if compiled:
        first, last = (np.where(held, start[places + i], 0) if len(known) else np.zeros(len(hashes), np.int64) for i in (0, 1))
        keep = None if source.dead is None else ~source.dead
        return kernel.Postings(segment, first, last, [bound for one in slices for bound in one], keep)
    bounds = None if slices == [(0, segment.rows)] else np.array(slices, np.int32).reshape(-1)
    columns = segment.docs, segment.freq, segment.impact
    found = _Postings(*([column[:0]] * len(hashes) for column in columns))
    for i in np.flatnonzero(held).tolist():
        first, last = start[places[i] : places[i] + 2].tolist()
        cuts = [first, last] if bounds is None else (first + np.searchsorted(segment.docs[first:last], bounds)).tolist()
        for values, column in zip(found, columns, strict=True):
            values[i] = _pieces(column, cuts)
    return found if source.dead is None else found.kept(~source.dead)


def _pieces(column: Array, cuts: list[int]) -> Array:
    pieces = [column[low:high] for low, high in zip(cuts[::2], cuts[1::2], strict=True)]
    return pieces[0] if len(pieces) == 1 else np.concatenate([column[:0], *pieces])


def _wanted(segment: Segment, allowed: Allowed) -> Array | None:
    """Which rows may be hits, or None for all that are readable."""
    inside = None
    if allowed.wanted != allowed.readable:
        inside = np.zeros(segment.rows, bool)
        for low, high in segment.slices(allowed.wanted):
            inside[low:high] = True
    if allowed.mask is None:
        return inside
    mask = allowed.mask(segment)
    return mask if inside is None else mask & inside


def _candidates(segment: Segment, postings: _Read, wanted: Array | None, about: Statistics, k: int, settings: Lexical) -> _Found | None:
    """The rows of one segment that can be among the k best, with their scores."""
    if not sum(postings.counts):
        return None
    factors = about.factors()
    most = [factor * (_K1 + 1) for factor in factors]
    if isinstance(postings, kernel.Postings):
        rows = postings.promising(most, about.average, k, wanted)
        return _scored(segment, rows, postings.frequencies(rows), about, k, settings)
    postings = postings if wanted is None else postings.kept(wanted)
    if sum(postings.counts) > _FEW and _prunable(settings):
        rows = _promising(segment, postings, most, about.average, k)
        postings = postings.at(rows)
        docs = np.concatenate(postings.docs)
    else:
        rows, docs = np.unique(np.concatenate(postings.docs), return_inverse=True)
    counts = postings.counts
    freq = np.concatenate(postings.freq).astype(np.float64)
    norms = _norm(segment.length[rows[docs]], about.average, settings)
    scores = np.bincount(docs, _gave(freq, norms, settings) * np.repeat(factors, counts), len(rows))
    best = _top(scores, k)
    chosen = np.zeros(len(rows), np.int32)
    chosen[best] = np.arange(1, len(best) + 1)
    places = chosen[docs]
    at = np.flatnonzero(places)
    held = np.zeros((len(best), len(counts)))
    held[places[at] - 1, np.repeat(np.arange(len(counts)), counts)[at]] = freq[at]
    rows = rows[best]
    lengths = segment.length[rows].astype(np.float64)
    return _Found(segment.ids[rows], scores[best], segment.tie[rows], held, lengths, segment.script[rows] / 255)


def _scored(segment: Segment, rows: Array, held: Array, about: Statistics, k: int, settings: Lexical) -> _Found:
    """The best of some rows. `held`: how often each word stands in each. Word after word, as everywhere."""
    norms = _norm(segment.length[rows], about.average, settings)
    gave = _gave(held, norms[:, None], settings) * np.array(about.factors())
    scores = np.add.accumulate(gave, axis=1)[:, -1]
    best = _top(scores, k)
    rows = rows[best]
    lengths = segment.length[rows].astype(np.float64)
    return _Found(segment.ids[rows], scores[best], segment.tie[rows], held[best], lengths, segment.script[rows] / 255)


def _gave(freq: Array, norms: Array, settings: Lexical) -> Array:
    """TF of postings as the formula takes it, before the rarity of the word."""
    gave: Array = freq if settings.weighting == "tfidf" else freq / (freq + norms) * (settings.k1 + 1)
    return gave


def _promising(segment: Segment, postings: _Postings, most: list[float], average: float, k: int) -> Array:
    """Rows that can be among the k best, in order. `most`: what each word can give.

    Rare words first: once the k-th best row surely has more than all the words left can give together, rows
    without any word so far are out. An impact is the share of `most` that a word gives, in 255ths, rounded up,
    for the segment's own average length; for another average it is off by at most the ratio of the two.
    """
    ratio = average / segment.average
    under, over = min(1.0, ratio), max(1.0, ratio)
    weights = [value / 255 for value in most]
    slack = sum(weights)
    order = sorted(range(len(most)), key=lambda word: len(postings.docs[word]))
    left = sum(most) * (1 + 1e-6)  # more than any rounding
    scores = np.zeros(segment.rows)
    batch: list[int] = []
    waiting, added = 0, 0
    for place, word in enumerate(order):
        batch.append(word)
        waiting += len(postings.docs[word])
        coming = len(postings.docs[order[place + 1]]) if place + 1 < len(order) else None
        if coming is not None and waiting + coming < max(_FEW // 2, added):
            continue
        gave = np.concatenate([postings.impact[one] * np.float32(weights[one]) for one in batch])
        scores += np.bincount(np.concatenate([postings.docs[one] for one in batch]), gave, segment.rows)
        left -= sum(most[one] for one in batch)
        added, waiting, batch = added + waiting, 0, []
        rows = np.flatnonzero(scores > 0)
        least = (_kth(scores[rows], k) - slack) * under
        if least > left:
            break
    rows = rows[scores[rows] * over + left >= least]
    for word in sorted(order[place + 1 :], key=lambda word: -most[word]):
        if len(rows) <= 2 * k:
            break
        inside, at = _places(postings.docs[word], rows)
        scores[rows[inside]] += postings.impact[word][at] * weights[word]
        left -= most[word]
        rows = rows[scores[rows] * over + left >= (_kth(scores[rows], k) - slack) * under]
    return rows


def _kth(scores: Array, k: int) -> float:
    """The k-th best, or 0 where there are fewer."""
    return float(np.partition(scores, -k)[-k]) if len(scores) >= k else 0.0


def _norm(lengths: Array, average: float, settings: Lexical) -> Array:
    """`bm25.norm` of many."""
    norms: Array = settings.k1 * (1 - settings.b + settings.b * (lengths / average if average else lengths * 0.0))
    return norms


def _top(scores: Array, k: int) -> Array:
    """Places of the k best that are more than 0, and of all that equal the k-th, in order."""
    places = np.flatnonzero(scores > 0)
    return places[scores[places] >= _kth(scores[places], k)]


def _best(found: list[_Found], about: Statistics, k: int) -> LexicalLane:
    if not found:
        return LexicalLane([], [], [], [], [], [], about)
    columns = _Found(*(np.concatenate(column) for column in zip(*found, strict=True))) if len(found) > 1 else found[0]
    order = np.lexsort((columns.ties, -columns.scores))[:k]
    ids, scores, ties, freq, lengths, spaced = (column[order].tolist() for column in columns)
    return LexicalLane(ids, scores, ties, freq, lengths, spaced, about)


def build(low: int, high: int, rows: Sequence[tuple[int, int, int, int, int, int, int, bytes]]) -> Segment:
    """A lexical segment from database rows (id, partition, tie, seconds, kind, length, script, terms)."""
    columns = [np.array([row[i] for row in rows], np.int64) for i in range(7)]
    ids, parts, tie, seconds, kinds, length, script = columns
    order, arrays = row_arrays(ids, parts, tie.view(np.uint64), seconds, kinds.astype(np.int32))
    arrays["length"] = length[order].astype(np.int32)
    arrays["script"] = script[order].astype(np.uint8)
    blobs = [rows[i][7] for i in order.tolist()]
    counts = np.array([len(blob) // _TERM.itemsize for blob in blobs], np.int64)
    terms = np.frombuffer(b"".join(blobs), _TERM)
    docs = np.repeat(np.arange(len(rows), dtype=np.int32), counts)
    by_term = np.argsort(terms["hash"], kind="stable")
    hashes, start = np.unique(terms["hash"][by_term], return_index=True)
    arrays |= {
        "hashes": hashes,
        "start": np.append(start, len(terms)).astype(np.int64),
        "docs": docs[by_term],
        "freq": (freq := terms["freq"][by_term].astype(np.float32)),
        "impact": _impacts(freq, arrays["length"], docs[by_term]),
    }
    return Segment(low, high, arrays)


def _impacts(freq: Array, length: Array, docs: Array) -> Array:
    """TF / (TF + norm) in 255ths, rounded up."""
    norms = _norm(length, float(length.mean()) if len(length) else 0.0, _DEFAULT)
    impacts: Array = np.ceil(freq / (freq + norms[docs]) * 255).clip(0, 255).astype(np.uint8)
    return impacts


_TERM = np.dtype([("hash", "<u8"), ("freq", "<u4")])  # bm25.TERM for arrays
