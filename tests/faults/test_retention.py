"""Dropping old events under kills and bad disks: each file is the old one or the new one, and the next run finishes."""

from __future__ import annotations

import errno
import os
import random
import subprocess
import sys
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from omoide.api.retaining import tidy
from omoide.errors import StoreFailed
from omoide.store.door import Door
from omoide.store.log import Event, Log
from parts.broken_disk import CHANGING, Died, faulty, temps
from parts.killing import next_line

AT = datetime(2026, 11, 20, 9, tzinfo=UTC)
NOW = datetime(2027, 1, 15, tzinfo=UTC)
FULL = bool(os.environ.get("OMOIDE_FULL"))
FOLDERS = ("rooms/den-2b", "rooms/garden-1a")

DROPPER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from omoide.api.retaining import tidy
from omoide.store.door import Door
print("ready", flush=True)
sys.stdin.readline()
tidy(Door(Path(sys.argv[1])), datetime(2027, 1, 15, tzinfo=UTC), 30, UTC)
"""


def fill(home: Path, days: int) -> None:
    """So many days of three events in each of two rooms, and a note by hand in each file."""
    for folder in FOLDERS:
        (home / folder).mkdir(parents=True, exist_ok=True)
        log = Log(Door(home), folder)
        for number in range(3 * days):
            log.append(Event("chat:w:ann", AT + timedelta(hours=8 * number), f"secret {number}", "s"), UTC)
        for path in (home / folder / "log").iterdir():
            path.write_bytes(path.read_bytes() + b"\n## Note\n\nstays\n")


def state(home: Path) -> dict[str, bytes]:
    return {path.relative_to(home).as_posix(): path.read_bytes() for path in home.rglob("log/*.md")}


def each_old_or_new(home: Path, old: dict[str, bytes], new: dict[str, bytes]) -> None:
    now = state(home)
    assert now.keys() == old.keys()
    assert all(data in (old[path], new[path]) for path, data in now.items())


@pytest.fixture
def sides(tmp_path: Path) -> tuple[Path, dict[str, bytes], dict[str, bytes]]:
    """A home, its logs, and what they become."""
    home = tmp_path / "home"
    fill(home, 2)
    old = state(home)
    (twin := tmp_path / "twin").mkdir()
    for path, data in old.items():
        (twin / path).parent.mkdir(parents=True, exist_ok=True)
        (twin / path).write_bytes(data)
    tidy(Door(twin), NOW, 30, UTC)
    assert all(b"secret" not in data and b"stays" in data and b"dropped" in data for data in state(twin).values())
    return home, old, state(twin)


def again(home: Path, old: dict[str, bytes]) -> None:
    for path, data in old.items():
        (home / path).write_bytes(data)


@pytest.mark.parametrize(
    "fault", [OSError(errno.ENOSPC, "No space left on device"), OSError(errno.EIO, "Input/output error"), Died()], ids=repr
)
def test_a_fault_at_any_call(sides: tuple[Path, dict[str, bytes], dict[str, bytes]], fault: BaseException) -> None:
    """A full or failing disk, or a kill, at any single call: every file is old or new, and the next run finishes with the same bytes."""
    home, old, new = sides
    used = 0
    for at in range(1, 1000):
        again(home, old)
        with faulty(set(CHANGING), at, fault) as broken:
            with suppress(StoreFailed, Died):
                tidy(Door(home, 1), NOW, 30, UTC)
            used = broken.used
        each_old_or_new(home, old, new)
        tidy(Door(home, 1), NOW, 30, UTC)
        assert state(home) == new
        assert temps(home) == []
        if used < at:
            break
    assert used > 10


def test_a_full_disk_is_named(sides: tuple[Path, dict[str, bytes], dict[str, bytes]]) -> None:
    """The error names the files that still hold what is old and what to do; the others are not held up."""
    home, old, new = sides
    with (
        faulty({"pwrite"}, 1, OSError(errno.ENOSPC, "No space left on device")),
        pytest.raises(StoreFailed, match=r"den-2b/log/2026-11-20\.md.*run again: omoide rooms tidy"),
    ):
        tidy(Door(home), NOW, 30, UTC)
    now = state(home)
    assert all(now[path] == new[path] for path in now if path.startswith(FOLDERS[1]))
    assert any(now[path] == old[path] for path in now)


def test_killed_processes(tmp_path: Path) -> None:
    """kill -9 while it drops, again and again: no file is half of anything, what is counted as dropped is gone, and all ends dropped."""
    chance = random.Random(5)
    home = tmp_path / "home"
    fill(home, 20)
    old = state(home)
    for number in range(60 if FULL else 6):
        again(home, old)
        child = subprocess.Popen(
            [sys.executable, "-c", DROPPER, str(home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONPATH": "src"},
        )  # fmt: skip
        assert next_line(child) == "ready\n"
        assert child.stdin is not None
        child.stdin.write("\n")
        child.stdin.flush()
        if number:
            try:
                child.wait(chance.uniform(0.0, 0.05))
            except subprocess.TimeoutExpired:
                child.kill()
        child.communicate()
        for data in state(home).values():
            assert (b"secret" in data) != (b"dropped" in data)
            assert b"## Note\n\nstays\n" in data
        tidy(Door(home), NOW, 30, UTC)
        assert all(b"secret" not in data and data.count(b"dropped") == 1 for data in state(home).values())
        assert temps(home) == []
