"""Looking at one person: candidates for a name, the card, the labels of the drawer, grep, and why a fact is there."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from omoide.api.folks import CARD, Folks
from omoide.api.knowing import OWNER, Group, chain, ids_in, permitted
from omoide.api.room_logs import traced
from omoide.api.spotting import people_holding
from omoide.errors import BadInput
from omoide.memory.known import CURRENT, Known
from omoide.people.names import plain
from omoide.settings import Settings
from omoide.store.facts import lines_of
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
    """A line that `grep` found, or one around it (`match` False). In a room `number` is 0: it would count what is not told there."""

    path: str
    number: int
    text: str
    match: bool = True


def candidates(folks: Folks, name: str, at: datetime, room: str) -> list[Candidate]:
    """Everybody who carries the name or carried it; present bearers first. Nobody is picked. `room`: as it is meant there, with
    what may be told there; OWNER: in the whole home."""
    directory, wanted = folks.directory(), plain(name)
    if room != OWNER:
        return [described(folks, ids, at, room) for ids in directory.resolve(name, room, at).people]
    found = []
    for ids in directory.everybody():
        people = [directory.persons[one] for one in sorted(ids)]
        if any(person.called(wanted, at, former=False) for person in people):
            found.append(described(folks, ids, at, OWNER))
        elif any(person.called(wanted, at, former=True) for person in people):
            found.append(described(folks, ids, at, OWNER)._replace(former=True))
    return sorted(found, key=lambda one: (one.former, one.folders))


def described(folks: Folks, ids: frozenset[str], at: datetime, room: str) -> Candidate:
    """One person as a list of people shows them. In a room only the rooms that all who read there are in, and only the facts that
    may be told there, are named and counted."""
    directory, known = folks.directory(), _tellable(folks, ids, room, at)
    accounts = directory.accounts(ids)
    must = [accounts, *(directory.readers(room, at) if room != OWNER else ())]
    rooms = sorted(one.name or one.id for one in directory.rooms.values() if not any(map(one.members(at).isdisjoint, must)))
    shown = tuple(sorted(ids_in(folks, ids, room, at).values()))
    names = [name.text for one in sorted(ids) for name in directory.persons[one].names if name.until > at]
    told = [telling.at for one in known for telling in one.detail.tellings]
    newest = max(told, default=None)
    return Candidate(shown, tuple(dict.fromkeys(names)), tuple(sorted(accounts)), tuple(rooms), len(known), newest)


def _tellable(folks: Folks, ids: frozenset[str], room: str, at: datetime, latest: Sequence[str] = ()) -> list[Known]:
    """What may be heard in a room, but claims and what was never true: nobody asks for those here. `room` OWNER: all."""
    known = permitted(folks, ids, room, at, latest)
    return known if room == OWNER else [one for one in known if not {"wrong", "pending"} & one.fact.meta.keys()]


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
    carried = [name.text for one in sorted(ids) for name in directory.persons[one].names if name.since <= at < name.until]
    names = carried if room == OWNER else directory.names_in(ids, room, at)
    labels = _labels([known for known in held if not known.path.endswith("/" + CARD)])
    people = tuple(sorted(ids_in(folks, ids, room, at).values()))
    return Card(people, tuple(dict.fromkeys(names)), tuple(shown), labels, size, max(0, size - cap))


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


def expression(pattern: str, *, literal: bool) -> re.Pattern[str]:
    """What `grep` looks for. Raises `BadInput` for a bad expression."""
    try:
        return re.compile(re.escape(pattern) if literal else pattern, re.IGNORECASE)
    except re.error as error:
        raise BadInput(f"{pattern!r} is no regular expression: {error}. Add --literal to look for the text itself") from error


def grep(
    folks: Folks, ids: frozenset[str], wanted: re.Pattern[str], room: str, at: datetime, around: int, latest: Sequence[str]
) -> list[Line]:
    """Lines of the files of one person that match, read now from the disk. `latest`: as `permitted` takes it.

    For the owner (`room` OWNER) every line counts; for a room only lines of facts that may be told there, what is over too.
    """
    seen = {(known.path, known.fact.line) for known in _tellable(folks, ids, room, at, latest)} if room != OWNER else None
    found = [line for path, data in Group(folks, ids).files() for line in _matching(path, data, wanted, seen, around)]
    if room == OWNER:
        return found
    shown = [(one + "/", now + "/") for one, now in ids_in(folks, ids, room, at).items()]
    paths = {line.path: now + line.path.removeprefix(one) for line in found for one, now in shown if line.path.startswith(one)}
    return [line._replace(path=paths[line.path], number=0) for line in found]


def _matching(path: str, data: bytes, wanted: re.Pattern[str], seen: set[tuple[str, int]] | None, around: int) -> Iterator[Line]:
    lines = lines_of(data)
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
    group, known = _found(folks, key)
    changes = [record for record in folks.records(known.person) if key in record.facts]
    return {
        "id": key, "person": known.person, "path": known.path, "line": known.fact.line, "text": known.fact.text,
        "state": dict(known.fact.meta), "because": known.detail.because,
        "tellings": [one._asdict() | traced(folks, one) for one in known.detail.tellings if one.by],
        "chain": [_link(one) for one in chain(group, key)],
        "changes": [{"change": one.id, "at": one.at, "verb": one.verb, "reason": one.reason} for one in changes],
    }  # fmt: skip


def _found(folks: Folks, key: str) -> tuple[Group, Known]:
    """A fact by its id, and all that is known of that person. A line that a hand copied into another folder is not it: the id was
    given where the history knows it. Raises `BadInput` if it is nobody's, or several people's."""
    groups = [Group(folks, ids) for ids in people_holding(folks, key)]
    lines = [(group, known) for group in groups for known in group.everything if known.fact.id == key]
    if not lines:
        raise BadInput(f"no fact has the id ^{key}; `omoide about PERSON` prints ids")
    found = [one for one in lines if one[1].detail.tellings] or lines
    people = sorted({min(group.ids_of_person) for group, _ in found})
    if len(people) > 1:
        raise BadInput(f"^{key} is a fact of {' and of '.join(people)}. Nothing was done; give one of the lines another id by hand")
    return found[0]


def _link(known: Known) -> dict[str, Any]:
    """One of the facts that stood in one place, one after the other: who said it when, and what became of it."""
    told = next((one for one in known.detail.tellings if one.by), None)
    meta = known.fact.meta
    return {
        "id": known.fact.id, "text": known.fact.text, "by": told.by if told else meta.get("by", ""), "room": told.room if told else "",
        "at": told.at if told else None, "until": meta.get("until", ""), "wrong": "wrong" in meta, "now": meta.get("now", "").lstrip("^"),
    }  # fmt: skip
