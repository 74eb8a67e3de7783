"""Measure retrieval on the labelled sets beside the project and write the numbers down.

    python evals/run.py                 all sets: evals/retrieval.json and evals/README.md
    python evals/run.py --resume        go on where a stopped run was
    python evals/run.py --only locomo   only sets whose name contains the word; prints, writes nothing

Every entry holds the command that made it. Needs ../shared; without it there is nothing to measure.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SHARED = HERE.parent.parent / "shared"

JA = ["--docs", "meta.lang=ja"]
SETS: dict[str, list[str]] = {
    "locomo": ["data/locomo", "--scope-field", "meta.conv"],
    "jsquad": ["data/jsquad", "--limit", "1500"],
    "jaquad": ["data/jaquad", "--limit", "1500"],
    "lawqa_ja": ["data/lawqa_ja"],
    "fastapi ja→ja": ["data/fastapi_docs_en_ja", "--queries", "meta.lang=ja", *JA],
    "fastapi en→ja": ["data/fastapi_docs_en_ja", "--queries", "meta.lang=en", *JA],
    "fastapi ja→en": ["data/fastapi_docs_en_ja", "--queries", "meta.lang=ja", "--docs", "meta.lang=en"],
    "fastapi en→en": ["data/fastapi_docs_en_ja", "--queries", "meta.lang=en", "--docs", "meta.lang=en"],
    "bsd ja→en": ["data/bsd_dialogue_ja_en", "--queries", "meta.lang=ja", "--docs", "meta.lang=en", "--limit", "600"],
    "bsd en→ja": ["data/bsd_dialogue_ja_en", "--queries", "meta.lang=en", *JA, "--limit", "600"],
    "scifact": ["data/scifact"],
    "cmrc2018_zh": ["data/cmrc2018_zh"],
    "perspectrum": ["data/perspectrum"],
    "daily_logs_ja": ["cases/daily_logs_ja", "--scope-field", "meta.log"],
    "memory_qa_ja": ["cases/memory_qa_ja", "--scope-field", "meta.conv"],
    "longmemeval": ["data/longmemeval", "--scope-field", "session(id)"],
}
RECIPES = ("lexical", "dense", "hybrid", "hybrid,support", "hybrid,mmr", "default")
FIELDS = (
    "queries", "documents", "hit_rate@10", "strict_recall@10", "ndcg@10", "mrr@20", "failure_rate@20", "subtopic_recall@5",
    "alpha_ndcg@5", "abstain_rate", "false_abstain", "newest_first", "ms_p50", "fingerprint",
)  # fmt: skip


def measure(name: str, recipe: str) -> dict[str, Any]:
    folder, *options = SETS[name]
    given = [*options, "--recipe", recipe, *([] if recipe == "lexical" else ["--model", "local"])]
    command = [sys.executable, "-m", "omoide.serve.cli.main", "eval", "retrieval", "--data", str(SHARED / folder), *given, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{name}, {recipe}: {done.stderr.strip()}")
    data = json.loads(done.stdout)["data"]
    entry = {"command": " ".join(["omoide eval retrieval --data", f"../shared/{folder}", *given])}
    entry |= {field: data[field] for field in FIELDS if data.get(field) is not None}
    if isinstance(data.get("all"), dict):
        entry["all"] = {key: value for key, value in data["all"].items() if key in FIELDS}
    return entry


FEEDS = ("told", "found", "raw")
ABOUT_PEOPLE = ("asks", "pass_rate", "leaks", "resolve_accuracy", "past_labelled", "current_complete", "order", "returned_mean")


def measure_people(feed: str) -> dict[str, Any]:
    """Exit code 1 says that something leaked: that is a number here."""
    given = ["eval", "people", "--feed", feed, "--data", str(SHARED / "cases/people"), "--json"]
    done = subprocess.run([sys.executable, "-m", "omoide.serve.cli.main", *given], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"people, {feed}: {done.stderr.strip()}")
    data = json.loads(done.stdout)["data"]
    data.pop("failures")
    return {"command": f"omoide eval people --feed {feed} --data ../shared/cases/people", **data}


def people_table() -> list[str]:
    kept = HERE / "people.json"
    if not kept.is_file():
        return []
    found = json.loads(kept.read_text(encoding="utf-8"))
    rows = [f"| {feed} | " + " | ".join(f"{found[feed][field]:g}" for field in ABOUT_PEOPLE) + " |" for feed in FEEDS]
    return [
        "## People\n", "Stories about people in rooms ([the rules](../docs/people.md)); each command stands in `people.json`. The phrases by which",
        "words are read were made with these stories at hand.\n",
        "| feed | " + " | ".join(ABOUT_PEOPLE) + " |", "| --- |" + " ---: |" * len(ABOUT_PEOPLE), *rows,
    ]  # fmt: skip


def measure_recall() -> None:
    """Writes `recall.json`."""
    given = ["eval", "recall", "--data", "../shared/cases/recall_log_ja", "--out", "evals/recall.json", "--json"]
    command = [sys.executable, "-m", "omoide.serve.cli.main", *given]
    done = subprocess.run(command, cwd=HERE.parent, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"recall: {done.stderr.strip()}")


def recall_table() -> list[str]:
    """Three rules over the calls of an agent, and calls made again."""
    kept = HERE / "recall.json"
    if not kept.is_file():
        return []
    found = json.loads(kept.read_text(encoding="utf-8"))
    fields = [field for field in found["rules"]["recall"] if field != "by_cause"]
    rows = [f"| {rule} | " + " | ".join(f"{numbers[field]:.3g}" for field in fields) + " |" for rule, numbers in found["rules"].items()]
    causes = found["rules"]["recall"]["by_cause"]
    told = [
        f"| {cause} | {row['calls']} | " + " | ".join(f"{numbers['by_cause'][cause]['found']}" for numbers in found["rules"].values()) + " |"
        for cause, row in causes.items()
    ]  # fmt: skip
    out = ["## Recall\n", f"{found['calls']} calls of an agent, each again as of its moment ([the rules](../docs/recall.md)); the command stands in",
           "`recall.json`.\n", "| rule | " + " | ".join(fields) + " |", "| --- |" + " ---: |" * len(fields), *rows, "",
           "| cause, found of | calls | " + " | ".join(found["rules"]) + " |", "| --- |" + " ---: |" * (1 + len(found["rules"])), *told, ""]  # fmt: skip
    again = HERE / "replay.json"
    if again.is_file():
        made = json.loads(again.read_text(encoding="utf-8"))
        same = made["rules"]["as logged"]
        out += [f"{made['calls']:,} calls over {made['days']} days, made again by their own rule: {same['same']:,} as they were, in"
                f" {same['seconds']:g} s (`{made['command']}`).\n"]  # fmt: skip
    return out


def table(results: dict[str, dict[str, Any]], field: str, recipes: tuple[str, ...]) -> list[str]:
    rows = [f"| {field} | " + " | ".join(recipes) + " |", "| --- |" + " ---: |" * len(recipes)]
    for name, found in results.items():
        values = [found[recipe].get(field) for recipe in recipes]
        if any(value is not None for value in values):
            rows.append(f"| {name} ({found[recipes[0]]['queries']}) | " + " | ".join("" if v is None else f"{v:.3f}" for v in values) + " |")
    return rows


def page(results: dict[str, dict[str, Any]]) -> str:
    plain = ("lexical", "dense", "hybrid", "hybrid,support", "default")
    spread = ("hybrid", "hybrid,mmr")
    parts = [
        "# What was measured\n",
        "Written by `python evals/run.py` (model: the extra `local`, multilingual-e5-small q4). Sets lie in `../shared` and are no part",
        "of this project. Each number's own command stands in `retrieval.json`. In brackets: judged queries.\n",
        "`default` adds decay with a half-life of 30 days, which is made for fresh logs: questions about last year's conversations",
        "lose by it. For such a memory set `search.decay.half_life_days` to 365 or `search.decay.enabled` to false.\n",
        "## Ranking\n", *table(results, "ndcg@10", plain), "", *table(results, "strict_recall@10", plain), "",
        "LoCoMo over all categories (997 questions), strict recall@10, lexical: "
        f"{results['locomo']['lexical'].get('all', {}).get('strict_recall@10', float('nan')):.3f}.\n" if "locomo" in results else "",
        "## Variety: with and without MMR (λ 0.7)\n", *table(results, "subtopic_recall@5", spread), "",
        *table(results, "alpha_ndcg@5", spread), "", "What it costs elsewhere:\n", *table(results, "strict_recall@10", spread), "",
        "## Saying nothing\n", *table(results, "abstain_rate", ("lexical", "hybrid")), "", *table(results, "false_abstain", ("lexical", "hybrid")),
        "", *recall_table(), *people_table(),
    ]  # fmt: skip
    return "\n".join(parts) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--resume", action="store_true", help="keep what evals/retrieval.json has")
    args = parser.parse_args()
    if not SHARED.is_dir():
        raise SystemExit("there is no ../shared beside the project, so there is nothing to measure")
    if args.only in "people":
        found_people = {feed: measure_people(feed) for feed in FEEDS}
        (HERE / "people.json").write_text(json.dumps(found_people, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    if args.only in "recall":
        measure_recall()
    kept = HERE / "retrieval.json"
    results: dict[str, dict[str, Any]] = json.loads(kept.read_text(encoding="utf-8")) if args.resume and kept.is_file() else {}
    for name in (name for name in SETS if args.only in name):
        found = results.setdefault(name, {})
        for recipe in (recipe for recipe in RECIPES if recipe not in found):
            found[recipe] = measure(name, recipe)
            print(f"{name:16} {recipe:16} ndcg@10 {found[recipe].get('ndcg@10', 0):.4f}", file=sys.stderr, flush=True)
            if not args.only:
                write(kept, results)
    if not args.only:
        write(kept, results)


def write(kept: Path, results: dict[str, dict[str, Any]]) -> None:
    """After every measurement, so that a stopped run can go on with --resume."""
    kept.write_text(json.dumps(results, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    whole = {name: found for name, found in results.items() if len(found) == len(RECIPES)}
    if whole:
        (HERE / "README.md").write_text(page(whole), encoding="utf-8")


if __name__ == "__main__":
    main()
