"""Commands about people and rooms. The one who types them is the owner of the home."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator, Set
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

from omoide.api.omoide import Omoide
from omoide.api.people import Asking, Card, Remembered, Room, Saying, Stay, usual_history
from omoide.errors import BadInput, LookAlike
from omoide.serve.cli import said
from omoide.serve.cli.find import now_of, opened
from omoide.serve.cli.meant import account_of, alike_lines, facts, line, near_lines, person_of, room_of, strangers
from omoide.serve.cli.printing import answer

TAKES = {
    "meet": "an account and names", "rename": "an account and a name", "link": "two accounts", "unlink": "two accounts",
    "merge": "two people", "split": "two people", "open": "a room, its name and accounts", "join": "a room and one account",
    "leave": "a room and one account",
}  # fmt: skip
"""What comes behind the words of `omoide people` and `omoide rooms`."""


@contextmanager
def _warned() -> Iterator[list[str]]:
    """Warnings about look-alike names, printed without the line of code they come from; the list has them at the end."""
    told: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", LookAlike)
        yield told
    told += [str(one.message) for one in caught]
    for text in told:
        print(f"omoide: careful: {text}", file=sys.stderr)


def _nothing(why: str, data: dict[str, Any] | None = None) -> tuple[dict[str, Any], list[str]]:
    """The answer where what is asked for is so already."""
    return {"done": "", "why": why, **(data or {})}, [f"nothing to do: {why}"]


def who(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        at, name, room = now_of(args, omoide), " ".join(args.name), room_of(omoide, args.room)
        shown = omoide.people.candidates(name, at, room) if name else omoide.people.everybody(at, room)
        alike = omoide.people.alike(name, at, room) if name else []
        near = omoide.people.nearly(name, at, room) if not (shown or alike) else []
        status = "unknown" if not shown else "one" if len(shown) == 1 else "ambiguous" if name else "everybody"
    rows = [f"  {line(one)}" for one in shown] + alike_lines(name, alike) + near_lines(near)
    head = {"one": "one person", "ambiguous": f"{len(shown)} people may be meant", "unknown": "nobody", "everybody": f"{len(shown)} people"}
    lists = {key: [one._asdict() for one in found] for key, found in (("people", shown), ("alike", alike), ("near", near))}
    return answer(args, {"status": status, **lists}, [head[status], *rows])


def remember(args: argparse.Namespace) -> int:
    if args.wrong and not args.supersedes:
        raise BadInput("--wrong says that another fact was never true: name that fact with --supersedes ID. Nothing was remembered")
    with opened(args) as omoide:
        at = now_of(args, omoide)
        account, by = (account_of(omoide, typed, at) if typed else "" for typed in (args.about, args.by))
        saying = Saying(
            " ".join(args.text), account, by or account, args.room, at, args.place, args.since, args.until,
            args.supersedes.removeprefix("^"), args.wrong, "", "open" if args.open else "secret" if args.secret else "", args.source,
            "other" if args.claim else "", args.kind, args.because, args.session, args.message, args.call,
        )  # fmt: skip
        with strangers(omoide, [account] if account else [], at, "a folder is made"):
            kept = omoide.people.hear_each(saying) if args.each else [omoide.people.remember(saying)]
        _remarks(omoide, args, saying, kept)
    lines = [f"{one.what} ^{one.id}  {one.path}{f'  ({one.because})' if one.because else ''}" for one in kept]
    data = [one._asdict() | {"dates": [date._asdict() for date in one.dates]} for one in kept]
    return answer(args, data if args.each else data[0], lines)


def _remarks(omoide: Omoide, args: argparse.Namespace, saying: Saying, kept: list[Remembered]) -> None:
    """What whoever keeps a fact should know of it, on the error output."""
    if saying.room and all(room.id != saying.room for room in omoide.people.rooms()):
        print(f"(no room {saying.room} is known, so nothing is told there; `omoide rooms` lists them, and open makes one)", file=sys.stderr)
    if kept[0].dates and not args.each:
        meant = said.meant(kept[0].dates) or f"  ({'; '.join(date.words for date in kept[0].dates)})"
        print(f"(its words name a date{meant}; nothing ends by that: say --until, or --each to have the words read)", file=sys.stderr)
    mine = omoide.people.accounts(omoide.people.folders(saying.about)) if args.by and saying.about else {saying.by}
    if not (args.each or args.claim or saying.by in mine):
        print(f"({saying.by} is somebody else: kept as a fact, as you say; with --claim it waits in `omoide review`)", file=sys.stderr)


def about(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        at, room = now_of(args, omoide), room_of(omoide, args.room)
        want = frozenset(word for word in ("history", "planned", "pending") if getattr(args, word))
        folders = omoide.people.folders(person_of(omoide, args.person, at, room))
        found = omoide.people.know(Asking(" ".join(args.question), room, at, folders[0], as_of=args.as_of, want=want, limit=args.limit))
    facts = [
        {"id": told.known.fact.id, "text": told.known.fact.text, "path": told.known.path, "line": told.known.fact.line or None,
         "mark": told.mark, "state": dict(told.known.fact.meta),
         "dates": [{"words": date.words, "first": date.day, "last": date.last} for date in told.dates]} for told in found.facts
    ]  # fmt: skip
    marks = [said.meant(told.dates) + (f"  ({told.mark})" if told.mark else "") for told in found.facts]
    ids = [f"  ^{one['id']}" if one["id"] else "" for one in facts]
    places = [f"{one['path']}:{one['line']}" if one["line"] else one["path"] for one in facts]
    lines = [f"{place}  {one['text']}{mark}{key}" for one, place, mark, key in zip(facts, places, marks, ids, strict=True)]
    people = [sorted(ids) for ids in found.resolved.people]
    return answer(args, {"status": found.resolved.status, "people": people, "facts": facts}, lines or ["nothing is known here"])


def card(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        at = now_of(args, omoide)
        if args.person:
            room = room_of(omoide, args.room)
            shown = [omoide.people.card(person_of(omoide, args.person, at, room), room, at)]
        elif args.room:
            shown = omoide.people.cards(room_of(omoide, args.room), at)
        else:
            raise BadInput("omoide card needs a person, or --room for everybody who is in a room")
    lines = [line for one in shown for line in _card(one, args.person)]
    data = [{"person": one.person, "names": one.names, "characters": one.characters, "over": one.over,
             "facts": [{"id": known.fact.id, "text": known.fact.text} for known in one.facts],
             "labels": [label._asdict() for label in one.labels]} for one in shown]  # fmt: skip
    return answer(args, data[0] if args.person else data, lines or ["nobody is known in this room"])


def _card(shown: Card, typed: str) -> Iterator[str]:
    yield f"# {' / '.join(shown.names) or typed or shown.person[0]}"
    yield from (f"- {known.fact.text}" for known in shown.facts)
    if shown.over:
        yield f"({shown.over:,} characters more do not fit on the card)"
    for label in shown.labels:
        newest = f", newest {label.newest:%Y-%m-%d}" if label.newest else ""
        # an end is the first moment after: the day before it is the last on which the fact holds
        nearest = f", next end {label.nearest_end - timedelta(microseconds=1):%Y-%m-%d}" if label.nearest_end else ""
        yield f"drawer/{label.topic}: {facts(label.facts)}{newest}{nearest}"


def grep(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        at = now_of(args, omoide)
        room = room_of(omoide, args.room)
        person = person_of(omoide, args.about, at, room)
        found = omoide.people.grep(person, args.pattern, room, at, literal=args.literal, around=args.around)
    places = [f"{line.path}:{line.number}" if line.number else line.path for line in found]
    lines = [f"{place}{':' if line.match else '-'} {line.text}" for place, line in zip(places, found, strict=True)]
    return answer(args, [line._asdict() | {"number": line.number or None} for line in found], lines or ["no line matches"])


def why(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        found = omoide.people.why(args.fact)
    because = f"  ({found['because']})" if found["because"] else ""
    place = f"  in {found['path']}:{found['line']}{because}" if found["path"] else "  waits for the owner"
    lines = [f"^{found['id']}  {found['text']}", place]
    lines += [line for told in found["tellings"] for line in said.telling(told)]
    lines += [_link(one) for one in found["chain"] if len(found["chain"]) > 1]
    lines += [f"  {change['at']}  {change['verb']}  {change['change']}" for change in found["changes"]]
    return answer(args, found, lines if found["tellings"] else [*lines, "  written by hand"])


def _link(one: dict[str, Any]) -> str:
    """One of the facts that stood in one place, one after the other."""
    became = "never true" if one["wrong"] else f"until {one['until']}" if one["until"] else "stands"
    by = f" by {one['by']}" if one["by"] else ""
    return f"  ^{one['id']}  {one['text']}  ({became}; said {one['at'] or 'by hand'}{by})"


def history(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        records = omoide.people.history(person_of(omoide, args.person, now_of(args, omoide)))
    rows = [
        {"change": one.id, "at": one.at, "verb": one.verb, "paths": [edit.path for edit in one.edits], "facts": list(one.facts)}
        for one in records
    ]
    lines = [f"{one.id}  {one.verb:<9} {' '.join('^' + fact for fact in one.facts)}".rstrip() for one in records]
    return answer(args, rows, lines or ["no change is known"])


def undo(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        change, fact = ("", args.change) if args.change.startswith("^") else (args.change, args.fact)
        done = omoide.people.undo(change, now_of(args, omoide), args.reason, fact)
    return answer(args, done._asdict(), [f"put back: {' '.join(done.paths or [f'^{key}' for key in done.facts])}"])


def move(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        person = omoide.people.why(args.fact)["person"]
        done = omoide.people.move(person, args.fact, args.place, now_of(args, omoide), args.because)
    where = f"^{done.id} is in {done.path}"
    return answer(args, done._asdict(), [where if done.change else f"nothing to do: {where} already"])


def forget(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        at = now_of(args, omoide)
        person = person_of(omoide, args.person, at) if args.person else omoide.people.why(args.fact)["person"] if args.fact else ""
        everything = bool(args.person and not (args.fact or args.source or args.room))
        gone = omoide.people.forget(at, person=person, fact=args.fact, source=args.source, room=args.room, everything=everything)
    whole = f", and all else of {args.person}" if everything else ""
    return answer(args, {"forgotten": gone}, [f"{facts(len(gone))} forgotten: {' '.join('^' + key for key in gone)}".rstrip(": ") + whole])


def people(args: argparse.Namespace) -> int:
    words: list[str] = args.words
    with opened(args) as omoide:
        at = now_of(args, omoide)
        if args.do == "list":
            everybody = omoide.people.everybody(at)
            return answer(args, [one._asdict() for one in everybody], [line(one) for one in everybody] or ["nobody so far"])
        if len(words) < (1 if args.do == "meet" else 2) or (args.do not in ("meet", "rename") and len(words) > 2):
            raise BadInput(f"omoide people {args.do} takes {TAKES[args.do]}; see omoide people --help")
        with _warned() as careful:
            data, lines = _changed(omoide, args, words, at)
    return answer(args, {**data, "careful": careful}, lines)


def _changed(omoide: Omoide, args: argparse.Namespace, words: list[str], at: datetime) -> tuple[dict[str, Any], list[str]]:
    """Carry out one word of `omoide people`."""
    if args.do == "meet":
        folder = omoide.people.meet(words[0], *words[1:], at=at, kind=args.kind, bot=args.bot)
        return {"folder": folder}, [folder]
    if args.do == "rename":
        account, name = account_of(omoide, words[0], at, met=True), " ".join(words[1:])
        done = omoide.people.rename(account, name, at)
        return ({"done": "rename"}, ["done"]) if done else _nothing(f"{words[0]} is called {name} already")
    if args.do == "link" and not args.proof:
        raise BadInput("not linked: likeness is no proof. If both sides have shown it, say --proof")
    if args.do in ("link", "unlink"):
        one, other = (account_of(omoide, word, at, met=True) for word in words)
        done = omoide.people.link(one, other, proof=True, at=at) if args.do == "link" else omoide.people.unlink(one, other, at=at)
        if args.do == "unlink" and not done:
            together = omoide.people.folders(one)
            through = f", but one person: {' + '.join(together)}" if together == omoide.people.folders(other) else ""
            raise BadInput(f"{one} and {other} are not linked with each other{through}. Nothing was changed")
        return ({"done": args.do}, ["done"]) if done else _nothing(f"{one} and {other} are linked already")
    one, other = (person_of(omoide, word, at) for word in words)
    before = omoide.people.folders(one)
    together = (omoide.people.merge if args.do == "merge" else omoide.people.split)(one, other, at=at, reason=args.reason)
    if together == before:
        return _nothing(f"{words[0]} and {words[1]} are one person already", {"folders": together})
    back = f"`omoide people {'split' if args.do == 'merge' else 'merge'} {one} {other}` takes it back"
    return {"done": args.do, "folders": together}, [f"{' + '.join(together)}  ({back})"]


def rooms(args: argparse.Namespace) -> int:
    words: list[str] = args.words
    with opened(args) as omoide:
        at = now_of(args, omoide)
        if args.do == "list":
            known = omoide.people.rooms()
            listed = [{"id": room.id, "name": room.name, "type": room.kind, "members": sorted(room.members(at))} for room in known]
            lines = [f"{room.id}  {room.name}  {room.kind}  {' '.join(sorted(room.members(at)))}" for room in known]
            return answer(args, listed, lines or ["no rooms"])
        if args.do in ("say", "log", "tidy"):
            return answer(args, *said.done(args, omoide, at))
        if len(words) < 2 or (args.do != "open" and len(words) > 2):
            raise BadInput(f"omoide rooms {args.do} takes {TAKES[args.do]}; see omoide rooms --help")
        with _warned() as careful:
            data, lines = (_opened if args.do == "open" else _come_or_go)(omoide, args, words, at)
    return answer(args, {**data, "careful": careful}, lines)


def _opened(omoide: Omoide, args: argparse.Namespace, words: list[str], at: datetime) -> tuple[dict[str, Any], list[str]]:
    """Make a room. One that is there is no other by that: what differs is said."""
    accounts = [account_of(omoide, typed, at) for typed in words[2:]]
    known = next((room for room in omoide.people.rooms() if room.id == words[0]), None)
    if known and (new := [one for one in accounts if one not in known.members(at)]):
        raise BadInput(f"room {known.id} is there already; `omoide rooms join {known.id} ACCOUNT` lets {' and '.join(new)} in")
    if known and known.name != words[1]:
        raise BadInput(f"room {known.id} is there already, called {known.name}; its room.md can be changed by hand")
    past = args.past or usual_history(args.type)
    if known and (known.kind, known.history) != (args.type, past):
        raise BadInput(f"room {known.id} is there already, as {known.kind} with {known.history}; its room.md can be changed by hand")
    if known:
        return _nothing(f"room {known.id} is there already")
    with strangers(omoide, accounts, at, "whoever it is reads there"):
        omoide.people.open_room(Room(words[0], words[1], args.type, past, tuple(Stay(one, at) for one in accounts)), at)
    return {"done": "open"}, ["done"]


def _come_or_go(omoide: Omoide, args: argparse.Namespace, words: list[str], at: datetime) -> tuple[dict[str, Any], list[str]]:
    room, account = room_of(omoide, words[0]), account_of(omoide, words[1], at)
    if args.do == "join":
        with strangers(omoide, [account], at, "whoever it is reads there"):
            joined = omoide.people.join(room, account, at)
        return ({"done": "join"}, ["done"]) if joined else _nothing(f"{account} is in {room} already")
    if not omoide.people.leave(room, account, at):
        inside = next(sorted(one.members(at)) for one in omoide.people.rooms() if one.id == room)
        raise BadInput(f"{account} is not in {room}, so nobody left it; in it: {' '.join(inside) or 'nobody'}")
    return {"done": "leave"}, ["done"]


def migrate(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        people = {name.strip(): account.strip() for name, _, account in (one.partition("=") for one in args.person)}
        done = omoide.people.migrate(people, now_of(args, omoide), dry=args.dry)
    lines = [f"{'would move' if args.dry else 'moved'} to {one.path}: {one.text}" for one in done.moved]
    lines += [f"undecided ({why}): {text}" for text, why in done.undecided]
    undecided, advice = [{"text": text, "why": why} for text, why in done.undecided], _advice({why for _, why in done.undecided})
    data = {"moved": [one._asdict() for one in done.moved], "undecided": undecided, "advice": advice}
    return answer(args, data, lines + advice or ["nothing to do"])


def _advice(reasons: Set[str]) -> list[str]:
    """What would decide the lines that are undecided for these reasons, each way once."""
    ways = {
        "nobody is named": "--person NAME, or NAME=ACCOUNT, says who else is meant; what is about nobody stays",
        "several people are named": "a line about one of several is theirs when it begins with the name and a colon",
    }
    shared = sorted(why.partition(" called ")[2] for why in reasons - ways.keys())
    said = [way for why, way in ways.items() if why in reasons]
    return [f"to decide: {way}" for way in (*said, *(f"--person {name}=ACCOUNT says which {name} is meant" for name in shared))]
