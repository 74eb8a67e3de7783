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
        else:
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
