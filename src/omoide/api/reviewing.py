"""What waits for the owner: claims, words that were passed on, and what could move between card and drawer.

Nothing of it is stored anew. A claim is a line with `pending`; words that were passed on stand in the history; a move is
worked out from card and drawer each time. An answer is a change like any other: it is logged, and can be undone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from omoide.api.changing import REJECTED, Change, Remembered
from omoide.api.folks import CARD, Folks
from omoide.api.knowing import Group
from omoide.api.remembering import locked, move
from omoide.errors import BadInput
from omoide.memory.decide import Heard, decide
from omoide.memory.filing import may_be_card, place_of
from omoide.memory.known import CURRENT, PAST, PENDING, Known
from omoide.memory.saying import Saying
from omoide.memory.whose_word import Voice
from omoide.people.access import Telling
from omoide.settings import Settings
from omoide.store.facts import Fact, with_fact
from omoide.text.when import Period

CLAIM, TO_CARD, TO_DRAWER = "claim", "to card", "to drawer"
OFTEN = 3
"""Days on which a thing was said before it looks as if it belongs before the agent's eyes."""
WAYS = {
    "": "somebody else said it", "other": "somebody else said it", "unlinked": "it came from an account that is not proven to be theirs",
    "document": "it stands in a document", "forward": "it was forwarded", "quote": "it is a quotation",
}  # fmt: skip


class Waiting(NamedTuple):
    """One thing that waits for the owner. `what`: claim, to card or to drawer; `person`: the folders of whom it is about;
    `by`, `room`, `at`: who said it, where and when; `against`: the fact that it contradicts; `path`: where it stands, or ""."""

    id: str
    what: str
    text: str
    person: tuple[str, ...]
    why: str
    by: str = ""
    room: str = ""
    at: datetime | None = None
    source: str = ""
    against: str = ""
    path: str = ""


def review(folks: Folks, people: Iterable[frozenset[str]], at: datetime, settings: Settings) -> list[Waiting]:
    """The queue, claims first, the oldest first."""
    found = [one for ids in people for one in _of(Group(folks, ids), at, settings)]
    return sorted(found, key=lambda one: (one.what, one.at is not None and one.at.timestamp(), one.id))


def carry_out(folks: Folks, waiting: Iterable[Waiting], at: datetime, settings: Settings) -> list[Waiting]:
    """For a home that curates by itself: the moves are done, those that make room first; gives what waits all the same."""
    left = []
    for one in sorted(waiting, key=lambda one: one.what != TO_DRAWER):
        try:
            if one.what != CLAIM:
                accept(folks, [frozenset(one.person)], one.id, at, f"automatic: {one.why}", settings)
                continue
        except BadInput:  # the card is full by now
            pass
        left.append(one)
    return left


def accept(folks: Folks, people: Iterable[frozenset[str]], key: str, at: datetime, reason: str, settings: Settings) -> Remembered:
    """A claim becomes a fact and ends what it contradicts; a move is made. Done before, nothing happens.

    Raises `BadInput` if nothing waits under this id or it was rejected, `CardFull`.
    """

    def done(group: Group, one: Waiting) -> Remembered:
        known = group.fact(one.id)
        if one.what != CLAIM:
            to = Saying("", "", "", "", at, one.what.removeprefix("to "), because=reason or one.why)
            return move(folks, group.ids_of_person, one.id, to, settings, answer=f"accepted {one.what}")
        change = _change(folks, group, known, at)
        old = next((fact for fact in group.known if fact.fact.id == one.against), None)
        if old is not None:
            change.supersede(old, one.id)
        meta = {key: value for key, value in known.fact.meta.items() if key != "pending"}
        path = known.path or f"{known.person}/drawer/notes.md"
        if known.path:
            change.change(known, meta)
        else:
            change.put(path, with_fact(change.data(path), Fact(one.id, known.fact.text, meta | _meta(group, known))))
        change.facts.setdefault(one.id, {})["review"] = f"accepted {CLAIM}"
        return change.written("accepted", one.id, path, "review", reason)

    return _answered(folks, people, key, "accepted", done, at, settings)


def reject(folks: Folks, people: Iterable[frozenset[str]], key: str, at: datetime, reason: str, settings: Settings) -> Remembered:
    """A claim was never true, and from the same source it does not come back; a move is not proposed again.

    Done before, nothing happens. Raises `BadInput` if nothing waits under this id or it was accepted.
    """

    def done(group: Group, one: Waiting) -> Remembered:
        known = group.fact(one.id)
        change = _change(folks, group, known, at)
        if one.what == CLAIM and known.path:
            change.end(known, "wrong", {})
        change.facts[one.id] = {"review": REJECTED if one.what == CLAIM else f"rejected {one.what}"}
        return change.written("rejected", one.id, known.path, "review", reason)

    return _answered(folks, people, key, "rejected", done, at, settings)


def _meta(group: Group, known: Known) -> dict[str, str]:
    """What a line says of words that were passed on: by whom, and for whom."""
    told = _first(known)
    by = {} if told.by in group.accounts else {"by": told.by}
    return by | {"all": {"to": "all"}, "secret": {"secret": ""}}.get(told.audience, {})


def _answered(
    folks: Folks, people: Iterable[frozenset[str]], key: str, answer: str, done: Callable[[Group, Waiting], Remembered],
    at: datetime, settings: Settings,
) -> Remembered:  # fmt: skip
    """Look for what is meant, and answer it while nobody else writes there."""
    key = key.removeprefix("^")
    found = [ids for ids in people if any(one.fact.id == key for one in Group(folks, ids).everything)]
    if len(found) != 1:
        raise BadInput(f"{'nothing' if not found else 'more than one thing'} is known as ^{key}; `omoide review` lists what waits")
    with locked(folks, found[0]):
        group = Group(folks, found[0])
        known = group.fact(key)
        waits = next((one for one in _of(group, at, settings) if one.id == key), None)
        if waits is not None:
            return done(group, waits)
        if known.detail.review.startswith(answer):
            return Remembered("again", key, known.path)
        before = f"it was {known.detail.review.partition(' ')[0]} before" if known.detail.review else "it does not wait"
        raise BadInput(f"^{key} is not {answer}: {before}. Nothing was changed; `omoide why ^{key}` tells what happened, undo puts it back")


def _change(folks: Folks, group: Group, known: Known, at: datetime) -> Change:
    """An answer is of now, but what it ends has ended when the claim begins, or was said."""
    return Change(folks, group, known.person, Saying("", "", "", "", at, since=known.fact.meta.get("since") or known.said().isoformat()), 0)


# ---- what waits


def _of(group: Group, at: datetime, settings: Settings) -> Iterator[Waiting]:
    now, person = Period(at, at, "instant"), tuple(sorted(group.ids_of_person))
    front = may_be_card([known.fact.text for known in group.known])
    for number, known in enumerate(group.everything):
        if known.state(now) == PENDING and not known.fact.earlier and known.detail.review != REJECTED:
            yield _claim(group, known, person)
        elif known.fact.id and known.path and (moved := _move(group, known, now, settings, number in front)):
            what, why = moved
            if known.detail.review != f"rejected {what}":
                yield _waiting(known, what, person, why)


def _claim(group: Group, known: Known, person: tuple[str, ...]) -> Waiting:
    told = _first(known)
    others = [one for one in group.known if one.fact.id != known.fact.id and "pending" not in one.fact.meta]
    since, until = (known.fact.meta.get(key, "") for key in ("since", "until"))
    said = Saying(known.fact.text, "", "", "", known.said(), since=since, until=until)
    against = known.detail.against or decide(Heard(said, said.text, Voice(True)), others).supersedes
    old = next((one.fact.text for one in others if one.fact.id == against), "")
    why = WAYS.get(told.via, WAYS[""]) + (f", and it contradicts ^{against} {old}" if old else "")
    why += "" if known.fact.id else "; give its line an id, such as ^a1, to answer"
    return _waiting(known, CLAIM, person, why)._replace(against=against if old else "")


def _waiting(known: Known, what: str, person: tuple[str, ...], why: str) -> Waiting:
    told = _first(known)
    return Waiting(known.fact.id, what, known.fact.text, person, why, told.by, told.room, known.said(), told.source, path=known.path)


def _move(group: Group, known: Known, now: Period, settings: Settings, front: bool) -> tuple[str, str] | None:
    """Where a fact looks as if it belonged, if that is not where it stands, and why. `front`: its words may ask for the card."""
    told, on_card = known.detail.tellings, known.path.endswith(f"/{CARD}")
    if not (front or on_card or len(told) >= OFTEN):
        return None  # as most of what lies in drawers
    state, claim, secret = known.state(now), "by" in known.fact.meta, "secret" in known.fact.meta
    if known.fact.earlier or state not in (CURRENT, PAST):
        return None
    if state == PAST:
        return (TO_DRAWER, f"it is over since {known.ends - timedelta(microseconds=1):%Y-%m-%d}") if on_card else None
    until = known.fact.meta.get("until", "")
    where, because = place_of(known.fact.text, until, claim=claim, secret=secret) if front else ("drawer", "")
    if on_card:
        last = max((one.at for one in told), default=None)
        unused = last is not None and now.first - last >= timedelta(days=settings.review.unused_days)
        return (TO_DRAWER, f"nobody has spoken of it since {last:%Y-%m-%d}") if unused and where != "card" else None
    often = len({one.at.date() for one in told if one.by}) >= OFTEN and not (claim or secret or until)
    if not (where == "card" or often) or not _fits(group, known, settings.home.card_chars):
        return None
    return TO_CARD, because if where == "card" else "it is said again and again"


def _fits(group: Group, known: Known, cap: int) -> bool:
    there = [one.fact for one in group.known if one.path == f"{known.person}/{CARD}" and not one.fact.earlier]
    return sum(len(fact.text) for fact in there) + len(known.fact.text) <= cap


def _first(known: Known) -> Telling:
    """Who said it first; of a line written by hand, what it says of itself."""
    return next((one for one in known.detail.tellings if one.by), known.tellings()[0])
