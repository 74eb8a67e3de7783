"""The one door through which the home is written: lock a subject, compare, keep history, exchange files, answer.

    .history/people/sato-ken-7f3a.jsonl   one line a change, see `history.py`
    .history/people/sato-ken-7f3a.lock    there and locked while somebody writes; a dead process leaves it, unlocked

The line is safe on disk before the first file is touched and holds both sides of every file, so whoever writes next,
this subject or any other, completes what a dead process began: a file with the old bytes gets the new ones, one with
the new ones is done, and one with others was edited by hand meanwhile and stays. So a change is there wholly or not at
all. Who only reads writes nothing.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from omoide.errors import BadInput, StaleWrite, StoreFailed, SubjectLocked
from omoide.store import disk, forgetting, history
from omoide.store.check_path import broken_rule, checked, shown
from omoide.store.disk_errors import OTHER, named
from omoide.store.history import Edit, Record, new_id
from omoide.store.history_files import HISTORY, file_of, is_temp, lock_of, read_as, subject_of, temp_of, valid

__all__ = ["Door", "Edit", "Receipt", "Record", "new_id"]

WAIT_SECONDS = 10.0


class Receipt(NamedTuple):
    """What was written: the id of the record, its subject, the files that changed and the facts it speaks of."""

    id: str
    subject: str
    paths: tuple[str, ...]
    facts: tuple[str, ...]


@dataclass(slots=True)
class _Held:
    """A locked subject: the open home, its history, and whether every change in it is known to be carried out."""

    home: int
    lines: disk.Lines
    settled: bool = False


class Door:
    """Writes in one home. May be shared by threads; other processes may have doors of their own.

    `root` is the home, resolved. `wait_seconds`: how long a writer waits for another of the same subject.
    A subject is a plain id such as `people/sato-ken-7f3a`. Besides the errors named below every call raises
    `BadInput` for an odd subject, `SubjectLocked` when the wait was too long, `StoreFailed` when the disk says no.
    """

    def __init__(self, root: Path, wait_seconds: float = WAIT_SECONDS) -> None:
        self.root, self.wait_seconds = root, wait_seconds
        self._own, self._started = threading.local(), False

    def current(self, path: str) -> bytes | None:
        """The bytes of a file now, None if there is none: what a writer may believe. `path` as in `Edit`."""
        path = checked(path, portable=False)
        with named(path), disk.opened_home(self.root) as home:
            return disk.read(home, path)

    @contextmanager
    def locked(self, subject: str) -> Iterator[None]:
        """Nobody else writes this subject inside. What a dead process left half done is completed first.

        May be entered again by the same thread of the same door.
        """
        with self._held(subject):
            yield

    def apply(self, record: Record) -> Receipt:
        """Carry out a change and keep it in the history; when this returns, both are safe on disk. One that `forgets`
        (see `forgetting.py`) takes what it names out of the history as well.

        Raises `StaleWrite` with the bytes now there if a file is not what the record believes. After any error
        nothing is changed; only if the disk fails a second time while that is ensured, the change may still be
        carried out, wholly, by the next one who opens the subject. Who changes files of other subjects in the same
        record holds their locks too (`locked`, taken in sorted order, so that two such writers never block each other).
        """
        return self._applied(valid(record))

    def _applied(self, record: Record) -> Receipt:
        with self._held(record.subject) as held:
            for edit in record.edits:
                with named(edit.path):
                    now = disk.read(held.home, edit.path)
                if now != edit.before:
                    raise StaleWrite(edit.path, now)
            if forgetting.forgets(record):  # a damaged line would only be found when the files are changed
                _history(held, record.subject)
            with named(file_of(record.subject)):
                held.settled = False
                known = history.ended_with(held.lines.last(), (edit.path for edit in record.edits))
                line = history.line_of(record, known)
                held.lines.append(line)
            _carry_out(held, record, line)
        return Receipt(record.id, record.subject, tuple(edit.path for edit in record.edits), tuple(record.facts))

    def records(self, subject: str) -> list[Record]:
        """The history of a subject, oldest first. Readers wait only while a change is being carried out.

        They complete nothing: of a change that a dead process left, `left` names what was not done. Raises
        `StoreFailed` for a damaged line.
        """
        return read_as(subject, self._settled(subject), history.replayed)

    def kept(self, subject: str) -> list[tuple[str, Mapping[str, Any]]]:
        """Of each record, as `records` gives them, the id and what it keeps of its facts: no file is put together for it."""
        return read_as(subject, self._settled(subject), history.kept)

    def _settled(self, subject: str) -> list[bytes]:
        subject = subject_of(subject)
        lines = self._lines(subject)
        if lines is None and subject not in self._mine():
            self._wait(subject)
            lines = self._lines(subject)
        return self._lines(subject, torn=True) or [] if lines is None else lines

    def undo(self, subject: str, record_id: str, at: datetime, reason: str, change: str = "") -> Receipt:
        """Put back what a record changed, as a new record (verb `undo`, id `change` or a new one, source: the old id, the same facts).

        Raises `BadInput` if there is no such record or nothing of it was carried out, `StaleWrite` if a file has
        changed since; `because` names the record in the way, or says that it was an edit by hand.
        """
        with self._held(subject):
            subject = subject_of(subject)
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
                    raise StaleWrite(edit.path, now, history.between(records[place + 1 :], edit.path))
            facts = {fact: {"undoes": record_id} for fact in old.facts}
            record = Record(change or new_id(at), at, subject, "undo", reason, record_id, facts, edits)
            return self._applied(valid(record, portable=False))

    def rewrite(self, subject: str, keep: Callable[[Record], Record | None], first: Iterable[Record] = ()) -> int:
        """Exchange the history for one in which each record is what `keep` makes of it (None: it is gone).

        For forgetting. It happens at once or not at all; the files of the home stay as they are. When no record
        is left, nothing in `.history` names the subject once it is unlocked. Gives how many are gone or changed.
        """
        subject = subject_of(subject)
        with self._held(subject) as held:
            before = _history(held, subject)
            after = [keep(record) for record in before]
            changed = sum(old != new for old, new in zip(before, after, strict=True))
            kept = [*first, *(record for record in after if record is not None)]
            with named(file_of(subject)):
                if changed or first:
                    held.lines.exchange(history.rewritten(kept))
                    held.lines.settle()
        return changed

    def complete(self, *, thoroughly: bool = True) -> list[str]:
        """Complete what dead processes left half done, of any subject; gives the subjects.

        The first write of a door begins with it and looks at names only: a writer that dies leaves its lock behind.
        `thoroughly` looks at the end of each history, for a machine that died may have lost the lock. Those that
        somebody is writing just now are passed over, and what cannot be completed now is told to their next writer.
        """
        found = self._found()
        ends = (".lock", ".jsonl.tmp", ".jsonl") if thoroughly else (".lock", ".jsonl.tmp")
        done, door = [], Door(self.root, 0)
        door._started = True
        for subject in sorted({path.removesuffix(end) for path in found for end in ends if path.endswith(end)}):
            unfinished = f"{subject}.jsonl.tmp" in found or self._unfinished(subject)
            if unfinished or f"{subject}.lock" in found:
                with suppress(BadInput, StoreFailed), door._held(subject) as held:
                    _swept(held, subject)
                    done += [subject] if unfinished and not self._unfinished(subject) else []
        return done

    def unfinished(self) -> list[str]:
        """Subjects with a change that is not carried out: somebody is at it, or died over it."""
        return list(filter(self._unfinished, self.subjects()))

    def subjects(self) -> list[str]:
        """All that have a history."""
        return sorted(path.removesuffix(".jsonl") for path in self._found() if path.endswith(".jsonl"))

    def holding(self, words: Iterable[str]) -> list[str]:
        """Subjects whose history may hold one of these words: a quick look at bytes, for who would read it whole."""
        told = {json.dumps(word, ensure_ascii=False)[1:-1].encode("utf-8", "replace") for word in words}
        out = []
        for subject in self.subjects():
            with suppress(BadInput):  # a file of another name that lies there
                data = b"\n".join(self._lines(subject_of(subject), torn=True) or ())
                out += [subject] if b'"base64"' in data or any(word in data for word in told) else []
        return out

    def _found(self) -> frozenset[str]:
        """Paths of all files below the history."""
        with named(HISTORY), disk.opened_home(self.root) as home:
            try:
                with disk.opened_folder(home, [HISTORY]) as folder:
                    return frozenset(disk.files_below(folder))
            except FileNotFoundError:
                return frozenset()

    def _mine(self) -> dict[str, _Held]:
        """What this thread holds."""
        held: dict[str, _Held] = self._own.__dict__.setdefault("held", {})
        return held

    @contextmanager
    def _held(self, subject: str) -> Iterator[_Held]:
        subject, own = subject_of(subject), self._mine()
        held = own.get(subject)
        if held is not None:
            _recover(held, subject)
            yield held
            return
        if not self._started:
            self._started = True
            with suppress(StoreFailed):
                self.complete(thoroughly=False)
        with self._opened(subject) as held:
            own[subject] = held
            try:
                yield held
            finally:
                del own[subject]

    @contextmanager
    def _opened(self, subject: str) -> Iterator[_Held]:
        *folders, name = file_of(subject).split("/")
        with ExitStack() as opened:
            with named(file_of(subject)):
                home = opened.enter_context(disk.opened_home(self.root))
                folder = opened.enter_context(disk.opened_folder(home, folders, make=True))
                lock = disk.lock(folder, lock_of(subject), name, self.wait_seconds)
            if lock is None:
                raise SubjectLocked(subject, self.wait_seconds)
            held = _Held(home, disk.Lines(folder, name))
            opened.callback(lambda: disk.unlock(lock, folder, lock_of(subject), keep=not held.settled))
            _recover(held, subject)
            yield held

    def _lines(self, subject: str, *, torn: bool = False) -> list[bytes] | None:
        """The lines of a history; None if the last is not known to be carried out, unless `torn`."""
        *folders, name = file_of(subject).split("/")
        with named(file_of(subject)), disk.opened_home(self.root) as home:
            try:
                with disk.opened_folder(home, folders) as folder:
                    lines, whole = disk.Lines(folder, name).all()
            except FileNotFoundError:
                return []
        done = whole and (not lines or history.finished(lines[-1]))
        return lines if done or torn else None

    def _wait(self, subject: str) -> None:
        """Until nobody writes this subject, or it took too long."""
        with named(file_of(subject)), suppress(FileNotFoundError), disk.opened_home(self.root) as home:
            with disk.opened_folder(home, file_of(subject).split("/")[:-1]) as folder:
                disk.quiet(folder, lock_of(subject), self.wait_seconds)

    def _unfinished(self, subject: str) -> bool:
        *folders, name = file_of(subject).split("/")
        with suppress(StoreFailed), named(file_of(subject)), disk.opened_home(self.root) as home:
            with disk.opened_folder(home, folders) as folder:
                return disk.Lines(folder, name).torn() or not all(map(history.finished, disk.Lines(folder, name).last()[-1:]))
        return False


# ---- carrying out, taking back, completing


def _carry_out(held: _Held, record: Record, line: bytes) -> None:
    """Change the files of a record whose line was just added; after an error put everything back."""
    try:
        for edit in record.edits:
            with named(edit.path):
                if not _changed(held, record.subject, edit):
                    raise StaleWrite(edit.path, disk.read(held.home, edit.path))
        if forgetting.forgets(record):
            _forget(held, record.subject)
    except (StaleWrite, StoreFailed) as error:
        try:
            _take_back(held, record, line)
        except OSError:
            raise StoreFailed(f"{error} The change could not be taken back either: the next writer completes it.") from error
        held.settled = True
        raise
    if not forgetting.forgets(record):
        _mark(held, line, history.DONE * len(record.edits))


def _mark(held: _Held, line: bytes, letters: str) -> None:
    """Note what was done. It is done in any case; the mark only saves the next one from looking."""
    with suppress(OSError):
        held.lines.mark(line, history.DONE_AT, letters.encode())
        held.settled = True


def _forget(held: _Held, subject: str, left: tuple[str, ...] = ()) -> None:
    """Exchange the history for what its last record leaves of it; only that makes such a record carried out."""
    records = _history(held, subject)
    records[-1] = records[-1]._replace(left=left)
    with named(file_of(subject)):
        held.lines.exchange(history.rewritten(forgetting.left_of(records)))
    held.settled = True
    with suppress(OSError):  # if a crash of the machine brings the old one back, it is done once more
        held.lines.settle()


def _swept(held: _Held, subject: str) -> None:
    """Take away what a dead writer left beside the files of a subject."""
    with named(subject), suppress(FileNotFoundError, NotADirectoryError):
        with disk.opened_folder(held.home, subject.split("/")) as folder:
            left = [path for path in disk.files_below(folder) if is_temp(path.rpartition("/")[2])]
        for path in left:
            disk.sweep(held.home, f"{subject}/{path}", path.rpartition("/")[2])


def _take_back(held: _Held, record: Record, line: bytes) -> None:
    for edit in reversed(record.edits):
        disk.sweep(held.home, edit.path, temp_of(record.subject, edit.path))
        _changed(held, record.subject, Edit(edit.path, edit.after, edit.before))
    held.lines.take_back(line)


def _changed(held: _Held, subject: str, edit: Edit) -> bool:
    """Give the file its new bytes, safe on disk, unless it has them. False if it has neither these nor the old."""
    now = disk.read(held.home, edit.path)
    if now == edit.after:
        disk.settle(held.home, edit.path)
    elif now != edit.before or not disk.put(held.home, edit.path, edit.before, edit.after, temp_of(subject, edit.path)):
        return False
    if edit.after is None and "/" in subject:
        disk.tidy(held.home, edit.path, subject)
    return True


def _recover(held: _Held, subject: str) -> None:
    """Complete the last change, if a process died over it."""
    with named(file_of(subject)):
        held.lines.mend()
        last = held.lines.last()[-1:]
    held.settled = True
    if not last or history.finished(last[0]):
        return
    try:
        line = history.parsed(last[0])
    except ValueError:
        return  # damaged, not torn; whoever reads the history is told
    if line.record.subject != subject:
        return  # a copy that a sync program or a hand made; the original is completed by itself
    held.settled = False
    letters = "".join(_completed(held, subject, step) for step in line.steps)
    if forgetting.forgets(line.record):
        _forget(held, subject, tuple(step.path for step, letter in zip(line.steps, letters, strict=True) if letter == history.LEFT))
    else:
        _mark(held, last[0], letters)


def _completed(held: _Held, subject: str, step: history.Step) -> str:
    """The letter of a step after what could be done for it."""
    if broken_rule(step.path, portable=False):
        return history.LEFT  # a history that somebody wrote by hand leads nowhere
    with named(step.path):
        try:
            disk.sweep(held.home, step.path, temp_of(subject, step.path))
            now = disk.read(held.home, step.path)
            after = now if history.digest(now) == step.now else step.forward(now)
            return history.DONE if _changed(held, subject, Edit(step.path, now, after)) else history.LEFT
        except ValueError:  # neither side of the change: edited by hand since
            return history.LEFT
        except OSError as error:
            if error.errno not in OTHER:
                raise
            return history.LEFT


def _history(held: _Held, subject: str) -> list[Record]:
    with named(file_of(subject)):
        return read_as(subject, held.lines.all()[0], history.replayed)
