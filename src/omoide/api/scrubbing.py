"""Forgetting: out of the files, out of the history, out of the histories of others. What stays is said in docs/people.md."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from datetime import datetime
from typing import NamedTuple

from omoide.api.folks import Folks
from omoide.api.knowing import Group
from omoide.api.merging import tie
from omoide.api.remembering import locked
from omoide.errors import BadInput, StoreFailed
from omoide.memory.known import Known
from omoide.store import files
from omoide.store.facts import without_fact
from omoide.store.forgetting import ERASE, FORGET, TELLINGS, TEXTS, scrub, scrub_elsewhere

REMOVABLE = ("conflict_copy", "too_large")
"""Problems with a file of a person's folder that are no reason to leave it there."""


class Gone(NamedTuple):
    """A fact and the numbers of its tellings that go; None: nothing of it stays."""

    known: Known
    drop: frozenset[int] | None

    @property
    def whole(self) -> bool:
        """A fact that keeps an independent telling stays."""
        return self.drop is None or len(self.drop) >= len(self.known.detail.tellings)


def chosen(group: Group, fact: str, source: str, room: str, at: datetime) -> list[Gone]:
    """What goes of a person: one fact with its restatements, or what came from a source or a room, or everything."""
    found = []
    for known in group.everything:
        told = known.detail.tellings
        if told and told[0].at > at:
            continue
        if source or room:
            drop = {i for i, one in enumerate(known.tellings()) if (one.source == source if source else one.room == room)}
            if drop:
                taken_back = {i for i, one in enumerate(told) if not one.by}  # it goes along
                found.append(Gone(known, frozenset(drop | taken_back)))
        elif not fact or fact in (known.fact.id, known.detail.restates) or _restates(group, fact) == known.fact.id:
            found.append(Gone(known, None))
    return found


def nothing_to_forget(*, fact: str, source: str, room: str) -> str:
    """In words, what was not there to be forgotten."""
    if source or room:
        what = " and ".join(filter(None, (f"came from the source {source}" if source else "", f"was said in {room}" if room else "")))
        return f"nothing is known that {what}, so nothing was forgotten; `omoide why ^FACT` tells where a fact comes from"
    return f"no fact ^{fact.removeprefix('^')} is known of this person, so nothing was forgotten; `omoide about PERSON` prints ids"


def _restates(group: Group, fact: str) -> str:
    return next((known.detail.restates for known in group.everything if known.fact.id == fact), "") or "-"


def forget(folks: Folks, people: Iterable[frozenset[str]], pick: Callable[[Group], list[Gone]], at: datetime) -> list[str]:
    """Take what `pick` chooses out of the folders of these people, each folder wholly or not at all. Gives the ids that are gone."""
    gone: list[str] = []
    texts: set[str] = set()
    for ids in people:
        with locked(folks, ids):
            group = Group(folks, ids)
            found = pick(group)
            whole = [one.known for one in found if one.whole]
            stays = {known.fact.text for known in group.everything} - {known.fact.text for known in whole}
            for person in sorted({one.known.person for one in found}):
                _forget_in(folks, person, [one for one in found if one.known.person == person], stays, at)
            gone += sorted({known.fact.id for known in whole} - {""})
            texts |= {known.fact.text for known in whole} - stays
    _elsewhere(folks, texts, frozenset())
    return gone


def _forget_in(folks: Folks, person: str, found: Collection[Gone], stays: Collection[str], at: datetime) -> None:
    whole = [one.known for one in found if one.whole]
    ids = {known.fact.id for known in whole} - {""}
    texts = {known.fact.text for known in whole} - set(stays)
    drop = {one.known.fact.id: sorted(one.drop) for one in found if one.drop and not one.whole}
    before: dict[str, bytes] = {}
    after: dict[str, bytes] = {}
    for known in sorted((known for known in whole if known.path), key=lambda known: -known.fact.line):
        if known.path not in before:
            before[known.path] = after[known.path] = folks.bytes_of(known.path) or b""
        after[known.path] = without_fact(after[known.path], known.fact.line)
    if before:
        facts: dict[str, dict[str, object]] = {"": {TEXTS: sorted(texts)}, **{key: {} for key in sorted(ids)}}
        facts |= {key: {TELLINGS: numbers} for key, numbers in drop.items()}
        folks.write(person, FORGET, at, {path: (before[path], after[path]) for path in before}, facts=facts)
    else:
        folks.door.rewrite(person, scrub(ids, texts, drop))


def erase(folks: Folks, ids: frozenset[str], last: str, at: datetime) -> list[str]:
    """Take everything about a person away: their folders, names and accounts with them, and the histories of these.

    `last`: the folder that goes last, so that whoever was cut short can name the person once more.
    """
    with locked(folks, ids):
        group = Group(folks, ids)
        gone = sorted({known.fact.id for known in group.everything} - {""})
        texts = {known.fact.text for known in group.everything}
        notes = {person: notes_of(folks, person) for person in sorted(ids, key=lambda one: (one == last, one))}
        for person in [one.id for one in folks.directory().persons.values() if one.same & ids and one.id not in ids]:
            for friend in sorted(folks.directory().persons[person].same & ids):
                tie(folks, (person, friend), at, "split", "")
        for person, paths in notes.items():
            folks.write(person, ERASE, at, {path: (folks.door.current(path), None) for path in paths})
    _elsewhere(folks, texts, ids)
    return gone


def notes_of(folks: Folks, person: str) -> list[str]:
    """Every note in the folder. Raises `BadInput` for what stands there in the way of removing it."""
    seen = files.walk(folks.root, below=person)
    for problem in seen.problems:
        if problem.code not in REMOVABLE:
            raise BadInput(f"{problem.path}: {problem.text}. Nothing was forgotten; set this right or remove it, then forget again")
    return sorted({*(found.path for found in seen.found), *(problem.path for problem in seen.problems)})


def _elsewhere(folks: Folks, texts: Collection[str], folders: frozenset[str]) -> None:
    """In the histories of all others: old memories that were sorted into folders, and cards that named these."""
    keep = scrub_elsewhere(texts, folders)
    damaged = []
    for subject in folks.door.holding([*texts, *folders]):
        if subject not in folders:
            try:
                folks.door.rewrite(subject, keep)
            except StoreFailed as error:
                damaged.append(str(error))
    if damaged:
        raise StoreFailed(f"It is forgotten, but for what this may still hold: {' '.join(damaged)} Then forget again.")
