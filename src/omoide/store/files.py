"""The eye that looks at the home on disk; `disk.py` is the hand that writes. No other file touches it.

Every name is opened relative to the open folder above it, and never through a symbolic link,
so that what was checked is what is read, also while someone exchanges folders (POSIX only).
Nothing here changes what is there; `make_missing` makes a new home. What cannot be read is a
`Problem`, a value: one bad file stops nothing.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from operator import attrgetter
from pathlib import Path

from omoide.errors import StoreFailed
from omoide.store.check_path import MAX_PATH_BYTES, MAX_SEGMENT_BYTES, MAX_SEGMENTS, broken_rule, shown
from omoide.store.listing import UNKNOWN, Found, Problem, Scan
from omoide.store.names import SKIPPED, conflict_copies, is_note, is_skipped

__all__ = ["MAX_BYTES", "UNKNOWN", "Found", "Problem", "Scan", "make_missing", "one_each", "read", "walk"]

MAX_BYTES = 20_000_000
"""Largest note that is read, in bytes, unless a setting says otherwise."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_COPY = ("conflict_copy", "a sync program left this copy; merge it into the note by hand and delete it")
_USUAL = re.compile(r"[\w \-.,()\n]*")


def walk(root: Path, max_bytes: int = MAX_BYTES, below: str = "") -> Scan:
    """Every note below `root` (a resolved path), or one folder in it, if it is there. Raises `StoreFailed` for no home."""
    scan = Scan()
    folders = below.split("/") if below else []
    with _home(root) as at, ExitStack() as opened:
        try:
            for name in folders:
                at = _opened(at, name, stat.S_IFDIR)
                opened.callback(os.close, at)
        except OSError as error:
            if error.errno != errno.ENOENT:
                scan.problems.append(Problem(below, *_why(error)))
            return scan
        _list(at, below + "/" if below else "", 1 + len(folders), max_bytes, scan)
    scan.found.sort(key=attrgetter("path"))
    scan.problems.sort()
    return scan


def one_each(root: Path, folder: str, name: str) -> list[Found]:
    """The file `name` of each folder that lies directly in `folder`: one look a folder, whatever else is in it.

    Raises `StoreFailed` for what may be there and cannot be looked at: who is who is never told from a part.
    """
    found = []
    with _home(root) as home, ExitStack() as opened:
        try:
            at = _opened(home, folder, stat.S_IFDIR)
            opened.callback(os.close, at)
            inside = [entry.name for entry in os.scandir(at) if not is_skipped(entry.name)]
        except OSError as error:
            return _none_there(folder, error)
        for one in sorted(inside):
            try:
                seen = os.stat(f"{one}/{name}", dir_fd=at, follow_symlinks=False)
            except UnicodeEncodeError:
                continue
            except OSError as error:
                found += _none_there(f"{folder}/{one}/{name}", error)
                continue
            path = f"{folder}/{one}/{name}" if one.isascii() else unicodedata.normalize("NFC", f"{folder}/{one}/{name}")
            found.append(Found(path, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino))
    return found


def _none_there(path: str, error: OSError) -> list[Found]:
    code, text = _why(error)
    if code in UNKNOWN:
        raise StoreFailed(f"{shown(path)}: {text}. Nothing was changed.") from error
    return []


def read(root: Path, path: str, max_bytes: int = MAX_BYTES) -> bytes | Problem:
    """The bytes of one note, or why not. `path` is as `check_path.checked` returns it.

    Raises `StoreFailed` if the home itself is gone.
    """
    *folders, name = path.split("/")
    if any(map(is_skipped, folders)):
        return Problem(path, "skipped", "it lies in a folder that holds no notes of the home")
    with _home(root) as home, ExitStack() as opened:
        try:
            at = home
            for folder in folders:
                at = _opened(at, folder, stat.S_IFDIR)
                opened.callback(os.close, at)
            file = _opened(at, name, stat.S_IFREG)
            opened.callback(os.close, file)
            return _contents(file, path, max_bytes)
        except OSError as error:
            return Problem(path, *_why(error))


@contextmanager
def _home(root: Path) -> Iterator[int]:
    """The open home folder."""
    try:
        home = os.open(root, _FOLDER)
    except OSError as error:
        reason = "it does not exist" if error.errno == errno.ENOENT else error.strerror
        said = f"The home {root} cannot be opened: {reason}. Give the path of a folder."
        raise StoreFailed(said) from error
    try:
        yield home
    finally:
        os.close(home)


# ---- listing: one system call a file, and as little Python as can be, for every search lists the home


class _Names:
    """What stands directly in one folder: names in NFC and, at the same places, their entries."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.entries: list[os.DirEntry[str]] = []

    def add(self, name: str, entry: os.DirEntry[str]) -> None:
        self.names.append(name)
        self.entries.append(entry)

    def keep(self, chosen: dict[str, os.DirEntry[str]]) -> None:
        self.names, self.entries = list(chosen), list(chosen.values())


def _list(folder: int, prefix: str, depth: int, max_bytes: int, scan: Scan) -> None:
    """Add the notes of one open folder, and of those below, to `scan`. `depth` counts segments."""
    files, folders = _entries(folder, prefix, scan)
    _choose_spelling(files, prefix, scan)
    _choose_spelling(folders, prefix, scan)
    _drop_refused(files, prefix, scan)
    add, made = scan.found.append, tuple.__new__
    for name, entry in zip(files.names, files.entries, strict=True):
        try:
            seen = entry.stat(follow_symlinks=False)
            if seen.st_mode & 0o170000 != stat.S_IFREG:  # it may have been exchanged since it was listed
                _must_be(stat.S_IFREG, seen.st_mode)
        except FileNotFoundError:
            continue
        except OSError as error:
            scan.problems.append(Problem(prefix + name, *_why(error)))
            continue
        if (size := seen.st_size) > max_bytes:
            scan.problems.append(Problem(prefix + name, *_too_large(size, max_bytes)))
        else:  # what Found(…) does, without its detour through a Python function
            add(made(Found, (prefix + name, size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino)))
    for name, entry in zip(folders.names, folders.entries, strict=True):
        if depth < MAX_SEGMENTS:
            _list_below(folder, entry, prefix + name, depth, max_bytes, scan)
        else:
            text = f"folders are read {MAX_SEGMENTS} deep; move its notes up"
            scan.problems.append(Problem(prefix + name, "too_deep", text))


def _list_below(above: int, entry: os.DirEntry[str], path: str, depth: int, max_bytes: int, scan: Scan) -> None:
    try:
        folder = os.open(os.fsencode(entry.name), _FOLDER, dir_fd=above)
    except FileNotFoundError:
        return
    except OSError as error:
        scan.problems.append(Problem(path, *_why(error)))
        return
    try:
        _list(folder, path + "/", depth + 1, max_bytes, scan)
    finally:
        os.close(folder)


def _entries(folder: int, prefix: str, scan: Scan) -> tuple[_Names, _Names]:
    """The notes and the folders directly in an open folder. The rest is passed over or becomes problems."""
    files, folders = _Names(), _Names()
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                name = entry.name
                if name[0] == "." or name in SKIPPED:
                    continue
                if not name.isascii():
                    name = _decoded(name, prefix, scan)
                if entry.is_file(follow_symlinks=False):
                    if name.endswith(".md") or is_note(name):
                        files.add(name, entry)
                elif not name:
                    continue
                elif entry.is_dir(follow_symlinks=False):
                    folders.add(name, entry)
                else:
                    kind = errno.ELOOP if entry.is_symlink() else errno.ENXIO
                    scan.problems.append(Problem(prefix + name, *_why(OSError(kind, ""))))
    except OSError as error:  # also half-way: what came before it stands
        scan.problems.append(Problem(prefix.rstrip("/"), *_why(error)))
    return files, folders


def _decoded(name: str, prefix: str, scan: Scan) -> str:
    """A name in NFC. One that is no UTF-8 becomes a problem and "" (which is no note and no folder)."""
    raw = os.fsencode(name)
    try:
        return unicodedata.normalize("NFC", raw.decode("utf-8"))
    except UnicodeDecodeError:
        path = prefix + raw.decode("utf-8", "backslashreplace")
        scan.problems.append(Problem(path, "undecodable_name", "its name is no UTF-8; rename it"))
        return ""


def _choose_spelling(found: _Names, prefix: str, scan: Scan) -> None:
    """Of names that differ only by NFC keep one, the one `read` would open, and say so."""
    if len(set(found.names)) == len(found.names):
        return
    spellings: dict[str, list[os.DirEntry[str]]] = {}
    for name, entry in zip(found.names, found.entries, strict=True):
        spellings.setdefault(name, []).append(entry)
    for name, same in spellings.items():
        if len(same) > 1:
            text = "two names here differ only in their Unicode form; one is read, rename the other"
            scan.problems.append(Problem(prefix + name, "name_clash", text))
            same.sort(key=lambda entry: _preference(os.fsencode(entry.name), name))
    found.keep({name: same[0] for name, same in spellings.items()})


def _preference(raw: bytes, name: str) -> tuple[bool, bool, bytes]:
    """Sort key: which of several spellings on disk stands for `name` (NFC). The same for lists and reads."""
    return raw != name.encode(), raw != unicodedata.normalize("NFD", name).encode(), raw


def _drop_refused(files: _Names, prefix: str, scan: Scan) -> None:
    """Take out conflict copies and names that could not be asked for by path. Nearly always none."""
    names = files.names
    refused = {name: Problem(prefix + name, *_COPY) for name in conflict_copies(names)}
    long = len(prefix.encode()) + MAX_SEGMENT_BYTES > MAX_PATH_BYTES
    if long or not _USUAL.fullmatch((prefix + "\n".join(names)).replace("/", "\n")):
        for name in names:
            if rule := broken_rule(prefix + name, portable=False):
                refused[name] = Problem(shown(prefix + name), "name_not_allowed", f"rename it: {rule}")
    if refused:
        scan.problems.extend(refused.values())
        pairs = zip(names, files.entries, strict=True)
        files.keep({name: entry for name, entry in pairs if name not in refused})


# ---- opening


def _opened(above: int, name: str, kind: int) -> int:
    """A file descriptor of the folder or file (`stat.S_IFDIR`, `S_IFREG`) of this name. Raises `OSError`.

    Looked at before it is opened, because opening a device can do things; opened without
    following links and without waiting, and looked at again, because it can be exchanged between.
    """
    raw = _on_disk(above, name)
    _must_be(kind, os.stat(raw, dir_fd=above, follow_symlinks=False).st_mode)
    file = os.open(raw, _FOLDER if kind == stat.S_IFDIR else _FILE, dir_fd=above)
    try:
        _must_be(kind, os.fstat(file).st_mode)
    except OSError:
        os.close(file)
        raise
    return file


def _must_be(kind: int, mode: int) -> None:
    """Raise the `OSError` that says what is there instead of a folder or a regular file."""
    if stat.S_ISLNK(mode):
        raise OSError(errno.ELOOP, "")
    if stat.S_IFMT(mode) == kind:
        return
    if kind == stat.S_IFDIR:
        raise OSError(errno.ENOTDIR, "")
    raise OSError(errno.EISDIR if stat.S_ISDIR(mode) else errno.ENXIO, "")


def _on_disk(above: int, name: str) -> bytes:
    """The spelling on disk of a name in NFC (macOS and some archives store NFD)."""
    raw = name.encode()
    if name.isascii() or _exists(above, raw):
        return raw
    apart = unicodedata.normalize("NFD", name).encode()
    if _exists(above, apart):
        return apart
    try:
        with os.scandir(above) as entries:
            spellings = [os.fsencode(entry.name) for entry in entries if not entry.name.isascii()]
    except OSError:
        return raw
    same = [it for it in spellings if unicodedata.normalize("NFC", it.decode("utf-8", "replace")) == name]
    return min(same, default=raw)


def _exists(above: int, raw: bytes) -> bool:
    try:
        os.stat(raw, dir_fd=above, follow_symlinks=False)
    except OSError:
        return False
    return True


def _contents(file: int, path: str, max_bytes: int) -> bytes | Problem:
    """All bytes of an open file, at most `max_bytes`, also if it grows meanwhile."""
    size = os.fstat(file).st_size
    parts: list[bytes] = []
    room = max_bytes + 1
    while size <= max_bytes and room and (part := os.read(file, min(room, max(size, 4096) + 1))):
        parts.append(part)
        room -= len(part)
    if size > max_bytes or not room:
        return Problem(path, *_too_large(max(size, max_bytes + 1), max_bytes))
    return b"".join(parts)


def _too_large(size: int, max_bytes: int) -> tuple[str, str]:
    return "too_large", f"too large to index: {size:,} bytes of {max_bytes:,} allowed; split it"


def _why(error: OSError) -> tuple[str, str]:
    """The code and the words for what the disk said."""
    if error.errno == errno.ENOENT:
        return "missing", "there is no such file"
    if error.errno == errno.ELOOP:
        return "symlink", "it is a symbolic link, or lies behind one; links are not followed"
    if error.errno == errno.ENOTDIR:
        return "not_a_folder", "a name on the way to it is a file or a link, not a folder"
    if error.errno == errno.EISDIR:
        return "folder", "it is a folder, not a note"
    if error.errno == errno.ENXIO:
        return "not_regular", "it is no ordinary file (a pipe, a socket or a device)"
    return "unreadable", f"it cannot be read ({error.strerror}); check its permissions"


def make_missing(folder: Path, folders: Sequence[str], texts: Mapping[str, str]) -> list[str]:
    """Make folders (0700) and files (0600) that are not there. What exists, even as a link, is left alone.

    Gives the paths made, in order. Raises `StoreFailed` with the path that could not be made.
    """
    made = []
    try:
        for name in ("", *folders):
            place = folder / name
            if name and any(up.is_symlink() for up in (place, *place.parents[: name.count("/") + 1])):
                raise StoreFailed(f"{name}: a symlink stands in its way; nothing is made through links. Remove it first.")
            if not place.is_dir():
                place.mkdir(parents=True, mode=0o700)
                made.append(name or str(folder.name))
        for name, text in texts.items():
            place = folder / name
            if not os.path.lexists(place):
                _make(place, text.encode())
                made.append(name)
    except OSError as error:
        raise StoreFailed(f"{folder.name}: {error.strerror}. Choose another folder or change its rights.") from error
    return made


def _make(place: Path, data: bytes) -> None:
    """A new file, wholly or not at all."""
    handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        while data:
            data = data[os.write(handle, data) :]
        os.fsync(handle)
    except OSError:
        os.unlink(place)
        raise
    finally:
        os.close(handle)
