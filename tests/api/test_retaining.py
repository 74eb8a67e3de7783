"""What was said stays as it was said: no call changes it, a summary stands beside it, and only a setting lets it go."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from omoide import Omoide, Scope, Settings
from omoide.api.people import OWNER, Asking, Event, People, Room, Saying
from omoide.errors import BadInput, StoreFailed
from omoide.store.door import Door, Edit, Record, new_id
from omoide.testing import FixedClock
from parts.garden import ANN, AT, BOB, BOT, CAT, GROUP, OTHER, garden

LATER = AT + timedelta(days=31)
Opened = Callable[..., Omoide]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    """Opens the home with so many days for its logs."""
    (tmp_path / "home").mkdir()
    homes: list[Omoide] = []

    def open_it(days: int = 0, now: datetime = LATER) -> Omoide:
        settings = Settings().with_values({"embedding.model": "none", "logs.keep_days": days, "home.zone": "UTC"})
        homes.append(Omoide(tmp_path / "home", settings=settings, cache=tmp_path / "cache", clock=FixedClock(now)))
        return homes[-1]

    made(open_it().people)
    yield open_it
    for home in homes:
        home.close()


def made(people: People) -> None:
    """Two rooms, and in one of them a message, a result and a reply."""
    garden(people)
    for event in (
        Event(ANN, AT, "I row on zebra lake", "s", 1), Event(BOT, AT, "{}", "s", 2, "tool", "memory_search", "c1"),
        Event(BOT, AT, "zebra lake is noted", "s", 3, "reply"),
    ):  # fmt: skip
        people.say(GROUP, event)


def logs(tmp_path: Path) -> dict[str, bytes]:
    return {path.relative_to(tmp_path).as_posix(): path.read_bytes() for path in sorted((tmp_path / "home/rooms").rglob("log/*"))}


def saying(text: str, **more: object) -> Saying:
    return Saying(text, ANN, ANN, GROUP, AT, session="s", message=1, **more)  # type: ignore[arg-type]


CALLS: dict[str, Callable[[People], object]] = {
    "meet": lambda people: people.meet(ANN, "Annie", at=LATER),
    "who": lambda people: people.who("Ann", GROUP, LATER),
    "folders": lambda people: people.folders(ANN),
    "accounts": lambda people: people.accounts([ANN]),
    "rename": lambda people: people.rename(ANN, "Anna", LATER),
    "link": lambda people: people.link(ANN, BOB, proof=True, at=LATER),
    "unlink": lambda people: people.unlink(ANN, BOB, at=LATER),
    "merge": lambda people: people.merge(ANN, BOB, at=LATER),
    "split": lambda people: people.split(ANN, BOB, at=LATER),
    "candidates": lambda people: people.candidates("Ann", LATER),
    "alike": lambda people: people.alike("Ann", LATER),
    "nearly": lambda people: people.nearly("Ann", LATER),
    "everybody": lambda people: people.everybody(LATER),
    "rooms": lambda people: people.rooms(),
    "open_room": lambda people: people.open_room(Room(GROUP, "garden", "group", "members", ()), LATER),
    "join": lambda people: people.join(GROUP, "chat:w:dan", LATER),
    "leave": lambda people: people.leave(GROUP, BOB, LATER),
    "say": lambda people: people.say(GROUP, Event(ANN, AT, "I never rowed", "s", 1)),
    "said": lambda people: people.said(GROUP, GROUP, LATER),
    "unchecked": lambda people: people.unchecked(GROUP),
    "remember": lambda people: people.undo(people.remember(saying("rows on zebra lake", place="card")).change, LATER),
    "hear": lambda people: people.hear(saying("rows no more"), "I row no more"),
    "hear_each": lambda people: people.hear_each(saying("Rows. Sings.")),
    "overhear": lambda people: people.overhear(ANN, GROUP, LATER, "I row on zebra lake", "s", 1),
    "know": lambda people: people.know(Asking("", GROUP, LATER)),
    "move": lambda people: people.move(ANN, people.remember(saying("swims", place="drawer")).id, "card", LATER),
    "card": lambda people: people.card(ANN, GROUP, LATER),
    "cards": lambda people: people.cards(GROUP, LATER),
    "scope": lambda people: people.scope(GROUP, LATER),
    "grep": lambda people: people.grep(ANN, "zebra", GROUP, LATER),
    "why": lambda people: people.why(people.remember(saying("dives")).id),
    "history": lambda people: people.history(ANN),
    "undo": lambda people: people.undo(people.history(ANN)[-1].id, LATER),
    "review": lambda people: people.review(LATER),
    "accept": lambda people: people.accept("x", LATER),
    "reject": lambda people: people.reject("x", LATER),
    "migrate": lambda people: people.migrate({"Ann": ANN}, LATER),
}
GOING = {"forget", "tidy"}
"""A person's right, and the setting: what takes words away."""


def test_trj_01_no_verb_changes_a_log(opened: Opened, tmp_path: Path) -> None:
    """Every public verb but the two that are there to take words away leaves each log as the beginning of what it is then."""
    assert CALLS.keys() | GOING == {name for name in vars(People) if not name.startswith("_")}
    (tmp_path / "home/MEMORY.md").write_text("# Memory\n\n## Ann\n\n- rows on zebra lake\n", encoding="utf-8")
    people, before = opened().people, logs(tmp_path)
    for name, use in CALLS.items():
        with suppress(BadInput):
            use(people)
        now = logs(tmp_path)
        assert before.keys() <= now.keys(), name
        assert all(now[path].startswith(data) for path, data in before.items()), name
    with opened() as omoide:
        omoide.log("rowed", room=GROUP, title="I row on zebra lake", at=AT)
        omoide.build(force=True)
        omoide.doctor()
        omoide.search("zebra")
    assert all(logs(tmp_path)[path].startswith(data) for path, data in before.items())
    assert people.tidy(LATER) == []


@pytest.mark.parametrize("role", ["user", "tool", "reply"])
@pytest.mark.parametrize("change", [{"text": "other"}, {"by": BOB}, {"role": "reply"}, {"at": LATER, "text": "x"}, {"call": "c9"}])
def test_trj_01_a_number_is_told_once(opened: Opened, tmp_path: Path, role: str, change: dict[str, object]) -> None:
    """A message, result or reply that is told again with anything else in it is refused, and no byte differs."""
    people = opened().people
    old = next(event for event in people.said(GROUP, OWNER, LATER) if event.role == role)
    new = old._replace(path="", line=0, **change)  # type: ignore[arg-type]
    before = logs(tmp_path)
    if new.same(old):
        assert people.say(GROUP, new) == old
    else:
        with pytest.raises(BadInput):
            people.say(GROUP, new)
    assert logs(tmp_path) == before


@pytest.mark.parametrize("after", [None, b"", b"other"])
@pytest.mark.parametrize("subject", ["rooms/garden", "people/x"])
def test_trj_01_the_door_changes_no_log(opened: Opened, tmp_path: Path, after: bytes | None, subject: str) -> None:
    """The write door refuses to edit, replace or remove the log of a room, or to make one, for whatever subject."""
    (path,) = logs(tmp_path)
    door, before = Door(tmp_path / "home"), (tmp_path / path).read_bytes()
    where = path.removeprefix("home/")
    for edit in (
        Edit(where, before, after),
        Edit(where.upper().replace(".MD", ".md"), None, b"x"),
        Edit(where.replace("11-30", "12-01"), None, b"x"),
    ):
        with pytest.raises(BadInput, match="log of a room, which only grows"):
            door.apply(Record(new_id(AT), AT, subject, "edit", "", "", {}, (edit,)))
    assert list(logs(tmp_path)) == [path]
    assert (tmp_path / path).read_bytes() == before


def test_trj_02_a_summary_stands_beside_the_originals(opened: Opened, tmp_path: Path) -> None:
    """A session of 300 events that is summed up keeps every event byte for byte, and recall finds the summary."""
    omoide = opened(now=AT + timedelta(days=1))
    roles = ({"role": "user"}, {"role": "tool", "tool": "grep"}, {"role": "reply"})
    for number in range(300):
        omoide.people.say(
            GROUP, Event(ANN, AT + timedelta(minutes=number), f"turn {number}\nof the talk", "long", number, **roles[number % 3])
        )  # type: ignore[arg-type]
    before = logs(tmp_path)
    kept = omoide.log(
        "The talk turned on the mooring of the boat.", title="Mooring", session="long", room=GROUP, at=AT + timedelta(hours=6)
    )
    now = logs(tmp_path)
    assert all(now[path].startswith(data) for path, data in before.items())
    assert [event.text for event in omoide.people.said(GROUP, OWNER, LATER, "long")] == [
        f"turn {number}\nof the talk" for number in range(300)
    ]
    (hit,) = omoide.recall("mooring boat").hits
    assert (hit.chunk.path, hit.chunk.lines[0]) == (kept.path, kept.line)
    assert omoide.recall("turn 299").hits


def test_trj_03_two_homes(opened: Opened, tmp_path: Path) -> None:
    """With 0 days nothing changes; with 30, after the clock has moved on, only summaries, notes by hand and the entry stay."""
    keeping, omoide = opened(0), opened(30)
    kept = omoide.log("They spoke of rowing.", session="s", room=GROUP, at=AT)
    (tmp_path / "home" / kept.path).open("a", encoding="utf-8").write("\n## A note by hand\n\nBring the oars.\n")
    before = logs(tmp_path)
    assert keeping.people.tidy(LATER) == []
    assert omoide.people.tidy(AT + timedelta(days=30)) == []
    assert logs(tmp_path) == before
    assert omoide.search("lake").hits
    (entry,) = omoide.people.tidy(LATER)
    assert (entry.events, entry.days, entry.at, entry.numbers) == (3, 30, LATER, (("s", ((1, 3),)),))
    text = (tmp_path / "home" / kept.path).read_text()
    assert text.startswith(
        "## 09:00 (session s; at 2026-11-30T09:00:00+00:00)\n\nThey spoke of rowing.\n\n## A note by hand\n\nBring the oars.\n"
    )
    assert text.endswith("Older than 30 days; said 2026-11-30T09:00:00+00:00 to 2026-11-30T09:00:00+00:00.\n\n- s: 1-3\n")
    found = [path for path in tmp_path.rglob("*") if path.is_file() and b"zebra" in path.read_bytes()]
    assert found == []
    (left,) = omoide.people.said(GROUP, OWNER, LATER)
    assert (left.role, left.by, left.text) == ("dropped", "-", "3 events dropped, older than 30 days: s: 1-3")
    assert omoide.people.said(GROUP, GROUP, LATER) == []
    assert omoide.people.said(GROUP, OWNER, LATER, "t") == []
    assert omoide.recall("rowing").hits
    assert not omoide.recall("zebra").hits
    assert omoide.people.tidy(LATER + timedelta(days=99)) == []


def test_trj_03_facts_stay_and_nobody_hears_more(opened: Opened) -> None:
    """Facts learned from dropped messages are told to the same rooms; `why` says that the message is no longer kept, and by which rule."""
    omoide = opened(30)
    people = omoide.people
    named = people.remember(saying("rows on zebra lake"))
    bare = people.remember(Saying("rows alone", ANN, ANN, GROUP, AT))
    other = people.remember(Saying("rows at night", ANN, ANN, GROUP, AT, session="s", message=77))

    def heard() -> list[list[str]]:
        return [
            [told.known.fact.text for told in people.know(Asking("", room, LATER, ANN)).facts] for room in (GROUP, OTHER, "chat:w:none")
        ]

    before = heard()
    assert len(before[0]) == 3
    assert before[1:] == [[], []]
    history = people.history(ANN)
    (entry,) = people.tidy(LATER)
    assert heard() == before
    assert people.history(ANN) == history
    for fact in (named, bare):
        told = people.why(fact.id)["tellings"][0]
        assert (told["logged"], told["dropped"]) == (None, {"at": LATER, "days": 30, "path": entry.path, "line": entry.line})
    told = people.why(named.id)["tellings"][0]
    assert (told["session"], told["message"]) == ("s", 1)
    people.say(GROUP, Event(ANN, AT + timedelta(days=40), "other", "x"))
    people.say(GROUP, Event(ANN, AT + timedelta(days=50), "another", "y"))
    people.say(GROUP, Event(ANN, AT + timedelta(days=60), "not what it was learned from", "s", 1))
    assert people.why(named.id)["tellings"][0]["logged"] is None
    told = people.why(other.id)["tellings"][0]
    assert (told["logged"], told["dropped"]) == (None, None)
    people.forget(LATER, person=ANN, fact=named.id)
    assert named.id not in {told.known.fact.id for told in people.know(Asking("", GROUP, LATER, ANN)).facts}


def test_trj_03_a_room_without_its_card(opened: Opened, tmp_path: Path) -> None:
    """A log is dropped by its place on disk: that a hand broke or removed `room.md` keeps no words longer."""
    for path in (tmp_path / "home/rooms").rglob("room.md"):
        path.unlink()
    assert [entry.events for entry in opened(30).people.tidy(LATER)] == [3]


def test_trj_03_what_cannot_be_read_stops_nothing(opened: Opened, tmp_path: Path) -> None:
    """A log in whose way something stands is named at the end; the others are done, and running again finishes."""
    omoide = opened(30)
    omoide.people.say(OTHER, Event(CAT, AT, "zebra", "x"))
    paths = sorted((tmp_path / "home/rooms").rglob("log/*.md"))
    first, data = paths[0], paths[0].read_bytes()
    first.unlink()
    first.parent.rmdir()
    first.parent.symlink_to(tmp_path)
    with suppress(StoreFailed):
        omoide.people.tidy(LATER)
    assert b"zebra" not in paths[1].read_bytes()
    first.parent.unlink()
    first.parent.mkdir()
    first.write_bytes(data)
    omoide.people.tidy(LATER)
    assert b"zebra" not in first.read_bytes()


def test_trj_03_doctor_says_what_is_due(opened: Opened) -> None:
    """As advice, where the setting is on and something is older; after tidying it is gone."""

    def said(omoide: Omoide) -> list[tuple[str, str]]:
        return [(row["severity"], row["text"]) for row in omoide.doctor() if row["what"] == "logs_due"]

    assert said(opened(0)) == said(opened(32)) == []
    omoide = opened(30)
    assert said(omoide) == [("advice", "3 events are older than 30 days (logs.keep_days) and still kept. Run: omoide rooms tidy")]
    omoide.people.tidy(LATER)
    assert said(omoide) == []


@pytest.mark.parametrize("at", [datetime(1, 1, 1, tzinfo=UTC), datetime(1, 1, 9, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)])
def test_the_ends_of_the_calendar(opened: Opened, at: datetime) -> None:
    """No moment is too early or too late to ask."""
    assert len(opened(7).people.tidy(at)) == (at.year == 9999)


def test_a_caller_reads_no_more(opened: Opened) -> None:
    """The entry of what was dropped is the room's, like its log."""
    omoide = opened(30)
    omoide.people.tidy(LATER)
    assert omoide.recall("dropped").hits
    assert not omoide.recall("dropped", scope=Scope("x", frozenset({"all"}))).hits
