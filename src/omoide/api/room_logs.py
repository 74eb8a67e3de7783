"""What was said in rooms: kept whole, told to those who were there, forgotten with the facts that were learned from it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from omoide.api.folks import Folks
from omoide.api.knowing import OWNER, Group
from omoide.api.retaining import gone
from omoide.people.access import Telling
from omoide.store.log import NOBODY, Event, Log

LOOKS = ("memory_search", "memory_recall", "memory_get", "search", "recall", "get", "about", "grep")
"""Tools whose use is a look into the memory."""
DROPPED = "dropped"
"""The role of an entry that says how many events were dropped."""


def say(folks: Folks, room: str, event: Event) -> Event:
    """Keep one event at the end of the room's log. Raises `BadInput` for a room or an event that cannot be kept."""
    return _log(folks, room).append(event._replace(by=folks.account(event.by, "by")), folks.zone)


def said(folks: Folks, room: str, reading: str, at: datetime, session: str = "") -> list[Event]:
    """What was said in a room, by time, as far as everybody who reads in the room `reading` may hear it. OWNER: all, and what was
    dropped, as events of nobody."""
    log = _log(folks, room)
    events = [event for event in log.events() if session in ("", event.session)]
    if reading == OWNER:
        entries = [one for one in log.dropped() if session in ("", *dict(one.numbers))]
        events += [Event(NOBODY, one.at, one.text, role=DROPPED, path=one.path, line=one.line) for one in entries]
    else:
        listeners = folks.listeners(reading, at)
        events = [event for event in events if listeners.may_hear([Telling(event.by, room, event.at)])]
    return sorted(events, key=lambda event: event.at)


def unchecked(events: Iterable[Event]) -> list[Event]:
    """Replies before which nobody looked into the memory since a user spoke: what they say is not known is not known to be so."""
    looked: set[str] = set()
    found = []
    for event in events:
        if event.role == "user":
            looked.discard(event.session)
        elif event.tool in LOOKS:
            looked.add(event.session)
        elif event.role == "reply" and event.session not in looked:
            found.append(event)
    return found


def traced(folks: Folks, told: Telling) -> dict[str, Any]:
    """The message of a telling: where it stands in the log (`logged`), or when and by which rule it was dropped from there
    (`dropped`); None where there is no such thing."""
    if folks.directory().room(told.room) is None:
        return {"logged": None, "dropped": None}
    log = _log(folks, told.room)
    found, drop = _logged(log, told), gone(log, told)
    if found and drop and told.at < drop["at"]:  # a session that began again counts from 1: this is another message
        found = None
    return {"logged": found, "dropped": None if found else drop}


def _logged(log: Log, told: Telling) -> dict[str, Any] | None:
    """Where it stands, and whether it agrees."""
    for event in log.events():
        if (event.session, event.message) == (told.session, told.message) if told.session else (event.by, event.at) == (told.by, told.at):
            return {
                "path": event.path, "line": event.line, "session": event.session, "message": event.message, "by": event.by,
                "at": event.at, "agrees": event.role == "user" and event.by == told.by,
            }  # fmt: skip
    return None


def forget_learned(
    folks: Folks, groups: Sequence[Group], wanted: Mapping[str, Collection[int] | None], *, room: str, speaker: bool
) -> list[str]:
    """What `forget` means for the logs; before the facts go, for they say where to look. Gives the files that changed.

    `wanted`: id → tellings to drop (None: all). `room`: its whole log goes. `speaker`: whatever these people said goes.
    """
    changed = _log(folks, room).erase() if folks.directory().room(room) else []
    told, words = set(), []
    for known in (known for group in groups for known in group.everything if known.fact.id in wanted):
        drop = wanted[known.fact.id]
        gone = [one for number, one in enumerate(known.detail.tellings) if drop is None or number in drop]
        told |= {(one.room, one.session, one.message) for one in gone if one.session} | {(one.room, one.by, one.at) for one in gone}
        words += [_form(known.fact.text)] if len(gone) == len(known.detail.tellings) else []
    accounts = {account for group in groups for account in group.accounts} if speaker else set()
    for room in sorted(folks.directory().rooms):
        changed += _log(folks, room).forget(lambda event, room=room: event.by in accounts or _repeats(room, event, told, words))  # type: ignore[misc]
    return changed


def _repeats(room: str, event: Event, told: Collection[Any], words: Sequence[str]) -> bool:
    """Whether an event is a message that was forgotten, or the agent's own repeating of it: that is nobody's own word."""
    if event.role == "user":
        return (room, event.session, event.message) in told or (room, event.by, event.at) in told
    text = _form(event.text)
    return any(word in text for word in words)


def _log(folks: Folks, room: str) -> Log:
    return Log(folks.door, folks.room_folder(room))


def _form(text: str) -> str:
    return " ".join(text.casefold().split())
