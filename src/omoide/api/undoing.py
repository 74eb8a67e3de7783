"""Taking back: a whole change where its files are as it left them, else fact by fact, so that later writes stay."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import NamedTuple

from omoide.api.folks import Bytes, Folks
from omoide.api.knowing import Group
from omoide.api.remembering import locked
from omoide.api.spotting import holding
from omoide.errors import BadInput, StaleWrite
from omoide.memory.known import undone
from omoide.store.door import Edit, Receipt, Record
from omoide.store.facts import Fact, changed, facts_in, with_fact, without_fact


class Spot(NamedTuple):
    """A fact and the file it stands in. Where in the file, does not count."""

    path: str
    fact: Fact

    def same(self, other: Spot | None) -> bool:
        return other is not None and (self.path, self.fact._replace(line=0)) == (other.path, other.fact._replace(line=0))


def undo(folks: Folks, change: str, at: datetime, reason: str, fact: str) -> Receipt:
    """Take back a change, in every folder that it wrote, or of it what it did to one fact; with a fact alone, the last thing that
    was done to it. All of it or nothing: what is in the way is found before anything is written.

    Raises `BadInput` for what is not known, `StaleWrite` if the fact was changed since, naming what came after.
    """
    key = fact.removeprefix("^")
    folders = _folders(folks, change, key)
    with locked(folks, frozenset(folders)), folks.one_change(at):
        todo = [(person, folks.records(person)) for person in folders]
        if change and not (todo := [one for one in todo if not _taken_back(one[1], change, key)]):
            raise BadInput(f"change {change} is taken back already; `omoide history PERSON` lists the undo, which can be undone")
        ready = [_ready(folks, person, records, (change, key), at, reason) for person, records in todo]
        done = [write() for write in ready]
    paths, facts = (tuple(one for receipt in done for one in getattr(receipt, name)) for name in ("paths", "facts"))
    return done[0]._replace(paths=paths, facts=facts)


def _ready(folks: Folks, person: str, records: list[Record], wanted: tuple[str, str], at: datetime, reason: str) -> Callable[[], Receipt]:
    """What writes the undo in one folder, which holds its lock. Raises where it cannot be done."""
    change, key = wanted
    record = next((one for one in records if one.id == change), None) or _last(records, key)
    if not change and (lost := _lost(folks, person, record, key)):
        back = {lost.path: _back(folks, lost)}
        return lambda: folks.write(person, "undo", at, back, reason=reason or "put back", facts={key: {}})
    if not record.edits or key:
        return _by_fact(folks, person, records, record, at, reason, [key] if key else sorted(record.facts))
    stale = any(folks.bytes_of(edit.path) != edit.after for edit in record.edits if edit.path not in record.left)
    if stale and (touched := sorted(_touched(record))):
        return _by_fact(folks, person, records, record, at, reason, touched)
    if stale:
        folks.door.undo(person, record.id, at, reason)  # says what is in the way
    return lambda: folks.door.undo(person, record.id, at, reason, folks.change_id)


def _folders(folks: Folks, change: str, key: str) -> list[str]:
    """The folders in which a change was written (with a fact: that is about it), or the one that a fact belongs to."""
    about = holding(folks, change or key)
    records = {person: [one for one in folks.records(person) if (one.id == change if change else _touches(one, key))] for person in about}
    found = [person for person in about if records[person]]
    if not found and change:
        raise BadInput(f"there is no change {change}; `omoide history PERSON` lists them")
    if not found:
        raise BadInput(f"no change of a fact ^{key} is known; `omoide history PERSON` lists what changed")
    if not (change and key):
        return found if change else found[:1]
    return [one for one in found if any(key in record.facts or key in _touched(record) for record in records[one])] or found[:1]


def _taken_back(records: list[Record], change: str, key: str) -> bool:
    record = next(one for one in records if one.id == change)
    gone = undone([(one.id, one.facts) for one in records])
    return bool(record.facts) and all((change, one) in gone for one in ([key] if key else record.facts))


def _last(records: list[Record], key: str) -> Record:
    return next(one for one in records[::-1] if _touches(one, key))


def _lost(folks: Folks, person: str, record: Record, key: str) -> Spot | None:
    """The fact as its last change left it, if somebody took the line out of the file past the door."""
    left = _spots(record.edits, before=False).get(key)
    return left if left and _now(folks, person, key) is None else None


def _back(folks: Folks, spot: Spot) -> tuple[bytes | None, bytes]:
    before = folks.bytes_of(spot.path)
    return before, with_fact(before or b"", spot.fact)


def _by_fact(
    folks: Folks, person: str, records: list[Record], record: Record, at: datetime, reason: str, keys: Iterable[str]
) -> Callable[[], Receipt]:
    was, became = _spots(record.edits, before=True), _spots(record.edits, before=False)
    files: dict[str, bytes] = {}
    facts = {}
    for key in keys:
        if key not in record.facts and key not in was and key not in became:
            about = " ".join(f"^{one}" for one in record.facts) or "no fact"
            raise BadInput(f"change {record.id} did nothing to ^{key}; it is about {about}")
        facts[key] = {"undoes": record.id}
        old, new, now = was.get(key), became.get(key), _now(folks, person, key)
        if _equal(old, new) or _equal(now, old):
            continue
        if not _equal(now, new):
            path = (now or new or old or Spot(person, Fact("", ""))).path
            raise StaleWrite(path, folks.bytes_of(path), _since(records, record, key))
        _exchange(folks, files, now, old)
    if not files and record.facts.keys().isdisjoint(facts):
        raise BadInput(f"there is nothing to put back: what change {record.id} did is undone, by hand or by another change")
    edits: Bytes = {path: (folks.bytes_of(path), data) for path, data in files.items()}
    return lambda: folks.write(person, "undo", at, edits, reason=reason, facts=facts)


def _exchange(folks: Folks, files: dict[str, bytes], now: Spot | None, old: Spot | None) -> None:
    """Put `old` in the place of `now`; each may be nothing."""

    def data(path: str) -> bytes:
        return files[path] if path in files else folks.bytes_of(path) or b""

    if now and old and (now.path, now.fact.earlier) == (old.path, old.fact.earlier):
        here = now.fact._replace(line=_line(data(now.path), now.fact.id))
        files[now.path] = changed(data(now.path), here, old.fact)
        return
    if now:
        files[now.path] = without_fact(data(now.path), _line(data(now.path), now.fact.id))
    if old:
        files[old.path] = with_fact(data(old.path), old.fact)


def _line(data: bytes, key: str) -> int:
    return next(fact.line for fact in facts_in(data) if fact.id == key)


def _now(folks: Folks, person: str, key: str) -> Spot | None:
    """Where a fact stands now."""
    found = (Spot(path, fact) for path, data in Group(folks, [person]).files() for fact in facts_in(data) if fact.id == key)
    return next(found, None)


def _spots(edits: Iterable[Edit], *, before: bool) -> dict[str, Spot]:
    """Fact id → where it stood on one side of a change."""
    sides = ((edit.path, edit.before if before else edit.after) for edit in edits)
    return {fact.id: Spot(path, fact) for path, data in sides if data for fact in facts_in(data) if fact.id}


def _touched(record: Record) -> set[str]:
    """The facts whose line a change changed, added or took away."""
    was, became = _spots(record.edits, before=True), _spots(record.edits, before=False)
    return {key for key in was.keys() | became.keys() if not _equal(was.get(key), became.get(key))}


def _touches(record: Record, key: str) -> bool:
    """Whether the fact is one of them. Bytes are asked first: a home has many histories, and most do not know it."""
    return any(key.encode() in (data or b"") for edit in record.edits for data in edit[1:]) and key in _touched(record)


def _equal(one: Spot | None, other: Spot | None) -> bool:
    return one.same(other) if one else other is None


def _since(records: list[Record], record: Record, key: str) -> str:
    """Who changed a fact after a change, in words."""
    later = [one for one in records[records.index(record) + 1 :] if _touches(one, key)]
    return f"^{key} by change {later[-1].id}, {later[-1].verb}, or after it; undo that first" if later else f"^{key} was edited by hand"
