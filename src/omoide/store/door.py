"""The one door through which the home is written: lock a subject, compare, keep history, exchange files, answer.

    .history/people/sato-ken-7f3a.jsonl   one line a change, see `history.py`
    .history/people/sato-ken-7f3a.lock    locked while somebody writes; the system frees it when a process dies

The line is safe on disk before the first file is touched and holds both sides of every file, so whoever opens the
subject next completes what a dead process began: a file with the old bytes gets the new ones, one with the new ones
is done, and one with others was edited by hand meanwhile and stays. So a change is there wholly or not at all.
"""

from __future__ import annotations

import errno
import re
import threading
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from omoide.errors import BadInput, StaleWrite, StoreFailed, SubjectLocked
from omoide.store import disk, history
from omoide.store.check_path import broken_rule, checked, shown
from omoide.store.history import Edit, Record, new_id
from omoide.store.names import is_skipped

__all__ = ["Door", "Edit", "Receipt", "Record", "new_id"]

HISTORY = ".history"
WAIT_SECONDS = 10.0
MAX_NAME_BYTES = 240
"""Of the last segment of a subject: its history and its lock need an ending each."""

_ENDS = (".jsonl", ".lock", ".tmp")
_OTHER = (errno.ELOOP, errno.ENOTDIR, errno.EISDIR, errno.ENXIO)
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


class Receipt(NamedTuple):
    """What was written: the id of the record, its subject, the files that changed and the facts it speaks of."""

    id: str
    subject: str
    paths: tuple[str, ...]
    facts: tuple[str, ...]


class _Held(NamedTuple):
    """A locked subject: the open home, and its history."""

    home: int
    lines: disk.Lines


class Door:
    """Writes in one home. May be shared by threads; other processes may have doors of their own.

    `root` is the home, resolved. `wait_seconds`: how long a writer waits for another of the same subject.
    A subject is a plain id such as `people/sato-ken-7f3a`. Besides the errors named below every call raises
    `BadInput` for an odd subject, `SubjectLocked` when the wait was too long, `StoreFailed` when the disk says no.
    """

    def __init__(self, root: Path, wait_seconds: float = WAIT_SECONDS) -> None:
        self.root, self.wait_seconds = root, wait_seconds
        self._own = threading.local()

    def current(self, path: str) -> bytes | None:
        """The bytes of a file now, None if there is none: what a writer may believe. `path` as in `Edit`."""
        path = checked(path, portable=False)
        with _named(path), disk.opened_home(self.root) as home:
            return disk.read(home, path)

    @contextmanager
    def locked(self, subject: str) -> Iterator[None]:
        """Nobody else writes this subject inside. What a dead process left half done is completed first.

        May be entered again by the same thread of the same door.
        """
        with self._held(subject):
            yield

    def apply(self, record: Record) -> Receipt:
        """Carry out a change and keep it in the history; when this returns, both are safe on disk.

        Raises `StaleWrite` with the bytes now there if a file is not what the record believes. After any error
        nothing is changed; only if the disk fails a second time while that is ensured, the change may still be
        carried out, wholly, by the next one who opens the subject. Who changes files of other subjects in the same
        record holds their locks too (`locked`, taken in sorted order, so that two such writers never block each other).
        """
        return self._applied(_valid(record))

    def _applied(self, record: Record) -> Receipt:
        with self._held(record.subject) as held:
            for edit in record.edits:
                with _named(edit.path):
                    now = disk.read(held.home, edit.path)
                if now != edit.before:
                    raise StaleWrite(edit.path, now)
            with _named(_file_of(record.subject)):
                known = history.ended_with(held.lines.last(), (edit.path for edit in record.edits))
                line = history.line_of(record, known)
                held.lines.append(line)
            _carry_out(held, record, line)
        return Receipt(record.id, record.subject, tuple(edit.path for edit in record.edits), tuple(record.facts))

    def records(self, subject: str) -> list[Record]:
        """The history of a subject, oldest first. Readers wait only while a change is being carried out.

        On a disk that cannot be written it is read as it stands. Raises `StoreFailed` for a damaged line.
        """
        subject = _subject(subject)
        lines = self._lines(subject)
        if lines is None:
            with suppress(StoreFailed), self._held(subject):
                lines = self._lines(subject)
        return _replayed(subject, self._lines(subject, torn=True) or [] if lines is None else lines)

    def undo(self, subject: str, record_id: str, at: datetime, reason: str) -> Receipt:
        """Put back what a record changed, as a new record (verb `undo`, source: the old id, the same facts).

        Raises `BadInput` if there is no such record or nothing of it was carried out, `StaleWrite` if a file has
        changed since; `because` names the record in the way, or says that it was an edit by hand.
        """
        with self._held(subject):
            subject = _subject(subject)
            records = self.records(subject)
            place = next((at for at, record in enumerate(records) if record.id == record_id), None)
            if place is None:
                raise BadInput(f"record: {subject} has no record {shown(record_id)}; its history lists them")
            old = records[place]
            edits = tuple(Edit(edit.path, edit.after, edit.before) for edit in old.edits if edit.path not in old.left)
            if not edits:
                raise BadInput(f"record: {record_id} changed no file, so there is nothing to put back")
            for edit in edits:
                now = self.current(edit.path)
                if now != edit.before:
                    raise StaleWrite(edit.path, now, _between(records[place + 1 :], edit.path))
            facts = {fact: {"undoes": record_id} for fact in old.facts}
            record = Record(new_id(at), at, subject, "undo", reason, record_id, facts, edits)
            return self._applied(_valid(record, portable=False))

    def rewrite(self, subject: str, keep: Callable[[Record], Record | None]) -> int:
        """Exchange the history for one in which each record is what `keep` makes of it (None: it is gone).

        For forgetting. It happens at once or not at all; the files of the home stay as they are. When no record
        is left, nothing in `.history` names the subject once it is unlocked. Gives how many are gone or changed.
        """
        subject = _subject(subject)
        with self._held(subject) as held:
            with _named(_file_of(subject)):
                lines, _ = held.lines.all()
            before = _replayed(subject, lines)
            after = [keep(record) for record in before]
            changed = sum(old != new for old, new in zip(before, after, strict=True))
            kept = [record for record in after if record is not None]
            with _named(_file_of(subject)):
                if changed:
                    held.lines.replace(history.rewritten(kept))
        return changed

    def complete(self) -> list[str]:
        """Complete what dead processes left half done, of any subject; gives the subjects. For the start of a writer.

        One look at the end of each history. Those that somebody is writing just now are passed over, and what
        cannot be completed now is told to the next writer of that subject.
        """
        with _named(HISTORY), disk.opened_home(self.root) as home:
            try:
                with disk.opened_folder(home, [HISTORY]) as folder:
                    found = list(disk.files_below(folder))
            except FileNotFoundError:
                return []
        done = []
        for subject in sorted({re.sub(r"\.jsonl(\.tmp)?$", "", path) for path in found if path.endswith((".jsonl", ".jsonl.tmp"))}):
            if f"{subject}.jsonl.tmp" in found or self._unfinished(subject):
                with suppress(BadInput, StoreFailed), Door(self.root, 0).locked(subject):
                    done += [] if self._unfinished(subject) else [subject]
        return done

    @contextmanager
    def _held(self, subject: str) -> Iterator[_Held]:
        subject = _subject(subject)
        own: dict[str, _Held] = self._own.__dict__.setdefault("held", {})
        held = own.get(subject)
        if held is not None:
            _recover(held, subject)
            yield held
            return
        with self._opened(subject) as held:
            own[subject] = held
            try:
                yield held
            finally:
                del own[subject]

    @contextmanager
    def _opened(self, subject: str) -> Iterator[_Held]:
        *folders, name = _file_of(subject).split("/")
        with ExitStack() as opened:
            with _named(_file_of(subject)):
                home = opened.enter_context(disk.opened_home(self.root))
                folder = opened.enter_context(disk.opened_folder(home, folders, make=True))
                lock = disk.lock(folder, _lock_of(subject), name, self.wait_seconds)
            if lock is None:
                raise SubjectLocked(subject, self.wait_seconds)
            opened.callback(disk.unlock, lock, folder, _lock_of(subject), name)
            held = _Held(home, disk.Lines(folder, name))
            _recover(held, subject)
            yield held

    def _lines(self, subject: str, *, torn: bool = False) -> list[bytes] | None:
        """The lines of a history; None if the last is not known to be carried out, unless `torn`."""
        *folders, name = _file_of(subject).split("/")
        with _named(_file_of(subject)), disk.opened_home(self.root) as home:
            try:
                with disk.opened_folder(home, folders) as folder:
                    lines, whole = disk.Lines(folder, name).all()
            except FileNotFoundError:
                return []
        done = whole and (not lines or history.finished(lines[-1]))
        return lines if done or torn else None

    def _unfinished(self, subject: str) -> bool:
        *folders, name = _file_of(subject).split("/")
        with suppress(StoreFailed), _named(_file_of(subject)), disk.opened_home(self.root) as home:
            with disk.opened_folder(home, folders) as folder:
                return disk.Lines(folder, name).torn() or not all(map(history.finished, disk.Lines(folder, name).last()[-1:]))
        return False


# ---- carrying out, taking back, completing


def _carry_out(held: _Held, record: Record, line: bytes) -> None:
    """Change the files of a record whose line was just added; after an error put everything back."""
    try:
        for edit in record.edits:
            with _named(edit.path):
                if not _changed(held, record.subject, edit):
                    raise StaleWrite(edit.path, disk.read(held.home, edit.path))
    except (StaleWrite, StoreFailed) as error:
        try:
            _take_back(held, record, line)
        except OSError:
            said = f"{error} The change could not be taken back either: the next one who opens {record.subject} completes it."
            raise StoreFailed(said) from error
        raise
    with suppress(OSError):  # it is done; the mark only saves the next one from looking
        held.lines.mark(line, history.DONE_AT, history.DONE.encode() * len(record.edits))


def _take_back(held: _Held, record: Record, line: bytes) -> None:
    for edit in reversed(record.edits):
        disk.sweep(held.home, edit.path, _temp(record.subject, edit.path))
        _changed(held, record.subject, Edit(edit.path, edit.after, edit.before))
    held.lines.take_back(line)


def _changed(held: _Held, subject: str, edit: Edit) -> bool:
    """Give the file its new bytes, safe on disk, unless it has them. False if it has neither these nor the old."""
    now = disk.read(held.home, edit.path)
    if now == edit.after:
        disk.settle(held.home, edit.path)
    elif now != edit.before or not disk.put(held.home, edit.path, edit.before, edit.after, _temp(subject, edit.path)):
        return False
    if edit.after is None and "/" in subject:
        disk.tidy(held.home, edit.path, subject)
    return True


def _recover(held: _Held, subject: str) -> None:
    """Complete the last change, if a process died over it."""
    with _named(_file_of(subject)):
        held.lines.mend()
        last = held.lines.last()[-1:]
    if not last or history.finished(last[0]):
        return
    try:
        line = history.parsed(last[0])
    except ValueError:
        return  # damaged, not torn; whoever reads the history is told
    if line.record.subject != subject:
        return  # a copy that a sync program or a hand made; the original is completed by itself
    letters = "".join(_completed(held, subject, step) for step in line.steps)
    with suppress(OSError):
        held.lines.mark(last[0], history.DONE_AT, letters.encode())


def _completed(held: _Held, subject: str, step: history.Step) -> str:
    """The letter of a step after what could be done for it."""
    if broken_rule(step.path, portable=False):
        return history.LEFT  # a history that somebody wrote by hand leads nowhere
    with _named(step.path):
        try:
            disk.sweep(held.home, step.path, _temp(subject, step.path))
            now = disk.read(held.home, step.path)
            after = now if history.digest(now) == step.now else step.forward(now)
            return history.DONE if _changed(held, subject, Edit(step.path, now, after)) else history.LEFT
        except ValueError:  # neither side of the change: edited by hand since
            return history.LEFT
        except OSError as error:
            if error.errno not in _OTHER:
                raise
            return history.LEFT


# ---- names and words


def _file_of(subject: str) -> str:
    return f"{HISTORY}/{subject}.jsonl"


def _lock_of(subject: str) -> str:
    return subject.rpartition("/")[2] + ".lock"


def _temp(subject: str, path: str) -> str:
    """Name of the file in which the new bytes wait beside the old: hidden, and always the same for one writer's file.

    Only the holder of the subject's lock uses it, so one that is found is a dead process's.
    """
    return f".omoide-{history.digest(f'{subject} {path}'.encode())[:16]}.tmp"


def _subject(subject: str) -> str:
    """The id in NFC. Raises `BadInput` for one that is no plain id."""
    normal = unicodedata.normalize("NFC", subject) if isinstance(subject, str) else ""
    broken = broken_rule(normal)
    if not broken and any(part.casefold().endswith(_ENDS) for part in normal.split("/")):
        broken = f"a segment ends with {', '.join(_ENDS)}"
    if not broken and len(normal.rpartition("/")[2].encode()) > MAX_NAME_BYTES:
        broken = f"its name is longer than {MAX_NAME_BYTES} bytes"
    if broken:
        raise BadInput(f"subject: {broken}. Give a plain id, like people/sato-ken-7f3a")
    return normal


def _valid(record: Record, *, portable: bool = True) -> Record:
    """The record with its subject and paths in NFC. Raises `BadInput`. `portable`: for names of new files."""
    edits = tuple(
        Edit(checked(edit.path, portable=portable and edit.before is None), edit.before, edit.after) for edit in record.edits
    )  # fmt: skip
    paths = [edit.path for edit in edits]
    for path in paths:
        if any(map(is_skipped, path.split("/"))):
            raise BadInput(f"{path}: it lies in a folder that holds no notes of the home")
        if paths.count(path) > 1 or any(other.startswith(path + "/") for other in paths):
            raise BadInput(f"{path}: one record changes a file once, and does not use it as a folder too")
    return record._replace(subject=_subject(record.subject), edits=edits, left=())


def _replayed(subject: str, lines: list[bytes]) -> list[Record]:
    try:
        return list(history.replayed(lines))
    except ValueError as error:
        said = f"{_file_of(subject)}, {error}. Put the line back from a copy, or take it and those after it out by hand."
        raise StoreFailed(said) from error


def _between(later: list[Record], path: str) -> str:
    """Who changed a file after a record, in words."""
    for record in reversed(later):
        if path not in record.left and any(edit.path == path for edit in record.edits):
            return f"by record {record.id}, {record.verb}, or after it; undo that first"
    return "edited by hand"


@contextmanager
def _named(path: str) -> Iterator[None]:
    """What the disk says inside, as a `StoreFailed` that names the file and what to do."""
    try:
        yield
    except OSError as error:
        advice = _ADVICE.get(error.errno or 0, f"{error.strerror or error}; look at the disk and try again")
        raise StoreFailed(f"{shown(path)}: {advice}") from error
