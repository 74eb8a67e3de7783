"""Which script a text is written in, as far as search must know."""

from __future__ import annotations

import re
from functools import cache

_LATER = {
    "spaced word": "[a-zA-Z\u00c0-\u024f\u0370-\u05ff][a-zA-Z\u00c0-\u024f\u0370-\u05ff]+",
    "unspaced letter": "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]",
    "japanese letter": "[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff]",
    # a word that stands by itself: codes such as auth.ts or XK9-2B4 say the same in every script
    "plain word": r"(?<![\w.@#/:+\-])[a-zA-Z\u00c0-\u024f\u0370-\u05ff]{2,}(?![\w@#/:+\-]|\.\w)",
}


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """Compiled at first use: that takes milliseconds, and a search by words needs none of them."""
    return re.compile(_LATER[name])


def spaced_share(text: str) -> float:
    """Share of a text's words that belong to a script with spaces (Latin, Cyrillic, …), 0…1.

    Two letters of a script without spaces count as one word. A text without letters gives 1.
    """
    if text.isascii():
        return 1.0
    unspaced = len(_pattern("unspaced letter").findall(text)) / 2
    spaced = len(_pattern("spaced word").findall(text))
    return spaced / (spaced + unspaced) if spaced + unspaced else 1.0


def yields_to_meaning(query: str) -> bool:
    """Whether words of a query say less about a text in another script: `word_evidence` is made for those.

    A query with one letter of an unspaced script, or with no plain word (codes, numbers, an emoji), never does.
    """
    return not _pattern("unspaced letter").search(query) and bool(_pattern("plain word").search(query))


def word_evidence(share: float) -> float:
    """How far matching words of a query all in a spaced script speak for a text with this `spaced_share`, 0…1.

    English words that match in a Japanese text are mostly names and code; an English question about such a
    text is answered better by meaning. The third power was measured on English → Japanese manual pages.
    """
    return share**3


def is_japanese(text: str) -> bool:
    """Whether words of this program beside the text should be Japanese: it has kana or kanji."""
    return bool(_pattern("japanese letter").search(text))
