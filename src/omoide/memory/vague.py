"""Whether an entry will be hard to find again: it names no thing, place, person or number, as in "fixed bug"."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from omoide.text.normalize import search_form
from omoide.text.scripts import is_japanese

_WORD = re.compile(r"[^\W_]+")


def names_nothing(text: str) -> bool:
    """True where all words of a short text are among those that stand in any entry (`vague_words.txt`)."""
    form = search_form(text)
    for word in _words():
        if not word.isascii():
            form = form.replace(word, " ")
    return all(word in _words() or (len(word) == 1 and not word.isdigit()) for word in _WORD.findall(form))


def hint(text: str) -> str:
    """What to say of a text that will be hard to find again, in its language; "" of any other."""
    if not names_nothing(text):
        return ""
    return _hints()["ja" if is_japanese(text) else "en"]


@cache
def _hints() -> dict[str, str]:
    lines = (files("omoide.memory") / "vague_hints.txt").read_text("utf-8").splitlines()
    return dict(line.split(" ", 1) for line in lines if not line.startswith("#"))


@cache
def _words() -> tuple[str, ...]:
    """Longest first, so that a part of a word never hides the whole."""
    lines = (files("omoide.memory") / "vague_words.txt").read_text("utf-8").split("\n")
    return tuple(sorted({word for line in lines if not line.startswith("#") for word in line.split()}, key=len, reverse=True))
