"""Nothing relevant is an answer."""

from __future__ import annotations

import pytest

from omoide import Collection
from omoide.models.hashing import HashingEmbedder
from omoide.testing import CountingEmbedder

SUBJECTS = (
    "旅券の期限は来年の二月", "歯医者の予約は木曜の午後", "We moved the staging database to Frankfurt", "猫の体重は四キロになった", "the piano lesson is on Tuesday",
    "家賃の引き落としを変更した", "auth.ts の認証設定を直した", "buy rice, miso and green tea", "会議の議事録は由美が書く", "the backup ran without errors",
)  # fmt: skip
ROWS = [{"id": f"n{i}", "text": f"{SUBJECTS[i % 10]}（{i}）"} for i in range(50)]
REAL = ("旅券の期限", "staging database", "認証設定", "piano lesson")
NONSENSE = ("qwzrk plonfitz", "白亜紀の潮汐表", "zzyzx", "螺旋銀河", "🛸", "ฉลามวาฬ")


@pytest.mark.parametrize("text", NONSENSE)
@pytest.mark.parametrize("recipe", ["lexical", "default"])
def test_b14_a_nonsense_query_finds_nothing(text: str, recipe: str) -> None:
    """By words, and without a model by default, a query that no note answers gives an empty list with a code and a reason."""
    with Collection(ROWS) as notes:
        found = notes.search(text, recipe=recipe)
        assert not found.hits
        assert found.notices[0].code == "nothing_relevant"
        assert found.notices[0].text


@pytest.mark.parametrize("text", REAL)
@pytest.mark.parametrize("recipe", ["lexical", "dense", "hybrid", "default"])
def test_b14_a_real_query_still_hits(text: str, recipe: str) -> None:
    """In the same notes a real query is answered in every recipe, with a note that holds its words first."""
    with Collection(ROWS, embedder=HashingEmbedder()) as notes:
        notes.embed()
        best = notes.search(text, recipe=recipe).hits[0]
        assert text.split()[0] in best.chunk.text


@pytest.mark.parametrize("text", ["qwzrk plonfitz", "zzyzx", "🛸"])
def test_b14_with_vectors(text: str) -> None:
    """The best cosine below the model's own noise is no find."""
    with Collection(ROWS, embedder=HashingEmbedder(1024)) as notes:
        notes.embed()
        for recipe in ("dense", "hybrid", "default"):
            found = notes.search(text, recipe=recipe)
            assert not found.hits
            assert found.notices[0].code == "nothing_relevant"


def test_the_models_noise_is_measured_once() -> None:
    """The scale of a model is measured with two calls at the first search and kept."""
    counting = CountingEmbedder(HashingEmbedder())
    with Collection(ROWS[:3], embedder=counting) as notes:
        notes.embed()
        notes.search("旅券")
        before = counting.calls
        notes.search("旅券の期限")
        assert counting.calls == before + 1


def test_b13_a_memory_of_one_note() -> None:
    """In a memory of one note, or of two with the same word, the word is found with a sensible score."""
    with Collection([{"id": "a", "text": "Favourite tea: hojicha"}]) as notes:
        assert notes.search("hojicha").hits[0].score > 0.1
        notes.add([{"id": "b", "text": "hojicha is out of stock"}])
        assert {hit.chunk.id for hit in notes.search("hojicha").hits} == {"a", "b"}
        assert all(hit.score > 0.1 for hit in notes.search("hojicha").hits)


def test_no_notes_at_all() -> None:
    """An empty memory answers with no hit and a reason, a blank query too."""
    with Collection() as notes:
        assert notes.search("x").notices[0].code == "nothing_relevant"
        assert notes.search(" \n").notices[0].code == "blank_query"
        assert notes.search("。。。").notices[0].code == "nothing_relevant"
