"""Reading folders: what is right is read whole, what is wrong is named with its file and line."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.errors import BadData
from omoide.evaluate.datasets import QUERY_TIME_FIELDS, read_folder, read_rows, time_of

MakeFolder = Callable[..., Path]
DOCS = [{"id": "d1", "text": "one"}, {"id": "d2", "text": "two"}]
QUERIES = [{"id": "q1", "text": "which?"}, {"id": "q2", "text": "what?"}]


def test_folder_is_read(make_folder: MakeFolder) -> None:
    """Rows keep their fields, judgements their grades, in file order."""
    folder = make_folder(DOCS, QUERIES, "q1 d1 2\nq1 d2 0\nq2 d2 1")
    data = read_folder(folder)
    assert list(data.documents) == ["d1", "d2"]
    assert data.queries["q2"]["text"] == "what?"
    assert data.grades == {"q1": {"d1": 2, "d2": 0}, "q2": {"d2": 1}}
    assert data.name == "set"
    assert not data.by_session
    assert data.subtopics == {}


def test_subtopics_with_and_without_a_stance(make_folder: MakeFolder) -> None:
    """A fifth column is not read, a document may stand under two subtopics, grade 0 is left out."""
    folder = make_folder(
        DOCS, QUERIES, "q1 d1 1", "q1 1 d1 1 SUPPORT\nq1 2 d1 1 UNDERMINE\nq2 1 d2 1\nq2 2 d1 0"
    )
    assert read_folder(folder).subtopics == {"q1": {"1": {"d1"}, "2": {"d1"}}, "q2": {"1": {"d2"}}}


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("corpus.jsonl", '{"id": "d1", "text": "a"}\n{"id": \n', r"corpus\.jsonl:2: not JSON"),
        ("corpus.jsonl", "[1]\n", r"corpus\.jsonl:1: each line must be an object"),
        ("corpus.jsonl", '{"id": 7, "text": "a"}\n', r"corpus\.jsonl:1: 'id' must be text, not 7"),
        ("corpus.jsonl", '{"id": "", "text": "a"}\n', r"corpus\.jsonl:1: 'id' is empty"),
        ("corpus.jsonl", '{"id": "d1"}\n', r"corpus\.jsonl:1: 'text' must be text, not null"),
        (
            "corpus.jsonl",
            '{"id": "d1", "text": "a", "meta": []}\n',
            r"corpus\.jsonl:1: 'meta' must be an object",
        ),
        ("corpus.jsonl", '{"id": "d1", "text": "a", "title": 1}\n', r"corpus\.jsonl:1: 'title' must be text"),
        (
            "corpus.jsonl",
            '{"id": "d", "text": "a"}\n\n{"id": "d", "text": "b"}\n',
            r"corpus\.jsonl:3: id 'd' stands already in line 1",
        ),
        (
            "corpus.jsonl",
            '{"id": "d1", "text": "a", "meta": {"t": "2025-02-30"}}\n',
            r"corpus\.jsonl:1: meta\.t is '2025-02-30'",
        ),
        ("queries.jsonl", "nonsense\n", r"queries\.jsonl:1: not JSON"),
        ("qrels.tsv", "q1\td1\n", r"qrels\.tsv:1: 2 columns, 3 are needed"),
        ("qrels.tsv", "q1 d1 1\n", r"qrels\.tsv:1: 1 column, 3 are needed"),
        ("qrels.tsv", "q1\td1\tgood\n", r"qrels\.tsv:1: grade 'good'"),
        ("qrels.tsv", "q1\td1\t-1\n", r"qrels\.tsv:1: grade '-1'"),
        ("qrels.tsv", "q1\td1\t1\nq1\td1\t2\n", r"qrels\.tsv:2: 'q1' and 'd1' are judged twice"),
        ("qrels.tsv", "q1\td1\t1\nq9\td1\t1\n", r"qrels\.tsv:2: 'q9' is not in queries\.jsonl"),
        ("qrels.tsv", "q1\td1\t1\nq1\td9\t1\n", r"qrels\.tsv: not in corpus\.jsonl: 'd9' \(line 2\)"),
        ("qrels_subtopics.tsv", "q1\t1\td9\t1\n", r"qrels_subtopics\.tsv:1: 'd9' is not in corpus\.jsonl"),
        ("qrels_subtopics.tsv", "q9\t1\td1\t1\n", r"qrels_subtopics\.tsv:1: 'q9' is not in queries\.jsonl"),
        ("qrels_subtopics.tsv", "q1\td1\t1\n", r"qrels_subtopics\.tsv:1: 3 columns, 4 are needed"),
    ],
)
def test_bad_data_names_file_and_line(make_folder: MakeFolder, file: str, text: str, message: str) -> None:
    """Every way to break a folder ends in one sentence with the file, the line and what to do."""
    folder = make_folder(DOCS, QUERIES, "q1 d1 1")
    (folder / file).write_text(text, encoding="utf-8")
    with pytest.raises(BadData, match=message):
        read_folder(folder)


@pytest.mark.parametrize("file", ["corpus.jsonl", "queries.jsonl", "qrels.tsv"])
def test_missing_file_is_named(make_folder: MakeFolder, file: str) -> None:
    """A folder without one of its three files says which."""
    folder = make_folder(DOCS, QUERIES, "q1 d1 1")
    (folder / file).unlink()
    with pytest.raises(BadData, match=rf"{file}: no such file"):
        read_folder(folder)


def test_no_folder_and_no_utf8(tmp_path: Path) -> None:
    """A path that is no folder and a file in another encoding are refused by name."""
    with pytest.raises(BadData, match="nowhere: no such folder"):
        read_folder(tmp_path / "nowhere")
    (tmp_path / "corpus.jsonl").write_bytes(b'{"id": "d", "text": "\xff"}\n')
    with pytest.raises(BadData, match=r"corpus\.jsonl: not UTF-8 at byte 21"):
        read_rows(tmp_path / "corpus.jsonl")
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(BadData, match="cannot be read"):
        read_rows(tmp_path / "folder.jsonl")


def test_foreign_line_ends_and_marks(tmp_path: Path) -> None:
    """A byte order mark and CRLF are no part of the rows; a line separator inside a text ends no line."""
    path = tmp_path / "corpus.jsonl"
    rows = [{"id": "a", "text": "one\u2028two\x85"}, {"id": "b", "text": "x"}]
    path.write_bytes(
        b"\xef\xbb\xbf" + "\r\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode() + b"\r\n"
    )
    assert list(read_rows(path).values()) == rows


def test_heading_of_judgements_is_passed_over(make_folder: MakeFolder) -> None:
    """A first line with column names, as other benchmarks write it, is no judgement."""
    folder = make_folder(DOCS, QUERIES, "query-id corpus-id score\nq1 d1 1")
    assert read_folder(folder).grades == {"q1": {"d1": 1}}


def test_unknown_documents_are_named_all(make_folder: MakeFolder) -> None:
    """Several unknown ids are named together, five at most, with the number of the others."""
    folder = make_folder(DOCS, QUERIES, "q1 d1 1\n" + "\n".join(f"q1 x{n} 1" for n in range(7)))
    with pytest.raises(BadData, match=r"'x0' \(line 2\).*'x4' \(line 6\) and 2 more"):
        read_folder(folder)


@pytest.mark.parametrize(
    "judged",
    [
        {"q1": ["d1", "d2"]},
        {"which?": ["d1", "d2"]},
        {"q1": {"d1": 1, "d2": 1}},
        {"which?": {"d1": 1, "d2": 1}},
    ],
)
def test_judgements_as_json(make_folder: MakeFolder, judged: object) -> None:
    """A JSON file maps a query (by id or by text) to its relevant ids, graded or not."""
    folder = make_folder(DOCS, QUERIES, "q2 d2 1")
    path = folder / "mine.json"
    path.write_text(json.dumps(judged), encoding="utf-8")
    assert read_folder(folder, path).grades == {"q1": {"d1": 1, "d2": 1}}
    assert read_folder(folder, Path("mine.json")).grades == {"q1": {"d1": 1, "d2": 1}}


def test_json_alone_brings_its_queries(make_folder: MakeFolder) -> None:
    """Without queries.jsonl the keys of the JSON file are the queries."""
    folder = make_folder(DOCS, None)
    path = folder / "mine.json"
    path.write_text('{"where is one": ["d1"]}', encoding="utf-8")
    data = read_folder(folder, path)
    assert data.queries == {"where is one": {"id": "where is one", "text": "where is one"}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"q1": ["d9"]}', r"mine\.json: not in corpus\.jsonl: 'd9' \(query 'q1'\)"),
        ('{"q9": ["d1"]}', r"mine\.json: 'q9' is no query's id or text"),
        ('{"q1": "d1"}', r"mine\.json: query 'q1': must be a list"),
        ('{"q1": [1]}', r"mine\.json: query 'q1': must be a list"),
        ('{"q1": {"d1": true}}', r"mine\.json: query 'q1', 'd1': grade True"),
        ('{"q1": {"d1": 0.5}}', r"mine\.json: query 'q1', 'd1': grade 0\.5"),
        ("[]", r"mine\.json: must be an object"),
        ("{", r"mine\.json: not JSON"),
    ],
)
def test_bad_json_judgements(make_folder: MakeFolder, text: str, message: str) -> None:
    """A JSON file of another shape, or with unknown ids, is refused with the query's name."""
    folder = make_folder(DOCS, QUERIES, "q1 d1 1")
    (folder / "mine.json").write_text(text, encoding="utf-8")
    with pytest.raises(BadData, match=message):
        read_folder(folder, Path("mine.json"))


def test_judgements_of_sessions(make_folder: MakeFolder) -> None:
    """Where every judged id is an id before `#`, sessions are judged; a mix is refused."""
    turns = [{"id": f"s{s}#{t}", "text": "x"} for s in (1, 2) for t in (0, 1)]
    assert read_folder(make_folder(turns, QUERIES, "q1 s1 1\nq2 s2 1", name="a")).by_session
    with pytest.raises(BadData, match="'s1'"):
        read_folder(make_folder(turns, QUERIES, "q1 s1 1\nq2 s2#0 1", name="b"))


def test_times() -> None:
    """A time has a zone (UTC if none is written); a query's own `t` comes before its `meta`."""
    nine = datetime(2025, 3, 2, 9, tzinfo=UTC)
    assert time_of({"meta": {"t": "2025-03-02T09:00:00"}}) == nine
    assert time_of({"meta": {"iso": "2025-03-02T09:00:00Z"}}) == nine
    assert time_of({"t": "2025-03-02T18:00:00+09:00"}) == nine
    assert time_of({"t": "2025-03-02"}) == datetime(2025, 3, 2, tzinfo=UTC)
    assert time_of({"meta": {"t": 4}}) is None
    assert time_of({}) is None
    query = {"t": "2025-03-02T09:00:00", "meta": {"iso": "2020-01-01"}}
    assert time_of(query, QUERY_TIME_FIELDS) == nine


@given(st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=9))])))
def test_any_iso_time_is_read_back(moment: datetime) -> None:
    """What `isoformat` writes is read as the same moment."""
    assert time_of({"t": moment.isoformat()}) == moment
