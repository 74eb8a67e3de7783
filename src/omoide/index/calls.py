"""The log of calls: what a home was asked, when, for whom (hashed), and which ids came back. No text of any result.

    ~/.cache/omoide/<home>/calls.jsonl           one JSON line a call, newest last
    ~/.cache/omoide/<home>/calls-before.jsonl    the calls before those

It lies beside the index, for who only asks changes nothing in the home. Nobody waits for the disk: a crash of the machine
may cost the newest lines. A file that has grown to half of what is allowed is put aside in place of the one that was
aside, so both together stay below that.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

NAME, BEFORE = "calls.jsonl", "calls-before.jsonl"

_APPENDED = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


def add(cache: Path, line: bytes, most_bytes: int) -> None:
    """Add a line (without its end) of less than half of `most_bytes`. Raises `OSError`; then at most a part of the line is
    there, which readers name as broken."""
    with _current(cache) as file:
        size = os.fstat(file).st_size
        if not size or size + len(line) + 2 <= most_bytes // 2:
            torn = size and os.pread(file, 1, size - 1) != b"\n"
            data = memoryview((b"\n" if torn else b"") + line + b"\n")
            while data:
                data = data[os.write(file, data) :]
            return
        os.replace(cache / NAME, cache / BEFORE)
    add(cache, line, most_bytes)


@contextmanager
def _current(cache: Path) -> Iterator[int]:
    """The open log, locked; again if another process put it aside meanwhile."""
    while True:
        try:
            file = os.open(cache / NAME, _APPENDED, 0o600)
        except FileNotFoundError:
            cache.mkdir(parents=True, exist_ok=True, mode=0o700)
            continue
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(file), os.stat(cache / NAME)):
                    yield file
                    return
        finally:
            os.close(file)


def paths(cache: Path) -> list[Path]:
    """The files that are there, oldest calls first."""
    return [cache / name for name in (BEFORE, NAME) if (cache / name).is_file()]


def lines(file: Path) -> list[bytes]:
    """The lines of a log, without their ends. Raises `OSError`."""
    return file.read_bytes().split(b"\n")


def clear(cache: Path) -> None:
    """Remove the log. Raises `OSError` if it stays."""
    for name in (BEFORE, NAME):
        (cache / name).unlink(missing_ok=True)
