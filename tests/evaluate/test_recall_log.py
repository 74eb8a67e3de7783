"""`omoide eval recall` on a small log of our own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from omoide.api.collection import Collection
from omoide.errors import BadData
from omoide.evaluate.recall_log import evaluate, read

ENTRIES = [
    {"id": "a", "text": "棚の色を青に決めた", "meta": {"log": "x", "t": "2026-01-01T10:00:00"}},
    {"id": "b", "text": "サーバを更新", "meta": {"log": "x", "t": "2026-01-02T10:00:00"}},
    {"id": "later", "text": "棚の色と値段", "meta": {"log": "x", "t": "2026-02-01T10:00:00"}},
]
CALLS = [
    {"t": "2026-01-03T09:00:00", "log": "x", "terms": ["棚", "色"], "gold": ["a"], "cause": "found"},
    {"t": "2026-01-03T09:00:00", "log": "x", "terms": ["棚", "値段"], "gold": ["a"], "cause": "one_term_missing"},
    {"t": "2026-01-03T09:00:00", "log": "x", "terms": ["サーバー"], "gold": ["b"], "cause": "spelling_variant"},
    {"t": "2026-01-03T09:00:00", "log": "x", "terms": ["猫", "鈴"], "gold": [], "cause": "no_record"},
    {"t": "2026-01-03T09:00:00", "log": "x", "terms": ["棚"], "until": "2025-12-31", "gold": [], "cause": "out_of_period"},
]


def write(folder: Path, entries: list[object], calls: list[object]) -> Path:
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in entries), encoding="utf-8")
    (folder / "recall_log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in calls), encoding="utf-8")
    return folder


def test_by_hand(tmp_path: Path) -> None:
    """Entries of later do not exist; the second try finds what one word too many hid."""
    logs, calls = read(write(tmp_path, [*ENTRIES], [*CALLS]))
    found = evaluate(logs, calls, Collection, 20, lambda done, of: None)
    words, recall = found["rules"]["all_words"], found["rules"]["recall"]
    assert found["calls"] == 5
    assert (words["zero"], words["found_of_recorded"]) == (3, 2 / 3)
    assert (recall["zero"], recall["found_of_recorded"], recall["false_on_no_record"]) == (2, 1.0, 0)
    assert recall["recognisable_no_record"] == 1.0
    assert recall["by_cause"]["one_term_missing"] == {"calls": 1, "found": 1, "zero": 0}


@pytest.mark.parametrize(("entries", "calls", "said"), [([{"id": "a"}], CALLS, "corpus.jsonl:1: without text, meta"), (ENTRIES, [3], "recall_log.jsonl:1")])
def test_bad_data(tmp_path: Path, entries: list[object], calls: list[object], said: str) -> None:
    """The file and the line are named."""
    with pytest.raises(BadData, match=said):
        read(write(tmp_path, entries, calls))


def test_no_folder(tmp_path: Path) -> None:
    """What should be there is said."""
    with pytest.raises(BadData, match="give a folder with"):
        read(tmp_path / "none")
