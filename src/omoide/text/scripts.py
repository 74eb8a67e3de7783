"""Which script a text is written in, as far as search must know."""

from __future__ import annotations

import re

_SPACED_WORD = re.compile("[a-zA-Z\u00c0-\u024f\u0370-\u05ff][a-zA-Z\u00c0-\u024f\u0370-\u05ff]+")
_UNSPACED_LETTER = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")

# a word that stands by itself: codes such as auth.ts or XK9-2B4 say the same in every script
_PLAIN_WORD = re.compile(r"(?<![\w.@#/:+\-])[a-zA-Z\u00c0-\u024f\u0370-\u05ff]{2,}(?![\w@#/:+\-]|\.\w)")


def spaced_share(text: str) -> float:
    """Share of a text's words that belong to a script with spaces (Latin, Cyrillic, …), 0…1.

    Two letters of a script without spaces count as one word. A text without letters gives 1.
    """
    if text.isascii():
        return 1.0
    unspaced = len(_UNSPACED_LETTER.findall(text)) / 2
    spaced = len(_SPACED_WORD.findall(text))
    return spaced / (spaced + unspaced) if spaced + unspaced else 1.0


def word_evidence(query: str, share: float) -> float:
    """How far matching words speak for a text with this `spaced_share`, 0…1.

    English words that match in a Japanese text are mostly names and code; an English question about such
    a text is answered better by meaning. So a query all in a spaced script counts words by share³
    (measured on English → Japanese manual pages). A query with one letter of an unspaced script, or with no
    plain word (codes, numbers, an emoji), always 1.
    """
    return 1.0 if _UNSPACED_LETTER.search(query) or not _PLAIN_WORD.search(query) else share**3
