"""A disk that says no, and a process that dies, at any one call; and what is on it afterwards."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from omoide.store import disk, files

CHANGING = ("open", "pwrite", "write", "fsync", "rename", "unlink", "mkdir", "rmdir", "ftruncate", "fchmod")
READING = ("pread", "read", "stat", "fstat", "scandir")


def state(home: Path) -> dict[str, bytes]:
    """Path → bytes of everything but the history."""
    return {
        path.relative_to(home).as_posix(): path.read_bytes()
        for path in home.rglob("*") if path.is_file() and ".history" not in path.parts
    }  # fmt: skip


def temps(home: Path) -> list[str]:
    """Every file that is neither a note nor a history nor a lock."""
    return [path.name for path in home.rglob("*") if path.is_file() and path.suffix not in (".md", ".jsonl", ".lock")]


class Died(BaseException):
    """The process is killed here."""


class Disk:
    """The `os` of the two files that touch the home, with a fault at the n-th use of some calls."""

    def __init__(self, calls: set[str], at: int, fault: BaseException, *, for_good: bool) -> None:
        self.calls, self.at, self.fault, self.for_good = calls, at, fault, for_good
        self.used = 0
        self.each: Counter[str] = Counter()

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        return self._counting(name, real) if name in self.calls else real

    def _counting(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def called(*arguments: Any, **named: Any) -> Any:
            self.used += 1
            self.each[name] += 1
            if self.used == self.at and isinstance(self.fault, Died) and real is os.pwrite:
                file, data, offset = arguments
                real(file, data[: len(data) // 2], offset)  # killed with half of it written
            if self.used == self.at or (self.for_good and self.used > self.at):
                raise self.fault
            return real(*arguments, **named)

        return called


@contextmanager
def faulty(calls: set[str], at: int, fault: BaseException, *, for_good: bool = False) -> Iterator[Disk]:
    """Inside, the disk has this fault, once or from then on. A dead process does nothing more."""
    with pytest.MonkeyPatch.context() as patch:
        broken = Disk(calls, at, fault, for_good=for_good or isinstance(fault, Died))
        patch.setattr(disk, "os", broken)
        patch.setattr(files, "os", broken)
        yield broken
