"""Forgetting in the history: its lines lose what they held of a fact, its text, and tellings that are withdrawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import Any

from omoide.store.door import Edit, Record
from omoide.store.facts import facts_in, without_fact


def scrub(whole: Collection[str], tellings: Mapping[str, set[int] | None]) -> Callable[[Record], Record | None]:
    """For `Door.rewrite`. `whole`: facts of which nothing stays; `tellings`: id → numbers of its tellings to drop."""
    seen: Counter[str] = Counter()

    def keep(record: Record) -> Record:
        facts: dict[str, Mapping[str, Any]] = {}
        for key, kept in record.facts.items():
            if key in whole:
                continue
            if "telling" in kept and key in tellings:
                number = seen[key]
                seen[key] += 1
                if number in (tellings[key] or ()):
                    kept = {name: value for name, value in kept.items() if name != "telling"}
            facts[key] = kept
        edits = tuple(Edit(edit.path, _without(edit.before, whole), _without(edit.after, whole)) for edit in record.edits)
        return record._replace(facts=facts, edits=edits)

    return keep


def _without(data: bytes | None, ids: Collection[str]) -> bytes | None:
    if data is None or not ids:
        return data
    for fact in sorted((fact for fact in facts_in(data) if fact.id in ids), key=lambda fact: -fact.line):
        data = without_fact(data, fact.line)
    return data
