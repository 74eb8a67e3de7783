"""How what somebody says stands to one known fact: said again, another value in the same place, its end.

A newer fact replaces an older one only if it is the same matter. Two ways show that: the words say that
something changed and share their rare terms with one known fact; or nothing says so, but both fill one place
("locker 12" and "locker 40") with different values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from omoide.memory.phrases import form, said, says, slots, things, without
from omoide.text.content import Clause, clauses, content, loanwords, numbers, without_numbers

_ASIDE = re.compile(r"\([^)]*\)")
_CODE = re.compile(r"\b[a-z]+-[0-9]+-[0-9][\w-]*")
_HEAVY = 0.4
"""Terms of this weight are words; below are endings and particles."""
OVER = 0.5
"""Share of the words for what is over that a fact has to have."""
Weights = Mapping[str, float]


class Part(NamedTuple):
    """One clause: what it is about (`thing`: what is done something to), and its words without values."""

    plain: str
    thing: frozenset[str]
    topic: frozenset[str]
    rest: str
    fixed: Weights
    values: frozenset[str]
    negative: bool


class Meaning(NamedTuple):
    """A note taken apart, without what stands in brackets. `fixed`: its terms that are no values, and how much they say."""

    plain: str
    weights: Weights
    fixed: Weights
    values: frozenset[str]
    parts: tuple[Part, ...]
    slots: frozenset[str]
    kin: frozenset[str]
    """Relatives and animals it speaks of."""


@lru_cache(maxsize=5_000)
def meaning(text: str) -> Meaning:
    """Take a note apart."""
    whole = form(text)
    plain = _ASIDE.sub(" ", whole).strip() or whole
    parts = tuple(_part(one) for one in clauses(plain))
    return Meaning(plain, content(plain), _fixed(plain), _values(plain), parts, slots(plain), said("kin", plain))


def _part(clause: Clause) -> Part:
    plain = f"{clause.topic or clause.object} {clause.rest}"
    return Part(plain, _words(clause.object), _words(clause.topic), clause.rest, _fixed(plain), _values(plain), says("negation", plain))


def _words(plain: str) -> frozenset[str]:
    return frozenset(term for term, weight in _fixed(plain).items() if weight >= _HEAVY)


def _fixed(plain: str) -> Weights:
    return content(without("values", without_numbers(without("negation", plain))))


def _values(plain: str) -> frozenset[str]:
    return numbers(plain) | said("values", plain)


def shared(one: Weights, other: Weights, rare: Weights | None = None) -> float:
    """Weight of the terms in both; those that few of the known facts have count most."""
    return sum(min(weight, other[term]) * (rare or {}).get(term, 1.0) for term, weight in one.items() if term in other)


def total(one: Weights, rare: Weights | None = None) -> float:
    """Weight of all terms, never 0."""
    return sum(weight * (rare or {}).get(term, 1.0) for term, weight in one.items()) or 1.0


def rarity(known: Sequence[Meaning]) -> dict[str, float]:
    """Term → 1 for one known fact, less for each more that has it."""
    counts: dict[str, int] = {}
    for one in known:
        for term in one.weights:
            counts[term] = counts.get(term, 0) + 1
    return {term: 1 / (1 + 0.7 * (count - 1)) for term, count in counts.items()}


def same_said(new: Meaning, old: Meaning, *, confirmed: bool = False) -> bool:
    """The same thing in nearly the same words, with the same values and the same yes or no.

    `confirmed`: the words say that it is what stands already; then less has to be equal.
    """
    if flipped(new, old) or (new.values != old.values and new.values and old.values):
        return False
    if not confirmed and _ended(_over(new.plain), old.weights) >= OVER:
        return False
    both, (small, large) = shared(new.weights, old.weights), sorted((total(new.weights), total(old.weights)))
    if confirmed and both >= 1.5 and both / small >= 0.6:
        return True
    return both >= 0.8 and both / small >= 0.75 and 2 * both / (small + large) >= (0.6 if both / small >= 0.9 else 0.75)


def flipped(new: Meaning, old: Meaning) -> bool:
    """One says yes and the other no, where they speak of the same."""
    pairs = [(shared(one.fixed, other.fixed), one.negative != other.negative) for one in new.parts for other in old.parts]
    return max(pairs)[1] if pairs else False


def same_place(new: Meaning, old: Meaning, *, loose: bool = False) -> bool:
    """One place with two values: an equal topic of which something else is said, or the same words around another value.

    `loose`: a topic may be part of the other ("summer opening day" and "opening day").
    """
    return any(_topics_meet(one, other, loose) or _around(one, other) for one in new.parts for other in old.parts)


def _topics_meet(one: Part, other: Part, loose: bool) -> bool:
    mine, theirs = (one.topic or one.thing, other.topic or other.thing) if loose else (one.topic, other.topic)
    if not mine or not theirs or one.rest == other.rest or (one.values and one.values == other.values):
        return False
    return mine == theirs or (loose and (mine <= theirs or theirs <= mine))


def _around(one: Part, other: Part) -> bool:
    """Clauses that differ in their values only, or of which one says a little more beside them."""
    mine, theirs = one.values - other.values, other.values - one.values
    if _CODE.findall(one.plain) != _CODE.findall(other.plain):
        return False  # SR-2023-052 and SR-2023-053 are two things, not two values of one
    if not mine or not other.values or len(theirs) > 1 or not (one.fixed and other.fixed):
        return False  # another time on another day is a second thing
    heavy, light = (frozenset(term for term, weight in part.fixed.items() if weight >= _HEAVY) for part in (one, other))
    nested = bool(heavy and light) and (heavy <= light or light <= heavy)
    return nested and shared(one.fixed, other.fixed) >= 0.8 and 1 / 3 <= total(one.fixed) / total(other.fixed) <= 3


class Likeness(NamedTuple):
    """How a known fact stands to what is said now.

    `score`: shared weight over that of the smaller of the two, 0…1; `weight`: the shared weight; `ended`: share of
    what is said to be over that the fact speaks of; `flipped`: yes and no; `place`, `near`: one place, nearly one.
    """

    score: float
    weight: float
    ended: float
    flipped: bool
    place: bool
    near: bool
    agrees: bool
    slot: bool
    nested: bool
    """One of the two has no word that the other lacks, or they differ in a value."""

    @property
    def force(self) -> float:
        """What orders facts of which only one can be meant."""
        bonus = 1.5 * self.ended + 1.0 * self.place + 0.5 * self.near + 0.7 * self.flipped + 0.6 * self.slot
        return self.weight + self.score + bonus - (1.0 if self.agrees else 0.0)


def likeness(new: Meaning, message: str, old: Meaning, rare: Weights) -> Likeness:
    """How `old` stands to what is said now. `rare`: see `rarity`."""
    weight = shared(_leading(new), old.fixed, rare)
    score = shared(new.fixed, old.fixed, rare) / min(total(new.fixed, rare), total(old.fixed, rare))
    over = (*_over(new.plain), *_over(message))
    return Likeness(
        score, weight, _ended(over, old.weights), flipped(new, old), same_place(new, old), same_place(new, old, loose=True),
        bool(old.values) and old.values <= new.values, _may_share_slot(new, old), _nested(new, old),
    )  # fmt: skip


def strangers(new: Meaning, old: Meaning) -> bool:
    """They speak of two relatives: two matters, whatever else they share."""
    return bool(new.kin and old.kin) and not new.kin & old.kin


def _may_share_slot(new: Meaning, old: Meaning) -> bool:
    return bool(new.slots & old.slots) and bool(new.kin) == bool(old.kin)


def _nested(new: Meaning, old: Meaning) -> bool:
    one, other = ({term for term, weight in each.fixed.items() if weight >= _HEAVY} for each in (new, old))
    return one <= other or other <= one or bool(new.values - old.values and old.values - new.values)


def _leading(new: Meaning) -> Weights:
    """What a note begins with is what it is about: it counts half as much again."""
    first = new.parts[0].topic or frozenset(list(new.parts[0].fixed)[:3]) if new.parts else frozenset()
    return {term: weight * (1.5 if term in first else 1.0) for term, weight in new.fixed.items()}


@lru_cache(maxsize=5_000)
def _over(text: str) -> tuple[str, ...]:
    """The things that a text says are over."""
    return tuple(things("ended", text))


def _ended(things_over: Iterable[str], old: Weights) -> float:
    best = 0.0
    for thing in things_over:
        words = {term: weight for term, weight in content(thing).items() if weight >= _HEAVY}
        both = shared(words, old) or sum(weight for term, weight in words.items() if _begins(term, old))
        best = max(best, both / total(words) if both >= _HEAVY else 0.0)
    return best


def _begins(term: str, old: Weights) -> bool:
    """No more goal: no goalkeeper."""
    return len(term) > 3 and any(word.startswith(term) for word in old)


def same_loanword(new: Meaning, old: Meaning) -> bool:
    """Notes without a common letter that have a borrowed word in common."""
    if shared(new.fixed, old.fixed):
        return False
    theirs = tuple(loanwords(old.plain))
    return any(word.startswith(theirs) or any(other.startswith(word) for other in theirs) for word in loanwords(new.plain))
