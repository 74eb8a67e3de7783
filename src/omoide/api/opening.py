"""Which index serves a home: the one on disk, a new one, or one in memory when the disk refuses."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from omoide.api.clock import machine_zone
from omoide.errors import IndexFailed
from omoide.index import generation
from omoide.index.check import drop_damaged
from omoide.index.index import DATABASE, Index
from omoide.index.write import copy_vectors, model_of, purge, tidy, writing
from omoide.settings import Settings

Fill = Callable[[Index], None]
"""Brings an index up to date with the files."""


class Model(NamedTuple):
    """Name and dimensions of the vectors in use; "" and 0 for none."""

    name: str = ""
    dimensions: int = 0


def cache_root() -> Path:
    """$OMOIDE_CACHE, else omoide below $XDG_CACHE_HOME or ~/.cache."""
    given = os.environ.get("OMOIDE_CACHE")
    return Path(given) if given else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "omoide"


def cache_of(home: Path, cache: Path | None) -> Path:
    """Folder of a home's index: outside the home, named after it, the same for every way to write its path."""
    place = os.path.realpath(home)
    root = cache or cache_root()
    slug = re.sub(r"[^a-z0-9]+", "-", os.path.basename(place).lower()).strip("-")[:24] or "home"
    return root / f"{slug}-{blake2b(place.encode('utf-8', 'surrogateescape'), digest_size=5).hexdigest()}"


def open_current(cache: Path, settings: Settings, model: Model, resident: bool) -> Index | None:
    """The generation in use, if it is whole and made the way this version makes it."""
    folder = generation.current(cache)
    if folder is None:
        return None
    index = Index(folder, settings.lexical, model=model.name, dimensions=model.dimensions, resident=resident)
    with ExitStack() as unless_used:
        unless_used.callback(index.close)
        if index.meta("fingerprint") == _make(settings):
            unless_used.pop_all()
            return index
    return None


def _make(settings: Settings) -> str:
    """How this process makes an index: its versions, its analyzer, and the zone in which days are read."""
    return generation.fingerprint(settings.lexical.analyzer, settings.home.zone or str(machine_zone()))


def make(cache: Path, settings: Settings, model: Model, resident: bool, fill: Fill) -> Index:
    """A new generation. The caller holds the writer's lock. An old one answers until the switch; where
    there is none, the new one is put in place empty and fills, so that a killed build goes on. Vectors of
    known texts are taken from the old one, or from a damaged one as far as it can be read."""
    old = generation.current(cache)
    known = old or generation.retired(cache)
    folder = generation.begin(cache)
    index: Index | None = None
    try:
        index = Index(folder, settings.lexical, model=model.name, dimensions=model.dimensions, resident=resident)
        with writing(index) as writer:
            writer.set_meta("fingerprint", _make(settings))
        if old is None:
            generation.switch(cache, folder)
        fill(index)
        if known is not None:
            copy_vectors(index, str(known / DATABASE))
            if model.name:
                with writing(index) as writer:
                    writer.attach_known()
        if old is not None:
            generation.switch(cache, folder)
        generation.forget_retired(cache)
        tidy(index, fully=True)
        return index
    except BaseException:
        if index is not None:
            index.close()
        if generation.current(cache) != folder:  # on a full disk a half-made one is in the way of everything
            shutil.rmtree(folder, ignore_errors=True)
        raise


def in_memory(settings: Settings, model: Model, fill: Fill) -> Index:
    """An index for this process only."""
    index = Index(None, settings.lexical, model=model.name, dimensions=model.dimensions)
    fill(index)
    return index


@contextmanager
def only_writer(cache: Path) -> Iterator[None]:
    """Hold the writer's lock, for work that must be done. Raises `IndexFailed` when another process keeps it for minutes."""
    with generation.only_writer(cache, 600.0) as mine:
        if not mine:
            raise IndexFailed("another process has been writing the index for ten minutes; try again when it is done")
        yield


def clean(cache: Path, settings: Settings, fill: Fill) -> None:
    """Bring the index up to date so that no byte of it holds what is in no file. One that cannot be cleaned is removed.

    The caller holds the writer's lock. Raises `IndexFailed` if it cannot be removed either.
    """
    try:
        if _is_clean(cache, settings, fill):
            return
    except IndexFailed:
        pass  # whatever is the matter with it, it must not stay
    generation.clear(cache)


def _is_clean(cache: Path, settings: Settings, fill: Fill) -> bool:
    index = open_current(cache, settings, Model(), resident=False)
    if index is None:
        return False
    model = Model(*model_of(index))
    index.close()
    index = open_current(cache, settings, model, resident=False)  # so that the vectors' segment is made again too
    if index is None:
        return False
    try:
        fill(index)
        done = purge(index)
        generation.sweep(cache, index.parts())
        return done
    finally:
        index.close()


def put_aside(cache: Path, index: Index | None) -> None:
    """Put out of use what is damaged: some segments (the database has all that is in them), else the generation."""
    if index is not None:
        with generation.only_writer(cache, 0.0) as mine, suppress(IndexFailed):
            if mine and drop_damaged(index):
                return
    generation.retire(cache)
