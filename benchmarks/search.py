"""omoide beside its peers: build, search, add, cold start, memory and disk, in one interleaved run.

    python benchmarks/search.py --n 10000 --n 100000 --work DIR --out evals/benchmark-search.json

Every system runs in its own process, held to one thread and one core. The parent asks them in turn for
blocks of 20 queries, several rounds, so that a slow moment of the machine meets all of them. Everyone gives
the texts of its 50 hits, because nobody can use a hit without its text; with --ids-only the peers give bare
numbers while omoide still gives texts and traces. Ratios of one run are the result; milliseconds of two runs
do not compare. Builds are kept under DIR and used again
with --reuse. A system that cannot be imported is left out and the report says so.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import median
from typing import Any

import corpus
import exact
import numpy as np
import peers
import report
import worker

BLOCK = 20


class Run:
    """All measurements at one corpus size. `results` grows: system → figure → value."""

    def __init__(self, n: int, options: argparse.Namespace) -> None:
        self.n, self.options = n, options
        self.work: Path = options.work
        self.core = None if options.no_pin else worker.last_core()
        self.data = corpus.load(n, self.work)
        self.systems = list(options.system or peers.SYSTEMS)
        self.results: dict[str, dict[str, Any]] = {name: {} for name in self.systems}

    def folder(self, system: str) -> Path:
        return self.work / f"built-{self.n}" / system

    def start(self, job: str, system: str, folder: Path | None = None, **more: Any) -> worker.Worker:
        place = folder or self.folder(system)
        return worker.Worker(job, system, place, self.n, self.work, core=self.core, **more)

    def each(self, what: str, measure: Callable[[str], dict[str, Any]]) -> None:
        """Take one measurement of every system still in the run; who fails leaves it."""
        for system in list(self.systems):
            report.note(f"{self.n} {what}: {system}")
            try:
                self.results[system].update(measure(system))
            except (RuntimeError, OSError) as problem:
                self.results[system]["failed"] = f"{what}: {problem}"
                self.systems.remove(system)

    def build(self, system: str) -> dict[str, Any]:
        """Seconds and disk of a build, or of the one kept from before."""
        ours = system.startswith(report.OURS)
        reuse = self.options.reuse == "all" or (self.options.reuse == "peers" and not ours)
        return worker.built(system, self.folder(system), self.n, self.work, reuse=reuse, core=self.core)

    def search(self) -> None:
        """The interleaved part. The pass that warms the systems up also says how right they are."""
        serving: dict[str, worker.Worker] = {}
        reference = self._reference()

        def warm(system: str) -> dict[str, Any]:
            serving[system] = self.start("serve", system)
            facts = serving[system].ask("open")
            for one in (False, True):
                ids = serving[system].ask("answers", one=one)["ids"]
                lane = "dense" if system == "chroma" else "fused"
                facts["agrees_one" if one else "agrees"] = _agreement(ids, reference[one][lane])
            return facts

        self.each("open and warm up", warm)
        self._rounds(serving)
        for system in self.systems:
            self.results[system]["memory_mb"] = serving[system].ask("memory")
        for child in serving.values():
            child.end()

    def _rounds(self, serving: dict[str, worker.Worker]) -> None:
        lanes = [(system, one) for system in self.systems for one in (False, True)]
        kept: dict[tuple[str, bool], list[list[float]]] = {lane: [] for lane in lanes}
        cpu = dict.fromkeys(lanes, 0.0)
        for turn in range(self.options.rounds):
            report.note(f"{self.n} search: round {turn + 1} of {self.options.rounds}")
            rows: dict[tuple[str, bool], list[float]] = {lane: [] for lane in lanes}
            for number, first in enumerate(range(0, len(self.data.queries), BLOCK)):
                shift = (turn + number) % max(1, len(self.systems))
                for system in self.systems[shift:] + self.systems[:shift]:
                    for one in (False, True):
                        got = serving[system].ask("block", first=first, last=first + BLOCK, one=one)
                        rows[system, one] += got["ms"]
                        cpu[system, one] += got["cpu_ms"]
            for key, times in rows.items():
                kept[key].append(times)
        kinds = [ask.kind for ask in self.data.queries]
        for (system, one), rounds in kept.items():
            figures = _figures(np.array(rounds), kinds)
            figures["cpu_mean"] = cpu[system, one] / (len(rounds) * len(kinds))
            self.results[system]["one_person_ms" if one else "hybrid_ms"] = figures

    def _reference(self) -> dict[bool, dict[str, list[list[int]]]]:
        report.note(f"{self.n}: the exact answers, to check that nobody is fast by being wrong")
        yardstick = exact.Exact(self.data)
        answers: dict[bool, dict[str, list[list[int]]]] = {}
        for one in (False, True):
            answers[one] = {"dense": [], "fused": []}
            for i, ask in enumerate(self.data.queries):
                words, near = yardstick.lanes(ask.text, ask.vector, i * 37 % corpus.PERSONS if one else None)
                answers[one]["dense"].append(near)
                answers[one]["fused"].append(corpus.fuse(words, near, k=corpus.LANE))
        return answers

    def adds(self) -> None:
        """Single durable adds, in turn, into copies of the built folders; then the same under strace."""
        with tempfile.TemporaryDirectory(dir=self.work) as scratch:
            copies = {name: worker.copy(self.folder(name), Path(scratch) / name) for name in self.systems}
            serving = {name: self.start("serve", name, copies[name]) for name in self.systems}
            times: dict[str, list[float]] = {name: [] for name in self.systems}
            self.each("open for adding", lambda name: _nothing(serving[name].ask("open")))
            for turn in range(self.options.adds // 10):
                for name in self.systems:
                    at = self.n + turn * 20
                    times[name] += serving[name].ask("adds", at=at, count=10)["ms"]
            for name in self.systems:
                self.results[name]["add_ms"] = _figures(np.array([times[name]]), None)
                serving[name].end()
            if report.found("strace"):
                self.each("fsyncs", lambda name: self._fsyncs(name, copies, Path(scratch)))

    def _fsyncs(self, system: str, copies: dict[str, Path], scratch: Path) -> dict[str, Any]:
        again = worker.copy(self.folder(system), copies[system])
        trace = scratch / "trace"
        child = self.start("fsyncs", system, again, trace=trace)
        child.answer()
        child.end()
        return {"fsyncs_per_add": count_fsyncs(trace.read_text("utf-8", "replace").splitlines())}

    def cold(self) -> None:
        """A process from its start to the first answer and its end, in turn; the page cache is warm."""
        taken: dict[str, list[dict[str, Any]]] = {name: [] for name in self.systems}
        for turn in range(self.options.cold + 1):
            for name in self.systems:
                child = self.start("first", name)
                facts = child.answer()
                facts["process_s"] = child.end()
                if turn:
                    taken[name].append(facts)
        for name, rows in taken.items():
            self.results[name]["cold"] = {key: median(row[key] for row in rows) for key in rows[0]}


def _nothing(_: object) -> dict[str, Any]:
    return {}


def _agreement(ids: list[list[int]], wanted: list[list[int]], k: int = 10) -> float:
    """Mean share of the exact first `k` that stand in the first `k` given."""
    shares = [len(set(a[:k]) & set(b[:k])) / max(1, len(b[:k])) for a, b in zip(ids, wanted, strict=True)]
    return float(np.mean(shares))


def _figures(times: np.ndarray, kinds: list[str] | None) -> dict[str, Any]:
    """p50, p99 and least of milliseconds, shape (rounds, queries); p50 by kind of query as well."""
    figures: dict[str, Any] = {"p50": float(np.median(times)), "p99": float(np.percentile(times, 99)),
                               "min": float(times.min())}
    if kinds:
        chosen = np.array(kinds)
        figures["p50_by_kind"] = {kind: float(np.median(times[:, chosen == kind]))
                                  for kind in dict.fromkeys(kinds)}
    return figures


def count_fsyncs(trace: Iterable[str]) -> float:
    """fsync and fdatasync calls an add makes, median over the adds between two marks (not the first)."""
    counts: list[int] = []
    inside = False
    for line in trace:
        if f"{worker.MARK}-begin" in line:
            counts.append(0)
            inside = True
        elif f"{worker.MARK}-end" in line:
            inside = False
        elif inside and ("fsync(" in line or "fdatasync(" in line):
            counts[-1] += 1
    return median(counts[1:]) if len(counts) > 1 else float("nan")


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--n", type=int, action="append", help="chunks; may be given again (default 10000)")
    parser.add_argument("--system", action="append", choices=list(peers.SYSTEMS), help="only these")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "omoide-bench",
                        help="where corpora and built folders are kept")
    parser.add_argument("--out", type=Path, help="write every number here as JSON")
    parser.add_argument("--reuse", nargs="?", const="peers", choices=("peers", "all"),
                        help="use the folders an earlier run built: the peers' (ours may have changed), or all")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--adds", type=int, default=50, help="durable adds a system, in tens")
    parser.add_argument("--cold", type=int, default=5, help="cold starts a system")
    parser.add_argument("--ids-only", action="store_true", help="peers give only the numbers of their hits")
    parser.add_argument("--no-pin", action="store_true", help="do not hold the workers to one core")
    return parser.parse_args()


def main() -> None:
    chosen = options()
    if chosen.ids_only:
        os.environ[peers.IDS_ONLY] = "1"
    chosen.work = chosen.work.resolve()
    chosen.work.mkdir(parents=True, exist_ok=True)
    shown = [part for n in chosen.n or [10_000] for part in ("--n", str(n))] + ["--ids-only"] * chosen.ids_only
    whole: dict[str, Any] = {"command": " ".join(["python benchmarks/search.py", *shown]), "machine": report.machine(), "runs": {}}
    for n in chosen.n or [10_000]:
        run = Run(n, chosen)
        run.each("build", run.build)
        run.search()
        run.adds()
        run.cold()
        whole["runs"][str(n)] = {"corpus": run.data.source, "queries": len(run.data.queries),
                                 "rounds": chosen.rounds, "systems": run.results,
                                 "targets": report.verdicts(n, run.results)}
        print(report.table(n, whole), flush=True)
        if chosen.out:
            chosen.out.write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
