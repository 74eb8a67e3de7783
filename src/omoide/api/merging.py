"""Two folders become one person, and two again. Each card names the other, nothing is moved, and each side has the
change in its history: so parting gives every byte and every fact back.

`link` joins accounts that have proved to be one person; `merge` is the owner's own hand. Both are taken back by `split`
(of folders) or `unlink` (of accounts).
"""

from __future__ import annotations

from contextlib import ExitStack
from datetime import datetime

from omoide.api.folks import CARD, Folks
from omoide.errors import BadInput
from omoide.people.accounts import nfc
from omoide.store.subjects import with_field


def merge(folks: Folks, one: str, other: str, at: datetime, reason: str) -> tuple[str, ...]:
    """Join two people, given by account or folder. Gives the folders of the one they are now; where they are one already
    nothing is done. Raises `BadInput`."""
    pair = _pair(folks, one, other)
    if pair[1] in folks.directory().group_of(pair[0]):
        return tuple(sorted(folks.directory().group_of(pair[0])))
    return tie(folks, pair, at, "merge", reason)


def split(folks: Folks, one: str, other: str, at: datetime, reason: str) -> tuple[str, ...]:
    """Part two folders that were merged or linked. Gives the folders that are still one with the first. Raises `BadInput`."""
    pair, directory = _pair(folks, one, other), folks.directory()
    if pair[0] == pair[1]:
        raise BadInput(f"{one} and {other} stand on one card; take one off {pair[0]}/{CARD} by hand to part them")
    if not _names_other(folks, pair):
        between = sorted(directory.group_of(pair[0]) - set(pair)) if pair[1] in directory.group_of(pair[0]) else []
        through = f"; they are one person through {' and '.join(between)}: split them from there" if between else ""
        raise BadInput(f"{pair[0]} and {pair[1]} were not joined with each other{through}")
    return tie(folks, pair, at, "split", reason)


def link(folks: Folks, one: str, other: str, at: datetime) -> bool:
    """Tie the folders of two accounts. False if they are tied, or stand on one card, already. Raises `BadInput`."""
    pair, persons = _pair(folks, one, other), folks.directory().persons
    if pair[0] == pair[1] or (pair[1] in persons[pair[0]].same and pair[0] in persons[pair[1]].same):
        return False
    tie(folks, pair, at, "link", "")
    return True


def unlink(folks: Folks, one: str, other: str, at: datetime) -> bool:
    """Untie the folders of two accounts. False if they are not tied with each other. Raises `BadInput`."""
    pair = _pair(folks, one, other)
    if not _names_other(folks, pair):
        return False
    tie(folks, pair, at, "unlink", "")
    return True


def tie(folks: Folks, pair: tuple[str, str], at: datetime, verb: str, reason: str) -> tuple[str, ...]:
    """Write each folder's id on the card of the other (`merge`, `link`), or take it off. Half of it counts for nothing."""
    with ExitStack() as locks:
        locks.enter_context(folks.one_change(at))
        for person in sorted(pair):
            locks.enter_context(folks.door.locked(person))
        for person, friend in (pair, pair[::-1]):
            same = folks.directory().persons[person].same
            wanted = same | {friend} if verb in ("link", "merge") else same - {friend}
            if wanted != same:
                path = f"{person}/{CARD}"
                before = folks.bytes_of(path)
                after = with_field(before or b"", "same", sorted(wanted))
                folks.write(person, verb, at, {path: (before, after)}, reason=reason)
    return tuple(sorted(folks.directory().group_of(pair[0])))


def _names_other(folks: Folks, pair: tuple[str, str]) -> bool:
    return any(friend in folks.directory().persons[person].same for person, friend in (pair, pair[::-1]))


def _pair(folks: Folks, one: str, other: str) -> tuple[str, str]:
    pair = folks.known(one), folks.known(other)
    if nfc(one) == nfc(other):
        raise BadInput(f"{one} is named twice; it takes two to be joined or parted")
    kinds = [folks.directory().persons[person].kind for person in pair]
    if kinds[0] != kinds[1]:
        raise BadInput(f"{pair[0]} is a {kinds[0]} and {pair[1]} a {kinds[1]}; they cannot be one")
    return pair
