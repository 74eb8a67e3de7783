"""What a saying does to what is known: its dates, whose word it is, whom it may be told, what it replaces or repeats.

Rules without a model, in the order in which a careful listener asks. What is uncertain stays beside what is
known, or becomes a claim.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cached_property
from typing import NamedTuple

from omoide.memory.dated import Validity, validity
from omoide.memory.known import CURRENT, PAST, PENDING, PLANNED, Known
from omoide.memory.matter import OVER, Likeness, Meaning, likeness, meaning, rarity, same_loanword, same_said, shared, strangers
from omoide.memory.phrases import form, says, without
from omoide.memory.saying import Saying
from omoide.memory.whose_word import Voice, whose_word
from omoide.text.content import numbers
from omoide.text.when import FOREVER, Period, period

SLIP_TIME = timedelta(minutes=30)
"""Within this time another value in the same place is a slip put right; later it is a change."""
CLAIM = "other"
READ = 1_000
"""Characters of a note and of a message that are read; what somebody says about themself is shorter."""
STANDING = (CURRENT, PLANNED, PENDING)


class Heard(NamedTuple):
    """What was said, the message it was learned from, and who spoke."""

    saying: Saying
    message: str
    voice: Voice

    @property
    def text(self) -> str:
        return self.saying.text[:READ]

    @property
    def at(self) -> datetime:
        return self.saying.at


def decide(heard: Heard, known: Sequence[Known]) -> Saying:
    """The saying with the fields that nobody passed. `known`: all facts about the same person, ended ones too.

    `via` "" is believed; one of `CLAIMS` is a claim, one of `BORROWED` waits for the owner; anything else is not kept.
    """
    heard = heard._replace(message=heard.message[:READ])
    said = heard.saying
    via = said.via or whose_word(heard.text, heard.message, said.source, heard.voice._replace(shared=_is_shared(heard, known)))
    dates = Validity(said.since, said.until) if said.since or said.until else validity(heard.text, heard.message, heard.at)
    said = replace(said, since=dates.since, until=dates.until, audience=said.audience or _audience(heard), via=via)
    if said.supersedes or said.restates:
        return said
    if via == CLAIM:
        return replace(said, restates=_echo(heard, known))
    return said if via else _against(heard, dates, said, known)


def goes_on_from(heard: Heard, known: Sequence[Known]) -> str:
    """The fact that a bare message puts right without naming it ("sorry, 2271"; "it's the ninth now"): what was said just
    before in the same room, or a plan told there. "" if the words speak of no slip and no change."""
    now, told, room = _instant(heard.at), form(heard.message), heard.saying.room
    here = [one for one in known if one.detail.tellings and one.detail.tellings[-1].room == room and one.state(now) in STANDING]
    recent = [one for one in here if heard.at - one.detail.tellings[-1].at <= SLIP_TIME]
    planned = [one for one in here if one.state(now) == PLANNED]
    if recent:
        last = max(recent, key=lambda one: one.detail.tellings[-1].at)
        only_a_value = len(told.split()) <= 5 and len(told) <= 25 and len(numbers(told)) == len(numbers(form(last.fact.text))) == 1
        if says("slip", told) or only_a_value:
            return last.fact.id
    if says("change", told) and planned:
        return max(planned, key=lambda one: one.detail.tellings[-1].at).fact.id
    return ""


def _is_shared(heard: Heard, known: Sequence[Known]) -> bool:
    new = meaning(heard.text)
    return any(shared(new.weights, meaning(one.fact.text).weights) >= 1.5 for one in known)


def _audience(heard: Heard) -> str:
    note, told = form(heard.text), form(heard.message)
    if says("secret", told, note):
        return "secret"
    return "open" if says("open", told, note) and not says("except", without("open", told)) else ""


def _echo(heard: Heard, known: Sequence[Known]) -> str:
    """A claim that was made before. What is believed gets nothing from others' saying so."""
    new, now = meaning(heard.text), _instant(heard.at)
    repeated = any(says(purpose, form(heard.message), new.plain) for purpose in ("confirm", "back", "hearsay"))
    claims = [one for one in known if one.state(now) == PENDING]
    return next((one.fact.id for one in claims if same_said(new, meaning(one.fact.text), confirmed=repeated)), "")


def _against(heard: Heard, dates: Validity, said: Saying, known: Sequence[Known]) -> Saying:
    now, new, told = _instant(heard.at), meaning(heard.text), form(heard.message)
    standing = [one for one in known if one.state(now) in STANDING]
    slip = says("slip", told, new.plain) or (_is_soon(heard, standing) and says("excuse", told))
    again = None if slip else _again(new, heard, dates, known)
    others = [one for one in standing if again is None or one.fact.id != again.fact.id]
    old = _replaced(_Case(new, told, dates, heard.at, slip), others)
    if again is not None:
        said = replace(said, restates=again.fact.id)
    if old is None:
        return said
    if again is not None and not dates.since and again.state(now) in STANDING:  # the place is taken since it was first said
        said = replace(said, since=again.fact.meta.get("since") or again.starts.date().isoformat())
    return replace(said, supersedes=old.fact.id, correction=_is_correction(old, now, slip, heard.at))


def _is_soon(heard: Heard, standing: Sequence[Known]) -> bool:
    """Something about this person was said a moment ago."""
    return any(one.detail.tellings and heard.at - one.detail.tellings[-1].at <= SLIP_TIME for one in standing)


def _again(new: Meaning, heard: Heard, dates: Validity, known: Sequence[Known]) -> Known | None:
    """The fact that is said once more; one that is over only if the words say that something comes back."""
    now, told = _instant(heard.at), form(heard.message)
    states = (*STANDING, *((PAST,) if says("back", told, new.plain) else ()))
    confirmed = says("confirm", told, new.plain)
    fitting = [
        one for one in known
        if one.state(now) in states and same_said(new, meaning(one.fact.text), confirmed=confirmed)
        and not (_is_short(dates, heard.at) and one.ends == FOREVER)
    ]  # fmt: skip
    return fitting[-1] if fitting else None


def _is_correction(old: Known, now: Period, slip: bool, at: datetime) -> bool:
    """Never true: a slip, a claim that the person denies, a plan that is changed before it began."""
    return slip or old.state(now) in (PENDING, PLANNED) or (bool(old.detail.tellings) and at - old.detail.tellings[0].at <= SLIP_TIME)


@dataclass(frozen=True)
class _Case:
    """What is held against each known fact."""

    new: Meaning
    told: str
    dates: Validity
    at: datetime
    slip: bool

    @property
    def more(self) -> bool:
        """It is told as one more beside what is there."""
        return says("additive", self.new.plain)

    @cached_property
    def cue(self) -> int:
        """3: the note says that something changed; 2: the message does, or it begins later; 1: a hint; 0: nothing."""
        changes = [part for part in self.new.parts if says("change", part.plain)]
        if (self.slip and not self.more) or any(not part.negative for part in changes):
            return 3
        if self.more:
            return 0
        if says("change", self.told) or self._begins_later:
            return 2
        return int(bool(self.dates.since) or says("hint", self.told, self.new.plain))

    @property
    def _begins_later(self) -> bool:
        return bool(self.dates.since) and period(self.dates.since, _zone(self.at)).first > self.at


def _replaced(case: _Case, standing: Sequence[Known]) -> Known | None:
    """The one fact that this takes the place of, if any."""
    if not standing or _is_over(case.dates, case.at):
        return None
    now, rare = _instant(case.at), rarity([meaning(one.fact.text) for one in standing])
    denies = says("unchanged", case.told, case.new.plain)
    fitting: list[tuple[float, datetime, Known]] = []
    for one in standing:
        claim = one.state(now) == PENDING
        if not claim and (denies or (_is_short(case.dates, case.at) and one.ends == FOREVER and not case.slip)):
            continue  # an exception for a while leaves the rule as it is
        old = meaning(one.fact.text)
        if strangers(case.new, old):
            continue
        found = likeness(case.new, case.told, old, rare)
        planned = one.state(now) == PLANNED and case.cue == 3 and found.weight >= 0.4  # a plan is changed in few words
        if planned or _fits(found, case) or (claim and _denied(case.new, old, found, denies)):
            fitting.append((found.force + claim * denies, one.starts, one))
    return max(fitting, key=lambda row: row[:2])[2] if fitting else None


def _denied(new: Meaning, claim: Meaning, found: Likeness, denies: bool) -> bool:
    """The person says otherwise than others said of them."""
    if denies:
        return found.weight >= 0.35
    if found.flipped:
        return found.score >= 0.3 or same_loanword(new, claim)
    return False


def _fits(found: Likeness, case: _Case) -> bool:
    if found.ended >= OVER or (case.cue and (found.slot or found.near)):
        return True
    if case.cue and found.weight >= 0.8:
        least = (0.6, 0.4, 0.25)[case.cue - 1]
        if found.score >= least or (found.score >= 0.4 and found.nested):
            return True
    if found.flipped and found.weight >= 0.8 and found.score >= 0.5:
        return True
    return found.place and not case.more


def _is_over(dates: Validity, at: datetime) -> bool:
    """Something that is over already replaces nothing."""
    return bool(dates.until) and period(dates.until, _zone(at)).after <= at


def _is_short(dates: Validity, at: datetime) -> bool:
    """An exception for a while leaves the rule as it is."""
    if not dates.until:
        return False
    begin = period(dates.since, _zone(at)).first if dates.since else at
    return period(dates.until, _zone(at)).after - begin < timedelta(days=100)


def _instant(at: datetime) -> Period:
    return Period(at, at, "instant")


def _zone(at: datetime) -> tzinfo:
    return at.tzinfo or UTC
