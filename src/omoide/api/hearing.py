"""What is heard becomes a saying: the fields that nobody passed are found, then it is remembered like any other."""

from __future__ import annotations

from dataclasses import replace

from omoide.api.changing import Remembered
from omoide.api.folks import Folks
from omoide.api.knowing import Group
from omoide.api.remembering import only_one, remember
from omoide.memory.decide import Heard, decide, goes_on_from
from omoide.memory.filing import pieces
from omoide.memory.phrases import form, says
from omoide.memory.saying import NO_WORD, Saying, check
from omoide.memory.whose_word import Voice
from omoide.people.directory import Directory
from omoide.settings import Settings


def hear(folks: Folks, saying: Saying, message: str, settings: Settings, *, talk: bool = False) -> Remembered:
    """Decide what it is and keep it. `message`: as it was said, so that dates, jokes, quotations and secrets can be seen.

    `talk`: it is a bare message, which may go on from the one before. Raises what `remember` raises.
    """
    said = _about_somebody(folks, saying)
    directory = folks.directory()
    known = Group(folks, directory.of_account(said.about)).known
    heard = Heard(said, message, _voice(directory, said, message))
    found = decide(heard, known)
    if talk and not (found.supersedes or found.restates or found.via) and (meant := goes_on_from(heard, known)):
        found = replace(found, supersedes=meant, correction=True)
    if found.via in NO_WORD:
        return Remembered("ignored")
    return remember(folks, found, settings)


def hear_each(folks: Folks, saying: Saying, settings: Settings) -> list[Remembered]:
    """File a message that says several things piece by piece: each sentence is a note of its own, with its own dates and
    its own place. Whose word it is, and for whom, the whole message says. Raises what `remember` raises."""
    said = _about_somebody(folks, saying)
    directory = folks.directory()
    group = directory.of_account(said.about)
    whole = decide(Heard(said, said.text, _voice(directory, said, said.text)), Group(folks, group).known)
    if whole.via in NO_WORD:
        return [Remembered("ignored")]
    each = [replace(said, text=piece, via=whole.via, audience=whole.audience) for piece in pieces(said.text)]
    return [hear(folks, one, one.text, settings) for one in each] or [Remembered("ignored")]


def overhear(folks: Folks, saying: Saying, settings: Settings) -> Remembered:
    """Keep a bare message as a note about its speaker, if it plainly is one: no question, nobody else named or meant.

    Without a model that is all that can be read from talk without guessing whom it is about.
    """
    told, directory = form(saying.text), folks.directory()
    speaker = directory.of_account(saying.by)
    others = [person for key, person in directory.persons.items() if key not in speaker]
    names = {part for person in others for name in person.names for part in _parts(form(name.text))}
    if told.rstrip().endswith("?") or says("third_person", told) or any(name in told for name in names):
        return Remembered("ignored")
    return hear(folks, saying, saying.text, settings, talk=True)


def _about_somebody(folks: Folks, saying: Saying) -> Saying:
    check(saying)
    about = saying.about or only_one(folks, saying.room, saying.at)
    return replace(saying, about=about, by=saying.by or about)


def _voice(directory: Directory, said: Saying, message: str) -> Voice:
    speaker, person = directory.of_account(said.by), directory.of_account(said.about)
    room = directory.room(said.room)
    here = directory.listening(room.members(said.at)) if room else set()
    # a project, a team or an agent says nothing itself: whoever speaks of it speaks for it
    own = said.by == said.about or bool(speaker & person) or any(directory.persons[one].kind != "person" for one in person)
    return Voice(own, directory.is_bot(speaker), _is_named(directory, said, message), person in here, here == {speaker, person})


def _is_named(directory: Directory, said: Saying, message: str) -> bool:
    """Whether note or message has a name of the person, or a part of one."""
    text = form(f"{said.text}\n{message}")
    names = [form(name.text) for one in directory.of_account(said.about) for name in directory.persons[one].names]
    return any(part in text for name in names for part in _parts(name))


def _parts(name: str) -> list[str]:
    """A name, its words, and of a name written without spaces the first two letters."""
    words = [name, *name.split()]
    return [part for word in words for part in (word, word[:2] if len(word) in (3, 4) and not word.isascii() else word) if len(part) > 1]
