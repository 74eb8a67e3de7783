"""Who may hear what: the rules, and that nothing gets past them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from omoide.people.access import OPEN, SECRET, Listeners, Telling, id_among
from omoide.people.directory import Person
from omoide.people.rooms import Room, Stay

START = datetime(2026, 1, 1, tzinfo=UTC)
ACCOUNTS = [f"chat:w:{key}" for key in "abcd"]


def may_hear(readers: list[frozenset[str]], told: list[Telling], rooms: dict[str, Room], now: datetime) -> bool:
    """The one decision."""
    return Listeners(readers, rooms, now).may_hear(told)


def may_know(reader: frozenset[str], telling: Telling, rooms: dict[str, Room], now: datetime) -> bool:
    """The same for one reader."""
    return Listeners([reader], rooms, now).may_hear([telling])


def day(number: int) -> datetime:
    """Midnight of a day."""
    return START + timedelta(days=number)


STAYS = st.lists(
    st.builds(lambda account, since, long: Stay(account, day(since), day(since + long)), st.sampled_from(ACCOUNTS), st.integers(0, 9),
              st.integers(1, 9)),
    max_size=6,
).map(tuple)  # fmt: skip
ROOMS = st.lists(st.builds(Room, st.sampled_from("rst"), history=st.sampled_from(["members", "since_join"]), stays=STAYS), max_size=3)
TELLINGS = st.lists(
    st.builds(Telling, st.sampled_from(ACCOUNTS), st.sampled_from("rstu"), st.integers(0, 9).map(day), st.sampled_from(["", "", OPEN, SECRET])),
    max_size=3,
)


@given(ROOMS, TELLINGS, st.lists(st.frozensets(st.sampled_from(ACCOUNTS), min_size=1, max_size=2), max_size=3), st.integers(0, 15))
def test_nobody_hears_what_one_of_them_may_not_know(
    rooms: list[Room], told: list[Telling], readers: list[frozenset[str]], now: int
) -> None:
    """What may be said before a room was, for each reader, open, their own words, or said in a room they are in now."""
    known = {room.id: room for room in rooms}
    if not may_hear(readers, told, known, day(now)):
        return
    assert readers
    for reader in readers:
        reasons = [
            one for one in told
            if one.audience == OPEN or one.by in reader or (one.room in known and known[one.room].members(day(now)) & reader)
        ]  # fmt: skip
        assert reasons
        for one in told:
            if len(told) == 1 and one.audience == SECRET and one.by not in reader:
                assert known[one.room].members(one.at) & reader


@given(ROOMS, TELLINGS, st.lists(st.frozensets(st.sampled_from(ACCOUNTS), min_size=1, max_size=2), max_size=3), st.integers(0, 15))
def test_one_reader_more_never_opens_anything(
    rooms: list[Room], told: list[Telling], readers: list[frozenset[str]], now: int
) -> None:
    """Where more people read, no more may be said."""
    known = {room.id: room for room in rooms}
    for reader in readers:
        if may_hear(readers, told, known, day(now)):
            assert may_hear([reader], told, known, day(now))


def test_the_rules_one_by_one() -> None:
    """Open, own words, a channel's past, a group's past, a secret, somebody who left, an unknown room."""
    channel = Room("c", history="members", stays=(Stay("chat:w:a"), Stay("chat:w:b", since=day(5))))
    group = Room("g", history="since_join", stays=(Stay("chat:w:a"), Stay("chat:w:b", since=day(5)), Stay("chat:w:d", until=day(6))))
    rooms = {"c": channel, "g": group}
    a, b, d = (frozenset({f"chat:w:{key}"}) for key in "abd")
    early = Telling("chat:w:a", "c", day(1))
    assert may_know(b, early, rooms, day(7))
    assert not may_know(b, early._replace(audience=SECRET), rooms, day(7))
    assert not may_know(b, early._replace(room="g"), rooms, day(7))
    assert may_know(b, early._replace(room="g", at=day(5)), rooms, day(7))
    assert may_know(d, early._replace(room="g"), rooms, day(5))
    assert not may_know(d, early._replace(room="g"), rooms, day(7))
    assert may_know(d, Telling("chat:w:d", "g", day(1)), rooms, day(7))
    assert may_know(d, early._replace(audience=OPEN), rooms, day(7))
    assert not may_know(b, early._replace(room="nowhere"), rooms, day(7))
    assert may_know(a, early._replace(room="nowhere"), rooms, day(7))
    assert not may_hear([], [early], rooms, day(7))


@given(ROOMS, TELLINGS, st.lists(st.frozensets(st.sampled_from(ACCOUNTS), min_size=1, max_size=2), max_size=3), st.integers(0, 15))
def test_of_a_fact_only_tellings_are_spoken_of_that_may_be_known(
    rooms: list[Room], told: list[Telling], readers: list[frozenset[str]], now: int
) -> None:
    """Those that all may know; if there is none, those that somebody may know. They make the fact as much as all of them do."""
    known = {room.id: room for room in rooms}
    kept = Listeners(readers, known, day(now)).may_know(told)
    by_all = [number for number, one in enumerate(told) if may_hear(readers, [one], known, day(now))]
    assert kept == by_all or (not by_all and all(any(may_know(reader, told[one], known, day(now)) for reader in readers) for one in kept))
    assert may_hear(readers, [told[one] for one in kept], known, day(now)) == may_hear(readers, told, known, day(now))


def test_the_words_in_an_id_are_for_those_who_may_know_them() -> None:
    """They are the name somebody was met under: kept for who knows it (or the account it was made of), left out for all others."""
    person = Person("people/sato-ken-7f3a9c21", ("slack:T:U1",))
    assert id_among(person, ["佐藤", "Sato Ken"]) == person.id == id_among(person, ["SATO, Ken (Osaka)"])
    assert id_among(person, ["Ken"]) == id_among(person, []) == "people/7f3a9c21"
    assert id_among(Person("people/u1-7f3a9c21", ("slack:T:U1",)), []) == "people/u1-7f3a9c21"
    by_hand = id_among(Person("people/sato", ()), [])
    assert "sato" not in by_hand and by_hand != id_among(Person("people/mori", ()), [])
