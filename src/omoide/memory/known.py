"""What is known about somebody: the lines of their files, with what the history says about each.

A fact holds in a half-open interval. It begins with `since`, else when it was said; it ends after `until`. A date
covers its whole period, and is read in the offset of whoever said it. What was superseded has its end written
into its line when that happens, so it stays ended whatever becomes of the newer fact.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, tzinfo
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from omoide.people.access import Telling
from omoide.store.facts import Fact, facts_in
from omoide.text.when import BEGINNING, FOREVER, Period, period, written

Changed = tuple[str, Mapping[str, Mapping[str, Any]]]
"""The id of a change in the history, and what it kept of its facts."""
CURRENT, PAST, PLANNED, PENDING, WRONG = "current", "past", "planned", "pending", "wrong"


@dataclass(slots=True)
class Detail:
    """What the history keeps of one fact and the line does not say."""

    tellings: list[Telling] = field(default_factory=list)
    starts: datetime | None = None
    restates: str = ""
    was: Mapping[str, str] = field(default_factory=dict)
    """Metadata the line had before it was superseded."""
    because: str = ""
    """Why it is where it is: on the card, or in the drawer."""
    against: str = ""
    """The fact that a claim was said to replace."""
    review: str = ""
    """What the owner answered last, and to what: "accepted claim", "rejected to drawer" …"""
    text: str = ""
    """Words that were passed on and stand in no file, until the owner accepts them."""


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

    def said(self) -> datetime:
        """When it was said first; for a line written by hand, when it begins."""
        return self.detail.tellings[0].at if self.detail.tellings else self.starts

    @property
    def by_clock(self) -> datetime | None:
        """When it was first told, by the speaker's clock; None for a line that was written by hand."""
        first = self.detail.tellings[0] if self.detail.tellings else None
        return first.at.astimezone(_clock(first)) if first else None

    def tellings(self) -> list[Telling]:
        """Who may hear it: as it was told; a hand-written line is its room's, else the owner's alone (nobody's here)."""
        to = "all" if self.fact.meta.get("to") == "all" else "secret" if "secret" in self.fact.meta else ""
        if self.detail.tellings:
            return [one._replace(audience=to) for one in self.detail.tellings] if to else self.detail.tellings
        return [Telling(self.fact.meta.get("by", ""), self.fact.meta.get("in", ""), BEGINNING, to)]


def details(records: Sequence[Changed]) -> dict[str, Detail]:
    """The history of one subject, folded: fact id → detail. What an undo took back counts no more."""
    out: dict[str, Detail] = {}
    gone = undone(records)
    for record, facts in records:
        for key, kept in facts.items():
            one = out.setdefault(key, Detail())
            if told := kept.get("telling"):
                one.tellings.append(Telling(**{**told, "at": datetime.fromisoformat(told["at"])}))
            if (record, key) in gone:  # a telling that was taken back keeps its number, and lets nobody hear
                one.tellings[-1:] = [Telling("", "", one.tellings[-1].at)] if told else one.tellings[-1:]
                continue
            one.starts = datetime.fromisoformat(kept["starts"]) if "starts" in kept else one.starts
            for name in ("restates", "was", "because", "against", "review", "text"):
                if name in kept:
                    setattr(one, name, kept[name])
    return out


def undone(records: Sequence[Changed]) -> set[tuple[str, str]]:
    """Change and fact of what was undone. From the newest on: an undo that was itself undone takes nothing back."""
    gone: set[tuple[str, str]] = set()
    for record, facts in reversed(records):
        gone |= {(kept["undoes"], key) for key, kept in facts.items() if "undoes" in kept and (record, key) not in gone}
    return gone


def known_facts(person: str, files: Mapping[str, bytes], kept: Mapping[str, Detail], zone: tzinfo) -> list[Known]:
    """All facts of one folder, in the order of its files. `zone`: the owner's, for lines without a telling."""
    return [
        _known(person, path, fact, kept.get(fact.id, Detail()), zone) for path, data in files.items() for fact in facts_in(data)
    ]


def _known(person: str, path: str, fact: Fact, detail: Detail, zone: tzinfo) -> Known:
    told = detail.tellings[0].at if detail.tellings else None
    zone = (_clock(detail.tellings[0]) if told else None) or zone
    since, until = fact.meta.get("since"), fact.meta.get("until")
    starts = period(since, zone).first if since else detail.starts or told or BEGINNING
    return Known(fact, path, person, detail, starts, period(until, zone).after if until else FOREVER)


def as_told(known: Known, tellings: Sequence[int], zone: tzinfo) -> Known:
    """The same fact as those know it who may know these tellings of it alone, by number: its dates are those of them."""
    detail = known.detail
    if len(tellings) >= len(detail.tellings):
        return known
    heard = [detail.tellings[number] for number in tellings]
    return _known(known.person, known.path, known.fact, replace(detail, tellings=heard), zone)


def newest_only(known: list[Known], kinds: Collection[str], at: datetime) -> list[Known]:
    """Without the older values of the kinds of which one counts: what had begun by then, but before the newest."""
    newest: dict[str, datetime] = {}
    for one in known if kinds else ():
        if (kind := one.fact.meta.get("kind", "")) in kinds and _counts(one, at):
            newest[kind] = max(newest.get(kind, one.starts), one.starts)
    return [one for one in known if one.starts >= newest.get(one.fact.meta.get("kind", ""), one.starts)] if newest else known


def _counts(one: Known, at: datetime) -> bool:
    return one.starts <= at and not {"wrong", "pending"} & one.fact.meta.keys()


def _clock(told: Telling) -> tzinfo | None:
    """The speaker's zone with its rules, where its name was kept: else a day behind a change of clocks would be an hour off."""
    if not told.zone:
        return told.at.tzinfo
    with suppress(KeyError, ValueError, OSError):
        return ZoneInfo(told.zone)
    return told.at.tzinfo


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
