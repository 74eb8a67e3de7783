"""Nothing relevant is an answer."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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


NOTES = (
    (
        "Favourite tea: hojicha",
        ("which hojicha brand do we like", "what tea does she like best?", "where in the old town was it that we bought our hojicha"),
    ),
    (
        "猫の名前はもなか。病院は月曜が休み。",
        ("猫の餌はどこで買えばいいですか", "もなかは元気ですか", "近くで夜も開いている病院を教えてください"),
    ),
    ("さけを焼いた。サーバは夜に止める", ("さけはどこ", "サーバーの名前と場所を一覧にしてほしい")),
    ("the auth.ts fix went out", ("who wrote auth.ts last winter and why is nobody maintaining it",)),
)
OTHERS = ("窓のガラスを拭いた", "paint the fence green", "郵便局に寄る", "the train was late", "庭に水をまく", "new shoes, size nine")


@settings(max_examples=40)
@given(
    st.sampled_from([(note, query) for note, queries in NOTES for query in queries]),
    st.integers(0, 150),
)
def test_one_word_of_a_note_finds_it_in_a_memory_of_any_size(asked: tuple[str, str], others: int) -> None:
    """A question that holds one content word of a note finds it, alone or among any number of unrelated notes."""
    note, query = asked
    rows = [{"id": f"other{at}", "text": f"{OTHERS[at % len(OTHERS)]} {at}"} for at in range(others)]
    with Collection([*rows, {"id": "it", "text": note}]) as notes:
        assert "it" in [hit.chunk.id for hit in notes.search(query, recipe="lexical").hits]


LIFE = (
    "フィルターを替えた。モーターの音が大きい", "赤いペンを三本買った", "そばのアレルギーに気をつける", "家族と旅館に泊まった", "プリンターの紙が切れた", "夕食を食べすぎた",
    "水やりは朝の七時", "コンビニで切手を買う", "図書カードをもらった", "インクの色は青", "機械の点検は二十一日", "望みどおりの席が取れた", "遠足は雨で延びた", "セーターを洗う",
    "Meet at 21:30, gate E", "The heater filter is new", "Paint the shed in spring", "Maria prefers the window seat", "Keys are under the blue pot",
    "The car needs new tires", "Choir practice moved to Thursday", "Renew the parking permit", "Soup recipe: leeks and potatoes", "The router password is on the fridge",
)  # fmt: skip
ABSENT = (
    "ペンギン", "ルーター", "サーバー", "水族館", "ヘリコプター", "ギター", "冷凍庫", "図書館員", "潜水艦", "エレベーター", "インド", "マンション", "望遠鏡", "遠心力", "コンピューター",
    "たぬきの置物", "E21", "penguin", "aquarium", "helicopter", "guitar lesson", "submarine", "telescope", "volcano", "trombone", "giraffe", "X21-30",
)  # fmt: skip
PRESENT = (
    "フィルター", "モータ", "ペン", "アレルギー", "旅館の名前", "プリンターは直りましたか", "水やりは何時", "切手", "図書カード", "点検はいつですか", "遠足", "セーター",
    "heater", "shed", "which seat does Maria like", "where are the keys", "tires", "choir", "parking permit", "leek soup", "router", "gate", "password",
)  # fmt: skip


def test_what_is_absent_and_what_is_there() -> None:
    """By words, 26 of 27 absent things give nothing in Japanese and in English, and each of 23 that are there gives its note."""
    with Collection([{"id": f"n{at}", "text": text} for at, text in enumerate(LIFE)]) as notes:
        found = [query for query in ABSENT if notes.search(query, recipe="lexical").hits]
        missed = [query for query in PRESENT if not notes.search(query, recipe="lexical").hits]
    assert (found, missed) == (["図書館員"], [])  # 図書 is a word


def test_no_notes_at_all() -> None:
    """An empty memory answers with no hit and a reason, a blank query too."""
    with Collection() as notes:
        assert notes.search("x").notices[0].code == "nothing_relevant"
        assert notes.search(" \n").notices[0].code == "blank_query"
        assert notes.search("。。。").notices[0].code == "nothing_relevant"
