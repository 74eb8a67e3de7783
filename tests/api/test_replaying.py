"""`replay`: what a home was asked, asked again on the home as it was then."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from omoide import Omoide
from omoide.api.people import Room, Saying, Stay
from omoide.api.replaying import Replay
from omoide.errors import BadInput, ModelFailed
from omoide.models.hashing import HashingEmbedder
from omoide.settings import Settings
from parts.life import ANN, ROOM, START, Life

FULL = bool(os.environ.get("OMOIDE_FULL"))
NO_MODEL = Settings().with_values({"embedding.model": "none", "home.zone": "Asia/Tokyo"})


class Day:
    """A home whose clock is moved by hand."""

    def __init__(self, folder: Path) -> None:
        self.at = START
        (folder / "home").mkdir()
        self.home = folder / "home"
        self.omoide = Omoide(self.home, settings=NO_MODEL, cache=folder / "cache", clock=lambda: self.at)

    def later(self, **more: float) -> Day:
        self.at += timedelta(**(more or {"minutes": 1}))
        return self


@pytest.fixture
def day(tmp_path: Path) -> Day:
    return Day(tmp_path)


def ids(found: Replay) -> list[tuple[str, ...]]:
    return [one.ids for one in found.made]


@pytest.mark.parametrize("seed", range(20) if FULL else range(4))
def test_the_old_rule_gives_the_log_again(tmp_path: Path, seed: int) -> None:
    """Months with entries, messages, facts, undone facts, two rooms and the owner: every call comes out as it was logged."""
    life = Life(tmp_path / "home", tmp_path / "cache", seed)
    life.live(60, 120)
    found = life.omoide.replay()
    assert not found.skipped and not found.broken and len(found.made) == 120
    assert [one.call.where for one in found.made if not one.same] == []
    assert sum(bool(one.ids) for one in found.made) > 25
    assert sum(not one.ids for one in found.made) > 10
    life.omoide.close()


def test_a_year_of_calls(tmp_path: Path) -> None:
    """400 days and 1,000 calls with the full counts; the same with fewer else."""
    life = Life(tmp_path / "home", tmp_path / "cache", 99)
    life.live(400 if FULL else 80, 1000 if FULL else 100)
    found = life.omoide.replay()
    assert len(found.made) == (1000 if FULL else 100)
    assert all(one.same for one in found.made)


def test_with_vectors(tmp_path: Path) -> None:
    """A search by words and vectors comes out the same: old texts are embedded again, those of the index are taken from it."""
    life = Life(tmp_path / "home", tmp_path / "cache", 3, HashingEmbedder(64))
    life.omoide.search("tea")  # the first one makes the index
    life.live(20, 40)
    life.omoide.build()
    life.live(25, 30)
    found = life.omoide.replay()
    assert any(hit.call.verb == "search" and not hit.call.line.get("words_only") for hit in found.made)
    assert [one.call.where for one in found.made if not one.same] == []


def test_rcl_15_entries_of_later_do_not_exist(day: Day) -> None:
    """An entry written after a call is not found by the replay of that call, by any rule, and not counted either."""
    day.omoide.log("Sketches of the boat are kept in the blue box.")
    day.later().omoide.recall("sketches saved")
    day.later().omoide.recall("boat saved")
    day.later().omoide.log("Sketches of the boat were saved on the shelf.")
    day.later().omoide.recall("sketches saved")
    for rule in ("", "recall", "all-words", "search"):
        found = day.omoide.replay(rule=rule)
        assert len(ids(found)[0]) == len(ids(found)[1]) == (0 if rule == "all-words" else 1)
    assert [len(one) for one in ids(day.omoide.replay())] == [1, 1, 1]
    assert [one.same for one in day.omoide.replay().made] == [True] * 3


def test_within_one_minute(day: Day) -> None:
    """Seconds count: an entry of the same minute that came after the call is none of it."""
    day.omoide.log("Tea in the blue tin.")
    day.later(seconds=1).omoide.recall("tea")
    day.later(microseconds=1).omoide.log("Tea in the red tin.")
    day.later(microseconds=1).omoide.recall("tea")
    assert [len(one.call.ids or ()) for one in day.omoide.replay().made] == [1, 2]
    assert all(one.same for one in day.omoide.replay().made)


def test_edits_are_taken_back_from_history(day: Day) -> None:
    """A card is searched as it stood at the moment, though the fact was corrected and put back since."""
    people = day.omoide.people
    people.meet(ANN, "Ann", at=day.at)
    people.open_room(Room(ROOM, "club", "group", "members", (Stay(ANN),)), day.at)
    day.later()
    people.remember(Saying("Lives in Uji.", ANN, ANN, ROOM, day.at))
    uji = people.folders(ANN)[0]
    day.later().omoide.search("Uji", recipe="lexical")
    day.later()
    change = people.history(uji)[-1].id
    people.undo(change, day.at)
    day.later().omoide.search("Uji", recipe="lexical")
    found = day.omoide.replay()
    assert [len(one) for one in ids(found)] == [1, 0]
    assert all(one.same for one in found.made)


def test_a_hand_that_changed_a_file_shows(day: Day) -> None:
    """What no history tells of cannot be taken back: the call comes out otherwise, and both answers are there."""
    day.omoide.log("Tea in the blue tin.")
    day.later().omoide.recall("tea")
    path = day.home / f"memory/{START:%Y-%m-%d}.md"
    path.write_text(path.read_text("utf-8").replace("Tea", "Coffee"), "utf-8")
    (one,) = day.omoide.replay().made
    assert (one.same, len(one.call.ids or ()), one.ids) == (False, 1, ())


def test_rcl_14_a_call_whose_result_was_not_kept_is_counted_apart(day: Day, tmp_path: Path) -> None:
    """So are callers that nobody knows any more, questions that were vectors, and lines that are no calls."""
    day.omoide.log("Tea in the blue tin.")
    when = day.later().at.isoformat()
    rows: list[dict[str, object] | str] = [
        {"t": when, "words": ["tea"]}, {"t": when, "words": ["tea"], "ids": [], "scope": "0" * 16}, "half a li",
        {"t": when, "query": "tea", "ids": [], "ready_vector": True}, {"t": when, "query": "…", "rule": "recall", "ids": []},
        {"t": when, "words": ["tea"], "ids": [f"memory/{START:%Y-%m-%d}.md:1"]},
    ]  # fmt: skip
    (tmp_path / "log.jsonl").write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), "utf-8")
    found = day.omoide.replay(tmp_path / "log.jsonl")
    assert [why.partition(":")[0].partition(",")[0] for _, why in found.skipped] == [
        "its result was not kept", "who asked is not known here", "it was asked by a vector",
        "there is nothing but punctuation in '…'; recall compares words",
    ]  # fmt: skip
    assert [one.where for one in found.broken] == ["log.jsonl:3"]
    assert [one.same for one in found.made] == [True]


def test_rooms_are_known_by_their_readers(day: Day) -> None:
    """A call of a room is made again with what its members may read, not with what the owner may."""
    people = day.omoide.people
    people.meet(ANN, "Ann", at=day.at)
    people.open_room(Room(ROOM, "club", "group", "members", (Stay(ANN),)), day.at)
    day.omoide.log("Tea for the owner alone.")
    day.omoide.log("Tea for the club.", room=ROOM)
    day.later().omoide.recall("tea", scope=people.scope(ROOM, day.at))
    day.later().omoide.recall("tea")
    assert [len(one) for one in ids(day.omoide.replay())] == [1, 2]


def test_dated_files_of_others(day: Day) -> None:
    """Sections written by hand or by another agent exist from the clock in their heading on; without one, from midnight on."""
    (day.home / "memory").mkdir()
    text = f"# {START:%Y-%m-%d}\n\nTea all day.\n\n## 09:00 Tea at nine\n\nGreen.\n\n## Tea some time\n\nBlack.\n"
    (day.home / f"memory/{START:%Y-%m-%d}-other.md").write_text(text, "utf-8")
    (day.home / "notes.md").write_text("Tea without a day.\n", "utf-8")
    rows = []
    for hour, count in ((-1, 0), (1, 2), (10, 3)):
        at = START + timedelta(hours=hour)
        rows.append({"t": at.isoformat(), "words": ["tea"], "ids": [str(count)]})
        rows.append({"t": at.isoformat(), "query": "tea", "rule": "lexical", "ids": [str(count + 1)]})
    log = day.home.parent / "log.jsonl"
    log.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    found = day.omoide.replay(log)
    assert [len(one.ids) for one in found.made] == [int((one.call.ids or ("",))[0]) for one in found.made]


def test_the_same_answer_from_a_rebuilt_index(tmp_path: Path) -> None:
    """In which order files were indexed decides nothing: the order of results is that of moments, then of places."""
    life = Life(tmp_path / "home", tmp_path / "cache", 5)
    (tmp_path / "home/memory").mkdir()
    for name in ("b", "a", "c"):
        (tmp_path / f"home/memory/2025-09-01-{name}.md").write_text(f"Tea {name}\n\n## Note\n\nTea again\n", "utf-8")
        life.omoide.recall("tea", limit=2)
    was = [hit.chunk.id for hit in life.omoide.recall("tea").hits]
    cut = [hit.chunk.id for hit in life.omoide.recall("tea", limit=2).hits]
    life.omoide.build(force=True)
    assert [hit.chunk.id for hit in life.omoide.recall("tea").hits] == was == sorted(was)
    assert [hit.chunk.id for hit in life.omoide.recall("tea", limit=2).hits] == cut
    period = {"since": datetime(2025, 9, 1, tzinfo=START.tzinfo), "until": START}
    assert [hit.chunk.id for hit in life.omoide.recall(**period).hits] == was  # type: ignore[arg-type]


def test_an_unknown_rule(day: Day) -> None:
    """The rules that there are, are named."""
    with pytest.raises(BadInput, match="all-words, recall, search"):
        day.omoide.replay(rule="magic")
    assert day.omoide.replay() == Replay()


class Broken(HashingEmbedder):
    """A model that is gone."""

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Any:
        raise ModelFailed("the model is gone.")


def test_a_model_that_fails_costs_its_lane(tmp_path: Path) -> None:
    """Calls are made again by words, and the reason is given along."""
    life = Life(tmp_path / "home", tmp_path / "cache", 3)
    life.live(5, 20)
    with Omoide(life.omoide._home.store.home, settings=NO_MODEL, cache=tmp_path / "cache", embedder=Broken(64)) as omoide:
        found = omoide.replay(rule="search")
        assert len(found.made) + len(found.skipped) == 20 and "the model is gone" in found.failed
