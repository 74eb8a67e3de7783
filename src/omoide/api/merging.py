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
from omoide.people.directory import Directory
from omoide.store.subjects import with_field


def merge(folks: Folks, one: str, other: str, at: datetime, reason: str) -> tuple[str, ...]:
    """Join two people, given by account or folder. Gives the folders of the one they are now. Raises `BadInput`."""
    pair = _pair(folks, one, other)
    if pair[1] in folks.directory().group_of(pair[0]):
        raise BadInput(f"{pair[0]} and {pair[1]} are one person already")
    return tie(folks, pair, at, "merge", reason)


def split(folks: Folks, one: str, other: str, at: datetime, reason: str) -> tuple[str, ...]:
    """Part two folders that were merged or linked. Gives the folders that are still one with the first. Raises `BadInput`."""
    pair = _pair(folks, one, other)
    if not any(friend in folks.directory().persons[person].same for person, friend in (pair, pair[::-1])):
        between = sorted(folks.directory().group_of(pair[0]) - set(pair)) if pair[1] in folks.directory().group_of(pair[0]) else []
        through = f"; they are one person through {' and '.join(between)}: split them from there" if between else ""
        raise BadInput(f"{pair[0]} and {pair[1]} were not joined with each other{through}")
    return tie(folks, pair, at, "split", reason)


def link(folks: Folks, one: str, other: str, at: datetime, *, joined: bool) -> None:
    """Tie the folders of two accounts, met now if they never were, or untie them."""
    pair = folks.meet(one, (), at), folks.meet(other, (), at)
    _check(folks.directory(), pair, one, other)
    tie(folks, pair, at, "link" if joined else "unlink", "")


def tie(folks: Folks, pair: tuple[str, str], at: datetime, verb: str, reason: str) -> tuple[str, ...]:
    """Write each folder's id on the card of the other (`merge`, `link`), or take it off. Half of it counts for nothing."""
    with ExitStack() as locks:
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


def _pair(folks: Folks, one: str, other: str) -> tuple[str, str]:
    folks.group(one), folks.group(other)  # says who is not known
    pair = folks.directory().folder_of(one), folks.directory().folder_of(other)
    _check(folks.directory(), pair, one, other)
    return pair


def _check(directory: Directory, pair: tuple[str, str], one: str, other: str) -> None:
    if pair[0] == pair[1]:
        raise BadInput(f"{one} and {other} stand on one card; take one off {pair[0]}/{CARD} by hand to part them")
    kinds = [directory.persons[person].kind for person in pair]
    if kinds[0] != kinds[1]:
        raise BadInput(f"{pair[0]} is a {kinds[0]} and {pair[1]} a {kinds[1]}; they cannot be one")
