"""`memory_search` and `memory_get` as agents know them: names, arguments and result fields of OpenClaw.

A tool takes a JSON object and gives one. It never raises for what a model can get wrong: the answer says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from omoide.api.omoide import Omoide
from omoide.errors import OmoideError
from omoide.types import Hit, Scope

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
            },
            "required": ["query"],
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


def call(omoide: Omoide, name: str, arguments: Mapping[str, Any], scope: Scope | None = None) -> dict[str, Any]:
    """Run a tool. A bad argument or a failure is {"error", "action"}, with empty results."""
    known = {ALIASES.get(key, key): value for key, value in arguments.items()}
    wrong = _wrong(name, known)
    if wrong:
        return {"results": [], "status": "error", "error": wrong, "action": f"call {name} again with these arguments corrected"}
    try:
        return _search(omoide, known, scope) if name == "memory_search" else _get(omoide, known, scope)
    except OmoideError as error:
        return {"results": [], "status": "error", "error": str(error), "action": "tell the user; do not guess"}


def _wrong(name: str, arguments: Mapping[str, Any]) -> str:
    if name not in SCHEMAS:
        return f"there is no tool {name!r}; there are {', '.join(SCHEMAS)}"
    parameters = SCHEMAS[name]["parameters"]
    kinds: dict[str, Any] = {"string": str, "integer": int, "number": (int, float)}
    for key, value in arguments.items():
        spec = parameters["properties"].get(key)
        if spec is None:
            return f"unknown argument {key!r}; known are {', '.join(parameters['properties'])}"
        if not isinstance(value, kinds[spec["type"]]) or isinstance(value, bool):
            return f"{key} is {spec['type']}, not {value!r}"
        if not isinstance(value, str) and not spec.get("minimum", value) <= value <= spec.get("maximum", value):
            return f"{key} is at least {spec.get('minimum')}" + (f" and at most {spec['maximum']}" if "maximum" in spec else "")
    missing = [key for key in parameters["required"] if key not in arguments]
    return f"{missing[0]} is missing" if missing else ""


def _search(omoide: Omoide, arguments: Mapping[str, Any], scope: Scope | None) -> dict[str, Any]:
    found = omoide.search(arguments["query"], limit=arguments.get("maxResults"), scope=scope)
    least = arguments.get("minScore", 0.0)
    out: dict[str, Any] = {"results": [_result(hit) for hit in found.hits if hit.score >= least]}
    out["mode"] = "hybrid" if any(hit.lane("dense") for hit in found.hits) else "keyword"
    if found.notices:
        out["warning"] = " ".join(notice.text for notice in found.notices)
        out["notices"] = [notice.code for notice in found.notices]
    return out


def _result(hit: Hit) -> dict[str, Any]:
    chunk = hit.chunk
    text, vector = hit.lane("lexical"), hit.lane("dense")
    first, last = chunk.lines
    return {
        "path": chunk.path, "startLine": first, "endLine": last, "score": hit.score,
        "vectorScore": vector.score if vector else 0.0, "textScore": text.score if text else 0.0,
        "snippet": chunk.text[:SNIPPET_CHARS], "source": "memory", "corpus": "memory",
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
