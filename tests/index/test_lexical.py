"""BM25 against the formula, and who moves whose scores."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.index import lexical
from omoide.index.allowed import Narrow
from omoide.index.bm25 import idf
from omoide.index.index import Index
from omoide.index.write import tidy
from omoide.settings import Lexical, Settings
from parts.bm25 import add, by_the_book, filled, lane, lexical_settings, remove, row, scores

WORDS = ["alpha", "beta", "gamma", "deploys", "the", "猫", "東京タワー", "v2.5", "gamma"]
TEXT = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)
DEFAULTS = Settings().lexical


def test_spr_01_tf_idf() -> None:
    """With plain TF-IDF the rarity is ln(N/DF), and ten occurrences score double of five."""
    assert round(idf("log", 100, 60), 3) == 0.511
    assert round(idf("log", 100, 3), 3) == 3.507
    assert idf("log", 100, 0) == 0.0
    index = filled(["cat " * 10, "cat " * 5, *["dog"] * 8], lexical_settings(idf="log", weighting="tfidf"))
    found = scores(index, "cat")
    assert found["d0"] == pytest.approx(2 * found["d1"])
    assert found["d1"] == pytest.approx(5 * math.log(10 / 2))


def test_spr_02_bag_of_words() -> None:
    """The order of words counts for nothing."""
    index = filled(["cat hunts dog", "dog hunts cat", "bird"], lexical_settings(analyzer="words"))
    for query in ("cat", "dog hunts", "hunts cat dog bird"):
        found = scores(index, query)
        assert found["d0"] == found["d1"]


def test_spr_03_saturation_and_length() -> None:
    """Ten occurrences give less than double of five, and the longer of two texts with the same count gives less."""
    index = filled({"ten": "cat " * 10 + "x " * 10, "five": "cat " * 5 + "x " * 15, "long": "cat " * 5 + "x " * 95, "no": "x"})
    found = scores(index, "cat")
    assert found["five"] < found["ten"] < 2 * found["five"]
    assert found["long"] < found["five"]


def test_spr_05_the_forms_of_rarity() -> None:
    """For a word in more than half of the texts the textbook form is floored at 0 unless the floor says otherwise."""
    assert round(idf("textbook", 10, 3, -9), 2) == 0.76
    assert round(idf("textbook", 10, 2, -9), 2) == 1.22
    assert round(idf("textbook", 10, 6, -9), 3) == -0.368
    assert idf("textbook", 10, 6) == 0.0
    assert idf("plus-one", 10, 6) == pytest.approx(math.log(1 + 4.5 / 6.5))
    assert idf("plus-one", 1, 1) > 0


def test_spr_05_a_common_word_never_counts_against_a_text() -> None:
    """With the floor at 0 a word in most texts adds nothing; with the default form it adds a little."""
    texts = {f"d{i}": "common rare" if i == 0 else "common" if i < 6 else "other" for i in range(10)}
    assert set(scores(filled(texts, lexical_settings(idf="textbook")), "common")) == set()
    assert set(scores(filled(texts, lexical_settings(idf="textbook")), "common rare")) == {"d0"}
    assert len(scores(filled(texts), "common")) == 6


def test_spr_06_posting_lists_follow_adds_and_removals(index: Index) -> None:
    """The number of texts with a word is right after every add, replacement and removal."""
    add(index, row("a", "TCP handshake"), row("b", "TCP window"), row("c", "UDP"))
    assert lane(index, "tcp").about.df == (2,)
    add(index, row("b", "UDP now"), row("d", "TCP again"))
    assert lane(index, "tcp").about.df == (2,)
    assert set(scores(index, "tcp")) == {"a", "d"}
    remove(index, "a", "d", "unknown")
    found = lane(index, "tcp")
    assert (found.about.df, found.about.n, len(found.ids)) == ((0,), 2, 0)


@given(st.lists(TEXT, min_size=1, max_size=12), TEXT)
def test_search_equals_the_formula(texts: list[str], query: str) -> None:
    """Scores of random texts equal BM25 worked out by hand, word for word."""
    named = {f"d{i}": text for i, text in enumerate(texts)}
    assert scores(filled(named), query) == pytest.approx(by_the_book(named, query, DEFAULTS), rel=1e-9)


@given(st.lists(st.tuples(st.integers(0, 9), st.none() | TEXT), min_size=1, max_size=25), TEXT)
def test_any_history_gives_the_scores_of_a_fresh_index(history: list[tuple[int, str | None]], query: str) -> None:
    """After adds, replacements and removals over several segments the scores are the formula's over what is left."""
    index, left = Index(None, DEFAULTS), {}
    for number, text in history:
        key = f"d{number}"
        if text is None:
            remove(index, key)
            left.pop(key, None)
        else:
            add(index, row(key, text))
            left[key] = text
        index.view()
    assert scores(index, query) == pytest.approx(by_the_book(left, query, DEFAULTS), rel=1e-9)


@given(st.lists(TEXT, min_size=1, max_size=8), st.lists(TEXT, max_size=8), TEXT)
def test_gov_05_texts_of_others_never_move_a_score(mine: list[str], others: list[str], query: str) -> None:
    """What another audience has in the same index changes no score, no count and no average of mine."""
    alone, together = Index(None, DEFAULTS), Index(None, DEFAULTS)
    add(alone, *(row(f"m{i}", text, "a") for i, text in enumerate(mine)))
    add(together, *(row(f"o{i}", text, "b") for i, text in enumerate(others)), *(row(f"m{i}", text, "a") for i, text in enumerate(mine)))
    one, two = lane(alone, query, "a"), lane(together, query, "a")
    assert scores(together, query, "a") == scores(alone, query, "a")
    assert one.about == two.about


@given(st.lists(st.tuples(TEXT, st.sampled_from("ab"), st.booleans()), min_size=1, max_size=12), TEXT)
def test_narrowing_leaves_the_scores_alone(rows: list[tuple[str, str, bool]], query: str) -> None:
    """Asking only for some kinds or subjects leaves out hits; those that stay keep their scores."""
    index = Index(None, DEFAULTS)
    add(index, *(row(f"d{i}", text, subject=subject, kind="log" if log else "note") for i, (text, subject, log) in enumerate(rows)))
    every = scores(index, query)
    for narrow, keep in (
        (Narrow(kinds=frozenset({"log"})), lambda i: rows[i][2]),
        (Narrow(subjects=frozenset({"a"})), lambda i: rows[i][1] == "a"),
        (Narrow(kinds=frozenset({"none"})), lambda i: False),
    ):
        want = {key: score for key, score in every.items() if keep(int(key[1:]))}
        assert scores(index, query, narrow=narrow) == want


def test_the_best_k_are_the_first_k_of_all() -> None:
    """Asking for few gives the head of the full ranking, with the same scores, also over thousands of texts."""
    index = filled(" ".join(WORDS[(i * j + i) % 9] for j in range(1, 3 + i % 7)) for i in range(3000))
    for query in ("alpha", "gamma 猫", "the deploys v2.5 東京"):
        every = lane(index, query, k=10_000)
        for k in (1, 7, 200):
            few = lane(index, query, k=k)
            assert few.ids == every.ids[:k]
            assert few.scores == every.scores[:k]


def test_scores_do_not_depend_on_the_segments(tmp_path: Path) -> None:
    """Bit for bit the same scores and the same order, in one segment on disk or in many in memory."""
    texts = [" ".join(WORDS[(i * j + j) % 9] for j in range(1, 2 + i % 9)) for i in range(300)]
    many, one = Index(None, DEFAULTS), Index(tmp_path, DEFAULTS)
    for start in range(0, 300, 7):
        add(many, *(row(f"d{i}", texts[i]) for i in range(start, min(start + 7, 300))))
        many.view()
    add(one, *(row(f"d{i}", text) for i, text in enumerate(texts)))
    tidy(one, fully=True)
    assert len(many.view().lexical) > 1
    assert len(one.view().lexical) == 1
    for query in ("gamma", "alpha 猫 deploys"):
        assert list(scores(many, query).items()) == list(scores(one, query).items())
    one.close()


def test_a_score_is_the_sum_of_its_words() -> None:
    """What each word gave adds up to the score of the text."""
    index = filled(["alpha beta beta", "beta gamma", "猫 alpha"])
    found = lane(index, "alpha beta beta 猫 nowhere")
    assert [sum(row) for row in found.contributions(DEFAULTS)] == found.scores
    assert found.about.weights[found.about.terms.index("beta")] == 2


def test_no_text_reaches_the_ceiling() -> None:
    """The ceiling is above every possible score, and words that stand nowhere raise it."""
    index = filled(["alpha " * 500, "beta"])
    assert lane(index, "alpha").scores[0] < lane(index, "alpha").about.ceiling < lane(index, "alpha nowhere").about.ceiling


@pytest.mark.parametrize("query", ["", "nowhere", "。。。", "\x00"])
def test_nothing_to_find(query: str) -> None:
    """A query without terms, or with unknown ones only, has no hits; so has an empty index."""
    assert len(lane(filled(["alpha"]), query).ids) == 0
    assert len(lane(filled([]), "alpha").ids) == 0


@given(st.sampled_from(["plus-one", "textbook", "log"]), st.integers(1, 1000), st.data())
def test_rarer_is_never_worth_less(form: str, n: int, data: st.DataObject) -> None:
    """In every form a word in fewer texts has at least the rarity of one in more."""
    df = data.draw(st.integers(1, n))
    assert idf(form, n, df, -100) >= idf(form, n, min(n, df + 1), -100)


def test_k1_and_b_are_used() -> None:
    """With b = 0 length counts for nothing, with k1 = 0 neither does the number of occurrences."""
    texts = {"a": "cat cat", "b": "cat " + "x " * 30, "c": "dog"}
    flat: Lexical = lexical_settings(b=0, k1=0)
    found = scores(filled(texts, flat), "cat")
    assert found["a"] == found["b"]


@given(
    st.lists(st.tuples(TEXT, st.sampled_from("ab"), st.booleans()), min_size=1, max_size=40), TEXT, st.integers(1, 6),
    st.sampled_from(["", "a"]), st.booleans(),
)
def test_what_is_pruned_could_not_be_among_the_best(
    rows: list[tuple[str, str, bool]], query: str, k: int, audience: str, gone: bool
) -> None:
    """With every query pruned, in any scope and with rows removed, the k best are the first k of the plain scan."""
    index = Index(None, DEFAULTS)
    add(index, *(row(f"d{i}", text * (1 + 9 * long), audience) for i, (text, audience, long) in enumerate(rows)))
    index.view()
    if gone:
        remove(index, "d0", "d3")
    few = lexical._FEW
    try:
        lexical._FEW = 0
        lane(index, query, *audience, k=k)  # compares both ways
    finally:
        lexical._FEW = few
