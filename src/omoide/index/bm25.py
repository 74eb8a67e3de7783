"""BM25 as a formula, and the answer of a lexical lane. No arrays here: both ways to scan an index end in it.

Robertson and Walker 1994; Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009:

    score = Σ_t w_t · IDF(t) · TF · (k1 + 1) / (TF + k1 · (1 − b + b · length / average length))

N, DF and the average length are counted over what the caller may read: texts of others never move a score.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from omoide.settings import Lexical
    from omoide.text.tokenize import QueryTerms

TERM = struct.Struct("<QI")
"""One entry of a `terms` blob: the hash of a term, how often it stands in the text."""


def term_hashes(blob: bytes) -> tuple[int, ...]:
    """The hashes in a `terms` blob, in order."""
    return struct.unpack("<" + "Q4x" * (len(blob) // TERM.size), blob)


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


class Statistics(NamedTuple):
    """What the scores of one query rest on: its terms with their numbers, and the texts the caller may read.

    `weights` how often a term stands in the query; `df`, `idf` a term; `n` texts and their `average` length;
    `ceiling` the score of a text that is nothing but the query.
    """

    terms: tuple[str, ...]
    weights: tuple[int, ...]
    df: tuple[int, ...]
    idf: tuple[float, ...]
    n: int
    average: float
    ceiling: float

    def factors(self) -> list[float]:
        """What full TF of each term is multiplied by."""
        return [count * value for count, value in zip(self.weights, self.idf, strict=True)]


def statistics(query: QueryTerms, df: Sequence[int], n: int, total: int, settings: Lexical) -> Statistics:
    """`n` texts with `total` counted terms. Words that stand nowhere raise the ceiling too, so a query mostly
    of unknown words cannot reach a high share of it."""
    values = tuple(idf(settings.idf, n, count, settings.idf_floor) if n else 0.0 for count in df)
    full = settings.k1 + 1 if settings.weighting == "bm25" else 1.0
    ceiling = sum(count * value for count, value in zip(query.counts, values, strict=True)) * full if n else 0.0
    return Statistics(query.terms, query.counts, tuple(df), values, n, total / n if n else 0.0, ceiling)


def norm(length: float, average: float, settings: Lexical) -> float:
    """k1 · (1 − b + b · length / average): what TF is weighed against."""
    return settings.k1 * (1 - settings.b + settings.b * (length / average if average else 0.0))


class LexicalLane(NamedTuple):
    """Hits of the lexical lane, best first, and all that is needed to explain them.

    `ids` chunk numbers; `scores`; `ties` order among equals; `freq` a row of term frequencies a hit;
    `lengths` terms counted and `spaced` share of spaced words of each hit.
    """

    ids: list[int]
    scores: list[float]
    ties: list[int]
    freq: list[list[float]]
    lengths: list[float]
    spaced: list[float]
    about: Statistics

    def contributions(self, settings: Lexical) -> list[list[float]]:
        """What each word gave each hit. A row adds up, from the left, to the score."""
        factors = self.about.factors()
        if settings.weighting == "tfidf":
            return [[tf * factor for tf, factor in zip(row, factors, strict=True)] for row in self.freq]
        norms = [norm(length, self.about.average, settings) for length in self.lengths]
        return [
            [tf / (tf + bound) * (settings.k1 + 1) * factor if tf else 0.0 for tf, factor in zip(row, factors, strict=True)]
            for row, bound in zip(self.freq, norms, strict=True)
        ]
