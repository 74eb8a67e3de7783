"""However a home came to be as it is, it is found as if it were new."""

from __future__ import annotations

import shutil
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from omoide import Omoide, Settings
from omoide.models.hashing import HashingEmbedder
from omoide.testing import FixedClock

NOW = datetime.fromisoformat("2026-11-30T12:00:00+09:00")
NAMES = ("MEMORY.md", "memory/2026-11-24.md", "memory/2026-10-01.md", "people/x/card.md", "a b.md", "日本/語.md", "deep/er/note.md")
TEXTS = (
    "# Cats\n\n- the cat sleeps\n- 猫の体重は四キロ\n", "## 09:00 朝会\n\n認証の不具合を直した。\n\n## 10:00 cat\n\nfed the cat\n", "", "one line about a cat",
    "---\ntitle: Cat food\n---\n\n| food | price |\n|---|---|\n| rice | 3 |\n", "```\ncat code\n```\n", "the cat " * 800, "# Cats\n\n- the cat sleeps\n- the dog too\n",
)  # fmt: skip
QUERIES = ("cat", "猫の体重", "認証 cat food", "the dog sleeps")
STEP = st.tuples(st.sampled_from(["write", "write", "write", "remove", "rename", "search"]), st.sampled_from(NAMES), st.sampled_from(NAMES), st.sampled_from(TEXTS))


def do(home: Path, step: tuple[str, str, str, str]) -> None:
    """One thing that a person or a program does to the files."""
    what, name, other, text = step
    place, target = home / name, home / other
    if what == "write":
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    elif what == "remove":
        place.unlink(missing_ok=True)
    elif what == "rename" and place.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        place.rename(target)


def answers(omoide: Omoide) -> list[list[tuple[str, float, tuple[int, int]]]]:
    """Ids, scores and lines of the hits of every query in every recipe."""
    return [
        [(hit.chunk.id, hit.score, hit.chunk.lines) for hit in omoide.search(text, recipe=recipe, limit=50).hits]
        for text in QUERIES
        for recipe in ("lexical", "dense", "default")
    ]


@given(history=st.lists(STEP, min_size=1, max_size=14))
@settings(max_examples=max(15, settings().max_examples // 10))
def test_any_history_of_edits_equals_a_fresh_index(history: list[tuple[str, str, str, str]], tmp_path_factory: pytest.TempPathFactory) -> None:
    """After any adds, edits, removals and renames with searches in between, ids, lines and scores to 1e-9 are those of a new index."""
    folder = tmp_path_factory.mktemp("history")
    home = folder / "home"
    home.mkdir()

    def opened(cache: str) -> Omoide:
        return Omoide(home, settings=Settings().with_values({"home.zone": "Asia/Tokyo"}), embedder=HashingEmbedder(32), cache=folder / cache, clock=FixedClock(NOW))

    with opened("old") as old:
        for step in history:
            if step[0] == "search":
                old.search("cat")
            do(home, step)
        old.build()
        with opened("new") as new:
            new.build()
            for one, other in zip(answers(old), answers(new), strict=True):
                assert [(key, lines) for key, _, lines in one] == [(key, lines) for key, _, lines in other]
                assert [score for _, score, _ in one] == pytest.approx([score for _, score, _ in other], abs=1e-9)
            assert old.verify()["wrong"] == []
            assert {key: old.status()[key] for key in ("files", "chunks", "vectors")} == {key: new.status()[key] for key in ("files", "chunks", "vectors")}
    shutil.rmtree(folder)
