"""The search form of a text: what a note and a query have in common however they were typed.

Compatibility forms are unified (NFKC), letter case is folded, invisible characters go, and the
spellings of Japanese that differ only by keyboard or age are joined: a dash typed for the long
vowel mark, old forms of kanji in names.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

VERSION = "normal-3"
"""Part of the index fingerprint: raise it when the search form of any text changes."""

# Kanji that people type in two forms for the same name; NFKC leaves them apart.
_OLD_KANJI = str.maketrans("髙﨑𠮷濵濱邉邊澤廣國櫻眞嶋齋圓當會學關鐵", "高崎吉浜浜辺辺沢広国桜真島斎円当会学関鉄")
_OLD = frozenset(map(chr, _OLD_KANJI))

# Invisible characters carry no meaning for search: soft hyphen, zero-width, bidi marks, BOM, tags.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\U0001f3fb-\U0001f3ff\U000e0000-\U000e0fff]"
)
_UNUSABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")  # controls, lone surrogates
_KATAKANA_DASH = re.compile("(?<=[ァ-ヺー])[‐‑‒–—―−〜～─]++(?=[ァ-ヺ]|[^0-9A-Za-z]|$)")
_LATIN_MARKS = re.compile("(?<=[a-z\u00c0-\u024f\u1e00-\u1eff])[\u0300-\u036f]+")
_ARABIC_MARKS = re.compile("[\u0640\u064b-\u0652\u0670]")
_PLAIN = re.compile(r"[\t\n\r -~]*\Z")


def search_form(text: str) -> str:
    """The form in which texts are compared. Idempotent; any string is accepted."""
    if _PLAIN.match(text):  # most English text: one pass is enough
        return text.lower()
    folded = _fold(text)
    while (again := _fold(folded)) != folded:  # folding case or dropping a mark can open another form; seldom thrice
        folded = again
    return folded


def _fold(text: str) -> str:
    text = _UNUSABLE.sub(" ", _INVISIBLE.sub("", text))
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    text = _INVISIBLE.sub("", text)
    if not text.isascii():
        text = _ARABIC_MARKS.sub("", _without_latin_marks(text))
        text = _long_vowels(text)
        text = text if _OLD.isdisjoint(text) else text.translate(_OLD_KANJI)
    return text


def _long_vowels(text: str) -> str:
    return _KATAKANA_DASH.sub(lambda found: "ー" * len(found[0]), text)


def _without_latin_marks(text: str) -> str:
    """café → cafe. Marks on other scripts are letters of their own (が is not か)."""
    return _ACCENTED.sub(lambda found: _bare(found[0]), _LATIN_MARKS.sub("", text))


_ACCENTED = re.compile("[\u00c0-\u024f\u1e00-\u1eff]")


@lru_cache(maxsize=1024)
def _bare(letter: str) -> str:
    return unicodedata.normalize("NFD", letter)[0]


def clean(text: str) -> str:
    """Source text made safe to store, send and print: no NUL, no lone surrogates. Same length."""
    return text if text.isascii() and "\x00" not in text else _UNSAFE.sub("\ufffd", text)


_UNSAFE = re.compile("[\x00\ud800-\udfff]")
