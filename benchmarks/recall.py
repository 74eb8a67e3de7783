"""`omoide recall` beside ripgrep: the same Markdown files, the same words, one run, turn by turn.

    python benchmarks/recall.py --work DIR --out evals/benchmark-recall.json

A home of 100,000 entries: a daily log of its owner and of three rooms over three years, one file a day and log,
sections `## HH:MM title` with texts of `corpus.py`. Four kinds of word lists, of three words each. Everything is held to
one core. ripgrep counts lines that hold any of the words, `rg -c -i -F -e A -e B -e C HOME`: it names files and numbers,
and does not know entries, which of the words stand in one, or who may read it. `resident`: an `Omoide` that is open;
`process`: `omoide recall A B C` from its start to its end.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import corpus
import report
from cold import Process, omoide

ENTRIES = 100_000
LOGS = ("memory", "rooms/garden-1a2b/log", "rooms/design-91c2/log", "rooms/family-77e0/log")
FIRST_DAY, DAYS = date(2023, 12, 1), 1095
KINDS = ("all hit", "one missing", "all absent", "very common")
ABSENT = ("xylograph", "quokkaberry", "\u9c2f\u9be8\u4e38", "zymurgist", "\u74ca\u8377\u9ebb", "brontolith")
"""Words that stand nowhere: a run checks it."""

_COMMON = re.compile(r"[a-z]{3,}|[\u3041-\u3096]{2}")


def make_home(work: Path, entries: int) -> Path:
    """`entries` sections, dealt out over the days and logs in turn. The texts are those of the corpus of that size."""
    home = work / f"recall-{entries}-v{corpus.VERSION}"
    if (home / ".made").exists():
        return home
    texts = corpus.load(entries, work).texts[:entries]
    files = [f"{log}/{FIRST_DAY + timedelta(days=day)}.md" for day in range(DAYS) for log in LOGS]
    files = files[-max(len(LOGS), min(len(files), entries // 5)):]  # a small run has fewer days, not emptier ones
    for number, name in enumerate(files):
        mine = texts[number::len(files)]
        at = [f"{8 + 14 * place // len(mine):02d}:{7 * place % 60:02d}" for place in range(len(mine))]
        parts = [f"## {clock} {_title(text)}\n\n{text}\n" for clock, text in zip(at, mine, strict=True)]
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("\n".join(parts), "utf-8")
    (home / ".made").touch()
    return home


def _title(text: str) -> str:
    return " ".join(text.split())[:20].strip("#`~|- ")


def word_lists(work: Path, home: Path, entries: int, each: int) -> list[tuple[str, list[str]]]:
    """`each` lists of every kind, in turn. The words that are there stand together in one text; half are Japanese."""
    rng = random.Random(4)
    asks = [ask.text.split() for ask in corpus.queries_of(entries, work) if ask.kind in ("kw", "ja")]
    texts = "\n".join(path.read_text("utf-8") for path in sorted(home.rglob("*.md"))).lower()
    there = [word for word in ABSENT if word in texts]
    if there:
        raise SystemExit(f"these words are taken for absent and stand in the texts: {', '.join(there)}")
    often = [word for word, _ in Counter(_COMMON.findall(texts)).most_common(24)]
    lists: list[tuple[str, list[str]]] = []
    for number in range(each):
        words = asks[number % len(asks)]
        lists += [(KINDS[0], words), (KINDS[1], [*words[:2], rng.choice(ABSENT)]), (KINDS[2], rng.sample(ABSENT, 3)),
                  (KINDS[3], rng.sample(often, 3))]
    return lists


def rg(words: list[str], home: Path) -> list[str]:
    return ["rg", "-c", "-i", "-F", *(part for word in words for part in ("-e", word)), str(home)]


def run(command: list[str], env: dict[str, str]) -> float:
    """Milliseconds of a whole process. ripgrep ends with 1 where nothing matches."""
    quiet = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
    start = time.perf_counter()
    child = os.posix_spawnp(command[0], command, env, file_actions=quiet)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if code not in (0, 1):
        raise RuntimeError(f"this command ended with {code}: {' '.join(command)}")
    return (time.perf_counter() - start) * 1000


def timed(do: Callable[[], Any]) -> float:
    start = time.perf_counter()
    do()
    return (time.perf_counter() - start) * 1000


def figures(times: list[float]) -> dict[str, float]:
    return {"p50": median(times), "p99": quantiles(times, n=100)[98] if len(times) > 1 else times[0], "runs": len(times)}


def measure(options: argparse.Namespace) -> dict[str, Any]:
    from omoide import Omoide

    home = make_home(options.work, options.entries)
    os.environ["XDG_CACHE_HOME"] = str(options.work / f"recall-cache-{options.entries}")
    process = Process(options.python, Path(os.environ["XDG_CACHE_HOME"]))
    lists = word_lists(options.work, home, options.entries, options.each)
    report.note("recall: building the index")
    build = timed(lambda: process.once(omoide("index", "build", "--no-vectors", "--home", str(home))))
    times: dict[str, dict[str, list[float]]] = {kind: {} for kind in KINDS}
    looks: list[float] = []
    with Omoide(home, resident=True) as resident:
        first = timed(lambda: resident.recall(lists[0][1]))
        files = resident.status()["files"]
        for turn in range(options.rounds + 1):
            report.note(f"recall: round {turn} of {options.rounds}")
            for kind, words in lists:
                systems: dict[str, Callable[[], float]] = {
                    "resident": lambda words=words: timed(lambda: resident.recall(words)),
                    "rg": lambda words=words: run(rg(words, home), process.env),
                }
                if turn <= options.cli_rounds:
                    systems["process"] = lambda words=words: run(
                        [options.python, *omoide("recall", *words, "--home", str(home))], process.env)
                for name, once in (systems.items() if turn % 2 else reversed(systems.items())):
                    taken = once()
                    if turn:  # the first round warms up
                        times[kind].setdefault(name, []).append(taken)
                looks.append(timed(lambda: resident._home.fresh(vectors=False)))
    rows = {kind: {name: figures(taken) for name, taken in of_it.items()} for kind, of_it in times.items()}
    everything = {name: figures([one for of_it in times.values() for one in of_it.get(name, [])]) for name in times[KINDS[0]]}
    return {"entries": options.entries, "files": files, "build_ms": build, "first_call_ms": first,
            "look_at_files_ms": figures(looks), "rows": rows, "all": everything,
            "rg": "rg -c -i -F -e A -e B -e C HOME", "rg_version": _rg_version()}


def _rg_version() -> str:
    import subprocess

    return subprocess.run(["rg", "--version"], capture_output=True, text=True, check=True).stdout.partition("\n")[0]


def table(found: dict[str, Any]) -> str:
    names = list(found["all"])
    lines = [f"\n## recall over {found['entries']:,} entries in {found['files']:,} files, milliseconds, one core", "",
             "| words | " + " | ".join(f"{name} p50 | p99" for name in names) + " |", "|" + " --- |" * (1 + 2 * len(names))]
    for kind, row in [*found["rows"].items(), ("all", found["all"])]:
        cells = [f"{row[name][part]:.1f}" for name in names for part in ("p50", "p99")]
        lines.append("| " + " | ".join([kind, *cells]) + " |")
    look = found["look_at_files_ms"]
    lines += ["", f"of a resident call {look['p50']:.1f} ms are the look at the files; {found['rg_version']}: {found['rg']}"]
    return "\n".join(lines)


def main() -> None:
    import sys

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entries", type=int, default=ENTRIES, help=f"default {ENTRIES:,}; a small number for a look")
    parser.add_argument("--each", type=int, default=10, help="lists of each kind (default 10)")
    parser.add_argument("--rounds", type=int, default=10, help="how often every list is asked (default 10)")
    parser.add_argument("--cli-rounds", type=int, default=2, help="the same for whole processes (default 2)")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "omoide-bench", help="where homes and corpora are kept")
    parser.add_argument("--python", default=sys.executable, help="the interpreter of the processes")
    parser.add_argument("--core", type=int, help="the core that everything is held to (default: the first one allowed)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write every number as JSON")
    options = parser.parse_args()
    if not report.found("rg"):
        raise SystemExit("there is no ripgrep here. Install it: apt-get install ripgrep (Debian), or cargo install ripgrep")
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {options.core if options.core is not None else min(os.sched_getaffinity(0))})
    shown = f"python benchmarks/recall.py --entries {options.entries} --each {options.each} --rounds {options.rounds}"
    whole = {"command": shown, "machine": report.machine(), "recall": measure(options)}
    found = whole["recall"]
    print(table(found))
    ours, theirs = found["all"]["resident"]["p50"], found["all"]["rg"]["p50"]
    found["promise"] = f"resident: {theirs / ours:.1f} x as fast as rg (faster)"
    found["passed"] = ours < theirs if options.entries >= ENTRIES else None
    print(f"{report.WORDS[found['passed']]}  {found['promise']}")
    if options.out:
        options.out.write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
