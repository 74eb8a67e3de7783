"""The form in which recall compares a word with an entry: the word is in it when its form is a part of the entry's.

On top of the search form the two kana are one, and a long vowel mark that ends a kana word of three letters or more
is dropped, for people write サーバー and サーバ. Nothing is cut: a word stays a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from unicodedata import category

from omoide.text.normalize import search_form

_HIRAGANA = {code: code - 0x60 for code in range(0x30A1, 0x30F7)}
_FINAL_MARK = re.compile("(?<=[ぁ-ゖー]{3})ー+(?![ぁ-ゖー])")


def word_form(text: str) -> str:
    """Idempotent; any string is accepted."""
    form = search_form(text)
    return form if form.isascii() else _FINAL_MARK.sub("", form.translate(_HIRAGANA))


def words_of(texts: Iterable[str]) -> list[str]:
    """What a caller typed as words: cut at white space, each once (by its form), without those that are punctuation alone."""
    words: dict[str, str] = {}
    for word in (word for text in texts for word in text.split()):
        form = word_form(word).strip()
        if any(category(letter)[0] not in "PZC" for letter in form):
            words.setdefault(form, word)
    return list(words.values())
