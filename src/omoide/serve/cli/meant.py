"""Whom and which room the words of a command mean. One person, one account, one room; or an error that lists the candidates."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from difflib import get_close_matches

from omoide.api.omoide import Omoide
from omoide.api.people import OWNER, Candidate, letters_apart
from omoide.errors import BadInput

ALIKE = "careful, somebody else: the name only looks like it, and is never taken for it"


def person_of(omoide: Omoide, typed: str, at: datetime, room: str = OWNER) -> str:
    """The one folder that a name (as a room means it), an account or a folder means. Raises `BadInput` that lists the candidates.

    Known accounts and folders first: a name written like an account takes nobody's place.
    """
    if is_known(omoide, typed):
        return typed
    found = omoide.people.candidates(typed, at, room)
    if len(found) == 1:
        return found[0].folders[0]
    if found:
        shown = "\n".join(f"  {line(one)}" for one in found)
        raise BadInput(f"{typed} may be {len(found)} people; name one by account or folder:\n{shown}")
    alike = omoide.people.alike(typed, at, room)
    near = [one for one in omoide.people.nearly(typed, at, room) if one not in alike]
    raise BadInput("\n".join((_unknown(typed, room), *alike_lines(typed, alike), *near_lines(near))))


def account_of(omoide: Omoide, typed: str, at: datetime, *, met: bool = False) -> str:
    """An account (`met`: only a known one), or the only one of the person that a name or a folder means. Raises as `person_of`."""
    if ":" in typed and (is_known(omoide, typed) or not (met or omoide.people.candidates(typed, at))):
        return typed
    person = person_of(omoide, typed, at)
    accounts = sorted(omoide.people.accounts(omoide.people.folders(person)))
    if len(accounts) == 1:
        return accounts[0]
    rest = f"{typed} has {len(accounts)} accounts; name one: {' '.join(accounts)}"
    raise BadInput(rest if accounts else f"{person} has no account on its card; name one, platform:workspace:id")


def is_known(omoide: Omoide, typed: str) -> bool:
    """Whether it is a known account or folder."""
    with suppress(BadInput):
        return bool(omoide.people.folders(typed))
    return False


@contextmanager
def strangers(omoide: Omoide, accounts: Iterable[str], at: datetime, what: str) -> Iterator[None]:
    """Around a change: accounts that nobody was met by before are named on the error output when it is done, each with those it
    may be a slip for."""
    new = [account for account in accounts if not is_known(omoide, account)]
    yield
    for account in new:
        near = ", ".join(" ".join(one.accounts) for one in omoide.people.nearly(account, at) if account not in one.accounts)
        print(f"(nobody was met as {account} before: {what}{'. Nearly the same: ' + near if near else ''})", file=sys.stderr)


def room_of(omoide: Omoide, typed: str | None) -> str:
    """The room of a command, by its id; its owner where none is named. Raises `BadInput` that names rooms it may be a slip for."""
    rooms = {room.id: room for room in omoide.people.rooms()}
    if not typed or typed in rooms:
        return typed or OWNER
    near = [one for one, room in rooms.items() if room.name == typed] or get_close_matches(typed, rooms, 3, 0.85)
    shown = "".join(f"\n  {one}  {rooms[one].name}  {rooms[one].kind}" for one in near)
    advice = "name one by its id:" if near else "`omoide rooms` lists them, and open makes one"
    raise BadInput(f"no room {typed} is known; {advice}{shown}")


def line(one: Candidate) -> str:
    """Somebody, with what tells them apart from others of the same name."""
    rooms = f"  in {', '.join(one.rooms)}" if one.rooms else "  in no room"
    newest = f", newest {one.newest:%Y-%m-%d}" if one.newest else ""
    former = "  (a former name)" if one.former else f"  (careful: looks like {', '.join(one.alike)})" if one.alike else ""
    return f"{' + '.join(one.folders)}  {' / '.join(one.names)}  {' '.join(one.accounts)}{rooms}  {facts(one.facts)}{newest}{former}"


def facts(count: int) -> str:
    return f"{count} fact{'' if count == 1 else 's'}"


def alike_lines(typed: str, alike: Sequence[Candidate]) -> list[str]:
    """The warning about names that only look like it, with the letters the eye cannot tell apart."""
    letters = [letters_apart(typed, one) for one in alike]
    rows = [f"  {line(one)}{f'  (other letters: {apart})' if apart else ''}" for one, apart in zip(alike, letters, strict=True)]
    return [f"{ALIKE}:", *rows] if rows else []


def near_lines(found: Sequence[Candidate]) -> list[str]:
    """Those it may be a slip for."""
    return ["nearly the same, and never taken for it:", *(f"  {line(one)}" for one in found)] if found else []


def _unknown(typed: str, room: str) -> str:
    who = "omoide who" if room == OWNER else f"omoide who --room {room}"
    return f"nobody here is {'known as' if ':' in typed or '/' in typed else 'called'} {typed}. `{who}` lists everybody"
