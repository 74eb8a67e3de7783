"""The nouns of omoide. Who has read this file has read the architecture.

Everything that can be found is a `Chunk`; everything that was found is a `Hit`;
a hit's score is read from its own trace and stored nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from omoide.errors import BadInput

if TYPE_CHECKING:  # numpy stays out of the path of a command that needs no arrays
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
    """Float32 array of shape (texts, dimensions); every row has length 1."""

EVERYTHING = "*"
"""The audience only the owner of a home has: every file in it."""

TIMELESS = frozenset({"memory", "card", "drawer", "room", "skill"})
"""Kinds of notes that have no day, whatever their file is called, and never age."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Who asks, and when. Passed to every read; decided below ranking by `people.access`.

    `audiences` names whose things the caller may hear ("me", "all", "person:<id>", "room:<id>", …).
    An empty set hears nothing; only `EVERYTHING` hears all. `now` is the moment of asking
    (with a zone); None means the clock of the caller's `Omoide`.
    """

    viewer: str = "owner"
    audiences: frozenset[str] = frozenset({EVERYTHING})
    now: datetime | None = None

    def __post_init__(self) -> None:
        if isinstance(self.audiences, str):  # "all" would be taken for the letters in it
            raise BadInput(f"audiences is a set of names, not the text {self.audiences!r}")
        if self.now is not None and self.now.tzinfo is None:
            raise BadInput(f"now needs a time zone: {self.now.isoformat()}+09:00, for example")


@dataclass(frozen=True, slots=True)
class Document:
    """One file as it is on disk. `path` is relative to the home, with `/`, in NFC.

    `text` is the decoded content with its own line ends; `digest` is over the bytes.
    `kind` is memory, log, card, drawer, room, room-log, note, knowledge or skill.
    `subject` is the folder a file belongs to (a person's id, a room's id, …) or "".
    `when` is the date in the file name, at midnight in the owner's zone, or None: undated.
    """

    path: str
    text: str
    digest: str
    kind: str
    audience: str
    subject: str = ""
    when: datetime | None = None


class Chunk(NamedTuple):
    """What can be found: a piece of text and the place it comes from.

    `lines` are 1-based and inclusive; (0, 0) for a row that has no file.
    `context` is what a reader of the place sees above it (title, headings); it is searched too.
    """

    id: str
    path: str
    lines: tuple[int, int]
    audience: str
    text: str
    context: str = ""
    when: datetime | None = None
    kind: str = "note"
    subject: str = ""

    @property
    def full_text(self) -> str:
        """Context and text together: what is indexed and embedded."""
        return f"{self.context}\n{self.text}" if self.context else self.text


class Step(NamedTuple):
    """One line of an explanation: a stage gave this score because of that, from these parts.

    `rank` is the place a lane or a reordering stage gave (1 is first), 0 where a stage gives none.
    `facts` are the numbers behind `because`, by name, for programs.
    (A named tuple: hundreds are made for a query, and a frozen dataclass costs five times as much.)
    """

    stage: str
    score: float
    because: str = ""
    parts: tuple[Step, ...] = ()
    rank: int = 0
    facts: dict[str, Any] | None = None


REORDERING = frozenset({"mmr"})
"""Stages that give ranks only; their step repeats no relevance and is skipped by `Hit.score`."""


class Hit(NamedTuple):
    """A chunk and the story of its score."""

    chunk: Chunk
    trace: tuple[Step, ...]

    @property
    def score(self) -> float:
        """Relevance after fusion, support, rerank and decay: the last such line of the trace."""
        for step in reversed(self.trace):
            if step.stage not in REORDERING:
                return float(step.score)
        return 0.0

    def lane(self, stage: str) -> Step | None:
        """The step of one lane ("lexical" or "dense"), or None if it did not find this chunk."""
        for step in self.trace:
            for part in (step, *step.parts):
                if part.stage == stage:
                    return part
        return None

    def then(self, step: Step) -> Hit:
        """The same chunk with one more line in its trace."""
        return Hit(self.chunk, (*self.trace, step))


class Notice(NamedTuple):
    """Something the caller should know about a result. `code` is stable, `text` is for people."""

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class Results:
    """Hits, best first, and what has to be said about them. No hits always come with a notice."""

    hits: tuple[Hit, ...] = ()
    notices: tuple[Notice, ...] = ()
    facts: dict[str, Any] = field(default_factory=dict)

    def __iter__(self) -> Any:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def but(self, **changes: Any) -> Results:
        """A copy with some fields changed."""
        return replace(self, **changes)


@dataclass(frozen=True, slots=True)
class Query:
    """A question on its way through the stages. `now` always has a zone here.

    `explain` asks for the words behind every step; without it a trace has scores, ranks and numbers only.
    """

    text: str
    now: datetime
    limit: int
    scope: Scope = Scope()
    explain: bool = False


Stage = Callable[[Query, list[Hit]], list[Hit]]
"""One step of ranking. A recipe is a list of these."""


@dataclass(frozen=True, slots=True)
class Page:
    """What `get` answers. `outcome` is found, empty, not_found or not_allowed; never an exception.

    `first` and `count` are the lines in `text` (1-based, count of lines); `next_line` is where to
    go on, or None at the end. `total` is the number of lines of the file; the final newline is none.
    """

    outcome: str
    path: str
    text: str = ""
    first: int = 1
    count: int = 0
    total: int = 0
    next_line: int | None = None
    reason: str = ""


@runtime_checkable
class Embedder(Protocol):
    """Texts to vectors. `name` changes whenever the vectors would: it is the key of the cache.

    `max_tokens` is the input limit of the model, counted by `count_tokens`; of a longer text only the
    beginning is sent. (The mean of its parts was measured too: it finds less, see docs/decisions.)
    """

    name: str
    dimensions: int
    max_tokens: int

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """Unit vectors, shape (len(texts), dimensions). Raises `ModelFailed`; never returns fewer rows."""
        ...

    def count_tokens(self, text: str) -> int:
        """Tokens of `text` as the model counts them, or a stated estimate."""
        ...
