"""The hand that writes in the home; `files.py` is the eye that reads. No other file touches a home.

As there, every name is opened relative to the open folder above it and never through a symbolic link.
Functions raise `OSError`; the callers, `door.py` and `log.py`, say what that means. New files are 0600, new folders 0700.
"""

from __future__ import annotations

import errno
import fcntl
import os
import random
import stat
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

from omoide.store.files import _home as opened_home
from omoide.store.files import _on_disk as on_disk
from omoide.store.files import _opened as opened

__all__ = ["Lines", "files_below", "lock", "opened_folder", "opened_home", "put", "quiet", "read", "settle", "sweep", "tidy", "unlock"]

_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_KEPT_FILE = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_LOOKED_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_BLOCK = 65_536


# ---- folders and whole files


@contextmanager
def opened_folder(home: int, names: list[str], *, make: bool = False) -> Iterator[int]:
    """The open folder at the end of `names`; `make` makes those that are missing, each safe on disk."""
    with ExitStack() as above:
        at = home
        for name in names:
            if make:
                _made(at, name)
            at = opened(at, name, stat.S_IFDIR)
            above.callback(os.close, at)
        yield at


def _made(above: int, name: str) -> None:
    if not _exists(above, name) and not _exists(above, raw := on_disk(above, name)):
        with suppress(FileExistsError):  # somebody else was faster
            os.mkdir(raw, 0o700, dir_fd=above)
        _fsync_folder(above)


def _fsync_folder(folder: int) -> None:
    try:
        os.fsync(folder)
    except OSError as error:
        if error.errno != errno.EINVAL:  # a file system that cannot do this for a folder
            raise


def _split(path: str) -> tuple[list[str], str]:
    *folders, name = path.split("/")
    return folders, name


def read(home: int, path: str) -> bytes | None:
    """All bytes of the file; None if there is no such file (or no folder for it)."""
    folders, name = _split(path)
    try:
        with opened_folder(home, folders) as folder:
            return _now(folder, name)
    except FileNotFoundError:
        return None


def _now(folder: int, name: str) -> bytes | None:
    try:
        file = opened(folder, name, stat.S_IFREG)
    except FileNotFoundError:
        return None
    try:
        return _all(file)
    finally:
        os.close(file)


def _all(file: int, start: int = 0) -> bytes:
    parts = []
    while part := os.pread(file, 1 << 20, start):
        parts.append(part)
        start += len(part)
    return b"".join(parts)


def put(home: int, path: str, before: bytes | None, after: bytes | None, temp: str) -> bool:
    """Exchange the file for one with the bytes `after` (None: remove it), wholly and safe on disk.

    False, and nothing changed, if it does not hold `before` at the last moment. `temp` is the name of a
    file beside it that no other writer uses; a crash may leave it there, for `sweep`.
    """
    folders, name = _split(path)
    with opened_folder(home, folders, make=after is not None) as folder:
        if after is not None:
            _write_new(folder, temp, after, _mode(folder, name))
        try:
            same = _now(folder, name) == before
            if same and after is None:
                os.unlink(on_disk(folder, name), dir_fd=folder)
            elif same:
                os.rename(temp, on_disk(folder, name), src_dir_fd=folder, dst_dir_fd=folder)
        except OSError:
            _unlinked(folder, temp)
            raise
        if same:
            _fsync_folder(folder)
        else:
            _unlinked(folder, temp)
    return same


def _mode(folder: int, name: str) -> int:
    """The permissions of the file that is there, for it is its owner's; of a new one 0600."""
    try:
        return stat.S_IMODE(os.stat(on_disk(folder, name), dir_fd=folder, follow_symlinks=False).st_mode) & 0o777
    except FileNotFoundError:
        return 0o600


def _write_new(folder: int, name: str, data: bytes, mode: int = 0o600) -> None:
    """A new file with these bytes, safe on disk but for its name. Half of one is taken away again."""
    _unlinked(folder, name)
    try:
        file = os.open(name, _NEW_FILE, 0o600, dir_fd=folder)
        try:
            _write_all(file, data)
            if mode != 0o600:
                os.fchmod(file, mode)
            os.fsync(file)
        finally:
            os.close(file)
    except OSError:
        _unlinked(folder, name)
        raise


def _write_all(file: int, data: bytes, offset: int = 0) -> None:
    view = memoryview(data)
    while view:
        written = os.pwrite(file, view, offset)
        offset += written
        view = view[written:]


def _unlinked(folder: int, name: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)


def sweep(home: int, path: str, temp: str) -> None:
    """Take away what a crash of `put` left beside the file."""
    try:
        with suppress(FileNotFoundError), opened_folder(home, _split(path)[0]) as folder:
            _unlinked(folder, temp)
    except OSError as error:
        if error.errno != errno.EROFS:  # said before the name is looked up; nothing can have been left there
            raise


def settle(home: int, path: str) -> None:
    """Make the entry of the file in its folder safe on disk, in case a crash came just before that."""
    with suppress(FileNotFoundError), opened_folder(home, _split(path)[0]) as folder:
        _fsync_folder(folder)


def files_below(folder: int, above: str = "") -> Iterator[str]:
    """Paths of all files below an open folder, sorted; what is neither file nor folder, or has no clean name, is left out."""
    with os.scandir(folder) as entries:
        found = sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries if entry.name.isprintable())
    for name, is_folder in found:
        if is_folder:
            with opened_folder(folder, [name]) as below:
                yield from files_below(below, f"{above}{name}/")
        else:
            yield above + name


def tidy(home: int, path: str, top: str) -> None:
    """Remove the folders above `path` that are empty now, from below up to and with `top`. What cannot be, stays."""
    folders, last = _split(path)[0], top.split("/")
    while folders[: len(last)] == last:
        try:
            with opened_folder(home, folders[:-1]) as above:
                os.rmdir(on_disk(above, folders[-1]), dir_fd=above)
        except FileNotFoundError:
            pass  # gone already; the one above may be empty
        except OSError:
            return
        folders.pop()


# ---- locks


def lock(folder: int, name: str, queue: str, seconds: float) -> int | None:
    """The open file `name`, locked for this descriptor alone; None if that took longer than `seconds`.

    The system frees it when the process dies. Whoever waits first takes the lock of the file `queue`, if there is
    such a file: else a writer that writes again and again would nearly always find the door open just for itself.
    """
    end = time.monotonic() + seconds
    with _queued(folder, queue, end) as turn:
        while turn:
            file = os.open(name, _KEPT_FILE, 0o600, dir_fd=folder)
            try:
                in_time = _waited(file, end, 0.005)
                named = in_time and _is_named(file, folder, name)
            except BaseException:
                os.close(file)
                raise
            if named:
                return file
            os.close(file)  # late; or its last holder took it away with the last of its subject
            turn = in_time
    return None


def unlock(file: int, folder: int, name: str, *, keep: bool) -> None:
    """Give a lock back. Its file goes too (who waits for it sees that), or stays as a sign that something is left to do."""
    try:
        with suppress(OSError):
            if not keep:
                os.unlink(name, dir_fd=folder)
    finally:
        os.close(file)


def quiet(folder: int, name: str, seconds: float) -> bool:
    """Wait until nobody holds that lock; False if it took longer than `seconds`. Makes no file, so readers may."""
    with _queued(folder, name, time.monotonic() + seconds) as free:
        return free


def _exists(folder: int, name: str | bytes) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


@contextmanager
def _queued(folder: int, name: str, end: float) -> Iterator[bool]:
    """Whether the turn came in time."""
    try:
        file = os.open(name, _LOOKED_FILE, dir_fd=folder)
    except FileNotFoundError:
        yield True
        return
    try:
        yield _waited(file, end, 0.01)
    finally:
        os.close(file)


def _waited(file: int, end: float, longest: float) -> bool:
    """Lock an open file; asks again and again, `longest` seconds apart at most, because flock knows no time limit."""
    pause = 0.0005
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            left = end - time.monotonic()
            if left <= 0:
                return False
            time.sleep(min(left, pause * random.uniform(0.5, 1)))
            pause = min(2 * pause, longest)


def _is_named(file: int, folder: int, name: str) -> bool:
    try:
        return os.path.samestat(os.fstat(file), os.stat(name, dir_fd=folder, follow_symlinks=False))
    except FileNotFoundError:
        return False


# ---- a file of lines that grows


class Lines:
    """A file of lines in an open folder. Lines have no ends here. Who changes it holds the lock of its subject."""

    def __init__(self, folder: int, name: str) -> None:
        self.folder, self.name = folder, name
        self._temp = name + ".tmp"

    def all(self) -> tuple[list[bytes], bool]:
        """Every line that has its end, and whether there is nothing for `mend` to take away."""
        *lines, torn = (_now(self.folder, self.name) or b"").split(b"\n")
        while lines and b"\0" in lines[-1]:
            torn = lines.pop()
        return lines, not torn

    def last(self) -> list[bytes]:
        """Lines at the end: one if there is any, and as many more as fit in a block."""
        return self._tail()[0]

    def torn(self) -> bool:
        """Whether a crash left something behind the last line."""
        _, end, size = self._tail()
        return end != size

    def _tail(self) -> tuple[list[bytes], int, int]:
        """The same; where the last of them ends and where the file does, in bytes: between them lies what a crash left.

        That is a line without its end, and blocks that were never written, which read as NUL.
        """
        try:
            file = opened(self.folder, self.name, stat.S_IFREG)
        except FileNotFoundError:
            return [], 0, 0
        try:
            size, length = os.fstat(file).st_size, _BLOCK
            while True:
                start = max(0, size - length)
                lines = _all(file, start).split(b"\n")
                if start:
                    start += len(lines.pop(0)) + 1  # most likely the end of a line only
                del lines[-1:]
                while lines and b"\0" in lines[-1]:
                    lines.pop()
                if lines or length >= size:
                    return lines, start + sum(len(line) + 1 for line in lines), size
                length *= 4
        finally:
            os.close(file)

    @contextmanager
    def _changing(self) -> Iterator[tuple[int, int]]:
        """The open file and its size."""
        file = os.open(self.name, _KEPT_FILE, 0o600, dir_fd=self.folder)
        try:
            state = os.fstat(file)
            if not stat.S_ISREG(state.st_mode):
                raise OSError(errno.ENXIO, "it is no ordinary file")
            yield file, state.st_size
        finally:
            os.close(file)

    def mend(self) -> None:
        """Take away what a crash left in the middle of `append` or `exchange`."""
        _unlinked(self.folder, self._temp)
        _, end, size = self._tail()
        if end != size:
            with self._changing() as (file, _):
                os.ftruncate(file, end)
                os.fsync(file)

    def append(self, line: bytes) -> None:
        """Add a line, safe on disk; what cannot be added wholly is taken away again."""
        with self._changing() as (file, size):
            try:
                _write_all(file, line + b"\n", size)
                os.fsync(file)
                if not size:
                    _fsync_folder(self.folder)
            except OSError:
                with suppress(OSError):
                    os.ftruncate(file, size)
                raise

    def mark(self, line: bytes, at: int, letters: bytes) -> None:
        """Overwrite bytes of the last line, `line`, where they stand. A crash of the machine may undo it."""
        with self._changing() as (file, size):
            _write_all(file, letters, size - len(line) - 1 + at)

    def take_back(self, line: bytes) -> None:
        """Remove the last line, which is `line`."""
        with self._changing() as (file, size):
            os.ftruncate(file, size - len(line) - 1)
            os.fsync(file)

    def settle(self) -> None:
        """Make the name of the file safe on disk."""
        _fsync_folder(self.folder)

    def exchange(self, lines: list[bytes]) -> None:
        """Exchange the file for one with these lines, wholly; without any it is removed. `settle` makes it safe on disk."""
        if lines:
            try:
                _write_new(self.folder, self._temp, b"".join(line + b"\n" for line in lines))
                os.rename(self._temp, self.name, src_dir_fd=self.folder, dst_dir_fd=self.folder)
            except OSError:
                with suppress(OSError):
                    _unlinked(self.folder, self._temp)
                raise
        else:
            _unlinked(self.folder, self.name)
