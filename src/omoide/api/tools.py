"""`memory_search` and `memory_get` as agents know them: names, arguments and result fields of OpenClaw; and `memory_recall`.

A tool takes a JSON object and gives one. It never raises for what a model can get wrong: the answer says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from omoide.api.omoide import Omoide
from omoide.api.recalling import told
from omoide.api.sources import known_kinds, source_of
from omoide.api.times import moment
from omoide.errors import BadInput, OmoideError
from omoide.settings import SOURCES
from omoide.text.marks import ASKED
from omoide.types import Hit, Notice, Scope

SNIPPET_CHARS = 700

SCHEMAS: dict[str, dict[str, Any]] = {
    "memory_search": {
        "name": "memory_search",
        "description": "Search all memory files for what was decided, said or noted, beyond the logs already loaded. "
        "Gives short passages with path and lines; read more with memory_get.",
        "parameters": {
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "words or a question, in any language"},
                "maxResults": {"type": "integer", "minimum": 1, "maximum": 100, "default": 6},
                "minScore": {"type": "number", "minimum": 0, "maximum": 1, "default": 0},
                "sources": {
                    "type": "array",
                    "items": {"type": "string", "enum": list(SOURCES)},
                    "description": "memory: its files; sessions: what was said in rooms. Without it those of the settings",
                },
            },
            "required": ["query"],
            "additionalProperties": False,
        },
    },
    "memory_recall": {
        "name": "memory_recall",
        "description": "Find dated entries (daily logs, what was said in rooms, summaries of sessions) by a few words that stand in "
        "them: those with all words, else with any. Says which words stand nowhere, so that the next call can leave them out.",
        "parameters": {
            "type": "object",
            "properties": {
                "words": {
                    "type": ["array", "string"],
                    "items": {"type": "string"},
                    "description": "a few words, each a part of the entry; a text is cut at white space. Without them all of the period",
                },
                "since": {"type": "string", "description": "entries of this day or moment and later: 2026-11-30, or RFC 3339"},
                "until": {"type": "string", "description": "entries of this day or moment and earlier"},
                "about": {"type": ["array", "string"], "items": {"type": "string"}, "description": "only entries about all of these"},
                "mood": {"type": "string", "description": "only entries with this mood"},
                "task": {"type": "string", "description": "only entries of this task"},
                "session": {"type": "string", "description": "only the summary and the messages of this session"},
                "maxResults": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20},
            },
            "required": [],
            "additionalProperties": False,
        },
    },
    "memory_get": {
        "name": "memory_get",
        "description": "Read lines of one memory file whose path is known, for example memory/2026-11-24.md. Faster than a search.",
        "parameters": {
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "path relative to the home"},
                "from": {"type": "integer", "minimum": 1, "default": 1},
                "lines": {"type": "integer", "minimum": 1, "default": 120},
            },
            "required": ["path"],
            "additionalProperties": False,
        },
    },
}
ALIASES = {"file": "path", "max_results": "maxResults", "limit": "maxResults", "min_score": "minScore", "q": "query"}
_KINDS: dict[str, Any] = {"string": str, "integer": int, "number": (int, float), "array": list}


def call(omoide: Omoide, name: str, arguments: Mapping[str, Any], scope: Scope | None = None) -> dict[str, Any]:
    """Run a tool. A bad argument or a failure is {"error", "action"}, with empty results."""
    aliases = ALIASES | {key: "words" for key in ("query", "q") if name == "memory_recall"}
    known = {aliases.get(key, key): value for key, value in arguments.items()}
    wrong = _wrong(name, known)
    if wrong:
        return {"results": [], "status": "error", "error": wrong, "action": f"call {name} again with these arguments corrected"}
    try:
        return {"memory_search": _search, "memory_recall": _recall, "memory_get": _get}[name](omoide, known, scope)
    except BadInput as error:
        return {"results": [], "status": "error", "error": str(error), "action": f"call {name} again with these arguments corrected"}
    except OmoideError as error:
        return {"results": [], "status": "error", "error": str(error), "action": "tell the user; do not guess"}


def _wrong(name: str, arguments: Mapping[str, Any]) -> str:
    if name not in SCHEMAS:
        return f"there is no tool {name!r}; there are {', '.join(SCHEMAS)}"
    parameters = SCHEMAS[name]["parameters"]
    for key, value in arguments.items():
        spec = parameters["properties"].get(key)
        if spec is None:
            return f"unknown argument {key!r}; known are {', '.join(parameters['properties'])}"
        wrong = _mistyped(value, spec)
        if wrong:
            return f"{key} is {wrong}, not {value!r}"
        if isinstance(value, int | float) and not spec.get("minimum", value) <= value <= spec.get("maximum", value):
            return f"{key} is at least {spec.get('minimum')}" + (f" and at most {spec['maximum']}" if "maximum" in spec else "")
    missing = [key for key in parameters["required"] if key not in arguments]
    return f"{missing[0]} is missing" if missing else ""


def _mistyped(value: Any, spec: Mapping[str, Any]) -> str:
    """What an argument is, where the value is something else: "" if it is right."""
    types = [spec["type"]] if isinstance(spec["type"], str) else spec["type"]
    if isinstance(value, bool) or not any(isinstance(value, _KINDS[one]) for one in types):
        return " or ".join(types)
    if not isinstance(value, list):
        return ""
    allowed = spec["items"].get("enum", ())
    fits = all(isinstance(one, str) and (not allowed or one in allowed) for one in value) and (value or not allowed)
    return "" if fits else f"a list of {' and '.join(allowed)}" if allowed else "a list of strings"


def _search(omoide: Omoide, arguments: Mapping[str, Any], scope: Scope | None) -> dict[str, Any]:
    kinds = known_kinds(None, arguments.get("sources"))
    found = omoide.search(arguments["query"], limit=arguments.get("maxResults"), scope=scope, kinds=kinds)
    least = arguments.get("minScore", 0.0)
    out: dict[str, Any] = {"results": [_result(hit) for hit in found.hits if hit.score >= least]}
    out["mode"] = "hybrid" if any(hit.lane("dense") for hit in found.hits) else "keyword"
    return out | _said(found.notices)


def _said(notices: Sequence[Notice]) -> dict[str, Any]:
    if not notices:
        return {}
    return {"warning": " ".join(notice.text for notice in notices), "notices": [notice.code for notice in notices]}


def _recall(omoide: Omoide, arguments: Mapping[str, Any], scope: Scope | None) -> dict[str, Any]:
    since, until = (
        moment(arguments[name], omoide.zone, name, end=name == "until") if arguments.get(name) else None for name in ("since", "until")
    )
    marks = {name: arguments[name] for name in ASKED if arguments.get(name)}
    words, limit = arguments.get("words", ()), arguments.get("maxResults", 20)
    found = omoide.recall(words, scope=scope, limit=limit, since=since, until=until, marks=marks)
    out = {"lines": told(found), "results": [_entry(hit) for hit in found.hits]}
    return out | {key: found.facts[key] for key in ("absent", "partly", "cut")} | _said(found.notices)


def _entry(hit: Hit) -> dict[str, Any]:
    chunk, facts = hit.chunk, hit.trace[-1].facts or {}
    return {
        "id": chunk.id, "path": chunk.path, "lines": list(chunk.lines), "when": chunk.when.isoformat() if chunk.when else None,
        "matched": facts["matched"], "failed": facts["failed"], "marks": facts["marks"], "source": source_of(chunk.kind),
    }  # fmt: skip


def _result(hit: Hit) -> dict[str, Any]:
    chunk = hit.chunk
    text, vector = hit.lane("lexical"), hit.lane("dense")
    first, last = chunk.lines
    return {
        "path": chunk.path, "startLine": first, "endLine": last, "score": hit.score,
        "vectorScore": vector.score if vector else 0.0, "textScore": text.score if text else 0.0,
        "snippet": chunk.text[:SNIPPET_CHARS], "source": source_of(chunk.kind), "corpus": "memory",
        "citation": f"{chunk.path}#L{first}" + (f"-L{last}" if last > first else ""),
    }  # fmt: skip


def _get(omoide: Omoide, arguments: Mapping[str, Any], scope: Scope | None) -> dict[str, Any]:
    page = omoide.get(arguments["path"], first=arguments.get("from", 1), count=arguments.get("lines", 120), scope=scope)
    status = {"found": "ok", "empty": "ok", "not_found": "not_found"}.get(page.outcome, "error")
    out: dict[str, Any] = {
        "status": status, "outcome": page.outcome, "text": page.text, "path": page.path, "from": page.first, "lines": page.count,
        "totalLines": page.total,
    }  # fmt: skip
    if page.next_line:
        out |= {"truncated": True, "nextFrom": page.next_line}
    if page.reason:
        out |= {"error" if status != "ok" else "note": page.reason}
    if status == "error":
        out["code"] = "MEMORY_PATH_NOT_ALLOWED"
    return out
