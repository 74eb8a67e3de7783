"""The write door at its worst: kills, disks that say no at any call, many writers. Nothing acknowledged is ever lost."""

from __future__ import annotations

import errno
import os
import random
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from omoide.errors import OmoideError, StoreFailed
from omoide.store.door import Door, Edit, Record, new_id
from parts.broken_disk import Died, faulty, state, temps
from parts.killing import kill_after, next_line

FULL = bool(os.environ.get("OMOIDE_FULL"))
AT = datetime(2026, 11, 30, tzinfo=UTC)
KEN, CARD, NOTE = "people/ken-7f3a", "people/ken-7f3a/card.md", "people/ken-7f3a/drawer/food.md"
OLD: dict[str, bytes | None] = {CARD: b"- old\n", NOTE: b"- tea\n- \xff\n"}


def record(*edits: Edit, subject: str = KEN) -> Record:
    """A change of these files."""
    return Record(new_id(AT), AT, subject, "test", "", "", {"k7f3": {}}, edits)


# ---- a disk that says no, and a process that dies, at every single call


def change_both(door: Door) -> None:
    """Two files get other bytes."""
    door.apply(record(Edit(CARD, OLD[CARD], b"- new\n" * 9), Edit(NOTE, OLD[NOTE], b"- \xfe")))


def make_and_remove(door: Door) -> None:
    """One file comes in a new folder, another goes."""
    door.apply(record(Edit("people/ken-7f3a/a/b.md", None, b"b\n"), Edit(NOTE, OLD[NOTE], None)))


def first_of_a_subject(door: Door) -> None:
    """A subject of which nothing is there yet."""
    door.apply(record(Edit("rooms/design-91c2/room.md", None, b"# Design\n"), subject="rooms/design-91c2"))


def undo(door: Door) -> None:
    """The record that made both files is undone."""
    door.undo(KEN, door.records(KEN)[0].id, AT, "")


def forget(door: Door) -> None:
    """The history loses a record; the files stay."""
    door.rewrite(KEN, lambda old: None)


def forget_a_fact(door: Door) -> None:
    """A line goes out of a file, and with it out of the history."""
    new = record(Edit(CARD, OLD[CARD], b""))
    door.apply(new._replace(verb="forget", facts={"": {"texts": ["old"]}, "k7f3": {}}))


def erase(door: Door) -> None:
    """Both files go, and the history with them."""
    door.apply(record(*(Edit(path, data, None) for path, data in OLD.items()))._replace(verb="erase"))


FORGETTING = (forget_a_fact, erase)
VERBS = (change_both, make_and_remove, first_of_a_subject, undo, forget, *FORGETTING)
CALLS = ("open", "pwrite", "fsync", "rename", "unlink", "mkdir", "rmdir", "ftruncate", "pread", "stat", "fstat", "fchmod")


def fresh(folder: Path, name: str) -> tuple[Path, Door]:
    """A home in which Ken has two files."""
    home = folder / name
    home.mkdir()
    door = Door(home)
    door.apply(record(*(Edit(path, None, data) for path, data in OLD.items())))
    (home / CARD).chmod(0o640)  # so that a mode is to be kept
    return home, door


def after(folder: Path, verb: Callable[[Door], None]) -> dict[str, bytes]:
    """What the verb does on a good disk."""
    home, door = fresh(folder, "good")
    verb(door)
    return state(home)


def check(home: Path, door: Door, new: dict[str, bytes], *, gone: bool = False) -> bool:
    """After recovery the change is there wholly or not at all, and the next write works. Says which."""
    Door(home).complete(thoroughly=False)  # a start of a writer
    for subject in (KEN, "rooms/design-91c2"):
        records = door.records(subject)
        door.rewrite(subject, lambda old: old)
        assert door.records(subject) == records
    found = state(home)
    assert found in (OLD, new)
    assert temps(home) == []
    ends = {edit.path: edit.after for subject in (KEN, "rooms/design-91c2") for old in door.records(subject) for edit in old.edits}
    assert all(found.get(path) == data for path, data in ends.items())
    if gone and found == new:
        assert not [path for path in (home / ".history").rglob("*") if path.is_file() and b"old" in path.read_bytes()]
    next_write = Edit(CARD, found.get(CARD), b"- next\n")
    assert door.apply(record(next_write)).paths == (CARD,)
    assert state(home) == found | {CARD: b"- next\n"}
    return found == new


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("verb", VERBS)
def test_a_disk_that_says_no_once(tmp_path: Path, verb: Callable[[Door], None], call: str) -> None:
    """Each call fails once at each of its uses: a named error and the old bytes, or the change; never half of it."""
    new, fired = after(tmp_path, verb), 0
    for code in (errno.ENOSPC, errno.EIO, errno.EACCES, errno.EROFS):
        for at in range(1, 200):
            home, door = fresh(tmp_path, f"{code}-{at}")
            failed = ""
            with faulty({call}, at, OSError(code, os.strerror(code))) as broken:
                try:
                    verb(door)
                except StoreFailed as error:
                    failed = str(error)
            if broken.used < at:
                break
            fired += 1
            assert not failed or (re.match(r"[.\w/-]+: ", failed) or str(home) in failed), failed
            if not failed:
                assert state(home) == new
            changed = check(home, door, new, gone=verb in FORGETTING)
            assert changed != bool(failed) or new == OLD, failed
    print(f"\n{verb.__name__}, {call}: {fired} faults")


@pytest.mark.parametrize("verb", VERBS)
def test_killed_before_every_call(tmp_path: Path, verb: Callable[[Door], None]) -> None:
    """A process that dies before its n-th call, for every n, leaves a change that is there wholly or not at all."""
    new, outcomes = after(tmp_path, verb), Counter[bool]()
    changing = {"open", "pwrite", "fsync", "rename", "unlink", "mkdir", "rmdir", "ftruncate", "fchmod"}
    for at in range(1, 1000):
        home, door = fresh(tmp_path, str(at))
        try:
            with faulty(changing, at, Died()):
                verb(door)
            break
        except Died:
            outcomes[check(home, Door(home), new, gone=verb in FORGETTING)] += 1
    assert min(outcomes.values()) > 1 or new == OLD
    print(f"\n{verb.__name__}: after {outcomes.total()} kills {outcomes[True]} times the new, {outcomes[False]} times the old")


def test_killed_while_recovering(tmp_path: Path) -> None:
    """Who completes the change of a dead process may die over it as well, at any call."""
    new = after(tmp_path, change_both)
    for at in range(1, 1000):
        home, door = fresh(tmp_path, str(at))
        with faulty({"rename"}, 1, Died()), pytest.raises(Died):
            change_both(door)
        try:
            with faulty({"open", "pwrite", "fsync", "rename", "unlink"}, at, Died()):
                Door(home).complete(thoroughly=False)
            break
        except Died:
            assert check(home, Door(home), new)
    assert at > 10


def test_a_disk_that_says_no_for_good(tmp_path: Path) -> None:
    """Also when every call fails from the n-th on, there is a named error, and later the change wholly or not at all."""
    new = after(tmp_path, change_both)
    for at in range(1, 200):
        home, door = fresh(tmp_path, str(at))
        failed = ""
        with faulty({"pwrite", "fsync", "rename", "unlink", "ftruncate"}, at, OSError(errno.EIO, "gone"), for_good=True) as broken:
            try:
                change_both(door)
            except OmoideError as error:
                failed = str(error)
        if broken.used < at:
            break
        assert not failed or re.match(r"[.\w/-]+: ", failed), failed
        check(home, Door(home), new)
    assert at > 10


# ---- real processes


def start(home: Path, verb: str, *rest: str) -> subprocess.Popen[str]:
    """A process doing `verb`, past its imports."""
    source = str(Path(__file__).parents[2] / "src")
    env = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, (source, os.environ.get("PYTHONPATH"))))}
    command = [sys.executable, str(Path(__file__).with_name("writer.py")), str(home), verb, *rest]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
    assert next_line(child) == "ready\n"
    return child


def time_of_a_write(home: Path, count: int = 4) -> float:
    """Seconds that one write takes a new process on this disk, on average."""
    child, begin = start(home, "pair", "people/first-7f3a"), time.monotonic()
    for _ in range(count):
        next_line(child)
    seconds = time.monotonic() - begin
    kill_after(child, 0, 0)
    return seconds / count


def test_kill_while_writing(tmp_path: Path) -> None:
    """kill -9 at any moment, with readers: nothing acknowledged is lost, no file is torn, no temp file stays."""
    rounds, chance, seen = 500 if FULL else 12, random.Random(3), Counter[str]()
    readers = [start(tmp_path, "look") for _ in range(2)]
    one_write = time_of_a_write(tmp_path)
    for number in range(rounds):
        subject = f"people/p{number // 20}-7f3a"
        child = start(tmp_path, "pair", subject)
        wanted = chance.randint(0, 3)
        acknowledged = kill_after(child, wanted, chance.uniform(0.0, one_write))
        assert len(acknowledged) >= wanted
        card = tmp_path / subject / "card.md"
        if temps(tmp_path):
            seen["temp files"] += 1
        pending = any(b'{"done":"?' in path.read_bytes() for path in tmp_path.rglob("*.jsonl"))
        seen["half done"] += pending
        Door(tmp_path).complete(thoroughly=False)  # the next start of a writer
        assert temps(tmp_path) == []
        assert not list(tmp_path.rglob("*.lock"))
        records = Door(tmp_path).records(subject)
        assert pending <= any(old.edits for old in records)
        from_history = [edit.after for edit in records[-1].edits] if records else []
        assert all(data == card.read_bytes() == (card.parent / "drawer/n.md").read_bytes() for data in from_history)
        if acknowledged:
            count = int(card.read_bytes().split()[1])
            assert count in (acknowledged[-1], acknowledged[-1] + 1)
            assert len(records) == count + 1
        seen["acknowledged"] += len(acknowledged)
    (tmp_path / "stop").touch()
    for reader in readers:
        out, err = reader.communicate(timeout=60)
        assert reader.returncode == 0, err
        seen["reads"] += int(out)
    print(f"\n{rounds} kills: {dict(seen)}")
    assert seen["acknowledged"] > rounds
    assert seen["half done"]  # kills did fall into the middle of a write
    assert seen["reads"] > 100


@pytest.mark.parametrize("subjects", [1, 64])
def test_sixteen_writers(tmp_path: Path, subjects: int) -> None:
    """Sixteen processes add lines to the same cards: every line is there once, and none was told that a card is locked."""
    times, ids = 500 if FULL else 20, [f"people/p{number}-7f3a" for number in range(subjects)]
    begin = time.monotonic()
    children = [start(tmp_path, "add", f"w{number}", str(times), *ids) for number in range(16)]
    stale = 0
    for child in children:
        assert child.stdin is not None
        child.stdin.close()
        child.stdin = None
    for child in children:
        out, err = child.communicate(timeout=900)
        assert child.returncode == 0, err
        stale += int(out)
    lines = [line for data in state(tmp_path).values() for line in data.decode().splitlines() if line.startswith("- ")]
    assert sorted(lines) == sorted(f"- w{writer} {number}" for writer in range(16) for number in range(times))
    kept = [line for path in tmp_path.rglob("*.jsonl") for line in path.read_bytes().splitlines()]
    assert len(kept) == 16 * times
    assert all(line.startswith(b'{"done":"y"') for line in kept)
    assert temps(tmp_path) == []
    print(f"\n16 × {times} writes on {subjects}: {stale} were tried again, {time.monotonic() - begin:.1f} s")
