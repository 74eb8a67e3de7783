"""What is known about somebody, as far as the people in a room may hear it, now or at another time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, tzinfo
from functools import cached_property
from typing import NamedTuple

from omoide.api.folks import CARD, Folks
from omoide.errors import BadInput, StoreFailed
from omoide.memory.known import CURRENT, PAST, PENDING, PLANNED, WRONG, Detail, Known, as_told, details, known_facts, newest_only
from omoide.people.access import Listeners, id_among
from omoide.people.directory import Resolved
from omoide.settings import Fields, Settings
from omoide.store import files
from omoide.store.facts import Fact
from omoide.text.counting import Counted, counted
from omoide.text.when import FOREVER, Period, period

MARKS = {PAST: "no longer true", PLANNED: "not yet true", PENDING: "not confirmed", CURRENT: "", WRONG: "never true"}


WANTED = ("history", PLANNED, PENDING)
"""What is told beside what holds, where it is asked for."""
OWNER = "@owner"
"""In place of a room: the owner of the home reads alone, who can open the files anyway."""


class Group:
    """The facts of one person, over all folders proven to be theirs."""

    def __init__(self, folks: Folks, ids: Iterable[str]) -> None:
        self.folks, self.ids_of_person = folks, frozenset(ids)

    @cached_property
    def accounts(self) -> frozenset[str]:
        return self.folks.directory().accounts(self.ids_of_person)

    @cached_property
    def known(self) -> list[Known]:
        """All facts, ended and never true ones too."""
        return [known for person in sorted(self.ids_of_person) for known in self._of(person)]

    @cached_property
    def borrowed(self) -> list[Known]:
        """Words that were passed on and stand in no file: told nobody, they wait for the owner (or were rejected)."""
        written = {known.fact.id for known in self.known}
        return [
            Known(Fact(key, kept.text, {"pending": ""}), "", person, kept, kept.tellings[0].at, FOREVER)
            for person in sorted(self.ids_of_person) for key, kept in self._details[person].items()
            if kept.text and kept.tellings and key not in written
        ]  # fmt: skip

    @property
    def everything(self) -> list[Known]:
        return [*self.known, *self.borrowed]

    def files(self) -> list[tuple[str, bytes]]:
        """Card and drawer of every folder, as they are on disk now."""
        return [one for person in sorted(self.ids_of_person) for one in self._files(person)]

    def _files(self, person: str) -> list[tuple[str, bytes]]:
        drawer = files.walk(self.folks.root, below=f"{person}/drawer")
        for problem in drawer.problems:
            if problem.code in files.UNKNOWN:  # a part of what is known of somebody is not what is known
                raise StoreFailed(f"{problem.path}: {problem.text}. Nothing was changed.")
        paths = [f"{person}/{CARD}", *(found.path for found in drawer.found)]
        return [(path, data) for path in paths if (data := self.folks.bytes_of(path)) is not None]

    @cached_property
    def _details(self) -> dict[str, dict[str, Detail]]:
        return {person: details(self.folks.kept(person)) for person in self.ids_of_person}

    def _of(self, person: str) -> list[Known]:
        return known_facts(person, dict(self._files(person)), self._details[person], self.folks.zone)

    def fact(self, key: str) -> Known:
        """One fact by its id. Raises `BadInput` if it is not about this person."""
        key = key.removeprefix("^")
        for known in self.everything:
            if known.fact.id == key:
                return known
        raise BadInput(f"^{key} is no fact about {', '.join(sorted(self.ids_of_person)) or 'anybody known'}")


class Told(NamedTuple):
    """A fact that may be said here, and how it must be marked: "" for what holds."""

    known: Known
    state: str

    @property
    def mark(self) -> str:
        return MARKS[self.state]

    @property
    def dates(self) -> list[Counted]:
        """The dates in its words as they were meant when it was said ("last week"); of a line written by hand none."""
        said = self.known.by_clock
        return counted(self.known.fact.text, said) if said else []


class Asking(NamedTuple):
    """A question about somebody, from a room. `about`: an account; `name`: as typed; neither: whoever may be spoken of."""

    text: str
    room: str
    now: datetime
    about: str = ""
    name: str = ""
    as_of: str = ""
    want: frozenset[str] = frozenset()
    limit: int = 6


class Knowledge(NamedTuple):
    """The answer: whom the question is about, and the facts, best first."""

    resolved: Resolved
    facts: tuple[Told, ...] = ()


def know(folks: Folks, asking: Asking, settings: Settings) -> Knowledge:
    """Resolve the person, take the facts that everybody in the room may hear, rank them."""
    if asking.limit < 1:
        raise BadInput(f"limit is 1 or more, not {asking.limit}")
    if unknown := asking.want - set(WANTED):
        raise BadInput(f"want: {', '.join(sorted(unknown))[:60]} is not known; it is any of {', '.join(WANTED)}")
    resolved = resolve(folks, asking)
    told = sorted_by_relevance(asking, list(_permitted(folks, asking, resolved, settings.fields)), settings)[: asking.limit]
    return Knowledge(named_in(folks, resolved, asking.room, asking.now), tuple(_as_seen(folks, asking, one) for one in told))


def named_in(folks: Folks, resolved: Resolved, room: str, at: datetime) -> Resolved:
    """The same people, by the ids that may be seen in a room."""

    def shown(people: tuple[frozenset[str], ...]) -> tuple[frozenset[str], ...]:
        return tuple(frozenset(ids_in(folks, group, room, at).values()) for group in people)

    named = room == OWNER or resolved.status == "none"
    return resolved if named else resolved._replace(people=shown(resolved.people), alike=shown(resolved.alike))


def _as_seen(folks: Folks, asking: Asking, told: Told) -> Told:
    """In a room without the number of its line, which would count what stands before it, and nobody there may hear of."""
    if asking.room == OWNER:
        return told
    known = told.known
    person = ids_in(folks, folks.directory().group_of(known.person), asking.room, asking.now)[known.person]
    path = person + known.path.removeprefix(known.person)
    return told._replace(known=known._replace(person=person, path=path, fact=known.fact._replace(line=0)))


def ids_in(folks: Folks, ids: Iterable[str], room: str, at: datetime) -> dict[str, str]:
    """The folders of one person, each with its id as it may be seen in a room. `room` OWNER: as they are."""
    directory, ids = folks.directory(), sorted(ids)
    names = directory.names_in(ids, room, at) if room != OWNER else ()
    return {one: one if room == OWNER else id_among(directory.persons[one], names) for one in ids}


def resolve(folks: Folks, asking: Asking) -> Resolved:
    """Whom a question is about: by account or folder, by a typed name, or everybody ("none") where it names nobody."""
    directory = folks.directory()
    if asking.about:
        group = directory.group_of(asking.about)
        return Resolved("one", (group,)) if group else Resolved("unknown")
    if asking.name:
        return directory.resolve(asking.name, asking.room, asking.now)
    return Resolved("none", tuple(directory.everybody()))


def _permitted(folks: Folks, asking: Asking, resolved: Resolved, fields: Fields) -> Iterator[Told]:
    if resolved.status in ("ambiguous", "unknown"):
        return
    at = _asked(asking, folks)
    wanted = {CURRENT} | {{"history": PAST}.get(word, word) for word in asking.want}
    for ids in resolved.people:
        for known in permitted(folks, ids, asking.room, asking.now, fields.latest):
            state = known.state(at)
            along = state == PAST and known.fact.meta.get("kind") in fields.history
            if (state in wanted or along) and state != WRONG:
                yield Told(known, state)


def _asked(asking: Asking, folks: Folks) -> Period:
    if not asking.as_of:
        return Period(asking.now, asking.now, "instant")
    try:
        return period(asking.as_of, asking.now.tzinfo or folks.zone)
    except ValueError as error:
        raise BadInput(f"as-of: {error}") from error


def permitted(folks: Folks, ids: Iterable[str], room: str, at: datetime, latest: Sequence[str] = ()) -> list[Known]:
    """Everything about one person, true or not, that everybody in a room may hear. `room` OWNER: all, for the owner alone.

    `latest`: kinds of facts of which only the newest counts, whether or not it may be heard.
    """
    known = newest_only(Group(folks, ids).known, latest, at)
    if room == OWNER:
        return known
    listeners = folks.listeners(room, at)
    return [_heard(one, listeners, folks.zone) for one in known if listeners.may_hear(one.tellings())]


def _heard(known: Known, listeners: Listeners, zone: tzinfo) -> Known:
    """A fact with those tellings of it alone that may be known: that it was told elsewhere too, and when, is nobody's business."""
    told = known.tellings()
    return known if len(told) < 2 else as_told(known, listeners.may_know(told), zone)


def chain(group: Group, key: str) -> list[Known]:
    """A fact with all that stood in its place before and after it, oldest first: who said what when, and what ended it."""
    known = {one.fact.id: one for one in group.known if one.fact.id}
    after = {one: fact.fact.meta.get("now", "").removeprefix("^") for one, fact in known.items()}
    found, todo = set(), [key]
    while todo:
        one = todo.pop()
        if one in known and one not in found:
            found.add(one)
            todo += [after[one], *(before for before, now in after.items() if now == one)]
    return sorted((known[one] for one in found), key=lambda one: (one.said(), one.starts))


def sorted_by_relevance(asking: Asking, told: list[Told], settings: Settings) -> list[Told]:
    """What answers the question first: by words where they match, then cards before drawers, then the newest."""
    from omoide.api.collection import Collection

    told = sorted(told, key=lambda one: one.known.starts, reverse=True)
    told.sort(key=lambda one: not one.known.path.endswith(CARD))
    if len(told) < 2:
        return told
    with Collection(({"id": str(i), "text": one.known.fact.text} for i, one in enumerate(told)), settings=settings) as rows:
        found = rows.search(asking.text, limit=len(told), recipe="lexical") if asking.text.strip() else ()
        first = [int(hit.chunk.id) for hit in found]
    return [told[i] for i in first] + [one for i, one in enumerate(told) if i not in set(first)]
