"""English stemming: `deployed`, `deploys` and `deploying` share one root, for note and query alike.

Snowball's English stemmer (Porter 2, https://snowballstem.org), by the project's own C binding.
Stemming gains about three points of recall on conversations; which stemmer does hardly matters (docs/decisions/0003).
"""

from __future__ import annotations

import Stemmer

VERSION = "snowball-english"

_english = Stemmer.Stemmer("english")


def stem(word: str) -> str:
    """The root of a word in search form; a root need not be a word. Other scripts come back unchanged."""
    return _english.stemWord(word) if word.isascii() else word
