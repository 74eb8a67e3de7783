"""Terms: what a note and a query have in common."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.text.tokenize import STOP_WORDS, counts_for_length, query_terms, terms, words

ANY = st.text(st.characters(), max_size=80)


def finds(query: str, note: str) -> bool:
    """Whether every term of the query stands in the note."""
    asked = query_terms(query).terms
    return bool(asked) and set(asked) <= set(terms(note))


@pytest.mark.parametrize(
    ("text", "whole", "parts"),
    [
        ("pve-01", "pve-01", {"pve", "01"}),
        ("C++", "c++", {"c"}),
        ("C#", "c#", {"c"}),
        ("auth.ts", "auth.ts", {"auth", "ts"}),
        ("@scope/pkg", "@scope/pkg", {"scope", "pkg"}),
        ("atomic_write_json", "atomic_write_json", {"atom", "write", "json"}),
        ("2026.4.10", "2026.4.10", {"2026", "4", "10"}),
        ("HTTP-403", "http-403", {"http", "403"}),
        ("XK9-2B4-7Q1", "xk9-2b4-7q1", {"xk", "9", "2", "b", "4", "7", "q", "1"}),
        (".NET", ".net", {"net"}),
        ("3.14", "3.14", {"3", "14"}),
        ("src/a/b.py", "src/a/b.py", {"src", "b", "py"}),
        ("PIO-1384", "pio-1384", {"pio", "1384"}),
        ("user@example.com", "user@example.com", {"user", "exampl", "com"}),
        ("#release", "#release", {"releas"}),
    ],
)
def test_identifiers_are_whole_and_in_parts(text: str, whole: str, parts: set[str]) -> None:
    """A code is one term, so that it is found exactly, and its parts are terms too, so that a part finds it."""
    assert {whole} | parts <= set(terms(f"see {text} in the log"))
    assert {whole} | parts <= set(terms(f"この{text}を見る"))
    assert whole in query_terms(text).terms


@pytest.mark.parametrize("text", ["getUserName", "HTTPServer", "parseURLQuery"])
def test_camel_case_gives_its_words(text: str) -> None:
    """A name in camel case is found by its words and by itself in any letter case."""
    assert finds(text.lower(), text)
    assert len(set(terms(text)) & {"get", "user", "name", "http", "server", "pars", "url", "queri"}) >= 2


def test_large_numbers_lose_their_commas() -> None:
    """A number is found with and without its thousands separators."""
    assert terms("1,234,567円") == [*terms("1234567"), "円"]


def test_spr_07_chinese_words_are_divided() -> None:
    """A Chinese compound gives the pairs of its words, and its particles are no evidence by themselves."""
    assert {"模型", "蒸馏"} <= set(terms("模型蒸馏"))
    assert not {"的", "了"} & set(terms("我的模型蒸馏了"))


@pytest.mark.parametrize(
    ("query", "note"),
    [
        ("youer", "修改youer服务端的计划"),
        ("youer 服务端 修改", "修改youer服务端的计划"),
        ("サンドボックス", "サンドボックス修正テスト"),
        ("猫", "猫を飼う"),
        ("設備", "設備一覧を更新した"),
        ("东京", "去东京出差"),
        ("ガラス", "がらすを割った"[:3]),
        ("ภาษา", "เรียนภาษาไทย"),
        ("привет", "Привет, мир!"),
        ("МИР", "Привет, мир!"),
        ("مرحبا", "قال: مرحبا!"),
        ("हिन्दी", "यह हिन्दी भाषा है"),
        ("안녕", "안녕하세요"),
        ("🌸", "桜🌸が咲いた"),
        ("€", "costs 3 €"),
        ("±", "3 ± 1"),
        ("→", "a → b"),
        ("≥", "if x ≥ 3"),
        ("deploying", "we deployed it"),
        ("cafe", "the Café"),
    ],
)
def test_words_of_every_script_are_found_inside_a_text(query: str, note: str) -> None:
    """A word is found in running text, with or without spaces, beside any other script."""
    if query == "ガラス":  # kana of both kinds share their pairs, not their single letters
        assert set(terms(query)) & set(terms(note))
    else:
        assert finds(query, note)


def test_what_tables_and_sums_are_drawn_with_is_no_word() -> None:
    """ASCII signs are punctuation of notes, and the long vowel mark says nothing by itself."""
    assert terms("| x | b |\n+ c = d < e > f ~ g") == list("xbcdefg")
    assert "ー" not in terms("サーバー")


def test_every_script_has_terms() -> None:
    """No script is left without terms, so texts in it can be compared."""
    for text in (
        "日本語",
        "中文",
        "한국어",
        "ไทย",
        "русский",
        "العربية",
        "हिन्दी",
        "ελληνικά",
        "עברית",
        "ქართული",
        "🌸",
        "ខ្មែរ",
        "မြန်မာ",
        "བོད",
    ):
        assert terms(text), text


def test_stop_words_count_only_alone() -> None:
    """Common words are dropped from a query with other words, kept in a query of nothing else, and add no length."""
    assert query_terms("when did we move the staging database").terms == query_terms("move staging database").terms
    assert query_terms("to be").terms == ("=to", "=be")
    assert not any(counts_for_length(term) for term in terms(" ".join(STOP_WORDS)))


def test_quoted_words_ask_for_their_exact_form() -> None:
    """In quotation marks a word is looked up as it stands, not by its root."""
    for quoted in ('"deployed"', "“deployed”", "「deployed」"):
        assert query_terms(quoted).terms == ("=deployed",)
    assert finds('"deployed"', "we deployed it")
    assert not finds('"deployed"', "we deploy it")


@pytest.mark.parametrize("code", ["PIO-1384", "@scope/pkg", "2026.4.10", "src/a/b.py"])
def test_quoted_codes_are_found_like_bare_ones(code: str) -> None:
    """Quotation marks around a code lose nothing."""
    note = "Ticket PIO-1384: @scope/pkg 2026.4.10 in src/a/b.py"
    assert finds(code, note)
    assert finds(f'"{code}"', note)


@given(ANY)
def test_any_string_has_terms_that_can_be_stored(text: str) -> None:
    """Terms of any string are not empty, hold no white space, and are the same in NFC and NFD."""
    found = terms(text)
    assert all(term and not term.isspace() for term in found)
    assert set(terms(unicodedata.normalize("NFD", text))) == set(terms(unicodedata.normalize("NFC", text)))


@given(ANY)
def test_a_text_holds_every_term_of_itself_as_a_query(text: str) -> None:
    """A query made of a whole note asks for nothing that the note does not hold, each term once."""
    asked = query_terms(text)
    assert set(asked.terms) <= set(terms(text))
    assert len(set(asked.terms)) == len(asked.terms) == len(asked.counts)
    assert all(count >= 1 for count in asked.counts)


def test_repeated_words_of_a_query_are_counted() -> None:
    """A word said twice weighs twice."""
    assert query_terms("cat dog cat") == (("cat", "dog"), (2, 1))


def test_the_white_space_analyzer() -> None:
    """With the analyzer `words` each word between spaces is one term."""
    assert words("模型 蒸馏 Foo-Bar") == ["模型", "蒸馏", "foo-bar"]
