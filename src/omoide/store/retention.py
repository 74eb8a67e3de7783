"""What a log says of events that were dropped, because they were older than the home keeps them. Nothing here touches the disk.

    ## 12 events dropped (at 2027-01-05T09:00:00+09:00)

    Older than 30 days; said 2026-11-30T09:15:03+09:00 to 2026-11-30T17:02:00+09:00.

    - s-41: 1-7
    - 2026-11-30: 1-3, 5-6

So it stays known how many there were, from when, which numbers of which sessions they had, and which rule took them
when; not who said what. It is written in the same exchange of the file that takes the events away: never one without the
other.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

from omoide.store.sections import line_ends

_MOMENT = rb"[0-9T:.+-]*[0-9]"
_ENTRY = re.compile(
    rb"^## (?P<events>\d+) events? dropped \(at (?P<at>%(m)s)\)\r?\n\r?\nOlder than (?P<days>\d+) days?; said (?P<first>%(m)s)"
    rb" to (?P<last>%(m)s)\.\r?\n\r?\n(?P<numbers>(?:- \S+: [0-9, -]+\r?\n)*)" % {b"m": _MOMENT},
    re.MULTILINE,
)
_SESSION = re.compile(rb"^- (\S+): ([0-9, -]+)", re.MULTILINE)


class Number(NamedTuple):
    """What is kept of one event: its session, its number there, and its moment."""

    session: str
    message: int
    at: datetime


class Dropped(NamedTuple):
    """One entry: so many events, said from `first` to `last`, dropped at `at` because they were older than `days` days.

    `numbers`: session → from which number to which, in order. `path` and `line`: where the entry stands.
    """

    at: datetime
    days: int
    events: int
    first: datetime
    last: datetime
    numbers: tuple[tuple[str, tuple[tuple[int, int], ...]], ...]
    path: str = ""
    line: int = 0

    @property
    def text(self) -> str:
        """In words."""
        said = "; ".join(f"{session}: {_ranges(spans)}" for session, spans in self.numbers)
        return f"{_counted(self.events, 'event')} dropped, older than {_counted(self.days, 'day')}: {said}"

    def has(self, session: str, message: int | None) -> bool:
        """Whether the event with this number is one of them."""
        return message is not None and any(one == session and any(a <= message <= b for a, b in spans) for one, spans in self.numbers)

    def last_of(self, session: str) -> int:
        """The highest number of a session, 0 if it has none: who goes on with the session counts on."""
        return max((last for one, spans in self.numbers if one == session for _, last in spans), default=0)


def dropped(gone: Iterable[Number], at: datetime, days: int) -> Dropped:
    """The entry for events that are taken out at a moment; there is one at least."""
    gone = list(gone)
    sessions: dict[str, set[int]] = defaultdict(set)
    for one in gone:
        sessions[one.session].add(one.message)
    moments = sorted((one.at for one in gone), key=lambda moment: moment.timestamp())
    return Dropped(at, days, len(gone), moments[0], moments[-1], tuple((name, _spans(found)) for name, found in sorted(sessions.items())))


def written(entry: Dropped) -> bytes:
    """As it stands in the file."""
    head = f"## {_counted(entry.events, 'event')} dropped (at {entry.at.isoformat()})"
    said = f"Older than {_counted(entry.days, 'day')}; said {entry.first.isoformat()} to {entry.last.isoformat()}."
    return "\n".join([head, "", said, "", *(f"- {session}: {_ranges(spans)}" for session, spans in entry.numbers), ""]).encode()


def dropped_in(data: bytes, path: str) -> Iterator[Dropped]:
    """The entries of one file. One that a hand made unreadable is passed over."""
    for found in _ENTRY.finditer(data):
        try:
            at, first, last = (datetime.fromisoformat(found[name].decode()) for name in ("at", "first", "last"))
            sessions = _SESSION.findall(found["numbers"])
            numbers = tuple((name.decode("utf-8", "replace"), _read(spans.decode())) for name, spans in sessions)
        except ValueError:
            continue
        if at.tzinfo and first.tzinfo and last.tzinfo:
            line = line_ends(data[: found.start()]) + 1
            yield Dropped(at, int(found["days"]), int(found["events"]), first, last, numbers, path, line)


def _spans(numbers: Iterable[int]) -> tuple[tuple[int, int], ...]:
    spans: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if spans and spans[-1][1] == number - 1:
            spans[-1] = spans[-1][0], number
        else:
            spans.append((number, number))
    return tuple(spans)


def _ranges(spans: Iterable[tuple[int, int]]) -> str:
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in spans)


def _read(ranges: str) -> tuple[tuple[int, int], ...]:
    """Raises `ValueError` for what is no range."""
    pairs = [part.strip().partition("-") for part in ranges.split(",")]
    return tuple((int(a), int(b or a)) for a, _, b in pairs)


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
