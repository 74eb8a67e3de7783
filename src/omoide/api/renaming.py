"""Folders that a hand renamed: which name they had, and their history under the one they have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from contextlib import suppress

from omoide.errors import StoreFailed
from omoide.people.directory import Person
from omoide.store.door import Door, Record
from omoide.store.markdown import front_matter
from omoide.store.subjects import room_of


def renamed(persons: Iterable[Person]) -> dict[str, str]:
    """Folder → the id it had before a hand renamed it, as its card still says. A copy of a folder that is there is none."""
    persons = list(persons)
    said = Counter(person.card_id for person in persons)
    there = {person.id for person in persons}
    return {one.id: one.card_id for one in persons if said[one.card_id] == 1 and one.card_id not in there and not one.card_id.endswith("/")}


def left_behind(door: Door, room: str, there: Collection[str], file: str) -> str:
    """The name that the folder of a room had: its `file` does not say, but a history lies there without its folder, and speaks
    of this room. "" if there is none, or more than one."""
    gone = [one for one in door.subjects() if one.startswith("rooms/") and one not in there]
    left = [one for one in gone if _room_in(door, one, f"{one}/{file}") == room]
    return left[0] if len(left) == 1 else ""


def _room_in(door: Door, folder: str, path: str) -> str:
    """The id of the room whose file a history speaks of last."""
    with suppress(StoreFailed):  # a damaged one stays where it is: nothing is lost
        data = [edit.after for record in door.records(folder) for edit in record.edits if edit.path == path and edit.after]
        room = room_of(front_matter(data[-1].decode("utf-8-sig", "replace")), data[-1]) if data else None
        return room.id if room else ""
    return ""


def under(record: Record, was: str, now: str) -> Record:
    """A record of a folder as one of the same folder under another name."""

    def path(old: str) -> str:
        return now + old.removeprefix(was) if old.startswith(was + "/") else old

    edits = tuple(edit._replace(path=path(edit.path)) for edit in record.edits)
    return record._replace(subject=now, edits=edits, left=tuple(map(path, record.left)))
