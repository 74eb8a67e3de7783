"""Looking at one person: candidates for a name, the card, the labels of the drawer, grep, and why a fact is there."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from omoide.api.folks import CARD, Folks
from omoide.api.knowing import OWNER, Group, chain, permitted
from omoide.api.room_logs import logged
from omoide.errors import BadInput
from omoide.memory.known import CURRENT, Known
from omoide.people.names import plain
from omoide.settings import Settings
from omoide.text.when import BEGINNING, FOREVER, Period

SHOWN_LABELS = 30


class Candidate(NamedTuple):
    """Somebody a name may mean, with what tells them apart from others of the same name.

    `folders` are ids proven to be one person; `former`: the name was given up; `newest` is the day of the newest fact;
    `alike`: folders of others whose name only looks like one of these (`everybody` fills it).
    """

    folders: tuple[str, ...]
    names: tuple[str, ...]
    accounts: tuple[str, ...]
    rooms: tuple[str, ...]
    facts: int
    newest: datetime | None
    former: bool = False
    alike: tuple[str, ...] = ()


class Label(NamedTuple):
    """What a reader of the card is told of one note in the drawer, so that they know there is something to look up."""

    topic: str
    facts: int
    newest: datetime | None
    nearest_end: datetime | None


class Card(NamedTuple):
    """What is before the agent's eyes whenever it talks to somebody: facts that hold, and the labels of the drawer."""

    person: tuple[str, ...]
    names: tuple[str, ...]
    facts: tuple[Known, ...]
    labels: tuple[Label, ...]
    characters: int
    over: int = 0
    """Characters of facts that did not fit: a card made too long by hand is shown up to the cap."""


class Line(NamedTuple):
    """A line that `grep` found, or one around it (`match` False)."""

    path: str
    number: int
    text: str
    match: bool = True


def candidates(folks: Folks, name: str, at: datetime) -> list[Candidate]:
    """Everybody who carries the name or carried it, for the owner of the home; present bearers first. Nobody is picked."""
    directory, wanted = folks.directory(), plain(name)
    found = []
    for ids in {directory.group_of(person) for person in directory.persons}:
        people = [directory.persons[one] for one in sorted(ids)]
        if any(person.called(wanted, at, former=False) for person in people):
            found.append(described(folks, ids, at))
        elif any(person.called(wanted, at, former=True) for person in people):
            found.append(described(folks, ids, at)._replace(former=True))
    return sorted(found, key=lambda one: (one.former, one.folders))


def described(folks: Folks, ids: frozenset[str], at: datetime) -> Candidate:
    """One person as a list of people shows them."""
    directory, group = folks.directory(), Group(folks, ids)
    accounts = directory.accounts(ids)
    rooms = sorted(room.name or room.id for room in directory.rooms.values() if room.members(at) & accounts)
    names = [name.text for one in sorted(ids) for name in directory.persons[one].names if name.until > at]
    told = [one.at for known in group.known for one in known.detail.tellings]
    return Candidate(
        tuple(sorted(ids)), tuple(dict.fromkeys(names)), tuple(sorted(accounts)), tuple(rooms), len(group.known), max(told, default=None)
    )


def card(folks: Folks, ids: frozenset[str], room: str, at: datetime, settings: Settings) -> Card:
    """The card as the people in `room` (or OWNER) may see it, up to its cap."""
    directory, cap = folks.directory(), settings.home.card_chars
    held = [known for known in permitted(folks, ids, room, at, settings.fields.latest) if known.state(Period(at, at, "instant")) == CURRENT]
    front = [known for known in held if known.path.endswith("/" + CARD)]
    shown, size = [], 0
    for known in front:
        size += len(known.fact.text)
        if size <= cap:
            shown.append(known)
    names = [name.text for one in sorted(ids) for name in directory.persons[one].names if name.since <= at < name.until]
    labels = _labels([known for known in held if not known.path.endswith("/" + CARD)])
    return Card(tuple(sorted(ids)), tuple(dict.fromkeys(names)), tuple(shown), labels, size, max(0, size - cap))


def _labels(drawer: list[Known]) -> tuple[Label, ...]:
    topics: dict[str, list[Known]] = defaultdict(list)
    for known in drawer:
        topics[known.path.partition("/drawer/")[2].removesuffix(".md")].append(known)
    labels = [
        Label(
            topic, len(facts),
            max((one.at for known in facts for one in known.tellings() if one.at > BEGINNING), default=None),
            min((known.ends for known in facts if known.ends < FOREVER), default=None),
        )
        for topic, facts in sorted(topics.items())
    ]  # fmt: skip
    return tuple(labels[:SHOWN_LABELS])


def grep(folks: Folks, ids: frozenset[str], pattern: str, room: str, at: datetime, *, literal: bool, around: int) -> list[Line]:
    """Lines of the files of one person that match, read now from the disk. Raises `BadInput` for a bad expression.

    For the owner (`room` OWNER) every line counts; for a room only lines of facts that may be heard there.
    """
    try:
        wanted = re.compile(re.escape(pattern) if literal else pattern, re.IGNORECASE)
    except re.error as error:
        raise BadInput(f"{pattern!r} is no regular expression: {error}. Add --literal to look for the text itself") from error
    seen = {(known.path, known.fact.line) for known in permitted(folks, ids, room, at)} if room != OWNER else None
    return [line for path, data in Group(folks, ids).files() for line in _matching(path, data, wanted, seen, around)]


def _matching(path: str, data: bytes, wanted: re.Pattern[str], seen: set[tuple[str, int]] | None, around: int) -> Iterator[Line]:
    lines = data.decode("utf-8-sig", "replace").splitlines()
    hits = [number for number, line in enumerate(lines, 1) if (seen is None or (path, number) in seen) and wanted.search(line)]
    near = sorted({at for hit in hits for at in range(max(1, hit - around), min(len(lines), hit + around) + 1)})
    for number in near:
        if seen is None or (path, number) in seen:
            yield Line(path, number, lines[number - 1], number in hits)


def why(folks: Folks, key: str) -> dict[str, Any]:
    """Where a fact comes from: its line and why it stands there, each telling with its message in the log, what stood in its
    place before and after, each change, newest last.

    Raises `BadInput` for an unknown id.
    """
    key = key.removeprefix("^")
    directory = folks.directory()
    for person in sorted(directory.persons):
        group = Group(folks, [person])
        for known in (one for one in group.everything if one.fact.id == key):
            changes = [record for record in folks.records(person) if key in record.facts]
            return {
                "id": key, "person": person, "path": known.path, "line": known.fact.line, "text": known.fact.text,
                "state": dict(known.fact.meta), "because": known.detail.because,
                "tellings": [one._asdict() | {"logged": logged(folks, one)} for one in known.detail.tellings if one.by],
                "chain": [_link(one) for one in chain(Group(folks, directory.group_of(person)), key)],
                "changes": [{"change": one.id, "at": one.at, "verb": one.verb, "reason": one.reason} for one in changes],
            }  # fmt: skip
    raise BadInput(f"no fact has the id ^{key}; `omoide about PERSON` prints ids")


def _link(known: Known) -> dict[str, Any]:
    """One of the facts that stood in one place, one after the other: who said it when, and what became of it."""
    told = next((one for one in known.detail.tellings if one.by), None)
    meta = known.fact.meta
    return {
        "id": known.fact.id, "text": known.fact.text, "by": told.by if told else meta.get("by", ""), "room": told.room if told else "",
        "at": told.at if told else None, "until": meta.get("until", ""), "wrong": "wrong" in meta, "now": meta.get("now", "").lstrip("^"),
    }  # fmt: skip
