"""Room logs: kept whole, told to those who were there, named by `why`, forgotten with what was learned from them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from omoide import Omoide
from omoide.api.people import OWNER, Asking, Event, People, Room, Saying, Stay
from omoide.errors import BadInput
from parts.garden import ANN, AT, BOB, BOT, CAT, GROUP, OTHER, garden

CHANNEL = "chat:w:channel"


@pytest.fixture
def people(tmp_path: Path) -> Iterator[People]:
    (tmp_path / "home").mkdir()
    with Omoide(tmp_path / "home", cache=tmp_path / "cache") as omoide:
        made(omoide.people)
        yield omoide.people


def made(people: People) -> None:
    garden(people)
    people.open_room(Room(CHANNEL, "news", "channel", "members", (Stay(ANN), Stay(BOT))), AT)


def say(people: People, by: str, text: str, *, room: str = GROUP, minutes: int = 0, **more: object) -> Event:
    return people.say(room, Event(by, AT + timedelta(minutes=minutes), text, **more))  # type: ignore[arg-type]


def heard(people: People, room: str, reading: str, hours: int = 1, session: str = "") -> list[str]:
    return [event.text for event in people.said(room, reading, AT + timedelta(hours=hours), session)]


def test_trj_01_in_order_of_time(people: People) -> None:
    """Messages, replies and results come back by time, whole, also those of one session only."""
    say(people, ANN, "the second", minutes=5, session="s")
    say(people, BOT, "{}", minutes=6, session="s", role="tool", tool="memory_search", call="c1")
    say(people, BOT, "a reply", minutes=7, session="s", role="reply")
    say(people, BOB, "came late, was first", minutes=1, session="t")
    assert heard(people, GROUP, OWNER) == ["came late, was first", "the second", "{}", "a reply"]
    assert heard(people, GROUP, OWNER, session="t") == ["came late, was first"]


def test_trj_01_no_verb_changes_what_was_said(people: People, tmp_path: Path) -> None:
    """Remembering, undoing, moving, renaming, linking, joining, leaving and saying more leave the bytes of the log as its beginning."""
    kept = say(people, ANN, "likes rowing", session="s")
    log = tmp_path / "home" / kept.path
    before = log.read_bytes()
    old = people.remember(Saying("likes rowing", ANN, ANN, GROUP, AT, session="s", message=1))
    people.remember(Saying("likes sailing", ANN, ANN, GROUP, AT + timedelta(minutes=1), supersedes=old.id))
    people.undo(people.history(ANN)[-1].id, AT)
    people.move(ANN, old.id, "card", AT)
    people.rename(ANN, "Anna", AT)
    people.link(ANN, BOB, proof=True, at=AT)
    people.unlink(ANN, BOB, at=AT)
    people.leave(GROUP, BOB, AT + timedelta(hours=1))
    people.join(GROUP, CAT, AT + timedelta(hours=1))
    with pytest.raises(BadInput, match="never changed"):
        say(people, ANN, "never said that", session="s", message=1)
    say(people, BOB, "more")
    assert log.read_bytes().startswith(before)


def test_only_those_who_were_there_read_it(people: People) -> None:
    """A group's words are told in no room where somebody was not there; who comes later hears what comes later; a channel shows its past."""
    say(people, ANN, "ours")
    assert heard(people, GROUP, GROUP) == heard(people, GROUP, OWNER) == ["ours"]
    assert heard(people, GROUP, OTHER) == heard(people, GROUP, "chat:w:unknown") == []
    people.join(GROUP, CAT, AT + timedelta(minutes=30))
    say(people, ANN, "for Cat too", minutes=40)
    assert heard(people, GROUP, GROUP) == ["for Cat too"]
    assert heard(people, GROUP, OTHER) == ["for Cat too"]
    people.leave(GROUP, CAT, AT + timedelta(minutes=50))
    assert heard(people, GROUP, OTHER) == []
    assert heard(people, GROUP, GROUP) == ["ours", "for Cat too"]
    say(people, ANN, "news", room=CHANNEL)
    people.join(CHANNEL, BOB, AT + timedelta(minutes=1))
    assert heard(people, CHANNEL, CHANNEL) == ["news"]


def test_a_room_that_is_not_known(people: People) -> None:
    """Nothing is logged for a room that nobody opened, or by a name in place of an account."""
    with pytest.raises(BadInput, match="open it first"):
        say(people, ANN, "x", room="chat:w:nowhere")
    with pytest.raises(BadInput, match="no account"):
        say(people, "ann", "x")


def test_trj_09_why_names_session_message_time_and_call(people: People) -> None:
    """A fact leads to its message: the session, its number, the time, the call that kept it, and where it stands in the log."""
    said = say(people, ANN, "I moved to Lyon", session="s-7", minutes=3)
    fact = people.remember(Saying("lives in Lyon", ANN, ANN, GROUP, said.at, session="s-7", message=said.message, call="call_5"))
    told = people.why(fact.id)["tellings"][0]
    assert (told["session"], told["message"], told["call"], told["at"]) == ("s-7", 1, "call_5", said.at)
    assert told["logged"] == {"path": said.path, "line": said.line, "session": "s-7", "message": 1, "by": ANN, "at": said.at, "agrees": True}


def test_why_is_checked_against_the_log(people: People) -> None:
    """A number that the log does not have, or that another person's message has, is shown as that; without a number the moment decides."""
    say(people, BOB, "hello", session="s")
    wrong = people.remember(Saying("plays go", ANN, ANN, GROUP, AT, session="s", message=1))
    assert people.why(wrong.id)["tellings"][0]["logged"]["agrees"] is False
    gone = people.remember(Saying("plays chess", ANN, ANN, GROUP, AT, session="s", message=9))
    assert people.why(gone.id)["tellings"][0]["logged"] is None
    heard = people.hear(Saying("Has a boat", BOB, BOB, GROUP, AT), "I have a boat")
    assert people.why(heard.id)["tellings"][0]["logged"]["session"] == "s"
    kept = people.overhear(BOB, GROUP, AT, "I take my tea without milk", "s", 1)
    assert people.why(kept.id)["tellings"][0]["message"] == 1


def test_forgetting_a_fact_reaches_its_words(people: People, tmp_path: Path) -> None:
    """The messages that told it, each time, and what the agent said of it lose their words; another's own words and all else stay."""
    first = say(people, ANN, "I was ill in spring, by the way", session="s")
    say(people, BOT, "Noted: was ill in spring.", session="s", role="reply", minutes=1)
    say(people, BOT, '[{"text": "Was ill in spring"}]', session="s", role="tool", tool="about", minutes=2)
    say(people, BOB, "somebody was ill in spring", session="s", minutes=3)
    say(people, ANN, "I row", session="s", minutes=4)
    fact = people.remember(Saying("was ill in spring", ANN, ANN, GROUP, first.at, session="s", message=first.message))
    people.forget(AT + timedelta(hours=1), person=ANN, fact=fact.id)
    assert heard(people, GROUP, OWNER) == ["", "", "", "somebody was ill in spring", "I row"]
    log = (tmp_path / "home" / first.path).read_bytes()
    assert b"by the way" not in log
    assert log.count(b"ill in spring") == 1


def test_forgetting_a_source_a_room_a_person(people: People, tmp_path: Path) -> None:
    """Of a source the messages go that it told; of a room the whole log; of a person whatever was said by or about them."""
    one = say(people, ANN, "from the forum")
    people.remember(Saying("rows", ANN, ANN, GROUP, one.at, source="forum"))
    two = say(people, BOB, "Cat plays the oboe", minutes=1)
    people.remember(Saying("plays the oboe", CAT, BOB, GROUP, two.at, via="other"))
    say(people, ANN, "in the channel", room=CHANNEL)
    say(people, CAT, "unrelated words of Cat", room=OTHER)
    people.forget(AT + timedelta(hours=1), source="forum")
    assert heard(people, GROUP, OWNER) == ["", "Cat plays the oboe"]
    people.forget(AT + timedelta(hours=1), person=CAT, everything=True)
    assert heard(people, GROUP, OWNER) == ["", ""]
    assert heard(people, OTHER, OWNER) == [""]
    people.forget(AT + timedelta(hours=1), room=CHANNEL)
    assert heard(people, CHANNEL, OWNER) == []
    assert all(b"in the channel" not in path.read_bytes() for path in (tmp_path / "home").rglob("*") if path.is_file())


def test_forgetting_one_fact_again_finds_nothing_more(people: People, tmp_path: Path) -> None:
    """A second forgetting changes no byte of the log."""
    said = say(people, ANN, "I row", session="s")
    fact = people.remember(Saying("rows", ANN, ANN, GROUP, said.at, session="s", message=1))
    people.forget(AT + timedelta(hours=1), person=ANN, fact=fact.id)
    before = (tmp_path / "home" / said.path).read_bytes()
    people.forget(AT + timedelta(hours=1), person=ANN, everything=True)
    assert (tmp_path / "home" / said.path).read_bytes() == before


PROCESS_ONE = """
import os, signal, sys
from datetime import UTC, datetime
from pathlib import Path
from omoide import Omoide
from omoide.api.people import Event, Saying
at = datetime(2026, 11, 30, 9, 30, tzinfo=UTC)
with Omoide(sys.argv[1]) as omoide:
    said = omoide.people.say("chat:w:other", Event("chat:w:cat", at, "I moved to Kobe", "s-1"))
    omoide.people.remember(Saying("lives in Kobe", "chat:w:cat", "chat:w:cat", "chat:w:other", at, session="s-1", message=said.message))
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_trj_04_over_a_killed_process(people: People, tmp_path: Path) -> None:
    """What one process kept before it was killed the next one reads, for that person; in the room of others there is nothing."""
    home = tmp_path / "home"
    done = subprocess.run([sys.executable, "-c", PROCESS_ONE, str(home)], env={**os.environ, "PYTHONPATH": "src"}, check=False)
    assert done.returncode == -signal.SIGKILL
    with Omoide(home) as omoide:
        later = AT + timedelta(days=1)
        found = omoide.people.know(Asking("where does she live?", OTHER, later, about=CAT)).facts
        assert [told.known.fact.text for told in found] == ["lives in Kobe"]
        assert omoide.people.why(found[0].known.fact.id)["tellings"][0]["logged"]["agrees"]
        assert not omoide.people.know(Asking("where does she live?", GROUP, later, about=CAT)).facts
        assert omoide.people.said(OTHER, GROUP, later) == []
        assert omoide.people.grep(CAT, "Kobe", GROUP, later) == []
        assert not omoide.people.card(CAT, GROUP, later).labels


def test_per_15_a_reply_without_a_look_is_marked(people: People) -> None:
    """A reply before which nothing was looked up since the user spoke is listed as unchecked; after a look it is not."""
    say(people, ANN, "when does my passport expire?", session="s")
    lazy = say(people, BOT, "probably not relevant; I do not know", session="s", role="reply", minutes=1)
    assert people.unchecked(GROUP) == [lazy]
    say(people, ANN, "please look", session="s", minutes=2)
    say(people, BOT, "2027-02-18", session="s", role="tool", tool="memory_search", minutes=3)
    say(people, BOT, "in February", session="s", role="reply", minutes=4)
    assert people.unchecked(GROUP, "s") == [lazy]


@pytest.mark.parametrize("room", [GROUP, OTHER])
def test_per_12_13_cards_of_those_present_and_no_drawer(people: People, room: str) -> None:
    """The cards of a room are those of the people in it and of no one else, and show nothing of a drawer but its labels."""
    for account in (ANN, BOB, CAT):
        people.remember(Saying(f"front of {account}", account, account, GROUP, AT, "card", audience="open"))
        people.remember(Saying(f"deep in the drawer of {account}", account, account, GROUP, AT, "drawer/topic", audience="open"))
    cards = people.cards(room, AT + timedelta(days=1))
    inside = {GROUP: [ANN, BOB], OTHER: [CAT]}[room]
    assert sorted(fact.fact.text for card in cards for fact in card.facts) == [f"front of {account}" for account in inside]
    assert "deep in" not in repr(cards)
    assert [label.topic for card in cards for label in card.labels] == ["topic"] * len(inside)
    assert people.cards("chat:w:nowhere", AT) == []
