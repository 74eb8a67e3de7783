"""The phrases of `phrases.toml` and `slots.toml`: how something was meant, in the words of several languages."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from omoide.text.normalize import search_form

SLOT = "slot "
_APOSTROPHES = "\u2019\u2018\u02bc"


def form(text: str) -> str:
    """The form in which phrases are looked for."""
    for mark in _APOSTROPHES:
        text = text.replace(mark, "'")
    return search_form(text)


def says(purpose: str, *texts: str) -> bool:
    """Whether one of the texts (in `form`) has a phrase of that list."""
    return any(_pattern(purpose).search(text) for text in texts)


def may_say(texts: Sequence[str], *purposes: str) -> frozenset[int]:
    """Numbers of the texts (one line each, as they stand) that may have a phrase of these lists: letters are looked for in all of
    them at once, for who would ask each of thousands."""
    whole = form("\n".join(texts))
    starts = [0, *(found.end() for found in re.finditer("\n", whole))]
    return frozenset(bisect_right(starts, at) - 1 for part in _letters(purposes) for at in _places(whole, part))


def _places(whole: str, part: str) -> Iterator[int]:
    """One place of a part in each line that has it."""
    at = whole.find(part)
    while at >= 0:
        yield at
        end = whole.find("\n", at)
        at = whole.find(part, end) if end >= 0 else -1


@cache
def _letters(purposes: tuple[str, ...]) -> frozenset[str]:
    """Of each phrase what stands in every text that has it."""
    return frozenset(max(phrase.split("*"), key=len) for purpose in purposes for phrase in _lists()[purpose])


def said(purpose: str, text: str) -> frozenset[str]:
    """The phrases of that list that a text (in `form`) has; of two that overlap the longer."""
    return frozenset(found[0] for found in _pattern(purpose).finditer(text))


def things(purpose: str, text: str) -> Iterator[str]:
    """What stands at the `*` of each phrase that is found."""
    for pattern in _patterns(purpose):
        for found in pattern.finditer(text):
            yield from (part for part in found.groups() if part)


def without(purpose: str, text: str) -> str:
    """The text with each phrase of that list taken out."""
    return _pattern(purpose).sub(" ", text)


def slots(text: str) -> frozenset[str]:
    """The attributes of `slots.toml` that a text (in `form`) speaks of."""
    return frozenset(name.removeprefix(SLOT) for name in _lists() if name.startswith(SLOT) and says(name, text))


@cache
def _lists() -> dict[str, tuple[str, ...]]:
    data = _read("phrases.toml") | {f"{SLOT}{name}": table for name, table in _read("slots.toml").items()}
    return {purpose: tuple(form(phrase) for phrase in table["phrases"]) for purpose, table in data.items() if "phrases" in table}


@cache
def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(files("omoide.memory").joinpath(name).read_text(encoding="utf-8"))


@cache
def _pattern(purpose: str) -> re.Pattern[str]:
    """All phrases of a list, the longest first."""
    return re.compile("|".join(_expression(phrase) for phrase in sorted(_lists()[purpose], key=lambda phrase: (-len(phrase), phrase))))


@cache
def _patterns(purpose: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(_expression(phrase)) for phrase in _lists()[purpose])


@cache
def quotes() -> list[tuple[str, str]]:
    """Marks that open and close words of somebody else."""
    return [(pair[0], pair[1]) for pair in _read("phrases.toml")["marks"]["quotes"]]


def _gap(stops: str, least: str) -> str:
    """What `*` stands for: up to 40 letters before the next stop."""
    return rf"([^{re.escape(_read('phrases.toml')['marks'][stops])}]{{1,40}}{least})"


def _expression(phrase: str) -> str:
    last = phrase.rstrip("*") != phrase
    parts = [re.escape(part) for part in phrase.rstrip("*").split("*")]
    body = _gap("sentence", "?").join(parts) + (_gap("clause", "") if last else "")
    before = r"(?<![^\W_])" if phrase[0].isascii() and phrase[0].isalnum() else ""
    after = r"(?![^\W_])" if phrase[-1].isascii() and phrase[-1].isalnum() else ""
    return before + body + after
