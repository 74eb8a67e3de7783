"""What is printed: progress, the machine, one row a system, one line a named target."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

OURS = "omoide"
WORDS = {True: "pass", False: "FAIL", None: "   -"}


PACKAGES = ("numpy", "apsw", "sqlite-vec", "lancedb", "chromadb", "qdrant-edge-py")


def note(text: str) -> None:
    """Progress goes to standard error: standard output is the report."""
    print(f"{datetime.now(UTC):%H:%M:%S} {text}", file=sys.stderr, flush=True)


def machine() -> dict[str, Any]:
    """What the numbers were taken on."""
    cpu = platform.processor()
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = [line for line in info.read_text().splitlines() if "model name" in line]
        cpu = f"{len(lines)} x {lines[0].partition(':')[2].strip()}" if lines else cpu
    versions = {}
    for name in PACKAGES:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            versions[name] = "not installed"
    return {"cpu": cpu, "system": platform.platform(), "python": platform.python_version(),
            "packages": versions, "load_before": os.getloadavg()[0], "date": f"{datetime.now(UTC):%Y-%m-%d}"}


@dataclass(frozen=True)
class Target:
    """A promise about one figure, ours against a peer's: times faster, or a share of the peer's time."""

    figure: str
    peer: str
    at_least: float | None = None
    at_most: float | None = None

    def judge(self, ours: float, theirs: float) -> tuple[str, bool]:
        if self.at_least is not None:
            ratio = theirs / ours
            text = f"{ratio:.1f} x faster than {self.peer} (at least {self.at_least:g} x)"
            return text, ratio >= self.at_least
        assert self.at_most is not None
        share = ours / theirs
        return f"{share:.2f} x the time of {self.peer} (at most {self.at_most:g} x)", share <= self.at_most


TARGETS = (
    Target("hybrid_ms", "fts5+sqlite-vec", at_least=12),
    Target("hybrid_ms", "lancedb", at_least=25),
    Target("hybrid_ms", "qdrant-edge", at_most=1.8),
    Target("one_person_ms", "fts5+sqlite-vec", at_least=15),
    Target("one_person_ms", "lancedb", at_least=8),
    Target("one_person_ms", "qdrant-edge", at_most=1.3),
    Target("add_ms", "qdrant-edge", at_least=4),
)
"""Promised at 100,000 chunks; other sizes print the same ratios without a verdict."""
PROMISED_AT = 100_000


def found(program: str) -> bool:
    return shutil.which(program) is not None


def verdicts(n: int, results: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Each target with its ratio; `passed` is None where nothing was promised or measured."""
    lines: list[dict[str, Any]] = []
    ours = results.get(OURS, {})
    for target in TARGETS:
        mine, theirs = ours.get(target.figure), results.get(target.peer, {}).get(target.figure)
        text, passed = "not measured", None
        if mine and theirs:
            text, passed = target.judge(mine["p50"], theirs["p50"])
        lines.append({"figure": target.figure, "peer": target.peer, "text": text,
                      "passed": passed if n >= PROMISED_AT else None})
    syncs = ours.get("fsyncs_per_add")
    text = "not measured" if syncs is None else f"{syncs:g} fsync for a durable add (exactly 1)"
    lines.append({"figure": "fsyncs_per_add", "peer": "", "text": text,
                  "passed": None if syncs is None else syncs == 1})
    return lines


_COLUMNS = (
    ("hybrid p50", ("hybrid_ms", "p50"), "{:.2f}"), ("p99", ("hybrid_ms", "p99"), "{:.1f}"),
    ("1 person p50", ("one_person_ms", "p50"), "{:.2f}"), ("p99", ("one_person_ms", "p99"), "{:.1f}"),
    ("agrees", ("agrees",), "{:.3f}"), ("1 p.", ("agrees_one",), "{:.3f}"),
    ("build s", ("build_wall_s",), "{:.1f}"), ("cpu s", ("build_cpu_s",), "{:.1f}"),
    ("add p50", ("add_ms", "p50"), "{:.2f}"), ("min", ("add_ms", "min"), "{:.2f}"),
    ("fsyncs", ("fsyncs_per_add",), "{:g}"),
    ("process s", ("cold", "process_s"), "{:.2f}"), ("open s", ("cold", "open_s"), "{:.2f}"),
    ("+RSS MB", ("memory_mb", "rss"), "{:.0f}"), ("anon", ("memory_mb", "anonymous"), "{:.0f}"),
    ("disk MB", ("build_disk_mb",), "{:.0f}"),
)


def _cell(facts: dict[str, Any], path: tuple[str, ...], form: str) -> str:
    value: Any = facts
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return "-" if value is None else form.format(value)


def table(n: int, whole: dict[str, Any]) -> str:
    """The report of one size as Markdown."""
    run, machine = whole["runs"][str(n)], whole["machine"]
    head = ["system", *(name for name, _, _ in _COLUMNS)]
    lines = [f"\n## {n:,} chunks, hybrid top 50, milliseconds unless said, one thread", "",
             f"{machine['cpu']}, Python {machine['python']}, "
             + ", ".join(f"{name} {version}" for name, version in machine["packages"].items())
             + f"; load before: {machine['load_before']:.1f}",
             f"Corpus: {run['corpus']}; {run['queries']} queries, {run['rounds']} rounds.", "",
             "| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    for system, facts in run["systems"].items():
        cells = [_cell(facts, path, form) for _, path, form in _COLUMNS]
        lines.append("| " + " | ".join([system, *cells]) + " |")
    lines.append("")
    lines += [f"{system} left the run: {facts['failed']}"
              for system, facts in run["systems"].items() if "failed" in facts]
    lines += [f"{WORDS[line['passed']]}  {line['figure']}: {line['text']}" for line in run["targets"]]
    return "\n".join(lines)
