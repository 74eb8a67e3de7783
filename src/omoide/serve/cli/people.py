"""Commands about people and rooms. The one who types them is the owner of the home."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from omoide.api.omoide import Omoide
from omoide.api.people import OWNER, Asking, Candidate, Room, Saying, Stay
from omoide.api.times import moment
from omoide.errors import BadInput
from omoide.serve.cli import printing
from omoide.serve.cli.find import opened


def _now(args: argparse.Namespace, omoide: Omoide) -> datetime:
    return moment(args.now, omoide.zone, "--now") if args.now else omoide.now()


def _said(args: argparse.Namespace, data: Any, lines: Sequence[str]) -> int:
    if args.json:
        printing.envelope(args.command, args.started, data)
    else:
        print("\n".join(lines))
    return 0


def person_of(omoide: Omoide, typed: str, at: datetime) -> str:
    """The one folder that a name, an account or a folder means. Raises `BadInput` that lists the candidates."""
    if ":" in typed or "/" in typed:
        return typed
    found = omoide.people.candidates(typed, at)
    if len(found) == 1:
        return found[0].folders[0]
    if not found:
        raise BadInput(f"nobody here is called {typed}. `omoide who` lists everybody")
    shown = "\n".join(f"  {_line(one)}" for one in found)
    raise BadInput(f"{typed} may be {len(found)} people; name one by account or folder:\n{shown}")


def _line(one: Candidate) -> str:
    rooms = f"  in {', '.join(one.rooms)}" if one.rooms else "  in no room"
    newest = f", newest {one.newest:%Y-%m-%d}" if one.newest else ""
    former = "  (a former name)" if one.former else ""
    return f"{' + '.join(one.folders)}  {' / '.join(one.names)}  {' '.join(one.accounts)}{rooms}  {_facts(one.facts)}{newest}{former}"


def _facts(count: int) -> str:
    return f"{count} fact{'' if count == 1 else 's'}"


def who(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        at, name = _now(args, omoide), " ".join(args.name)
        if args.room:
            found = omoide.people.who(name, args.room, at)
            everybody = {frozenset(one.folders): one for one in omoide.people.everybody(at)}
            shown, status = [everybody[ids] for ids in found.people if ids in everybody], found.status
        else:
            shown = omoide.people.candidates(name, at) if name else omoide.people.everybody(at)
            status = "unknown" if not shown else "one" if len(shown) == 1 else "ambiguous" if name else "everybody"
    head = {"one": "one person", "ambiguous": f"{len(shown)} people may be meant", "unknown": "nobody", "everybody": f"{len(shown)} people"}
    data = {"status": status, "people": [one._asdict() for one in shown]}
    return _said(args, data, [head[status], *(f"  {_line(one)}" for one in shown)])


def remember(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        at = _now(args, omoide)
        about = person_of(omoide, args.about, at)
        account = about if ":" in about else next(iter(sorted(omoide.people.accounts([about]))), "")
        if not account:
            raise BadInput(f"{about} has no account on its card; give one with --about platform:workspace:id")
        saying = Saying(
            " ".join(args.text), account, args.by or account, args.room, at, args.place, args.since, args.until,
            args.supersedes.removeprefix("^"), args.wrong, "", "open" if args.open else "secret" if args.secret else "", args.source,
            "other" if args.claim else "",
        )  # fmt: skip
        kept = omoide.people.remember(saying)
    return _said(args, kept._asdict(), [f"{kept.what} ^{kept.id}  {kept.path}"])


def about(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        at = _now(args, omoide)
        want = frozenset(word for word in ("history", "planned", "pending") if getattr(args, word))
        asking = Asking(" ".join(args.question), args.room or OWNER, at, as_of=args.as_of, want=want, limit=args.limit)
        if args.room and not (":" in args.person or "/" in args.person):
            found = omoide.people.know(asking._replace(name=args.person))
        else:
            found = omoide.people.know(asking._replace(about=person_of(omoide, args.person, at)))
    facts = [
        {"id": told.known.fact.id, "text": told.known.fact.text, "path": told.known.path, "line": told.known.fact.line,
         "mark": told.mark, "state": dict(told.known.fact.meta)} for told in found.facts
    ]  # fmt: skip
    marks = [f"  ({one['mark']})" if one["mark"] else "" for one in facts]
    ids = [f"  ^{one['id']}" if one["id"] else "" for one in facts]
    lines = [f"{one['path']}:{one['line']}  {one['text']}{mark}{key}" for one, mark, key in zip(facts, marks, ids, strict=True)]
    if found.resolved.status in ("ambiguous", "unknown"):
        lines = [f"{args.person}: {found.resolved.status}. `omoide who {args.person} --room {args.room}` lists who may be meant"]
    people = [sorted(ids) for ids in found.resolved.people]
    return _said(args, {"status": found.resolved.status, "people": people, "facts": facts}, lines or ["nothing is known here"])


def card(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        at = _now(args, omoide)
        shown = omoide.people.card(person_of(omoide, args.person, at), args.room or OWNER, at)
    lines = [f"# {' / '.join(shown.names) or shown.person[0]}", *(f"- {known.fact.text}" for known in shown.facts)]
    lines += [f"({shown.over:,} characters more do not fit on the card)"] if shown.over else []
    for label in shown.labels:
        newest = f", newest {label.newest:%Y-%m-%d}" if label.newest else ""
        # an end is the first moment after: the day before it is the last on which the fact holds
        nearest = f", next end {label.nearest_end - timedelta(microseconds=1):%Y-%m-%d}" if label.nearest_end else ""
        lines.append(f"drawer/{label.topic}: {_facts(label.facts)}{newest}{nearest}")
    data = {"person": shown.person, "names": shown.names, "characters": shown.characters, "over": shown.over,
            "facts": [{"id": known.fact.id, "text": known.fact.text} for known in shown.facts],
            "labels": [label._asdict() for label in shown.labels]}  # fmt: skip
    return _said(args, data, lines)


def grep(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        at = _now(args, omoide)
        person = person_of(omoide, args.about, at)
        found = omoide.people.grep(person, args.pattern, args.room or OWNER, at, literal=args.literal, around=args.around)
    lines = [f"{line.path}:{line.number}{':' if line.match else '-'} {line.text}" for line in found]
    return _said(args, [line._asdict() for line in found], lines or ["no line matches"])


def why(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        found = omoide.people.why(args.fact)
    lines = [f"^{found['id']}  {found['text']}", f"  in {found['path']}:{found['line']}"]
    lines += [f"  said {told['at']} by {told['by']} in {told['room'] or 'no room'}" for told in found["tellings"]]
    lines += [f"  {change['at']}  {change['verb']}  {change['change']}" for change in found["changes"]]
    return _said(args, found, lines if found["tellings"] else [*lines, "  written by hand"])


def history(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        records = omoide.people.history(person_of(omoide, args.person, _now(args, omoide)))
    rows = [
        {"change": one.id, "at": one.at, "verb": one.verb, "paths": [edit.path for edit in one.edits], "facts": list(one.facts)}
        for one in records
    ]
    return _said(args, rows, [f"{one.id}  {one.verb:<9} {' '.join('^' + fact for fact in one.facts)}".rstrip() for one in records])


def undo(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        done = omoide.people.undo(args.change, _now(args, omoide))
    return _said(args, done._asdict(), [f"put back: {' '.join(done.paths)}"])


def move(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        person = omoide.people.why(args.fact)["person"]
        done = omoide.people.move(person, args.fact, args.place, _now(args, omoide))
    return _said(args, done._asdict(), [f"^{done.id} is in {done.path}"])


def forget(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        at = _now(args, omoide)
        person = person_of(omoide, args.person, at) if args.person else omoide.people.why(args.fact)["person"] if args.fact else ""
        everything = bool(args.person and not (args.fact or args.source or args.room))
        gone = omoide.people.forget(at, person=person, fact=args.fact, source=args.source, room=args.room, everything=everything)
    return _said(args, {"forgotten": gone}, [f"{_facts(len(gone))} forgotten: {' '.join('^' + key for key in gone)}".rstrip(": ")])


def people(args: argparse.Namespace) -> int:
    words: list[str] = args.words
    with opened(args) as omoide:
        at = _now(args, omoide)
        if args.do == "list":
            return _said(args, [one._asdict() for one in omoide.people.everybody(at)], [_line(one) for one in omoide.people.everybody(at)])
        if len(words) < (1 if args.do == "meet" else 2):
            raise BadInput(f"omoide people {args.do} needs an account and what belongs to it; see omoide people --help")
        if args.do == "meet":
            folder = omoide.people.meet(words[0], *words[1:], at=at, kind=args.kind)
            return _said(args, {"folder": folder}, [folder])
        if args.do == "rename":
            omoide.people.rename(words[0], " ".join(words[1:]), at)
        elif args.do == "unlink":
            omoide.people.unlink(words[0], words[1], at=at)
        elif not omoide.people.link(words[0], words[1], proof=args.proof, at=at):
            print("not linked: likeness is no proof. If both sides have shown it, say --proof", file=sys.stderr)
            return 1
    return _said(args, {"done": args.do}, ["done"])


def rooms(args: argparse.Namespace) -> int:
    words: list[str] = args.words
    with opened(args) as omoide:
        at = _now(args, omoide)
        if args.do == "list":
            known = omoide.people.rooms()
            data = [{"id": room.id, "name": room.name, "type": room.kind, "members": sorted(room.members(at))} for room in known]
            lines = [f"{room.id}  {room.name}  {room.kind}  {' '.join(sorted(room.members(at)))}" for room in known]
            return _said(args, data, lines or ["no rooms"])
        if len(words) < 2:
            raise BadInput(f"omoide rooms {args.do} needs a room and an account; see omoide rooms --help")
        if args.do == "open":
            past = args.past or ("members" if args.type == "channel" else "since_join")
            omoide.people.open_room(Room(words[0], words[1], args.type, past, tuple(Stay(one, at) for one in words[2:])), at)
        else:
            (omoide.people.join if args.do == "join" else omoide.people.leave)(words[0], words[1], at)
    return _said(args, {"done": args.do}, ["done"])


def migrate(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        people = {name.strip(): account.strip() for name, _, account in (one.partition("=") for one in args.person)}
        done = omoide.people.migrate(people, _now(args, omoide), dry=args.dry)
    lines = [f"{'would move' if args.dry else 'moved'} to {one.path}: {one.text}" for one in done.moved]
    lines += [f"undecided ({why}): {text}" for text, why in done.undecided]
    data = {"moved": [one._asdict() for one in done.moved], "undecided": [{"text": text, "why": why} for text, why in done.undecided]}
    return _said(args, data, lines or ["nothing to do"])
