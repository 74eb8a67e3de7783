"""When two typed names are the same name. Nothing here guesses by sound or likeness; a likeness is only warned of.

A name is compared by its plain form: NFKC, without case, spaces, invisible letters and titles. 佐藤 is not 佐籐, and
Latin Marc is not Cyrillic Маrc. The titles stand in `titles.txt`, for this room knows no language.
"""

from __future__ import annotations

import unicodedata
from functools import cache, lru_cache
from importlib.resources import files

from omoide.text.alike import look


@lru_cache(maxsize=50_000)
def plain(name: str) -> str:
    """The form in which names are compared. Never empty unless nothing but titles and spaces was given."""
    before, after = _titles()
    text = unicodedata.normalize("NFKC", name).casefold().strip()
    for title in before:
        text = text.removeprefix(title)
    text = "".join(char for char in text if not char.isspace() and unicodedata.category(char) != "Cf")
    for title in after:
        if text.endswith(title) and len(text) > len(title):
            return text.removesuffix(title)
    return text


@lru_cache(maxsize=50_000)
def looks(name: str) -> frozenset[str]:
    """What the name looks like, as it is written and in its plain form: capitals have other doubles than small letters.

    Two names that share one of these can be taken for each other, and are two names all the same.
    """
    return frozenset(filter(None, (look(name), look(plain(name)))))


@cache
def _titles() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Titles that stand before and after a name, the longest first. `␣` is a space that matters."""
    lines = files("omoide.people").joinpath("titles.txt").read_text(encoding="utf-8").splitlines()
    pairs = [line.split(" ", 1) for line in lines if line and not line.startswith("#")]
    places = (
        sorted((title.replace("␣", " ") for where, title in pairs if where == side), key=lambda title: (-len(title), title))
        for side in ("before", "after")
    )
    before, after = map(tuple, places)
    return before, after
