"""Hundreds of people: how long a card, a question and a grep take, and the owner's answers, in one run.

    python benchmarks/people.py --people 500 --facts 100 --out evals/benchmark-people.json

A home is made in a temporary folder, every fact with its telling in the history, one room with all of them, then for
people in turn: the card as the room may see it, a question about them, and a grep through their drawer. A process
that stays (files read before), and one that has just begun, are told apart. At the end what the owner does by the id of a
fact, of whoever it is, and the queue: each a few times, and each on another fact.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import corpus
import report

sys.path.insert(0, str(corpus.ROOT / "src"))

from omoide.api.folks import Folks
from omoide.api.omoide import Omoide
from omoide.api.people import Asking, Name, People, Room, Saying, Stay
from omoide.store.facts import Fact, with_fact

START = datetime(2026, 1, 1, 9, tzinfo=UTC)
ROOM = "chat:w:all"
THINGS = ("tea", "coffee", "rye bread", "rice", "soup", "走る", "泳ぐ", "将棋", "写真", "庭仕事")


def account(number: int) -> str:
    """The account of one of them."""
    return f"chat:w:u{number}"


def make(home: Path, people: int, facts: int) -> float:
    """A home of so many people with so many facts each; five are on the card. Gives seconds."""
    start = time.perf_counter()
    folks = Folks(home, UTC)
    folks.open_room(Room(ROOM, "all", "group", "members", tuple(Stay(account(i)) for i in range(people))), START)
    for number in range(people):
        person = folks.meet(account(number), [Name(f"Person {number}")], START)
        card = folks.bytes_of(f"{person}/card.md") or b""
        front, drawer, kept = card, b"", {}
        for i in range(facts):
            thing = THINGS[(number + i) % len(THINGS)]
            fact = Fact(f"f{i:03d}", f"{thing} number {i}, said on day {i % 300}")
            front, drawer = (with_fact(front, fact), drawer) if i < 5 else (front, with_fact(drawer, fact))
            at = (START + timedelta(days=i % 300)).isoformat()
            kept[fact.id] = {"telling": {"by": account(number), "room": ROOM, "at": at}}
        edits = {f"{person}/card.md": (card, front), f"{person}/drawer/notes.md": (None, drawer)}
        folks.write(person, "remember", START, edits, facts=kept)
    return time.perf_counter() - start


def timed(call: Callable[[int], Any], numbers: range) -> dict[str, float]:
    """Milliseconds of a call for each number."""
    taken = []
    for number in numbers:
        start = time.perf_counter()
        call(number)
        taken.append((time.perf_counter() - start) * 1000)
    return {"first": taken[0], "p50": median(taken), "p99": quantiles(taken, n=100)[98]}


def owner(people: People, count: int, now: datetime) -> dict[str, dict[str, float]]:
    """The answers that first look for whose fact it is."""

    def told(text: str, number: int, **more: Any) -> str:
        whose = account(number % count)
        return people.remember(Saying(f"{text} {number}", whose, more.pop("by", whose), ROOM, now, **more)).id

    some = range(12)
    claims = [told("plays the tuba in band", number, by=account((number + 1) % count), via="other") for number in range(24)]
    facts = [told("owns parrot", number) for number in range(36)]
    return {
        "review": timed(lambda i: people.review(now), range(3)),
        "why": timed(lambda i: people.why(facts[i]), some),
        "accept": timed(lambda i: people.accept(claims[i], now), some),
        "reject": timed(lambda i: people.reject(claims[12 + i], now), some),
        "move": timed(lambda i: people.move(people.why(facts[i])["person"], facts[i], "drawer/pets", now), some),
        "undo": timed(lambda i: people.undo("", now, fact=facts[12 + i]), some),
        "forget": timed(lambda i: people.forget(now, fact=facts[24 + i]), some),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--people", type=int, default=500)
    parser.add_argument("--facts", type=int, default=100)
    parser.add_argument("--out", type=Path, help="write every number here as JSON")
    chosen = parser.parse_args()
    now = START + timedelta(days=400)
    with tempfile.TemporaryDirectory() as folder:
        built = make(Path(folder), chosen.people, chosen.facts)
        with Omoide(Path(folder)) as omoide:
            people, numbers = omoide.people, range(0, chosen.people, 2)
            found = {
                "card": timed(lambda i: people.card(account(i), ROOM, now), numbers),
                "question": timed(lambda i: people.know(Asking("does he like soup?", ROOM, now, account(i))), numbers),
                "grep": timed(lambda i: people.grep(account(i), "soup|将棋", ROOM, now), numbers),
            } | owner(people, chosen.people, now)
    shown = f"python benchmarks/people.py --people {chosen.people} --facts {chosen.facts}"
    whole = {"command": shown, "machine": report.machine(), "build_s": built, "ms": found}
    for name in found:
        most = {"card": 10, "grep": 50}.get(name)
        passed = None if most is None else found[name]["p50"] < most
        limit = "" if most is None else f" (less than {most})"
        row = found[name]
        print(f"{report.WORDS[passed]}  {name}: p50 {row['p50']:.1f} ms{limit}, p99 {row['p99']:.1f}, first {row['first']:.0f}")
    if chosen.out:
        chosen.out.write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
