"""The folders of people and rooms: what their front matter says, and how one field of it is changed."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from hashlib import blake2b
from typing import NamedTuple

from omoide.people.directory import Name, Person
from omoide.people.rooms import KINDS, Room, Stay, usual_history
from omoide.store.facts import Fact, facts_in
from omoide.store.markdown import FrontMatter
from omoide.text.when import BEGINNING, FOREVER, period

FOLDERS = {"person": "people", "project": "projects", "team": "teams", "agent": "agents"}
"""Kind of a subject → the folder its folders lie in."""


class Span(NamedTuple):
    """From when (included) until when (not included) something was so."""

    since: datetime = BEGINNING
    until: datetime = FOREVER


def folder_name(display: str, key: str) -> str:
    """Name of a new folder: a slug for the eye, and a number that the key (an account) alone decides."""
    text = unicodedata.normalize("NFKC", display).casefold()
    slug = "-".join(re.findall(r"[^\W_]+", text))[:40].strip("-").encode()[:80].decode("utf-8", "ignore")
    number = blake2b(key.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return f"{slug}-{number}" if slug else number


def person_of(place: str, front: FrontMatter) -> Person:
    """The person whose card lies in `place` (`people/sato-7f3a`)."""
    kind = next((kind for kind, folder in FOLDERS.items() if place.startswith(folder + "/")), "person")
    names = tuple(Name(text, *span) for text, span in map(_timed, front.texts("names", "name")))
    same = frozenset(text if "/" in text else f"{FOLDERS[kind]}/{text}" for text in front.texts("same"))
    return Person(place, front.texts("accounts", "account"), names, same, kind, front.texts("bot") == ("true",))


def room_of(front: FrontMatter, body: bytes) -> Room | None:
    """The room whose `room.md` this is; None without an id."""
    known = front.texts("id")
    if not known:
        return None
    kind = (front.texts("type") or ("group",))[0]
    kind = kind if kind in KINDS else "group"
    history = (front.texts("history") or (usual_history(kind),))[0]
    stays = [Stay(fact.text, *_span(fact)) for fact in facts_in(body)]
    return Room(known[0], (front.texts("name") or ("",))[0], kind, history, tuple(stays))


def _timed(text: str) -> tuple[str, Span]:
    """A name with its period: `Ken (since 2026-04-20)`."""
    fact = facts_in(f"- {text}".encode())[0]
    return (fact.text, _span(fact)) if set(fact.meta) <= {"since", "until"} else (text, Span())


def _span(fact: Fact) -> Span:
    since, until = fact.meta.get("since"), fact.meta.get("until")
    return Span(period(since, UTC).first if since else BEGINNING, period(until, UTC).after if until else FOREVER)


def timed(text: str, since: datetime | None, until: datetime | None) -> str:
    """The way back: a text with the time it holds for."""
    parts = [f"{key} {moment.isoformat()}" for key, moment in (("since", since), ("until", until)) if moment]
    return f"{text} ({'; '.join(parts)})" if parts else text


def new_file(fields: Sequence[tuple[str, str | Sequence[str]]]) -> bytes:
    """A file with nothing but front matter."""
    return b"---\n" + b"".join(_field(key, value, b"\n") for key, value in fields) + b"---\n\n"


def with_field(data: bytes, key: str, value: str | Sequence[str]) -> bytes:
    """The file with one field of its front matter changed or added; every other byte stays."""
    lines = data.splitlines(True)
    if not lines or lines[0].rstrip() not in (b"---", b"\xef\xbb\xbf---"):
        return b"---\n" + _field(key, value, b"\n") + b"---\n\n" + data
    end = lines[0][len(lines[0].rstrip()) :] or b"\n"
    close = next((at for at, line in enumerate(lines[1:], 1) if line.rstrip() in (b"---", b"...")), len(lines))
    start = next((at for at in range(1, close) if re.match(rb"%s[ \t]*:" % re.escape(key.encode()), lines[at])), close)
    stop = start + 1 if start < close else start
    while start < close and stop < close and lines[stop][:1] in (b" ", b"\t", b"-"):
        stop += 1
    return b"".join([*lines[:start], _field(key, value, end), *lines[stop:]])


def _field(key: str, value: str | Sequence[str], end: bytes) -> bytes:
    text = _quoted(value) if isinstance(value, str) else f"[{', '.join(map(_quoted, value))}]"
    return f"{key}: {text}".encode() + end


def _quoted(text: str) -> str:
    plain = re.fullmatch(r"[^\s\[\]{}\"'#,&*!|>%@`?-][^\[\]{}\"'#,]*", text) and text == text.strip() and ": " not in text
    return text if plain else json.dumps(text, ensure_ascii=False)


def unique(texts: Iterable[str]) -> tuple[str, ...]:
    """Without doubles, in order."""
    return tuple(dict.fromkeys(texts))
