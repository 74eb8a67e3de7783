"""Generations: an index is never changed in kind, it is made anew beside the old one and then switched.

    <cache>/current     the name of the generation in use, replaced atomically
    <cache>/retired     the name of a damaged one, until its vectors have been taken along
    <cache>/gen-7/      its database and segments
    <cache>/lock        held by the one writer; the system frees it when a process dies

A reader that has the old generation open goes on with it; it looks at `current` before each search.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from omoide.errors import IndexFailed
from omoide.index import schema
from omoide.index.index import DATABASE
from omoide.index.segment import sync_folder
from omoide.text import chunking, normalize, stem, tokenize

CURRENT = "current"
RETIRED = "retired"

_ELSEWHERE = "The files are untouched; make room or let this user write there, or set OMOIDE_CACHE to another folder"


def fingerprint(analyzer: str, zone: str = "") -> str:
    """What a text must be cut and read by to fit this index. `zone`: that of the days in file names. The vectors'
    model is not part of it: vectors are kept by model and have a coverage of their own."""
    return json.dumps(
        {"format": schema.FORMAT, "zone": zone, "normal": normalize.VERSION, "terms": tokenize.VERSION, "stem": stem.VERSION,
         "chunks": chunking.VERSION, "analyzer": analyzer}
    )  # fmt: skip


def current(cache: Path) -> Path | None:
    """Folder of the generation in use, or None."""
    return _named(cache, CURRENT)


def retired(cache: Path) -> Path | None:
    """Folder of a damaged generation whose vectors are still to be taken along, or None."""
    return _named(cache, RETIRED)


def _named(cache: Path, pointer: str) -> Path | None:
    try:
        name = (cache / pointer).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None
    whole = re.fullmatch(r"gen-\d{1,18}", name) and os.path.isfile(cache / name / DATABASE)
    return cache / name if whole else None


def begin(cache: Path) -> Path:
    """A new, empty generation folder. Leftovers of a build that died are removed: the lock is ours."""
    try:
        cache.mkdir(parents=True, exist_ok=True, mode=0o700)
        keep = (current(cache), retired(cache))
        numbers = [0]
        for folder in cache.glob("gen-*"):
            numbers.append(int(folder.name.removeprefix("gen-")) if folder.name.removeprefix("gen-").isdigit() else 0)
            if folder not in keep:
                shutil.rmtree(folder, ignore_errors=True)
        folder = cache / f"gen-{max(numbers) + 1}"
        folder.mkdir(mode=0o700)
        return folder
    except OSError as error:
        raise IndexFailed(f"no index can be made in the cache folder: {error.strerror}. {_ELSEWHERE}") from error


def switch(cache: Path, folder: Path) -> None:
    """Make a finished generation the one in use, and remove the others."""
    temporary = cache / f".{CURRENT}.{os.getpid()}"
    try:
        with open(temporary, "w", encoding="utf-8") as out:
            out.write(folder.name)
            out.flush()
            os.fsync(out.fileno())
        os.replace(temporary, cache / CURRENT)
        sync_folder(cache)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise IndexFailed(f"the new index could not be put in place: {error.strerror}. {_ELSEWHERE}") from error
    keep = (folder, retired(cache))
    for old in cache.glob("gen-*"):
        if old not in keep:
            shutil.rmtree(old, ignore_errors=True)


def retire(cache: Path) -> None:
    """Put the generation in use out of use, because it is damaged."""
    try:
        if (cache / CURRENT).exists():
            os.replace(cache / CURRENT, cache / RETIRED)
    except OSError as error:
        raise IndexFailed(f"the damaged index cannot be put aside: {error.strerror}. {_ELSEWHERE}") from error


def any_left(cache: Path) -> bool:
    """Whether there is an index of any kind, in use or not."""
    return any(cache.glob("gen-*"))


def clear(cache: Path) -> None:
    """Remove every index. The caller holds the writer's lock. Raises `IndexFailed` if one stays."""
    for name in (CURRENT, RETIRED):
        with suppress(OSError):
            (cache / name).unlink(missing_ok=True)
    for folder in cache.glob("gen-*"):
        shutil.rmtree(folder, ignore_errors=True)
    if any_left(cache):
        raise IndexFailed(f"what was forgotten is out of the files and their history, but not out of {cache}: remove that folder by hand")


def forget_retired(cache: Path) -> None:
    """Remove the damaged generation. The caller holds the writer's lock."""
    folder = retired(cache)
    with suppress(OSError):
        (cache / RETIRED).unlink(missing_ok=True)
    if folder is not None and folder != current(cache):
        shutil.rmtree(folder, ignore_errors=True)


def sweep(cache: Path, parts: Collection[str]) -> None:
    """Remove what processes left that died at their work. The caller holds the writer's lock.

    `parts`: names of the segments that the database of the generation in use lists.
    """
    keep = current(cache)
    if keep is None:
        return
    forget_retired(cache)
    for old in cache.glob("gen-*"):
        if old != keep:
            shutil.rmtree(old, ignore_errors=True)
    halves = [*cache.glob(f".{CURRENT}.*"), *keep.glob(".*.part")]
    for left in (*halves, *(part for part in keep.glob("*.seg") if part.name not in parts)):
        with suppress(OSError):  # what cannot be removed does no harm
            left.unlink()


@contextmanager
def only_writer(cache: Path, wait_seconds: float) -> Iterator[bool]:
    """Hold the writer's lock; gives False if another process kept it longer than `wait_seconds`."""
    try:
        cache.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(cache / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise IndexFailed(f"the cache folder cannot be used: {error.strerror}. {_ELSEWHERE}") from error
    try:
        yield _locked(handle, wait_seconds)
    finally:
        os.close(handle)


def _locked(handle: int, wait_seconds: float) -> bool:
    end = time.monotonic() + wait_seconds
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() >= end:
                return False
            time.sleep(0.02)

