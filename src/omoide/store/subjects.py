"""The folders of people and rooms: what their front matter says, and how one field of it is changed."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import blake2b
from typing import NamedTuple

from omoide.people.accounts import nfc
from omoide.people.directory import Name, Person
from omoide.people.rooms import KINDS, Room, Stay, usual_history
from omoide.store.check_text import encoded
from omoide.store.facts import facts_in
from omoide.store.markdown import FrontMatter
from omoide.text.when import BEGINNING, FOREVER, period

FOLDERS = {"person": "people", "project": "projects", "team": "teams", "agent": "agents"}
"""Kind of a subject → the folder its folders lie in."""


class Span(NamedTuple):
    """From when (included) until when (not included) something was so."""

    since: datetime = BEGINNING
    until: datetime = FOREVER


NUMBERS = (4, 8, 16, 32)
"""Bytes of the number in a folder's name. The short one is nearly always free; who finds it taken by another key takes more."""


def folder_name(display: str, key: str, size: int = NUMBERS[0]) -> str:
    """Name of a new folder: a slug for the eye, and a number that the key (an account) alone decides.

    Only small letters, digits and `-`, in NFC: one name on every disk, also where letter case or normal form count for nothing.
    """
    text = unicodedata.normalize("NFKC", display).casefold()
    slug = unicodedata.normalize("NFC", "-".join(re.findall(r"[^\W_]+", text)))
    slug = slug[:40].encode()[:80].decode("utf-8", "ignore").strip("-")
    number = blake2b(nfc(key).encode("utf-8", "surrogatepass"), digest_size=size).hexdigest()
    return f"{slug}-{number}" if slug else number


def person_of(place: str, front: FrontMatter) -> Person:
    """The person whose card lies in `place` (`people/sato-7f3a`)."""
    kind = next((kind for kind, folder in FOLDERS.items() if place.startswith(folder + "/")), "person")
    names = tuple(Name(text, *span) for text, span in map(_timed, front.texts("names", "name")))
    same = frozenset(text if "/" in text else f"{FOLDERS[kind]}/{text}" for text in front.texts("same"))
    card_id = f"{FOLDERS[kind]}/{(front.texts('id') or ('',))[0]}"
    return Person(place, tuple(map(nfc, front.texts("accounts", "account"))), names, same, kind, front.texts("bot") == ("true",), card_id)


def room_of(front: FrontMatter, body: bytes) -> Room | None:
    """The room whose `room.md` this is; None without an id."""
    known = front.texts("id")
    if not known:
        return None
    kind = (front.texts("type") or ("group",))[0]
    kind = kind if kind in KINDS else "group"
    history = (front.texts("history") or (usual_history(kind),))[0]
    stays = [Stay(nfc(fact.text), *_span(fact.meta)) for fact in facts_in(body)]
    return Room(nfc(known[0]), (front.texts("name") or ("",))[0], kind, history, tuple(stays))


def _timed(text: str) -> tuple[str, Span]:
    """A name with its period: `Ken (since 2026-04-20)`."""
    found = _PERIOD.fullmatch(text)
    if found:
        times = dict(part.strip().split(" ", 1) for part in found[2].split(";"))
        with suppress(ValueError):  # no date: it is a part of the name
            return found[1], _span(times)
    return text, Span()


_PERIOD = re.compile(r"(.*\S)[ \t]*\(((?:since|until) [^();]+(?:;[ \t]*(?:since|until) [^();]+)?)\)", re.DOTALL)


def _span(times: Mapping[str, str]) -> Span:
    since, until = times.get("since"), times.get("until")
    return Span(period(since, UTC).first if since else BEGINNING, period(until, UTC).after if until else FOREVER)


def timed(text: str, since: datetime | None, until: datetime | None) -> str:
    """The way back: a text with the time it holds for. A text that itself ends like one is given the beginning of time."""
    if not (since or until) and (_timed(text)[0] != text or facts_in(f"- {text}".encode("utf-8", "replace"))[0].meta):
        since = BEGINNING
    parts = [f"{key} {moment.isoformat()}" for key, moment in (("since", since), ("until", until)) if moment]
    return f"{text} ({'; '.join(parts)})" if parts else text


def new_file(fields: Sequence[tuple[str, str | Sequence[str]]]) -> bytes:
    """A file with nothing but front matter."""
    return b"---\n" + b"".join(_field(key, value, b"\n") for key, value in fields) + b"---\n\n"


def with_field(data: bytes, key: str, value: str | Sequence[str]) -> bytes:
    """The file with one field of its front matter changed or added, or with an empty list taken out; every other byte stays."""
    lines = data.splitlines(True)
    if not lines or lines[0].rstrip() not in (b"---", b"\xef\xbb\xbf---"):
        if not value:
            return data
        return b"---\n" + _field(key, value, b"\n") + b"---\n\n" + data
    end = lines[0][len(lines[0].rstrip()) :] or b"\n"
    close = next((at for at, line in enumerate(lines[1:], 1) if line.rstrip() in (b"---", b"...")), len(lines))
    start = next((at for at in range(1, close) if re.match(rb"%s[ \t]*:" % re.escape(key.encode()), lines[at])), close)
    stop = start + 1 if start < close else start
    while start < close and stop < close and lines[stop][:1] in (b" ", b"\t", b"-"):
        stop += 1
    if not value and (start, stop, close) == (1, 2, 2) and lines[:1] + lines[2:4] == [b"---\n", b"---\n", b"\n"]:
        return b"".join(lines[4:])  # the front matter that was made for this field
    return b"".join([*lines[:start], *([_field(key, value, end)] if value else []), *lines[stop:]])


def _field(key: str, value: str | Sequence[str], end: bytes) -> bytes:
    text = _quoted(value) if isinstance(value, str) else f"[{', '.join(map(_quoted, value))}]"
    return encoded(f"{key}: {text}", key) + end


def _quoted(text: str) -> str:
    plain = re.fullmatch(r"[^\s\[\]{}\"'#,&*!|>%@`?-][^\[\]{}\"'#,]*", text) and text == text.strip() and ": " not in text
    return text if plain else json.dumps(text, ensure_ascii=False)


def unique(texts: Iterable[str]) -> tuple[str, ...]:
    """Without doubles, in order."""
    return tuple(dict.fromkeys(texts))
