"""The command `eval`: measuring on labelled data."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from omoide.api.collection import Collection
from omoide.api.measuring import embedder_for_measuring
from omoide.evaluate.compare import missed
from omoide.evaluate.report import record, render, render_missed, side_by_side
from omoide.evaluate.retrieval import RetrievalOptions, evaluate_retrieval, read_ks
from omoide.serve.cli import printing
from omoide.serve.cli.find import pairs
from omoide.settings import Settings


def retrieval(args: argparse.Namespace) -> int:
    results = {recipe: _measured(args, recipe) for recipe in (args.recipe, *args.against)}
    result, found = results[args.recipe], missed(results) if args.against else {}
    command = "omoide eval retrieval " + shlex.join(_shown(args))
    if args.out:
        Path(args.out).write_text(record(result, command, "json"), encoding="utf-8")
    for one in results.values():
        one.pop("per_query", None)
    if args.json:
        rows = {name: [asdict(row) for row in rows] for name, rows in found.items()}
        printing.envelope("eval retrieval", args.started, result | ({"against": results, "missed": rows} if found else {}))
    else:
        print(render(result))
        print(f"\n{side_by_side(results)}\n{render_missed(found)}" if found else "", end="")
    return 0


def _measured(args: argparse.Namespace, recipe: str) -> dict[str, Any]:
    settings = Settings().with_values(pairs(args.set), "--set")
    options = RetrievalOptions(
        recipe=recipe, ks=read_ks(args.k), by=args.by or "", scope_field=args.scope_field or "", docs=tuple(args.docs),
        queries=tuple(args.queries), qrels=Path(args.qrels) if args.qrels else None, limit=args.limit,
        per_query=bool(args.out or args.against),
    )  # fmt: skip
    words_only = recipe.split(",")[0].strip() == "lexical"
    model = "none" if words_only else args.model or settings.embedding.model
    with embedder_for_measuring(settings.with_values({"embedding.model": model}), args.cache) as embedder:

        def opener(rows: list[dict[str, Any]], chosen: Settings) -> Collection:
            return Collection(rows, settings=chosen, embedder=embedder)

        return evaluate_retrieval([Path(folder) for folder in args.data], options, settings=settings, opener=opener, progress=_progress)


def _shown(args: argparse.Namespace) -> list[str]:
    """The options again, as one would type them; folders by their last two names, so that no machine shows."""
    out = [part for folder in args.data for part in ("--data", "/".join(Path(folder).parts[-2:]))]
    for name in ("recipe", "against", "k", "by", "scope_field", "docs", "queries", "qrels", "limit", "model", "set"):
        value = getattr(args, name)
        for one in value if isinstance(value, list) else [value]:
            if one:
                out += [f"--{name.replace('_', '-')}", str(one)]
    return out


def _progress(name: str, done: int, of: int) -> None:
    if done == of or (done % 50 == 0 and sys.stderr.isatty()):
        print(f"\r{name} {done:,} of {of:,}", end="\n" if done == of else "", file=sys.stderr, flush=True)


def people(args: argparse.Namespace) -> int:
    """Exit 1 when anything leaked."""
    from omoide.evaluate.people import evaluate, read_stories, summary

    stories = read_stories(Path(folder) for folder in args.data)[: args.limit]
    found = summary(evaluate(stories, args.feed, lambda done, of: _progress("stories", done, of))) | {"feed": args.feed}
    if args.out:
        Path(args.out).write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if args.json:
        printing.envelope("eval people", args.started, found)
    else:
        printing.table([(key, value) for key, value in found.items() if key != "failures"])
        for one in found["failures"]:
            print(json.dumps(one, ensure_ascii=False))
    return 1 if found["leaks"] else 0


def recall(args: argparse.Namespace) -> int:
    """Three rules over the same calls."""
    from omoide.evaluate.recall_log import evaluate, read_all

    settings = Settings().with_values(pairs(args.set), "--set")
    logs, calls = read_all([Path(folder) for folder in args.data])
    calls = calls[: args.limit]
    model = args.model or settings.embedding.model
    with embedder_for_measuring(settings.with_values({"embedding.model": model}), args.cache) as embedder:
        def opened(rows: list[dict[str, Any]]) -> Collection:
            collection = Collection(rows, settings=settings, embedder=embedder)
            collection.embed(lambda done, of: _progress("embedding", done, of))
            return collection

        found = evaluate(logs, calls, opened, args.results, lambda done, of: _progress("calls", done, of))
        found["model"] = embedder.name if embedder else "none"
    found["command"] = "omoide eval recall " + shlex.join(part for folder in args.data for part in ("--data", folder))
    if args.out:
        Path(args.out).write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if args.json:
        printing.envelope("eval recall", args.started, found)
        return 0
    print(f"{found['calls']} calls; hybrid search by " + (f"words and {found['model']}" if found["model"] != "none" else "words alone"))
    for rule, numbers in found["rules"].items():
        printing.table([("rule", rule), *((key, value) for key, value in numbers.items() if key != "by_cause")])
        for cause, row in numbers["by_cause"].items():
            print(f"  {cause}: " + ", ".join(f"{key} {value}" for key, value in row.items()))
    return 0
