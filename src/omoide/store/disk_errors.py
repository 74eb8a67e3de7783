"""What a disk says when it says no, as an error that names the file and what to do."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from omoide.errors import StoreFailed
from omoide.store.check_path import shown

OTHER = (errno.ELOOP, errno.ENOTDIR, errno.EISDIR, errno.ENXIO)
"""What the disk says when something else stands where a file should be."""

_ADVICE = {
    errno.ENOSPC: "the disk is full; free some space and try again",
    errno.EDQUOT: "the quota of this disk is used up; free some space and try again",
    errno.EROFS: "the disk is read-only; make it writable and try again",
    errno.EACCES: "permission denied; make file and folder writable for this user and try again",
    errno.EPERM: "permission denied; make file and folder writable for this user and try again",
    errno.ELOOP: "it is a symbolic link, or lies behind one; links are not followed, so remove it first",
    errno.ENOTDIR: "a name on the way to it is a file or a link, not a folder; move that first",
    errno.EISDIR: "it is a folder, not a file; move it first",
    errno.ENXIO: "it is no ordinary file (a pipe, a socket or a device); move it first",
}


@contextmanager
def named(path: str) -> Iterator[None]:
    """What the disk says inside, as a `StoreFailed` that names the file and what to do."""
    try:
        yield
    except OSError as error:
        advice = _ADVICE.get(error.errno or 0, f"{error.strerror or error}; look at the disk and try again")
        raise StoreFailed(f"{shown(path)}: {advice}") from error
