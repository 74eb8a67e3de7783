"""What is told becomes lines in the folder of the one it is about: new, told again, superseding, a claim, forgotten."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import blake2b
from typing import Any, NamedTuple

from omoide.api.folks import CARD, Folks
from omoide.api.knowing import Group
from omoide.errors import BadInput, CardFull
from omoide.memory.known import CURRENT, PENDING, PLANNED, Known, earlier_end, end_before
from omoide.people.access import SECRET
from omoide.store.facts import Fact, changed, facts_in, one_line, with_fact, without_fact
from omoide.text.when import Period, period

CLAIMS = ("other", "unlinked")
"""Ways something is said about somebody by another: kept as a claim, neither believed nor dropped."""
NO_WORD = ("quote", "forward", "document", "bot", "joke")
"""Ways of saying that are nobody's word about a person: nothing is kept."""


@dataclass(frozen=True, slots=True)
class Saying:
    """One thing that was said: about whom, by whom, where and when, and what is known of how long it holds.

    `about`, `by`: accounts; `place`: card, or drawer, or drawer/<topic>; `since`, `until`: dates of any precision;
    `supersedes`, `restates`: ids of facts about the same person; `correction`: the superseded one was never true;
    `audience`: "" (who was there), "open" or "secret"; `via`: "" for the person's own word, else one of `CLAIMS` or `NO_WORD`.
    """

    text: str
    about: str
    by: str
    room: str
    at: datetime
    place: str = "drawer"
    since: str = ""
    until: str = ""
    supersedes: str = ""
    correction: bool = False
    restates: str = ""
    audience: str = ""
    source: str = ""
    via: str = ""
    kind: str = ""


class Remembered(NamedTuple):
    """`what` is new, again (a further telling of `id`), claim, or ignored (nobody's word: nothing was kept)."""

    what: str
    id: str = ""
    path: str = ""
    change: str = ""


def remember(folks: Folks, saying: Saying, cap: int) -> Remembered:
    """Keep it. Raises `BadInput` for an id that is not about this person, `CardFull` for a card that would pass `cap`."""
    text = one_line(saying.text)
    if not text:
        raise BadInput("there is nothing to remember: the text is empty")
    for key, date in (("since", saying.since), ("until", saying.until)):
        if date:
            _date(key, date, saying.at)
    if saying.via in NO_WORD:
        return Remembered("ignored")
    person = folks.meet(saying.about, (), saying.at)
    with ExitStack() as locks:
        for one in sorted(folks.directory().of_account(saying.about)):  # in one order, so that two writers never wait for each other
            locks.enter_context(folks.door.locked(one))
        group = Group(folks, folks.directory().of_account(saying.about))
        return _Change(folks, group, person, replace(saying, text=text), cap).made()


def _date(key: str, text: str, at: datetime) -> Period:
    try:
        return period(text, at.tzinfo or at.astimezone().tzinfo)  # type: ignore[arg-type]
    except ValueError as error:
        raise BadInput(f"{key}: {error}. Nothing was remembered.") from error


class _Change:
    """The edits that one saying asks for, collected before anything is written."""

    def __init__(self, folks: Folks, group: Group, person: str, saying: Saying, cap: int) -> None:
        self.folks, self.group, self.person, self.saying, self.cap = folks, group, person, saying, cap
        self.claim = saying.via in CLAIMS
        self.files: dict[str, bytes | None] = {}
        self.facts: dict[str, dict[str, Any]] = {}

    def made(self) -> Remembered:
        said = self.saying
        old = self.group.fact(said.supersedes) if said.supersedes else None
        twin = self.group.fact(said.restates) if said.restates else None
        if twin is not None and self._told_again(twin, old):
            return self._written("again", twin.fact.id, twin.path)
        if self.claim and twin is not None:
            return Remembered("ignored", twin.fact.id)
        new = Fact(self._new_id(), said.text, self._meta())
        path = f"{self.person}/{CARD if said.place == 'card' and not self.claim else _drawer(said.place)}"
        self.facts[new.id] = {"telling": self._telling()} | ({"restates": said.restates} if said.restates else {})
        if old is not None and not self.claim:
            self._supersede(old, new)
        self._put(path, with_fact(self._bytes(path), new))
        if path.endswith("/" + CARD):
            self._check_cap(path)
        return self._written("claim" if self.claim else "new", new.id, path)

    def _told_again(self, twin: Known, old: Known | None) -> bool:
        """A fact that holds, or a claim, is told once more: the line stays, the history has one more telling."""
        said = self.saying
        moment = Period(said.at, said.at, "instant")
        taken_back = old is not None and said.correction and twin.fact.meta.get("now") == f"^{old.fact.id}"
        if not (taken_back or (twin.state(moment) in (CURRENT, PLANNED, PENDING) and not (said.since or said.until))):
            return False
        self.facts[twin.fact.id] = {"telling": self._telling()}
        if taken_back and old is not None:
            self._end(old, "wrong", {"now": f"^{twin.fact.id}"})
            self._reopen(twin)
        elif twin.state(moment) == PENDING and not self.claim:
            self._change(twin, {key: value for key, value in twin.fact.meta.items() if key not in ("pending", "by")})
        return True

    def _supersede(self, old: Known, new: Fact) -> None:
        said = self.saying
        if not said.correction:
            end = earlier_end(old.fact.meta.get("until"), end_before(said.since or None, said.at), old.starts.tzinfo or self.folks.zone)
            self.facts[old.fact.id] = {"was": dict(old.fact.meta)}
            self._end(old, "", {"until": end, "now": f"^{new.id}"})
            return
        self._end(old, "wrong", {"now": f"^{new.id}"})
        self.facts[new.id]["starts"] = old.starts.isoformat()
        for before in self.group.known:  # what the slip had ended is ended by the truth
            if before.fact.meta.get("now") == f"^{old.fact.id}":
                meta = {**before.fact.meta, "now": f"^{new.id}"}
                if said.since:
                    meta["until"] = end_before(said.since, said.at)
                self._change(before, meta)

    def _end(self, old: Known, flag: str, more: Mapping[str, str]) -> None:
        """Move a line to `## Earlier` of its file with what ended it."""
        meta = {**old.fact.meta, **more} | ({flag: ""} if flag else {})
        meta.pop("pending", None)
        data = self._bytes(old.path)
        self._put(old.path, with_fact(without_fact(data, self._line(data, old)), old.fact._replace(meta=meta, earlier=True)))

    def _reopen(self, twin: Known) -> None:
        data = self._bytes(twin.path)
        back = twin.fact._replace(meta=twin.detail.was, earlier=False)
        self._put(twin.path, with_fact(without_fact(data, self._line(data, twin)), back))

    def _change(self, known: Known, meta: Mapping[str, str]) -> None:
        data = self._bytes(known.path)
        here = known.fact._replace(line=self._line(data, known))
        self._put(known.path, changed(data, here, here._replace(meta=meta)))

    @staticmethod
    def _line(data: bytes, known: Known) -> int:
        return next(fact.line for fact in facts_in(data) if fact.id == known.fact.id)

    def _meta(self) -> dict[str, str]:
        said = self.saying
        meta = {"since": said.since, "until": said.until, "kind": said.kind}
        meta |= {"by": said.by} if said.by not in self.group.accounts or self.claim else {}
        meta |= {"to": "all"} if said.audience == "open" else {}
        found = {key: value for key, value in meta.items() if value}
        return found | ({"pending": ""} if self.claim else {}) | ({SECRET: ""} if said.audience == SECRET else {})

    def _telling(self) -> dict[str, str]:
        said = self.saying
        kept = {"by": said.by, "room": said.room, "at": said.at.isoformat(), "source": said.source, "via": said.via}
        kept["audience"] = {"open": "all"}.get(said.audience, said.audience)
        return {key: value for key, value in kept.items() if value or key in ("by", "room")}

    def _new_id(self) -> str:
        taken, number = {known.fact.id for known in self.group.known}, 0
        while True:
            seed = f"{self.person}\n{self.saying.text}\n{self.saying.at.isoformat()}\n{number}"
            found = blake2b(seed.encode("utf-8", "surrogatepass"), digest_size=5).hexdigest()[:6]
            if found not in taken:
                return found
            number += 1

    def _bytes(self, path: str) -> bytes:
        return (self.files[path] if path in self.files else self.folks.bytes_of(path)) or b""

    def _put(self, path: str, data: bytes) -> None:
        self.files[path] = data

    def _check_cap(self, path: str) -> None:
        lines = [fact for fact in facts_in(self._bytes(path)) if not fact.earlier]
        size = sum(len(fact.text) for fact in lines)
        if size > self.cap:
            longest = sorted(lines[:-1], key=lambda fact: -len(fact.text))[:3]
            raise CardFull(self.person, size, self.cap, [f"^{fact.id} {fact.text[:60]}" for fact in longest])

    def _written(self, what: str, key: str, path: str) -> Remembered:
        """One record a folder: that of the person first."""
        change = ""
        for person in sorted({self.person, *(path.rsplit("/drawer/")[0].removesuffix("/" + CARD) for path in self.files)}):
            inside = {path: data for path, data in self.files.items() if path.startswith(person + "/")}
            edits = {path: (self.folks.bytes_of(path), data) for path, data in inside.items()}
            mine = {known.fact.id for known in self.group.known if known.person == person}
            new = self.facts.keys() - self.group.ids if person == self.person else set()
            facts = {fact: kept for fact, kept in self.facts.items() if fact in mine | new}
            if edits or facts:
                receipt = self.folks.write(person, "remember", self.saying.at, edits, reason=self.saying.via, facts=facts)
                change = receipt.id if person == self.person else change
        return Remembered(what, key, path, change)


def _drawer(place: str) -> str:
    topic = place.removeprefix("drawer").strip("/") or "notes"
    return f"drawer/{topic}.md"


def move(folks: Folks, group: Group, key: str, place: str, at: datetime, cap: int) -> Remembered:
    """Put a fact from the card into the drawer, or the other way."""
    known = group.fact(key)
    path = f"{known.person}/{CARD if place == 'card' else _drawer(place)}"
    if path == known.path:
        return Remembered("again", key, path)
    before = {one: folks.bytes_of(one) for one in (known.path, path)}
    after = {known.path: without_fact(before[known.path] or b"", known.fact.line), path: with_fact(before[path] or b"", known.fact)}
    if place == "card":
        lines = [fact for fact in facts_in(after[path]) if not fact.earlier]
        size = sum(len(fact.text) for fact in lines)
        if size > cap:
            raise CardFull(known.person, size, cap, [f"^{fact.id} {fact.text[:60]}" for fact in lines[:3]])
    receipt = folks.write(known.person, "move", at, {one: (before[one], after[one]) for one in before})
    return Remembered("again", key, path, receipt.id)


def forget(folks: Folks, groups: Sequence[Group], wanted: Mapping[str, set[int] | None], at: datetime) -> list[str]:
    """Take facts out of the files and of the history. `wanted`: id → tellings to drop (None: the whole fact).

    A fact that keeps an independent telling stays. Gives the ids that are gone.
    """
    gone: list[str] = []
    for group in groups:
        for person in sorted({known.person for known in group.known if known.fact.id in wanted}):
            with folks.door.locked(person):
                gone += _forget_in(folks, group, person, wanted, at)
    return gone


def _forget_in(folks: Folks, group: Group, person: str, wanted: Mapping[str, set[int] | None], at: datetime) -> list[str]:
    from omoide.api.scrubbing import scrub

    mine = [known for known in group.known if known.person == person and known.fact.id in wanted]
    whole = {
        known.fact.id for known in mine
        if (drop := wanted[known.fact.id]) is None or len(drop) >= len(known.detail.tellings)
    }  # fmt: skip
    files: dict[str, bytes] = {}
    for known in sorted((known for known in mine if known.fact.id in whole), key=lambda known: -known.fact.line):
        data = files[known.path] if known.path in files else folks.bytes_of(known.path)  # emptied is not "not read yet"
        files[known.path] = without_fact(data or b"", known.fact.line)
    if files:
        folks.write(person, "forget", at, {path: (folks.bytes_of(path), data) for path, data in files.items()})
    folks.door.rewrite(person, scrub(whole, {key: drop for key, drop in wanted.items() if drop and key not in whole}))
    return sorted(whole)
