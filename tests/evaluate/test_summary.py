"""From outcomes to printed fields: what is counted where."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from omoide.evaluate.cases import Case
from omoide.evaluate.summary import Outcome, headline, measure, per_query, summarise

NOW = datetime(2025, 1, 1, tzinfo=UTC)


def _case(**more: object) -> Case:
    fields: dict[str, object] = {"grades": {"a": 2, "b": 1, "c": 0}} | more
    return Case("q", "text", frozenset({"all"}), NOW, None, "", False, **fields)  # type: ignore[arg-type]


def _outcome(name: str, group: str = "", **more: object) -> Outcome:
    fields: dict[str, object] = {
        "unanswerable": False,
        "abstained": False,
        "measures": {"hit_rate@1": 1.0},
        "ranking": ("a",),
        "relevant": ("a",),
        "notices": (),
        "ms": 2.0,
    }
    return Outcome(name, group, **(fields | more))  # type: ignore[arg-type]


def test_measures_of_one_case() -> None:
    """Every cut-off gives three fields; MRR, nDCG and the failure rate have their fixed depth."""
    found = measure(_case(), ["x", "b", "a"], (1, 2))
    assert list(found) == [
        "hit_rate@1",
        "hit_rate@2",
        "strict_recall@1",
        "strict_recall@2",
        "recall_all@1",
        "recall_all@2",
        "mrr@20",
        "ndcg@10",
        "failure_rate@20",
    ]
    assert (found["strict_recall@2"], found["mrr@20"], found["failure_rate@20"]) == (0.5, 0.5, 0.0)


def test_measures_only_where_they_are_defined() -> None:
    """Subtopics, newest and stale give numbers only to a case that has them; no judgements give none."""
    case = _case(
        subtopics={"1": {"a"}, "2": {"b"}},
        newest=frozenset({"a"}),
        older=frozenset({"b", "s"}),
        stale=frozenset({"s"}),
    )
    found = measure(case, ["b", "a", "s"], (1,))
    assert found["subtopic_recall@5"] == found["alpha_ndcg@10"] == 1.0
    assert found["newest_first"] == 0.0
    assert found["stale_above"] == 0.0
    assert measure(_case(grades={"c": 0}), ["c"], (1,)) == {}


def test_stale_above_without_the_right_one() -> None:
    """An outdated document that is shown while the right one is missing counts as standing above it."""
    case = _case(newest=frozenset({"a"}), older=frozenset({"s"}), stale=frozenset({"s"}))
    assert measure(case, ["s"], (1,))["stale_above"] == 1.0
    assert measure(case, ["x"], (1,))["stale_above"] == 0.0


def test_traps_stay_out_of_the_headline() -> None:
    """Judged queries marked as unanswerable are in `all`, not at the top; alone they are all there is."""
    plain, trap = _outcome("p"), _outcome("t", unanswerable=True, measures={"hit_rate@1": 0.0})
    fields = summarise([plain, trap])
    assert (fields["queries"], fields["hit_rate@1"]) == (1, 1.0)
    assert fields["all"] == {"queries": 2, "hit_rate@1": 0.5}
    assert headline([trap]) == [trap]
    assert "all" not in summarise([plain])


def test_abstaining() -> None:
    """abstain_rate is over unanswerable queries, false_abstain over judged answerable ones."""
    fields = summarise(
        [
            _outcome("a", abstained=True, measures={"hit_rate@1": 0.0}),
            _outcome("b"),
            _outcome("n1", unanswerable=True, measures={}, abstained=True),
            _outcome("n2", unanswerable=True, measures={}),
            _outcome("n3", unanswerable=True, measures={}),
        ]
    )
    assert fields["abstain_rate"] == pytest.approx(1 / 3, abs=1e-6)
    assert (fields["unanswerable"], fields["false_abstain"], fields["queries"]) == (3, 0.5, 2)
    assert "abstain_rate" not in summarise([_outcome("b")])


def test_groups_hold_every_query_of_their_value() -> None:
    """A group has the means of its judged queries and its abstaining, whatever the headline leaves out."""
    trap = _outcome("t", "5", unanswerable=True, measures={"hit_rate@1": 0.0})
    fields = summarise([_outcome("p", "1"), trap], by="meta.category")
    assert fields["by"] == {
        "1": {"queries": 1, "hit_rate@1": 1.0, "false_abstain": 0.0},
        "5": {"queries": 1, "hit_rate@1": 0.0, "unanswerable": 1, "abstain_rate": 0.0},
    }
    assert fields["by_field"] == "meta.category"
    assert summarise([_outcome("p", "1")])["by"] == {}


def test_times_notices_and_definitions() -> None:
    """Times are percentiles over all queries, notices are counted by query, printed measures are defined."""
    fields = summarise([_outcome("a", ms=1.0, notices=("x", "x")), _outcome("b", ms=3.0)])
    assert (fields["ms_p50"], fields["notices"]) == (2.0, {"x": 1})
    assert set(fields["definitions"]) == {"hit_rate", "false_abstain"}
    assert fields["ci95"]["hit_rate@1"] == [1.0, 1.0]


def test_a_partial_measure_is_over_those_who_have_it() -> None:
    """A measure some queries lack is the mean over the others."""
    fields = summarise([_outcome("a", measures={"hit_rate@1": 1.0, "stale_above": 1.0}), _outcome("b")])
    assert (fields["hit_rate@1"], fields["stale_above"], fields["queries"]) == (1.0, 1.0, 2)


def test_rows_per_query_are_plain_data() -> None:
    """A row per query names the query, what came back, what was right and each measure."""
    (row,) = per_query([_outcome("a")])
    assert row["id"] == "a"
    assert row["measures"] == {"hit_rate@1": 1.0}
    assert row["ranking"] == ("a",)
