"""kill -9 at any moment: the next start answers as if nothing had happened."""

from __future__ import annotations

import random
import signal
import time
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from parts.killing import next_line

if TYPE_CHECKING:
    from conftest import Trial

NOTES = 150
EDITS = 120


class Kills:
    """Kills of processes at their work. Only those count that hit one which had begun and had not ended."""

    def __init__(self, trial: Trial, verb: str) -> None:
        self.trial, self.verb = trial, verb
        self.wanted = 50 if trial.full else 2
        self.chance = random.Random(verb)
        self.counted = self.tries = 0
        self.seen: Counter[str] = Counter()
        """How far the killed ones had come."""
        child = trial.start(verb)
        start = time.perf_counter()
        next_line(child)
        self.seconds = time.perf_counter() - start
        """About how long the work takes, and a little more, so that its end is hit as well."""
        child.communicate(timeout=120)

    def wanting(self) -> bool:
        """Whether more kills are needed. Fails when nearly all come too late."""
        if self.counted < self.wanted and self.tries >= 4 * self.wanted:
            pytest.fail(f"only {self.counted} of {self.tries} kills hit `{self.verb}` at work; {self.wanted} were wanted")
        return self.counted < self.wanted

    def kill(self) -> bool:
        """Kill one at a random moment of its work; whether that was in time."""
        child = self.trial.start(self.verb)  # it is past its imports
        time.sleep(self.chance.uniform(0, self.seconds))
        child.kill()
        out, err = child.communicate()
        assert child.returncode in (0, -signal.SIGKILL), err
        return child.returncode == -signal.SIGKILL and not out  # its answer is the last thing it does

    def hit(self) -> bool:
        """The same, counted, and the time learnt from it."""
        hit = self.kill()
        self.seconds *= 1.05 if hit else 0.8  # at rest when about one of six comes too late
        self.tries += 1
        self.counted += hit
        if hit:
            cache = self.trial.cache
            self.seen[f"{len(list(cache.glob('*/gen-*')))} generations, {len(list(cache.glob('*/gen-*/*.seg')))} segments"] += 1
        return hit

    def report(self) -> None:
        """For who reads it, with `pytest -s`."""
        print(f"\n{self.verb}: {self.counted} of {self.tries} kills hit; there were {dict(sorted(self.seen.items()))}")


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
    if verb == "force":  # made anew beside one that is complete
        trial.run("build")
    kills = Kills(trial, verb)
    while kills.wanting():
        if verb != "force":
            for path in sorted(trial.folder().rglob("*"), reverse=True):
                path.rmdir() if path.is_dir() else path.unlink()
        if kills.hit():
            if verb == "build" and kills.counted % 2:
                kills.kill()  # killed twice at the same thing
            check(trial, before, expected)
    kills.report()


def test_kill_during_a_sync(trial: Trial) -> None:
    """Killed while it takes in edits and their vectors, the index has each edit wholly or not at all."""
    trial.write(NOTES)
    trial.run("build")
    trial.write(EDITS, seed=99)
    kills = Kills(trial, "build")
    while kills.wanting():
        trial.write(EDITS, seed=100 + kills.tries)
        before = trial.snapshot()
        if kills.hit():
            check(trial, before, trial.fresh())
    kills.report()
