"""What a short note is about: its terms with how much each of them says, its clauses, its numbers, its borrowed words."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from omoide.text.normalize import search_form
from omoide.text.tokenize import terms

_LIGHT = frozenset(
    """will would can could may might shall should must get gets got go goes going gone come comes came take takes took make makes
    made use uses used let lets say says said tell tells told there here then than so very just only also too more most some any
    all no not never up down out off over under again now today new old one two own same other s re ve ll d m t if but because
    still yet im ive want wants like likes need needs please through until since every each per via after before between
    always usually currently anymore really quite""".split()  # noqa: SIM905
)
_VERBS = frozenset(
    """work live start play give bring keep buy bought pay call speak sing run drive ride eat drink sit stay wear lend book plan
    help teach learn study move meet put see think know find feel born begin stop mov liv tak giv driv writ hav""".split()  # noqa: SIM905
)
"""Say little about what a note is about; in stemmed form."""
_STOPS = re.compile(r"[。、，;；!！?？\n]|,(?!\d)|\.\s|\(|\)|（|）|\s-\s|\s—\s")
_TOPIC = re.compile(
    r"(?:は|[:：](?!\d)|(?<=[가-힣])(?:은|는)(?=\s)|(?<=[一-鿿])(?:是|在|(?:改|换|転|转|搬|调|升|挪|涨|降|减|加)(?:到|为|成|在))"
    r"|(?<=[a-z0-9)]) (?:is called|are called|is|are|was|were|goes to|go to|moved to|changed to) )"
)
_OBJECT = re.compile(r"が|を|(?<=[가-힣])(?:이|가|을|를)(?=\s)|(?<=の)(?=名前)")
_KATAKANA = re.compile("[ァ-ヺ][ァ-ヺー]+")
_KANA = re.compile("[ぁ-ゖァ-ヺ]")
_ENDINGS = re.compile(
    "(?:してい|てい|でい|になり|にな)?(?:ました|ません|ます|です|でした|だった)"
    "|している|していた|ている|ていた|である|になった|になる|した|する|こと|もの|ため|ところ"
)
_FUNCTION = re.compile("可以|能够|现在|一点|已经|如果|因为|所以|但是|自己|上周|[的了在是就都也还又很把被让给到去来会能只个]")
_HANGUL = re.compile("[가-힣]{2,}")
_PARTICLE = re.compile("(?:에서는|에서|에게|한테|으로|까지|부터|에는|이랑|하고|처럼|마다|은|는|이|가|을|를|에|로|도|의|와|과|만|랑)$")
_VERB = re.compile(
    "(?:했습니다|합니다|했어요|해요|한다|했다|하다|하는|되었다|됐다|된다|돼요"
    "|였다|이다|입니다|이에요|예요|었다|았다|는다|어요|아요|습니다|니다|고|다|요)$"
)
_NUMERAL = "[一二三四五六七八九十百千万半数两]+"
_COUNTED = "[匹人台本枚杯冊個箇回歳階年月日時分点号位班组組列番名頭羽軒件度割错錠粒包次种只条张岁楼层级級期段件套盒瓶週周]"
_NUMBER = re.compile(rf"\d+(?:[.,:]\d+)*|{_NUMERAL}(?={_COUNTED})|{_NUMERAL[:-1]}{{2,}}|(?<![a-z])(?:xx?l|[sml]|xs)(?![a-z])")

_WORD = re.compile(r"(?<![a-z])[a-z]{4,}(?![a-z])")
_VOWELS = re.compile("[aeiouyhw]")
_AS = {
    "ch": "s", "ck": "k", "ph": "h", "sh": "s", "th": "s", "qu": "k", "ce": "s", "ci": "s", "c": "k", "l": "r", "v": "b", "f": "h",
    "x": "ks", "q": "k", "z": "s", "j": "s",
}  # fmt: skip
_SPELLINGS = re.compile("|".join(sorted(_AS, key=len, reverse=True)))
_SOUNDS = {
    char: sound
    for sound, row in {
        "k": "カキクケコ", "g": "ガギグゲゴ", "s": "サシスセソザジズゼゾチヂ", "t": "タツテト", "d": "ダヅデド", "n": "ナニヌネノン",
        "b": "バビブベボヴ", "p": "パピプペポ", "m": "マミムメモ", "r": "ラリルレロ",
    }.items()
    for char in row
}  # fmt: skip


class Clause(NamedTuple):
    """A part between stops. `topic` is what stands before は, a colon, "is" …; `object` what stands before が or を; or empty."""

    topic: str
    object: str
    rest: str


def clauses(text: str) -> list[Clause]:
    """The clauses of a note, in its order."""
    return [_clause(part.strip()) for part in _STOPS.split(search_form(text)) if part.strip()]


def _clause(part: str) -> Clause:
    topic, thing = _TOPIC.search(part), _OBJECT.search(part)
    if topic and topic.start():
        return Clause(part[: topic.start()].strip(), "", part[topic.end() :].strip())
    if thing and thing.start():
        return Clause("", part[: thing.start()].strip(), part[thing.end() :].strip())
    return Clause("", "", part)


def content(text: str) -> dict[str, float]:
    """Term → how much it says, 0…1: a word or a pair of kanji most, endings and particles next to nothing."""
    plain = _without_function_words(search_form(text))
    found = {term: weight for term in terms(plain) if term[0] != "=" and (weight := _weight(term)) > 0}
    found |= dict.fromkeys(_KATAKANA.findall(plain), 1.0)
    return found | {stem: 1.0 for word in _HANGUL.findall(plain) if len(stem := _stem(word)) > 1 or stem != word}


def _without_function_words(plain: str) -> str:
    return (_ENDINGS if _KANA.search(plain) else _FUNCTION).sub(" ", plain)


def _stem(word: str) -> str:
    """A Korean word without its particle or ending."""
    bare = _PARTICLE.sub("", word)
    return bare if bare != word and bare else _VERB.sub("", word) or word


@lru_cache(maxsize=50_000)
def _weight(term: str) -> float:
    if term in _LIGHT:
        return 0.0
    if term in _VERBS:
        return 0.45
    kinds = [unicodedata.name(char, "").split(" ")[0] for char in term]
    if kinds[0] in ("CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA"):
        heavy = sum(kind != "HIRAGANA" for kind in kinds)
        return {(1, 1): 0.4 if kinds[0] == "CJK" else 0.05, (2, 2): 1.0, (2, 1): 0.25}.get((len(term), heavy), 0.1)
    if kinds[0] == "HANGUL":
        return 0.15
    return 1.0 if len(term) > 1 or term.isdigit() else 0.3


def numbers(text: str) -> frozenset[str]:
    """Numbers, numerals before a counter (三 of 三匹) and sizes of clothes in a text in search form."""
    return frozenset(_NUMBER.findall(text))


def without_numbers(text: str) -> str:
    """The text without what `numbers` finds."""
    return _NUMBER.sub(" ", text)


def loanwords(text: str) -> frozenset[str]:
    """The consonants of words that may be the same in two scripts: ピアノ and piano both give "pn".

    For katakana words of two consonants and more and for Latin words; a hint for texts that share no letter.
    """
    plain = search_form(text)
    kana = ("".join(_SOUNDS.get(char, "") for char in word) for word in _KATAKANA.findall(plain))
    latin = (_VOWELS.sub("", _SPELLINGS.sub(lambda found: _AS[found[0]], word)) for word in _WORD.findall(plain) if word not in _LIGHT)
    return frozenset(re.sub(r"(.)\1+", r"\1", one) for one in (*kana, *latin) if len(one) > 1)
