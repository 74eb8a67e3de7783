"""The form in which recall compares a word with an entry: the word is in it when its form is a part of the entry's.

On top of the search form the two kana are one, small vowels are large ones (ウィンドウ and ウインドウ), and ヴァ is バ. Of the
word that is asked for a long vowel mark at its end is dropped behind three letters of kana, for people write サーバー and サーバ;
one inside stays: ビール is not ビル. Nothing is cut: a word stays a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from unicodedata import category

from omoide.text.normalize import search_form

_HIRAGANA = {code: code - 0x60 for code in range(0x30A1, 0x30F7)}
_SOUNDS = {"ゔぁ": "ば", "ゔぃ": "び", "ゔぇ": "べ", "ゔぉ": "ぼ", "ゔ": "ぶ", "ぁ": "あ", "ぃ": "い", "ぅ": "う", "ぇ": "え", "ぉ": "お"}
_SOUND = re.compile("ゔ[ぁぃぇぉ]?|[ぁぃぅぇぉ]")
_FINAL_MARK = re.compile("(?<=[ぁ-ゖー]{3})ー+$")

_PARTING = re.compile(r"\s+|[、，；;・･]+|(?<!\d),+|,+(?!\d)")
_AROUND = re.compile("^[\"'“”‘’「『（(【［\\[《〈〔{！？!?。．…]+|[\"'“”‘’」』）)】］\\]》〉〕}！？!?。．….:：]+$")


def word_form(text: str) -> str:
    """The form of a text. Idempotent; any string is accepted."""
    form = search_form(text)
    if form.isascii():
        return form
    return _SOUND.sub(lambda found: _SOUNDS[found[0]], form.translate(_HIRAGANA))


def asked_form(word: str) -> str:
    """The form of a word that is asked for: it stands in a text where this is a part of the text's form."""
    return _FINAL_MARK.sub("", word_form(word).strip())


def words_of(texts: Iterable[str]) -> list[str]:
    """What a caller typed as words, each once (by its form), without those that are punctuation alone.

    White space, commas, semicolons and middle dots part words (not inside a number: 1,182), and punctuation around a word is
    none of it; before one, only what opens: `.env`, `@scope/pkg` and `#12` are words.
    """
    words: dict[str, str] = {}
    for part in (part for text in texts for part in _PARTING.split(text)):
        word = _AROUND.sub("", part)
        form = asked_form(word)
        if any(category(letter)[0] not in "PZC" for letter in form):
            words.setdefault(form, word)
    return list(words.values())


def place_of(text: str, words: Iterable[str], width: int) -> int:
    """Where the first stretch of about `width` letters begins in which one of the words stands; 0 where none does."""
    forms = [asked_form(word) for word in words]
    for at in range(0, len(text), max(width // 2, 1)):
        stretch = word_form(text[at : at + width])
        if any(form in stretch for form in forms):
            return at
    return 0
