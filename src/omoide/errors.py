"""Every error of omoide.

OmoideError
├── BadInput            a value given by the caller cannot be used; nothing was changed
│   └── BadSettings     the same, in a settings file: names the file and the key
├── NotAllowed          a path or a scope that the caller may not read
├── StoreFailed         the disk said no (full, read-only, gone)
├── IndexFailed         the cache cannot be used or made; the files are untouched
├── ModelFailed         a model did not answer, or answered nonsense
│   └── MissingExtra    an optional part is not installed: names the install line
└── BadData             an evaluation folder does not hold what its format says

Each message says what happened, to which file or person, and what to do next.
"""

from __future__ import annotations


class OmoideError(Exception):
    """Base of all errors that omoide raises on purpose."""


class BadInput(OmoideError, ValueError):
    """A value given by the caller cannot be used; nothing was changed."""


class BadSettings(BadInput):
    """A settings file or a setting is wrong. The message names the file and the key."""


class NotAllowed(OmoideError):
    """A path or a scope that the caller may not read."""


class StoreFailed(OmoideError):
    """The disk said no: full, read-only or gone."""


class IndexFailed(OmoideError):
    """The index cannot be opened or made. It is a cache: the files are untouched."""


class ModelFailed(OmoideError):
    """A model did not answer in time, or answered something that cannot be used."""


class MissingExtra(ModelFailed):
    """An optional part is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} is not installed. Install it with: pip install 'omoide[{extra}]'")
        self.extra = extra


class BadData(OmoideError, ValueError):
    """An evaluation folder does not hold what its format says."""
