"""A home of small notes, its cache, and other processes that use both."""

from __future__ import annotations

import hashlib
import json
import os
import random
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from omoide import Omoide, Settings
from omoide.index import generation
from omoide.testing import FixedClock
from omoide.types import Results
from parts.killing import next_line

FULL = bool(os.environ.get("OMOIDE_FULL"))
"""The full counts, run by `make check`."""

QUERIES = ("peanut allergy of Ken", "invoice number 4711", "川沿いの散歩", "who likes hojicha tea", "trip to Osaka in May")
SETTINGS = Settings().with_values({"embedding.model": "hashing"})
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)

_TOPICS = (
    "Ken has a peanut allergy and never eats satay",
    "the invoice number 4711 was paid twice in the spring",
    "健は毎朝、川沿いの散歩をしてから出社する",
    "Yumi likes hojicha tea, never coffee after noon",
    "the trip to Osaka in May was moved to the second week",
    "大阪出張の宿は駅前の静かなホテルにした",
    "the server room key hangs behind the printer",
    "会議は水曜日の午後三時から、議事録は由美が書く",
)


class Trial:
    """One home and one cache. Other processes are run on them by `child.py`."""

    full = FULL
    queries = QUERIES
    settings = SETTINGS

    def __init__(self, folder: Path) -> None:
        self.home, self.cache = folder / "home", folder / "cache"
        (self.home / "memory").mkdir(parents=True)
        self.fresh_caches = 0

    def write(self, notes: int, seed: int = 7) -> None:
        """So many small notes, the same for the same seed."""
        chance = random.Random(seed)
        for number in range(notes):
            lines = [f"## {chance.randint(8, 20):02}:00 part {part}\n\n- {chance.choice(_TOPICS)}, {chance.randint(1, 999)}\n"
                     for part in range(chance.randint(1, 4))]  # fmt: skip
            name = f"2026-{number % 11 + 1:02}-{number % 27 + 1:02}-n{number}.md"
            (self.home / "memory" / name).write_text("# Day\n\n" + "\n".join(lines), encoding="utf-8")

    def open(self, cache: Path | None = None) -> Omoide:
        """The home, with a clock that stands still."""
        return Omoide(self.home, settings=SETTINGS, cache=cache or self.cache, clock=FixedClock(NOW))

    def answers(self, omoide: Omoide | None = None) -> dict[str, list[tuple[str, float]]]:
        """Ids and scores of several queries, from the cache as it is; vectors are completed first."""
        with omoide or self.open() as opened:
            opened.build()
            return {text: pairs(opened.search(text, limit=20)) for text in QUERIES}

    def fresh(self) -> dict[str, list[tuple[str, float]]]:
        """The same from a cache that never existed before."""
        self.fresh_caches += 1
        return self.answers(self.open(self.cache.with_name(f"fresh-{self.fresh_caches}")))

    def start(self, verb: str, *rest: str, uid: int = 0) -> subprocess.Popen[str]:
        """A process doing `verb`, past its imports."""
        command = [sys.executable, str(Path(__file__).with_name("child.py")), str(self.home), str(self.cache), verb, *rest]
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=_environment(uid))
        said = next_line(child)
        assert said == "ready\n", said + (child.stderr.read() if child.stderr else "")
        return child

    def run(self, verb: str, *rest: str, uid: int = 0) -> Any:
        """What a process answered that did `verb`."""
        return result(self.start(verb, *rest, uid=uid))

    def snapshot(self) -> dict[str, tuple[int, int, str]]:
        """Path → mode, mtime and hash of the bytes of everything in the home."""
        return {str(path.relative_to(self.home)): _state(path) for path in sorted(self.home.rglob("*"))}

    def folder(self) -> Path:
        """The cache folder of this home; there is one when something was built."""
        return next(iter(self.cache.glob("home-*")))

    def generation(self) -> Path:
        """The generation in use."""
        found = generation.current(self.folder())
        assert found is not None
        return found

    def leftovers(self) -> list[str]:
        """Files and folders of the cache that no index uses; beside it lies the log of calls."""
        now = self.generation()
        with sqlite3.connect(now / "index.db") as db:
            listed = {row[0] for row in db.execute("SELECT file FROM segments")}
        db.close()
        used = {"index.db", "index.db-wal", "index.db-shm"} | listed
        known = ("current", "lock", "calls.jsonl", "calls-before.jsonl", now.name)
        strange = [path.name for path in self.folder().iterdir() if path.name not in known]
        return strange + [path.name for path in now.iterdir() if path.name not in used]


def pairs(results: Results) -> list[tuple[str, float]]:
    """Ids and scores; ten digits, for a sum's last bit may depend on how many rows are added at once."""
    return [(hit.chunk.id, round(hit.score, 10)) for hit in results.hits]


def result(child: subprocess.Popen[str]) -> Any:
    """What a child printed as JSON. It must have ended well and said nothing else."""
    out, err = child.communicate(timeout=300)
    assert child.returncode == 0, err
    return json.loads(out)


def _environment(uid: int) -> dict[str, str]:
    source = str(Path(__file__).parents[2] / "src")
    paths = os.pathsep.join(filter(None, (source, os.environ.get("PYTHONPATH"))))
    return os.environ | {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"} | ({"OMOIDE_TEST_UID": str(uid)} if uid else {})


def _state(path: Path) -> tuple[int, int, str]:
    seen = path.lstat()
    if path.is_symlink():
        return seen.st_mode, seen.st_mtime_ns, os.readlink(path)
    small = path.is_file() and seen.st_size < 50_000_000
    return seen.st_mode, seen.st_mtime_ns, hashlib.sha256(path.read_bytes()).hexdigest() if small else str(seen.st_size)


@pytest.fixture
def trial(tmp_path: Path) -> Iterator[Trial]:
    """An empty home with its cache."""
    yield Trial(tmp_path)
    for place in tmp_path.rglob("*"):  # pytest removes what it can enter
        if place.is_dir() and not place.is_symlink():
            place.chmod(0o700)
