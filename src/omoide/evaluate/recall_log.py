"""`omoide eval recall`: calls that an agent made, each again as of its moment, by three rules side by side.

Data: `corpus.jsonl` (id, text, meta.log, meta.t) and `recall_log.jsonl` (t, terms, since?, until?, gold, cause, absent).
At its moment t a call sees the entries of its log that were there: those of t or earlier.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC
from pathlib import Path
from typing import Any

from omoide.api.collection import Collection
from omoide.api.misses import NO_RECORD
from omoide.api.times import moment
from omoide.errors import BadData
from omoide.evaluate.datasets import lines_of, read_rows, time_of
from omoide.evaluate.fields import value_at
from omoide.types import Results

RULES = ("all_words", "recall", "hybrid")
Opener = Callable[[list[dict[str, Any]]], Collection]


def read_all(folders: Sequence[Path]) -> tuple[dict[str, list[dict[str, Any]]], list[dict[str, Any]]]:
    """Logs and calls of several folders; logs of one name in two of them are two."""
    logs: dict[str, list[dict[str, Any]]] = {}
    calls = []
    for folder in folders:
        named, asked = read(folder)
        logs |= {f"{folder}:{name}": rows for name, rows in named.items()}
        calls += [call | {"log": f"{folder}:{call.get('log', '')}"} for call in asked]
    return logs, calls


def read(folder: Path) -> tuple[dict[str, list[dict[str, Any]]], list[dict[str, Any]]]:
    """Rows of each log, and the calls. Raises `BadData` that names the file and the line."""
    logs: dict[str, list[dict[str, Any]]] = defaultdict(list)
    file = folder / "corpus.jsonl"
    for row in read_rows(file).values():
        kept = {"id": row["id"], "text": row["text"], "when": time_of(row, place=f"{file}: {row['id']}"), "kind": "log"}
        if kept["when"] is None:
            raise BadData(f"{file}: {row['id']} has no meta.t, so nobody knows when it was there")
        logs[str(value_at(row, "meta.log") or "")].append(kept)
    return dict(logs), [_call(number, line, folder / "recall_log.jsonl") for number, line in lines_of(folder / "recall_log.jsonl")]


def _call(number: int, line: str, file: Path) -> dict[str, Any]:
    place = f"{file}:{number}"
    try:
        call = json.loads(line)
        lists = [isinstance(call.get(name), list) and all(isinstance(one, str) for one in call[name]) for name in ("terms", "gold")]
        if not all(lists) or not isinstance(call.get("cause"), str):
            raise BadData(f"{place}: a call has t, terms and gold (lists of texts) and cause")
        times = {name: moment(call[name], UTC, name, end=name == "until") for name in ("t", "since", "until") if call.get(name)}
        return {**call, "since": None, "until": None, **times}
    except (ValueError, AttributeError, TypeError) as error:  # BadData is a ValueError
        raise BadData(str(error) if isinstance(error, BadData) else f"{place}: {error}") from error


def evaluate(
    logs: Mapping[str, list[dict[str, Any]]], calls: Sequence[Mapping[str, Any]], opener: Opener, limit: int,
    progress: Callable[[int, int], None],
) -> dict[str, Any]:  # fmt: skip
    """The fields of the command: `calls`, and for each rule what it found and what it left empty."""
    unknown = {str(call.get("log", "")) for call in calls} - logs.keys()
    if unknown:
        raise BadData(f"recall_log.jsonl asks of {', '.join(sorted(unknown))}: corpus.jsonl has no entry of that log")
    collections = {name: opener(rows) for name, rows in logs.items()}
    answers: dict[str, list[Results]] = {rule: [] for rule in RULES}
    for done, call in enumerate(calls, 1):
        for rule in RULES:
            answers[rule].append(_ask(collections[str(call.get("log", ""))], call, rule, limit))
        progress(done, len(calls))
    return {"calls": len(calls), "rules": {rule: _measured(calls, found) for rule, found in answers.items()}}


def _ask(collection: Collection, call: Mapping[str, Any], rule: str, limit: int) -> Results:
    until = min(call["t"], call["until"] or call["t"])
    if rule == "hybrid":
        return collection.search(" ".join(call["terms"]), recipe="hybrid", limit=limit, since=call["since"], until=until)
    return collection.recall(list(call["terms"]), limit=limit, since=call["since"], until=until, rule=rule.replace("_", "-"))


def _measured(calls: Sequence[Mapping[str, Any]], answers: Sequence[Results]) -> dict[str, Any]:
    rows = [(call["cause"], _found(call, found), not found.hits, _owns_up(found)) for call, found in zip(calls, answers, strict=True)]
    recorded = [found for call, (_, found, _, _) in zip(calls, rows, strict=True) if call["gold"]]
    unrecorded = [(zero, owns_up) for cause, _, zero, owns_up in rows if cause == NO_RECORD]
    named = [bool(found.facts.get("absent")) for call, found in zip(calls, answers, strict=True) if call["cause"] == NO_RECORD]
    partly = [bool(found.facts.get("partly")) for call, found in zip(calls, answers, strict=True) if call["gold"]]
    causes = {}
    for cause in sorted({row[0] for row in rows}):
        of_it = [row for row in rows if row[0] == cause]
        causes[cause] = {"calls": len(of_it), "found": sum(row[1] for row in of_it), "zero": sum(row[2] for row in of_it)}
    return {
        "zero": sum(zero for _, _, zero, _ in rows),
        "found_of_recorded": sum(recorded) / len(recorded) if recorded else None,
        "false_on_no_record": sum(not zero for zero, _ in unrecorded),
        "recognisable_no_record": sum(owns_up for _, owns_up in unrecorded) / len(unrecorded) if unrecorded else None,
        "absent_named_no_record": sum(named) / len(named) if named else None,
        "partly_of_recorded": sum(partly) / len(partly) if partly else None,
        "by_cause": causes,
    }  # fmt: skip


def _found(call: Mapping[str, Any], found: Results) -> bool:
    """Whether an entry that answers is among the results."""
    return bool({hit.chunk.id for hit in found.hits} & set(call["gold"]))


def _owns_up(found: Results) -> bool:
    """Whether a reader of the output can see that there is no record: nothing came, or it says that no entry holds all words."""
    return not found.hits or bool(found.facts.get("partly"))
