"""Four accounts and two rooms: what tests about the logs of rooms begin with."""

from __future__ import annotations

from datetime import UTC, datetime

from omoide.api.people import People, Room, Stay

AT = datetime(2026, 11, 30, 9, tzinfo=UTC)
ANN, BOB, CAT, BOT = "chat:w:ann", "chat:w:bob", "chat:w:cat", "chat:w:bot"
GROUP, OTHER = "chat:w:group", "chat:w:other"


def garden(people: People) -> None:
    """Ann, Bob and the bot in one room, Cat and the bot in another."""
    for account, name in ((ANN, "Ann"), (BOB, "Bob"), (CAT, "Cat")):
        people.meet(account, name, at=AT)
    people.meet(BOT, "helper", at=AT, bot=True)
    people.open_room(Room(GROUP, "garden", "group", "since_join", (Stay(ANN), Stay(BOB), Stay(BOT))), AT)
    people.open_room(Room(OTHER, "other", "dm", "since_join", (Stay(CAT), Stay(BOT))), AT)
