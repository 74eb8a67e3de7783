"""Naming a value inside a row: `meta.conv`, `session(id)`, and conditions such as `meta.lang=ja`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from omoide.errors import BadInput

SESSION = "session(id)"
"""The id before `#`: the session a turn belongs to."""


def session_of(doc_id: str) -> str:
    """The part of an id before its first `#` (the whole id if there is none)."""
    return doc_id.partition("#")[0]


def value_at(row: Mapping[str, Any], field: str) -> Any:
    """The value of a dotted path, or of `session(id)`; None where the row does not have it."""
    if field == SESSION:
        return session_of(str(row.get("id", "")))
    value: Any = row
    for name in field.split("."):
        if not isinstance(value, Mapping) or name not in value:
            return None
        value = value[name]
    return value


def as_text(value: Any) -> str:
    """A value the way it is written in JSON, without quotes: true, 4, ja."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def texts_at(row: Mapping[str, Any], field: str) -> list[str]:
    """All values at a field as text: those of a list, or the one; none where the row has none."""
    value = value_at(row, field)
    if value is None:
        return []
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [as_text(one) for one in value]
    return [as_text(value)]


def pair(text: str, option: str) -> tuple[str, str]:
    """`NAME=VALUE` in two; raises `BadInput` that names the option."""
    name, sign, value = text.partition("=")
    if not sign or not name.strip():
        raise BadInput(f"{option} needs NAME=VALUE, for example {option} meta.lang=ja; got {text!r}")
    return name.strip(), value.strip()


def holds(row: Mapping[str, Any], conditions: Sequence[tuple[str, str]]) -> bool:
    """True if every condition's value is the row's value, or one of its list."""
    return all(value in texts_at(row, field) for field, value in conditions)
