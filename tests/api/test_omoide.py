"""The verbs on a home."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from omoide import Omoide, Results, Scope, Settings
from omoide.errors import BadInput, BadSettings, StoreFailed
from omoide.models.hashing import HashingEmbedder
from omoide.testing import CountingEmbedder, FixedClock, ScriptedModelServer

Opened = Callable[..., Omoide]
NOW = datetime.fromisoformat("2026-11-30T12:00:00+09:00")


def paths(found: Results) -> list[str]:
    """Paths of the hits, each once, in order."""
    return list(dict.fromkeys(hit.chunk.path for hit in found.hits))


def codes(found: Results) -> list[str]:
    """Codes of the notices."""
    return [notice.code for notice in found.notices]


# -- search ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("旅券の期限", "MEMORY.md"), ("認証の不具合", "memory/2026-11-24.md"), ("2026.4.10", "memory/2026-11-24.md"),
        ("peanut allergies", "people/sato-ken-7f3a/card.md"), ("窓側", "people/sato-ken-7f3a/drawer/travel.md"), ("鍋", "rooms/ie-c8f4/log/2026-11-15.md"),
        ("make ship", "knowledge/deploy.md"), ("newest log", "agent/skills/summary.md"), ("zebra", "deep/a/b/c/zebra.md"), ("夕食", "rooms/ie-c8f4/log/2026-11-15.md"),
    ],
)  # fmt: skip
def test_ocw_01_text_in_any_file_is_found(opened: Opened, text: str, path: str) -> None:
    """Whatever folder a note lies in, a search for its words has it first."""
    assert paths(opened().search(text))[0] == path


def test_a_hit_says_where_it_stands(opened: Opened, home: Path) -> None:
    """Path and lines lead to the text itself, and the heading and the day of the file are with it."""
    hit = opened().search("認証の不具合を直した").hits[0]
    assert hit.chunk.text in "\n".join((home / hit.chunk.path).read_text(encoding="utf-8").split("\n")[hit.chunk.lines[0] - 1 : hit.chunk.lines[1]])
    assert hit.chunk.when == datetime.fromisoformat("2026-11-24T09:15:00+09:00")
    assert hit.chunk.context == "2026-11-24"
    assert hit.chunk.id == "memory/2026-11-24.md:3"


def test_edits_renames_and_removals_are_seen_at_the_next_search(opened: Opened, home: Path) -> None:
    """What changed on disk since the last search is in the next one, in a process that stays and in a new one."""
    omoide = opened()
    omoide.search("zebra")
    (home / "deep/a/b/c/zebra.md").write_text("giraffe crossing\n", encoding="utf-8")
    (home / "knowledge/deploy.md").rename(home / "knowledge/release.md")
    (home / "MEMORY.md").unlink()
    (home / "new.md").write_text("quokka\n", encoding="utf-8")
    for one in (omoide, opened()):
        assert not one.search("zebra").hits or "zebra" not in one.search("zebra").hits[0].chunk.text
        assert paths(one.search("giraffe")) == ["deep/a/b/c/zebra.md"]
        assert paths(one.search("make ship"))[0] == "knowledge/release.md"
        assert "MEMORY.md" not in paths(one.search("旅券"))
        assert paths(one.search("quokka")) == ["new.md"]


def test_an_edit_of_the_same_size_and_time_is_seen(opened: Opened, home: Path) -> None:
    """An editor that keeps size and modification time fools nobody: the change time differs."""
    omoide = opened()
    omoide.search("zebra")
    note = home / "deep/a/b/c/zebra.md"
    times = note.stat()
    note.write_text("tapir crossing\n"[:14] + "\n", encoding="utf-8")
    os.utime(note, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert omoide.search("tapir").hits


def test_nothing_in_the_home_is_written(opened: Opened, home: Path) -> None:
    """Search, build, verify and doctor leave every byte and every name as it was."""
    def state() -> dict[str, str]:
        return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(home.rglob("*")) if path.is_file()}

    before = state()
    omoide = opened("hashing")
    omoide.search("zebra")
    omoide.build(force=True)
    omoide.verify()
    omoide.doctor()
    assert state() == before


def test_the_cache_grows_back_equal(home: Path, tmp_path: Path) -> None:
    """A new index in an empty cache gives the very results of the old one."""
    def results(cache: str) -> list[list[tuple[str, float]]]:
        with Omoide(home, embedder=HashingEmbedder(64), cache=tmp_path / cache, clock=FixedClock(NOW)) as omoide:
            omoide.build()
            return [[(hit.chunk.id, hit.score) for hit in omoide.search(text).hits] for text in ("旅券", "release", "crossing", "log")]

    assert results("one") == results("two") == results("one")


def test_scope_is_decided_below_ranking(opened: Opened) -> None:
    """Each caller hears only what is meant for them; an empty scope hears nothing, by search and by path."""
    omoide = opened()
    ken = Scope("ken", frozenset({"person:sato-ken-7f3a", "all"}))
    assert paths(omoide.search("peanut allergy", scope=ken)) == ["people/sato-ken-7f3a/card.md"]
    assert not omoide.search("旅券の期限", scope=ken).hits
    assert not omoide.search("peanut allergy", scope=Scope("x", frozenset())).hits
    assert omoide.get("MEMORY.md", scope=ken).outcome == "not_allowed"
    assert omoide.get("people/sato-ken-7f3a/card.md", scope=ken).outcome == "found"
    assert omoide.get("People/sato-ken-7f3a/card.md", scope=Scope("x", frozenset({"all"}))).outcome in ("not_allowed", "not_found")


def test_narrowing(opened: Opened) -> None:
    """Kinds, subjects, a folder and times leave only what they say."""
    omoide = opened()
    assert set(paths(omoide.search("release 朝会 鍋", kinds=["log"]))) == {"memory/2026-11-24.md"}
    assert set(paths(omoide.search("鍋 窓側 peanut", subjects=["sato-ken-7f3a"]))) == {"people/sato-ken-7f3a/card.md", "people/sato-ken-7f3a/drawer/travel.md"}
    assert paths(omoide.search("crossing log", under="deep/")) == ["deep/a/b/c/zebra.md"]
    assert not omoide.search("release", until=NOW - timedelta(days=20)).hits
    assert paths(omoide.search("rice release", since=NOW - timedelta(days=3), kinds=["log"])) == ["memory/2026-11-29.md"]
    with pytest.raises(BadInput, match="list of names"):
        omoide.search("x", kinds="log")


def test_the_limit_and_the_least_score(opened: Opened) -> None:
    """The settings' limit holds unless the call says otherwise, and hits below min_score are left out with a notice."""
    assert len(opened(**{"search.limit": 1}).search("2026 log crossing").hits) == 1
    found = opened(**{"search.min_score": 0.99}).search("2026 log crossing zebra zzz")
    assert (found.hits, codes(found)[0]) == ((), "below_min_score")


def test_notices(opened: Opened) -> None:
    """Blank, nothing relevant, words only: the result says so."""
    omoide = opened()
    assert codes(omoide.search("  ")) == ["blank_query"]
    assert codes(omoide.search("qwzrk plonfitz"))[0] == "nothing_relevant"
    assert "words_only" in codes(omoide.search("zebra"))
    assert "words_only" not in codes(omoide.search("zebra", recipe="lexical"))


# -- models ----------------------------------------------------------------------------------------


def test_new_notes_get_their_vectors_on_the_way(opened: Opened, home: Path) -> None:
    """A few new chunks are embedded during a search; nothing is embedded twice; a rebuild embeds nothing again."""
    counting = CountingEmbedder(HashingEmbedder(64))
    omoide = opened(counting)
    omoide.build()
    status = omoide.status()
    assert status["coverage"] == 1.0
    omoide.search("zebra")
    before = counting.texts
    (home / "new.md").write_text("quokka\n", encoding="utf-8")
    assert "partial_vectors" not in codes(omoide.search("quokka"))
    assert counting.seen[before:] == ["new\nquokka", "quokka"]
    omoide.build(force=True)
    assert counting.texts == before + 2
    assert omoide.status()["coverage"] == 1.0


def test_a_model_that_fails_changes_nothing(home: Path, tmp_path: Path) -> None:
    """While an endpoint is down words are still compared, and the result says what failed."""
    with ScriptedModelServer() as server:
        values = {"embedding.model": "openai", "embedding.base_url": server.base_url, "embedding.name": "m", "embedding.dimensions": 256}
        with Omoide(home, settings=Settings().with_values(values), cache=tmp_path / "cache") as omoide:
            omoide.build()
            assert codes(omoide.search("zebra")) == []
            server.fail_next(20, status=400)
            found = omoide.search("zebra crossing")
            assert paths(found)[0] == "deep/a/b/c/zebra.md"
            assert codes(found) == ["model_failed"]


# -- get and start ---------------------------------------------------------------------------------


def test_ocw_02_get_outcomes(opened: Opened, home: Path) -> None:
    """Found, empty, not found and not allowed are four outcomes; no path is an exception."""
    (home / "empty.md").write_text("", encoding="utf-8")
    (home / "pic.png").write_bytes(b"\x89PNG")
    omoide = opened()
    page = omoide.get("memory/2026-11-29.md", first=3, count=2)
    assert (page.outcome, page.text, page.first, page.count, page.total, page.next_line) == ("found", "## 10:00\n", 3, 2, 5, 5)
    assert omoide.get("empty.md").outcome == "empty"
    assert omoide.get("memory/2099-01-01.md").outcome == "not_found"
    for path in ("memory", "pic.png", "../x.md", "/etc/passwd", "", "a\x00b.md", "people/../MEMORY.md", "x" * 5000, "C:\\x.md", "\ud800.md"):
        assert omoide.get(path).outcome in ("not_allowed", "not_found"), path
    assert omoide.get("pic.png").outcome == omoide.get("memory").outcome == omoide.get("../x.md").outcome == "not_allowed"
    with pytest.raises(BadInput):
        omoide.get("MEMORY.md", first=0)


def test_ocw_03_a_session_begins_with_little(opened: Opened) -> None:
    """MEMORY.md and the newest logs up to now are loaded, a log of a later day is not; the rest comes by search."""
    omoide = opened()
    assert [page.path for page in omoide.start()] == ["MEMORY.md", "memory/2026-11-24.md", "memory/2026-11-29.md"]
    assert [page.path for page in omoide.start(days=1)] == ["MEMORY.md", "memory/2026-11-29.md"]
    assert [page.path for page in omoide.start(days=0)] == ["MEMORY.md"]
    assert [page.path for page in omoide.start(now=NOW - timedelta(days=3))] == ["MEMORY.md", "memory/2026-11-24.md"]
    assert omoide.start(scope=Scope("x", frozenset({"all"}))) == []
    assert paths(omoide.search("plan for later")) == ["memory/2026-12-24.md"]


# -- care ------------------------------------------------------------------------------------------


def test_status_and_verify(opened: Opened) -> None:
    """The numbers are counted, and an index in step with its files has nothing wrong."""
    omoide = opened("hashing")
    built = omoide.build()
    assert (built["files"], built["refused"]) == (10, [])
    assert built["chunks"] == built["vectors"] > 10
    found = omoide.verify()
    assert (found["files"], found["wrong"], found["do"]) == (10, [], "")


def test_doctor(opened: Opened, home: Path) -> None:
    """What is not used is named with its reason; a good home has nothing to tell."""
    omoide = opened("hashing")
    omoide.build()
    assert omoide.doctor() == []
    (home / "link.md").symlink_to("/etc/passwd")
    (home / "binary.md").write_bytes(b"\x00\x01")
    assert {(item["what"], item["where"]) for item in omoide.doctor()} == {("symlink", "link.md"), ("binary", "binary.md")}
    assert all(item["text"] for item in omoide.doctor())


def test_an_empty_home_is_named(tmp_path: Path) -> None:
    """A folder without notes is asked about, and a search in it finds nothing and says so."""
    (tmp_path / "home").mkdir()
    with Omoide(tmp_path / "home", settings=Settings().with_values({"embedding.model": "none"}), cache=tmp_path / "cache") as omoide:
        assert [item["what"] for item in omoide.doctor()] == ["empty_home"]
        assert codes(omoide.search("x"))[0] == "nothing_relevant"


def test_no_home(tmp_path: Path) -> None:
    """A folder that is not there is an error that says what to do."""
    with Omoide(tmp_path / "gone", settings=Settings().with_values({"embedding.model": "none"}), cache=tmp_path / "cache") as omoide:
        with pytest.raises(StoreFailed, match="does not exist"):
            omoide.search("x")
        assert omoide.get("a.md").outcome == "not_found"


def test_inspect_chunks(opened: Opened, home: Path) -> None:
    """How a file is cut: lines, context and terms of each chunk; a missing file is an error."""
    found = opened().inspect_chunks("MEMORY.md")
    assert [(chunk["lines"], chunk["context"]) for chunk in found] == [([5, 5], "MEMORY › Who"), ([6, 6], "MEMORY › Who")]
    assert "旅券" in found[0]["terms"]
    with pytest.raises(BadInput, match=r"nope\.md"):
        opened().inspect_chunks("nope.md")


def test_spr_06_inspect_word(opened: Opened) -> None:
    """The posting list of a word: in how many chunks, how often, of what length."""
    found = opened().inspect_word("crossing")
    assert [(term["term"], term["in"]) for term in found["terms"]] == [("cross", 1)]
    assert found["terms"][0]["postings"] == [{"id": "deep/a/b/c/zebra.md:1", "times": 1, "length": 3}]
    assert opened().inspect_word("nowhereword")["terms"][0]["in"] == 0


def test_inspect_query(opened: Opened) -> None:
    """What a query becomes, and every candidate with its trace."""
    found = opened().inspect_query("zebra zebra crossing")
    assert found["terms"] == [{"term": "zebra", "times": 2}, {"term": "cross", "times": 1}]
    assert found["hits"][0].chunk.path == "deep/a/b/c/zebra.md"
    assert found["hits"][0].trace[0].because
    assert found["candidates"] == 1


# -- settings of a home ----------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "text"), [("omoide.toml", "[search]\nlimit = 1\n"), ("omoide.json", '{"agents": {"defaults": {"memorySearch": {"query": {"maxResults": 1}}}}}')])
def test_a_home_brings_its_settings(home: Path, tmp_path: Path, name: str, text: str) -> None:
    """Without settings given, those of the home's own file hold; a wrong one is an error that names it."""
    (home / name).write_text(text, encoding="utf-8")
    with Omoide(home, cache=tmp_path / "cache", embedder=HashingEmbedder()) as omoide:
        assert omoide.settings.search.limit == 1
    (home / name).write_text(text.replace("limit", "limt").replace("maxResults", "maxResult"), encoding="utf-8")
    with pytest.raises(BadSettings, match=name):
        Omoide(home, cache=tmp_path / "cache")


def test_a_model_that_cannot_be_opened_costs_its_lane(tmp_path: Path) -> None:
    """An endpoint that is gone before its size is known: words are searched, search and doctor say why."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "a.md").write_text("- the walrus is well\n", encoding="utf-8")
    values = {"embedding.model": "openai", "embedding.base_url": "http://127.0.0.1:1/v1", "embedding.name": "m"}
    with Omoide(tmp_path / "home", cache=tmp_path / "cache", settings=Settings().with_values(values)) as omoide:
        found = omoide.search("walrus")
        assert [hit.chunk.path for hit in found.hits] == ["a.md"]
        assert [notice.code for notice in found.notices] == ["model_failed"]
        assert "model_failed" in [line["what"] for line in omoide.doctor()]


def test_only_who_may_read_hears_of_unread_files(tmp_path: Path) -> None:
    """A file that could not be read is counted for those who could read it, and for nobody else."""
    (tmp_path / "home" / "people" / "ann").mkdir(parents=True)
    (tmp_path / "home" / "people" / "ann" / "x.md").write_bytes(b"a\0b")
    with Omoide(tmp_path / "home", cache=tmp_path / "cache") as omoide:
        said = [{notice.code for notice in omoide.search("x", scope=scope).notices} for scope in (Scope(), Scope("bob", frozenset({"all", "person:bob"})))]
    assert "unread_files" in said[0]
    assert "unread_files" not in said[1]
