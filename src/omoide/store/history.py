"""What a line of history is: one change with its reason, its source and the bytes before and after it.

    {"done":"y","id":"20261130T082701.123456Z-4f3a91c2","at":"2026-11-30T08:27:01.123456+00:00","subject":…,
     "verb":…,"reason":…,"source":…,"facts":{…},"edits":[{"path":…,"was":…,"now":…,"at":10,"cut":"…","put":"…"}]}

(one line in the file). `done` has a letter for each edit: `?` not known to be carried out, `y` carried out, `n` not
carried out because another edit of the file came between. It stands first, so that it is changed where it is.

`was` and `now` are digests of the whole file ("" if there is none). Of its bytes a line keeps the lines that differ:
at the offset `at` the bytes `cut` gave way to `put`. `before`, the whole bytes, is there too unless the line before
that speaks of the same file ended with them. Bytes are text where they are UTF-8, else {"base64": …}.
Nothing here touches the disk.
"""

from __future__ import annotations

import base64
import json
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from omoide.errors import BadInput

OPEN, DONE, LEFT = "?yn"
"""Letters of `done`."""

DONE_AT = len('{"done":"')
"""Where the letters of `done` begin in a line, in bytes."""

_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]{0,79}")


class Edit(NamedTuple):
    """One file before and after.

    `path` is relative to the home, as `check_path` allows it. `before` is what the writer believed to be there
    (None: no such file), `after` what is to be there (None: the file is removed).
    """

    path: str
    before: bytes | None
    after: bytes | None


class Record(NamedTuple):
    """One change: a line of history.

    `id` is unique and sorts by time (`new_id`). `at` has a zone. `facts` maps the id of a fact to whatever the
    caller wants kept about it, as plain JSON. `left` names the files that were not changed, because an edit by
    hand came between a crash and its recovery; it is filled in by reading, and ignored by `Door.apply`.
    """

    id: str
    at: datetime
    subject: str
    verb: str
    reason: str
    source: str
    facts: Mapping[str, Mapping[str, Any]]
    edits: tuple[Edit, ...]
    left: tuple[str, ...] = ()


class Step(NamedTuple):
    """An edit as a line keeps it. `before` is () unless the whole bytes (or None: no file) stand in the line."""

    path: str
    was: str
    now: str
    at: int
    cut: bytes
    put: bytes
    before: bytes | tuple[()] | None

    def forward(self, before: bytes | None) -> bytes | None:
        """The file after the edit, from the file before it. Raises `ValueError` if that is another file."""
        if digest(before) != self.was:
            raise ValueError(f"{self.path} before it is not what the line before says")
        old = before or b""
        after = old[: self.at] + self.put + old[self.at + len(self.cut) :] if self.now else None
        if digest(after) != self.now:
            raise ValueError(f"{self.path} after it is not what its digest says")
        return after


class Line(NamedTuple):
    """A line as it stands in the file: the record without its edits, and those as steps with their letters."""

    record: Record
    steps: tuple[Step, ...]
    done: str


def new_id(at: datetime) -> str:
    """An id for a record of that moment: `20261130T082701.123456Z-4f3a91c2`. Raises `BadInput` without a zone."""
    if at.tzinfo is None:
        raise BadInput("at: a record needs a moment with its zone")
    return f"{at.astimezone(UTC):%Y%m%dT%H%M%S.%fZ}-{secrets.token_hex(4)}"


def digest(data: bytes | None) -> str:
    """Half a SHA-256 in hexadecimal, enough to tell versions of a file apart; "" for no file."""
    if data is None:
        return ""
    import hashlib  # loads OpenSSL: who only reads notes does without

    return hashlib.sha256(data).hexdigest()[:32]


def line_of(record: Record, known: Mapping[str, str]) -> bytes:
    """The line of a record (without its end), all its edits open. `known`: path → digest of the state the lines before end with.

    Raises `BadInput` if the record cannot be written down.
    """
    if not _ID.fullmatch(record.id):
        raise BadInput("id: a record's id is made of letters, digits, dots and hyphens, 80 at most; take history.new_id")
    if record.at.tzinfo is None:
        raise BadInput("at: a record needs a moment with its zone")
    edits = [_written(edit, known) for edit in record.edits]
    try:
        facts = {fact: dict(details) for fact, details in record.facts.items()}
        row = {"done": OPEN * len(edits), "id": record.id, "at": record.at.isoformat(), "subject": record.subject, "verb": record.verb,
               "reason": record.reason, "source": record.source, "facts": facts, "edits": edits}  # fmt: skip
        text = json.dumps(row, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return text.encode()
    except (AttributeError, TypeError, ValueError, RecursionError) as error:  # a lone surrogate is a ValueError too
        raise BadInput(f"record {record.id}: its words or facts are not plain JSON ({error}); nothing was changed") from error


def parsed(raw: bytes) -> Line:
    """A line, read. Raises `ValueError` if it is none."""
    try:
        row = json.loads(raw.decode())
        steps = tuple(map(_step, row["edits"]))
        done = row["done"]
        left = tuple(step.path for step, letter in zip(steps, done, strict=True) if letter != DONE)
        at = datetime.fromisoformat(row["at"])
        record = Record(row["id"], at, row["subject"], row["verb"], row["reason"], row["source"], row["facts"], (), left)
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"it is no line of history ({error!r})") from error
    return Line(record, steps, done)


def finished(raw: bytes) -> bool:
    """Whether every edit of the line is known to be carried out or left; of a line that cannot be read, too."""
    letters = raw[DONE_AT : raw.find(b'"', DONE_AT)]
    return not raw.startswith(b'{"done":"') or OPEN.encode() not in letters


def replayed(raws: Iterable[bytes]) -> Iterator[Record]:
    """The records of all lines, in order, with whole bytes. Raises `ValueError` that names the line (from 1)."""
    now: dict[str, bytes | None] = {}
    for number, raw in enumerate(raws, 1):
        try:
            line = parsed(raw)
            edits = []
            for step in line.steps:
                before = now.get(step.path) if isinstance(step.before, tuple) else step.before
                now[step.path] = step.forward(before)
                edits.append(Edit(step.path, before, now[step.path]))
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from error
        yield line.record._replace(edits=tuple(edits))


def kept(raws: Iterable[bytes]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Of each line the id and what it keeps of its facts. Raises `ValueError` that names the line (from 1)."""
    for number, raw in enumerate(raws, 1):
        try:
            row = json.loads(raw)
            yield row["id"], dict(row["facts"])
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise ValueError(f"line {number}: it is no line of history ({error!r})") from error


def rewritten(records: Iterable[Record]) -> list[bytes]:
    """The lines of records that are all carried out (but for what their `left` names)."""
    known: dict[str, str] = {}
    lines = []
    for record in records:
        raw = line_of(record, known)
        known.update((edit.path, digest(edit.after)) for edit in record.edits)
        letters = "".join(LEFT if edit.path in record.left else DONE for edit in record.edits)
        lines.append(raw[:DONE_AT] + letters.encode() + raw[DONE_AT + len(letters) :])
    return lines


def between(later: Sequence[Record], path: str) -> str:
    """Who changed a file after a record, in words."""
    for record in reversed(later):
        if path not in record.left and any(edit.path == path for edit in record.edits):
            return f"by record {record.id}, {record.verb}, or after it; undo that first"
    return "edited by hand"


def ended_with(raws: Sequence[bytes], paths: Iterable[str]) -> dict[str, str]:
    """path → digest of its state at the end of these last lines, of the paths that they speak of."""
    wanted, known = set(paths), dict[str, str]()
    for raw in reversed(raws):
        if not wanted:
            break
        try:
            steps = parsed(raw).steps
        except ValueError:
            break  # nothing before a damaged line can be built upon
        known.update((step.path, step.now) for step in steps if step.path in wanted)
        wanted -= known.keys()
    return known


def _written(edit: Edit, known: Mapping[str, str]) -> dict[str, object]:
    at, cut, put = _difference(edit.before or b"", edit.after or b"")
    was = digest(edit.before)
    row: dict[str, object] = {"path": edit.path, "was": was, "now": digest(edit.after)}
    if edit.path not in known or known[edit.path] != was:
        row["before"] = None if edit.before is None else _told(edit.before)
    return row | {"at": at, "cut": _told(cut), "put": _told(put)}


def _step(row: Mapping[str, Any]) -> Step:
    before: bytes | tuple[()] | None = ()
    if "before" in row:
        before = None if row["before"] is None else _bytes(row["before"])
    return Step(row["path"], row["was"], row["now"], row["at"], _bytes(row["cut"]), _bytes(row["put"]), before)


def _difference(old: bytes, new: bytes) -> tuple[int, bytes, bytes]:
    """(offset, bytes cut, bytes put): the lines between the first and the last that differ. Whole lines stay UTF-8."""
    at = _same(old.splitlines(True), new.splitlines(True), min(len(old), len(new)))
    tail = _same(old.splitlines(True)[::-1], new.splitlines(True)[::-1], min(len(old), len(new)) - at)
    return at, old[at : len(old) - tail], new[at : len(new) - tail]


def _same(old: list[bytes], new: list[bytes], most: int) -> int:
    """Bytes of the lines with which both begin, at most `most`."""
    length = 0
    for one, other in zip(old, new, strict=False):
        if one != other or length + len(one) > most:
            break
        length += len(one)
    return length


def _told(data: bytes) -> str | dict[str, str]:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def _bytes(told: str | Mapping[str, str]) -> bytes:
    return told.encode() if isinstance(told, str) else base64.b64decode(told["base64"], validate=True)
