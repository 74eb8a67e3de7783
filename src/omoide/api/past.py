"""A home as it was, one moment after another: what came later does not exist, and edits are taken back from the history.

A section of a dated file came to be at the moment its heading tells, as precisely as it does. A file that the history
speaks of has the bytes that the history has. What has neither a day nor a history is taken as it is now; what was forgotten,
or dropped from a log because it was old, does not come back.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from omoide.api.cutting import content_of
from omoide.api.home import Home
from omoide.api.opening import Model, in_memory
from omoide.index import entries, generation
from omoide.index.embed import coverage, embed_missing
from omoide.index.entries import micros
from omoide.index.index import DATABASE, Index
from omoide.index.sync import Content
from omoide.index.write import copy_vectors, tidy, writing
from omoide.store import files
from omoide.store.door import Door
from omoide.store.names import is_note
from omoide.store.store import Reading, Store
from omoide.types import Embedder

ALWAYS = -(2**62)
"""The moment of what is taken as it is now."""


class Step(NamedTuple):
    """From this moment on (microseconds since 1970) a file has this `content`, too; or, where it has none, these bytes alone."""

    at: int
    path: str
    content: Content | None = None
    data: bytes | None = None


class Past:
    """An index in memory that is brought from moment to moment, never back. `model`: of its vectors, if it has any."""

    def __init__(self, home: Home, model: Model) -> None:
        self._home = home
        self._steps = sorted(_steps(home.store), key=lambda step: (step.at, step.path))
        self._done = 0
        self.index = in_memory(home.settings, model, lambda index: None)

    def at(self, moment: datetime) -> Index:
        """The index as the home was at that moment."""
        first, until = self._done, micros(moment)
        while self._done < len(self._steps) and self._steps[self._done].at <= until:
            self._done += 1
        if first < self._done:
            with writing(self.index) as writer:
                for step in self._steps[first : self._done]:
                    content = step.content
                    if content is None:
                        writer.remove_path(step.path)
                        content = _content(self._home.store, step)
                    writer.add(content.chunks)
                    entries.add(writer, content.entries)
            tidy(self.index)
        return self.index

    def embed(self, embedder: Embedder) -> None:
        """Give what is there now its vectors, those that the home's own index has first. Raises `ModelFailed`."""
        have = coverage(self.index)
        if have.embedded < have.chunks:
            if kept := generation.current(self._home.cache):
                copy_vectors(self.index, str(kept / DATABASE))
            embed_missing(self.index, embedder, lambda done, of: self._home.report("embedding", done, of))


def _steps(store: Store) -> Iterator[Step]:
    versions = _versions(store)
    for seen in store.scan().found:
        states = versions.pop(seen.path, None)
        if states is not None:
            data = files.read(store.home, seen.path, store.max_bytes)
            if isinstance(data, bytes) and data != states[-1][1]:  # a hand was at it since; when, the file says as well as it can
                states.append((max(states[-1][0] + 1, seen.mtime_ns // 1000), data))
            yield from (Step(at, seen.path, data=data) for at, data in states)
            continue
        read = store.read(seen.path)
        dated = isinstance(read, Reading) and read.document.when is not None
        content = content_of(read)
        yield from _grown(seen.path, content) if dated else [Step(ALWAYS, seen.path, content)]
    for path, states in versions.items():  # gone by now
        yield from (Step(at, path, data=data) for at, data in states)


def _versions(store: Store) -> dict[str, list[tuple[int, bytes | None]]]:
    """Of each note that the history speaks of: its bytes, and since when. None: no such file."""
    door = Door(store.home)
    edits = [
        (micros(record.at), edit)
        for subject in door.subjects() for record in door.records(subject) for edit in record.edits
        if edit.path not in record.left and is_note(edit.path)
    ]  # fmt: skip
    out: dict[str, list[tuple[int, bytes | None]]] = {}
    for at, edit in sorted(edits, key=lambda one: one[0]):
        out.setdefault(edit.path, [(ALWAYS, edit.before)]).append((at, edit.after))
    return out


def _content(store: Store, step: Step) -> Content:
    return Content("") if step.data is None else content_of(store.taken(step.path, step.data))


def _grown(path: str, content: Content) -> Iterator[Step]:
    """Section after section of a dated file."""
    for chunk in content.chunks:
        yield Step(micros(chunk.when) if chunk.when else ALWAYS, path, Content("", chunks=(chunk,)))
    for entry in content.entries:
        assert entry.chunk.when is not None
        yield Step(micros(entry.chunk.when), path, Content("", entries=(entry,)))
