"""The sample home shows what it was written to show."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from omoide import Collection, Omoide, Results, Scope, Settings
from omoide.api.recalling import told
from omoide.models.hashing import HashingEmbedder

HOME = Path(__file__).parents[2] / "examples" / "home"
NOW = datetime.fromisoformat("2026-11-30T12:00:00+09:00")
FIVE = ("auth-ts-settings", "auth-ts-other-lines", "auth-ts-fix-log", "auth-env-vars", "session-handling")
"""By relevance 1, 2, 3, 4, 5: settings, the same lines again, the log of the fix, the variables, the sessions."""

Ask = Callable[..., Results]


@pytest.fixture(scope="module", params=["none", "hashing"])
def ask(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """Searches the sample home at the fixed moment, with words only and with vectors."""
    cache = tmp_path_factory.mktemp("cache")
    embedder = HashingEmbedder() if request.param == "hashing" else None
    with ExitStack() as stack:

        def search(text: str, limit: int = 5, **values: Any) -> Results:
            settings = Settings().with_values({"embedding.model": "none", "home.zone": "Asia/Tokyo"} | values)
            omoide = stack.enter_context(Omoide(HOME, settings=settings, embedder=embedder, cache=cache))
            if embedder:
                omoide.build()
            return omoide.search(text, scope=Scope(now=NOW), limit=limit)

        yield search


def names(found: Results) -> list[str]:
    """File names without their suffix, in order."""
    return [Path(hit.chunk.path).stem for hit in found.hits]


def test_mmr_09_the_auth_ts_example(ask: Ask) -> None:
    """At λ 0.7 the order is 1, 4, 5, 3, 2: the two that repeat the first move down; without MMR it is 1, 2, 3, 4, 5."""
    one, two, three, four, five = FIVE
    assert names(ask("auth.ts の認証設定")) == [one, four, five, three, two]
    assert names(ask("auth.ts の認証設定", **{"search.mmr.enabled": False})) == list(FIVE)
    assert names(ask("auth.ts の認証設定", **{"search.mmr.lambda": 1})) == list(FIVE)


def test_ocw_09_the_fix_comes_before_the_policies(ask: Ask) -> None:
    """"How did we fix the authentication bug?" has the note of the OAuth token refresh first, above all about authorization policies."""
    found = ask("How did we fix the authentication bug?", limit=20)
    assert names(found)[0] == "2026-11-24"
    texts = [f"{hit.chunk.context} {hit.chunk.text}".lower() for hit in found.hits]
    assert "refresh" in texts[0]
    assert not any("authorization polic" in text for text in texts[:1])


def test_ocw_13_the_newer_talk_comes_first(ask: Ask) -> None:
    """The fix of last week ranks above the talk about the same fault of half a year ago."""
    found = names(ask("OAuth token refresh authentication bug", limit=30))
    assert found.index("2026-11-24") < (found.index("2026-05-28") if "2026-05-28" in found else 99)


RECALLED = {
    "スケッチ 保存 決定": [
        "この範囲に無かった語: 決定", "全部の語がそろう記録は無い。一部の語がある記録:",
        "2025-12-17 10:00  〔一致: 保存〕", "2026-03-11 14:10  〔一致: スケッチ〕", "2026-07-30 16:30  〔一致: スケッチ・保存〕",
        "2026-08-06 10:30  〔一致: スケッチ・保存〕", "2026-08-13 15:00  〔一致: スケッチ〕", "2026-10-15 16:40  〔一致: スケッチ・保存〕",
        "2026-10-17 20:10  〔一致: 保存〕",
    ],
    "sketch save decision": [
        "not in this range: decision", "no entry holds all words; these hold some",
        "2026-05-31 10:30  [matched: save]", "2026-06-16 13:30  [matched: sketch]",
        "2026-09-24 14:30  [matched: sketch · save]", "2026-11-26 16:45  [matched: sketch · save]",
    ],
}  # fmt: skip
"""What recall says of the sketches of the duty board: the missing word, then time and marks of each entry."""


@pytest.mark.parametrize("words", RECALLED)
def test_rcl_11_the_word_that_was_missing_is_named(words: str, tmp_path: Path) -> None:
    """One word too many is named on top; below it stand the entries with any of the others, oldest first, each with its own."""
    with Omoide(HOME, settings=Settings().with_values({"embedding.model": "none"}), cache=tmp_path) as omoide:
        found = omoide.recall(words, scope=Scope(now=NOW))
        assert omoide.recall(words, scope=Scope(now=NOW), rule="all-words").hits == ()
        both = omoide.recall(words, scope=Scope(now=NOW), limit=2)
    lines = told(found, 1000)
    assert lines[:2] + [f"{line.split('  ')[0]}  {line.split('  ')[-1]}" for line in lines[2:]] == RECALLED[words]
    assert [hit.trace[-1].facts["matched"] for hit in both.hits if hit.trace[-1].facts] == [words.split()[:2]] * 2


SUBJECTS = ("nightly backup", "login token", "payment queue", "search index", "mail gateway", "invoice export")
FIXES = ("restarted the worker and watched it", "cleared the cache by hand", "raised the memory limit", "rolled back the last release",
         "asked the provider for help", "added a missing column")  # fmt: skip
ENDINGS = ("", "again", "as last time", "before lunch", "after the call", "with Aya", "in the evening", "for the third time")
AUTHORS = ("Sato", "Mori", "Abe", "Ono", "Ito")


def store(size: int, authors: int, seed: int) -> list[dict[str, Any]]:
    """Notes on six subjects, few of which make most of the notes, as in any log that grows."""
    chance = random.Random(seed)
    rows = []
    for i in range(size):
        subject = min(int(chance.paretovariate(1.0)) - 1, 5) if size > 10 else i % 5
        text = f"The {SUBJECTS[subject]} deploy failed: {FIXES[subject]} {chance.choice(ENDINGS)} {chance.choice(ENDINGS)}".strip()
        text = f"{AUTHORS[i % authors]}: {text}" if authors > 1 else text
        rows.append({"id": f"n{i}", "text": text, "subject": SUBJECTS[subject]})
    return rows


def subjects_in_five(rows: list[dict[str, Any]], enabled: bool) -> int:
    """Distinct subjects among the first five."""
    with Collection(rows, settings=Settings().with_values({"search.mmr.enabled": enabled})) as notes:
        return len({hit.chunk.subject for hit in notes.search("why did the deploy fail", limit=5).hits})


@pytest.mark.parametrize("authors", [1, 5])
def test_mmr_13_14_the_gain_grows_with_the_store(authors: int) -> None:
    """With MMR the first five tell of more subjects, and the more so the larger the store, by one author or by five."""
    gain = {}
    for size in (10, 1000):
        pairs = [(subjects_in_five(rows, False), subjects_in_five(rows, True)) for rows in (store(size, authors, seed) for seed in range(4))]
        assert all(on >= off for off, on in pairs)
        gain[size] = sum(on - off for off, on in pairs)
    assert 0 < gain[10] < gain[1000]
