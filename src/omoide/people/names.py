"""When two typed names are the same name. Nothing here guesses by sound or likeness.

A name is compared by its plain form: NFKC, without case, spaces, invisible letters and titles. 佐藤 is not 佐籐, and
Latin Marc is not Cyrillic Маrc. The titles stand in `titles.txt`, for this room knows no language.
"""

from __future__ import annotations

import unicodedata
from functools import cache, lru_cache
from importlib.resources import files


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
