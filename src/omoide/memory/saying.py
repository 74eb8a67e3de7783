"""One thing that was said about somebody: what is passed with it, and what is found in its words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

CLAIMS = ("other", "unlinked")
"""Ways something is said about somebody by another: kept as a claim, neither believed nor dropped."""
BORROWED = ("document", "forward", "quote")
"""Words of somebody else that are passed on: told nobody, but the owner may accept them."""
NO_WORD = ("bot", "joke")
"""Ways of saying that are nobody's word about a person: nothing is kept."""


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
