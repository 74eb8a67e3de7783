"""Public reports of bugs in file-based memories, one test a report; the number of the report is in the name."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from omoide import Collection, Scope
from omoide.models.hashing import HashingEmbedder
from parts.reports import FILLER, Open, Other, codes, ids, notes, paths

# -- file-memory, A: languages and query syntax ----------------------------------------------------


def test_a1_words_inside_japanese_text() -> None:
    """A word inside a sentence is found, in any order, with or without a space, and a loose question scores lower."""
    with notes("今日は成語しりとりをした") as made:
        for query in ("しりとり", "成語", "しりとり 今日", "成語しりとりで遊んだ件"):
            found = made.search(query, recipe="lexical")
            assert ids(found)[0] == "n0", query
            assert found.hits[0].score > 0
        assert made.search("成語しりとりで遊んだ件").hits[0].score < made.search("しりとり").hits[0].score
        assert ids(made.search("しりとり")) == ["n0"]


def test_a2_latin_glued_to_han() -> None:
    """An English word glued to Chinese is found, alone and with words in another order."""
    with notes("修改youer服务端的计划") as made:
        assert ids(made.search("youer")) == ["n0"]
        assert ids(made.search("youer 服务端 修改")) == ["n0"]


def test_a4_short_terms() -> None:
    """Words of one or two letters find their notes, also two of them at once."""
    with notes("猫を飼う", "犬が好き", "AIの話") as made:
        assert ids(made.search("猫")) == ["n0"]
        assert set(ids(made.search("犬 猫"))) == {"n0", "n1"}
        assert ids(made.search("AI")) == ["n2"]


def test_a5_a_natural_question() -> None:
    """A question of many words finds a note with most of them, and the note with all is above one with some."""
    with notes("We moved the staging database to Frankfurt on Tuesday", "the staging area is full", "database of recipes") as made:
        found = ids(made.search("when did we move the staging database"))
        assert found[0] == "n0"
        assert set(found) >= {"n0", "n1", "n2"}


@pytest.mark.parametrize("code", ["PIO-1384", "@scope/pkg", "2026.4.10", "src/a/b.py"])
@pytest.mark.parametrize("quote", ["{}", '"{}"'])
def test_a7_separators_in_codes(code: str, quote: str) -> None:
    """Codes with separators are found, quoted and unquoted."""
    with notes("Ticket PIO-1384: @scope/pkg 2026.4.10 in src/a/b.py") as made:
        assert ids(made.search(quote.format(code))) == ["n0"]


def test_a8_snake_case() -> None:
    """A snake-case name is found whole, by its words, and by a part."""
    with notes("call atomic_write_json()") as made:
        for query in ("atomic_write_json", "atomic write json", "write_json"):
            assert ids(made.search(query)) == ["n0"], query


@pytest.mark.parametrize(
    ("twins", "other"),
    [
        (("認証設定を直した朝の記録", "認証設定を直した夜の記録"), "認証の研修に出た"),
        (("починили вход на сайт утром", "починили вход на сайт вечером"), "вход в музей бесплатный"),
        (("أصلحنا تسجيل الدخول صباحا", "أصلحنا تسجيل الدخول مساء"), "الدخول إلى المتحف مجاني"),
        (("แก้ไขการเข้าสู่ระบบตอนเช้า", "แก้ไขการเข้าสู่ระบบตอนเย็น"), "การเข้าสู่พิพิธภัณฑ์ฟรี"),
        (("🌸🍣🍵🎉", "🌸🍣🍵🎊"), "🌸🚀🪐🌙"),
    ],
)
def test_a10_diversity_in_every_script(twins: tuple[str, str], other: str) -> None:
    """Of two near-identical notes and a different one, the first two hits are one twin and the different one, and none is dropped."""
    with notes(*twins, other, **{"search.mmr.least": 0.0, "search.mmr.lambda": 0.3}) as made:
        query = other[:2] if other.startswith("🌸") else " ".join(set(twins[0].split()) & set(other.split())) or other[:4]
        found = ids(made.search(query, recipe="lexical,mmr"))
        assert set(found) >= {"n0", "n1", "n2"}
        assert "n2" in found[:2]


# -- file-memory, B: scores ------------------------------------------------------------------------


def test_b11_scores_differ() -> None:
    """Eight mentions in a short text score strictly above one in a long text."""
    with notes("kubernetes " * 8, "kubernetes " + "word " * 200) as made:
        first, second = made.search("kubernetes", recipe="lexical").hits
        assert first.chunk.id == "n0"
        assert first.score > second.score


def test_b13_a_single_note() -> None:
    """In a memory of one note the word is found with a sensible score, and both when a second has it."""
    with Collection([{"id": "a", "text": "Favourite tea: hojicha"}]) as made:
        assert made.search("hojicha").hits[0].score > 0.1
        made.add([{"id": "b", "text": "We ran out of hojicha"}])
        assert set(ids(made.search("hojicha"))) == {"a", "b"}


@pytest.mark.parametrize("query", ["qwzrk plonfitz", "白亜紀の潮汐表"])
def test_b14_abstention(query: str) -> None:
    """A nonsense query over fifty ordinary notes gives an empty list with a code; a real one in the same notes hits."""
    with notes(*(f"{FILLER[i % 3]}。{i} 回目" for i in range(50))) as made:
        found = made.search(query)
        assert (ids(found), codes(found)[0]) == ([], "nothing_relevant")
        assert made.search("洗濯").hits


def test_b16_noisy_sources(opened: Open, home: Path) -> None:
    """Two thousand pieces of transcript do not hide the one note with the exact phrase, and a filter leaves only notes."""
    (home / "notes.md").write_text("Test Entry 4711\n", encoding="utf-8")
    (home / "rooms" / "r" / "log").mkdir(parents=True)
    talk = "\n".join(f"## {i % 24:02}:00 turn\n\nwe talked about the test, entry by entry, and test {i}\n" for i in range(2000))
    (home / "rooms" / "r" / "log" / "2026-11-01.md").write_text(talk, encoding="utf-8")
    omoide = opened()
    assert paths(omoide.search("Test Entry 4711"))[0] == "notes.md"
    assert paths(omoide.search("test entry", kinds=["note"])) == ["notes.md"]


@pytest.mark.parametrize("recipe", ["lexical", "dense", "hybrid", "default"])
def test_b17_scope_before_top_k(recipe: str) -> None:
    """Among 5,000 notes of another person the three of the caller are found in every lane; an empty scope beside changes nothing."""
    made = Collection(embedder=HashingEmbedder(16))
    rows = [{"id": f"b{i}", "text": "deploy notes", "audience": "person:b"} for i in range(5000)]
    made.add(rows + [{"id": f"a{i}", "text": f"deploy notes of mine {i}", "audience": "person:a"} for i in range(3)])
    made.embed()
    for audiences in ({"person:a"}, {"person:a", "person:empty"}):
        assert set(ids(made.search("deploy notes", limit=3, recipe=recipe, scope=Scope("a", frozenset(audiences))))) == {"a0", "a1", "a2"}
    made.close()


# -- file-memory, C and D: chunks, freshness -------------------------------------------------------


@pytest.mark.parametrize("shift", range(4))
def test_c19_emoji_at_every_border(opened: Open, home: Path, shift: int) -> None:
    """A line of 6,000 characters of emoji families and marks is indexed whole: each chunk is sound UTF-8 and embedded."""
    unit = "🌸👩‍👩‍👧‍👦𠮷e\u0301"
    (home / "a.md").write_text("x" * shift + unit * (6000 // len(unit)), encoding="utf-8")
    (home / "b.md").write_text("zebra\n", encoding="utf-8")
    omoide = opened(HashingEmbedder(16))
    built = omoide.build()
    assert (built["files"], built["vectors"], built["refused"]) == (2, built["chunks"], [])
    for chunk in omoide.inspect_chunks("a.md"):
        chunk["text"].encode("utf-8")
        assert not unicodedata.combining(chunk["text"][0])
        assert chunk["text"][0] != "\u200d"
        assert chunk["text"][-1] != "\u200d"


def test_c20_oversized_pieces(opened: Open, home: Path) -> None:
    """A megabyte in one line, 5,000 wide colons and a base64 blob stop nothing: nothing over the cap is sent, normal notes are found, the refused are listed."""
    for name, text in {"mega": "long line of words " * 55_000, "colons": "：" * 5000, "blob": "QUJD" * 50_000}.items():
        (home / f"{name}.md").write_text(text, encoding="utf-8")
    for i in range(200):
        (home / f"n{i}.md").write_text(f"normal note number {i} zebra{i}\n", encoding="utf-8")
    picky = Other("picky", 16, longest=1200)
    omoide = opened(picky)
    built = omoide.build()
    assert picky.longest_sent <= 1200
    assert all(name.split(":")[0] in ("mega.md", "colons.md", "blob.md") for name in built["refused"])
    assert built["vectors"] >= 200
    assert all(paths(omoide.search(f"zebra{i}"))[0] == f"n{i}.md" for i in (0, 99, 199))


def test_d25_a_process_that_stays(opened: Open, home: Path) -> None:
    """A handle held while another process deletes, renames, edits and rebuilds serves no ghost and finds all that is new."""
    for name in "abcd":
        (home / f"{name}.md").write_text(f"zebra {name}{name}{name}\n", encoding="utf-8")
    first = opened()
    assert len(first.search("zebra", limit=10).hits) == 4
    (home / "a.md").unlink()
    (home / "b.md").rename(home / "e.md")
    (home / "d.md").write_text("zebra new text\n", encoding="utf-8")
    opened().build(force=True)
    assert set(paths(first.search("zebra", limit=10))) == {"c.md", "d.md", "e.md"}
    assert paths(first.search("new text"))[0] == "d.md"
    assert not first.search("aaa").hits


def test_d26_a_switch_of_models(opened: Open, home: Path) -> None:
    """X of 8 dimensions, then Y and Z of 16: with many notes each switch says that vectors are missing, words still hit, a build leaves no mixture."""
    (home / "n.md").write_text("\n\n".join(f"# h{i}\n\nzebra note {i}" for i in range(60)), encoding="utf-8")
    for name, dimensions in (("X", 8), ("Y", 16), ("Z", 16)):
        omoide = opened(Other(name, dimensions))
        found = omoide.search("zebra note 7")
        assert found.hits
        assert codes(found) == ["no_vectors"]
        assert omoide.build()["coverage"] == 1.0
        assert codes(omoide.search("zebra note 7")) == []
        assert omoide.status()["model"] == name


def test_d31_names_that_are_nearly_the_same(opened: Open, home: Path) -> None:
    """Names that differ by a blank, an underscore, a hyphen or a letter's case are notes of their own, found and read by their path."""
    names = ["a b.md", "a_b.md", "a-b.md", "A-b.md", "日本 語.md", "#x.md", "100%.md", "q?.md", "2026_06_16.md", "2026-06-16.md", "README.md", "readme.md"]
    for i, name in enumerate(names):
        (home / name).write_text(f"unique{chr(97 + i) * 3}word here\n", encoding="utf-8")
    if len(list(home.iterdir())) < len(names):
        pytest.skip("this disk takes some of these names for one")
    omoide = opened()
    for i, name in enumerate(names):
        assert paths(omoide.search(f"unique{chr(97 + i) * 3}word")) == [name]
        assert omoide.get(name).text == f"unique{chr(97 + i) * 3}word here", name
