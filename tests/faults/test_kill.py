"""kill -9 at any moment: the next start answers as if nothing had happened."""

from __future__ import annotations

import os
import random
import time
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Trial

NOTES = 150
ROUNDS = 50 if os.environ.get("OMOIDE_FULL") else 2
"""Of each of the four ways to be killed."""


def seconds(trial: Trial, verb: str) -> float:
    """How long `verb` takes here, once its process is past its imports."""
    child = trial.start(verb)
    start = time.perf_counter()
    child.communicate(timeout=120)
    return time.perf_counter() - start


def kill(trial: Trial, verb: str, after: float) -> None:
    """Start `verb` and kill its process so many seconds later."""
    child = trial.start(verb)
    time.sleep(after)
    child.kill()
    child.communicate()


def check(trial: Trial, before: object, expected: object) -> None:
    """Everything that must hold after a kill."""
    start = time.perf_counter()
    with trial.open() as omoide:
        for text in trial.queries:  # the very next start answers, before anything is built
            found = omoide.search(text)
            assert found.hits
            assert not {notice.code for notice in found.notices} & {"index_in_memory", "index_busy"}
    assert trial.answers() == expected
    assert time.perf_counter() - start < 20  # no lock of the dead process was waited for
    assert trial.leftovers() == []
    assert trial.snapshot() == before
    with trial.open() as omoide:
        assert omoide.verify()["wrong"] == []


@pytest.mark.parametrize("verb", ["build", "force", "words"])
def test_kill_during_a_build(trial: Trial, verb: str) -> None:
    """A build killed at any moment loses no file and no answer, holds no lock and leaves nothing behind."""
    trial.write(NOTES)
    before, expected = trial.snapshot(), trial.fresh()
    long = seconds(trial, verb)
    chance = random.Random(verb)
    for at in range(ROUNDS):
        if verb != "force":
            for path in sorted(trial.folder().rglob("*"), reverse=True):
                path.rmdir() if path.is_dir() else path.unlink()
        kill(trial, verb, chance.uniform(0, long))
        if verb == "build" and at % 2:  # killed twice at the same thing
            kill(trial, verb, chance.uniform(0, long))
        check(trial, before, expected)


def test_kill_during_a_sync(trial: Trial) -> None:
    """Killed while it takes in edits and their vectors, the index has each edit wholly or not at all."""
    trial.write(NOTES)
    trial.run("build")
    long = seconds(trial, "force") / 2
    chance = random.Random(3)
    for number in range(ROUNDS):
        trial.write(120, seed=100 + number)
        before, expected = trial.snapshot(), trial.fresh()
        kill(trial, "build", chance.uniform(0, long))
        check(trial, before, expected)
