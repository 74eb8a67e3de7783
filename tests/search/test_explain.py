"""A score is the last relevance line of its own explanation."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide import Collection, Scope, Settings
from omoide.models.hashing import HashingEmbedder
from omoide.search.explain import lines, rank_changes
from omoide.settings import Hybrid
from omoide.types import Hit, Step

NOW = datetime(2026, 11, 30, tzinfo=UTC)
ROWS = [
    {"id": "log:1", "text": "the deploy failed, the token was old", "when": NOW - timedelta(days=10)},
    {"id": "log:2", "text": "we fixed the deploy token", "when": NOW - timedelta(days=10)},
    {"id": "old", "text": "deploy deploy deploy 設定", "when": NOW - timedelta(days=100)},
    {"id": "timeless", "text": "旅券の期限と deploy の設定"},
    {"id": "twin", "text": "we fixed the deploy token today", "when": NOW - timedelta(days=9)},
]
RECIPES = ("lexical", "dense", "hybrid", "default", "hybrid,decay", "lexical,support,mmr")
QUERIES = st.lists(
    st.sampled_from(["deploy", "token", "設定", "旅券", "fixed", '"deploying"', "nowhere", "the"]), min_size=1, max_size=6
).map(" ".join)


def notes(**settings: Any) -> Collection:
    """The rows with vectors."""
    made = Collection(ROWS, settings=Settings().with_values(settings), embedder=HashingEmbedder(64))
    made.embed()
    return made


def steps(trace: tuple[Step, ...]) -> list[Step]:
    """All steps with their parts."""
    return [one for step in trace for one in (step, *step.parts)]


@given(QUERIES, st.sampled_from(RECIPES), st.sampled_from(["weighted", "rrf"]))
def test_every_score_is_rebuilt_from_its_trace(text: str, recipe: str, fusion: str) -> None:
    """From the numbers in the trace alone each later score follows, and `Hit.score` is the last that is relevance."""
    with notes(**{"search.hybrid.fusion": fusion}) as made:
        for hit in made.search(text, recipe=recipe, scope=Scope(now=NOW), explain=True).hits:
            score = rebuilt(hit)
            assert hit.score == pytest.approx(score, abs=1e-12)
            relevant = [step for step in hit.trace if step.stage != "mmr"]
            assert hit.score == relevant[-1].score


def rebuilt(hit: Hit) -> float:
    """The score worked out again from what each step says."""
    first, *rest = hit.trace
    score = first.score
    if first.stage == "fuse":
        facts, sides = first.facts or {}, {part.stage: part for part in first.parts}
        hybrid = facts["hybrid"]
        weights = {"lexical": hybrid.text_weight, "dense": hybrid.vector_weight}
        if hybrid.fusion == "rrf":
            score = sum(2 * weights[name] / (hybrid.rrf_k + part.rank) for name, part in sides.items())
        else:
            score = sum(weights[name] * part.score for name, part in sides.items())
    for step in rest:
        facts = step.facts or {}
        if step.stage == "support":
            score += facts["gain"]
        elif step.stage == "decay":
            score *= facts.get("factor", 1.0)
    return score


@given(QUERIES)
def test_spr_08_the_words_add_up(text: str) -> None:
    """Each word's df, idf, times, tf and contribution are there; they add up to BM25, and BM25 gives the text score."""
    with notes() as made:
        for hit in made.search(text, recipe="lexical", explain=True).hits:
            facts = hit.trace[0].facts or {}
            assert sum(word["gave"] for word in facts["words"]) == pytest.approx(facts["bm25"])
            for word in facts["words"]:
                norm = 1.2 * (0.25 + 0.75 * facts["length"] / facts["average"])
                want = word["times"] * word["idf"] * word["tf"] * 2.2 / (word["tf"] + norm)
                assert word["gave"] == pytest.approx(want)
                assert word["idf"] == pytest.approx(math.log(1 + (facts["n"] - word["df"] + 0.5) / (word["df"] + 0.5)))
            assert hit.score == pytest.approx(math.sqrt(facts["bm25"] / facts["ceiling"]) * facts["evidence"])


@given(QUERIES, st.sampled_from(RECIPES))
def test_spr_08_the_printed_numbers_add_up_to_the_printed_score(text: str, recipe: str) -> None:
    """Read back from the printed lines, the last relevance is the printed score, and the words add up to the printed BM25."""
    with notes() as made:
        for hit in made.search(text, recipe=recipe, scope=Scope(now=NOW), explain=True).hits:
            shown = lines(hit)
            scores = [float(found[1]) for line in shown if (found := re.match(r"   (\d+\.\d{3})  (?!mmr)", line))]
            assert scores[-1] == pytest.approx(hit.score, abs=5.1e-4)
            words = [float(found[1]) for line in shown if (found := re.match(r" +(-?\d+\.\d\d+)  .* idf ", line))]
            total = next((found[1] for line in shown if (found := re.search(r"√\((\d+\.\d\d+) of", line))), None)
            assert (total is None) == (hit.lane("lexical") is None)
            assert total is None or rounded(sum(words), total) == total
            assert all(rounded(worth, score) == score for score, worth in map(printed, shown) if score)


def rounded(value: float, like: str) -> str:
    """The value with as many digits."""
    return f"{value:.{len(like.partition('.')[2])}f}"


NUMBER = r"(-?\d+(?:\.\d+)?)"
SUMS = {
    rf" +{NUMBER}  decay +{NUMBER} × {NUMBER}, ": lambda one, other: one * other,
    rf" +{NUMBER}  support +{NUMBER} \+ {NUMBER} from ": lambda one, other: one + other,
    rf" +{NUMBER}  fuse +{NUMBER} × {NUMBER} \+ {NUMBER} × {NUMBER}$": lambda a, b, c, d: a * b + c * d,
    rf" +{NUMBER}  fuse +{NUMBER} / \({NUMBER} \+ {NUMBER}\)$": lambda a, b, c: a / (b + c),
    rf" +{NUMBER}  lexical +rank \d+ +√\({NUMBER} of {NUMBER}\), length": lambda one, most: math.sqrt(min(one / most, 1)),
    rf" +{NUMBER}  lexical .*√\({NUMBER} of {NUMBER}\), other script × {NUMBER},": lambda one, most, times: (
        math.sqrt(min(one / most, 1)) * times
    ),
}
MMR = rf" +rank \d+ mmr +λ {NUMBER} × {NUMBER} − {NUMBER} × overlap {NUMBER}(?: with .*)? = {NUMBER}, was"


def printed(line: str) -> tuple[str, float]:
    """The result a line prints, and what its printed parts give; "" where it works nothing out."""
    if found := re.match(MMR, line):
        a, b, c, d = map(float, found.groups()[:4])
        return found[5], a * b - c * d
    matches = ((found, worth) for pattern, worth in SUMS.items() if (found := re.match(pattern, line)))
    return next(((found[1], worth(*map(float, found.groups()[1:]))) for found, worth in matches), ("", 0.0))


SHARE = st.floats(0, 1)


@given(SHARE, SHARE, SHARE, st.floats(0.001, 60), SHARE)
def test_any_numbers_add_up_as_printed(first: float, second: float, third: float, most: float, share: float) -> None:
    """Whatever the numbers are, each line that multiplies or adds gives its own result when worked out from what is printed."""
    evidence = share if share > 0.001 else 1.0
    bm25 = first * most
    words = {"words": [], "length": 3, "average": 3.0, "n": 9, "evidence": evidence}
    lexical = Step("lexical", math.sqrt(bm25 / most) * evidence, rank=1, facts={"bm25": bm25, "ceiling": most, **words})
    trace = (
        Step("fuse", 0.5 * second + 0.5 * lexical.score, parts=(lexical, Step("dense", second, rank=1, facts={"cosine": 0.5})),
             facts={"hybrid": Hybrid()}),
        Step("support", first + second, facts={"gain": second, "beside": 0.1, "session": 0.2}),
        Step("decay", first * third, facts={"before": first, "factor": third, "age_days": 1.0}),
        Step("mmr", 0.7 * first - (1 - 0.7) * share, rank=1, facts={"lambda": 0.7, "relevance": first, "overlap": share, "with": "", "was": 1}),
    )  # fmt: skip
    shown = lines(Hit(None, trace))  # type: ignore[arg-type]
    results = [(score, rounded(worth, score)) for score, worth in map(printed, shown) if score]
    assert len(results) == 5
    assert [want for want, _ in results] == [got for _, got in results]


def test_the_printed_trace() -> None:
    """A default search prints its stages in order, what each word gave, the calibrated cosine, the age, and MMR's neighbour."""
    with notes() as made:
        found = made.search("deploy token zzyzx", scope=Scope(now=NOW), explain=True)
        text = "\n".join(line for hit in found.hits for line in lines(hit))
        for part in (
            "fuse",
            "lexical  rank 1",
            "dense    rank 1",
            "cosine 0.",
            "support",
            "decay",
            "days old",
            "timeless",
            "mmr      λ 0.7",
            "nowhere: zzyzx",
        ):
            assert part in text, part
        assert [step.stage for step in found.hits[0].trace] == ["fuse", "support", "decay", "mmr"]


def test_without_explain_a_trace_has_numbers_only() -> None:
    """Words are worked out only on request; the score is the same."""
    with notes() as made:
        plain, told = (made.search("deploy token", scope=Scope(now=NOW), explain=explain).hits for explain in (False, True))
        assert [hit.score for hit in plain] == [hit.score for hit in told]
        assert all(not step.because for hit in plain for step in steps(hit.trace))
        assert all(step.because for hit in told for step in steps(hit.trace))


def test_rank_changes() -> None:
    """Mean and greatest move against each lane, only over hits the lane found."""
    hits = [Hit(None, (Step("fuse", 1, parts=(Step("dense", 1, rank=rank),)),)) for rank in (3, 2, 1)]  # type: ignore[arg-type]
    assert rank_changes(hits) == {"dense_moved_mean": pytest.approx(4 / 3), "dense_moved_max": 2}
    assert rank_changes([]) == {}
