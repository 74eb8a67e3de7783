"""The search form of a text, and where its characters came from."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from omoide.text.normalize import clean, search_form

ANY = st.text(st.characters(), max_size=60)
"""Every code point, lone surrogates and NUL included."""

TRICKY = st.text(
    st.sampled_from("aZéÅßİıﬁﬀΣς ‐–ー〜ァカガｶﾞﾟ髙𠮷廣㍿①²がか\u3099\u309a\u0301\u0327\u200d\u00ad\ufeff\u0640\u064e한\u1112\u1161\u11ab\u0345\u1fb4👩🏽"),
    max_size=12,
)


@given(ANY | TRICKY)
@example("\ud800\x00\udfff")
@example("ᾴ\u0345")
@example("カ\u00ad‐\u200dア")
@example("ァ‐‐‐‐")
@example("È\u0300\u0300")
@example("ǿ\u0301\u0301")
@example("È\u3099\u0300\u0300")
def test_the_search_form_is_a_fixed_point(text: str) -> None:
    """Whatever the string, its search form is its own search form, and has neither NUL nor a lone surrogate."""
    once = search_form(text)
    assert search_form(once) == once
    once.encode("utf-8")
    assert "\x00" not in once


@given(ANY | TRICKY)
def test_every_normal_form_gives_the_same_search_form(text: str) -> None:
    """A text and its NFC and NFD spellings cannot be told apart by search."""
    want = search_form(text)
    assert search_form(unicodedata.normalize("NFC", text)) == want
    assert search_form(unicodedata.normalize("NFD", text)) == want


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("ｶﾅ", "カナ"),
        ("ﾃﾞｰﾀ", "データ"),
        ("ＡＷＳ", "aws"),
        ("サ‐バ―", "サーバー"),
        ("サ−バー", "サーバー"),
        ("髙橋", "高橋"),
        ("𠮷野", "吉野"),
        ("渡邊 渡邉", "渡辺 渡辺"),
        ("學會", "学会"),
        ("㍿", "株式会社"),
        ("CAFÉ", "cafe"),
        ("e\u0301", "e"),
        ("ガ", "カ\u3099"),
        ("か\u3099", "が"),
        ("co\u00adop", "coop"),
        ("\ufeffBOM", "bom"),
        ("zero\u200bwidth", "zerowidth"),
        ("Straße", "strasse"),
        ("مَرْحَبًا", "مرحبا"),
        ("한국", "한국"),
        ("👍🏽", "👍"),
    ],
)
def test_spellings_that_mean_the_same(typed: str, stored: str) -> None:
    """Width, case, age of a kanji, normal form and invisible characters make no difference."""
    assert search_form(typed) == search_form(stored)


@pytest.mark.parametrize(("one", "other"), [("か", "が"), ("は", "ぱ"), ("й", "и"), ("2010–2012", "2010ー2012"), ("カ-3", "カー3")])
def test_spellings_that_mean_something_else(one: str, other: str) -> None:
    """Marks that are letters of their own, and dashes before a number, are kept."""
    assert search_form(one) != search_form(other)


@given(ANY)
def test_clean_keeps_the_length(text: str) -> None:
    """What is stored can be sent as UTF-8, has no NUL, and every other character stands where it stood."""
    safe = clean(text)
    safe.encode("utf-8")
    assert len(safe) == len(text)
    assert all(a == b or (b == "\ufffd" and (a == "\x00" or "\ud800" <= a <= "\udfff")) for a, b in zip(text, safe, strict=True))
