"""Words are looked up as they would be found by reading."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.index import entries, grams
from omoide.index.entries import Entry, Range
from omoide.index.index import Index
from omoide.index.write import purge, writing
from omoide.settings import Settings
from omoide.types import Chunk

AT = datetime(2026, 11, 30, tzinfo=UTC)
TEXTS = st.text(st.sampled_from('ab" c\nのノー猫か\u3099é.*'), max_size=12)


def filled(texts: list[str]) -> Index:
    """An index in memory with these entries, one a day."""
    index = Index(None, Settings().lexical)
    fill(index, texts)
    return index


def fill(index: Index, texts: list[str]) -> None:
    with writing(index) as writer:
        entries.add(writer, [Entry(Chunk(f"n{at}", f"f{at}", (1, 1), "all", text, "", AT.replace(day=1 + at))) for at, text in enumerate(texts)])


def holding(index: Index, word: str) -> set[int]:
    return entries.scan(index, [word], Range(frozenset({1}))).holding[0]


@pytest.mark.skipif(not grams.supported(), reason="this SQLite has no trigrams")
@given(st.lists(TEXTS, max_size=8), TEXTS.filter(str.strip), st.integers(0, 7))
def test_looked_up_is_read(texts: list[str], word: str, gone: int) -> None:
    """Whatever word of one byte or more: the entries are those whose form has it, also after some were removed and replaced."""
    index = filled(texts)
    with writing(index) as writer:
        entries.remove(writer.db, "path = ?", f"f{gone}")
        entries.remove(writer.db, "key = ?", "n1")
        entries.add(writer, [Entry(Chunk("n1", "f1", (1, 1), "all", word + "x", "", AT))])
    for one in (word, word[:1].strip() or word):
        found = holding(index, one)
        index.db.execute("ALTER TABLE gram_list RENAME TO hidden")
        assert found == holding(index, one)
        index.db.execute("ALTER TABLE hidden RENAME TO gram_list")
    index.close()


def test_without_trigrams() -> None:
    """An index that was made where SQLite has none has no such table: everything is found by reading, and kept and removed so."""
    index = filled([])
    index.db.executescript("DROP TABLE IF EXISTS gram_list; DROP TABLE IF EXISTS grams")
    fill(index, ["猫がいる", "a cat"])
    assert not grams.there(index.db)
    assert (holding(index, "猫"), holding(index, "cat"), holding(index, "dog")) == ({1}, {2}, set())
    with writing(index) as writer:
        entries.remove(writer.db, "path = ?", "f0")
    assert holding(index, "猫") == set()
    assert purge(index)


@pytest.mark.skipif(not grams.supported(), reason="this SQLite has no trigrams")
def test_nothing_is_left_of_what_was_removed() -> None:
    """After a purge no byte of the table comes from entries that are gone."""
    index, kept = filled(["xylograph zymurgist", "tea"]), filled(["tea"])
    with writing(index) as writer:
        entries.remove(writer.db, "path = ?", "f0")
    purge(index)
    assert index.db.execute("SELECT count(*) FROM gram_list WHERE term IN ('xyl', 'zym', 'ogr')").fetchone() == (0,)
    names = [{row[0] for row in one.db.execute("SELECT term FROM gram_list")} for one in (index, kept)]
    assert names[0] == names[1]
    assert not any(b"xyl" in row[0] for row in index.db.execute("SELECT block FROM grams_data"))


def test_the_newest() -> None:
    """By moment, then by place; of many they are met in order, of few they are looked up, with one answer."""
    index = filled([f"tea {number}" for number in range(20)])
    everyone = entries.scan(index, ["tea"], Range(frozenset({1}))).holding[0]
    by_look = entries.newest(index, everyone, 5)
    assert by_look == entries.newest(index, None, 5) == [20, 19, 18, 17, 16]
    assert entries.newest(index, {3, 9, 4}, 2) == [9, 4]
    assert entries.newest(index, set(range(-1000, 5)), 9) == [4, 3, 2, 1]
