"""Commands that look after a home: init, index, inspect, doctor, config."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from omoide.api.traces import as_data, lines
from omoide.errors import BadInput
from omoide.serve.cli import printing
from omoide.serve.cli.find import opened


def init(args: argparse.Namespace) -> int:
    from omoide.api.new_home import make_home

    made = make_home(Path(args.folder).expanduser())
    if args.json:
        printing.envelope("init", args.started, {"made": made})
        return 0
    print("\n".join(f"made {path}" for path in made) or "nothing to make: it is a home already")
    print(f"Write notes into it, then: omoide search WORDS --home {args.folder}")
    return 0


NOT_KEPT = ("index_in_memory", "model_failed")
"""What a build is for and was not done."""

_BELOW = ("notices", "wrong", "unread")
"""Not in the table: said in lines of their own."""


def _show(args: argparse.Namespace, command: str, data: Any) -> bool:
    """Print numbers, and what is said of them. Whether what was made could be kept."""
    if args.json:
        printing.envelope(command, args.started, data)
    else:
        printing.table([(key, value) for key, value in data.items() if key not in _BELOW and value not in ("", [])])
        for notice in data["notices"]:
            print(f"({notice['text']})", file=sys.stderr)
    return not any(notice["code"] in NOT_KEPT for notice in data["notices"])


def status(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        _show(args, "index status", omoide.status())
    return 0


def build(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        built = omoide.build(force=args.force, vectors=not args.no_vectors)
    kept = _show(args, "index build", built)
    if built["unread"] and not args.json:
        print(f"(not all could be used, see `omoide doctor`: {', '.join(built['unread'])})", file=sys.stderr)
    return 0 if kept else 1


def watch(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        for state in omoide.watch(vectors=not args.no_vectors):
            said = state.get("failed") or ", ".join(f"{name} {state[name]}" for name in ("files", "chunks", "vectors"))
            print(json.dumps(state, ensure_ascii=False, default=str) if args.json else said, flush=True)
    return 0


def verify(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        found = omoide.verify()
    kept = _show(args, "index verify", found)
    bad = [*found["wrong"], *(f"{what}. It was not compared." for what in found["unread"])]
    if not args.json:
        print("\n".join(bad) or ("the index equals the files" if kept else "no index is kept that could be compared"))
    return 1 if bad or not kept else 0


def doctor(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        found = omoide.doctor()
    faults = sum(item["severity"] == "fault" for item in found)
    if args.json:
        printing.envelope("doctor", args.started, found)
    else:
        for item in found:
            print(f"{item['what']:<18} {item['where']}  {item['text']}")
        print(f"{faults} to look at" if faults else "nothing is wrong" if found else "all is well")
    return 1 if faults else 0


def config(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        values = omoide.settings.values()
    if args.key:
        if args.key not in values:
            raise BadInput(f"there is no setting {args.key}. All of them: omoide config")
        values = {args.key: values[args.key]}
    if args.json:
        printing.envelope("config", args.started, values)
    else:
        printing.table([(key, ", ".join(value) if isinstance(value, tuple) else value) for key, value in values.items()])
    return 0


def inspect_query(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        found = omoide.inspect_query(" ".join(args.query), recipe=args.recipe, limit=args.limit)
    hits = found.pop("hits")
    if args.json:
        data = found | {"hits": [as_data(hit, rank, True) for rank, hit in enumerate(hits, 1)]}
        printing.envelope("inspect query", args.started, data)
        return 0
    print("terms: " + " · ".join(f"{term['term']}{' ×' + str(term['times']) if term['times'] > 1 else ''}" for term in found["terms"]))
    for hit in hits:
        print(printing.head(hit), *lines(hit), sep="\n")
    print(f"{found['candidates']} candidates, {len(hits)} shown")
    for notice in found["notices"]:
        print(f"({notice['text']})")
    return 0


def inspect_chunks(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        found = omoide.inspect_chunks(args.path)
    if args.json:
        printing.envelope("inspect chunks", args.started, found)
        return 0
    for chunk in found:
        first, last = chunk["lines"]
        print(f"{chunk['id']}  lines {first}–{last}  {chunk['kind']}, for {chunk['audience']}  [{chunk['context']}]")
        print("   " + chunk["text"].replace("\n", "\n   "))
        print("   terms: " + " ".join(chunk["terms"]))
    return 0


def inspect_word(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        found = omoide.inspect_word(args.word, args.limit)
    if args.json:
        printing.envelope("inspect index", args.started, found)
        return 0
    for term in found["terms"]:
        print(f"{term['term']}: in {term['in']} of {found['texts']} texts")
        for posting in term["postings"]:
            print(f"   {posting['id']}  {posting['times']} times, length {posting['length']}")
    return 0
