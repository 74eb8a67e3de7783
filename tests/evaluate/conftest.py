"""A small real ranking in plain Python, and folders to evaluate it on."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from math import log
from pathlib import Path
from typing import Any

import pytest

from omoide.settings import Settings
from omoide.types import EVERYTHING, Chunk, Hit, Notice, Results, Scope, Step


class WordOverlap:
    """Ranks by the rarity of the words a row shares with the query, within the scope; ties by id."""

    def __init__(self, rows: Sequence[Mapping[str, Any]], settings: Settings) -> None:
        self.rows = list(rows)
        self.settings = settings
        self.calls: list[tuple[str, Scope, int, str, datetime | None]] = []
        self.embedded = False
        self.closed = False

    def search(
        self, text: str, *, scope: Scope, limit: int, recipe: str, until: datetime | None = None
    ) -> Results:
        self.calls.append((text, scope, limit, recipe, until))
        rows = [row for row in self.rows if self._may(row, scope, until)]
        counts = Counter(word for row in rows for word in set(row["text"].lower().split()))
        wanted = set(text.lower().split())
        scored = [
            (
                sum(log(1 + len(rows) / counts[word]) for word in wanted & set(row["text"].lower().split())),
                row,
            )
            for row in rows
        ]
        found = sorted(
            ((score, row) for score, row in scored if score), key=lambda one: (-one[0], one[1]["id"])
        )
        hits = tuple(_hit(row, score) for score, row in found[:limit])
        return Results(hits, () if hits else (Notice("nothing_relevant", "no row shares a word"),))

    @staticmethod
    def _may(row: Mapping[str, Any], scope: Scope, until: datetime | None) -> bool:
        heard = EVERYTHING in scope.audiences or row["audience"] in scope.audiences
        return heard and not (until and row["when"] and row["when"] > until)

    def embed(self) -> None:
        self.embedded = True

    def stats(self) -> dict[str, Any]:
        return {"fingerprint": "words-1", "documents": len(self.rows)}

    def close(self) -> None:
        self.closed = True


def _hit(row: Mapping[str, Any], score: float) -> Hit:
    return Hit(Chunk(row["id"], row["id"], (0, 0), row["audience"], row["text"]), (Step("words", score),))


class Openers:
    """Opens collections and keeps them, so that a test can see what was asked."""

    def __init__(self) -> None:
        self.opened: list[WordOverlap] = []

    def __call__(self, rows: list[dict[str, Any]], settings: Settings) -> WordOverlap:
        self.opened.append(WordOverlap(rows, settings))
        return self.opened[-1]


@pytest.fixture
def opener() -> Openers:
    return Openers()


Rows = Sequence[Mapping[str, Any]]
MakeFolder = Callable[..., Path]


@pytest.fixture
def make_folder(tmp_path: Path) -> MakeFolder:
    """Writes a data folder: rows as dicts, judgements as text with spaces for tabs."""

    def make(
        docs: Rows, queries: Rows | None, qrels: str = "", subtopics: str = "", name: str = "set"
    ) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        _write_rows(folder / "corpus.jsonl", docs)
        if queries is not None:
            _write_rows(folder / "queries.jsonl", queries)
        _write_table(folder / "qrels.tsv", qrels)
        if subtopics:
            _write_table(folder / "qrels_subtopics.tsv", subtopics)
        return folder

    return make


def _write_rows(path: Path, rows: Rows) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def _write_table(path: Path, text: str) -> None:
    lines = ["\t".join(line.split()) for line in text.strip().splitlines()]
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
