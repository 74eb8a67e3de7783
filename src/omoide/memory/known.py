"""What is known about somebody: the lines of their files, with what the history says about each.

A fact holds in a half-open interval. It begins with `since`, else when it was said; it ends after `until`. A date
covers its whole period, and is read in the offset of whoever said it. What was superseded has its end written
into its line when that happens, so it stays ended whatever becomes of the newer fact.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from typing import Any, NamedTuple

from omoide.people.access import Telling
from omoide.store.facts import Fact, facts_in
from omoide.text.when import BEGINNING, FOREVER, Period, period, written

CURRENT, PAST, PLANNED, PENDING, WRONG = "current", "past", "planned", "pending", "wrong"


@dataclass(slots=True)
class Detail:
    """What the history keeps of one fact and the line does not say."""

    tellings: list[Telling] = field(default_factory=list)
    starts: datetime | None = None
    restates: str = ""
    was: Mapping[str, str] = field(default_factory=dict)
    """Metadata the line had before it was superseded."""


class Known(NamedTuple):
    """One fact, where it stands, who told it, and from when until when (not included) it holds."""

    fact: Fact
    path: str
    person: str
    detail: Detail
    starts: datetime
    ends: datetime

    def state(self, at: Period) -> str:
        """How it stands to a moment or period: true at some time of it, over before it, not begun, or never true."""
        if "wrong" in self.fact.meta:
            return WRONG
        if "pending" in self.fact.meta:
            return PENDING
        last = at.first if at.precision == "instant" else at.after - timedelta(microseconds=1)
        return PAST if self.ends <= at.first else PLANNED if self.starts > last else CURRENT

    def tellings(self) -> list[Telling]:
        """Who may hear it: as it was told; a hand-written line is its room's, else the owner's alone (nobody's here)."""
        to = "all" if self.fact.meta.get("to") == "all" else "secret" if "secret" in self.fact.meta else ""
        if self.detail.tellings:
            return [one._replace(audience=to) for one in self.detail.tellings] if to else self.detail.tellings
        return [Telling(self.fact.meta.get("by", ""), self.fact.meta.get("in", ""), BEGINNING, to)]


def details(records: Iterable[Mapping[str, Mapping[str, Any]]]) -> dict[str, Detail]:
    """The history of one subject, folded: fact id → detail. `records`: what each change kept of its facts, in order."""
    out: dict[str, Detail] = {}
    for facts in records:
        for key, kept in facts.items():
            one = out.setdefault(key, Detail())
            if told := kept.get("telling"):
                one.tellings.append(Telling(**{**told, "at": datetime.fromisoformat(told["at"])}))
            one.starts = datetime.fromisoformat(kept["starts"]) if "starts" in kept else one.starts
            one.restates = kept.get("restates", one.restates)
            one.was = kept.get("was", one.was)
    return out


def known_facts(person: str, files: Mapping[str, bytes], kept: Mapping[str, Detail], zone: tzinfo) -> list[Known]:
    """All facts of one folder, in the order of its files. `zone`: the owner's, for lines without a telling."""
    return [
        _known(person, path, fact, kept.get(fact.id, Detail()), zone) for path, data in files.items() for fact in facts_in(data)
    ]


def _known(person: str, path: str, fact: Fact, detail: Detail, zone: tzinfo) -> Known:
    told = detail.tellings[0].at if detail.tellings else None
    zone = (told.tzinfo if told else None) or zone
    since, until = fact.meta.get("since"), fact.meta.get("until")
    starts = period(since, zone).first if since else detail.starts or told or BEGINNING
    return Known(fact, path, person, detail, starts, period(until, zone).after if until else FOREVER)


def end_before(since: str | None, said: datetime) -> str:
    """The `until` of a fact that another one supersedes, which begins with `since` or else when it was said.

    Of a change whose month or year only is known both count in that period.
    """
    if since is None:
        return said.isoformat()
    start = period(since, said.tzinfo or said.astimezone().tzinfo)  # type: ignore[arg-type]
    if start.precision in ("month", "year"):
        return written(start)
    if start.precision == "day":
        return (start.first.date() - timedelta(days=1)).isoformat()
    return written(start)


def earlier_end(one: str | None, other: str, zone: tzinfo) -> str:
    """Of two `until`s the one that ends first."""
    return other if one is None or period(other, zone).after < period(one, zone).after else one
