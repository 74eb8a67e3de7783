"""The edits that one saying asks for: a new line, a further telling, an end, a claim, or words that wait for the owner."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, NamedTuple

from omoide.api.folks import CARD, Folks
from omoide.api.knowing import Group
from omoide.errors import CardFull
from omoide.memory.known import CURRENT, PENDING, PLANNED, Known, earlier_end, end_before
from omoide.memory.matter import meaning, same_said
from omoide.memory.saying import BORROWED, CLAIMS, Saying
from omoide.people.access import SECRET, Telling
from omoide.store.facts import Fact, changed, facts_in, with_fact, without_fact
from omoide.text.counting import Counted
from omoide.text.when import Period

REJECTED = "rejected claim"


class Remembered(NamedTuple):
    """`what` is new, again (a further telling of `id`, or nothing to do), claim, waits (words that were passed on: told
    nobody until the owner accepts them), or ignored (nobody's word: nothing was kept). `because`: why it is where it is.
    `dates`: the dates that its words name where neither `since` nor `until` was given; it neither begins nor ends by them."""

    what: str
    id: str = ""
    path: str = ""
    change: str = ""
    because: str = ""
    dates: tuple[Counted, ...] = ()


class Change:
    """Edits of the folders of one person, collected before anything is written. Whoever makes one holds their locks."""

    def __init__(self, folks: Folks, group: Group, person: str, saying: Saying, cap: int) -> None:
        self.folks, self.group, self.person, self.saying, self.cap = folks, group, person, saying, cap
        self.claim = saying.via in CLAIMS
        self.files: dict[str, bytes | None] = {}
        self.facts: dict[str, dict[str, Any]] = {}

    def made(self) -> Remembered:
        """Keep what was said: as a further telling, as a claim, as words that wait, or as a new fact."""
        said = self.saying
        old = self.group.fact(said.supersedes) if said.supersedes else None
        twin = self.group.fact(said.restates) if said.restates else None if old else self._same_line()
        borrowed = said.via in BORROWED
        if (self.claim or borrowed) and (gone := self._rejected()):
            return Remembered("ignored", gone.fact.id)
        if borrowed:
            return self._waiting()
        if twin is not None and twin.path and self._told_again(twin, old):
            return self.written("again", twin.fact.id, twin.path, "remember", said.via)._replace(because=twin.detail.because)
        if self.claim and twin is not None:
            return Remembered("ignored", twin.fact.id)
        return self._new(old)

    def _new(self, old: Known | None) -> Remembered:
        said = self.saying
        new = Fact(self._new_id(), said.text, self._meta())
        path = self.path_of(said.place)
        self.facts[new.id] = {key: value for key, value in (("restates", said.restates), ("because", said.because)) if value}
        self.facts[new.id]["telling"] = self._telling()
        if old is not None and self.claim:
            self.facts[new.id]["against"] = old.fact.id
        elif old is not None:
            self.supersede(old, new.id)
        self.put(path, with_fact(self.data(path), new))
        self.check_cap(path)
        return self.written("claim" if self.claim else "new", new.id, path, "remember", said.via)

    def _same_line(self) -> Known | None:
        """The fact of which every word and mark would be written a second time."""
        meta = self._meta()
        return next((one for one in self.group.known if one.fact.id and (one.fact.text, one.fact.meta) == (self.saying.text, meta)), None)

    def _waiting(self) -> Remembered:
        """Words of somebody else stand in no file of the person; the history keeps them until the owner answers."""
        said = self.saying
        known = next((one for one in self.group.borrowed if not one.detail.review and one.fact.text == said.text), None)
        key = known.fact.id if known else self._new_id()
        self.facts[key] = {"telling": self._telling(), "text": said.text} | ({"against": said.supersedes} if said.supersedes else {})
        return self.written("waits", key, "", "remember", said.via)

    def _rejected(self) -> Known | None:
        """The claim that the owner rejected, if it comes from the same source once more."""
        new = meaning(self.saying.text)
        for one in self.group.everything:
            if one.detail.review != REJECTED or not any(map(self._same_source, one.detail.tellings)):
                continue
            if one.fact.text == self.saying.text or same_said(new, meaning(one.fact.text)):
                return one
        return None

    def _same_source(self, told: Telling) -> bool:
        said, directory = self.saying, self.folks.directory()
        if said.source or told.source:
            return said.source == told.source
        return said.by == told.by or bool(directory.of_account(said.by) & directory.of_account(told.by))

    def _told_again(self, twin: Known, old: Known | None) -> bool:
        """A fact that holds, or a claim, is told once more: the line stays, the history has one more telling."""
        said = self.saying
        moment = Period(said.at, said.at, "instant")
        taken_back = old is not None and said.correction and twin.fact.meta.get("now") == f"^{old.fact.id}"
        dates = (twin.fact.meta.get("since", ""), twin.fact.meta.get("until", ""))
        new_dates = (said.since or said.until) and (said.since, said.until) != dates
        if not (taken_back or (twin.state(moment) in (CURRENT, PLANNED, PENDING) and not new_dates)):
            return False
        self.facts[twin.fact.id] = {"telling": self._telling()}
        if taken_back and old is not None:
            self.end(old, "wrong", {"now": f"^{twin.fact.id}"})
            self._reopen(twin)
            return True
        if twin.state(moment) == PENDING and not self.claim:
            self.change(twin, {key: value for key, value in twin.fact.meta.items() if key not in ("pending", "by")})
        if old is not None and not self.claim and old.fact.id != twin.fact.id and "now" not in old.fact.meta:
            self.supersede(old, twin.fact.id)
        return True

    def supersede(self, old: Known, new: str) -> None:
        """End `old` where `new` begins; or it was never true, and what it had ended is ended by the truth."""
        said = self.saying
        if not old.path:
            self.facts[old.fact.id] = {"review": REJECTED}  # it waited, and the person says otherwise
            return
        if not said.correction:
            end = earlier_end(old.fact.meta.get("until"), end_before(said.since or None, said.at), old.starts.tzinfo or self.folks.zone)
            self.facts[old.fact.id] = {"was": dict(old.fact.meta)}
            self.end(old, "", {"until": end, "now": f"^{new}"})
            return
        self.end(old, "wrong", {"now": f"^{new}"})
        self.facts.setdefault(new, {})["starts"] = old.starts.isoformat()
        for before in self.group.known:
            if before.fact.meta.get("now") == f"^{old.fact.id}":
                meta = {**before.fact.meta, "now": f"^{new}"}
                if said.since:
                    meta["until"] = end_before(said.since, said.at)
                self.change(before, meta)

    def end(self, old: Known, flag: str, more: Mapping[str, str]) -> None:
        """Move a line to `## Earlier` of its file with what ended it."""
        meta = {**old.fact.meta, **more} | ({flag: ""} if flag else {})
        meta.pop("pending", None)
        for one in self._copies(old):
            data = self.data(one.path)
            self.put(one.path, with_fact(without_fact(data, self._line(data, one)), one.fact._replace(meta=meta, earlier=True)))

    def _reopen(self, twin: Known) -> None:
        data = self.data(twin.path)
        back = twin.fact._replace(meta=twin.detail.was, earlier=False)
        self.put(twin.path, with_fact(without_fact(data, self._line(data, twin)), back))

    def change(self, known: Known, meta: Mapping[str, str]) -> None:
        data = self.data(known.path)
        here = known.fact._replace(line=self._line(data, known))
        self.put(known.path, changed(data, here, here._replace(meta=meta)))

    @staticmethod
    def _line(data: bytes, known: Known) -> int:
        same = [fact for fact in facts_in(data) if fact.id == known.fact.id]
        return next((fact.line for fact in same if fact.earlier == known.fact.earlier), same[0].line)

    def _copies(self, known: Known) -> list[Known]:
        """A fact wherever a hand may have copied its line: what ends it ends it everywhere."""
        return [one for one in self.group.known if known.fact.id and one.fact[:3] == known.fact[:3]] or [known]

    def _meta(self) -> dict[str, str]:
        said = self.saying
        meta = {"since": said.since, "until": said.until, "kind": said.kind}
        meta |= {"by": said.by} if said.by not in self.group.accounts or self.claim else {}
        meta |= {"to": "all"} if said.audience == "open" else {}
        found = {key: value for key, value in meta.items() if value}
        return found | ({"pending": ""} if self.claim else {}) | ({SECRET: ""} if said.audience == SECRET else {})

    def _telling(self) -> dict[str, Any]:
        said = self.saying
        kept: dict[str, Any] = {"by": said.by, "room": said.room, "at": said.at.isoformat(), "source": said.source, "via": said.via}
        kept |= {"audience": {"open": "all"}.get(said.audience, said.audience), "session": said.session, "call": said.call}
        kept["zone"] = getattr(said.at.tzinfo, "key", "")
        told = {key: value for key, value in kept.items() if value or key in ("by", "room")}
        return told if said.message is None else told | {"message": said.message}

    def _new_id(self) -> str:
        taken, number = {known.fact.id for known in self.group.everything}, 0
        while True:
            seed = f"{self.person}\n{self.saying.text}\n{self.saying.at.isoformat()}\n{number}"
            found = blake2b(seed.encode("utf-8", "surrogatepass"), digest_size=5).hexdigest()[:6]
            if found not in taken:
                return found
            number += 1

    def data(self, path: str) -> bytes:
        return (self.files[path] if path in self.files else self.folks.bytes_of(path)) or b""

    def put(self, path: str, data: bytes) -> None:
        self.files[path] = data

    def path_of(self, place: str) -> str:
        """The file of a place. A claim never stands on the card."""
        topic = place.removeprefix("drawer").strip("/") or "notes"
        return f"{self.person}/{CARD}" if place == "card" and not self.claim else f"{self.person}/drawer/{topic}.md"

    def check_cap(self, path: str) -> None:
        """Raises `CardFull` if this is a card and too much stands on it now."""
        lines = [fact for fact in facts_in(self.data(path)) if not fact.earlier] if path.endswith("/" + CARD) else []
        size = sum(len(fact.text) for fact in lines)
        if size > self.cap:
            longest = sorted(lines[:-1], key=lambda fact: -len(fact.text))[:3]
            raise CardFull(self.person, size, self.cap, [f"^{fact.id} {fact.text[:60]}" for fact in longest])

    def written(self, what: str, key: str, path: str, verb: str, reason: str) -> Remembered:
        """Through the door, one record a folder, all of one id."""
        change = ""
        folders = {self.person, *(path.rsplit("/drawer/")[0].removesuffix("/" + CARD) for path in self.files)}
        about: dict[str, set[str]] = {fact: set() for fact in self.facts}
        for one in self.group.everything:
            about.get(one.fact.id, set()).add(one.person)
        with self.folks.one_change(self.saying.at):
            for person in sorted(folders.union(*about.values())):
                inside = {path: data for path, data in self.files.items() if path.startswith(person + "/")}
                edits = {path: (self.folks.bytes_of(path), data) for path, data in inside.items()}
                facts = {fact: kept for fact, kept in self.facts.items() if person in (about[fact] or {self.person})}
                if edits or facts:
                    change = self.folks.write(person, verb, self.saying.at, edits, reason=reason, facts=facts).id
        return Remembered(what, key, path, change, self.saying.because)
