"""Whose folder speaks of something, told by a look at bytes: a home has hundreds of people, and most know nothing of it.

Nothing is kept of such a look, so nothing can be out of date. Whoever is found is then read and asked.
"""

from __future__ import annotations

from omoide.api.folks import Folks
from omoide.store import files
from omoide.store.files import Problem
from omoide.store.subjects import FOLDERS


def holding(folks: Folks, word: str) -> list[str]:
    """Folders of people whose notes or history may hold a word, sorted. "" is in all of them."""
    with folks.looking():
        inside = set(folks.door.holding([word]))
        persons = folks.directory().persons
        found = {person for person in persons if person in inside or folks.was_called(person) in inside}
        return sorted(found | (_noted(folks, word.encode("utf-8", "replace")) & persons.keys()))


def people_holding(folks: Folks, word: str) -> list[frozenset[str]]:
    """The same, each with all folders of that person."""
    with folks.looking():
        return sorted({folks.directory().group_of(one) for one in holding(folks, word)}, key=sorted)


def _noted(folks: Folks, word: bytes) -> set[str]:
    """Folders with such a word in a note, or with something that cannot be read: whoever reads that says what is the matter."""
    found: set[str] = set()
    for kind in FOLDERS.values():
        seen = files.walk(folks.root, below=kind)
        found |= {_folder(problem.path) for problem in seen.problems}
        for note in seen.found:
            if (folder := _folder(note.path)) not in found:
                data = files.read(folks.root, note.path)
                found |= {folder} if isinstance(data, Problem) or word in data else set()
    return found


def _folder(path: str) -> str:
    return "/".join(path.split("/")[:2])
