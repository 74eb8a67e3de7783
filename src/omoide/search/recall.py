"""Recall: a few words over dated entries, by rules that anybody can follow by hand.

An entry is a section of a daily log, a turn of a room, a summary of a conversation. A word stands in it when its form
is a part of the entry's (`text.wording`).

1. All words must stand in an entry. If some do, they are the answer.
2. Only if none does, and there are two words or more: any word.
3. More than the limit: those whose words are rarest together, ln(1 + N / n) a word that stands in n of the N entries of
   the range; among equals the newer ones.
4. Shown oldest first. Words that stand in no entry of the range are named.

Nothing is left out for another reason: whether an entry matters is for the caller to judge.
"""

from __future__ import annotations

import math
import tomllib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence, Set
from datetime import date
from functools import cache
from importlib import resources
from typing import NamedTuple

from omoide.text.scripts import is_japanese

RULES = ("all-words", "recall")


class Found(NamedTuple):
    """An entry that holds a word of the question: its number, and which words it holds."""

    id: int
    holds: tuple[bool, ...]


class Chosen(NamedTuple):
    """What recall shows. `found` oldest first, with `weights`; `cut`: how many more there were; `partly`: not all words.

    `absent`: places of the words that stand nowhere in the range.
    """

    found: list[Found]
    weights: list[float]
    cut: int
    partly: bool
    absent: list[int]


Newest = Callable[[Collection[int], int], list[int]]
"""Of some entries so many newest ones, newest first."""


def found_in(holding: Sequence[Set[int]], ids: Iterable[int]) -> list[Found]:
    """Entries with the words they hold. `holding`: for each word the entries of the range that hold it."""
    return [Found(number, tuple(number in those for those in holding)) for number in ids]


def choose(
    holding: Sequence[Set[int]], total: int, limit: int, newest: Newest, rule: str = "recall", failed: Set[int] = frozenset()
) -> Chosen:
    """Apply the rules. `holding`: for each word the entries of the range that hold it; `total`: entries of the range.

    `failed`: those that record a search that found nothing. They decide nothing, and are shown where there is room left.
    """
    told, holding, total = holding, [those - failed for those in holding], total - len(failed)
    absent = [word for word, those in enumerate(holding) if not those]
    wanted = set(holding[0]).intersection(*holding)
    partly = not wanted and len(holding) > 1 and rule == "recall"
    if partly:
        wanted = set().union(*holding)
    rarity = [math.log(1 + total / len(those)) if those else 0.0 for those in holding]
    weights: dict[int, float] = {}
    for weight, alike in sorted(_by_weight(holding, rarity, wanted, partly).items(), reverse=True):
        room = limit - len(weights)
        weights |= dict.fromkeys(alike if len(alike) <= room else newest(alike, room), weight)
        if len(weights) == limit:
            break
    records = failed & (set().union(*told) if partly else set(told[0]).intersection(*told))
    weights |= dict.fromkeys(newest(records, limit - len(weights)) if records else (), 0.0)
    shown = newest(weights, limit)[::-1]
    cut = len(wanted) + len(records) - len(shown)
    return Chosen(found_in(told, shown), [weights[number] for number in shown], cut, partly and bool(wanted), absent)


def _by_weight(holding: Sequence[Set[int]], rarity: Sequence[float], wanted: Set[int], partly: bool) -> dict[float, Set[int]]:
    """Entries by how rare their words are together."""
    if not partly:
        return {sum(sorted(rarity)): wanted}
    weights: dict[int, float] = defaultdict(float)
    for value, those in sorted(zip(rarity, holding, strict=True), key=lambda pair: pair[0]):  # so equal sums are equal numbers
        for number in those:
            weights[number] += value
    alike: dict[float, set[int]] = defaultdict(set)
    for number, weight in weights.items():
        alike[weight].add(number)
    return dict(alike)


class Phrases:
    """What is printed beside entries, in one language."""

    def __init__(self, words: dict[str, str]) -> None:
        self._words = words
        self.nothing, self.failed, self.partly = words["nothing"], words["failed"], words["partly"]

    def matched(self, words: Sequence[str]) -> str:
        return self._words["matched"].format(self._words["between"].join(words))

    def absent(self, words: Sequence[str]) -> str:
        return self._words["absent"].format(self._words["between"].join(words))

    def cut(self, count: int, partly: bool) -> str:
        """`partly`: where another word would bring more instead of less."""
        return self._words["cut_partly" if partly else "cut"].format(f"{count:,}")

    def outside(self, count: int, newest: date) -> str:
        return self._words["outside"].format(f"{count:,}", newest.isoformat())


def phrases(words: Sequence[str]) -> Phrases:
    """Those of the language that was asked in."""
    return Phrases(_forms()["ja" if any(map(is_japanese, words)) else "en"])


@cache
def _forms() -> dict[str, dict[str, str]]:
    return tomllib.loads((resources.files("omoide.search") / "recall_words.toml").read_text("utf-8"))
