"""Any text is a legal query, and what stands in a note is found however it is typed."""

from __future__ import annotations

import json
import time
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from omoide import Collection
from omoide.models.choose import local_is_installed
from omoide.models.e5 import LocalE5
from omoide.models.hashing import HashingEmbedder

CASES = Path(__file__).parents[3] / "shared" / "cases" / "paths_and_names"
RECIPES = ("lexical", "dense", "hybrid", "default", "lexical,mmr", "hybrid,support,decay,mmr")
ROWS = [
    {"id": "ja", "text": "髙橋さんはサンドボックスの修正テストをした。設備一覧は猫が見る。", "title": "ｶﾅ と かな"},
    {"id": "en", "text": "pve-01 runs auth.ts v2.5 at host:8080, C++ and @scope/pkg; call atomic_write_json() in src/a/b.py"},
    {"id": "zh", "text": "修改youer服务端的计划「用户身份」"},
    {"id": "many", "text": "Привет мир مرحبا हिन्दी ภาษาไทย 한국어 ελληνικά Straße café naïve 🌸"},
    {"id": "empty", "text": ""},
    {"id": "odd", "text": "\x00\ud800 NUL and a lone surrogate"},
]


@pytest.fixture(scope="module")
def notes() -> Iterator[Collection]:
    """Notes in many scripts, with vectors."""
    with Collection(ROWS, embedder=HashingEmbedder(64)) as made:
        made.embed()
        yield made


ODD = st.sampled_from(['"', "'", "(", ")", "*", "NEAR(", "a OR", " AND ", "-", ":", "^", "\x00", "\ud800", "%", "_", "\\", "🌸", "title:x", "「", "」", "…", "\n"])


@given(query=st.text(st.characters(), max_size=200) | st.lists(ODD, max_size=20).map("".join), recipe=st.sampled_from(RECIPES), explain=st.booleans())
@settings(max_examples=3 * settings().max_examples)
def test_c76_any_string_is_a_query(notes: Collection, query: str, recipe: str, explain: bool) -> None:
    """No string of up to 200 characters makes an error in any recipe, and an empty answer says why."""
    found = notes.search(query, recipe=recipe, explain=explain)
    assert found.hits or found.notices
    assert all(0 <= hit.score <= 1 for hit in found.hits)


def wide(text: str) -> str:
    """The full-width form of plain letters and digits."""
    return "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text)


FORMS = {"as it is": str, "NFC": lambda t: unicodedata.normalize("NFC", t), "NFD": lambda t: unicodedata.normalize("NFD", t),
         "NFKC": lambda t: unicodedata.normalize("NFKC", t), "full width": wide, "upper case": str.upper}  # fmt: skip
TOKENS = [
    ("ja", "サンドボックス"), ("ja", "修正"), ("ja", "テスト"), ("ja", "設備一覧"), ("ja", "猫"), ("ja", "高橋"), ("ja", "カナ"), ("ja", "かな"), ("en", "pve-01"), ("en", "auth.ts"),
    ("en", "v2.5"), ("en", "host:8080"), ("en", "C++"), ("en", "@scope/pkg"), ("en", "atomic_write_json"), ("en", "src/a/b.py"), ("en", "runs"),
    ("zh", "youer"), ("zh", "服务端"), ("zh", "用户身份"), ("many", "Привет"), ("many", "مرحبا"), ("many", "हिन्दी"), ("many", "ภาษาไทย"), ("many", "한국어"),
    ("many", "ελληνικά"), ("many", "Straße"), ("many", "café"), ("many", "naïve"), ("many", "🌸"), ("odd", "surrogate"),
]  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("recipe", ["lexical", "hybrid", "default"])
def test_every_literal_token_is_found_in_every_form(notes: Collection, form: str, recipe: str) -> None:
    """A word that stands in a note finds it, typed in any normal form, width or letter case."""
    missed = [token for key, token in TOKENS if key not in [hit.chunk.id for hit in notes.search(FORMS[form](token), recipe=recipe).hits]]
    assert missed == []


LETTERS = st.text(st.characters(categories=["L", "Nd"]), min_size=1, max_size=12)


@given(token=LETTERS, form=st.sampled_from(["as it is", "NFC", "NFD"]))
def test_any_word_in_any_script_finds_its_note(token: str, form: str) -> None:
    """Whatever letters a word is made of, the note that holds it between others is found by it."""
    with Collection([{"id": "a", "text": f"before {token} after"}, {"id": "b", "text": "other 他の"}]) as notes:
        assert "a" in [hit.chunk.id for hit in notes.search(FORMS[form](token), recipe="lexical").hits]


@pytest.fixture(scope="module")
def hostile() -> Iterator[Collection]:
    """The shared notes that the shared queries are about."""
    if not CASES.exists():
        pytest.skip("the shared cases are not there")
    with Collection(hostile_rows(), embedder=HashingEmbedder()) as made:
        made.embed()
        made.search("warm")
        yield made


def hostile_rows() -> list[dict[str, str]]:
    """The shared notes as rows."""
    rows = [json.loads(line) for line in (CASES / "notes.jsonl").read_text(encoding="utf-8").splitlines()]
    return [{"id": row["id"], "title": row["title"], "text": row["text"]} for row in rows]


def queries() -> list[dict[str, Any]]:
    """The shared queries, none where they are not there."""
    path = CASES / "queries.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


@pytest.mark.parametrize("recipe", [recipe for recipe in RECIPES if recipe != "dense"])
def test_the_shared_queries(hostile: Collection, recipe: str) -> None:
    """Every hostile or odd query is answered within two seconds, and each note that holds its word is among the first ten."""
    assert missed(hostile, recipe) == []


def test_the_shared_queries_by_meaning_alone() -> None:
    """The same holds for the dense recipe, with the real small model: the lane is only as good as its model."""
    if not CASES.exists():
        pytest.skip("the shared cases are not there")
    if not local_is_installed():
        pytest.skip("the extra local is not installed")
    with Collection(hostile_rows(), embedder=LocalE5()) as made:
        made.embed()
        made.search("warm", recipe="dense")
        assert missed(made, "dense") == []


def missed(notes: Collection, recipe: str) -> list[Any]:
    """The queries that do not find every note that holds their word."""
    wrong = []
    for case in queries():
        start = time.perf_counter()
        found = [hit.chunk.id for hit in notes.search(case["input"], recipe=recipe, limit=10).hits]
        assert time.perf_counter() - start < 2, case["id"]
        if not set(case["must_find"]) <= set(found):
            wrong.append((case["id"], case["input"], case["must_find"], found))
    return wrong
