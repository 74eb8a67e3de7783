"""The log of calls: one line for each `search` and `recall` that was answered, and those lines read again.

    {"t":"2026-11-30T09:15:00.123456+09:00","verb":"recall","words":["スケッチ","保存"],"rule":"recall","limit":20,
     "ids":["memory/2026-04-05.md:7"],"cut":0}

(one line). A search has `query` instead of `words`, and its recipe as `rule`. What was not asked for has no key: `since`,
`until`, `kinds`, `subjects`, `under`, `marks`; `scope` (hashed) is missing where the owner asked. `ready_vector` says that
the question came as a vector, which is not kept, `words_only` that no vector was compared.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, tzinfo
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from omoide.api.asking import MAX_QUERY_CHARS, Ask
from omoide.api.times import moment
from omoide.errors import BadInput, IndexFailed
from omoide.index import calls
from omoide.settings import Calls
from omoide.types import Notice, Results, Scope

if TYPE_CHECKING:
    from omoide.api.recalling import RecallQuery

class Call(NamedTuple):
    """One call, read. `text`: the words of a recall, or the one question of a search. `ids` None: its result was not kept.

    `where`: file and line of the log. `line`: all that stands there.
    """

    at: datetime
    verb: str
    text: tuple[str, ...]
    since: datetime | None
    until: datetime | None
    ids: tuple[str, ...] | None
    where: str
    line: Mapping[str, Any]

    @property
    def rule(self) -> str:
        """all-words, recall, or the recipe of a search."""
        return str(self.line.get("rule") or ("recall" if self.verb == "recall" else "default"))

    @property
    def limit(self) -> int:
        """Results asked for."""
        return int(self.line.get("limit") or 20)

    @property
    def cut(self) -> int:
        """How many more there were."""
        return int(self.line.get("cut") or 0)


class Broken(NamedTuple):
    """A line that is no call, and why."""

    where: str
    why: str


# -- written ---------------------------------------------------------------------------------------


def searched(request: Ask, since: datetime | None, until: datetime | None) -> dict[str, Any]:
    """A search as the log keeps it."""
    query, narrow = request.query, request.narrow
    about = {"kinds": narrow.kinds, "subjects": narrow.subjects, "under": narrow.under, "ready_vector": request.vector is not None or None}
    return {"verb": "search", "query": query.text, "rule": request.recipe, "limit": query.limit, "since": since, "until": until} | about


def recalled(asked: RecallQuery) -> dict[str, Any]:
    """A recall as the log keeps it."""
    from omoide.text.marks import shown

    period = {"since": asked.since, "until": asked.until}
    return {"verb": "recall", "words": list(asked.words), "rule": asked.rule, "limit": asked.limit, "marks": shown(asked.marks)} | period


def keep(cache: Path, settings: Calls, asked: Mapping[str, Any], scope: Scope, results: Results) -> Results:
    """Add a call to the log, where it is kept. An answer stands without it: then a notice says why it is not there.

    `asked`: the verb, its moment `t` and its arguments; empty ones are left out.
    """
    if not settings.keep:
        return results
    line = {key: _plain(value) for key, value in asked.items() if value not in (None, "", {}) or key == "query"}
    if scope_key(scope):
        line["scope"] = scope_key(scope)
    if any(notice.code in ("words_only", "no_vectors", "model_failed") for notice in results.notices):
        line["words_only"] = True
    line |= {"ids": [hit.chunk.id for hit in results.hits], "cut": cut_of(results)}
    most = int(settings.max_mb * 1e6)
    raw = _raw(line)
    if len(raw) > most // 4:
        raw = _raw(line | {"ids": None})  # an answer of thousands is none to keep
    try:
        calls.add(cache, raw, most)
    except OSError as error:
        said = f"This call is not in the log of calls: {error.strerror}. Make room in the cache folder, or set calls.keep to false"
        return results.but(notices=(*results.notices, Notice("call_not_kept", said)))
    return results


def in_zone(moment: datetime, zone: tzinfo) -> datetime:
    """The moment by the owner's clock, or as it is where that calendar has no such day."""
    try:
        return moment.astimezone(zone)
    except OverflowError:
        return moment


def _raw(line: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:  # half a letter somewhere
        return json.dumps(line, separators=(",", ":")).encode()


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, frozenset | set):
        return sorted(value)
    return value[:MAX_QUERY_CHARS] if isinstance(value, str) else value


def cut_of(results: Results) -> int:
    """How many more entries a recall had, or candidates a search."""
    return int(results.facts.get("cut", max(0, results.facts.get("candidates", 0) - len(results.hits))))


def forget(cache: Path) -> None:
    """Remove the log: nobody can tell what an old question quoted. Raises `IndexFailed` if it stays."""
    try:
        calls.clear(cache)
    except OSError as error:
        where = f"what was forgotten is out of the files, but maybe not out of the log of calls in {cache}"
        raise IndexFailed(f"{where}: {error.strerror}. Remove that folder by hand") from error


def scope_key(scope: Scope) -> str:
    """What stands for a caller in the log: "" for the owner, else 16 hexadecimal digits."""
    if (scope.viewer, scope.audiences) == (Scope().viewer, Scope().audiences):
        return ""
    return blake2b(json.dumps([scope.viewer, sorted(scope.audiences)]).encode(), digest_size=8).hexdigest()


# -- read ------------------------------------------------------------------------------------------


def read_calls(
    cache: Path, log: Path | str | None, zone: tzinfo, what: str = "a log of calls, or none for the home's own"
) -> tuple[list[Call], list[Broken]]:
    """The calls of a log (None: the home's own) by time, and the lines that are none. Times without a zone are in the owner's.

    Raises `BadInput` for a file that cannot be read.
    """
    found: list[Call] = []
    broken: list[Broken] = []
    for file in [Path(log)] if log else calls.paths(cache):
        try:
            raws = calls.lines(file)
        except OSError as error:
            raise BadInput(f"{file}: {error.strerror}; give {what}") from error
        for number, raw in enumerate(raws, 1):
            if not raw.strip():
                continue
            try:
                found.append(_call(json.loads(raw.decode("utf-8-sig")), f"{file.name}:{number}", zone))
            except (ValueError, RecursionError) as error:  # BadInput is one
                broken.append(Broken(f"{file.name}:{number}", f"{error}"))
    return sorted(found, key=lambda call: call.at), broken


def _call(line: Any, where: str, zone: tzinfo) -> Call:
    if not isinstance(line, dict):
        raise BadInput("it is no JSON object")
    words, query = line.get("words"), line.get("query")
    if line.get("verb", "recall") not in ("recall", "search"):
        raise BadInput(f"verb is recall or search, not {line['verb']!r}")
    if not isinstance(line.get("t"), str) or (words is None) == (query is None):
        raise BadInput("a call has its time t, and either words or a query")
    text = _texts(words, "words") if query is None else _texts([query], "query")
    texts = (("rule", str), ("scope", str), ("under", str), ("since", str), ("until", str))
    for name, kind in (("limit", int), ("cut", int), ("marks", dict), *texts):
        if name in line and not isinstance(line[name], kind):
            raise BadInput(f"{name} is {kind.__name__}, not {line[name]!r}")
    for name in ("kinds", "subjects", "gold"):
        _texts(line.get(name, []), name)
    ids = _texts(line["ids"], "ids") if line.get("ids") is not None else None
    since = moment(line["since"], zone, "since") if line.get("since") else None
    until = moment(line["until"], zone, "until", end=True) if line.get("until") else None
    return Call(moment(line["t"], zone, "t"), "search" if words is None else "recall", text, since, until, ids, where, line)


def _texts(value: Any, name: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise BadInput(f"{name} is a list of texts, not {str(value)[:60]!r}")
    return tuple(value)
