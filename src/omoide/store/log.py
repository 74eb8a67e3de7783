"""What was said in a room, in files that only grow: one section an event, as it arrived.

    rooms/design-91c2/log/2026-11-30.md

    ## 09:15 slack:T01:U02ABC (s-41#7; at 2026-11-30T09:15:03.250000+09:00)

    > Moved to Osaka last week.

    ^4f3a91c2d0

The heading says who spoke and in which session, as its how manieth message; of the agent's own events also `reply`,
`tool NAME`, `call ID`. The words are quoted line by line, so nothing that anybody says is a heading or an event. The
block id closes: what has none is the half of an event that a dying process left. Nobody reads it, and the next writer
takes it away. What people write into these files by hand stays, and is no event.

A written event is never changed. Two things take words away: `forget`, a person's right, and `drop`, where a setting says
that what is older goes.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, tzinfo
from hashlib import blake2b
from typing import NamedTuple

from omoide.errors import BadInput, StaleWrite, StoreFailed
from omoide.store import disk, files, retention
from omoide.store.check_text import check_text
from omoide.store.disk_errors import named
from omoide.store.door import Door
from omoide.store.history_files import temp_of
from omoide.store.retention import Dropped, Number, dropped_in
from omoide.store.sections import gap, line_ends
from omoide.text.dates import day_in_name

ROLES = ("user", "reply", "tool")
FORGOTTEN, NOBODY = "forgotten", "-"
"""The role of an event that was forgotten, and what stands for its speaker."""

_WORD = re.compile(r"[^\s#;()]{1,200}")
_HEAD = rb"^## \d\d:\d\d (?P<by>\S+) \((?P<session>[^\s#;()]+)#(?P<message>\d+); at (?P<at>[^\s;()]+)(?P<more>(?:; [^;()\n]+)*)\)"
_EVENT = re.compile(_HEAD + rb"\r?\n\r?\n(?P<text>(?:>[^\n]*\n)+)\r?\n\^[0-9a-f]{10}\r?\n", re.MULTILINE)
_SAID = re.compile(
    _HEAD + rb"(?:\r?\n|\Z)(?:\r?\n)?(?P<text>(?:>[^\n]*(?:\n|\Z))*)(?:(?:\r?\n)?\^[0-9a-f]{1,10}(?:\r?\n|\Z))?(?:\r?\n)?", re.MULTILINE
)
"""An event with the empty line behind it, also one that somebody or something left without its end: it has words all the same."""
_HALF = re.compile(
    rb"(?:^## \d\d:\d\d \S+ \([^\s#;()]+#\d+; at (?:[^()\n]*|[^\s;()]+(?:; [^;()\n]+)*\)\r?(?:\n(?:>[^\n]*|\^[0-9a-f]*|\r)?)*))?\0*\Z",
    re.MULTILINE,
)
_EVERY = re.compile(_HEAD + rb"\r?$", re.MULTILINE)
_QUOTED = re.compile(rb"(\A|\r\n|\r|\n)> ")


class Event(NamedTuple):
    """One thing that was said or answered. `by`: an account; of a tool's result, the agent that called it.

    `role` is user, reply or tool. `session` "" is the day; `message` None is the next of the session. `tool` and
    `call` name what was called and the id of that call. `path` and `line` are where it stands.
    """

    by: str
    at: datetime
    text: str
    session: str = ""
    message: int | None = None
    role: str = "user"
    tool: str = ""
    call: str = ""
    path: str = ""
    line: int = 0

    def same(self, other: Event) -> bool:
        """Whether it is the same event told twice, as after an answer that got lost."""
        return (self.by, self.role, self.text, self.tool, self.call) == (other.by, other.role, other.text, other.tool, other.call)


class Log:
    """The log of one room. `folder` is the room's, such as `rooms/design-91c2`. Errors are those of `Door`."""

    def __init__(self, door: Door, folder: str) -> None:
        self.door, self.folder = door, folder

    def append(self, event: Event, zone: tzinfo) -> Event:
        """Add an event at the end of its day's file (in `zone`, the owner's), and give it as it stands there, safe on disk.

        What is there already, word for word, is given and not added again. Raises `BadInput` for another event with
        the same number, or words that no text file holds.
        """
        if event.at.tzinfo is None:
            raise BadInput("at: an event needs a moment with its zone")
        clock = event.at.astimezone(zone)
        day = f"{clock:%Y-%m-%d}"
        event = event._replace(session=event.session or day)
        _check(event)
        path = f"{self.folder}/log/{day}.md"
        with self.door.locked(self.folder), named(path), disk.opened_home(self.door.root) as home:
            with disk.opened_folder(home, [*self.folder.split("/"), "log"], make=True) as folder:
                lines = disk.Lines(folder, f"{day}.md")
                data = self._mended(home, path, lines)
                told = self._told(event, path, data)
                if told is None:
                    event = event._replace(message=self._next(event, path, data) if event.message is None else event.message)
                    before = gap(data)
                    lines.append((before + _written(event, f"{clock:%H:%M}"))[:-1])
                    told = event._replace(path=path, line=line_ends(data + before) + 1)
        return told

    def events(self) -> Iterator[Event]:
        """Every whole event, file by file, as it arrived. A file that cannot be read is passed over; `doctor` tells of it."""
        return (event for path, data in self._files() for event in events_in(data, path))

    def forget(self, gone: Callable[[Event], bool]) -> list[str]:
        """Take the words and the speaker out of events; that something was said then stays. Gives the files that changed."""
        return self._rewrite(lambda data, path: _SAID.sub(lambda found: _blank(found, path, gone), data[: len(data) - half(data)]))

    def drop(self, at: datetime, days: int, zone: tzinfo) -> list[Dropped]:
        """Take out the events that are older than so many days at the moment `at`, wholly. Of each file that had some, an entry
        at its end says so, in the same exchange. What a hand wrote and summaries stay. Gives these entries."""
        told = []

        def made(data: bytes, path: str) -> bytes | None:
            left, gone = _without(data, path, at - timedelta(days=days), zone)
            if not gone:
                return left
            left += gap(left)
            told.append(retention.dropped(gone, at.astimezone(zone), days)._replace(path=path, line=line_ends(left) + 1))
            return left + retention.written(told[-1])

        self._rewrite(made)
        return told

    def due(self, at: datetime, days: int, zone: tzinfo) -> int:
        """How many events `drop` would take out."""
        before = at - timedelta(days=days)
        return sum(len(_without(data, path, before, zone)[1]) for path, data in self._files())

    def dropped(self) -> Iterator[Dropped]:
        """What was dropped, file by file."""
        return (entry for path, data in self._files() for entry in dropped_in(data, path))

    def erase(self) -> list[str]:
        """Remove the whole log, with what was written into it by hand. Gives the files that are gone."""
        return self._rewrite(lambda data, path: None)

    def _rewrite(self, made: Callable[[bytes, str], bytes | None]) -> list[str]:
        changed = []
        with self.door.locked(self.folder):
            seen = files.walk(self.door.root, sys.maxsize, f"{self.folder}/log")
            for problem in seen.problems:
                if problem.code in files.UNKNOWN:  # what cannot be looked at is not forgotten
                    raise StoreFailed(f"{problem.path}: {problem.text}. It still holds what is to go; make it readable, then again.")
            for path in [found.path for found in seen.found]:
                with named(path), disk.opened_home(self.door.root) as home:
                    before = disk.read(home, path)
                    after = made(before, path) if before is not None else None
                    if before == after:
                        continue
                    if not disk.put(home, path, before, after, temp_of(self.folder, path)):
                        raise StaleWrite(path, disk.read(home, path))
                    changed.append(path)
        return changed

    def _files(self) -> Iterator[tuple[str, bytes]]:
        for path in self._paths():
            data = files.read(self.door.root, path)
            if isinstance(data, bytes):
                yield path, data

    def _paths(self) -> list[str]:
        return [found.path for found in files.walk(self.door.root, below=f"{self.folder}/log").found]

    def _mended(self, home: int, path: str, lines: disk.Lines) -> bytes:
        """The file without the half of an event that a dying process left at its end."""
        disk.sweep(home, path, temp_of(self.folder, path))
        data = disk.read(home, path) or b""
        torn = half(data)
        if torn:
            lines.take_back(data[len(data) - torn :][:-1])
        return data[: len(data) - torn]

    def _told(self, event: Event, path: str, data: bytes) -> Event | None:
        """The event with this number in this file or the one before it, if it is there."""
        if event.message is None:
            return None
        number = f"message {event.message} of session {event.session}"
        for where, inside in self._near(path, data):
            same = events_in(inside, where) if _key(event) in inside else ()
            found = next((one for one in same if (one.session, one.message) == (event.session, event.message)), None)
            if found is not None and not found.same(event):
                raise BadInput(f"{where}:{found.line} is {number} already, with other words; a log is never changed")
            if found is not None:
                return found
            gone = next((one for one in dropped_in(inside, where) if one.has(event.session, event.message)), None)
            if gone is not None:
                said = f"{where}:{gone.line}: {number} was there and is dropped, and its number is not given again"
                raise BadInput(f"{said}; send this one without a number")
        return None

    def _next(self, event: Event, path: str, data: bytes) -> int:
        for where, inside in self._near(path, data):
            found = [int(one["message"]) for one in _EVERY.finditer(inside) if one["session"] == event.session.encode()]
            last = max([*found, *(one.last_of(event.session) for one in dropped_in(inside, where))], default=0)
            if last or found:
                return last + 1
        return 1

    def _near(self, path: str, data: bytes) -> Iterator[tuple[str, bytes]]:
        """This file and the one before it."""
        yield path, data
        yield self._before(path)

    def _before(self, path: str) -> tuple[str, bytes]:
        """The newest file before this one: a session may go on over midnight."""
        older = max((one for one in self._paths() if one < path), default="")
        data = files.read(self.door.root, older) if older else b""
        return older, data if isinstance(data, bytes) else b""


def events_in(data: bytes, path: str) -> Iterator[Event]:
    """The whole events of one file."""
    line, seen = 1, 0
    for found in _EVENT.finditer(data):
        line, seen = line + line_ends(data[seen : found.start()]), found.start()
        event = _event(found, path)
        if event is not None:
            yield event._replace(line=line)


def _without(data: bytes, path: str, before: datetime, zone: tzinfo) -> tuple[bytes, list[Number]]:
    """The file without the events that are older (and the half of one at its end), and these. Where a hand made the moment of
    one unreadable, it is as old as its file."""
    gone: list[Number] = []
    day = day_in_name(path.rpartition("/")[2], zone)

    def kept(found: re.Match[bytes]) -> bytes:
        event = _event(found, path)
        moment, limit = (event.at, before) if event else (day, before - timedelta(days=1))
        if moment is None or moment >= limit:
            return found[0]
        gone.append(Number(found["session"].decode("utf-8", "replace"), int(found["message"]), moment))
        return b""

    return _SAID.sub(kept, data[: len(data) - half(data)]), gone


def _event(found: re.Match[bytes], path: str) -> Event | None:
    """None where a hand has made it unreadable."""
    said = {name: value.decode("utf-8", "replace") for name, value in found.groupdict().items() if name != "text"}
    more = dict(part.partition(" ")[::2] for part in said["more"].split("; ")[1:])
    role = next((role for role in (FORGOTTEN, "tool", "reply") if role in more), "user")
    text = _QUOTED.sub(rb"\1", found["text"].removesuffix(b"\n")).decode("utf-8", "replace")
    try:
        at = datetime.fromisoformat(said["at"])
    except ValueError:
        return None
    if at.tzinfo is None:
        return None
    return Event(said["by"], at, text, said["session"], int(said["message"]), role, more.get("tool", ""), more.get("call", ""), path)


def _check(event: Event) -> None:
    """Raises `BadInput` for an event that cannot be written down so that it can be read again."""
    if event.role not in ROLES or bool(event.tool) != (event.role == "tool"):
        raise BadInput(f"role: one of {', '.join(ROLES)}; a tool's result, and nothing else, names its tool")
    for key, value in (("by", event.by), ("session", event.session), ("tool", event.tool), ("call", event.call)):
        if value and not _WORD.fullmatch(value):
            raise BadInput(f"{key}: {value[:60]!r} is no name for a log; it has 200 letters at most, no spaces and none of # ; ( )")
    if event.message is not None and event.message < 0:
        raise BadInput(f"message: the number of a message is 0 or more, not {event.message}")
    for key, value in (("text", event.text), ("by", event.by), ("session", event.session), ("tool", event.tool), ("call", event.call)):
        check_text(value, key)


def _key(event: Event) -> bytes:
    return f" ({event.session}#{event.message}; at ".encode()


def _written(event: Event, clock: str) -> bytes:
    more = {"reply": "; reply", "tool": f"; tool {event.tool}"}.get(event.role, "") + (f"; call {event.call}" if event.call else "")
    head = f"## {clock} {event.by} ({event.session}#{event.message}; at {event.at.isoformat()}{more})"
    text = re.sub(rb"\r\n|\r|\n", rb"\g<0>> ", b"> " + event.text.encode())
    key = blake2b(f"{event.session}#{event.message}".encode(), digest_size=5).hexdigest()
    return head.encode() + b"\n\n" + text + b"\n\n^" + key.encode() + b"\n"


def _blank(found: re.Match[bytes], path: str, gone: Callable[[Event], bool]) -> bytes:
    event = _event(found, path)
    if event is None or event.role == FORGOTTEN or not gone(event):
        return found[0]
    if not _EVENT.match(found[0]):
        return b""  # it never came to its end: nothing of it was told to anybody
    head = found[0][: len("## 09:15 ")] + f"{NOBODY} ({event.session}#{event.message}; at {event.at.isoformat()}; {FORGOTTEN})".encode()
    return head + b"\n\n> \n\n" + found[0][found[0].rindex(b"^") :]


def half(data: bytes) -> int:
    """Bytes at the end that are the beginning of an event, or blocks that a crash left unwritten."""
    whole = max((found.end() for found in _EVENT.finditer(data)), default=0)
    found = _HALF.search(data, whole)
    return len(data) - found.start() if found else 0
