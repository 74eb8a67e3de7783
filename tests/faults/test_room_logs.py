"""Room logs under kills, full disks and many writers."""

from __future__ import annotations

import errno
import os
import random
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from omoide.errors import StoreFailed
from omoide.store import disk
from omoide.store.door import Door
from omoide.store.log import Event, Log
from parts.killing import kill_after, next_line

AT = datetime(2026, 11, 30, 9, tzinfo=UTC)
FULL = bool(os.environ.get("OMOIDE_FULL"))
FOLDER = "rooms/garden-1a"

WRITER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from omoide.store.door import Door
from omoide.store.log import Event, Log
log = Log(Door(Path(sys.argv[1]), 120), "rooms/garden-1a")
at = datetime(2026, 11, 30, 9, tzinfo=UTC)
print("ready", flush=True)
sys.stdin.readline()
for number in range(int(sys.argv[3])):
    log.append(Event("chat:w:ann", at, f"{sys.argv[2]} {number} " + "x" * (number % 90) + "\\nline two", sys.argv[2], number), UTC)
    print(number, flush=True)
"""


def start(home: Path, name: str, times: int) -> subprocess.Popen[str]:
    """A process that says so many things, in a session of its own, and tells of each that is kept."""
    child = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(home), name, str(times)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env={**os.environ, "PYTHONPATH": "src"},
    )  # fmt: skip
    assert next_line(child) == "ready\n", child.stderr.read() if child.stderr else ""
    return child


def go(child: subprocess.Popen[str]) -> None:
    assert child.stdin is not None
    child.stdin.write("\n")
    child.stdin.flush()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / FOLDER).mkdir(parents=True)
    return tmp_path


def test_many_writers_lose_nothing(home: Path) -> None:
    """Processes that write one log at the same time: every event that was acknowledged is there, whole, once, each one's own in order."""
    writers, times = (16, 200) if FULL else (6, 25)
    children = [start(home, f"w{number}", times) for number in range(writers)]
    for child in children:
        go(child)
    for child in children:
        _, err = child.communicate(timeout=300)
        assert child.returncode == 0, err
    said = [(event.session, event.message) for event in Log(Door(home), FOLDER).events()]
    for number in range(writers):
        assert [message for session, message in said if session == f"w{number}"] == list(range(times))
    assert len(said) == writers * times


def test_killed_writers(home: Path) -> None:
    """kill -9 at any moment, again and again: what was acknowledged stays, byte for byte, and nothing is half there."""
    chance, kills = random.Random(3), 200 if FULL else 8
    path, before, kept = home / FOLDER / "log/2026-11-30.md", b"", set[tuple[str, int]]()
    for number in range(kills):
        child = start(home, f"k{number}", 100_000)
        go(child)
        kept |= {(f"k{number}", count) for count in kill_after(child, chance.randint(0, 4), chance.uniform(0.0, 0.02))}
        now = path.read_bytes() if path.exists() else b""
        assert now.startswith(before)
        Log(Door(home), FOLDER).append(Event("chat:w:bob", AT, "after the kill", f"k{number}-after"), UTC)
        before = path.read_bytes()
        events = list(Log(Door(home), FOLDER).events())
        assert {(event.session, event.message) for event in events} >= kept
        assert all(event.text.endswith(("line two", "after the kill")) for event in events)
    assert len(kept) > kills
    assert not list(home.rglob("*.tmp"))


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
@pytest.mark.parametrize("call", ["pwrite", "fsync"])
def test_a_disk_that_says_no(home: Path, monkeypatch: pytest.MonkeyPatch, code: int, call: str) -> None:
    """A full or failing disk: an error that names the file, the old bytes, and the next event is kept."""
    log = Log(Door(home), FOLDER)
    log.append(Event("chat:w:ann", AT, "one"), UTC)
    before = (home / FOLDER / "log/2026-11-30.md").read_bytes()
    real = getattr(os, call)

    def fails(*args: object) -> object:
        if call == "pwrite":
            real(args[0], bytes(args[1])[:20], args[2])  # type: ignore[call-overload]
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(disk.os, call, fails)
    with pytest.raises(StoreFailed, match=r"2026-11-30\.md"):
        log.append(Event("chat:w:ann", AT, "two"), UTC)
    monkeypatch.undo()
    assert (home / FOLDER / "log/2026-11-30.md").read_bytes() == before
    assert log.append(Event("chat:w:ann", AT, "two"), UTC).message == 2


def test_one_fsync_an_event(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An event in a file that is there costs one fsync, before it is acknowledged."""
    log, count, real = Log(Door(home), FOLDER), 0, os.fsync
    log.append(Event("chat:w:ann", AT, "one"), UTC)

    def counted(file: int) -> None:
        nonlocal count
        count += 1
        real(file)

    monkeypatch.setattr(disk.os, "fsync", counted)
    for number in range(5):
        log.append(Event("chat:w:ann", AT, f"more {number}"), UTC)
    assert count == 5


@pytest.mark.parametrize("where", ["log", "log/2026-11-30.md"])
def test_no_link_is_followed(home: Path, tmp_path_factory: pytest.TempPathFactory, where: str) -> None:
    """A link in the way of a log is an error; nothing is written behind it."""
    outside = tmp_path_factory.mktemp("outside")
    (home / FOLDER / where).parent.mkdir(parents=True, exist_ok=True)
    (home / FOLDER / where).symlink_to(outside / "there" if "." in where else outside)
    with pytest.raises(StoreFailed, match="link"):
        Log(Door(home), FOLDER).append(Event("chat:w:ann", AT, "x"), UTC)
    assert list(outside.iterdir()) == []
