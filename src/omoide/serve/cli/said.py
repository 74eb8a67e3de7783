"""`omoide rooms say`, `log` and `tidy`, `omoide days`: what was said in a room, how long it is kept, and which days were meant."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from omoide.api.omoide import Omoide
from omoide.api.people import Event
from omoide.api.times import Counted, days
from omoide.errors import BadInput
from omoide.serve.cli.find import now_of, opened
from omoide.serve.cli.meant import account_of, room_of
from omoide.serve.cli.printing import answer


def done(args: argparse.Namespace, omoide: Omoide, at: datetime) -> tuple[Any, list[str]]:
    """Add an event to the log of a room, read it, or drop what is old: the answer for programs and for people."""
    typed: list[str] = args.words
    if args.do == "tidy":
        if typed:
            raise BadInput("omoide rooms tidy takes no room: what `logs.keep_days` says holds for the whole home")
        return _tidied(omoide, at)
    if args.do == "log":
        if len(typed) != 1:
            raise BadInput("omoide rooms log needs one room; `omoide rooms` lists them")
        return _log(omoide, room_of(omoide, typed[0]), args, at)
    if len(typed) < 2:
        raise BadInput("omoide rooms say needs a room and an account; the words follow, or come from the standard input")
    text = " ".join(typed[2:]) if len(typed) > 2 else sys.stdin.read()
    room, by = room_of(omoide, typed[0]), account_of(omoide, typed[1], at)
    event = Event(by, at, text, args.session, args.message, "tool" if args.tool else args.role, args.tool, args.call)
    kept = omoide.people.say(room, event)
    return kept._asdict(), [f"{kept.session}#{kept.message}  {kept.path}:{kept.line}"]


def _log(omoide: Omoide, room: str, args: argparse.Namespace, at: datetime) -> tuple[Any, list[str]]:
    events = omoide.people.said(room, room_of(omoide, args.reading), at, args.session)
    bare = {(event.session, event.message) for event in omoide.people.unchecked(room, args.session)}
    data = [event._asdict() | {"unchecked": (event.session, event.message) in bare} for event in events]
    lines = [_line(event, (event.session, event.message) in bare) for event in events]
    return data, lines or ["nothing was said here"]


def _tidied(omoide: Omoide, at: datetime) -> tuple[Any, list[str]]:
    days = omoide.settings.logs.keep_days
    entries = omoide.people.tidy(at)
    if not entries:
        why = f"nothing is older than {days} days (logs.keep_days)" if days else "logs.keep_days is 0: everything is kept"
        return {"done": "", "why": why, "dropped": []}, [f"nothing to do: {why}"]
    data = [one._asdict() | {"numbers": dict(one.numbers)} for one in entries]
    return {"done": "tidy", "dropped": data}, [f"{one.path}: {one.text}" for one in entries]


def _line(event: Event, unchecked: bool) -> str:
    kind = {"user": "", "reply": "  (reply)", "tool": f"  (tool {event.tool})"}.get(event.role, f"  ({event.role})")
    note = "  (unchecked: nothing was looked up before it)" if unchecked else ""
    number = f"{event.session}#{event.message}" if event.session else "-"
    head = f"{event.at.isoformat(timespec='seconds')}  {number}  {event.by}"
    return f"{head}{kind}{note}  {' '.join(event.text.split())}"


def telling(told: dict[str, Any]) -> list[str]:
    """One telling, and the message in the log that it came from."""
    logged, number = told["logged"], "" if told["message"] is None else f"#{told['message']}"
    from_call = f", kept by call {told['call']}" if told["call"] else ""
    lines = [f"  said {told['at']} by {told['by']} in {told['room'] or 'no room'}{from_call}"]
    if logged:
        other = "" if logged["agrees"] else f", which {logged['by']} said: it does not agree"
        return [*lines, f"    message {logged['session']}#{logged['message']} of {logged['at']}, {logged['path']}:{logged['line']}{other}"]
    which = f"message {told['session']}{number}" if told["session"] else "its message"
    if told["dropped"]:
        gone = told["dropped"]
        rule = f"dropped {gone['at']}, older than {gone['days']} days, {gone['path']}:{gone['line']}"
        return [*lines, f"    {which}, which is no longer kept ({rule})"]
    return [*lines, f"    {which}, which is not in the log"] if told["session"] else lines


def meant(dates: Sequence[Counted]) -> str:
    """What words such as "last week" meant when they were said."""
    shown = [f"{date.words}: {_days(date)}" for date in dates if date.day.isoformat() not in date.words]
    return f"  ({'; '.join(shown)})" if shown else ""


def _days(date: Counted) -> str:
    return date.day.isoformat() if date.day == date.last else f"{date.day} to {date.last}"


def count(args: argparse.Namespace) -> int:
    """How many days off the dates of a text are."""
    with opened(args) as omoide:
        found = days(" ".join(args.text), now_of(args, omoide).astimezone(omoide.zone))
    lines = [f"{one.days:+d} days  {_days(one)}  {one.words}" for one in found]
    return answer(args, [one._asdict() for one in found], lines or ["there is no date in it"])
