"""From one outcome a query to the fields that are printed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from omoide.evaluate import metrics
from omoide.evaluate.cases import Case

NDCG_AT, DEPTH = 10, 20
SUBTOPICS_AT = (5, 10)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came back for one case. `measures` is empty for a query without judgements."""

    id: str
    group: str
    unanswerable: bool
    abstained: bool
    measures: Mapping[str, float]
    ranking: tuple[str, ...]
    relevant: tuple[str, ...]
    notices: tuple[str, ...]
    ms: float

    @property
    def judged(self) -> bool:
        """Whether the set says which documents are right."""
        return bool(self.measures)


def measure(case: Case, ranking: Sequence[str], ks: Sequence[int]) -> dict[str, float]:
    """Every measure the case has judgements for, by field name."""
    relevant = case.relevant
    if not relevant:
        return {}
    found = {f"hit_rate@{k}": metrics.hit_rate(ranking, relevant, k) for k in ks}
    found |= {f"strict_recall@{k}": metrics.strict_recall(ranking, relevant, k) for k in ks}
    found |= {f"recall_all@{k}": metrics.recall_all(ranking, relevant, k) for k in ks}
    found[f"mrr@{DEPTH}"] = metrics.reciprocal_rank(ranking, relevant, DEPTH)
    found[f"ndcg@{NDCG_AT}"] = metrics.ndcg(ranking, case.grades, NDCG_AT)
    found[f"failure_rate@{DEPTH}"] = metrics.failure_rate(ranking, relevant, DEPTH)
    if case.subtopics:
        topics = case.subtopics
        found |= {f"subtopic_recall@{k}": metrics.subtopic_recall(ranking, topics, k) for k in SUBTOPICS_AT}
        found |= {f"alpha_ndcg@{k}": metrics.alpha_ndcg(ranking, topics, k) for k in SUBTOPICS_AT}
    if case.older:
        found["newest_first"] = float(metrics.stands_above(ranking, case.newest, case.older))
    if case.stale:
        found["stale_above"] = float(metrics.stands_above(ranking, case.stale, case.newest))
    return found


def columns(outcomes: Sequence[Outcome]) -> dict[str, list[float]]:
    """Measure → the values of the queries that have it, in order of first appearance."""
    table: dict[str, list[float]] = {}
    for outcome in outcomes:
        for name, value in outcome.measures.items():
            table.setdefault(name, []).append(value)
    return table


def means(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """`queries` (those with judgements) and the mean of every measure."""
    counted = [one for one in outcomes if one.judged]
    rounded = {name: round(metrics.mean(values), 6) for name, values in columns(counted).items()}
    return {"queries": len(counted)} | rounded


def headline(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The queries the top-level numbers are over: judged and answerable; every judged one if none is."""
    judged = [one for one in outcomes if one.judged]
    return [one for one in judged if not one.unanswerable] or judged


def abstaining(outcomes: Sequence[Outcome]) -> dict[str, float | int]:
    """`abstain_rate` (with its count, `unanswerable`) and `false_abstain`, where there are such queries."""
    empty = [one.abstained for one in outcomes if one.unanswerable]
    full = [one.abstained for one in outcomes if one.judged and not one.unanswerable]
    fields: dict[str, float | int] = {}
    if empty:
        fields |= {"unanswerable": len(empty), "abstain_rate": round(metrics.mean(empty), 6)}
    if full:
        fields["false_abstain"] = round(metrics.mean(full), 6)
    return fields


def summarise(outcomes: Sequence[Outcome], by: str = "") -> dict[str, Any]:
    """All fields that come from outcomes; `outcomes` holds at least one.

    Top-level numbers are over `headline`; where that leaves out judged queries (traps whose judgements
    belong to another question), `all` holds the same numbers with them.
    """
    counted = headline(outcomes)
    fields = means(counted)
    fields["ci95"] = {
        name: [round(end, 6) for end in metrics.bootstrap_ci95(values)]
        for name, values in columns(counted).items()
    }
    fields |= abstaining(outcomes)
    if sum(one.judged for one in outcomes) != len(counted):
        fields["all"] = means(outcomes)
    fields["by"] = _groups(outcomes) if by else {}
    fields["by_field"] = by
    times = [one.ms for one in outcomes]
    fields |= {f"ms_p{p}": round(metrics.percentile(times, p), 3) for p in (50, 99)}
    fields["notices"] = dict(sorted(Counter(code for one in outcomes for code in set(one.notices)).items()))
    fields["definitions"] = {name: text for name, text in metrics.DEFINITIONS.items() if _used(name, fields)}
    return fields


def _groups(outcomes: Sequence[Outcome]) -> dict[str, dict[str, Any]]:
    """Per value of the field: its means over every judged query of it, and its abstaining."""
    groups: dict[str, list[Outcome]] = {}
    for one in outcomes:
        groups.setdefault(one.group, []).append(one)
    return {name: means(groups[name]) | abstaining(groups[name]) for name in sorted(groups)}


def _used(name: str, fields: Mapping[str, Any]) -> bool:
    return any(field.partition("@")[0] == name for field in fields)


def per_query(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """One plain row a query: id, ranking, relevant ids, measures, abstained, ms."""
    return [asdict(one) | {"measures": dict(one.measures)} for one in outcomes]
