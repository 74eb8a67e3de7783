"""`recall` and `log` through the public verbs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide import Chunk, Collection, Omoide, Scope
from omoide.errors import BadInput
from omoide.text.wording import word_form

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
OWNER = Scope(now=NOW)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Three days of a log, one entry far longer than any chunk."""
    (tmp_path / "memory").mkdir()
    filler = "\n\n".join(f"- 項目{number} について長く書いた一行の記録" for number in range(200))
    (tmp_path / "memory/2026-03-01.md").write_text(f"## 10:00 スケッチ\n\n{filler}\n\n最後に保存の話\n\n## 11:00 別件\n\n猫\n", "utf-8")
    (tmp_path / "memory/2026-03-02.md").write_text("## 09:00 Servers\n\nsaved the sketch of the rack\n", "utf-8")
    (tmp_path / "memory/2026-03-03.md").write_text("no heading, only 保存\n", "utf-8")
    return tmp_path


def told(omoide: Omoide, *words: str, **more: object) -> tuple[list[str], list[str]]:
    """Places of the hits, and codes of the notices."""
    found = omoide.recall(list(words), scope=OWNER, **more)  # type: ignore[arg-type]
    return [f"{hit.chunk.path}:{hit.chunk.lines[0]}" for hit in found.hits], [notice.code for notice in found.notices]


def test_an_entry_is_whole(home: Path) -> None:
    """However long a section is, all words may stand anywhere in it."""
    with Omoide(home) as omoide:
        assert told(omoide, "スケッチ", "保存", "項目150") == (["memory/2026-03-01.md:1"], [])


def test_one_word_too_many(home: Path) -> None:
    """Any word, oldest first, each with what it holds; the missing word is named before anything else."""
    with Omoide(home) as omoide:
        found = omoide.recall("スケッチ 保存 決定", scope=OWNER)
        assert [(hit.chunk.path, hit.trace[-1].facts["matched"]) for hit in found.hits if hit.trace[-1].facts] == [
            ("memory/2026-03-01.md", ["スケッチ", "保存"]), ("memory/2026-03-03.md", ["保存"])
        ]  # fmt: skip
        assert next(notice.text for notice in found.notices) == "この範囲に無かった語: 決定"
        assert told(omoide, "スケッチ", "決定", rule="all-words") == ([], ["absent_words", "nothing_found"])


def test_periods(home: Path) -> None:
    """Both ends are included; without words all of the period; what lies outside of it is hinted at."""
    day = lambda number, hour=0: datetime(2026, 3, number, hour, tzinfo=UTC)  # noqa: E731
    with Omoide(home) as omoide:
        zone = omoide.zone
        assert told(omoide, since=day(2).replace(tzinfo=zone), until=day(2, 23).replace(tzinfo=zone)) == (["memory/2026-03-02.md:1"], [])
        assert told(omoide, "sketch", since=day(3))[1] == ["absent_words", "nothing_found", "outside_period"]
        assert told(omoide, since=day(1) - timedelta(days=9), limit=2)[1] == ["cut_off"]


@pytest.mark.parametrize(
    ("words", "more", "said"),
    [("", {}, "words, or a period"), ("?! …", {}, "no letter"), (" ".join(map(str, range(1000))), {}, "50 at most"), ("a", {"limit": 0}, "1 or more"),
     ("a", {"rule": "best"}, "all-words, recall"), ("a", {"since": datetime(2026, 1, 1)}, "zone"),
     ("a", {"since": NOW, "until": NOW - timedelta(1)}, "before since")],
)  # fmt: skip
def test_bad_questions(home: Path, words: str, more: dict[str, object], said: str) -> None:
    """A sentence says what is wrong."""
    with Omoide(home) as omoide, pytest.raises(BadInput, match=said):
        omoide.recall(words, **more)  # type: ignore[arg-type]


def test_a_log_can_be_found_again(home: Path) -> None:
    """What `log` adds, `recall` finds at once; the record of a failed search is marked; a vague entry draws a hint."""
    with Omoide(home) as omoide:
        kept = omoide.log("the rack is painted green", title="Rack", session="s-7", at=NOW)
        assert (kept.path, kept.line, kept.hint) == ("memory/2026-11-30.md", 1, "")
        assert "hard to find" in omoide.log("fixed bug", at=NOW).hint
        omoide.log("nobody knows of a yellow rack", failed=True, at=NOW)
        found = omoide.recall("rack", scope=OWNER)
        assert [bool(hit.trace[-1].facts and hit.trace[-1].facts["failed"]) for hit in found.hits] == [False, False, True]
        assert found.hits[1].chunk.when == NOW
        (home / "memory/2026-03-02.md").write_text("## 09:00 Servers\n\nnothing of the sort\n", "utf-8")
        assert [hit.chunk.path for hit in omoide.recall("rack", scope=OWNER).hits] == ["memory/2026-11-30.md"] * 2


AUDIENCES = st.sampled_from(["me", "all", "person:a", "room:b"])
WORDS = st.lists(st.sampled_from(["スケッチ", "ｽｹｯﾁ", "保存", "rack", "RACK", "サーバー", "サーバ"]), min_size=1, max_size=4)


@given(st.lists(st.tuples(AUDIENCES, WORDS, st.integers(0, 5)), max_size=8), st.frozensets(AUDIENCES), WORDS)
def test_it_reads_what_the_caller_may_read(rows: list[tuple[str, list[str], int]], heard: frozenset[str], words: list[str]) -> None:
    """Hits, counts and the names of missing words are those of a home that holds nothing else."""
    chunks = [
        Chunk(f"n{at}", "", (0, 0), audience, " ".join(texts), "", NOW + timedelta(hours=hour)) for at, (audience, texts, hour) in enumerate(rows)
    ]
    with Collection(chunks) as everything, Collection([chunk for chunk in chunks if chunk.audience in heard]) as theirs:
        scope = Scope("x", heard, NOW)
        mine, other = everything.recall(words, scope=scope), theirs.recall(words)
        assert [hit.chunk.id for hit in mine.hits] == [hit.chunk.id for hit in other.hits]
        assert (mine.facts, mine.notices) == (other.facts, other.notices)
        whole = [chunk.id for chunk in chunks if chunk.audience in heard and all(word_form(word) in word_form(chunk.text) for word in words)]
        assert not whole or {hit.chunk.id for hit in mine.hits} == set(whole)
