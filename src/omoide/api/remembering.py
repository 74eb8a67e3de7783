"""What is told becomes lines in the folder of the one it is about: new, told again, superseding, a claim, moved."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import datetime

from omoide.api.changing import Change, Remembered
from omoide.api.folks import Folks
from omoide.api.knowing import Group
from omoide.errors import BadInput, CardFull
from omoide.memory.filing import field_of, place_of
from omoide.memory.saying import BORROWED, CLAIMS, NO_WORD, Saying, check, check_place
from omoide.settings import Settings
from omoide.store.facts import one_line, with_fact, without_fact
from omoide.text.counting import counted
from omoide.text.when import Period, period


def remember(folks: Folks, saying: Saying, settings: Settings) -> Remembered:
    """Keep it. Raises `BadInput` for an id that is not about this person, or where it is not said who is meant among
    several; `CardFull` for a card that was asked for and has no room."""
    said = _complete(folks, saying, settings)
    if said.via in NO_WORD:
        return Remembered("ignored")
    unread = () if said.since or said.until else tuple(counted(said.text, said.at))
    return _kept(folks, said, settings, asked=bool(saying.place))._replace(dates=unread)


def _kept(folks: Folks, said: Saying, settings: Settings, *, asked: bool) -> Remembered:
    """`asked`: the place was asked for; what a rule put on a full card goes into the drawer."""
    person = folks.meet(said.about, (), said.at)
    with locked(folks, folks.directory().of_account(said.about)):
        group = Group(folks, folks.directory().of_account(said.about))
        try:
            return Change(folks, group, person, said, settings.home.card_chars).made()
        except CardFull:
            if asked:
                raise
            said = replace(said, place="drawer", because="the card is full")
            return Change(folks, group, person, said, settings.home.card_chars).made()


def _complete(folks: Folks, saying: Saying, settings: Settings) -> Saying:
    """With whom it is about, where it goes and which field it fills, where nobody said so; nothing is written so far."""
    check(saying)
    text = one_line(saying.text)
    if not text:
        raise BadInput("there is nothing to remember: the text is empty")
    dates = [_date(key, date, saying.at) for key, date in (("since", saying.since), ("until", saying.until)) if date]
    if len(dates) == 2 and dates[1].after <= dates[0].first:
        raise BadInput(f"until {saying.until} is before since {saying.since}: it would never hold. Nothing was remembered.")
    kind = saying.kind or field_of(text, (*settings.fields.latest, *settings.fields.history))
    said = replace(saying, text=text, kind=kind, about=saying.about or only_one(folks, saying.room, saying.at))
    room = folks.account(said.room, "room") if said.room else ""
    said = replace(said, by=folks.account(said.by or said.about, "by"), about=folks.account(said.about), room=room)
    if said.place:
        return said
    claim = said.via in CLAIMS or said.via in BORROWED
    where, because = place_of(text, said.until, claim=claim, secret=said.audience == "secret")
    return replace(said, place=where, because=said.because or because)


def only_one(folks: Folks, room: str, at: datetime) -> str:
    """An account of the one person in a room; an account without a card is somebody, too, for it reads and may have said it.
    Raises `BadInput` where there are more, or none: then it must be said who is meant."""
    directory = folks.directory()
    known = directory.room(room)
    inside = known.members(at) if known else frozenset()
    there = directory.listening(inside)
    if len(there) != 1:
        unmet = ", ".join(sorted(account for account in inside if not directory.of_account(account)))
        unmet = f", one of them not met so far: {unmet} (meet it as a bot if nobody reads there)" if unmet else ""
        said = f"room {room} has {len(there)} people{unmet}" if inside else "no known room is given"
        raise BadInput(f"it is not said whom this is about, and {said}. Nothing was remembered; name the person by account")
    return min(account for account in inside if (directory.of_account(account) or frozenset({account})) in there)


@contextmanager
def locked(folks: Folks, people: frozenset[str]) -> Iterator[None]:
    """Nobody else writes these folders inside. In one order, so that two writers never wait for each other."""
    with ExitStack() as locks:
        for one in sorted(people):
            locks.enter_context(folks.door.locked(one))
            folks.adopt(one)
        yield


def _date(key: str, text: str, at: datetime) -> Period:
    try:
        return period(text, at.tzinfo or at.astimezone().tzinfo)  # type: ignore[arg-type]
    except ValueError as error:
        raise BadInput(f"{key}: {error}. Nothing was remembered.") from error


def move(folks: Folks, ids: frozenset[str], key: str, to: Saying, settings: Settings, *, answer: str = "") -> Remembered:
    """Put a fact from the card into the drawer, or the other way: to `to.place`, at `to.at`, because of `to.because`.

    `answer`: what the owner said to the proposal that this was, if it was one.
    """
    check_place(to.place)
    with locked(folks, ids):
        group = Group(folks, ids)
        known = group.fact(key)
        change = Change(folks, group, known.person, to, settings.home.card_chars)
        path = change.path_of(to.place)
        if path == known.path:
            return Remembered("again", known.fact.id, path)
        change.put(known.path, without_fact(change.data(known.path), known.fact.line))
        change.put(path, with_fact(change.data(path), known.fact))
        change.check_cap(path)
        change.facts[known.fact.id] = {"because": to.because} | ({"review": answer} if answer else {})
        return change.written("again", known.fact.id, path, "review" if answer else "move", to.because)
