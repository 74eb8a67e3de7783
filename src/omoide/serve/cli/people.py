"""Commands about people and rooms. The one who types them is the owner of the home."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from typing import Any

from omoide.api.omoide import Omoide
from omoide.api.people import OWNER, Asking, Candidate, Card, Room, Saying, Stay, letters_apart, usual_history
from omoide.api.times import days
from omoide.errors import BadInput, LookAlike
from omoide.serve.cli import said
from omoide.serve.cli.find import now_of, opened
from omoide.serve.cli.printing import answer


def _is_account(omoide: Omoide, typed: str) -> bool:
    """Whether it is a known account or folder. Known ones first: a name written like an account takes nobody's place."""
    with suppress(BadInput):
        return bool(omoide.people.folders(typed))
    return False


def person_of(omoide: Omoide, typed: str, at: datetime, room: str = OWNER) -> str:
    """The one folder that a name (as a room means it), an account or a folder means. Raises `BadInput` that lists the candidates."""
    if _is_account(omoide, typed):
        return typed
    found = omoide.people.candidates(typed, at, room)
    if len(found) == 1:
        return found[0].folders[0]
    if not found and (":" in typed or "/" in typed):
        return typed  # an account nobody has met so far
    if not found:
        alike = "".join(f"\n  {_line(one)}" for one in omoide.people.alike(typed, at, room))
        who = "omoide who" if room == OWNER else f"omoide who --room {room}"
        raise BadInput(f"nobody here is called {typed}. `{who}` lists everybody" + (f". {_ALIKE}:{alike}" if alike else ""))
    shown = "\n".join(f"  {_line(one)}" for one in found)
    raise BadInput(f"{typed} may be {len(found)} people; name one by account or folder:\n{shown}")


def _line(one: Candidate) -> str:
    rooms = f"  in {', '.join(one.rooms)}" if one.rooms else "  in no room"
    newest = f", newest {one.newest:%Y-%m-%d}" if one.newest else ""
    former = "  (a former name)" if one.former else f"  (careful: looks like {', '.join(one.alike)})" if one.alike else ""
    return f"{' + '.join(one.folders)}  {' / '.join(one.names)}  {' '.join(one.accounts)}{rooms}  {_facts(one.facts)}{newest}{former}"


_ALIKE = "careful, somebody else: the name only looks like it, and is never taken for it"


def _alike(typed: str, found: Sequence[Candidate]) -> list[str]:
    """The warning about look-alikes, with the letters the eye cannot tell apart."""
    letters = [letters_apart(typed, one) for one in found]
    rows = [f"  {_line(one)}{f'  (other letters: {apart})' if apart else ''}" for one, apart in zip(found, letters, strict=True)]
    return [f"{_ALIKE}:", *rows] if rows else []


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


def _room(omoide: Omoide, typed: str) -> str:
    """The room of a command, or its owner; a room that nobody made is named on the error output."""
    if typed and all(room.id != typed for room in omoide.people.rooms()):
        print(f"(no room {typed} is known, so nothing is told there; `omoide rooms` lists them, and open makes one)", file=sys.stderr)
    return typed or OWNER


def _facts(count: int) -> str:
    return f"{count} fact{'' if count == 1 else 's'}"


def who(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        at, name, room = now_of(args, omoide), " ".join(args.name), _room(omoide, args.room)
        shown = omoide.people.candidates(name, at, room) if name else omoide.people.everybody(at, room)
        alike = omoide.people.alike(name, at, room) if name else []
        status = "unknown" if not shown else "one" if len(shown) == 1 else "ambiguous" if name else "everybody"
    head = {"one": "one person", "ambiguous": f"{len(shown)} people may be meant", "unknown": "nobody", "everybody": f"{len(shown)} people"}
    data = {"status": status, "people": [one._asdict() for one in shown], "alike": [one._asdict() for one in alike]}
    return answer(args, data, [head[status], *(f"  {_line(one)}" for one in shown), *_alike(name, alike)])


def remember(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        at = now_of(args, omoide)
        account = _account(omoide, args.about, at) if args.about else ""
        _room(omoide, args.room)
        if dates := not (args.since or args.until or args.each) and said.meant(days(" ".join(args.text), at)):
            print(f"(its words name a date{dates}; nothing ends by that: say --until, or --each to have the words read)", file=sys.stderr)
        saying = Saying(
            " ".join(args.text), account, args.by or account, args.room, at, args.place, args.since, args.until,
            args.supersedes.removeprefix("^"), args.wrong, "", "open" if args.open else "secret" if args.secret else "", args.source,
            "other" if args.claim else "", args.kind, args.because, args.session, args.message, args.call,
        )  # fmt: skip
        kept = omoide.people.hear_each(saying) if args.each else [omoide.people.remember(saying)]
        if args.by and account and not (args.each or args.claim or args.by in omoide.people.accounts(omoide.people.folders(account))):
            print(f"({args.by} is somebody else: kept as a fact, as you say; with --claim it waits in `omoide review`)", file=sys.stderr)
    lines = [f"{one.what} ^{one.id}  {one.path}{f'  ({one.because})' if one.because else ''}" for one in kept]
    return answer(args, [one._asdict() for one in kept] if args.each else kept[0]._asdict(), lines)


def _account(omoide: Omoide, typed: str, at: datetime) -> str:
    about = person_of(omoide, typed, at)
    account = about if ":" in about else next(iter(sorted(omoide.people.accounts([about]))), "")
    if not account:
        raise BadInput(f"{about} has no account on its card; give one with --about platform:workspace:id")
    return account


def about(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        at = now_of(args, omoide)
        want = frozenset(word for word in ("history", "planned", "pending") if getattr(args, word))
        asking = Asking(" ".join(args.question), _room(omoide, args.room), at, as_of=args.as_of, want=want, limit=args.limit)
        if args.room and not _is_account(omoide, args.person):
            found = omoide.people.know(asking._replace(name=args.person))
        else:
            person = person_of(omoide, args.person, at)
            found = omoide.people.know(asking._replace(about=person if args.room else omoide.people.folders(person)[0]))
    facts = [
        {"id": told.known.fact.id, "text": told.known.fact.text, "path": told.known.path, "line": told.known.fact.line,
         "mark": told.mark, "state": dict(told.known.fact.meta),
         "dates": [{"words": date.words, "first": date.day, "last": date.last} for date in told.dates]} for told in found.facts
    ]  # fmt: skip
    marks = [said.meant(told.dates) + (f"  ({told.mark})" if told.mark else "") for told in found.facts]
    ids = [f"  ^{one['id']}" if one["id"] else "" for one in facts]
    lines = [f"{one['path']}:{one['line']}  {one['text']}{mark}{key}" for one, mark, key in zip(facts, marks, ids, strict=True)]
    if found.resolved.status == "ambiguous":
        lines = [f"{args.person} may be several people here; `omoide who {args.person} --room {args.room}` lists them"]
    elif found.resolved.status == "unknown":
        lines = [f"nobody here is known as {args.person}; `omoide who --room {args.room}` lists everybody"]
    people = [sorted(ids) for ids in found.resolved.people]
    return answer(args, {"status": found.resolved.status, "people": people, "facts": facts}, lines or ["nothing is known here"])


def card(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        at = now_of(args, omoide)
        if args.person:
            room = _room(omoide, args.room)
            shown = [omoide.people.card(person_of(omoide, args.person, at, room), room, at)]
        elif args.room:
            shown = omoide.people.cards(_room(omoide, args.room), at)
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
        yield f"drawer/{label.topic}: {_facts(label.facts)}{newest}{nearest}"


def grep(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        at = now_of(args, omoide)
        room = _room(omoide, args.room)
        person = person_of(omoide, args.about, at, room)
        found = omoide.people.grep(person, args.pattern, room, at, literal=args.literal, around=args.around)
    lines = [f"{line.path}:{line.number}{':' if line.match else '-'} {line.text}" for line in found]
    return answer(args, [line._asdict() for line in found], lines or ["no line matches"])


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
    return answer(args, rows, [f"{one.id}  {one.verb:<9} {' '.join('^' + fact for fact in one.facts)}".rstrip() for one in records])


def undo(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        change, fact = ("", args.change) if args.change.startswith("^") else (args.change, args.fact)
        done = omoide.people.undo(change, now_of(args, omoide), args.reason, fact)
    return answer(args, done._asdict(), [f"put back: {' '.join(done.paths or [f'^{key}' for key in done.facts])}"])


def move(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        person = omoide.people.why(args.fact)["person"]
        done = omoide.people.move(person, args.fact, args.place, now_of(args, omoide), args.because)
    return answer(args, done._asdict(), [f"^{done.id} is in {done.path}"])


def forget(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        at = now_of(args, omoide)
        person = person_of(omoide, args.person, at) if args.person else omoide.people.why(args.fact)["person"] if args.fact else ""
        everything = bool(args.person and not (args.fact or args.source or args.room))
        gone = omoide.people.forget(at, person=person, fact=args.fact, source=args.source, room=args.room, everything=everything)
    whole = f", and all else of {args.person}" if everything else ""
    return answer(args, {"forgotten": gone}, [f"{_facts(len(gone))} forgotten: {' '.join('^' + key for key in gone)}".rstrip(": ") + whole])


def people(args: argparse.Namespace) -> int:
    words: list[str] = args.words
    with opened(args) as omoide:
        at = now_of(args, omoide)
        if args.do == "list":
            everybody = omoide.people.everybody(at)
            return answer(args, [one._asdict() for one in everybody], [_line(one) for one in everybody] or ["nobody so far"])
        if len(words) < (1 if args.do == "meet" else 2):
            raise BadInput(f"omoide people {args.do} needs an account and what belongs to it; see omoide people --help")
        with _warned() as careful:
            data, lines = _changed(omoide, args, words, at)
    return answer(args, {**data, "careful": careful}, lines) if lines else 1


def _changed(omoide: Omoide, args: argparse.Namespace, words: list[str], at: datetime) -> tuple[dict[str, Any], list[str]]:
    """Carry out one word of `omoide people`. Without lines nothing was done."""
    if args.do == "meet":
        folder = omoide.people.meet(words[0], *words[1:], at=at, kind=args.kind, bot=args.bot)
        return {"folder": folder}, [folder]
    if args.do in ("merge", "split"):
        pair = [person_of(omoide, word, at) for word in words[:2]]
        together = (omoide.people.merge if args.do == "merge" else omoide.people.split)(*pair, at=at, reason=args.reason)
        back = f"`omoide people {'split' if args.do == 'merge' else 'merge'} {pair[0]} {pair[1]}` takes it back"
        return {"done": args.do, "folders": together}, [f"{' + '.join(together)}  ({back})"]
    if args.do == "rename":
        omoide.people.rename(words[0], " ".join(words[1:]), at)
    elif args.do == "unlink":
        omoide.people.unlink(words[0], words[1], at=at)
    elif not omoide.people.link(words[0], words[1], proof=args.proof, at=at):
        print("not linked: likeness is no proof. If both sides have shown it, say --proof", file=sys.stderr)
        return {}, []
    return {"done": args.do}, ["done"]


def rooms(args: argparse.Namespace) -> int:
    words: list[str] = args.words
    with opened(args) as omoide:
        at = now_of(args, omoide)
        if args.do == "list":
            known = omoide.people.rooms()
            data = [{"id": room.id, "name": room.name, "type": room.kind, "members": sorted(room.members(at))} for room in known]
            lines = [f"{room.id}  {room.name}  {room.kind}  {' '.join(sorted(room.members(at)))}" for room in known]
            return answer(args, data, lines or ["no rooms"])
        if args.do in ("say", "log"):
            _room(omoide, args.reading)
            return answer(args, *said.done(args, omoide, at))
        if len(words) < 2:
            raise BadInput(f"omoide rooms {args.do} needs a room and an account; see omoide rooms --help")
        with _warned() as careful:
            _come_or_go(omoide, args, words, at)
    return answer(args, {"done": args.do, "careful": careful}, ["done"])


def _come_or_go(omoide: Omoide, args: argparse.Namespace, words: list[str], at: datetime) -> None:
    if args.do == "open":
        known = next((room for room in omoide.people.rooms() if room.id == words[0]), None)
        if known and (new := [one for one in words[2:] if one not in known.members(at)]):
            raise BadInput(f"room {known.id} is there already; `omoide rooms join {known.id} ACCOUNT` lets {' and '.join(new)} in")
        past = args.past or usual_history(args.type)
        omoide.people.open_room(Room(words[0], words[1], args.type, past, tuple(Stay(one, at) for one in words[2:])), at)
    else:
        (omoide.people.join if args.do == "join" else omoide.people.leave)(words[0], words[1], at)


def migrate(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        people = {name.strip(): account.strip() for name, _, account in (one.partition("=") for one in args.person)}
        done = omoide.people.migrate(people, now_of(args, omoide), dry=args.dry)
    lines = [f"{'would move' if args.dry else 'moved'} to {one.path}: {one.text}" for one in done.moved]
    lines += [f"undecided ({why}): {text}" for text, why in done.undecided]
    data = {"moved": [one._asdict() for one in done.moved], "undecided": [{"text": text, "why": why} for text, why in done.undecided]}
    return answer(args, data, lines or ["nothing to do"])
