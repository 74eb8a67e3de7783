"""Public reports from neighbouring projects about real files and about search, one test a report, its number in the name."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import numpy as np
import pytest

from omoide import Collection, Scope
from omoide.models.hashing import HashingEmbedder
from omoide.testing import CountingEmbedder
from parts.reports import FILLER, Open, Other, codes, ids, notes, paths

# -- ecosystem, 4: files that people really have ---------------------------------------------------


def test_eco_c44_nul_and_surrogates() -> None:
    """A note with NUL, a lone surrogate and CR is found by its words; only the index holds another character."""
    with notes("alpha\x00beta \ud800 gamma\rdelta") as made:
        for query in ("alpha", "gamma", "delta"):
            assert ids(made.search(query)) == ["n0"]
        made.search("alpha").hits[0].chunk.text.encode("utf-8")


def test_eco_c49_front_matter_shapes(opened: Open, home: Path) -> None:
    """Behind a BOM, a blank line, trailing spaces or an ending of dots, the body of a note is found with its true lines."""
    for name, text in {"bom": "\ufeff---\ntitle: T\n---\nbombody\n", "spaces": "--- \ntitle: T\n--- \nspacebody\n", "dots": "---\ntitle: T\n...\ndotbody\n",
                       "blank": "\n---\ntitle: T\n---\nblankbody\n"}.items():  # fmt: skip
        (home / f"{name}.md").write_text(text, encoding="utf-8")
    omoide = opened()
    for word, name in (("bombody", "bom"), ("spacebody", "spaces"), ("dotbody", "dots"), ("blankbody", "blank")):
        hit = omoide.search(word).hits[0]
        assert hit.chunk.path == f"{name}.md"
        lines = (home / f"{name}.md").read_text(encoding="utf-8").split("\n")
        assert word in "\n".join(lines[hit.chunk.lines[0] - 1 : hit.chunk.lines[1]])


def test_eco_c50_two_blocks(opened: Open, home: Path) -> None:
    """With two front matter blocks the note is found, nothing is written, and doctor tells."""
    text = "---\ntitle: One\n---\n---\ndate: x\n---\nbody zebra\n"
    (home / "a.md").write_text(text, encoding="utf-8")
    omoide = opened()
    assert paths(omoide.search("zebra")) == ["a.md"]
    assert "second_front_matter" in [item["what"] for item in omoide.doctor()]
    assert (home / "a.md").read_text(encoding="utf-8") == text


def test_eco_c53_callouts_stay_text(opened: Open, home: Path) -> None:
    """The text of a callout is found as it stands."""
    (home / "a.md").write_text("> [!note] Title\n> the zebra sleeps\n\n> [!warning]\n> beware\n", encoding="utf-8")
    assert "the zebra sleeps" in opened().search("zebra").hits[0].chunk.text


def test_eco_c59_a_foreign_vault_is_not_touched(opened: Open, home: Path) -> None:
    """Reading somebody's vault writes not one byte into it and makes no file."""
    (home / ".obsidian").mkdir()
    (home / "note.md").write_text("zebra\n", encoding="utf-8")
    before = sorted((str(path), path.stat().st_mtime_ns) for path in home.rglob("*"))
    omoide = opened()
    omoide.search("zebra")
    omoide.build(force=True)
    assert sorted((str(path), path.stat().st_mtime_ns) for path in home.rglob("*")) == before


def test_eco_c61_file_names_in_nfd(opened: Open, home: Path) -> None:
    """A file whose name a Mac wrote in NFD is found and read by either form."""
    name = unicodedata.normalize("NFD", "がギグ.md")
    (home / name).write_text("zebra\n", encoding="utf-8")
    omoide = opened()
    assert paths(omoide.search("zebra")) == ["がギグ.md"]
    assert paths(omoide.search("がギグ")) == ["がギグ.md"]
    assert omoide.get(name).outcome == omoide.get("がギグ.md").outcome == "found"


def test_eco_c62_text_of_a_japanese_windows(opened: Open, home: Path) -> None:
    """A note in CP932 is either read rightly or named with a reason; it is never indexed as rubbish."""
    (home / "a.md").write_bytes("①髙橋～旅券の期限".encode("cp932"))
    omoide = opened()
    found = paths(omoide.search("旅券の期限"))
    assert found == ["a.md"] or "a.md" in [item["where"] for item in omoide.doctor()]


# -- ecosystem, 5: search --------------------------------------------------------------------------


def test_eco_c67_katakana_inside_a_compound() -> None:
    """Each word of a katakana compound is found."""
    with notes("サンドボックス修正テスト") as made:
        for query in ("サンドボックス", "修正", "テスト"):
            assert ids(made.search(query)) == ["n0"]


def test_eco_c68_short_han_words() -> None:
    """Words of one, two and four characters are found."""
    with notes("設備一覧は猫の棚") as made:
        for query in ("設備", "設備一覧", "猫"):
            assert ids(made.search(query)) == ["n0"]


def test_eco_c70_a_phrase_in_brackets() -> None:
    """A phrase in its brackets is found inside a longer text."""
    with notes("系统会保存「用户身份」并且在登录时检查") as made:
        assert ids(made.search("「用户身份」")) == ["n0"]
        assert ids(made.search("用户身份")) == ["n0"]


def test_eco_c71_short_and_long_words_together() -> None:
    """Short words hit alone and beside a long one."""
    with notes("AIの話", "猫の写真", "東京の家賃", "サンドボックスの件") as made:
        for query, key in (("AI", "n0"), ("猫", "n1"), ("東京", "n2")):
            assert ids(made.search(query)) == [key]
            assert set(ids(made.search(f"{query} サンドボックス"))) == {key, "n3"}


@pytest.mark.parametrize(("one", "other"), [("ﾃｽﾄ", "テスト"), ("ＡＷＳ", "AWS"), ("髙橋", "高橋"), ("サーバ", "サーバー")])
def test_eco_c73_widths_and_old_forms(one: str, other: str) -> None:
    """Half-width kana, full-width letters, old kanji and a missing long vowel mark make no difference, either way round."""
    for stored, typed in ((one, other), (other, one)):
        with notes(f"今日は{stored}の日") as made:
            assert ids(made.search(typed)) == ["n0"]


@pytest.mark.parametrize("query", ["pve-01", "v2.5 release", "host:8080", "a/b", "C++", '"x', "a OR", "NEAR(", "*", "", "\0", "🦉", '"', "x'); DROP TABLE chunks; --"])
def test_eco_c74_punctuation_in_queries(query: str) -> None:
    """No punctuation is an error in any recipe; a code finds its note."""
    made = Collection([{"id": "n0", "text": "pve-01 host:8080 C++ v2.5"}, *({"id": f"f{i}", "text": text} for i, text in enumerate(FILLER))], embedder=HashingEmbedder(32))
    made.embed()
    for recipe in ("lexical", "dense", "hybrid", "default"):
        found = made.search(query, recipe=recipe)
        assert found.hits or found.notices
        if query in ("pve-01", "host:8080", "C++"):
            assert recipe == "dense" or ids(found)[0] == "n0"
    made.close()


def test_eco_c77_c79_no_word_matches() -> None:
    """With no word in common the order is that of the vectors, and the keyword part is absent, neither negative nor stretched."""
    rows = [{"id": f"n{i}", "text": text} for i, text in enumerate(FILLER)]
    vectors = np.eye(3, dtype=np.float32)
    asked = np.array([0.2, 0.9, 0.4], np.float32) / np.linalg.norm([0.2, 0.9, 0.4])
    with Collection(model="m", dimensions=3) as made:
        made.add(rows, vectors)
        dense, both = (made.search("zebra", recipe=recipe, vector=asked.astype(np.float32)) for recipe in ("dense", "hybrid"))
        assert ids(dense) == ids(both) == ["n1", "n2", "n0"]
        assert all(hit.lane("lexical") is None for hit in both.hits)
        assert [hit.score for hit in both.hits] == pytest.approx([0.5 * hit.score for hit in dense.hits])


def test_eco_c77_a_weak_word_is_not_stretched() -> None:
    """A lone keyword hit on one common word keeps a low score beside good vectors."""
    rows = [{"id": "weak", "text": "the zebra and many other words that say nothing " * 5}, {"id": "good", "text": "striped horse"}]
    with Collection(model="m", dimensions=2) as made:
        made.add(rows, np.eye(2, dtype=np.float32))
        found = made.search("which zebra facts about savanna stripes and diet", recipe="hybrid", vector=np.array([0, 1], np.float32))
        assert ids(found)[0] == "good"


def test_eco_c80_one_documented_scale() -> None:
    """An exact title is a clear match: above one half, in every recipe with words, and no score is above 1."""
    with Collection([{"id": "n0", "title": "Quarterly zebra census", "text": "Quarterly zebra census"}, {"id": "n1", "text": "other"}], embedder=HashingEmbedder(64)) as made:
        made.embed()
        for recipe in ("lexical", "hybrid", "default"):
            assert 0.5 < made.search("Quarterly zebra census", recipe=recipe).hits[0].score <= 1


def test_eco_c82_late_text(opened: Open, home: Path) -> None:
    """A unique word at character 50,000 is found."""
    (home / "long.md").write_text("plain words here. " * 2800 + "quokkafield\n", encoding="utf-8")
    assert "quokkafield" in opened().search("quokkafield").hits[0].chunk.text


def test_eco_c85_tables(opened: Open, home: Path) -> None:
    """Each piece of an eighty-row table carries the header in the searched text, and its lines are true."""
    rows = [f"| host-{i:02} | 10.0.0.{i} | 担当は佐藤さんと高橋さん |" for i in range(80)]
    (home / "t.md").write_text("| name | address | who |\n|---|---|---|\n" + "\n".join(rows) + "\n", encoding="utf-8")
    omoide = opened()
    chunks = omoide.inspect_chunks("t.md")
    assert len(chunks) > 1
    assert all(chunk["text"].startswith("| name | address | who |\n|---|---|---|\n") for chunk in chunks)
    hit = omoide.search("host-77").hits[0]
    lines = (home / "t.md").read_text(encoding="utf-8").split("\n")[hit.chunk.lines[0] - 1 : hit.chunk.lines[1]]
    assert any("host-77" in line for line in lines)
    assert all(line in hit.chunk.text for line in lines)


@pytest.mark.parametrize("mark", ["```", "````", "~~~"])
def test_eco_c86_fences(opened: Open, home: Path, mark: str) -> None:
    """A block of 300 lines is cut with its marks on every piece."""
    inner = "~~~" if mark == "```" else "```"
    body = "\n".join(inner if i % 90 == 40 else f"value_{i} = {i}" for i in range(300))
    (home / "c.md").write_text(f"# Code\n\n{mark}py\n{body}\n{mark}\n", encoding="utf-8")
    chunks = opened().inspect_chunks("c.md")
    assert len(chunks) > 1
    assert all(sum(line.startswith(mark) for line in chunk["text"].split("\n")) == 2 for chunk in chunks)


def test_eco_c88_back_to_the_first_model(opened: Open, home: Path) -> None:
    """A, then B out of reach, then B, then A: words still hit, vectors of A are kept, and nothing is embedded twice."""
    (home / "n.md").write_text("\n\n".join(f"# h{i}\n\nzebra note {i}" for i in range(50)), encoding="utf-8")
    first = CountingEmbedder(Other("A", 256))
    opened(first).build()
    away = opened(Other("B", 384, reachable=False))
    assert away.search("zebra note 7").hits
    assert set(codes(away.search("zebra note 7"))) & {"no_vectors", "model_failed"}
    opened(Other("B", 384)).build()
    again = CountingEmbedder(Other("A", 256))
    assert opened(again).build()["coverage"] == 1.0
    assert again.texts == 0


def test_eco_c89_coverage_is_told() -> None:
    """With nine of ten vectors gone the search says how many chunks have one."""
    made = Collection(({"id": f"n{i}", "text": f"zebra {i}"} for i in range(10)), embedder=HashingEmbedder(32))
    made.embed()
    made.add({"id": f"m{i}", "text": f"new zebra {i}"} for i in range(90))
    found = made.search("zebra")
    assert codes(found) == ["partial_vectors"]
    assert "10 of 100" in found.notices[0].text
    made.close()


def test_eco_c92_the_filter_holds_for_both_halves() -> None:
    """With one filter for rights and one for kinds, no recipe returns what either leaves out."""
    rows = [{"id": f"{who}{kind}{i}", "text": "zebra", "audience": who, "kind": kind} for who in ("me", "you") for kind in ("log", "card") for i in range(5)]
    made = Collection(rows, embedder=HashingEmbedder(32))
    made.embed()
    for recipe in ("lexical", "dense", "hybrid", "default"):
        found = made.search("zebra", recipe=recipe, limit=50, kinds=["log"], scope=Scope("me", frozenset({"me"})))
        assert set(ids(found)) == {f"melog{i}" for i in range(5)}
    made.close()


def test_eco_c94_notes_without_a_field_for_rights(opened: Open, home: Path) -> None:
    """An ordinary old note is the owner's: seen by the owner, by nobody else."""
    (home / "old.md").write_text("zebra\n", encoding="utf-8")
    omoide = opened()
    assert omoide.search("zebra", scope=Scope("owner", frozenset({"me"}))).hits
    assert not omoide.search("zebra", scope=Scope("x", frozenset({"all", "person:x"}))).hits


@pytest.mark.parametrize("settle", ["search", "build", "force"])
def test_eco_c95_deleted_is_gone(opened: Open, home: Path, tmp_path: Path, settle: str) -> None:
    """A deleted note is found in no recipe, and after the next build with force its text is nowhere in the cache folder."""
    for i in range(5):
        (home / f"n{i}.md").write_text(f"zebra note {i}\n", encoding="utf-8")
    (home / "secret.md").write_text("quokkasecret zebra\n", encoding="utf-8")
    omoide = opened(HashingEmbedder(32))
    omoide.build()
    assert "secret.md" in paths(omoide.search("quokkasecret"))
    (home / "secret.md").unlink()
    for recipe in ("lexical", "dense", "hybrid", "default"):
        assert "secret.md" not in paths(omoide.search("quokkasecret zebra", recipe=recipe))
    if settle != "search":
        omoide.build(force=settle == "force")
    omoide.close()
    if settle == "force":
        left = [Path(folder) / name for folder, _, names in os.walk(tmp_path / "cache") for name in names]
        left = [path for path in left if path.name != "calls.jsonl"]  # the question above is in there, not the note
        assert not any(b"quokkasecret" in path.read_bytes() for path in left)
