"""Several processes, one home: everyone sees the newest files, nobody waits long, nothing is lost."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Trial


def paths(trial: Trial, text: str, omoide: object) -> list[str]:
    """Paths of the hits, best first."""
    return [hit.chunk.path for hit in omoide.search(text, recipe="lexical", limit=50).hits]  # type: ignore[attr-defined]


def note(trial: Trial, name: str, text: str) -> Path:
    """Write a note as an editor does: the same file, new bytes."""
    place = trial.home / "memory" / name
    place.write_text(text, encoding="utf-8")
    return place


def test_eight_processes_at_random(trial: Trial) -> None:
    """Eight processes add, edit, delete, search and rebuild at once: no error, and the index ends like a fresh one."""
    trial.write(20)
    seconds = 30 if trial.full else 5
    children = [trial.start("steps", f"p{number}", str(seconds)) for number in range(8)]
    done: Counter[str] = Counter()
    for child in children:
        out, err = child.communicate(timeout=seconds + 120)
        assert child.returncode == 0, err
        done.update(json.loads(out))
    assert set(done) == {"add", "edit", "remove", "search", "build", "force"}
    assert trial.answers() == trial.fresh()
    assert trial.leftovers() == []
    with trial.open() as omoide:
        assert omoide.verify()["wrong"] == []


@pytest.mark.parametrize("verb", ["search", "build", "force"])
def test_a_long_running_process_sees_what_another_did(trial: Trial, verb: str) -> None:
    """An open index follows deletes, renames, edits and rebuilds that other processes make."""
    note(trial, "a.md", "- walrus alpha\n")
    note(trial, "b.md", "- walrus beta\n")
    note(trial, "d.md", "- walrus delta\n")
    with trial.open() as omoide:
        omoide.build()
        assert sorted(paths(trial, "walrus", omoide)) == ["memory/a.md", "memory/b.md", "memory/d.md"]
        (trial.home / "memory/a.md").unlink()
        (trial.home / "memory/b.md").rename(trial.home / "memory/c.md")
        note(trial, "d.md", "- walrus omega\n")
        trial.run(verb, *(["walrus"] if verb == "search" else []))
        assert sorted(paths(trial, "walrus", omoide)) == ["memory/c.md", "memory/d.md"]
        assert paths(trial, "omega", omoide) == ["memory/d.md"]
        assert paths(trial, "delta", omoide) == []
        assert omoide.get("memory/a.md").outcome == "not_found"
        trial.run("force")
        note(trial, "e.md", "- walrus epsilon\n")
        assert len(paths(trial, "walrus", omoide)) == 3
        assert omoide.verify()["wrong"] == []


def test_an_edit_that_keeps_size_and_mtime(trial: Trial) -> None:
    """An edit is found although size and mtime are those of before, because the change time is another.

    The limit: who can also set the clock back, or write the disk beneath the file system, can hide an
    edit from searches; `verify` compares the bytes and finds that too.
    """
    place = note(trial, "a.md", "- the code is 1234\n")
    with trial.open() as omoide:
        assert paths(trial, "1234", omoide)
        time.sleep(0.1)  # past the time in which an edit cannot be told from the look before it
        assert paths(trial, "1234", omoide)
        before = place.stat()
        note(trial, "a.md", "- the code is 9876\n")
        os.utime(place, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert (place.stat().st_size, place.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
        assert paths(trial, "9876", omoide) == ["memory/a.md"]
        assert paths(trial, "1234", omoide) == []


def test_edits_in_quick_succession(trial: Trial) -> None:
    """Two hundred edits of the same length, each searched for at once: none is missed within a clock tick."""
    with trial.open() as omoide:
        for number in range(200):
            place = note(trial, "a.md", f"- the code is {1000 + number}\n")
            os.utime(place, ns=(0, 0))
            assert paths(trial, str(1000 + number), omoide) == ["memory/a.md"]


def test_a_file_exchanged_for_an_older_one(trial: Trial) -> None:
    """A backup moved over a note (older times, the same size) is a change."""
    other = trial.home.parent / "backup.md"
    other.write_text("- the code is 5555\n", encoding="utf-8")
    os.utime(other, ns=(0, 0))
    note(trial, "a.md", "- the code is 1111\n")
    with trial.open() as omoide:
        assert paths(trial, "1111", omoide)
        other.rename(trial.home / "memory/a.md")
        assert paths(trial, "5555", omoide) == ["memory/a.md"]
        assert paths(trial, "1111", omoide) == []


def test_a_reader_goes_on_during_a_long_sync(trial: Trial) -> None:
    """While another process builds for seconds, searches answer soon, from what there is, and say so."""
    trial.write(40)
    with trial.open() as omoide:
        omoide.build()
        trial.write(4000 if trial.full else 600, seed=9)
        child = trial.start("build")
        time.sleep(0.3)
        slowest, codes, rounds = 0.0, set(), 0
        while child.poll() is None:
            start = time.perf_counter()
            found = omoide.search("peanut allergy of Ken")
            slowest = max(slowest, time.perf_counter() - start)
            codes |= {notice.code for notice in found.notices}
            assert found.hits
            rounds += 1
        child.communicate()
        assert child.returncode == 0
        assert rounds
        assert "index_in_memory" not in codes
        assert "index_rebuilt" not in codes
        assert slowest < 10, codes
    assert trial.answers() == trial.fresh()


def test_a_writer_that_dies_frees_the_lock(trial: Trial) -> None:
    """A process killed with the lock in its hand stops nobody: the next one goes on at once."""
    trial.write(300)
    child = trial.start("force")
    while not list(trial.cache.glob("*/lock")) and child.poll() is None:
        time.sleep(0.001)
    child.kill()
    child.communicate()
    start = time.perf_counter()
    with trial.open() as omoide:
        assert omoide.search("peanut").hits
    assert time.perf_counter() - start < 15
