"""Every verb that writes into a home, on a disk that fails once at any call: old bytes or new ones, a named error, and again it works."""

from __future__ import annotations

import errno
import os
import random
import re
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from omoide.api.folks import Folks
from omoide.api.new_home import make_home
from omoide.api.people import Event, People, Room, Saying, Stay
from omoide.errors import OmoideError, StoreFailed
from omoide.settings import Settings
from omoide.store.door import Door
from parts.broken_disk import CHANGING, READING, Died, faulty, state, temps

FULL = bool(os.environ.get("OMOIDE_FULL"))
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)
KEN, KEN2, YUMI, YUMI2, GROUP = "chat:w:ken", "mail:w:ken", "chat:w:yumi", "mail:w:yumi", "chat:w:group"
OLD_MEMORY = "# MEMORY\n\n## Ken\n\n- likes plum wine\n\n## Yumi\n\n- walks at dawn\n\n- the key hangs behind the printer\n"
KEPT: dict[str, str] = {}
"""Ids of what is in the home before."""


def said(text: str, about: str = KEN, by: str = "", **more: str) -> Saying:
    """Told in the group."""
    return Saying(text, about, by or about, GROUP, LATER, **{"place": "drawer", **more})  # type: ignore[arg-type]


def last_change(people: People) -> str:
    return people.history(KEN)[-1].id


WRITES: dict[str, tuple[Callable[[People], object], ...]] = {
    "meet": (
        lambda people: people.meet("chat:w:new", "Newcomer", at=LATER),
        lambda people: people.meet(KEN, "Ken the Second", at=LATER),
    ),
    "rename": (lambda people: people.rename(KEN, "Kenneth", LATER),),
    "link": (lambda people: people.link(KEN, KEN2, proof=True, at=LATER),),
    "unlink": (lambda people: people.unlink(YUMI, YUMI2, at=LATER),),
    "merge": (lambda people: people.merge(KEN, KEN2, at=LATER),),
    "split": (lambda people: people.split(YUMI, YUMI2, at=LATER),),
    "open_room": (lambda people: people.open_room(Room("chat:w:two", "two", "group", "since_join", (Stay(KEN),)), LATER),),
    "join": (lambda people: people.join(GROUP, KEN2, LATER),),
    "leave": (lambda people: people.leave(GROUP, YUMI, LATER),),
    "say": (lambda people: people.say(GROUP, Event(KEN, LATER, "good morning", "s", 7)),),
    "tidy": (lambda people: people.tidy(LATER + timedelta(days=40)),),
    "remember": (
        lambda people: people.remember(said("keeps bees", place="card")),
        lambda people: people.remember(said("keeps two finches", supersedes=KEPT["finch"])),
        lambda people: people.remember(said("keeps a finch", restates=KEPT["finch"])),
    ),
    "hear": (lambda people: people.hear(said("collects stamps"), "I collect stamps"),),
    "hear_each": (lambda people: people.hear_each(said("I collect stamps. I moved to Lisbon.")),),
    "overhear": (lambda people: people.overhear(KEN, GROUP, LATER, "I collect stamps"),),
    "move": (lambda people: people.move(KEN, KEPT["finch"], "card", LATER),),
    "undo": (lambda people: people.undo(last_change(people), LATER),),
    "accept": (lambda people: people.accept(KEPT["claim"], LATER),),
    "reject": (lambda people: people.reject(KEPT["claim"], LATER),),
    "migrate": (lambda people: people.migrate({}, LATER),),
    "forget": (
        lambda people: people.forget(LATER, person=KEN, fact=KEPT["finch"]),
        lambda people: people.forget(LATER, source="letter"),
        lambda people: people.forget(LATER, room=GROUP),
        lambda people: people.forget(LATER, person=YUMI, everything=True),
    ),
}  # fmt: skip
READS = {
    "who", "folders", "accounts", "candidates", "alike", "nearly", "everybody", "rooms", "said", "scope", "unchecked", "know", "card", "cards", "grep", "why",
    "history", "review",
}  # fmt: skip
CASES = [(name, number) for name, cases in WRITES.items() for number in range(len(cases))]


def test_every_verb_is_tried_here() -> None:
    """A new verb about people is listed as one that only reads, or has a case in which the disk fails."""
    verbs = {name for name, value in vars(People).items() if callable(value) and not name.startswith("_")}
    assert verbs == READS | WRITES.keys()
    assert not READS & WRITES.keys()


def opened(home: Path) -> People:
    return People(Folks(home, UTC), Settings().with_values({"logs.keep_days": 30}))


@pytest.fixture(scope="module")
def origin() -> Iterator[Path]:
    """A home with people, a room, facts, a claim and an old memory, where files can be written quickly."""
    quick = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=quick if os.access(quick, os.W_OK) else None) as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        home = Path(folder) / "origin"
        home.mkdir()
        people = opened(home)
        for account, name in ((KEN, "Ken"), (KEN2, "Kenji"), (YUMI, "Yumi"), (YUMI2, "Yumiko")):
            people.meet(account, name, at=NOW)
        people.link(YUMI, YUMI2, proof=True, at=NOW)
        people.open_room(Room(GROUP, "group", "group", "since_join", (Stay(KEN), Stay(YUMI))), NOW)
        people.say(GROUP, Event(YUMI, NOW, "hello", "s", 1))
        KEPT["finch"] = people.remember(Saying("keeps a finch", KEN, KEN, GROUP, NOW, "drawer", source="letter")).id
        KEPT["claim"] = people.remember(Saying("moves to Osaka", KEN, YUMI, GROUP, NOW, "drawer", via="other")).id
        people.remember(Saying("paints", YUMI, YUMI, GROUP, NOW, "card"))
        people.remember(Saying("sews", YUMI2, YUMI2, GROUP, NOW, "drawer"))
        people.remember(Saying("rows on the lake", KEN, KEN, GROUP, NOW, "drawer"))
        (home / "MEMORY.md").write_text(OLD_MEMORY, encoding="utf-8")
        yield home


class Trials:
    """Copies of one home on which one verb is tried."""

    def __init__(self, origin: Path, verb: Callable[[People], object]) -> None:
        self.origin, self.verb = origin, verb
        self.old = state(origin)
        good = self.fresh()
        with faulty({*CHANGING, *READING}, 0, OSError()) as broken:
            verb(opened(good))
        self.new, self.used = state(good), dict(broken.each)
        self.between: dict[str, set[bytes | None]] = {path: {self.old.get(path), self.new.get(path)} for path in self.old | self.new}
        for subject in [path.relative_to(good / ".history").as_posix() for path in (good / ".history").rglob("*.jsonl")]:
            for record in Door(good).records(subject.removesuffix(".jsonl")):
                for edit in record.edits:
                    self.between.setdefault(edit.path, {None}).update((edit.before, edit.after))
        shutil.rmtree(good)

    def fresh(self) -> Path:
        """A home as it was before."""
        home = Path(tempfile.mkdtemp(dir=self.origin.parent)) / "home"
        shutil.copytree(self.origin, home)
        return home

    def check(self, home: Path, failed: str) -> None:
        """What must hold on a disk that is well again."""
        Door(home).complete(thoroughly=False)
        assert temps(home) == [], failed
        assert not list(home.rglob("*.lock")), failed
        found = state(home)
        for path in found.keys() | self.between.keys():
            half = failed and "/log/" in path and (self.new.get(path) or b"").startswith(found.get(path) or b"")  # it is no event
            assert half or found.get(path) in self.between.get(path, ()), (failed, path)
        if found != self.new:
            assert failed
            self.verb(opened(home))
            assert state(home) == self.new, failed
        shutil.rmtree(home)


def places(used: int, chance: random.Random) -> list[int]:
    """At which use of a call it fails: each one, or with small counts a few."""
    return list(range(1, used + 1)) if FULL else sorted(chance.sample(range(1, used + 1), min(used, 3)))


@pytest.mark.parametrize(("name", "number"), CASES)
@pytest.mark.filterwarnings("ignore")
def test_a_disk_that_says_no_once(origin: Path, name: str, number: int) -> None:
    """Each file call of each verb fails once at each of its uses: old bytes, a named error, and the same verb works after it."""
    trials, chance, tried = Trials(origin, WRITES[name][number]), random.Random(f"{name}{number}"), 0
    assert trials.used["open"] > 1
    for call, used in sorted(trials.used.items()):
        codes = (errno.ENOSPC, errno.EIO, errno.EACCES, errno.EROFS) if call in CHANGING else (errno.EIO, errno.EACCES)
        for at in places(used, chance):
            for code in codes if FULL else [chance.choice(codes)]:
                home, failed, tried = trials.fresh(), "", tried + 1
                people = opened(home)
                with faulty({call}, at, OSError(code, os.strerror(code))):
                    try:
                        trials.verb(people)
                    except OmoideError as error:
                        failed = f"{error} [{call} {at}, {code}]"
                assert not failed or re.match(r"[\w.^/ -]+[:/]|The home", failed), failed
                trials.check(home, failed)
    print(f"\n{name} {number}: {tried} faults")


@pytest.mark.parametrize(("name", "number"), CASES)
@pytest.mark.filterwarnings("ignore")
def test_killed_before_any_call(origin: Path, name: str, number: int) -> None:
    """A process that dies before any call that changes the disk leaves old bytes or new ones, and the same verb works after it."""
    trials, chance = Trials(origin, WRITES[name][number]), random.Random(f"{name}{number}")
    total = sum(trials.used.get(call, 0) for call in CHANGING)
    for at in range(1, total + 1) if FULL else sorted(chance.sample(range(1, total + 1), min(total, 8))):
        home = trials.fresh()
        people = opened(home)
        with pytest.raises(Died), faulty(set(CHANGING), at, Died()):
            trials.verb(people)
        trials.check(home, f"killed before call {at}")


@pytest.mark.parametrize("call", ["open", "write", "fsync"])
def test_a_new_home_on_a_bad_disk(tmp_path: Path, call: str) -> None:
    """`init` leaves no half of a file behind, says which folder refused, and goes on when the disk is well again."""
    make_home(tmp_path / "good")
    for at in (1, 2):
        for code in (errno.ENOSPC, errno.EIO, errno.EACCES, errno.EROFS):
            home = tmp_path / f"{at}-{code}"
            with pytest.raises(StoreFailed, match=home.name), faulty({call}, at, OSError(code, os.strerror(code))):
                make_home(home)
            good = state(tmp_path / "good")
            assert all(good[path] == data for path, data in state(home).items())
            make_home(home)
            assert state(home) == good
