"""Maximal marginal relevance against hand arithmetic."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.errors import BadSettings
from omoide.search.mmr import maximal_marginal_relevance, mmr, pack
from omoide.settings import Mmr, Settings
from omoide.types import Hit
from parts.hits import hit, ids, query, term_sets

SETS = st.lists(st.frozensets(st.integers(1001, 1007), max_size=5), min_size=1, max_size=9)


def jaccard(a: frozenset[Any], b: frozenset[Any]) -> float:
    """|a ∩ b| / |a ∪ b|."""
    return len(a & b) / len(a | b) if a or b else 0.0


def packed(sets: list[frozenset[int]]) -> Any:
    """Term sets as bits; an empty one stands for a text of its own."""
    return pack(sets, [str(sorted(terms)) + (str(i) if not terms else "") for i, terms in enumerate(sets)])


def textbook(relevance: list[float], sets: list[frozenset[Any]], lambda_: float) -> list[tuple[int, float]]:
    """The loop as it stands in the paper."""
    left, taken = list(range(len(relevance))), []
    while left:
        value = {i: lambda_ * relevance[i] - (1 - lambda_) * max((jaccard(sets[i], sets[j]) for j, _ in taken), default=0.0) for i in left}
        best = max(left, key=lambda i: (value[i], -i))
        taken.append((best, value[best]))
        left.remove(best)
    return taken


def stage(hits: list[Hit], **settings: Any) -> list[Hit]:
    """The stage over hits with their own terms."""
    return mmr(Mmr(**{"least": 0.0} | settings), term_sets(hits))(query(), hits)


def test_mmr_01_every_step_equals_hand_arithmetic() -> None:
    """Three notes at λ 0.7: the twin falls behind, and each printed objective is the one worked by hand."""
    sets = [frozenset({1, 2, 3, 4}), frozenset({1, 2, 3, 5}), frozenset({7, 8})]
    found = maximal_marginal_relevance([0.9, 0.8, 0.6], packed(sets), 0.7)
    assert [choice.place for choice in found] == [0, 2, 1]
    assert [choice.objective for choice in found] == pytest.approx([0.7 * 0.9, 0.7 * 0.6, 0.7 * 0.8 - 0.3 * 3 / 5])
    assert [(choice.overlap, choice.beside) for choice in found] == [(0, -1), (0, -1), (0.6, 0)]


def test_mmr_01_the_trace_says_each_step() -> None:
    """Rank, objective, overlap, the note it overlaps with and the former rank stand in the trace; the score stays the relevance."""
    found = stage([hit("a", 0.9, "red green blue"), hit("b", 0.8, "red green pink"), hit("c", 0.7, "sea")])
    assert ids(found) == ["a", "c", "b"]
    last = found[2].trace[-1]
    assert (last.stage, last.rank, last.facts) == ("mmr", 3, {"lambda": 0.7, "relevance": 0.8, "overlap": 0.5, "with": "a", "was": 2})
    assert last.score == pytest.approx(0.7 * 0.8 - 0.3 * 0.5)
    assert [one.score for one in found] == [0.9, 0.7, 0.8]


@given(SETS, st.data(), st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]))
def test_the_implementation_equals_the_textbook_loop(sets: list[frozenset[int]], data: st.DataObject, lambda_: float) -> None:
    """Order and objectives are those of the plain loop, for any sets, relevances and λ."""
    relevance = data.draw(st.lists(st.integers(0, 8).map(lambda n: n / 8), min_size=len(sets), max_size=len(sets)))
    own = [terms or frozenset({("empty", i)}) for i, terms in enumerate(sets)]
    found = maximal_marginal_relevance(relevance, packed(sets), lambda_)
    values = [choice.objective for choice in found]
    assert values == pytest.approx([value for _, value in textbook(relevance, own, lambda_)])
    assert sorted(choice.place for choice in found) == list(range(len(sets)))
    if lambda_ in (0.0, 1.0):
        assert [choice.place for choice in found] == [place for place, _ in textbook(relevance, own, lambda_)]


def test_only_so_many() -> None:
    """Asked for two, it chooses two."""
    assert len(maximal_marginal_relevance([1, 1, 1], packed([frozenset({i}) for i in range(3)]), 0.7, 2)) == 2
    assert maximal_marginal_relevance([], [], 0.7) == []


@given(st.lists(st.text("abc d", max_size=12), min_size=1, max_size=8))
def test_mmr_02_lambda_one_keeps_the_order(texts: list[str]) -> None:
    """At λ 1 the order is that of the relevance."""
    hits = [hit(str(i), 1 - i / 20, text) for i, text in enumerate(texts)]
    assert ids(stage(hits, lambda_=1.0)) == ids(hits)


def test_mmr_03_lambda_zero_is_diversity_only() -> None:
    """At λ 0, after the first, the least similar comes first whatever its relevance."""
    hits = [hit("a", 0.9, "red green blue"), hit("b", 0.8, "red green blue"), hit("c", 0.7, "red green sea"), hit("d", 0.1, "moon")]
    assert ids(stage(hits, lambda_=0.0)) == ["a", "d", "c", "b"]


@pytest.mark.parametrize("wrong", ["-0.1", "1.1", "nan", "x"])
def test_mmr_04_the_default_and_its_range(wrong: str) -> None:
    """λ is 0.7 unless set, and outside 0…1 it is refused."""
    assert Settings().search.mmr.lambda_ == 0.7
    with pytest.raises(BadSettings, match=r"search\.mmr\.lambda"):
        Settings().with_values({"search.mmr.lambda": wrong})


def test_mmr_05_jaccard_by_hand() -> None:
    """|∩| / |∪|; two empty sets of two texts are 0."""
    pairs = [({1, 2, 3}, {2, 3, 4}), (set(), set()), ({1}, set())]
    found = [maximal_marginal_relevance([1.0, 0.5], packed([frozenset(one), frozenset(other)]), 0.5)[1] for one, other in pairs]
    assert [choice.overlap for choice in found] == [0.5, 0.0, 0.0]


def test_mmr_05_empty_term_sets() -> None:
    """Two texts without any term are alike only if they are equal."""
    same = stage([hit("a", 0.9, "…"), hit("b", 0.8, "…"), hit("c", 0.75, "!!!")])
    assert ids(same) == ["a", "c", "b"]
    assert same[1].trace[-1].facts is not None
    assert same[1].trace[-1].facts["overlap"] == 0


SCRIPTS = {
    "ja": ("認証設定を直した。期限は十五分", "認証設定を直した。期限は十四日", "猫の体重を測った"),
    "zh": ("模型蒸馏的实验结果很好", "模型蒸馏的实验结果不好", "去东京出差三天"),
    "ru": ("починили вход пользователя сегодня", "починили вход пользователя вчера", "кот весит четыре кило"),
    "ar": ("أصلحنا تسجيل الدخول اليوم", "أصلحنا تسجيل الدخول أمس", "وزن القطة أربعة"),
    "th": ("แก้ไขการเข้าสู่ระบบวันนี้", "แก้ไขการเข้าสู่ระบบเมื่อวาน", "แมวหนักสี่กิโล"),
    "emoji": ("🌸🍣🍵🎉", "🌸🍣🍵🎊", "🚀🪐🌙"),
}


@pytest.mark.parametrize("script", SCRIPTS)
def test_a10_twins_are_spread_in_every_script(script: str) -> None:
    """Of two near twins and a different note the different one comes second, and none is dropped."""
    first, twin, other = SCRIPTS[script]
    assert ids(stage([hit("first", 0.9, first), hit("twin", 0.89, twin), hit("other", 0.8, other)])) == ["first", "other", "twin"]


def test_mmr_06_decay_changes_what_mmr_sees() -> None:
    """MMR works on the relevance after decay and stands last in the recipe."""
    from omoide.search.recipe import stages_of

    assert stages_of("default")[-2:] == ("decay", "mmr")


@given(
    st.lists(st.tuples(st.text("abc猫 ", max_size=10), st.floats(0, 1)), max_size=10), st.floats(0, 1), st.integers(1, 12), st.floats(0, 1)
)
def test_mmr_07_it_reorders_only(rows: list[tuple[str, float]], lambda_: float, pool: int, least: float) -> None:
    """At any λ, pool and bound the same hits come out, each with the score it had."""
    hits = sorted((hit(str(i), score, text) for i, (text, score) in enumerate(rows)), key=lambda one: -one.score)
    found = stage(hits, lambda_=lambda_, pool=pool, least=least)
    assert sorted(ids(found)) == sorted(ids(hits))
    assert {one.chunk.id: one.score for one in found} == {one.chunk.id: one.score for one in hits}


def test_mmr_08_only_relevant_notes_are_in_the_pool() -> None:
    """A different but much less relevant note does not enter before relevant twins."""
    hits = [hit("a", 0.9, "red green blue"), hit("b", 0.89, "red green blue"), hit("far", 0.2, "moon")]
    assert ids(stage(hits, least=0.8)) == ["a", "b", "far"]
    assert ids(stage(hits, least=0.0, lambda_=0.1)) == ["a", "far", "b"]


def test_mmr_11_near_duplicates_are_spread() -> None:
    """Other day, other cut, other endings, other order: each near copy falls behind the different note."""
    text = "Restarted the payment worker after the queue was stuck, checked twice"
    for near in (
        "Restarted the payment worker after the queue was stuck, checked once",
        "the payment worker after the queue was stuck, checked twice",
        "Restarting the payment workers after the queues were stuck, checked twice",
        "checked twice after the queue was stuck, restarted the payment worker",
    ):
        found = stage([hit("a", 0.9, text), hit("near", 0.88, near), hit("other", 0.8, "cat weighs four kilos now")])
        assert ids(found) == ["a", "other", "near"]


def test_mmr_12_no_effect_where_nothing_is_similar() -> None:
    """Notes that share no term keep their order."""
    hits = [hit(str(i), 0.9 - i / 100, word) for i, word in enumerate(("cats", "ships", "trees", "clocks"))]
    assert ids(stage(hits)) == ids(hits)


@pytest.mark.parametrize("count", [0, 1])
def test_nothing_to_reorder(count: int) -> None:
    """No hits or one come back as they are."""
    hits = [hit("a", 0.5)][:count]
    assert stage(hits) == hits
