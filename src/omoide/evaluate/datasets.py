"""Reads a folder of the common retrieval format.

`corpus.jsonl` {"id", "text", "title"?, "meta"?}, one ready chunk a line · `queries.jsonl` {"id", "text",
"type"?, "t"?, "meta"?} · `qrels.tsv` query ⇥ document ⇥ grade · `qrels_subtopics.tsv` query ⇥ subtopic ⇥
document ⇥ grade, further columns are not read. Judgements may also be a JSON file: query → list of ids,
or query → {id: grade}. Whatever is wrong is a `BadData` that names the file and the line.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from omoide.errors import BadData
from omoide.evaluate.fields import session_of, value_at

Row = Mapping[str, Any]
Grades = dict[str, dict[str, int]]
"""Query id → document id → grade (0: judged, not relevant)."""
Subtopics = dict[str, dict[str, set[str]]]
"""Query id → subtopic → ids of its documents."""

TIME_FIELDS = ("meta.t", "meta.iso", "t")
QUERY_TIME_FIELDS = ("t", "meta.iso", "meta.t")


@dataclass(frozen=True, slots=True)
class Dataset:
    """One folder, read and checked. Rows keep all their fields; ids are unique.

    `by_session` is true where the judgements name sessions (ids before `#`) instead of documents.
    """

    name: str
    documents: dict[str, Row]
    queries: dict[str, Row]
    grades: Grades
    subtopics: Subtopics
    by_session: bool = False


def read_folder(folder: Path, qrels: Path | None = None) -> Dataset:
    """Read a data folder. `qrels` replaces its `qrels.tsv`; a bare name is also looked for inside it.

    Raises `BadData` for a missing file, broken rows, repeated ids and judgements of unknown ids.
    """
    if not folder.is_dir():
        raise BadData(f"{folder}: no such folder; --data needs a folder with corpus.jsonl and queries.jsonl")
    documents = read_rows(folder / "corpus.jsonl")
    judgements = _judgement_file(folder, qrels)
    queries = _read_queries(folder / "queries.jsonl", judgements)
    read = _read_json if judgements.suffix == ".json" else _read_tsv
    grades, by_session = read(judgements, documents, queries)
    extra = folder / "qrels_subtopics.tsv"
    subtopics = read_subtopics(extra, documents, queries) if extra.is_file() and not by_session else {}
    return Dataset(folder.name, documents, queries, grades, subtopics, by_session)


def _judgement_file(folder: Path, qrels: Path | None) -> Path:
    if qrels is None:
        return folder / "qrels.tsv"
    return folder / qrels if not qrels.is_file() and (folder / qrels).is_file() else qrels


def lines_of(path: Path) -> Iterator[tuple[int, str]]:
    """Numbered lines that are not blank. Only LF and CRLF end a line: texts may hold other separators."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise BadData(f"{path}: no such file; the data format asks for it") from None
    except OSError as error:
        raise BadData(f"{path}: cannot be read ({error.strerror}); check the file") from error
    except UnicodeDecodeError as error:
        raise BadData(f"{path}: not UTF-8 at byte {error.start}; save it as UTF-8") from error
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, line.rstrip("\r")


def read_rows(path: Path) -> dict[str, Row]:
    """The rows of a `.jsonl` file by id, in file order."""
    rows: dict[str, Row] = {}
    first: dict[str, int] = {}
    for number, line in lines_of(path):
        row = _row(line, f"{path}:{number}")
        if row["id"] in rows:
            before = first[row["id"]]
            raise BadData(
                f"{path}:{number}: id {row['id']!r} stands already in line {before}; ids are unique"
            )
        rows[row["id"]] = row
        first[row["id"]] = number
    return rows


def _row(line: str, place: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise BadData(f"{place}: not JSON ({error}); each line is one object") from error
    if not isinstance(row, dict):
        raise BadData(f"{place}: each line must be an object with id and text, not {type(row).__name__}")
    for name in ("id", "text"):
        if not isinstance(row.get(name), str):
            raise BadData(f"{place}: {name!r} must be text, not {json.dumps(row.get(name))}")
    if not row["id"]:
        raise BadData(f"{place}: 'id' is empty; give every row a name of its own")
    if not isinstance(row.get("title", ""), str):
        raise BadData(f"{place}: 'title' must be text, not {json.dumps(row['title'])}")
    if not isinstance(row.get("meta", {}), dict):
        raise BadData(f"{place}: 'meta' must be an object, not {json.dumps(row['meta'])}")
    time_of(row, TIME_FIELDS, place)
    return row


def time_of(row: Row, fields: tuple[str, ...] = TIME_FIELDS, place: str = "") -> datetime | None:
    """The first of `fields` that is an ISO 8601 text; without a zone it is taken as UTC. None: undated.

    A text that is no date is `BadData`; a value that is no text (a turn number, say) is no date.
    """
    for field in fields:
        value = value_at(row, field)
        if isinstance(value, str) and value:
            return _moment(value, f"{place or row.get('id')}: {field}")
    return None


def _moment(text: str, place: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text[:-1] + "+00:00" if text.endswith(("Z", "z")) else text)
    except ValueError as error:
        raise BadData(f"{place} is {text!r}; write a date like 2025-03-02T10:17:00") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _read_queries(path: Path, judgements: Path) -> dict[str, Row]:
    """The queries; where a folder has none and the judgements are JSON, its keys are the queries."""
    if path.is_file() or judgements.suffix != ".json":
        return read_rows(path)
    return {text: {"id": text, "text": text} for text in _json_object(judgements)}


def _read_tsv(path: Path, documents: Mapping[str, Row], queries: Mapping[str, Row]) -> tuple[Grades, bool]:
    grades: Grades = {}
    places: dict[str, str] = {}
    for number, (query, doc, grade) in _columns(path, 3):
        _known(query, queries, f"{path}:{number}", "queries.jsonl")
        if doc in grades.setdefault(query, {}):
            raise BadData(f"{path}:{number}: {query!r} and {doc!r} are judged twice; keep one line")
        grades[query][doc] = _grade(grade, f"{path}:{number}")
        places.setdefault(doc, f"line {number}")
    return grades, _names_sessions(path, places, documents)


def _known(name: str, rows: Mapping[str, Row], place: str, file: str) -> None:
    if name not in rows:
        raise BadData(f"{place}: {name!r} is not in {file}; remove the line or add it there")


def _columns(path: Path, wanted: int) -> Iterator[tuple[int, list[str]]]:
    """The first `wanted` columns of each line. A heading (its grade column is "score") is passed over."""
    for number, line in lines_of(path):
        parts = line.split("\t")
        if len(parts) < wanted:
            found = f"{len(parts)} column{'s' if len(parts) > 1 else ''}"
            raise BadData(f"{path}:{number}: {found}, {wanted} are needed, divided by tabs: {line[:80]!r}")
        if not (number == 1 and parts[wanted - 1].strip().lower() in ("score", "grade", "rel")):
            yield number, [part.strip() for part in parts[:wanted]]


def _grade(text: object, place: str) -> int:
    try:
        grade = int(text) if isinstance(text, str | int) else -1
    except ValueError:
        grade = -1
    if grade < 0 or isinstance(text, bool):
        raise BadData(f"{place}: grade {text!r} is not a whole number from 0 up")
    return grade


def _names_sessions(path: Path, places: Mapping[str, str], documents: Mapping[str, Row]) -> bool:
    """Whether the judged ids are sessions; `BadData` that names the ids which are neither."""
    unknown = {doc: place for doc, place in places.items() if doc not in documents}
    if not unknown:
        return False
    if len(unknown) == len(places) and set(unknown) <= {session_of(doc) for doc in documents}:
        return True
    sessions = {session_of(doc) for doc in documents if "#" in doc}
    named = [(doc, place) for doc, place in unknown.items() if doc not in sessions] or list(unknown.items())
    shown = ", ".join(f"{doc!r} ({place})" for doc, place in named[:5])
    more = f" and {len(named) - 5} more" if len(named) > 5 else ""
    raise BadData(f"{path}: not in corpus.jsonl: {shown}{more}; remove them or add the documents")


def _json_object(path: Path) -> dict[str, Any]:
    try:
        data = json.loads("\n".join(line for _, line in lines_of(path)))
    except ValueError as error:
        raise BadData(f"{path}: not JSON ({error}); it must map each query to its relevant ids") from error
    if not isinstance(data, dict):
        raise BadData(f"{path}: must be an object (query → relevant ids), not {type(data).__name__}")
    return data


def _read_json(path: Path, documents: Mapping[str, Row], queries: Mapping[str, Row]) -> tuple[Grades, bool]:
    """Judgements from JSON. A key is a query's id or its text; a plain list gives every id grade 1."""
    by_text = {str(row["text"]): query for query, row in queries.items()}
    grades: Grades = {}
    places: dict[str, str] = {}
    for key, judged in _json_object(path).items():
        query = key if key in queries else by_text.get(key)
        if query is None:
            raise BadData(
                f"{path}: {key!r} is no query's id or text in queries.jsonl; remove it or add the query"
            )
        grades[query] = _json_grades(judged, f"{path}: query {key!r}")
        for doc in grades[query]:
            places.setdefault(doc, f"query {key!r}")
    return grades, _names_sessions(path, places, documents)


def _json_grades(judged: object, place: str) -> dict[str, int]:
    if isinstance(judged, dict):
        return {doc: _grade(grade, f"{place}, {doc!r}") for doc, grade in judged.items()}
    if isinstance(judged, list) and all(isinstance(doc, str) for doc in judged):
        return dict.fromkeys(judged, 1)
    raise BadData(f"{place}: must be a list of document ids, or an object id → grade")


def read_subtopics(path: Path, documents: Mapping[str, Row], queries: Mapping[str, Row]) -> Subtopics:
    """Subtopic judgements; a document may stand under several subtopics. Grade 0 is not relevant."""
    subtopics: Subtopics = {}
    for number, (query, topic, doc, grade) in _columns(path, 4):
        _known(query, queries, f"{path}:{number}", "queries.jsonl")
        _known(doc, documents, f"{path}:{number}", "corpus.jsonl")
        if _grade(grade, f"{path}:{number}"):
            subtopics.setdefault(query, {}).setdefault(topic, set()).add(doc)
    return subtopics
