"""Text to terms, the same way for a note and for a query.

Latin words are stemmed lightly; identifiers stay whole and also give their parts; scripts written
without spaces give pairs of characters, and single kanji and katakana; every other script gives
words; a symbol such as an emoji is a word of its own. No dictionary is needed.

A term that starts with "=" does not count for the length of a text: stop words, and the exact form
of a word that was stemmed (a quoted word asks for it).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from omoide.text.normalize import search_form
from omoide.text.stem import stem

VERSION = "terms-3"
"""Part of the index fingerprint: raise it when any text gets other terms."""

Analyzer = Callable[[str], list[str]]
"""Text to terms, with repetitions, in order. "="-terms are not counted in the length."""

STOP_WORDS = frozenset(
    """a an the of to in on at for and or is are was were be been am do does did has have had what when where who which how why
    that this it its with by from as about into their his her he she they them i you your my me we our us""".split()  # noqa: SIM905
)

HAN = "々〆〇\u2e80-\u2fdf\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
HIRAGANA = "\u3041-\u3096\u309d-\u309f"
_HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
# Thai, Lao, Tibetan, Myanmar, Khmer: no spaces between words, vowel signs belong to the letter before
_UNSPACED = "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff"

_LATIN = "a-z0-9_\u00df-\u024f\u1e00-\u1eff"
_JOINT = r"[.\-/:@+#'’&%=\\*^~,]"  # what holds an identifier together

RUN = re.compile(
    rf"(?P<latin>[@#$.]?[{_LATIN}]+(?:{_JOINT}+[{_LATIN}]+)*(?:\+\+|\#)?)"
    rf"|(?P<pairs>[{HAN}{KATAKANA}{HIRAGANA}]+)"
    rf"|(?P<hangul>[{_HANGUL}]+)"
    rf"|(?P<unspaced>[{_UNSPACED}]+)"
    r"|(?P<word>[^\W\d_a-z]\w*(?:[\u0300-\u036f\u0900-\u0dff]+\w*)*|\d+)"
    r"|(?P<symbol>[^\w\s])"
)
_PARTS = re.compile(r"[a-z\u00df-\u024f\u1e00-\u1eff]+|[0-9]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_CAMEL_WORD = re.compile(r"[A-Za-z][a-z0-9]*[A-Z][A-Za-z0-9]*")
_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?\Z")
_LETTERS = re.compile(r"[a-z\u00df-\u024f\u1e00-\u1eff]+\Z")
_ALONE_NOTHING = frozenset("的了ー")  # Chinese particles and the long vowel mark: by themselves they only add noise
_TO_HIRAGANA = {code: code - 0x60 for code in range(0x30A1, 0x30F7)}


def terms(text: str) -> list[str]:
    """All terms of a text. `"サーバー restart"` → さー ーば ばー サ バ restart."""
    out: list[str] = list(camel_parts(text))
    for found in RUN.finditer(search_form(text)):
        kind = found.lastgroup
        run = found[0]
        if kind == "latin":
            out.extend(latin_terms(run))
        elif kind == "pairs":
            out.extend(_pair_terms(run))
        elif kind == "word":
            out.append(run)
        elif kind in ("hangul", "unspaced"):
            out.extend(_pairs(run))
        elif _is_symbol(run):
            out.append(run)
    return out


def camel_parts(text: str) -> Iterator[str]:
    """getUserName → get, user, name: only the source text still shows the borders."""
    if text.islower():
        return
    for found in _CAMEL_WORD.finditer(unicodedata.normalize("NFKC", text)):  # a mark is part of its letter
        parts = _CAMEL.split(found[0])
        if len(parts) > 1:
            yield from (term for part in parts if len(part) > 1 for term in _word_terms(part.lower()))


@lru_cache(maxsize=200_000)
def latin_terms(run: str) -> tuple[str, ...]:
    """Terms of one run of Latin letters, digits and joints."""
    bare = run.strip("._")
    if _LETTERS.match(bare):
        return (run, *_word_terms(bare)) if run[0] in ".@#" or "_" in run else _word_terms(bare)
    if _NUMBER.match(bare):
        return (bare.replace(",", ""),)
    if bare.endswith(("'s", "’s")) and _LETTERS.match(bare[:-2]):
        return _word_terms(bare[:-2])
    parts = _PARTS.findall(run)
    if len(parts) == 1 and parts[0] == run:
        return (run,)
    return (run, *(term for part in parts for term in _word_terms(part)))


def _word_terms(word: str) -> tuple[str, ...]:
    if word in STOP_WORDS:
        return (f"={word}",)
    root = stem(word)
    return (word,) if root == word else (root, f"={word}")


def _pair_terms(run: str) -> list[str]:
    if len(run) == 1:
        return [run]
    singles = [char for char in run if char not in _ALONE_NOTHING and not "\u3041" <= char <= "\u309f"]
    return [*kana_pairs(run), *singles]


def kana_pairs(run: str) -> tuple[str, ...]:
    """Neighbouring characters, two by two: ガラス and がらす share their pairs, not their singles."""
    kana = run.translate(_TO_HIRAGANA)
    return tuple(kana[i : i + 2] for i in range(len(kana) - 1))


def _pairs(run: str) -> list[str]:
    units = re.findall(r"[^\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]?[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]*", run)
    units = [unit for unit in units if unit]
    return units if len(units) == 1 else ["".join(two) for two in pairwise(units)]


@lru_cache(maxsize=4096)
def _is_symbol(char: str) -> bool:
    """An emoji, a currency, an arrow or ≥; what ASCII has, such as | of a table, is punctuation of notes."""
    kinds = ("So", "Sc") if char.isascii() else ("So", "Sc", "Sm")
    return unicodedata.category(char) in kinds


def words(text: str) -> list[str]:
    """White-space analyzer: each word of the search form is one term (`lexical.analyzer = "words"`)."""
    return search_form(text).split()


ANALYZERS: dict[str, Analyzer] = {"terms": terms, "words": words}


class QueryTerms(NamedTuple):
    """`terms` to look up, each once, in order; `counts` how often the query says each."""

    terms: tuple[str, ...]
    counts: tuple[int, ...]


_QUOTED = re.compile('"([^"]+)"|「([^」]+)」|“([^”]+)”')


def query_terms(text: str, analyzer: Analyzer = terms) -> QueryTerms:
    """Terms of a query. Stop words count only if there is nothing else; a quoted word asks for its exact form."""
    found = analyzer(text)
    exact = {term for quoted in _QUOTED.findall(text) for term in analyzer("".join(quoted)) if term[0] == "="}
    exact -= {f"={word}" for word in STOP_WORDS}
    roots = {stem(term[1:]) for term in exact}
    kept = [term for term in found if (term in exact if term[0] == "=" else term not in roots)]
    counted: dict[str, int] = {}
    for term in kept or found:
        counted[term] = counted.get(term, 0) + 1
    return QueryTerms(tuple(counted), tuple(counted.values()))


def counts_for_length(term: str) -> bool:
    """False for terms that are there to be found only, and do not make a text longer."""
    return term[0] != "=" or len(term) == 1
