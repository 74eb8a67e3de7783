"""The index follows the files: what changed since the last look is cut, read and written again.

A file is looked at by size, times and inode, read only when one of them differs (or when it changed so
shortly before the last look that the clock cannot tell), and written only when its content differs.
Every batch is one transaction: a process killed in between has indexed some files and not others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from omoide.index import entries, schema
from omoide.index.entries import Entry
from omoide.index.index import Index
from omoide.index.write import Writer, tidy, writing
from omoide.types import Chunk

BATCH_FILES = 100
RACY_NS = 50_000_000
"""A file that changed less than this before it was read is read again next time: clocks tick."""


class Seen(Protocol):
    """A file as a look at the folder shows it."""

    @property
    def path(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def mtime_ns(self) -> int: ...
    @property
    def ctime_ns(self) -> int: ...
    @property
    def inode(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Content:
    """What reading a file gave: its chunks and dated entries, or why there are none. `keep`: it is unknown, not gone."""

    digest: str
    chunks: tuple[Chunk, ...] = ()
    entries: tuple[Entry, ...] = ()
    problem: tuple[str, str] | None = None
    keep: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """What differs between the files and the index."""

    changed: tuple[Seen, ...]
    removed: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.changed or self.removed)


def plan(index: Index, found: Iterable[Seen], unknown: Sequence[str]) -> Plan:
    """Compare. `unknown`: paths that could not be looked at; what lies there is not taken for removed."""
    found = list(found)
    with index.lock, schema.damage():
        look = index.version(), found, tuple(unknown)
        if look == index.agreed:  # most looks show what the one before has shown
            return Plan((), ())
        rows = index.db.execute("SELECT path, size, mtime, ctime, inode, racy FROM files")
        known: dict[str, tuple[int, ...]] = {row[0]: row[1:] for row in rows}
        told = {row[0] for row in index.db.execute("SELECT path FROM problems")} - known.keys()
    changed = [
        seen for seen in found
        if known.pop(seen.path, None) != (seen.size, seen.mtime_ns, seen.ctime_ns, seen.inode, 0)
    ]  # fmt: skip
    told -= {seen.path for seen in changed}  # a file that never could be read and is gone leaves only its problem
    removed = [path for path in (*known, *sorted(told)) if not any(path == at or path.startswith(at + "/") for at in unknown)]
    if not (changed or removed):
        index.agreed = look
    return Plan(tuple(changed), tuple(removed))


def apply(
    index: Index, todo: Plan, load: Callable[[Seen], Content], now_ns: int, progress: Callable[[int, int], None] | None = None
) -> int:
    """Do it. `load` reads one file and cuts it; `now_ns` is the time of the look. Gives how many files were written."""
    written = 0
    with writing(index) as writer:
        for path in todo.removed:
            _forget(writer, path)
    for start in range(0, len(todo.changed), BATCH_FILES):
        batch = todo.changed[start : start + BATCH_FILES]
        contents = [(seen, load(seen)) for seen in batch]
        with writing(index) as writer:
            written += sum(_take(writer, seen, content, now_ns) for seen, content in contents)
        if progress:
            progress(start + len(batch), len(todo.changed))
    tidy(index)
    return written


def _take(writer: Writer, seen: Seen, content: Content, now_ns: int) -> bool:
    db = writer.db
    db.execute("DELETE FROM problems WHERE path = ?", (seen.path,))
    if content.problem:
        db.execute("INSERT INTO problems VALUES (?, ?, ?)", (seen.path, *content.problem))
    if content.keep:
        return False
    old = db.execute("SELECT digest FROM files WHERE path = ?", (seen.path,)).fetchone()
    racy = int(max(seen.mtime_ns, seen.ctime_ns) > now_ns - RACY_NS)
    row = (seen.path, seen.size, seen.mtime_ns, seen.ctime_ns, seen.inode, content.digest, racy)
    db.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    if old and old[0] == content.digest:
        return False
    writer.remove_path(seen.path)
    writer.add(content.chunks)
    entries.add(writer, content.entries)
    return True


def _forget(writer: Writer, path: str) -> None:
    writer.remove_path(path)
    writer.db.execute("DELETE FROM files WHERE path = ?", (path,))
    writer.db.execute("DELETE FROM problems WHERE path = ?", (path,))


def problems(index: Index) -> Mapping[str, tuple[str, str]]:
    """Files that could not be indexed: path → (code, text)."""
    with index.lock, schema.damage():
        return {row[0]: (row[1], row[2]) for row in index.db.execute("SELECT path, code, text FROM problems ORDER BY path")}
