"""What a person waits for: a command from its start to its end, MMR, and a reader beside a writer.

    python benchmarks/cold.py --work DIR --out evals/benchmark-cold.json

Four parts, each printed with its promise: (1) `omoide search` as a whole process over a made home of
2,000 Markdown files, beside a bare interpreter; (2) the same with the local model, and what a process that
stays saves; (3) MMR from 1,000 candidates to 50, beside the textbook loop; (4) a reader alone and while
another process commits. `--python` names an interpreter that has the extra `[local]`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import corpus
import numpy as np
import report
import worker

FILES = 2_000
SECTIONS = 5
FOLLOWERS = [report.OURS, "omoide-defaults", "fts5+sqlite-vec"]
"""Systems whose open reader sees what another process commits, without asking for it."""
KEYWORDS, SENTENCE = "kw", "nl"


def omoide(*words: str) -> list[str]:
    """The arguments after the interpreter that run our command line."""
    return ["-c", "import sys; from omoide.serve.cli.main import main; sys.exit(main())", *words]


def search_command(home: Path, text: str, recipe: str) -> list[str]:
    return omoide("search", text, "--home", str(home), "--recipe", recipe)


def make_home(work: Path) -> Path:
    """2,000 Markdown files of five sections each: the 10,000 chunks of the small corpus."""
    home = work / f"home-{FILES}-v{corpus.VERSION}"
    if (home / ".made").exists():
        return home
    texts = corpus.load(FILES * SECTIONS, work).texts
    for number in range(FILES):
        folder = home / "notes" / f"{number // 100:02d}"
        folder.mkdir(parents=True, exist_ok=True)
        parts = texts[number * SECTIONS : (number + 1) * SECTIONS]
        body = "\n\n".join(f"## Part {i + 1}\n\n{text}" for i, text in enumerate(parts))
        (folder / f"note-{number:04d}.md").write_text(f"# Note {number}\n\n{body}\n", "utf-8")
    (home / ".made").touch()
    return home


class Process:
    """Commands timed from outside, with the operating system's own account of each."""

    def __init__(self, python: str, cache: Path) -> None:
        self.python = python
        paths = [str(corpus.ROOT / "src"), os.environ.get("PYTHONPATH", "")]
        self.env = {**worker.environment({}), "XDG_CACHE_HOME": str(cache),
                    "PYTHONPATH": os.pathsep.join(filter(None, paths))}

    def once(self, arguments: Sequence[str]) -> dict[str, float]:
        """Milliseconds of wall and CPU, peak memory in MB. Raises `RuntimeError` when the command fails.

        The peak is never below this process's own size (about 33 MB): the system counts from the fork.
        """
        quiet = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1)]
        start = time.perf_counter()
        child = os.posix_spawn(self.python, [self.python, *arguments], self.env, file_actions=quiet)
        _, status, usage = os.wait4(child, 0)
        wall = time.perf_counter() - start
        if status:
            code = os.waitstatus_to_exitcode(status)
            raise RuntimeError(f"omoide {' '.join(arguments[2:4])} … ended with {code}; its reason is above")
        return {"wall_ms": wall * 1000, "cpu_ms": (usage.ru_utime + usage.ru_stime) * 1000,
                "peak_mb": usage.ru_maxrss / 1000}

    def compare(self, commands: dict[str, list[str]], runs: int) -> dict[str, dict[str, float]]:
        """Medians (and least wall) of `runs` runs of each command, taken in turn after one warm-up."""
        rows: dict[str, list[dict[str, float]]] = {name: [] for name in commands}
        for turn in range(runs + 1):
            for name, arguments in commands.items():
                taken = self.once(arguments)
                if turn:
                    rows[name].append(taken)
        return {name: {**{key: median(row[key] for row in taken) for key in taken[0]},
                       "least_ms": min(row["wall_ms"] for row in taken)} for name, taken in rows.items()}


def lexical(process: Process, home: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Part 1. The index is built beforehand: a search that finds it current is what is timed."""
    report.note("cold: building the index of the home")
    build = process.once(omoide("index", "build", "--no-vectors", "--home", str(home)))
    asks = {ask.kind: ask.text for ask in corpus.queries_of(FILES * SECTIONS, options.work)[:4]}
    report.note("cold: whole processes")
    rows = process.compare({
        "bare interpreter": ["-c", "pass"],
        "interpreter with numpy": ["-c", "import numpy"],
        "search, keywords": search_command(home, asks[KEYWORDS], "lexical"),
        "search, sentence": search_command(home, asks[SENTENCE], "lexical"),
    }, options.runs)
    ours = max(rows["search, keywords"]["wall_ms"], rows["search, sentence"]["wall_ms"])
    bare = rows["bare interpreter"]["wall_ms"]
    return {"index_build": build, "rows": rows, "times_a_bare_interpreter": ours / bare,
            "promise": f"{ours:.0f} ms, {ours / bare:.1f} x a bare interpreter "
                       "(at most 150 ms where that takes 10: 15 x)", "passed": ours <= 15 * bare}


RESIDENT = """
import json, sys, time
start = time.perf_counter()
from omoide import Omoide
home = Omoide(sys.argv[1], resident=True)
asks = json.loads(sys.argv[2])
found = home.search(asks[0], recipe="hybrid")
first = time.perf_counter() - start
times = []
for ask in asks:
    start = time.perf_counter()
    home.search(ask, recipe="hybrid")
    times.append((time.perf_counter() - start) * 1000)
print(json.dumps({"first_ms": first * 1000, "later_ms": sorted(times)[len(times) // 2],
                  "dense": any(hit.lane("dense") for hit in found.hits)}))
"""


def hybrid(process: Process, home: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Part 2. The vectors are made beforehand (that takes minutes); the model is loaded by every command."""
    import subprocess

    asks = [ask.text for ask in corpus.queries_of(FILES * SECTIONS, options.work)[:40]]
    report.note("cold: embedding the home")
    process.once(omoide("index", "build", "--home", str(home)))
    rows = process.compare({"search, hybrid": search_command(home, asks[1], "hybrid")}, options.runs)
    ran = subprocess.run([process.python, "-c", RESIDENT, str(home), json.dumps(asks)], env=process.env,
                         capture_output=True, text=True, check=False)
    if ran.returncode:
        raise RuntimeError(f"the resident process ended with {ran.returncode}: {ran.stderr[-300:]}")
    inside = json.loads(ran.stdout.splitlines()[-1])
    if not inside["dense"]:
        raise RuntimeError("this interpreter has no model; name one with the extra [local] by --python")
    wall = rows["search, hybrid"]["wall_ms"]
    return {"rows": rows, "resident": inside,
            "promise": f"{wall:.0f} ms cold; a process that stays answers in {inside['later_ms']:.1f} ms: "
                       f"saves {wall - inside['later_ms']:.0f} ms a query", "passed": None}


def textbook_mmr(relevance: Sequence[float], tokens: Sequence[set[str]], k: int, balance: float) -> list[int]:
    """MMR as it stands in the paper (Carbonell, Goldstein 1998): every overlap anew in every step."""
    taken: list[int] = []
    left = list(range(len(tokens)))
    while left and len(taken) < k:
        def worth(i: int) -> float:
            overlaps = (len(tokens[i] & tokens[j]) / (len(tokens[i] | tokens[j]) or 1) for j in taken)
            return balance * relevance[i] - (1 - balance) * max(overlaps, default=0.0)
        best = max(left, key=worth)
        taken.append(best)
        left.remove(best)
    return taken


def mmr(options: argparse.Namespace) -> dict[str, Any]:
    """Part 3. What MMR adds to a lexical search through the public door: with it less without it."""
    sys.path.insert(0, str(corpus.ROOT / "src"))
    from omoide import Collection, Settings

    report.note("mmr")
    texts = corpus.load(10_000, options.work).texts
    facts: dict[str, Any] = {}
    for pool in (200, 1_000):
        wide = {"search.mmr.pool": str(pool), "search.hybrid.candidates": str(pool)}
        rows = [{"id": str(i), "text": f"shared word {text}"} for i, text in enumerate(texts[:pool])]
        with Collection(rows, settings=Settings().with_values(wide)) as found:
            plain = _typical(lambda: found.search("shared word", limit=50, recipe="lexical"))
            spread = _typical(lambda: found.search("shared word", limit=50, recipe="lexical,mmr"))
        facts[f"ours_{pool}_ms"] = spread - plain
    facts |= _same_mmr(texts[:200])
    ours = facts["ours_1000_ms"]
    return {**facts, "promise": f"{ours:.1f} ms from 1,000 to 50 (at most 100); from 200: "
            f"{facts['ours_200_ms']:.1f} ms, textbook loop {facts['textbook_200_ms']:.0f} ms, "
            f"{'the same order' if facts['same_order'] else 'ANOTHER ORDER'}",
            "passed": ours <= 100 and facts["same_order"]}


def _same_mmr(texts: Sequence[str]) -> dict[str, Any]:
    """The textbook loop on these texts, and whether our order is the same given the same term sets."""
    from omoide.index.bm25 import term_hash
    from omoide.search.mmr import maximal_marginal_relevance, pack

    tokens = [set(corpus.terms(text)) for text in texts]
    falling = [1 - i / len(texts) for i in range(len(texts))]
    packed = pack([frozenset(map(term_hash, found)) for found in tokens], texts)
    ours = [choice.place for choice in maximal_marginal_relevance(falling, packed, 0.7, 50)]
    return {"textbook_200_ms": _typical(lambda: textbook_mmr(falling, tokens, 50, 0.7), 3),
            "same_order": ours == textbook_mmr(falling, tokens, 50, 0.7)}


def _typical(call: Callable[[], Any], times: int = 9) -> float:
    """Median milliseconds of a call, after one that is not counted."""
    call()
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        taken.append((time.perf_counter() - start) * 1000)
    return median(taken)


def readers(system: str, options: argparse.Namespace) -> dict[str, Any]:
    """Part 4. p50 and p99 of a reader alone, then while a second process commits 20 chunks at a time."""
    n = options.n
    report.note(f"reader and writer: {system}")
    folder = options.work / f"built-{n}" / system
    worker.built(system, folder, n, options.work, reuse=not system.startswith(report.OURS))
    with tempfile.TemporaryDirectory(dir=options.work) as scratch:
        copy = worker.copy(folder, Path(scratch) / system)
        cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [None]
        reading = worker.Worker("reader", system, copy, n, options.work, core=cores[-1])
        reading.ask("read", seconds=2)
        alone = _spread(reading.ask("read", seconds=options.seconds)["ms"])
        writing = worker.Worker("writer", system, copy, n, options.work, core=cores[0])
        writing.ask("write", seconds=0.2)
        writing.tell("write", seconds=options.seconds + 1)
        beside = _spread(reading.ask("read", seconds=options.seconds)["ms"])
        done = writing.answer()
        after = _spread(reading.ask("read", seconds=options.seconds)["ms"])  # there is more to search now
        reading.end()
        writing.end()
    ratio = beside["p50"] / alone["p50"]
    return {"chunks": n, "alone_ms": alone, "beside_ms": beside, "alone_after_ms": after,
            "commits_per_s": done["commits"] / done["seconds"],
            "promise": f"{ratio:.2f} x its p50 alone (at most 2 x), p99 {beside['p99']:.1f} ms",
            "passed": ratio <= 2 if system == report.OURS else None}


def _spread(times: list[float]) -> dict[str, float]:
    return {"p50": float(np.median(times)), "p99": float(np.percentile(times, 99)), "queries": len(times)}


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "omoide-bench")
    parser.add_argument("--out", type=Path, help="write every number here as JSON")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that runs omoide")
    parser.add_argument("--runs", type=int, default=15, help="counted runs of each command")
    parser.add_argument("--n", type=int, default=100_000, help="chunks of the reader and writer part")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--readers", nargs="*", default=[report.OURS, "fts5+sqlite-vec"],
                        choices=FOLLOWERS, help="systems of the reader and writer part")
    parser.add_argument("--only", nargs="*", default=["lexical", "hybrid", "mmr", "readers"],
                        help="parts to run: lexical hybrid mmr readers")
    return parser.parse_args()


def main() -> None:
    options = parse()
    options.work = options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    process = Process(options.python, options.work / "cache")
    parts: dict[str, Callable[[], dict[str, Any]]] = {
        "lexical": lambda: lexical(process, make_home(options.work), options),
        "hybrid": lambda: hybrid(process, make_home(options.work), options),
        "mmr": lambda: mmr(options),
    }
    parts |= {f"readers {name}": lambda name=name: readers(name, options) for name in options.readers}
    whole: dict[str, Any] = {"machine": report.machine(), "parts": {}}
    for name, measure in parts.items():
        if name.split()[0] not in options.only:
            continue
        try:
            facts = measure()
        except (RuntimeError, OSError, ImportError) as problem:
            facts = {"promise": f"not measured: {problem}", "passed": None}
        whole["parts"][name] = facts
        print(f"{report.WORDS[facts['passed']]}  {name}: {facts['promise']}", flush=True)
        for row, figures in facts.get("rows", {}).items():
            print(f"        {row}: " + ", ".join(f"{key} {value:.1f}" for key, value in figures.items()))
    if options.out:
        options.out.write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
