"""Run as a process of its own by `test_writes.py`: one home, one thing to do, then gone or killed.

    python writer.py HOME VERB [ARGUMENT …]

It says "ready" when everything is imported. Any error is printed and ends it with code 1.
"""

from __future__ import annotations

import random
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from acting import act

from omoide.errors import StaleWrite
from omoide.store import files  # noqa: F401  all that a write needs, before "ready"
from omoide.store.door import Door, Edit, Record, new_id

AT = datetime(2026, 11, 30, tzinfo=UTC)


def page(number: int) -> bytes:
    """A file in which a mixture of two versions shows."""
    return b"".join(b"version %d line %d\n" % (number, line) for line in range(1 + number % 150))


def number_of(data: bytes) -> int:
    """Which version it is. Raises `AssertionError` if it is no whole one."""
    number = int(data.split()[1]) if data else -1
    assert data == page(number), data[:200]
    return number


def pair(home: Path, subject: str) -> None:
    """Two files exchanged together again and again; prints the number of each change that was acknowledged."""
    door = Door(home)
    paths = (f"{subject}/card.md", f"{subject}/drawer/n.md")
    before = door.current(paths[0])
    for number in range(0 if before is None else number_of(before) + 1, 1 << 60):
        edits = tuple(Edit(path, door.current(path), page(number)) for path in paths)
        door.apply(Record(new_id(AT), AT, subject, "set", "", "", {}, edits))
        print(number, flush=True)


def look(home: Path, *subjects: str) -> None:
    """Read all files of all subjects until there is a file `stop`; prints how many times."""
    door, count = Door(home), 0
    last: dict[str, int] = {}
    while not (home / "stop").exists():
        for path in home.glob("people/*/**/*.md"):
            for data in (path.read_bytes(), door.current(path.relative_to(home).as_posix())):
                assert data is not None
                number = number_of(data)
                assert number >= last.get(str(path), 0), "a version came back"
                last[str(path)] = number
                count += 1
        time.sleep(0.001)
    print(count)


def add(home: Path, name: str, times: str, *subjects: str) -> None:
    """So many lines added to cards of these subjects, each tried again while others were faster; prints how often.

    Begins at the end of the input, so that all begin together.
    """
    door, chance, stale = Door(home), random.Random(name), 0
    sys.stdin.read()
    for number in range(int(times)):
        subject = chance.choice(subjects)
        path = f"{subject}/card.md"
        before = door.current(path)
        while True:
            after = (before or b"# card\n") + b"- %s %d\n" % (name.encode(), number)
            try:
                door.apply(Record(new_id(AT), AT, subject, "add", "", name, {}, (Edit(path, before, after),)))
                break
            except StaleWrite as error:
                before, stale = error.now, stale + 1
    print(stale)


if __name__ == "__main__":
    folder, wanted, *others = sys.argv[1:]
    act(lambda: globals()[wanted](Path(folder), *others))
