"""`omoide eval recall` on a small log of our own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from omoide.api.collection import Collection
from omoide.errors import BadData
from omoide.evaluate.recall_log import evaluate, read, read_all
from omoide.serve.cli.main import main

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


@pytest.mark.parametrize(("entries", "calls", "said"), [
        ([{"id": "a"}], CALLS, r"corpus\.jsonl:1: 'text' must be text"), ([{"id": "a", "text": "b"}], CALLS, r"corpus\.jsonl: a has no meta\.t"),
        ([ENTRIES[0] | {"meta": {"t": "soon"}}], CALLS, "'soon'; write a date"), (ENTRIES, [3], r"recall_log\.jsonl:1"),
        (ENTRIES, [CALLS[0] | {"t": "soon"}], r"recall_log\.jsonl:1: t 'soon' is not a date"),
        (ENTRIES, [CALLS[0], {"t": "2026-01-01"}], r"recall_log\.jsonl:2: a call has t, terms"), (ENTRIES, [CALLS[0] | {"terms": "棚"}], "lists of texts"),
    ])
def test_bad_data(tmp_path: Path, entries: list[object], calls: list[object], said: str) -> None:
    """The file and the line are named."""
    with pytest.raises(BadData, match=said):
        read(write(tmp_path, entries, calls))


def test_no_folder(tmp_path: Path) -> None:
    """What should be there is said."""
    with pytest.raises(BadData, match=r"corpus\.jsonl: no such file"):
        read(tmp_path / "none")


def test_two_folders(tmp_path: Path) -> None:
    """Logs of one name in two folders are two: a call sees the entries of its own."""
    for name, entries in (("one", ENTRIES), ("two", ENTRIES[1:])):
        (tmp_path / name).mkdir()
        write(tmp_path / name, [*entries], [*CALLS])
    logs, calls = read_all([tmp_path / "one", tmp_path / "two"])
    found = evaluate(logs, calls, Collection, 20, lambda done, of: None)
    assert found["calls"] == 10 and found["rules"]["recall"]["by_cause"]["found"] == {"calls": 2, "found": 1, "zero": 1}


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Hybrid search has the vectors of its entries, the model is named, --limit cuts calls, --out says the command."""
    write(tmp_path, [*ENTRIES], [*CALLS])
    words = ["eval", "recall", "--data", str(tmp_path), "--model", "hashing", "--cache", str(tmp_path / "vectors.db")]
    assert main([*words, "--limit", "3", "--out", str(tmp_path / "out.json"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["data"]
    assert found["calls"] == 3 and found["model"].startswith("hashing")
    assert json.loads((tmp_path / "out.json").read_text("utf-8"))["command"] == f"omoide eval recall --data {tmp_path}"
    assert main([*words, "--results", "1"]) == 0
    assert "5 calls; hybrid search by words and hashing" in capsys.readouterr().out


def test_a_call_of_no_log(tmp_path: Path) -> None:
    """The log that is not there is named."""
    logs, calls = read(write(tmp_path, [*ENTRIES], [CALLS[0] | {"log": "y"}]))
    with pytest.raises(BadData, match="asks of y"):
        evaluate(logs, calls, Collection, 20, lambda done, of: None)
