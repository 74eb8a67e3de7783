"""What forgetting leaves of a history: its lines lose the facts, their text, and tellings that are withdrawn.

Two verbs of a record do it, and the record itself says to the last word what is to go, so that whoever completes the
change of a dead process forgets the same: `forget` names facts (and of those that stay, which tellings go), `erase`
takes all there is. Such a record counts as carried out only when the history has lost what it names, too.
Nothing here touches the disk.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from omoide.store.facts import facts_in, without_fact
from omoide.store.history import Edit, Record
from omoide.store.markdown import front_matter
from omoide.store.subjects import with_field

FORGET, ERASE = "forget", "erase"
TELLINGS, TEXTS = "tellings", "texts"
"""In what a `forget` says of a fact: the numbers of the tellings to drop; without it nothing of the fact stays. And of
no fact (""): texts, for lines that had no id yet."""


def forgets(record: Record) -> bool:
    """Whether the history has to lose something for this record."""
    return record.verb == ERASE or (record.verb == FORGET and bool(record.facts))


def left_of(records: Sequence[Record]) -> list[Record]:
    """The history after its last record, one that `forgets`, is carried out."""
    last = records[-1]
    if last.verb == ERASE:
        return []
    drop = {key: told[TELLINGS] for key, told in last.facts.items() if TELLINGS in told}
    texts = last.facts.get("", {}).get(TEXTS, ())
    keep = scrub(last.facts.keys() - drop.keys() - {""}, texts, drop)
    return [*map(keep, records[:-1]), keep(last._replace(facts={}))]


def scrub(
    whole: Collection[str], texts: Collection[str], tellings: Mapping[str, Collection[int]]
) -> Callable[[Record], Record]:
    """For the records of one history, in order. `whole`, `texts`: facts, and what lines say, of which nothing stays;
    `tellings`: id → numbers to drop."""
    seen: Counter[str] = Counter()

    def keep(record: Record) -> Record:
        facts: dict[str, Mapping[str, Any]] = {}
        for key, kept in record.facts.items():
            if key in whole:
                continue
            if "telling" in kept and key in tellings:
                number = seen[key]
                seen[key] += 1
                if number in tellings[key]:
                    kept = {name: value for name, value in kept.items() if name != "telling"}
            facts[key] = kept
        edits = _edits(record.edits, lambda _, data: _without(data, ids=whole, texts=texts))
        return record._replace(reason=record.reason if len(facts) == len(record.facts) else "", facts=facts, edits=edits)

    return keep


def scrub_elsewhere(texts: Collection[str], folders: Collection[str]) -> Callable[[Record], Record]:
    """For the histories of others: files that they share (an old memory that was sorted into folders) lose lines that
    say these texts, and nobody's card names these folders. What others said in their own folders stays."""

    def keep(record: Record) -> Record:
        def clean(path: str, data: bytes) -> bytes:
            return _without_folders(data, folders) if path.startswith(record.subject + "/") else _without(data, texts=texts)

        return record._replace(edits=_edits(record.edits, clean))

    return keep


def _edits(edits: Iterable[Edit], clean: Callable[[str, bytes], bytes]) -> tuple[Edit, ...]:
    """Both sides of each, cleaned. One that did nothing but what is forgotten now is none any more."""
    out = []
    for old in edits:
        before, after = (None if data is None else clean(old.path, data) for data in (old.before, old.after))
        if before != after or old.before == old.after:
            out.append(Edit(old.path, before, after))
    return tuple(out)


def _without(data: bytes, *, ids: Collection[str] = (), texts: Collection[str] = ()) -> bytes:
    gone = (fact for fact in facts_in(data) if fact.id in ids or fact.text in texts)
    for fact in sorted(gone, key=lambda fact: -fact.line):
        data = without_fact(data, fact.line)
    return data


def _without_folders(data: bytes, folders: Collection[str]) -> bytes:
    """A card that does not say that somebody is the same as these."""
    same = front_matter(data.decode("utf-8-sig", "replace")).texts("same")
    left = [one for one in same if one not in folders]
    return with_field(data, "same", left) if len(left) != len(same) else data
