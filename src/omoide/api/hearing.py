"""What is heard becomes a saying: the fields that nobody passed are found, then it is remembered like any other."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from omoide.api.folks import Folks
from omoide.api.knowing import Group
from omoide.api.remembering import CLAIMS, Remembered, Saying, remember
from omoide.memory.decide import Heard, decide, goes_on_from
from omoide.memory.phrases import form, says
from omoide.memory.whose_word import Voice
from omoide.people.directory import Directory


@dataclass(frozen=True, slots=True)
class Hearing:
    """A note about somebody, who said it in which room, and the message it was learned from.

    `about`, `by`: accounts; `message`: as it was said, so that dates, jokes, quotations and secrets can be seen.
    """

    text: str
    about: str
    by: str
    room: str
    at: datetime
    message: str = ""
    place: str = "drawer"
    source: str = ""


def hear(folks: Folks, hearing: Hearing, cap: int, *, talk: bool = False) -> Remembered:
    """Decide what it is and keep it. `talk`: it is a bare message, which may go on from the one before. Raises what
    `remember` raises."""
    directory = folks.directory()
    heard = Heard(hearing.text, hearing.message, hearing.at, _voice(directory, hearing), hearing.source)
    known = Group(folks, directory.of_account(hearing.about)).known
    found = decide(heard, known)
    if talk and not (found.supersedes or found.restates or found.via) and (meant := goes_on_from(heard, hearing.room, known)):
        found = found._replace(supersedes=meant, correction=True)
    if found.via and found.via not in CLAIMS:
        return Remembered("ignored")
    saying = Saying(
        hearing.text, hearing.about, hearing.by, hearing.room, hearing.at, hearing.place, source=hearing.source, **found._asdict()
    )  # fmt: skip
    return remember(folks, saying, cap)


def overhear(folks: Folks, by: str, room: str, at: datetime, text: str, cap: int) -> Remembered:
    """Keep a message as a note about its speaker, if it plainly is one: no question, nobody else named or meant.

    Without a model that is all that can be read from talk without guessing whom it is about.
    """
    told, directory = form(text), folks.directory()
    speaker = directory.of_account(by)
    others = [person for key, person in directory.persons.items() if key not in speaker]
    names = {part for person in others for name in person.names for part in _parts(form(name.text))}
    if told.rstrip().endswith("?") or says("third_person", told) or any(name in told for name in names):
        return Remembered("ignored")
    return hear(folks, Hearing(text, by, by, room, at, text), cap, talk=True)


def _voice(directory: Directory, hearing: Hearing) -> Voice:
    speaker, person = directory.of_account(hearing.by), directory.of_account(hearing.about)
    room = directory.rooms.get(hearing.room)
    here = directory.people_in(room.members(hearing.at)) if room else set()
    own = hearing.by == hearing.about or bool(speaker & person)
    return Voice(own, directory.is_bot(speaker), _is_named(directory, hearing), person in here, here == {speaker, person})


def _is_named(directory: Directory, hearing: Hearing) -> bool:
    """Whether note or message has a name of the person, or a part of one."""
    text = form(f"{hearing.text}\n{hearing.message}")
    names = [form(name.text) for one in directory.of_account(hearing.about) for name in directory.persons[one].names]
    return any(part in text for name in names for part in _parts(name))


def _parts(name: str) -> list[str]:
    """A name, its words, and of a name written without spaces the first two letters."""
    words = [name, *name.split()]
    return [part for word in words for part in (word, word[:2] if len(word) in (3, 4) and not word.isascii() else word) if len(part) > 1]
