"""One thing that was said about somebody: what is passed with it, and what is found in its words."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from datetime import datetime

from omoide.errors import BadInput
from omoide.store.check_text import check_text

CLAIMS = ("other", "unlinked")
"""Ways something is said about somebody by another: kept as a claim, neither believed nor dropped."""
BORROWED = ("document", "forward", "quote")
"""Words of somebody else that are passed on: told nobody, but the owner may accept them."""
NO_WORD = ("bot", "joke", "order", "question")
"""Ways of saying that are nobody's word about a person: nothing is kept."""
AUDIENCES = ("open", "secret")
PLACE = re.compile(r"card|drawer(/.+)?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Saying:
    """One thing that was said: about whom, by whom, where and when, and what is known of how long it holds.

    `about`, `by`: accounts; where one person alone is in the room, `about` may be empty. `place`: card, drawer or
    drawer/<topic>, and `because` why there; without a place, rules choose. `since`, `until`: dates of any precision;
    `supersedes`, `restates`: ids of facts about the same person; `correction`: the superseded one was never true;
    `audience`: "" (who was there), "open" or "secret"; `via`: "" for the person's own word, else one of `CLAIMS`,
    `BORROWED` or `NO_WORD`; `kind`: the field it fills, such as address; `session`, `message`: the message it was learned
    from, by its number in the log of the room; `call`: the id of the call.
    """

    text: str
    about: str
    by: str
    room: str
    at: datetime
    place: str = ""
    since: str = ""
    until: str = ""
    supersedes: str = ""
    correction: bool = False
    restates: str = ""
    audience: str = ""
    source: str = ""
    via: str = ""
    kind: str = ""
    because: str = ""
    session: str = ""
    message: int | None = None
    call: str = ""


def check(saying: Saying) -> None:
    """Raises `BadInput` that names what is allowed: a word nobody knows would be passed over, and mean something else."""
    for one in fields(saying):
        if isinstance(value := getattr(saying, one.name), str):
            check_text(value, one.name)
    _one_of("via", saying.via, (*CLAIMS, *BORROWED, *NO_WORD), "the person's own word")
    _one_of("audience", saying.audience, AUDIENCES, "who was there")
    if saying.place:
        check_place(saying.place)
    if saying.message is not None and saying.message < 0:
        raise BadInput(f"message: the number of a message is 0 or more, not {saying.message}. Nothing was remembered")


def check_place(place: str) -> None:
    """Raises `BadInput` for what is no place of a fact. What a topic may be called the write door says."""
    if not PLACE.fullmatch(place):
        raise BadInput(f"place: {place[:60]!r} is none; it is card, drawer or drawer/TOPIC (a note in the drawer). Nothing was changed")


def _one_of(key: str, value: str, allowed: tuple[str, ...], empty: str) -> None:
    if value and value not in allowed:
        raise BadInput(f"{key}: {value[:60]!r} is none; it is {', '.join(allowed)}, or empty for {empty}. Nothing was remembered")
