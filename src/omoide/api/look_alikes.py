"""Names that only look alike: shown with a warning to whoever asks for one of them, and when somebody gets one.

A look joins nobody and answers nothing. It says: this is not who you may think it is.
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime

from omoide.api.folks import Folks
from omoide.api.knowing import OWNER
from omoide.api.looking import Candidate, described
from omoide.errors import LookAlike
from omoide.people.names import looks, plain
from omoide.text.alike import unlike


def alike(folks: Folks, name: str, at: datetime, room: str) -> list[Candidate]:
    """Everybody whose name only looks like this one: in the home (`room` OWNER), or as far as the room may hear of them."""
    return [described(folks, ids, at, room) for ids in folks.directory().alike(name, at, room=None if room == OWNER else room)]


def nearly(folks: Folks, name: str, at: datetime, room: str) -> list[Candidate]:
    """Those whom somebody who typed this may have meant: of the home (`room` OWNER), or of those in the room and nobody else."""
    found = folks.directory().nearly(name, room=None if room == OWNER else room, at=at)
    return [described(folks, ids, at, room) for ids in found]


def letters_apart(name: str, one: Candidate) -> str:
    """The letters in the look-alike names of somebody that are not in this name, with their code points."""
    return "; ".join(filter(None, (unlike(name, other) for other in one.names if looks(other) & looks(name))))


def everybody(folks: Folks, at: datetime, room: str) -> list[Candidate]:
    """All subjects of the home (`room` OWNER) or of a room; each with the folders of those it could be taken for."""
    directory = folks.directory()
    inside = known.members(at) if (known := directory.room(room)) else ()
    shown = sorted(described(folks, ids, at, room) for ids in (directory.everybody() if room == OWNER else directory.subjects_in(inside)))
    same_look: dict[str, list[Candidate]] = defaultdict(list)
    for one in shown:
        for seen in {seen for name in one.names for seen in looks(name)}:
            same_look[seen].append(one)
    return [one._replace(alike=_others(one, same_look)) for one in shown]


def _others(one: Candidate, same_look: dict[str, list[Candidate]]) -> tuple[str, ...]:
    """Folders of those with another name of the same look; of one name itself `who` tells more."""
    mine = set(map(plain, one.names))
    found = {
        other.folders for name in one.names for seen in looks(name) for other in same_look[seen]
        if other.folders != one.folders and mine.isdisjoint(map(plain, other.names))
    }  # fmt: skip
    return tuple(sorted(folder for folders in found for folder in folders))


def warn(folks: Folks, accounts: Iterable[str], at: datetime) -> None:
    """Warn (`LookAlike`) of those in a room with one of these accounts for whom it could be taken. Only what just changed
    is worth a warning, so the caller says for whom."""
    directory = folks.directory()
    for account in accounts:
        mine = sorted(name for one in directory.of_account(account) for name in directory.persons[one].carried(at))
        for ids in directory.taken_for(account, at):
            names = sorted(name for one in ids for name in directory.persons[one].carried(at) if plain(name) not in set(map(plain, mine)))
            pairs = [(own, name) for own in mine for name in names if looks(own) & looks(name)]
            told = "; ".join(f"{own!r} is not {name!r} ({unlike(name, own) or 'written otherwise'})" for own, name in pairs)
            said = f"{account} looks like {', '.join(sorted(ids))}, who is in the same room and somebody else: {told}"
            warnings.warn(LookAlike(said), stacklevel=4)
