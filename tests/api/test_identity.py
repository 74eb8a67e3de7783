"""Look-alikes, merge and split, subjects that are no persons, agents in a room."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide import Omoide
from omoide.api.people import OWNER, Asking, People, Room, Saying, Stay, letters_apart
from omoide.errors import BadInput, LookAlike

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
ANN, BOB, MARC, FAKE = (f"chat:w:{key}" for key in ("ann", "bob", "marc", "fake"))
ROOM = "chat:w:room"


@pytest.fixture
def people(tmp_path: Path) -> Iterator[People]:
    """Ann, Bob and Marc in a room."""
    (tmp_path / "home").mkdir()
    with Omoide(tmp_path / "home", cache=tmp_path / "cache") as omoide:
        for account, name in ((ANN, "Ann"), (BOB, "Bob"), (MARC, "Marc")):
            omoide.people.meet(account, name, at=NOW)
        omoide.people.open_room(Room(ROOM, "room", "group", "since_join", (Stay(ANN), Stay(BOB), Stay(MARC))), NOW)
        yield omoide.people


def told(people: People, about: str, room: str = OWNER, days: int = 1) -> list[str]:
    """Texts of what may be said of somebody in a room."""
    return sorted(one.known.fact.text for one in people.know(Asking("", room, NOW + timedelta(days=days), about, limit=99)).facts)


def say(people: People, text: str, about: str, by: str = "", room: str = ROOM) -> str:
    """Remember it in the drawer; gives the id."""
    return people.remember(Saying(text, about, by or about, room, NOW, "drawer")).id


def folders(home: Path) -> dict[str, bytes]:
    """The bytes of everything but the history."""
    return {path.relative_to(home).as_posix(): path.read_bytes() for path in home.rglob("*.md")}


# ---- look-alikes


def test_a_look_alike_is_shown_and_never_meant(people: People) -> None:
    """A Cyrillic Marc is shown beside the Latin one with the letters that differ, is no candidate, and nothing is told about
    him under the other's name; by his own he is found, and the other is the look-alike."""
    people.meet(FAKE, "Маrc", at=NOW)
    with pytest.warns(LookAlike, match="М U"):
        people.join(ROOM, FAKE, NOW)
    say(people, "plays the harp", FAKE)
    found = people.who("marc", ROOM, NOW)
    assert (found.status, [people.accounts(ids) for ids in found.people], [people.accounts(ids) for ids in found.alike]) == ("one", [{MARC}], [{FAKE}])
    assert [one.accounts for one in people.candidates("Marc", NOW)] == [(MARC,)]
    assert [(one.accounts, letters_apart("Marc", one)) for one in people.alike("Marc", NOW)] == [((FAKE,), "М U+041C, а U+0430")]
    assert people.know(Asking("", ROOM, NOW, name="Marc")).facts == ()
    assert [people.accounts(ids) for ids in people.who("Маrc", ROOM, NOW).alike] == [{MARC}]


def test_nobody_is_told_where_only_a_look_alike_is_there(people: People) -> None:
    """A name that nobody carries stays unknown, whoever looks like it."""
    people.meet(BOB, "高橋", at=NOW)
    say(people, "sings", BOB)
    found = people.know(Asking("", ROOM, NOW, name="髙橋"))
    assert (found.resolved.status, found.facts) == ("unknown", ())
    assert [people.accounts(ids) for ids in people.who("髙橋", ROOM, NOW).alike] == [{BOB}]


@pytest.mark.parametrize(
    ("one", "other"),
    [("佐藤", "佐籐"), ("高橋", "髙橋"), ("斉藤", "齋藤"), ("ひろし", "ヒロシ"), ("ユーキ", "ユ一キ"), ("ユーキ", "ユ―キ"), ("Bob", "B0b"), ("Alice", "AIice"), ("Alice", "A1ice")],
)
def test_whoever_takes_such_a_name_in_a_room_is_warned_of(people: People, one: str, other: str) -> None:
    """Met in the room, renamed in it, coming into it, or there when it is opened: each way the warning names both."""
    people.meet(BOB, one, at=NOW)
    with pytest.warns(LookAlike, match=other):
        people.meet(ANN, other, at=NOW)
    with pytest.warns(LookAlike, match=other):
        people.rename(MARC, other, NOW)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        people.meet(FAKE, other, at=NOW)  # in no room so far
    with pytest.warns(LookAlike, match=other):
        people.join(ROOM, FAKE, NOW)
    with pytest.warns(LookAlike, match=other):
        people.open_room(Room("chat:w:two", "two", "group", "since_join", (Stay(BOB), Stay(FAKE))), NOW)


def test_no_warning_without_a_reason(people: People) -> None:
    """The same name twice, another width of it, or a look-alike in another room is no reason, nor is asking again."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        people.meet(BOB, "Marc", at=NOW)
        people.rename(ANN, "ＭＡＲＣ", NOW)
        people.meet(FAKE, "Маrc", at=NOW)
    with pytest.warns(LookAlike):
        people.join(ROOM, FAKE, NOW)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        people.meet(FAKE, "Маrc", at=NOW)
        people.join(ROOM, FAKE, NOW)


def test_a_look_alike_out_of_reach_is_not_shown_to_a_room(people: People) -> None:
    """Somebody whom the readers share no room with is not named to them, not even as a warning; the owner sees everybody."""
    people.meet(FAKE, "Маrc", at=NOW)
    assert people.who("Marc", ROOM, NOW).alike == ()
    assert {one.accounts: one.alike for one in people.everybody(NOW)}[(MARC,)] == people.folders(FAKE)


# ---- merge and split


def test_merge_then_split_gives_everything_back(people: People, tmp_path: Path) -> None:
    """Merged, both answer with the facts of both; split, every folder has its bytes and every fact is about its account; both
    are in the history of both, with the reason."""
    first, second = say(people, "drinks tea", ANN), say(people, "rows", BOB)
    before = folders(tmp_path)
    pair = people.merge(ANN, people.folders(BOB)[0], at=NOW, reason="told me so")
    assert pair == people.folders(ANN) == people.folders(BOB)
    assert told(people, ANN) == told(people, BOB) == ["drinks tea", "rows"]
    during = say(people, "sings", BOB)
    assert [(one.verb, one.reason) for one in people.history(ANN) if one.verb == "merge"] == [("merge", "told me so")] * 2
    people.forget(NOW + timedelta(days=1), person=BOB, fact=during)
    assert people.split(ANN, BOB, at=NOW, reason="they are two") == people.folders(ANN)
    assert {path: data for path, data in folders(tmp_path).items() if data} == before
    assert (told(people, ANN), told(people, BOB)) == (["drinks tea"], ["rows"])
    assert (people.why(first)["person"], people.why(second)["person"]) == (people.folders(ANN)[0], people.folders(BOB)[0])
    assert {"meet", "merge", "split"} <= {one.verb for one in people.history(BOB)} & {one.verb for one in people.history(ANN)}


def test_a_fact_told_while_merged_stays_with_its_account(people: People) -> None:
    """What was told about one account between merge and split is about that account afterwards."""
    people.merge(ANN, BOB, at=NOW)
    say(people, "sings", BOB)
    say(people, "paints", ANN)
    people.split(BOB, ANN, at=NOW)
    assert (told(people, ANN), told(people, BOB)) == (["paints"], ["sings"])


def test_a_merge_can_be_undone_like_any_change(people: People, tmp_path: Path) -> None:
    """`undo` of its record on one side parts them at once: half of a tie counts for nothing."""
    people.merge(ANN, BOB, at=NOW)
    people.undo(next(one.id for one in people.history(ANN) if one.verb == "merge"), NOW)
    assert people.folders(ANN) != people.folders(BOB)


@pytest.mark.parametrize(
    ("do", "one", "other", "said"),
    [("merge", ANN, ANN, "named twice"), ("merge", ANN, "chat:w:nobody", "nobody is known"), ("merge", ANN, "Bob", "nobody is known"), ("split", ANN, BOB, "not joined"),
     ("merge", ANN, "chat:w:apollo", "cannot be one")],
)  # fmt: skip
def test_what_cannot_be_joined_or_parted(people: People, tmp_path: Path, do: str, one: str, other: str, said: str) -> None:
    """Nobody with themself, with nobody, with a bare name or with a thing; nothing that was not joined: no byte differs."""
    people.meet("chat:w:apollo", "Apollo", at=NOW, kind="project")
    before = folders(tmp_path)
    with pytest.raises(BadInput, match=said):
        getattr(people, do)(one, other, at=NOW)
    assert folders(tmp_path) == before


def test_three_are_parted_where_they_were_joined(people: People) -> None:
    """Two that are one person through a third are not parted from each other; the error says through whom."""
    people.merge(ANN, BOB, at=NOW)
    people.link(BOB, MARC, proof=True, at=NOW)
    with pytest.raises(BadInput, match=people.folders(BOB)[1]):
        people.split(ANN, MARC, at=NOW)
    assert people.unlink(ANN, MARC, at=NOW) is False
    assert people.merge(ANN, MARC, at=NOW) == people.folders(ANN)
    assert people.split(MARC, BOB, at=NOW) == people.folders(MARC)
    assert len(people.folders(ANN)) == 2


@given(st.lists(st.tuples(st.sampled_from(["merge", "split", "link", "unlink", "say"]), st.integers(0, 2), st.integers(0, 2)), max_size=8))
def test_any_joining_taken_back_leaves_no_trace(tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, int]]) -> None:
    """After any of them, when all ties are taken back, each account has its own facts and its card the bytes it had."""
    accounts, said = (ANN, BOB, MARC), {ANN: set[str](), BOB: set[str](), MARC: set[str]()}
    home = tmp_path_factory.mktemp("home")
    with Omoide(home) as omoide:
        people = omoide.people
        cards = {home / people.meet(account, account[-3:], at=NOW) / "card.md": account for account in accounts}
        before = {path: path.read_bytes() for path in cards}
        for number, (do, left, right) in enumerate(steps):
            one, other = accounts[left], accounts[right]
            try:
                if do == "say":
                    said[one].add(f"fact {number}")
                    say(people, f"fact {number}", one)
                elif do == "link":
                    people.link(one, other, proof=True, at=NOW)
                else:
                    getattr(people, do)(one, other, at=NOW)
            except BadInput:
                continue
        for pair in ((ANN, BOB), (BOB, MARC), (ANN, MARC)):
            people.unlink(*pair, at=NOW)
        assert {path: path.read_bytes() for path in cards} == before
        assert {account: set(told(people, account)) for account in accounts} == said


# ---- projects, teams, agents


@pytest.mark.parametrize("kind", ["project", "team", "agent"])
def test_per_21_the_same_calls_for_other_subjects(people: People, tmp_path: Path, kind: str) -> None:
    """A project, a team and another agent are met, remembered, found by name in a room, shown, grepped, explained and forgotten
    like a person."""
    about = f"work:w:{kind}"
    folder = people.meet(about, "Apollo", at=NOW, kind=kind)
    assert folder.startswith(f"{kind}s/apollo-")
    people.join(ROOM, about, NOW)
    card = people.remember(Saying("ships on Fridays", about, ANN, ROOM, NOW, "card"))
    drawer = people.remember(Saying("uses port 8080", about, BOB, ROOM, NOW, "drawer/setup"))
    later = NOW + timedelta(days=1)
    assert people.who("apollo", ROOM, later).status == "one"
    found = people.know(Asking("port", ROOM, later, name="Apollo"))
    assert [one.known.fact.text for one in found.facts] == ["uses port 8080", "ships on Fridays"]
    shown = people.card(folder, OWNER, later)
    assert ([fact.fact.text for fact in shown.facts], [label.topic for label in shown.labels]) == (["ships on Fridays"], ["setup"])
    assert [line.text for line in people.grep(about, "port [0-9]+", OWNER, later)] == [f"- uses port 8080 (by {BOB}) ^{drawer.id}"]
    assert (people.why(drawer.id)["person"], people.why(drawer.id)["tellings"][0]["by"]) == (folder, BOB)
    assert [record.verb for record in people.history(about)] == ["meet", "remember", "remember"]
    newer = people.remember(Saying("uses port 9090", about, BOB, ROOM, later, "drawer/setup", supersedes=drawer.id))
    assert told(people, about, days=2) == ["ships on Fridays", "uses port 9090"]
    people.undo(newer.change, later)
    assert told(people, about, days=2) == ["ships on Fridays", "uses port 8080"]
    assert people.forget(later, person=about, fact=card.id) == [card.id]
    assert people.forget(later, person=about, everything=True) == [drawer.id]
    assert told(people, about) == []
    assert not any(b"8080" in path.read_bytes() for path in (tmp_path / "home").rglob("*") if path.is_file())


def test_a_project_reads_nothing(people: People) -> None:
    """A project or a team in a room is somebody a name may mean and nobody who must be allowed to hear."""
    for kind in ("project", "team"):
        people.meet(f"work:w:{kind}", kind, at=NOW, kind=kind)
        people.join(ROOM, f"work:w:{kind}", NOW + timedelta(days=1))
    say(people, "drinks tea", ANN)
    assert told(people, ANN, ROOM, days=2) == ["drinks tea"]


def test_one_account_has_one_kind(people: People) -> None:
    """A person is not met as a project, and a kind that does not exist is refused by name."""
    with pytest.raises(BadInput, match="is a person"):
        people.meet(ANN, at=NOW, kind="project")
    with pytest.raises(BadInput, match="person, project, team, agent"):
        people.meet("chat:w:x", at=NOW, kind="company")


# ---- agents in a room


def test_per_02_each_agent_keeps_its_own_memory_of_each_person(tmp_path: Path) -> None:
    """Three people and two agents in a room: each agent has a home of its own, in which the room, the three and the other agent
    stand. What one learned the other does not know, and the other agent is somebody who reads."""
    agents = ("chat:w:kai", "chat:w:rin")
    with ExitStack() as homes:
        memories: dict[str, People] = {}
        for me in agents:
            (tmp_path / me[-3:]).mkdir()
            memory = homes.enter_context(Omoide(tmp_path / me[-3:])).people
            for person in (ANN, BOB, MARC):
                memory.meet(person, person[-4:], at=NOW)
            for agent in agents:
                memory.meet(agent, agent[-3:], at=NOW, kind="agent", bot=agent == me)
            memory.open_room(Room(ROOM, "room", "group", "since_join", tuple(map(Stay, (ANN, BOB, MARC, *agents)))), NOW)
            memories[me] = memory
        kai, rin = memories.values()
        for person in (ANN, BOB, MARC):
            say(kai, f"{person} as Kai knows them", person)
            say(rin, f"{person} as Rin knows them", person)
        for person in (ANN, BOB, MARC):
            assert told(kai, person, ROOM) == [f"{person} as Kai knows them"]
            assert told(rin, person, ROOM) == [f"{person} as Rin knows them"]
        say(kai, "told Kai alone", ANN, room="chat:w:dm")
        assert "told Kai alone" not in told(kai, ANN, ROOM)
        kai.open_room(Room("chat:w:three", "three", "group", "since_join", (Stay(ANN), Stay(agents[0]))), NOW)
        say(kai, "said without Rin", ANN, room="chat:w:three")
        assert told(kai, ANN, "chat:w:three") == [f"{ANN} as Kai knows them", "said without Rin", "told Kai alone"]  # Ann's own words
        assert told(kai, ANN, ROOM) == [f"{ANN} as Kai knows them"]
        assert kai.who("rin", ROOM, NOW).status == "one"
        assert kai.who("kai", ROOM, NOW).status == "unknown"
