"""From a data folder and the options to the list of cases: what is asked, when, of whom, and what is right.

A case is decided before anything is searched, so that no result can change what counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from omoide.errors import BadData
from omoide.evaluate.datasets import QUERY_TIME_FIELDS, TIME_FIELDS, Dataset, Row, time_of
from omoide.evaluate.fields import SESSION, holds, session_of, texts_at, value_at
from omoide.types import EVERYTHING

ALL = "all"
"""The audience of every row when there is no scope field."""

UNDATED = datetime(2000, 1, 1, tzinfo=UTC)
"""`now` where neither query nor documents have a date: any fixed moment, so that two runs are equal."""

UNANSWERABLE = frozenset({"negative", "abstention", "adversarial", "no_record", "unanswerable"})
LATEST = frozenset({"latest", "knowledge-update", "knowledge_update"})
TYPE_FIELDS = ("type", "meta.type", "meta.category_name")


@dataclass(frozen=True, slots=True)
class ScopeRule:
    """Rank only documents whose field `document` is (in) the query's field `query`."""

    document: str
    query: str


@dataclass(frozen=True, slots=True)
class Case:
    """One query, ready to be asked. `until` is None for a query without a time.

    `grades` are cut to what can be found at all. `newest` and `older` (with `stale`, the documents with
    an outdated value) are there where the question is for the latest state.
    """

    id: str
    text: str
    audiences: frozenset[str]
    now: datetime
    until: datetime | None
    group: str
    unanswerable: bool
    grades: Mapping[str, int] = field(default_factory=dict)
    subtopics: Mapping[str, Collection[str]] = field(default_factory=dict)
    newest: frozenset[str] = frozenset()
    older: frozenset[str] = frozenset()
    stale: frozenset[str] = frozenset()

    @property
    def relevant(self) -> frozenset[str]:
        """The documents judged relevant (grade above 0)."""
        return frozenset(doc for doc, grade in self.grades.items() if grade > 0)


@dataclass(frozen=True, slots=True)
class Plan:
    """All that is searched and asked of one folder. `skipped` counts the queries left out, by reason."""

    rows: list[dict[str, Any]]
    cases: list[Case]
    skipped: dict[str, int]
    late_gold: int


def scope_rule(text: str, data: Dataset) -> ScopeRule | None:
    """Read `--scope-field`: a field of both sides, `session(id)`, or DOCUMENT_FIELD=QUERY_FIELD.

    A field that only queries have, or `session(id)` alone, pairs the sessions of the documents with the
    query's list of sessions. Raises `BadData` where the folder has no such field.
    """
    if not text:
        return None
    document, _, query = text.partition("=")
    if not query:
        query = _session_field(data) if document == SESSION else document
        if document != SESSION and not any(texts_at(row, document) for row in data.documents.values()):
            if not any(isinstance(value_at(row, query), list) for row in data.queries.values()):
                raise BadData(
                    f"{data.name}: no document has the field {document}; choose another --scope-field"
                )
            document = SESSION
    rule = ScopeRule(document, query)
    known = {value for row in data.documents.values() for value in texts_at(row, rule.document)}
    for row in data.queries.values():
        if not known.intersection(texts_at(row, rule.query)):
            raise BadData(
                f"{data.name}: query {row['id']!r} has no {rule.query} that is the {rule.document} "
                "of any document; choose another --scope-field"
            )
    if EVERYTHING in known:
        raise BadData(
            f"{data.name}: a document's {rule.document} is {EVERYTHING!r}, which means every scope; rename it"
        )
    return rule


def _session_field(data: Dataset) -> str:
    sessions = {session_of(doc) for doc in data.documents}
    for row in data.queries.values():
        for name, value in (row.get("meta") or {}).items():
            if isinstance(value, list) and value and sessions.issuperset(map(str, value)):
                return f"meta.{name}"
        break
    raise BadData(
        f"{data.name}: the queries have no list of sessions; write --scope-field '{SESSION}=QUERY_FIELD'"
    )


class Planner:
    """Turns the queries of one folder into cases. Holds what every case needs to look up."""

    def __init__(self, data: Dataset, conditions: Sequence[tuple[str, str]], rule: ScopeRule | None) -> None:
        self.data = data
        self.rule = rule
        self.documents = {key: row for key, row in data.documents.items() if holds(row, conditions)}
        if not self.documents:
            wanted = " and ".join("=".join(one) for one in conditions)
            raise BadData(
                f"{data.name}: no document has {wanted or 'any text'}; check --docs and corpus.jsonl"
            )
        self.times: dict[str, datetime | None] = {}
        self.audience_of: dict[str, str] = {}
        self.newest_in: dict[str, datetime] = {}
        for key, row in self.documents.items():
            self._take(key, row)
        self.marked = any(_asks_latest(row) for row in data.queries.values())
        self.skipped: Counter[str] = Counter()
        self.late_gold = 0

    def _take(self, key: str, row: Row) -> None:
        when = time_of(row, TIME_FIELDS)
        values = texts_at(row, self.rule.document) if self.rule else [ALL]
        audience = values[0] if values else ""
        self.audience_of[key] = audience
        if when and (audience not in self.newest_in or when > self.newest_in[audience]):
            self.newest_in[audience] = when
        name = session_of(key) if self.data.by_session else key
        known = self.times.get(name)
        # a session begins with its first turn
        self.times[name] = min(when, known) if when and known else when or known

    def rows(self) -> list[dict[str, Any]]:
        """What is given to the collection: the documents as they are, with their audience and time."""
        return [
            {name: row[name] for name in ("id", "text", "title", "meta") if name in row}
            | {"audience": self.audience_of[key], "when": time_of(row, TIME_FIELDS)}
            for key, row in self.documents.items()
        ]

    def plan(self, conditions: Sequence[tuple[str, str]], limit: int | None, by: str) -> Plan:
        """The cases of the first `limit` queries that meet `conditions`, in file order."""
        chosen = [row for row in self.data.queries.values() if holds(row, conditions)][:limit]
        cases = [case for row in chosen if (case := self._case(row, by)) is not None]
        if not cases:
            why = ", ".join(f"{count} {reason}" for reason, count in self.skipped.items()) or "none chosen"
            raise BadData(f"{self.data.name}: no query left to ask ({why}); check --queries and --docs")
        return Plan(self.rows(), cases, dict(self.skipped), self.late_gold)

    def _case(self, row: Row, by: str) -> Case | None:
        key, until = str(row["id"]), time_of(row, QUERY_TIME_FIELDS)
        unanswerable = _unanswerable(row)
        grades = self._cut(self.data.grades.get(key, {}), until)
        reason = self._reason(row, grades, unanswerable)
        if reason:
            self.skipped[reason] += 1
            return None
        audiences = frozenset(texts_at(row, self.rule.query) if self.rule else [ALL])
        dates = [self.newest_in[one] for one in audiences if one in self.newest_in]
        newest, older, stale = self._latest(row, grades)
        return Case(
            id=key,
            text=str(row["text"]),
            audiences=audiences,
            now=until or max(dates, default=UNDATED),
            until=until,
            group=", ".join(texts_at(row, by)) or "(none)" if by else "",
            unanswerable=unanswerable,
            grades=grades,
            subtopics=self._subtopics(key, until),
            newest=newest,
            older=older,
            stale=stale,
        )

    def _cut(self, grades: Mapping[str, int], until: datetime | None) -> dict[str, int]:
        """Judgements of documents that can be found: chosen, and not later than the query."""
        kept = {doc: grade for doc, grade in grades.items() if doc in self.times}
        on_time = {doc: grade for doc, grade in kept.items() if not self._is_late(doc, until)}
        self.late_gold += sum(1 for doc, grade in kept.items() if grade > 0 and doc not in on_time)
        return on_time

    def _is_late(self, doc: str, until: datetime | None) -> bool:
        when = self.times[doc]
        return until is not None and when is not None and when > until

    def _reason(self, row: Row, grades: Mapping[str, int], unanswerable: bool) -> str:
        """Why a query is not asked, or "". Unanswerable ones are asked with or without judgements."""
        if not str(row["text"]).strip():
            return "empty_text"
        if unanswerable or any(grade > 0 for grade in grades.values()):
            return ""
        judged = {doc for doc, grade in self.data.grades.get(str(row["id"]), {}).items() if grade > 0}
        if not judged:
            return "unjudged"
        return "gold_later_than_query" if any(doc in self.times for doc in judged) else "gold_not_chosen"

    def _subtopics(self, key: str, until: datetime | None) -> dict[str, set[str]]:
        topics = self.data.subtopics.get(key, {})
        cut = {
            topic: {doc for doc in docs if doc in self.times and not self._is_late(doc, until)}
            for topic, docs in topics.items()
        }
        return {topic: docs for topic, docs in cut.items() if docs}

    def _latest(
        self, row: Row, grades: Mapping[str, int]
    ) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
        """The newest best-graded documents, those that must stand below them, and the outdated ones.

        A set that marks its questions for the latest state (by type or by `meta.stale`) counts only
        those; in any other set every query with judged documents of two dates counts.
        """
        best = max(grades.values(), default=0)
        if best < 1 or (self.marked and not _asks_latest(row)):
            return frozenset(), frozenset(), frozenset()
        dated = {doc: when for doc in grades if grades[doc] > 0 and (when := self.times[doc]) is not None}
        top = [doc for doc, grade in grades.items() if grade == best]
        last = max((dated[doc] for doc in top if doc in dated), default=None)
        newest = frozenset(doc for doc in top if last is None or dated.get(doc) == last)
        older = frozenset(doc for doc, when in dated.items() if last is not None and when < last)
        named = texts_at(row, "meta.stale")
        stale = frozenset(map(session_of, named) if self.data.by_session else named) - newest
        return newest, older | stale, stale


def _type_in(row: Row, names: frozenset[str]) -> bool:
    return any(value_at(row, name) in names for name in TYPE_FIELDS if isinstance(value_at(row, name), str))


def _unanswerable(row: Row) -> bool:
    """Marked by the set: by its type, or by `meta.abstention`. Missing judgements alone prove nothing."""
    return value_at(row, "meta.abstention") is True or _type_in(row, UNANSWERABLE)


def _asks_latest(row: Row) -> bool:
    return bool(texts_at(row, "meta.stale")) or _type_in(row, LATEST)
