"""Where a fact is kept, and why there: before the agent's eyes in every turn, or in the drawer, to be looked up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from omoide.memory.phrases import form, may_say, said, says, slots, without
from omoide.text.content import content
from omoide.text.sentences import statements

CARD, DRAWER = "card", "drawer"
SAYS_SOMETHING = 0.4
"""Weight of a piece that has one word at least, beside greetings and thanks."""


class Place(NamedTuple):
    """card or drawer, and the reason in words."""

    where: str
    because: str


def place_of(text: str, until: str = "", *, claim: bool = False, secret: bool = False) -> Place:
    """By rules: on the card stands how somebody wants to be talked to, and what may do harm if it is not minded."""
    plain = form(text)
    if claim or secret:
        return Place(DRAWER, "it is not confirmed" if claim else "it is secret")
    if until:
        return Place(DRAWER, f"it ends: {until}")
    if said("kin", plain):
        return Place(DRAWER, "it is about somebody near them")
    if says("manner", plain):
        return Place(CARD, "it says how to talk with them")
    if says("safety", plain) and not says("negation", without("safety", plain)):
        return Place(CARD, "it may do harm if it is not minded")
    return Place(DRAWER, "it is looked up when it matters")


def may_be_card(texts: Sequence[str]) -> frozenset[int]:
    """Numbers of the texts that `place_of` may put on the card; the others it puts into the drawer."""
    return may_say(texts, "manner", "safety")


def pieces(message: str) -> list[str]:
    """What a message says, sentence by sentence, without greetings, thanks and questions."""
    return [part for part in statements(message) if _says_something(part)]


def _says_something(part: str) -> bool:
    return sum(content(without("courtesy", form(part))).values()) >= SAYS_SOMETHING


def field_of(text: str, fields: tuple[str, ...]) -> str:
    """The one field of `fields` that a text speaks of, as far as `slots.toml` knows it; "" for none, several, or a relative's."""
    plain = form(text)
    found = slots(plain) & frozenset(fields)
    return next(iter(found)) if len(found) == 1 and not said("kin", plain) else ""
