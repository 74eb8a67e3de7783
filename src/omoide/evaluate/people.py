"""`omoide eval people`: stories about people in rooms, asked about at many moments.

Three feeds, from easy to hard: told (every event is a call with all its fields but the verdict), found (the dates,
what a fact replaces and whose word it is must be read from the text), raw (messages only).
"""

from __future__ import annotations

import json
import tempfile
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from omoide.api.omoide import Omoide
from omoide.api.people import Asking, Knowledge, Name, People, Room, Saying, Stay, as_seen
from omoide.errors import BadData, BadInput, LookAlike

FEEDS = ("told", "found", "raw")
Story = Mapping[str, Any]


def read_stories(paths: Iterable[Path]) -> list[Story]:
    """The stories of folders (`scenarios.jsonl`) or files. Raises `BadData`."""
    stories = []
    for path in paths:
        file = path / "scenarios.jsonl" if path.is_dir() else path
        try:
            lines = file.read_text(encoding="utf-8").splitlines()
        except OSError as error:
            raise BadData(f"{file}: {error.strerror}; give a folder with scenarios.jsonl") from error
        for number, line in enumerate(lines, 1):
            try:
                stories += [json.loads(line)] if line.strip() else []
            except ValueError as error:
                raise BadData(f"{file}:{number}: not JSON ({error})") from error
    return stories


@dataclass(slots=True)
class Outcome:
    """How one question went."""

    id: str
    kind: str
    lang: str
    passed: bool
    resolved: bool
    leaked: list[str] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    pending_lost: list[str] = field(default_factory=list)
    unlabelled: list[str] = field(default_factory=list)
    labelled: int = 0
    rank: float | None = None
    returned: int = 0
    wrong_person: bool = False


def evaluate(stories: Sequence[Story], feed: str, progress: Callable[[int, int], None] | None = None) -> list[Outcome]:
    """Play every story in a home of its own and ask its questions in between."""
    if feed not in FEEDS:
        raise BadData(f"feed {feed!r}: one of {', '.join(FEEDS)}")
    out: list[Outcome] = []
    for number, story in enumerate(stories, 1):
        with tempfile.TemporaryDirectory(prefix="omoide-eval-") as folder, Omoide(Path(folder)) as omoide, warnings.catch_warnings():
            warnings.simplefilter("ignore", LookAlike)  # the stories are about such names
            out += _Player(story, omoide.people, feed).play()
        if progress:
            progress(number, len(stories))
    return out


class _Player:
    """One story on its way through a home."""

    def __init__(self, story: Story, people: People, feed: str = "told") -> None:
        self.story, self.people, self.feed = story, people, feed
        self.message: Mapping[str, Any] = {}
        self.overheard = ""
        """The last message: in the feed "found" a note is read together with what it was learned from."""
        self.known: dict[str, str] = {}
        """Fact of the story → our id."""
        self.key_of = {account: person["key"] for person in story["people"] for account in person["accounts"]}
        twins: dict[str, str] = {}
        for event in story["events"]:
            if "fact" in event:
                twins[event["fact"]] = twins.get(event.get("restates", ""), event["fact"])
        self.twin = twins
        self.linked: set[frozenset[str]] = set()

    def play(self) -> list[Outcome]:
        self._begin()
        events, out = list(self.story["events"]), []
        for ask in self.story["asks"]:
            now = datetime.fromisoformat(ask["t"])
            while events and datetime.fromisoformat(events[0]["t"]) <= now:
                self._feed(events.pop(0))
            out.append(self._ask(ask, now))
        return out

    def _begin(self) -> None:
        start = min(datetime.fromisoformat(one["t"]) for one in (*self.story["events"], *self.story["asks"]))
        for person in self.story["people"]:
            self._meet(person, start)
        for room in self.story["rooms"]:
            kind = room["type"]
            history = room.get("history") or ("members" if kind == "channel" else "since_join")
            stays = tuple(Stay(member) for member in room["members"])
            self.people.open_room(Room(room["id"], room["name"], kind, history, stays), start)

    def _meet(self, person: Mapping[str, Any], at: datetime) -> None:
        for account in person["accounts"]:
            names = [_name(name) for name in person["names"] if name.get("account", account) == account]
            self.people.meet(account, *names, at=at, bot=bool(person.get("bot")))

    def _feed(self, event: Mapping[str, Any]) -> None:
        at, op = datetime.fromisoformat(event["t"]), event["op"]
        if op == "say":
            self.message = event
            self.overheard = self.people.overhear(event["by"], event["room"], at, event["text"]).id if self.feed == "raw" else ""
        elif op in ("remember", "hearsay"):
            {"told": self._remember, "found": self._hear, "raw": self._match}[self.feed](event, at)
        elif op == "link":
            if self.people.link(*event["accounts"], proof=event["proof"], at=at):
                self.linked.add(frozenset(event["accounts"]))
        elif op == "unlink":
            self.people.unlink(*event["accounts"], at=at)
            self.linked.discard(frozenset(event["accounts"]))
        elif op == "rename":
            self.people.rename(event["account"], as_seen(event["name"]), at)
        elif op in ("join", "leave"):
            getattr(self.people, op)(event["room"], event["account"], at)
        elif op == "forget":
            self._forget(event, at)

    def _remember(self, event: Mapping[str, Any], at: datetime) -> None:
        told = {key: event[key] for key in ("since", "until", "correction", "audience", "source", "via") if key in event}
        told |= {key: self.known[event[key]] for key in ("supersedes", "restates") if event.get(key) in self.known}
        saying = Saying(event["text"], event["about"], event["said_by"], event["room"], at, event.get("place", "drawer"), **told)
        kept = self.people.remember(saying)
        if kept.id:
            self.known[event["fact"]] = kept.id

    def _hear(self, event: Mapping[str, Any], at: datetime) -> None:
        message = self.message if (self.message.get("by"), self.message.get("room")) == (event["said_by"], event["room"]) else {}
        said = Saying(event["text"], event["about"], event["said_by"], event["room"], at, event.get("place", "drawer"))
        kept = self.people.hear(replace(said, source=event.get("source", "")), message.get("text", ""))
        if kept.id:
            self.known[event["fact"]] = kept.id

    def _match(self, event: Mapping[str, Any], at: datetime) -> None:
        """The raw feed is given no fact: only which message each stands in is kept, to judge the answers."""
        if self.overheard and datetime.fromisoformat(self.message["t"]) == at:
            self.known[event["fact"]] = self.overheard

    def _forget(self, event: Mapping[str, Any], at: datetime) -> None:
        if "fact" in event:
            about = next(one["about"] for one in self.story["events"] if one.get("fact") == event["fact"] and "about" in one)
            if event["fact"] in self.known:
                self.people.forget(at, person=about, fact=self.known[event["fact"]])
        elif "account" in event:
            self.people.forget(at, person=event["account"], everything=True)
            self._meet_again(event["account"], at)
        else:
            with suppress(BadInput):  # nothing may have been kept of it
                self.people.forget(at, source=event.get("source", ""), room=event.get("room", ""))

    def _meet_again(self, account: str, at: datetime) -> None:
        """The platform forgot nothing: the next time somebody is seen there it says again who that is."""
        mine = [one for one, key in self.key_of.items() if key == self.key_of[account]]
        for person in self.story["people"]:
            if account in person["accounts"]:
                self._meet(person, at)
        for pair in self.linked:
            if pair <= set(mine):
                self.people.link(*sorted(pair), proof=True, at=at)

    # -- asking ------------------------------------------------------------------------------------

    def _ask(self, ask: Mapping[str, Any], now: datetime) -> Outcome:
        asked = Asking(ask["query"], ask["room"], now, ask.get("about", ""), ask.get("name", ""), ask.get("as_of", ""))
        expect = ask["expect"]
        plain = self.people.know(asked._replace(want=frozenset(ask.get("want", ())) - {"history"}))
        past = self.people.know(asked._replace(want=frozenset({*ask.get("want", ()), "history"}), limit=50)) if expect["history"] else None
        out = Outcome(ask["id"], self.story["kind"], self.story["lang"], False, self._resolved(expect, plain))
        got = self._got(plain, expect)
        out.returned = len(plain.facts)
        wanted = {*expect["current"], *(one for word in ask.get("want", ()) for one in expect.get(word, ()))} - set(expect["history"])
        out.missed = sorted(self._twins(wanted) - set(got))
        hidden = self._twins(expect["never"]) - self._twins(wanted)
        out.leaked = sorted(fact for fact in got if fact in hidden)
        out.stale = [fact for fact in self._twins(expect["history"]) if not got.get(fact, "marked")]
        out.stale += [fact for word in ("planned", "pending") for fact in self._twins(expect.get(word, ())) if not got.get(fact, "marked")]
        out.pending_lost = [fact for fact in self._twins(expect.get("pending", ())) if "pending" in ask.get("want", ()) and fact not in got]
        labels = self._got(past, expect) if past else {}
        out.unlabelled = sorted(fact for fact in self._twins(expect["history"]) if labels.get(fact) != "no longer true")
        out.labelled = len(self._twins(expect["history"])) - len(out.unlabelled)
        out.leaked += sorted(fact for fact in labels if fact in hidden and fact not in out.leaked)
        out.rank = self._first(plain, expect["current"]) if expect["current"] else None
        out.wrong_person = not out.resolved
        forbidden = out.leaked or out.stale or set(got) & self._twins(expect["history"])
        out.passed = out.resolved and not (out.missed or forbidden or out.unlabelled)
        return out

    def _twins(self, facts: Iterable[str]) -> set[str]:
        return {self.twin[fact] for fact in facts}

    def _got(self, knowledge: Knowledge | None, expect: Mapping[str, Any]) -> dict[str, str]:
        """Facts of the story that came back (one name for those that restate one another) → how they were marked."""
        if knowledge is None:
            return {}
        ours = {told.known.fact.id: told.mark for told in knowledge.facts}
        return {self.twin[fact]: ours[key] for fact, key in self.known.items() if key in ours}

    def _first(self, knowledge: Knowledge, current: Sequence[str]) -> float:
        wanted = {self.known.get(fact) for fact in current}
        places = [place for place, told in enumerate(knowledge.facts, 1) if told.known.fact.id in wanted]
        return 1 / places[0] if places else 0.0

    def _resolved(self, expect: Mapping[str, Any], knowledge: Knowledge) -> bool:
        wanted = expect.get("resolve")
        if wanted is None:
            return True
        found = knowledge.resolved
        if (wanted["status"] or "none") != found.status:
            return False
        keys = {self.key_of[account] for group in found.people for account in self.people.accounts(group)}
        return found.status == "none" or keys == set(wanted["people"])


def _name(name: Mapping[str, str]) -> Name:
    return Name(as_seen(name["name"]), *(_moment(name[key]) for key in ("from", "to") if name.get(key)))


def _moment(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def summary(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The fields of the report."""
    asks = len(outcomes)
    ranks = [one.rank for one in outcomes if one.rank is not None]
    past = sum(one.labelled + len(one.unlabelled) for one in outcomes)

    def rate(rows: Sequence[Outcome]) -> float:
        return round(sum(one.passed for one in rows) / len(rows), 4) if rows else 0.0

    groups: dict[str, dict[str, list[Outcome]]] = {"kind": defaultdict(list), "lang": defaultdict(list)}
    for one in outcomes:
        groups["kind"][one.kind].append(one)
        groups["lang"][one.lang].append(one)
    return {
        "asks": asks, "pass_rate": rate(outcomes),
        "current_complete": round(sum(not one.missed for one in outcomes) / asks, 4) if asks else 0.0,
        "leaks": sum(len(one.leaked) for one in outcomes), "wrong_person": sum(one.wrong_person for one in outcomes),
        "stale": sum(len(one.stale) for one in outcomes), "pending_lost": sum(len(one.pending_lost) for one in outcomes),
        "past_labelled": round(sum(one.labelled for one in outcomes) / past, 4) if past else 1.0,
        "resolve_accuracy": round(sum(one.resolved for one in outcomes) / asks, 4) if asks else 0.0,
        "order": round(sum(ranks) / len(ranks), 4) if ranks else 0.0,
        "returned_mean": round(sum(one.returned for one in outcomes) / asks, 4) if asks else 0.0,
        **{f"by_{name}": {key: rate(rows) for key, rows in sorted(group.items())} for name, group in groups.items()},
        "failures": [
            {"id": one.id, "leaked": one.leaked, "stale": one.stale, "missed": one.missed, "unlabelled": one.unlabelled,
             "resolved": one.resolved} for one in outcomes if not one.passed
        ],
    }  # fmt: skip
