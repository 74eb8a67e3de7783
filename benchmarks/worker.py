"""One system in one process: the program `search.py` and `cold.py` start and talk to.

Answers are JSON lines on the first standard output; whatever a library prints goes to standard error.
Every worker is held to one thread by the usual variables and, unless told otherwise, to one core, so that
an engine with its own thread pool has no more machine than the others.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

# LANCE_IO_THREADS is left alone: at 1, LanceDB 0.40 waits for itself for ever when it builds a text index.
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS",
              "TOKIO_WORKER_THREADS", "LANCE_CPU_THREADS")
CORE = "OMOIDE_BENCH_CORE"
MARK = "omoide-bench-mark"


class Worker:
    """A worker process as its parent sees it: send a wish, get a dictionary back."""

    def __init__(self, job: str, system: str, folder: Path, n: int, work: Path, **more: Any) -> None:
        self.started = time.perf_counter()
        self.process = subprocess.Popen(command(job, system, folder, n, work, **more), text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(more))

    def ask(self, do: str, **wish: Any) -> dict[str, Any]:
        self.tell(do, **wish)
        return self.answer()

    def tell(self, do: str, **wish: Any) -> None:
        """Send a wish whose answer will be fetched later."""
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"do": do, **wish}) + "\n")
        self.process.stdin.flush()

    def answer(self, patience: float = 3600) -> dict[str, Any]:
        """The next answer, waited for at most `patience` seconds: an engine may lock itself up."""
        assert self.process.stdout
        if not select.select([self.process.stdout], [], [], patience)[0]:
            self.process.kill()
            raise RuntimeError(f"no answer within {patience:.0f} seconds")
        line = self.process.stdout.readline()
        if not line:
            code = self.process.wait()
            raise RuntimeError(f"the worker ended early with exit code {code}; its reason is above")
        facts = dict(json.loads(line))
        if "error" in facts:
            raise RuntimeError(facts["error"])
        return facts

    def end(self) -> float:
        """Close it and wait; seconds from its start to its end."""
        if self.process.stdin:
            self.process.stdin.close()
        self.process.wait()
        return time.perf_counter() - self.started


def command(job: str, system: str, folder: Path, n: int, work: Path, **more: Any) -> list[str]:
    head = ["strace", "-f", "-qq", "-o", str(more["trace"]), "-e", "trace=fsync,fdatasync,access,faccessat"] \
        if "trace" in more else []
    return [*head, sys.executable, __file__, job, system, str(folder), str(n), str(work)]


def environment(more: Mapping[str, Any]) -> dict[str, str]:
    env = {**os.environ, **dict.fromkeys(ONE_THREAD, "1"), "LANCEDB_LOG": "error"}
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # a machine that never keeps byte code would time the compiler
    if more.get("core") is not None:
        env[CORE] = str(more["core"])
    return env


def last_core() -> int | None:
    """The core to pin to, or None where the system cannot pin."""
    return max(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None


def memory() -> dict[str, float]:
    """Resident memory of this process in MB: all of it, and the part no file backs."""
    found = {"VmRSS": 0.0, "RssAnon": 0.0}
    status = Path("/proc/self/status")
    if not status.exists():
        import psutil

        return {"rss": psutil.Process().memory_info().rss / 1e6, "anonymous": float("nan")}
    for line in status.read_text().splitlines():
        name, _, value = line.partition(":")
        if name in found:
            found[name] = int(value.split()[0]) * 1024 / 1e6
    return {"rss": found["VmRSS"], "anonymous": found["RssAnon"]}


def disk(folder: Path) -> int:
    """Bytes the files of a folder take on the disk (whole blocks, holes not counted)."""
    return sum(p.stat().st_blocks * 512 for p in folder.rglob("*") if p.is_file())


def _person(number: int) -> int:
    return number * 37 % 100


class _Jobs:
    """What a worker can be asked to do, one method a job. Imports happen inside, where they are timed."""

    def __init__(self, system: str, folder: Path, n: int, work: Path, out: TextIO) -> None:
        self.system, self.folder, self.n, self.work, self.out = system, folder, n, work, out

    def say(self, **facts: Any) -> None:
        self.out.write(json.dumps(facts) + "\n")
        self.out.flush()

    def _peer(self) -> Any:
        import peers

        return peers.SYSTEMS[self.system](self.folder)

    def build(self) -> None:
        import corpus
        import peers

        data = corpus.load(self.n, self.work)
        peer = peers.SYSTEMS[self.system](peers.fresh(self.folder))
        wall, cpu = time.perf_counter(), time.process_time()
        peer.build(data)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        peer.close()
        self.say(wall_s=wall, cpu_s=cpu, disk_mb=disk(self.folder) / 1e6)

    def first(self) -> None:
        """Open and ask one question: the parent times the whole process, this the parts."""
        start = time.perf_counter()
        import corpus

        ask = corpus.queries_of(self.n, self.work)[1]
        ready = time.perf_counter()
        peer = self._peer()
        peer.reopen()
        opened = time.perf_counter()
        found = peer.hybrid(ask.text, ask.vector)
        self.say(harness_s=ready - start, open_s=opened - ready, query_s=time.perf_counter() - opened,
                 hits=len(found), rss_mb=memory()["rss"])
        self.out.flush()
        os._exit(0)  # what a library does when it is taken down is not part of an answer

    def fsyncs(self) -> None:
        """Five adds of one chunk, each between two marks that show in the list of system calls."""
        import corpus
        import peers

        data = corpus.load(self.n, self.work)
        peer = self._peer()
        peer.reopen()
        for i in range(6):  # the first one may set things up and is not counted
            os.access(f"{MARK}-begin", os.F_OK)
            peers.add_durable(peer, data, self.n + i)
            os.access(f"{MARK}-end", os.F_OK)
        peer.close()
        self.say(done=True)

    def serve(self) -> None:
        """Answer wishes until the parent closes the pipe."""
        import corpus
        import peers

        asks = corpus.queries_of(self.n, self.work)
        data: Any = None
        peer: Any = None
        before = memory()
        for line in sys.stdin:
            wish = json.loads(line)
            if wish["do"] == "open":
                start = time.perf_counter()
                peer = self._peer()
                peer.reopen()
                self.say(open_s=time.perf_counter() - start, note=peer.note)
            elif wish["do"] == "answers":
                numbered = enumerate(asks)
                self.say(ids=[peer.hybrid(a.text, a.vector, person=_person(i) if wish["one"] else None)
                              for i, a in numbered])
            elif wish["do"] == "block":
                self.say(**self._block(peer, asks, wish))
            elif wish["do"] == "adds":
                data = data or corpus.load(self.n, self.work)
                peers.add_durable(peer, data, wish["at"])
                self.say(ms=self._adds(peer, data, wish["at"] + 1, wish["count"]))
            elif wish["do"] == "memory":
                now = memory()
                self.say(**{name: now[name] - before[name] for name in now})
        if peer is not None:
            peer.close()

    def _block(self, peer: Any, asks: list[Any], wish: dict[str, Any]) -> dict[str, Any]:
        times = []
        cpu = time.process_time()
        for i in range(wish["first"], min(wish["last"], len(asks))):
            ask, person = asks[i], _person(i) if wish["one"] else None
            start = time.perf_counter()
            peer.hybrid(ask.text, ask.vector, person=person)
            times.append((time.perf_counter() - start) * 1000)
        return {"ms": times, "cpu_ms": (time.process_time() - cpu) * 1000}

    def _adds(self, peer: Any, data: Any, at: int, count: int) -> list[float]:
        import peers

        times = []
        for i in range(count):
            start = time.perf_counter()
            peers.add_durable(peer, data, at + i)
            times.append((time.perf_counter() - start) * 1000)
        return times

    def reader(self) -> None:
        """Search for as long as asked, whatever others write meanwhile."""
        import corpus

        asks = corpus.queries_of(self.n, self.work)
        peer = self._peer()
        peer.reopen()
        for line in sys.stdin:
            wish, times = json.loads(line), []
            until = time.perf_counter() + wish["seconds"]
            while (start := time.perf_counter()) < until:
                ask = asks[len(times) % len(asks)]
                peer.hybrid(ask.text, ask.vector)
                times.append((time.perf_counter() - start) * 1000)
            self.say(ms=times)
        peer.close()

    def writer(self) -> None:
        """Commit 20 chunks again and again until the parent says stop."""
        import corpus
        import peers

        data = corpus.load(self.n, self.work)
        peer = self._peer()
        peer.reopen()
        at = self.n
        for line in sys.stdin:
            seconds, first, start = json.loads(line)["seconds"], at, time.perf_counter()
            while time.perf_counter() - start < seconds:
                peers.add_durable(peer, data, at, 20)
                at += 20
            self.say(commits=(at - first) // 20, seconds=time.perf_counter() - start)
        peer.close()


def built(
    system: str, folder: Path, n: int, work: Path, *, reuse: bool, core: int | None = None
) -> dict[str, Any]:
    """Build `folder`, or leave it if an earlier build came to its end; seconds and disk of the build."""
    kept = folder.with_name(f"{system}.json")
    if reuse and kept.exists():
        return dict(json.loads(kept.read_text("utf-8")))
    kept.unlink(missing_ok=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    child = Worker("build", system, folder, n, work, core=core)
    facts = {f"build_{name}": value for name, value in child.answer().items()}
    child.end()
    kept.write_text(json.dumps(facts), "utf-8")
    return facts


def copy(folder: Path, to: Path) -> Path:
    """A copy to write into, so that a built folder stays as built."""
    shutil.rmtree(to, ignore_errors=True)
    return Path(shutil.copytree(folder, to))


def main() -> None:
    job, system, folder, n, work = sys.argv[1:6]
    if CORE in os.environ:
        os.sched_setaffinity(0, {int(os.environ[CORE])})
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    jobs = _Jobs(system, Path(folder), int(n), Path(work), out)
    try:
        getattr(jobs, job)()
    except Exception as problem:  # a door: the parent is told, and goes on with the other systems
        jobs.say(error=f"{type(problem).__name__}: {problem}")
        raise


if __name__ == "__main__":
    main()
