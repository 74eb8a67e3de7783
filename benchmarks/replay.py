"""A year and more of calls, made again: whether each comes out as it was logged, and how long that takes.

    python benchmarks/replay.py --days 400 --calls 1000 --out evals/replay.json

A home is lived in first (`tests/parts/life.py`): entries of daily logs and of a room, summaries, messages, facts that change
and are put back, and in between recalls and searches of the owner and of two rooms. Then all calls are made again, by their
own rule and by each of the others. No vectors: searches are by words.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import corpus
import report

sys.path[:0] = [str(corpus.ROOT / "src"), str(corpus.ROOT / "tests")]

from parts.life import Life  # noqa: E402


def measured(days: int, calls: int, seed: int, place: Path) -> dict[str, Any]:
    """Numbers of one life."""
    life = Life(place / "home", place / "cache", seed)
    start = time.perf_counter()
    life.live(days, calls)
    lived = time.perf_counter() - start
    out: dict[str, Any] = {"days": days, "calls": calls, "seed": seed, "seconds_lived": round(lived, 1), "rules": {}}
    for rule in ("", "all-words", "recall", "search"):
        start = time.perf_counter()
        found = life.omoide.replay(rule=rule)
        seconds = time.perf_counter() - start
        out["rules"][rule or "as logged"] = {
            "made": len(found.made), "same": sum(one.same for one in found.made), "skipped": len(found.skipped),
            "seconds": round(seconds, 2), "ms_a_call": round(1000 * seconds / len(found.made), 2),
        }  # fmt: skip
        print(f"{rule or 'as logged'}: {out['rules'][rule or 'as logged']}", file=sys.stderr)
    start = time.perf_counter()
    misses = life.omoide.misses(hybrid=False)
    out["misses"] = {"empty": misses.empty, "by_cause": misses.causes, "seconds": round(time.perf_counter() - start, 2)}
    log = sum(path.stat().st_size for path in (place / "cache").rglob("calls*.jsonl"))
    out |= {"notes": sum(1 for _ in (place / "home").rglob("*.md")), "log_bytes_a_call": round(log / calls)}
    life.omoide.close()
    return out


def main() -> None:
    """Measure, print, and write with the command and the machine."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--days", type=int, default=400)
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        found = measured(args.days, args.calls, args.seed, Path(place))
    found = {"command": f"python benchmarks/replay.py --days {args.days} --calls {args.calls}", "machine": report.machine()} | found
    text = json.dumps(found, indent=1, ensure_ascii=False) + "\n"
    if args.out:
        args.out.write_text(text, encoding="utf-8")
    print(text, end="")
    if found["rules"]["as logged"]["same"] != args.calls:
        sys.exit("calls came out otherwise than they were logged")


if __name__ == "__main__":
    main()
