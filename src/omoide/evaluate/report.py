"""The result of an evaluation for the eye (`render`) and for the repository (`record`)."""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from omoide.errors import BadInput
from omoide.evaluate.compare import Missed

NOT_MEASURES = frozenset(
    {
        "documents",
        "queries",
        "unanswerable",
        "build_s",
        "embed_s",
        "ms_p50",
        "ms_p99",
        "gold_later_than_query",
    }
)
"""Numbers about the run, not about how good it is."""


def measures(fields: Mapping[str, Any]) -> dict[str, float]:
    """The measured numbers of a result or of one of its groups, in their order."""
    return {
        name: float(value)
        for name, value in fields.items()
        if isinstance(value, int | float) and name not in NOT_MEASURES
    }


def render(result: Mapping[str, Any]) -> str:
    """A table for the terminal: numbers with their interval, groups, skipped queries, definitions."""
    parts = [_head(result), _numbers(result)]
    if result.get("by"):
        parts.append(f"by {result['by_field']}\n" + _groups(result["by"]))
    if result.get("sets"):
        parts.append("by folder\n" + _groups({one["folders"][0]: one for one in result["sets"]}))
    parts += [text for text in (_notes(result), _definitions(result)) if text]
    return "\n\n".join(parts) + "\n"


def _head(result: Mapping[str, Any]) -> str:
    return (
        f"{', '.join(result['folders'])}: recipe {result['recipe']}, {result['queries']:,} queries, "
        f"{result['documents']:,} documents\n"
        f"build {result['build_s']:.2f} s, vectors {result['embed_s']:.2f} s, "
        f"search p50 {result['ms_p50']:.2f} ms, p99 {result['ms_p99']:.2f} ms, "
        f"fingerprint {result['fingerprint']}"
    )


def _numbers(result: Mapping[str, Any]) -> str:
    wide = measures(result.get("all", {}))
    heading = ["", "value", "95 % interval"] + ([f"all {result['all']['queries']:,}"] if wide else [])
    rows = [heading]
    for name, value in measures(result).items():
        interval = result["ci95"].get(name)
        shown = f"{_short(interval[0])} to {_short(interval[1])}" if interval else ""
        rows.append([name, _short(value), shown, *([_cell(wide, name)] if wide else [])])
    return table(rows)


GROUP_COLUMNS = (
    "hit_rate@1",
    "hit_rate@10",
    "strict_recall@10",
    "mrr@20",
    "ndcg@10",
    "failure_rate@20",
    "newest_first",
    "stale_above",
    "alpha_ndcg@10",
    "abstain_rate",
    "false_abstain",
)
"""What fits beside each other; the rest is in the JSON."""


def _groups(groups: Mapping[str, Mapping[str, Any]]) -> str:
    names = [name for name in GROUP_COLUMNS if any(name in fields for fields in groups.values())]
    rows = [["", "queries", *names]]
    for group, fields in groups.items():
        count = fields["queries"] or fields.get("unanswerable", 0)
        rows.append([group, f"{count:,}", *(_cell(fields, name) for name in names)])
    return table(rows)


def _notes(result: Mapping[str, Any]) -> str:
    skipped, late = result["skipped"], result["gold_later_than_query"]
    lines = [f"not asked: {count:,} ({reason.replace('_', ' ')})" for reason, count in skipped.items()]
    if late:
        lines.append(f"relevant documents left out as later than their query: {late:,}")
    lines += [f"notice {code}: {count:,} queries" for code, count in result["notices"].items()]
    return "\n".join(lines)


def _definitions(result: Mapping[str, Any]) -> str:
    return "\n".join(f"{name}: {text}" for name, text in result["definitions"].items())


def render_missed(found: Mapping[str, Sequence[Missed]], most: int = 10) -> str:
    """What each recipe misses, with the rank the others give; at most so many queries a recipe."""
    parts = []
    for name, rows in found.items():
        lines = [f"{name} misses {len(rows):,} that another finds"]
        for row in rows[:most]:
            others = ", ".join(f"{one} rank {rank}" for one, rank in row.ranks.items() if rank)
            lines.append(f"  {row.query}: {others}")
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def side_by_side(results: Mapping[str, Mapping[str, Any]]) -> str:
    """One row a result (a recipe, say), one column a measure."""
    return _groups(results) + "\n"


def table(rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells as aligned text: the first column to the left, the others to the right."""
    widths = [max(width(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join("  ".join(_padded(row, widths)).rstrip() for row in rows)


def _padded(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    gaps = [" " * (wide - width(cell)) for cell, wide in zip(row, widths, strict=True)]
    return [row[0] + gaps[0], *(gap + cell for cell, gap in zip(row[1:], gaps[1:], strict=True))]


def width(text: str) -> int:
    """Columns a terminal needs: wide and full-width characters take two, combining marks none."""
    return sum(
        (1 + (unicodedata.east_asian_width(one) in "WF")) * (not unicodedata.combining(one)) for one in text
    )


def _cell(fields: Mapping[str, Any], name: str) -> str:
    return _short(fields[name]) if name in fields else ""


def _short(value: float) -> str:
    return f"{value:.3f}"


def record(result: Mapping[str, Any], command: str, form: str = "toml") -> str:
    """The text of a file: the command that made it, then the fields of the result.

    `form` is json (everything, the rows per query too) or toml (expected numbers for a repository: without
    those rows); anything else is `BadInput`.
    """
    data = {"command": command, **result}
    if form == "json":
        return json.dumps(data, ensure_ascii=False, indent=2) + "\n"
    if form == "toml":
        data.pop("per_query", None)
        return to_toml(data)
    raise BadInput(f"a record is written as toml or json, not {form!r}")


def to_toml(data: Mapping[str, Any]) -> str:
    """Plain data (text, numbers, booleans, lists, objects) as TOML 1.0. None is left out: TOML has none."""
    return "\n".join(_toml_lines(data, ())).strip() + "\n"


def _toml_lines(data: Mapping[str, Any], path: tuple[str, ...]) -> list[str]:
    plain = {key: value for key, value in data.items() if value is not None and not _is_table(value)}
    lines = [f"{_toml_key(key)} = {_toml_value(value)}" for key, value in plain.items()]
    for key, value in data.items():
        here = (*path, key)
        name = ".".join(map(_toml_key, here))
        if isinstance(value, Mapping):
            lines += ["", f"[{name}]", *_toml_lines(value, here)]
        elif _is_table(value):
            for one in value:
                lines += ["", f"[[{name}]]", *_toml_lines(one, here)]
    return lines


def _is_table(value: object) -> bool:
    """Whether a value has a heading of its own in TOML: an object, or a list of nothing but objects."""
    if isinstance(value, list | tuple):
        return bool(value) and all(isinstance(one, Mapping) for one in value)
    return isinstance(value, Mapping)


def _toml_key(key: str) -> str:
    bare = key.isascii() and key.replace("_", "").replace("-", "").isalnum()
    return key if bare else _toml_text(key)


def _toml_value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else str(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml_value, value)) + "]"
    if isinstance(value, str):
        return _toml_text(value)
    raise BadInput(f"a record holds text, numbers, lists and objects, not {type(value).__name__}")


def _toml_text(text: str) -> str:
    """A basic string. JSON's escapes are TOML's, except that TOML also wants DEL escaped."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
