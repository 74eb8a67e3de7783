"""Every error of omoide.

OmoideError
├── BadInput            a value given by the caller cannot be used; nothing was changed
│   ├── BadSettings     the same, in a settings file: names the file and the key
│   └── CardFull        a card has no room for one more fact: says which could move to the drawer
├── NotAllowed          a path or a scope that the caller may not read
├── StaleWrite          a file is not what the writer believed; nothing was changed, the bytes now there come along
├── StoreFailed         the disk said no (full, read-only, gone)
│   └── SubjectLocked   somebody else has been writing the same subject for too long
├── IndexFailed         the cache cannot be used or made; the files are untouched
├── ModelFailed         a model did not answer, or answered nonsense
│   └── MissingExtra    an optional part is not installed: names the install line
└── BadData             an evaluation folder does not hold what its format says

LookAlike               a warning (shown by Python, nothing is raised): a name that could be taken for another in the room

Each message says what happened, to which file or person, and what to do next.
"""

from __future__ import annotations


class OmoideError(Exception):
    """Base of all errors that omoide raises on purpose."""


class BadInput(OmoideError, ValueError):
    """A value given by the caller cannot be used; nothing was changed."""


class BadSettings(BadInput):
    """A settings file or a setting is wrong. The message names the file and the key."""


class CardFull(BadInput):
    """A card has no room for one more fact. `could_move`: facts that may go to the drawer instead."""

    def __init__(self, person: str, size: int, cap: int, could_move: list[str]) -> None:
        moves = "; ".join(could_move) or "nothing"
        super().__init__(
            f"the card of {person} would have {size:,} characters of {cap:,}. Nothing was written. "
            f"Put the new fact into the drawer, or move there (omoide move ^ID drawer): {moves}"
        )
        self.size, self.cap, self.could_move = size, cap, could_move


class NotAllowed(OmoideError):
    """A path or a scope that the caller may not read."""


class StoreFailed(OmoideError):
    """The disk said no: full, read-only or gone."""


class SubjectLocked(StoreFailed):
    """Somebody else has been writing the same subject for longer than the writer would wait. Nothing was changed."""

    def __init__(self, subject: str, seconds: float) -> None:
        said = f"{subject}: another writer has held it for {seconds:g} seconds. Nothing was changed; try again."
        super().__init__(said)
        self.subject = subject


class StaleWrite(OmoideError):
    """A file is not what the writer believed. Nothing was changed.

    `path` is the file, `now` its bytes (None: there is no such file), `because` who came between, as far as known.
    """

    def __init__(self, path: str, now: bytes | None, because: str = "") -> None:
        state = "is gone" if now is None else "has changed"
        reason = f" ({because})" if because else ""
        super().__init__(f"{path} {state} since it was read{reason}. Nothing was written; read it again and repeat the change.")
        self.path, self.now, self.because = path, now, because


class IndexFailed(OmoideError):
    """The index cannot be opened or made. It is a cache: the files are untouched."""


class ModelFailed(OmoideError):
    """A model did not answer in time, or answered something that cannot be used."""


class MissingExtra(ModelFailed):
    """An optional part is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} is not installed. Install it with: pip install 'omoide[{extra}]'")
        self.extra = extra


class LookAlike(UserWarning):
    """Somebody has a name that only looks like that of another in the same room. They stay two; nothing was refused."""


class BadData(OmoideError, ValueError):
    """An evaluation folder does not hold what its format says."""
