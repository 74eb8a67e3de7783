"""The words of a query as a person sees them, for one question: does a text hold one of them?

Terms are pieces: サーバー and アレルギー share ー, ペンギン and ペン share ペン. Ranking may weigh pieces; that
something was found at all takes a word. A word is a Latin or other spaced word, a code, two kanji side by
side (or one between kana), a run of katakana, or three hiragana that are no phrase of grammar.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from omoide.text.normalize import search_form
from omoide.text.tokenize import HAN, HIRAGANA, KATAKANA, RUN, camel_parts, kana_pairs, latin_terms, terms


class Way(NamedTuple):
    """A text holds a word this way if it holds `need` of these terms."""

    terms: tuple[str, ...]
    need: int = 1


class Word(NamedTuple):
    """One word of a query and the ways to hold it. `weak`: a single kanji, or hiragana, is half a word."""

    ways: tuple[Way, ...]
    weak: bool = False


_SCRIPTS = re.compile(rf"(?P<kanji>[{HAN}]+)|(?P<katakana>[{KATAKANA}]+)|(?P<hiragana>[{HIRAGANA}]+)")
_GRAMMAR = re.compile(
    "ありません|ありました|ください|について|けれども|ましょう|どこ[でにへ]?|いつ[もは]?|なに[をが]?|だれ[がの]?|ですか|ますか|でした|ました|ません|でしょう"
    "|している|していた|ている|ていた|ておく|された|される|します|しました|だった|なった|という|ように|ために|ところ|こと[がはを]?|もの[がはを]?"
    "|から|まで|より|です|ます|ない|いい|よい|どう|どの|この|その|あの|する|した|して|れば|えば|たい|ある|いる|を|(?<=..)[はがのにでともへ](?=どこ|いつ|なに|だれ|どう|どれ|どの|です|ある|いる|ない|$)"
)
_SAYS = 3
"""So many letters of a code say something by themselves; its numbers and shorter pieces do not."""


def asked(text: str) -> list[Word]:
    """The words of a query, in order. Stop words and grammar are none."""
    out = [Word((Way((term,)),)) for term in camel_parts(text) if term[0] != "="]
    return out + [word for found in RUN.finditer(search_form(text)) for word in _words(found.lastgroup or "", found[0])]


def _words(kind: str, run: str) -> Iterator[Word]:
    if kind == "latin":
        yield from _latin(latin_terms(run))
    elif kind == "pairs":
        for found in _SCRIPTS.finditer(run):
            if found.lastgroup == "hiragana":
                yield from _hiragana(found[0], begins=not found.start())
            else:
                yield from _kanji(found[0]) if found.lastgroup == "kanji" else _katakana(found[0])
    else:
        yield from (Word((Way((term,)),)) for term in terms(run))


def _latin(found: tuple[str, ...]) -> Iterator[Word]:
    """A word by its root or its exact form; a code whole, by one of its words, or by all parts: `5km` is `5 km`."""
    whole, *rest = found
    parts = [term for term in rest if term[0] != "="]
    if not parts:
        if whole[0] != "=":
            yield Word(tuple(Way((term,)) for term in found))
        return
    ways = [Way((part,)) for part in parts if part.isalpha() and len(part) >= _SAYS]
    letters = [len(part) for part in parts if not part.isdecimal()]
    if not letters or max(letters) > 1:  # the letter and the number of E21 stand in many texts
        ways.append(Way(tuple(parts), len(parts)))
    yield Word((Way((whole,)), *ways))


def _kanji(run: str) -> Iterator[Word]:
    if len(run) == 1:
        yield Word((Way((run,)),), weak=True)
    else:
        yield from (Word((Way((pair,)),)) for pair in kana_pairs(run))


def _katakana(run: str) -> Iterator[Word]:
    """More than half of its pairs, or four letters in a row. サーバー is サーバ: the last ー of a long word says nothing."""
    rows = kana_pairs(run)
    if not rows:
        yield Word((Way((run,)),), weak=True)
        return
    pairs = rows[:-1] if run.endswith("ー") and len(rows) > 2 else rows
    yield Word((Way(pairs, len(pairs) // 2 + 1), *(Way(rows[at : at + 3], 3) for at in range(len(rows) - 2))))


def _hiragana(run: str, begins: bool) -> Iterator[Word]:
    """Three letters in a row; two where the run `begins` with them: behind a kanji they are the end of a verb."""
    for part in _GRAMMAR.split(run):
        pairs = kana_pairs(part)
        if len(pairs) == 1 and begins and run.startswith(part):
            yield Word((Way(pairs),), weak=True)
        yield from (Word((Way(pairs[at : at + 2], 2),), weak=True) for at in range(len(pairs) - 1))
