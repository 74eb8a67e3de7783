"""What the right answers are, computed without an index: the check that nobody is fast by being wrong."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
from corpus import LANE, Corpus, terms


class Exact:
    """The yardstick, not a competitor: exact cosine and exact BM25 (k1 1.2, b 0.75), fused by RRF."""

    def __init__(self, corpus: Corpus) -> None:
        self.vectors = np.array(corpus.vectors[: corpus.n])
        self.persons = corpus.persons[: corpus.n]
        self.vocabulary: dict[str, int] = {}
        rows, columns, counts = [], [], []
        for number, text in enumerate(corpus.texts[: corpus.n]):
            for term, tf in Counter(terms(text)).items():
                rows.append(number)
                columns.append(self.vocabulary.setdefault(term, len(self.vocabulary)))
                counts.append(tf)
        row, column, tf = np.array(rows), np.array(columns), np.array(counts, np.float32)
        lengths = np.bincount(row, tf, corpus.n)
        impact = tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * (lengths / lengths.mean())[row]))
        order = np.argsort(column, kind="stable")
        self.starts = np.searchsorted(column[order], np.arange(len(self.vocabulary) + 1))
        self.rows, self.impacts = row[order], impact[order].astype(np.float32)

    def lanes(self, text: str, vector: np.ndarray, person: int | None = None) -> tuple[list[int], list[int]]:
        """The exact (lexical, dense) lanes, `LANE` numbers each."""
        n = len(self.persons)
        score = np.zeros(n, np.float32)
        for term in dict.fromkeys(terms(text)):
            column = self.vocabulary.get(term)
            if column is not None:
                span = slice(self.starts[column], self.starts[column + 1])
                df = span.stop - span.start
                score[self.rows[span]] += self.impacts[span] * math.log(1 + (n - df + 0.5) / (df + 0.5))
        cosine = self.vectors @ vector
        if person is not None:
            outside = self.persons != person
            score[outside], cosine[outside] = 0, -2
        words = np.argsort(-score, kind="stable")[:LANE]
        near = np.argsort(-cosine, kind="stable")[:LANE]
        return [int(i) for i in words if score[i] > 0], [int(i) for i in near if cosine[i] > -2]
