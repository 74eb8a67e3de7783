"""An old memory in one file becomes a folder a person: what is plainly about one of them moves, the rest is listed.

A line belongs to somebody if it stands under a heading that is their name, or begins with it and a colon, or names
them and nobody else. Whose name it is says the caller, or a card that is there already: nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from omoide.api.folks import CARD, Folks
from omoide.errors import BadInput
from omoide.people.accounts import name as checked_name
from omoide.people.names import plain
from omoide.store.facts import Fact, facts_in, lines_of, with_fact, without_fact
from omoide.store.subjects import FOLDERS, new_file

OLD = ("MEMORY.md", "USER.md", "memory.md")
"""Files that hold several people in old memories."""
SHARED = "?"
"""In place of a folder, before a name that several people have."""
SUBJECT = "memory"
"""What is locked while such a file changes."""


class Moved(NamedTuple):
    """A line and the folder it went to."""

    text: str
    path: str


class Migration(NamedTuple):
    """`moved` lines, those `undecided` (they stay where they are), each with why: nobody is named,
    or several are, or one whose name several have."""

    moved: tuple[Moved, ...]
    undecided: tuple[tuple[str, str], ...]


def migrate(folks: Folks, people: Mapping[str, str], at: datetime, *, dry: bool) -> Migration:
    """Move the lines about people out of the old files. `people`: name → account, or "" where none is known.

    `dry`: say what would be done, and do nothing. Run again, it finds nothing more to do. Raises `BadInput` for a
    name that several people have, `StaleWrite` if somebody edits the file meanwhile.
    """
    folders = _folders(folks, people)
    moved: list[Moved] = []
    undecided: list[tuple[str, str]] = []
    for path in OLD:
        for fact, found in _sorted(folks.bytes_of(path) or b"", folders):
            if len(found) == 1 and not any(map(_is_shared, found)):
                moved.append(Moved(fact.text, f"{next(iter(found))}/drawer/memory.md"))
            else:
                undecided.append((fact.text, _why(found)))
        if not dry:
            _move(folks, path, folders, people, at)
    return Migration(tuple(moved), tuple(undecided))


def _why(found: frozenset[str]) -> str:
    """Why a line is nobody's so far."""
    if len(found) > 1:
        return "several people are named"
    return f"several people are called {next(iter(found)).removeprefix(SHARED)}" if found else "nobody is named"


def _is_shared(folder: str) -> bool:
    return folder.startswith(SHARED)


def _folders(folks: Folks, people: Mapping[str, str]) -> dict[str, str]:
    """Plain name → folder: of the people on cards, and of those the caller names. A name that several have leads to no folder: it
    decides nothing by itself, and is somebody's all the same."""
    directory = folks.directory()
    out: dict[str, str] = {}
    new: dict[str, str] = {}  # account or name → the folder it will have
    for person in directory.persons.values():
        home = min(directory.group_of(person.id))
        for name in person.names:
            if out.setdefault(plain(name.text), home) != home:
                out[plain(name.text)] = SHARED + name.text
    for text, account in people.items():
        checked_name(text, "person")
        if account:  # an account decides, whoever else has the name
            account = folks.account(account, f"person {text}")
            known = directory.of_account(account)
            if not known and account not in new:
                new[account] = folks.newcomers_folder("person", text, account, new.values())
            out[plain(text)] = min(known) if known else new[account]
        elif _is_shared(out.get(plain(text), "")):
            raise BadInput(f"{text}: several people here have this name; say which by account: {text}=platform:workspace:id")
        elif plain(text) not in out:
            key = f"name:{plain(text)}"
            out[plain(text)] = new[key] = folks.new_folder(FOLDERS["person"], CARD, text, key, new.values())
    return {name: folder for name, folder in out.items() if len(name) > 1}


def _sorted(data: bytes, folders: Mapping[str, str]) -> list[tuple[Fact, frozenset[str]]]:
    """Each line with the folders it may belong to."""
    lines = lines_of(data)
    out = []
    for fact in facts_in(data):
        heading = next((line.lstrip("#").strip() for line in reversed(lines[: fact.line - 1]) if line.startswith("#")), "")
        owner = folders.get(plain(heading))
        text = plain(fact.text)
        named = frozenset(folder for name, folder in folders.items() if name in text)
        begins = frozenset(folder for name, folder in folders.items() if text.startswith(f"{name}:"))
        out.append((fact, frozenset({owner}) if owner else begins if len(begins) == 1 else named))
    return out


def _move(folks: Folks, path: str, folders: Mapping[str, str], people: Mapping[str, str], at: datetime) -> None:
    """One change a person, each with the old file in it, so that a crash loses no line and doubles none."""
    with folks.door.locked(SUBJECT):
        for folder in sorted({folder for folder in folders.values() if not _is_shared(folder)}):
            before = folks.bytes_of(path)
            mine = [fact for fact, found in _sorted(before or b"", folders) if found == {folder}]
            if before is None or not mine:
                continue
            drawer, card = f"{folder}/drawer/memory.md", f"{folder}/{CARD}"
            old, after = folks.bytes_of(drawer), before
            for fact in sorted(mine, key=lambda fact: -fact.line):
                after = without_fact(after, fact.line)
            new = old or b""
            for fact in mine:
                new = with_fact(new, fact)
            edits: dict[str, tuple[bytes | None, bytes | None]] = {path: (before, after), drawer: (old, new)}
            if folks.bytes_of(card) is None:
                edits[card] = (None, _card(folder, folders, people))
            folks.write(folder, "migrate", at, edits, reason=f"from {path}")


def _card(folder: str, folders: Mapping[str, str], people: Mapping[str, str]) -> bytes:
    names = [name for name in people if folders.get(plain(name)) == folder]
    accounts = [people[name] for name in names if people[name]]
    fields = [("id", folder.rpartition("/")[2]), ("names", names)] + ([("accounts", accounts)] if accounts else [])
    return new_file(fields)
