"""A lookup, not a likeness."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from omoide.people.directory import Directory, Name, Person
from omoide.people.rooms import Room, Stay

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def directory(*persons: Person, rooms: tuple[Room, ...] = ()) -> Directory:
    """People and rooms by their ids."""
    return Directory({person.id: person for person in persons}, {room.id: room for room in rooms})


def person(key: str, *names: str | Name, same: tuple[str, ...] = (), bot: bool = False) -> Person:
    """Somebody with one account named after them."""
    held = tuple(name if isinstance(name, Name) else Name(name) for name in names)
    return Person(f"people/{key}", (f"chat:w:{key}",), held, frozenset(f"people/{one}" for one in same), bot=bot)


def room(key: str, *members: str, **more: object) -> Room:
    """A room with people in it from the beginning."""
    return Room(key, stays=tuple(Stay(f"chat:w:{one}") for one in members), **more)  # type: ignore[arg-type]


def test_per_06_two_people_of_one_name_are_both_given() -> None:
    """A name that two people in the room carry is ambiguous, with both; it is never a pick."""
    known = directory(person("a", "Mike"), person("b", "Mike"), person("c", "Ann"), rooms=(room("r", "a", "b", "c"),))
    found = known.resolve("mike", "r", NOW)
    assert found.status == "ambiguous"
    assert found.people == (frozenset({"people/a"}), frozenset({"people/b"}))
    assert known.resolve("Ann", "r", NOW).people == (frozenset({"people/c"}),)
    assert known.resolve("Bob", "r", NOW).status == "unknown"


def test_the_first_step_that_finds_somebody_decides() -> None:
    """Present name in the room, former name in the room, people who left, people elsewhere: in this order."""
    gone = Room("r", stays=(Stay("chat:w:a"), Stay("chat:w:b"), Stay("chat:w:c", until=NOW - DAY)))
    elsewhere = room("s", "a", "b", "d")
    old = Name("Kai", until=NOW - DAY)
    people = [person("a", "Kai"), person("b", old), person("c", "Kai"), person("d", "Kai")]
    assert directory(*people, rooms=(gone, elsewhere)).resolve("Kai", "r", NOW).people == (frozenset({"people/a"}),)
    people[0] = person("a", "Ann")
    assert directory(*people, rooms=(gone, elsewhere)).resolve("Kai", "r", NOW).people == (frozenset({"people/b"}),)
    people[1] = person("b", "Bob")
    assert directory(*people, rooms=(gone, elsewhere)).resolve("Kai", "r", NOW).people == (frozenset({"people/c"}),)
    people[2] = person("c", "Cy")
    assert directory(*people, rooms=(gone, elsewhere)).resolve("Kai", "r", NOW).people == (frozenset({"people/d"}),)


def test_people_whom_not_every_reader_shares_a_room_with_are_unknown() -> None:
    """A name is not given to somebody who never met its bearer."""
    known = directory(person("a", "Ann"), person("b", "Bob"), person("d", "Kai"), rooms=(room("r", "a", "b"), room("s", "a", "d")))
    assert known.resolve("Kai", "r", NOW).status == "unknown"
    assert known.resolve("Kai", "s", NOW).status == "one"


def test_a_link_counts_when_both_sides_name_each_other() -> None:
    """One side alone joins nobody; both sides make one person of two folders, and without them they are two again."""
    one_sided = directory(person("a", "Ken", same=("b",)), person("b", "Ken"), rooms=(room("r", "a", "b"),))
    assert one_sided.resolve("Ken", "r", NOW).status == "ambiguous"
    both = directory(person("a", "Ken", same=("b",)), person("b", "Kenta", same=("a",)), rooms=(room("r", "a", "b"),))
    assert both.resolve("Kenta", "r", NOW).people == (frozenset({"people/a", "people/b"}),)
    assert both.accounts(both.of_account("chat:w:a")) == {"chat:w:a", "chat:w:b"}


def test_bots_are_not_people() -> None:
    """A bot with a person's name is neither a reader nor a candidate."""
    known = directory(person("a", "Mike"), person("x", "Mike", bot=True), rooms=(room("r", "a", "x"),))
    assert known.resolve("Mike", "r", NOW).status == "one"
    assert known.readers("r", NOW) == [frozenset({"chat:w:a"})]


@given(st.dictionaries(st.sampled_from("abcdef"), st.frozensets(st.sampled_from("abcdef"), max_size=3), min_size=1))
def test_groups_are_a_partition(links: dict[str, frozenset[str]]) -> None:
    """Whatever the cards say, everybody is in exactly one group, and groups join only over links of both sides."""
    known = directory(*(person(key, same=tuple(same)) for key, same in links.items()))
    groups = {known.group_of(f"people/{key}") for key in links}
    assert sum(map(len, groups)) == len(links)
    for key, same in links.items():
        for other in same & links.keys():
            together = key in links[other]
            assert not together or known.group_of(f"people/{key}") == known.group_of(f"people/{other}")


def test_a_stranger_in_a_room_reads_too() -> None:
    """An account without a card listens like anybody, stands for itself, and bounds whom a name reaches."""
    known = directory(person("a", "Ann"), person("b", "Bob"), rooms=(room("r", "a", "stranger"), room("far", "a", "b")))
    assert sorted(map(sorted, known.readers("r", NOW))) == [["chat:w:a"], ["chat:w:stranger"]]
    assert known.resolve("Bob", "r", NOW).status == "unknown"
    assert known.resolve("Ann", "r", NOW).people == (frozenset({"people/a"}),)
