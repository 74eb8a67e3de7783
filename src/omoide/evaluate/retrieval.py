"""`omoide eval retrieval`: how well a recipe finds the right rows of labelled folders.

Each folder becomes one throw-away collection through the public API; its rows are ready chunks. A query
sees only the rows of its scope that are not later than itself, and the clock of the machine is never read.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol

from omoide.api.collection import Collection
from omoide.errors import BadInput
from omoide.evaluate.cases import Case, Plan, Planner, scope_rule
from omoide.evaluate.datasets import Dataset, read_folder
from omoide.evaluate.fields import pair, session_of
from omoide.evaluate.summary import DEPTH, Outcome, measure, per_query, summarise
from omoide.settings import Settings
from omoide.types import Results, Scope

NOTHING = "nothing_relevant"
"""Code of the notice that marks a result as weak."""

TURNS = 12
"""How many times more rows are asked for where sessions are judged: the best turn is its session's place."""

Progress = Callable[[str, int, int], None]
"""Called with folder name, queries done, queries in all."""


class Searchable(Protocol):
    """What an evaluation needs of a collection; `omoide.Collection` has it."""

    def search(
        self, text: str, *, scope: Scope, limit: int, recipe: str, until: datetime | None = None
    ) -> Results:
        """Best rows of the scope; with `until`, rows that are later than it are no candidates."""
        ...

    def embed(self) -> object:
        """Make the vectors that are missing."""
        ...

    def stats(self) -> Mapping[str, Any]:
        """Facts about the index, among them its `fingerprint` and `model`."""
        ...

    def close(self) -> None:
        """Let go of files and memory."""
        ...


Opener = Callable[[list[dict[str, Any]], Settings], Searchable]
"""Rows and settings to a collection. Without one the rows are searched by words only."""


@dataclass(frozen=True, slots=True)
class RetrievalOptions:
    """The options of `omoide eval retrieval`, as they are written there.

    `docs` and `queries` are `FIELD=VALUE` conditions, all of which must hold; `overrides` are
    `key=value` settings; `ks` the cut-offs; `limit` takes the first queries of each folder.
    """

    recipe: str = "default"
    ks: tuple[int, ...] = (1, 5, 10, 20)
    by: str = ""
    scope_field: str = ""
    docs: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    qrels: Path | None = None
    limit: int | None = None
    overrides: tuple[str, ...] = ()
    per_query: bool = False


def read_ks(text: str) -> tuple[int, ...]:
    """`1,5,10` as sorted cut-offs. `BadInput` for anything but whole numbers from 1."""
    try:
        ks = tuple(sorted({int(part) for part in text.split(",")}))
    except ValueError:
        ks = ()
    if not ks or ks[0] < 1:
        raise BadInput(f"--k needs whole numbers from 1, for example 1,5,10,20; got {text!r}")
    return ks


def evaluate_retrieval(
    folders: Sequence[Path],
    options: RetrievalOptions = RetrievalOptions(),
    *,
    settings: Settings | None = None,
    opener: Opener | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Evaluate one recipe on one or more folders; the answer is plain data with the documented fields.

    With several folders the top-level numbers are over all their queries together and `sets` holds each
    folder's own. Raises `BadData` for a folder, `BadInput` for an option that cannot be used.
    """
    if not folders:
        raise BadInput("nothing to evaluate: name a folder with --data")
    if options.limit is not None and options.limit < 1:
        raise BadInput(f"--limit must be 1 or more, not {options.limit}")
    chosen = _settings(settings, options.overrides)
    tasks = [_prepare(folder, options) for folder in folders]
    runs = [_run(task, options, chosen, opener or _collection, progress) for task in tasks]
    fields = _joined(runs, options)
    if len(runs) > 1:
        fields["sets"] = [_joined([run], options) for run in runs]
    if options.per_query:
        fields["per_query"] = [row | {"set": run.name} for run in runs for row in per_query(run.outcomes)]
    return fields


def _settings(settings: Settings | None, overrides: Sequence[str]) -> Settings:
    chosen = settings or Settings()
    return chosen.with_values(dict(pair(text, "--set") for text in overrides)) if overrides else chosen


def _collection(rows: list[dict[str, Any]], settings: Settings) -> Searchable:
    """A collection in memory that searches by words only."""
    return Collection(rows, settings=settings)


@dataclass(frozen=True, slots=True)
class _Task:
    data: Dataset
    plan: Plan


@dataclass(frozen=True, slots=True)
class _Run:
    """One folder, searched. Seconds are of building the index and of making the vectors."""

    name: str
    task: _Task
    outcomes: list[Outcome]
    build_s: float
    embed_s: float
    fingerprint: str


def _prepare(folder: Path, options: RetrievalOptions) -> _Task:
    data = read_folder(folder, options.qrels)
    docs = [pair(text, "--docs") for text in options.docs]
    queries = [pair(text, "--queries") for text in options.queries]
    planner = Planner(data, docs, scope_rule(options.scope_field, data))
    return _Task(data, planner.plan(queries, options.limit, options.by))


def _run(
    task: _Task, options: RetrievalOptions, settings: Settings, opener: Opener, progress: Progress | None
) -> _Run:
    start = perf_counter()
    collection = opener(task.plan.rows, settings)
    try:
        built = perf_counter()
        if options.recipe.split(",")[0].strip() != "lexical":
            collection.embed()
        embedded = perf_counter()
        # once unmeasured: what is loaded at the first search belongs to no query
        _ask(collection, task.plan.cases[0], options, task.data.by_session)
        outcomes = []
        for done, case in enumerate(task.plan.cases, start=1):
            outcomes.append(_ask(collection, case, options, task.data.by_session))
            if progress:
                progress(task.data.name, done, len(task.plan.cases))
        mark = fingerprint(settings, collection.stats())
    finally:
        collection.close()
    return _Run(task.data.name, task, outcomes, built - start, embedded - built, mark)


def _ask(collection: Searchable, case: Case, options: RetrievalOptions, by_session: bool) -> Outcome:
    depth = max(*options.ks, DEPTH)
    limit = depth * TURNS if by_session else depth
    scope = Scope(audiences=case.audiences, now=case.now)
    start = perf_counter()
    results = collection.search(case.text, scope=scope, limit=limit, recipe=options.recipe, until=case.until)
    ms = (perf_counter() - start) * 1000
    ids = [hit.chunk.id for hit in results.hits]
    ranking = list(dict.fromkeys(map(session_of, ids) if by_session else ids))[:depth]
    codes = tuple(notice.code for notice in results.notices)
    return Outcome(
        id=case.id,
        group=case.group,
        unanswerable=case.unanswerable,
        abstained=not ids or NOTHING in codes,
        measures=measure(case, ranking, options.ks),
        ranking=tuple(ranking),
        relevant=tuple(sorted(case.relevant)),
        notices=codes,
        ms=round(ms, 3),
    )


def _joined(runs: Sequence[_Run], options: RetrievalOptions) -> dict[str, Any]:
    skipped: dict[str, int] = {}
    for run in runs:
        for reason, count in run.task.plan.skipped.items():
            skipped[reason] = skipped.get(reason, 0) + count
    marks = sorted({run.fingerprint for run in runs})
    fields = summarise([one for run in runs for one in run.outcomes], options.by)
    return {
        "folders": [run.name for run in runs],
        "recipe": options.recipe,
        "documents": sum(len(run.task.plan.rows) for run in runs),
        **fields,
        "skipped": skipped,
        "gold_later_than_query": sum(run.task.plan.late_gold for run in runs),
        "build_s": round(sum(run.build_s for run in runs), 3),
        "embed_s": round(sum(run.embed_s for run in runs), 3),
        "fingerprint": marks[0] if len(marks) == 1 else _short(marks),
    }


def fingerprint(settings: Settings, stats: Mapping[str, Any]) -> str:
    """16 hexadecimal digits that change with any setting, the make of the index or the model."""
    return _short([asdict(settings), str(stats.get("fingerprint", "")), str(stats.get("model", ""))])


def _short(value: object) -> str:
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
