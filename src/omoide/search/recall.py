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
from collections.abc import Sequence
from datetime import date
from functools import cache
from importlib import resources
from typing import NamedTuple

from omoide.index.entries import Found
from omoide.text.scripts import is_japanese

RULES = ("all-words", "recall")


class Chosen(NamedTuple):
    """What recall shows. `found` oldest first, with `weights`; `cut`: how many more there were; `partly`: not all words.

    `absent`: places of the words that stand nowhere in the range.
    """

    found: list[Found]
    weights: list[float]
    cut: int
    partly: bool
    absent: list[int]


def choose(found: Sequence[Found], words: int, total: int, limit: int, rule: str = "recall") -> Chosen:
    """Apply the rules. `found`: every entry of the range that holds a word; `total`: entries of the range."""
    counts = [sum(one.holds[word] for one in found) for word in range(words)]
    absent = [word for word, count in enumerate(counts) if not count]
    wanted = [one for one in found if all(one.holds)]
    partly = not wanted and words > 1 and rule == "recall"
    if partly:
        wanted = list(found)
    rarity = [math.log(1 + total / count) if count else 0.0 for count in counts]
    weighed = [(sum(value for value, held in zip(rarity, one.holds, strict=True) if held), one) for one in wanted]
    best = sorted(weighed, key=lambda pair: (-pair[0], -pair[1].seconds, -pair[1].id))[:limit]
    shown = sorted(best, key=lambda pair: (pair[1].seconds, pair[1].id))
    return Chosen([one for _, one in shown], [weight for weight, _ in shown], len(wanted) - len(shown), partly and bool(wanted), absent)


class Phrases:
    """What is printed beside entries, in one language."""

    def __init__(self, words: dict[str, str]) -> None:
        self._words = words
        self.nothing, self.failed, self.partly = words["nothing"], words["failed"], words["partly"]

    def matched(self, words: Sequence[str]) -> str:
        return self._words["matched"].format(self._words["between"].join(words))

    def absent(self, words: Sequence[str]) -> str:
        return self._words["absent"].format(self._words["between"].join(words))

    def cut(self, count: int) -> str:
        return self._words["cut"].format(f"{count:,}")

    def outside(self, count: int, newest: date) -> str:
        return self._words["outside"].format(f"{count:,}", newest.isoformat())


def phrases(words: Sequence[str]) -> Phrases:
    """Those of the language that was asked in."""
    return Phrases(_forms()["ja" if any(map(is_japanese, words)) else "en"])


@cache
def _forms() -> dict[str, dict[str, str]]:
    return tomllib.loads((resources.files("omoide.search") / "recall_words.toml").read_text("utf-8"))
