"""Random people, rooms, facts and events: every read gives exactly what everybody in the room may hear and what holds."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from omoide import Omoide
from omoide.api.people import OWNER, Asking, People, Room, Saying, Stay

START = datetime(2026, 3, 1, 9, tzinfo=UTC)
ACCOUNTS = [f"chat:w:{key}" for key in "abcd"]
ROOMS = {"chat:w:R": "since_join", "chat:w:S": "members"}
NAMES = ["Mike", "Ann", "Mike"]

EVENT = st.one_of(
    st.tuples(st.just("say"), st.integers(0, 3), st.sampled_from(sorted(ROOMS)), st.sampled_from(["", "", "open", "secret"]),
              st.none() | st.integers(0, 6), st.sampled_from(["card", "drawer", "drawer/food"])),
    st.tuples(st.just("replace"), st.integers(0, 9), st.sampled_from(sorted(ROOMS))),
    st.tuples(st.just("claim"), st.integers(0, 3), st.integers(0, 3), st.sampled_from(sorted(ROOMS))),
    st.tuples(st.sampled_from(["join", "leave"]), st.sampled_from(sorted(ROOMS)), st.integers(0, 3)),
    st.tuples(st.sampled_from(["link", "unlink"]), st.integers(0, 3), st.integers(0, 3)),
    st.tuples(st.just("forget"), st.integers(0, 9)),
    st.tuples(st.just("document"), st.integers(0, 3), st.integers(0, 3), st.sampled_from(sorted(ROOMS))),
    st.tuples(st.just("reject"), st.integers(0, 9)),
)  # fmt: skip


class Model:
    """The rules again, in the plainest form."""

    def __init__(self) -> None:
        self.inside: dict[str, list[tuple[str, int, int]]] = {room: [(ACCOUNTS[i], -1, 999) for i in range(2)] for room in ROOMS}
        self.links: set[frozenset[str]] = set()
        self.facts: list[dict[str, Any]] = []

    def members(self, room: str, day: int) -> set[str]:
        return {account for account, since, until in self.inside[room] if since <= day < until}

    def same(self, account: str) -> set[str]:
        found = {account}
        for _ in ACCOUNTS:
            found |= {one for pair in self.links if pair & found for one in pair}
        return found

    def may_know(self, reader: set[str], fact: dict[str, Any], day: int) -> bool:
        if fact["audience"] == "open" or fact["by"] in reader:
            return True
        here = self.members(fact["room"], day) & reader
        sees_all = ROOMS[fact["room"]] == "members" and fact["audience"] != "secret"
        return bool(here) and (sees_all or bool(self.members(fact["room"], fact["day"]) & reader))

    def told(self, about: str, room: str, day: int, *, over: bool = False) -> set[str]:
        readers = [self.same(account) for account in self.members(room, day)] if room != OWNER else []
        if room != OWNER and not readers:
            return set()
        return {
            fact["id"] for fact in self.facts
            if fact["about"] in self.same(about) and (over or day < fact["end"]) and not fact["claim"]
            and all(self.may_know(reader, fact, day) for reader in readers)
        }  # fmt: skip


def play(people: People, model: Model, number: int, event: tuple[Any, ...]) -> None:
    """One event in both."""
    day, at = number, START + timedelta(days=number)
    if event[0] in ("say", "claim"):
        about = ACCOUNTS[event[1]]
        claim = event[0] == "claim"
        by, room = (ACCOUNTS[event[2]], event[3]) if claim else (about, event[2])
        audience, until = ("", None) if claim else (event[3], event[4])
        dates = {"until": (at + timedelta(days=until)).date().isoformat()} if until is not None else {}
        kept = people.remember(Saying(f"fact {number}", about, by, room, at, event[5] if not claim else "drawer", audience=audience,
                                      via="other" if claim else "", **dates))  # fmt: skip
        end = day + until + 1 if until is not None else 999
        model.facts.append({"id": kept.id, "about": about, "by": by, "room": room, "day": day, "audience": audience, "end": end, "claim": claim})
    elif event[0] == "replace" and event[1] < len(model.facts):
        old = model.facts[event[1]]
        kept = people.remember(Saying(f"fact {number}", old["about"], old["about"], event[2], at, supersedes=old["id"]))
        model.facts.append({"id": kept.id, "about": old["about"], "by": old["about"], "room": event[2], "day": day, "audience": "", "end": 999,
                            "claim": False})  # fmt: skip
        old["end"] = min(old["end"], day)
        old["claim"] = False if old["end"] <= day else old["claim"]
    elif event[0] in ("join", "leave"):
        account, inside = ACCOUNTS[event[2]], model.inside[event[1]]
        getattr(people, event[0])(event[1], account, at)
        if event[0] == "join" and account not in model.members(event[1], day):
            inside.append((account, day, 999))
        elif event[0] == "leave":
            model.inside[event[1]] = [(who, since, min(until, day) if who == account else until) for who, since, until in inside]
    elif event[0] in ("link", "unlink") and event[1] != event[2]:
        pair = [ACCOUNTS[event[1]], ACCOUNTS[event[2]]]
        if event[0] == "link":
            people.link(*pair, proof=True, at=at)
            model.links.add(frozenset(pair))
        elif frozenset(pair) in model.links:
            people.unlink(*pair, at=at)
            model.links.discard(frozenset(pair))
    elif event[0] == "document":  # waits for the owner, and is told nobody
        people.remember(Saying(f"fact {number}", ACCOUNTS[event[1]], ACCOUNTS[event[2]], event[3], at, via="document"))
    elif event[0] == "reject" and event[1] < len(model.facts):
        fact = model.facts[event[1]]
        if fact["claim"]:
            people.reject(fact["id"], at)
            fact["end"] = min(fact["end"], day)  # and a claim it stays: told in no mode
    elif event[0] == "forget" and event[1] < len(model.facts):
        fact = model.facts.pop(event[1])
        people.forget(at, person=fact["about"], fact=fact["id"])


@settings(max_examples=25, deadline=None)
@given(st.lists(EVENT, min_size=1, max_size=9))
def test_every_read_gives_what_the_rules_allow_and_all_of_it(events: list[tuple[Any, ...]]) -> None:
    """After any history, for every person and room, by account: what comes back is exactly what the rules allow; counts,
    cards and grep never show more."""
    with tempfile.TemporaryDirectory() as folder, Omoide(Path(folder)) as omoide:
        people, model = omoide.people, Model()
        for account, name in zip(ACCOUNTS, [*NAMES, "Dan"], strict=True):
            people.meet(account, name, at=START)
        for room, past in ROOMS.items():
            people.open_room(Room(room, room[-1], "group", past, (Stay(ACCOUNTS[0]), Stay(ACCOUNTS[1]))), START)
        for number, event in enumerate(events):
            play(people, model, number, event)
            now, day = START + timedelta(days=number, minutes=1), number
            for room in (*ROOMS, OWNER):
                for about in ACCOUNTS:
                    want = model.told(about, room, day)
                    found = people.know(Asking("fact", room, now, about, limit=99))
                    assert {told.known.fact.id for told in found.facts} == want
                    card = people.card(about, room, now)
                    assert {known.fact.id for known in card.facts} <= want
                    assert len(card.facts) + sum(label.facts for label in card.labels) == len(want)
                    seen = {line.text.rpartition(" ^")[2] for line in people.grep(about, "fact", room, now, around=2)}
                    assert room == OWNER or seen == model.told(about, room, day, over=True)
            for room in ROOMS:
                for one in people.everybody(now, room):
                    assert one.facts == len(model.told(one.accounts[0], room, day, over=True))
            for room in ROOMS:
                for name in ("Mike", "Ann"):
                    named = people.know(Asking("fact", room, now, name=name, limit=99))
                    allowed = model.told(next(iter(people.accounts(named.resolved.people[0]))), room, day) if named.resolved.status == "one" else set()
                    assert {told.known.fact.id for told in named.facts} == allowed


TOLD = st.one_of(
    st.tuples(st.just("say"), st.integers(0, 3), st.sampled_from(sorted(ROOMS)), st.sampled_from(["", "", "secret"]), st.integers(0, 2)),
    st.tuples(st.sampled_from(["join", "leave"]), st.sampled_from(sorted(ROOMS)), st.integers(0, 3)),
)  # fmt: skip


def world(folder: str, events: list[tuple[Any, ...]], leave_out: set[int]) -> tuple[Omoide, Model]:
    """A home in which all of this happened but for what is left out. Who says a thing again adds a telling."""
    omoide, model = Omoide(Path(folder)), Model()
    for account, name in zip(ACCOUNTS, [*NAMES, "Dan"], strict=True):
        omoide.people.meet(account, name, at=START)
    for room, past in ROOMS.items():
        omoide.people.open_room(Room(room, room[-1], "group", past, (Stay(ACCOUNTS[0]), Stay(ACCOUNTS[1]))), START)
    for number, event in enumerate(events):
        at = START + timedelta(days=number)
        if event[0] != "say":
            play(omoide.people, model, number, event)
        elif number not in leave_out:
            _, who, room, audience, text = event
            place = ("card", "drawer", "drawer/food")[text]
            omoide.people.remember(Saying(f"fact {text}", ACCOUNTS[who], ACCOUNTS[who], room, at, place, audience=audience))
    return omoide, model


def forbidden(model: Model, events: list[tuple[Any, ...]], room: str, day: int) -> set[int]:
    """Which sayings nobody in a room may be told of: not by all who read there, unless each knows the fact from elsewhere."""
    readers = [model.same(account) for account in model.members(room, day)]
    out, facts = set(), {}
    for number, event in enumerate(events):
        if event[0] == "say":
            fact = {"by": ACCOUNTS[event[1]], "room": event[2], "audience": event[3], "day": number}
            facts.setdefault((event[1], event[3], event[4]), {})[number] = [model.may_know(reader, fact, day) for reader in readers]
    for tellings in facts.values():
        by_all = {number for number, knows in tellings.items() if knows and all(knows)}
        together = bool(readers) and all(map(any, zip(*tellings.values(), strict=True)))
        out |= tellings.keys() - (by_all or {number for number, knows in tellings.items() if together and any(knows)})
    return out


def shown(people: People, room: str, now: datetime) -> list[Any]:
    """All that a room is shown of everybody: counts, dates, cards, labels, facts with their times and who told them, lines."""
    out: list[Any] = [people.everybody(now, room)]
    for about in ACCOUNTS:
        card = people.card(about, room, now)
        known = people.know(Asking("fact", room, now, about, want=frozenset({"history", "planned", "pending"}), limit=99)).facts
        out += [card.person, card.names, [one.fact.text for one in card.facts], card.labels, card.characters]
        out += [(one.known.fact.text, one.known.detail.tellings, one.known.starts, one.known.ends, one.dates) for one in known]
        out += [(line.path, line.number, line.text.rpartition(" ^")[0]) for line in people.grep(about, "fact", room, now)]
    return out


@settings(max_examples=40, deadline=None)
@given(st.lists(TOLD, min_size=1, max_size=10), st.sampled_from(sorted(ROOMS)))
def test_what_a_room_is_shown_depends_on_what_it_may_hear_alone(events: list[tuple[Any, ...]], room: str) -> None:
    """A room is shown the same counts, dates, cards and lines, whether or not what it may not hear was ever said: also where it
    was said again elsewhere."""
    now = START + timedelta(days=len(events), minutes=1)
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        whole, model = world(one, events, set())
        without, _ = world(other, events, forbidden(model, events, room, len(events)))
        with whole, without:
            assert shown(whole.people, room, now) == shown(without.people, room, now)
