"""`Omoide`: the verbs on a home. Each says in one line what it does; the work is in the rooms below."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, tzinfo
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from omoide.api import care, watching
from omoide.api.asking import Ask, ask, narrow, together
from omoide.api.calling import read_calls, recalled, searched
from omoide.api.clock import Clock, machine_clock
from omoide.api.home import Home, Report
from omoide.api.sources import by_setting, known_kinds
from omoide.errors import BadInput
from omoide.people.access import may_read
from omoide.settings import Settings
from omoide.store.check_path import checked
from omoide.types import Page, Query, Results, Scope

if TYPE_CHECKING:
    from threading import Event

    from omoide.api.daily import Kept
    from omoide.api.misses import Misses
    from omoide.api.people import People
    from omoide.api.replaying import Replay
    from omoide.types import Embedder, Vectors


class Omoide:
    """A home of Markdown files that can be searched and read.

    `home`: its folder. `settings` None reads the home's `omoide.toml`. `embedder` None takes the one the
    settings name. `cache`: where the index lies (default ~/.cache/omoide). `resident`: this process stays,
    so hot arrays are kept in memory. `report`: called with progress of long work.
    """

    def __init__(
        self, home: Path | str, *, settings: Settings | None = None, embedder: Embedder | None = None,
        cache: Path | None = None, clock: Clock = machine_clock, resident: bool = False, report: Report | None = None,
    ) -> None:  # fmt: skip
        self._home = Home(Path(home), settings, embedder, cache, clock, resident, report)

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._home.settings

    @property
    def zone(self) -> tzinfo:
        """The owner's time zone."""
        return self._home.store.zone

    def now(self) -> datetime:
        """The present moment by the clock this home was opened with."""
        return self._home.clock()

    @cached_property
    def people(self) -> People:
        """The verbs about people and rooms: who is who, what is known of them, who may hear it."""
        from omoide.api.folks import Folks
        from omoide.api.people import People

        return People(Folks(self._home.store.home, self.zone), self.settings, self._home.forgotten)

    def __enter__(self) -> Omoide:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the index. The object opens it again when it is used."""
        self._home.close()

    # -- find --------------------------------------------------------------------------------------

    def search(
        self, text: str, *, scope: Scope | None = None, limit: int | None = None, recipe: str | None = None,
        explain: bool = False, since: datetime | None = None, until: datetime | None = None,
        kinds: Iterable[str] | None = None, subjects: Iterable[str] | None = None, under: str = "",
        vector: Vectors | None = None,
    ) -> Results:  # fmt: skip
        """Hits, best first, from the files as they are now. Any text is a legal query.

        `recipe`: see `omoide.search.recipe`. `kinds`, `subjects`, `under` (a path prefix), `since` and `until`
        narrow what may be a hit. Raises `BadInput` for a bad argument, `StoreFailed` if the home is gone.
        """
        scope, kinds = scope or Scope(), by_setting(known_kinds(kinds), self.settings.search.sources)
        wish = recipe or self.settings.search.recipe
        limit = self.settings.search.limit if limit is None else limit
        query = Query(text, scope.now or self._home.clock(), limit, scope, explain)
        request = Ask(query, wish, narrow(since, until, kinds, subjects, under), vector)
        home = self._home
        results, notices = home.answer(
            lambda index: ask(index, home.embedder() if index.model else None, self.settings, request),
            vectors=wish.split(",")[0] != "lexical",
        )
        said = together(results.notices, (*notices, *home.unread(scope)))
        return home.keep_call(searched(request, since, until), scope, query.now, results.but(notices=said))

    def recall(
        self, words: str | Sequence[str] = (), *, scope: Scope | None = None, limit: int = 20, since: datetime | None = None,
        until: datetime | None = None, rule: str = "recall", marks: Mapping[str, str | Sequence[str]] = {},
    ) -> Results:  # fmt: skip
        """Dated entries that hold the words, oldest first: all of them, else any; without words all of the period or the marks.

        `marks` (about, mood, task, session): only entries that carry them all. The step of each hit says which words it holds;
        notices name those that stand nowhere in the range, and how many entries were left out. `rule`: "recall", or "all-words"
        without the second try. Raises `BadInput`.
        """
        from omoide.api.recalling import recall, recall_query

        scope, at = scope or Scope(), self._home.clock()
        asked = recall_query(words, scope, since, until, limit, rule, marks)
        results, notices = self._home.answer(lambda index: recall(index, asked), vectors=False)
        said = (*results.notices, *notices, *self._home.unread(scope))
        return self._home.keep_call(recalled(asked), scope, at, results.but(notices=said))

    def get(self, path: str, *, first: int = 1, count: int = 120, scope: Scope | None = None) -> Page:
        """Lines of one file, without a search: found, empty, not_found or not_allowed; no exception for any path."""
        try:
            place = self._home.store.place(checked(path, portable=False))
        except BadInput:
            return self._home.store.lines(path, first, count)  # says why
        if not may_read(scope or Scope(), place.audience):
            return Page("not_allowed", path, first=first, reason="this caller may not read it")
        return self._home.store.lines(path, first, count)

    def start(self, *, days: int = 2, now: datetime | None = None, scope: Scope | None = None) -> list[Page]:
        """What a session begins with: MEMORY.md and the newest `days` daily logs up to now. The rest is found by search."""
        moment = now or (scope.now if scope else None) or self._home.clock()
        logs = [path for path in self._home.logs() if path[1] <= moment][-days:] if days > 0 else []
        pages = [self.get(path, scope=scope) for path in ("MEMORY.md", *(path for path, _ in logs))]
        return [page for page in pages if page.outcome == "found"]

    def log(
        self, text: str, *, title: str = "", session: str = "", room: str = "", failed: bool = False, at: datetime | None = None,
        marks: Mapping[str, str | Sequence[str]] = {},
    ) -> Kept:  # fmt: skip
        """Add an entry to today's log (of a room: `room`); it is never changed afterwards. Gives path, line and a hint if it will
        be hard to find.

        `session`: of the conversation it sums up; the same again on the same day or the next is not added. `failed`: it records
        a search that found nothing. `marks`: about (one or more), mood, task. Raises `BadInput`, `StoreFailed`.
        """
        from omoide.api import daily
        from omoide.api.folks import Folks
        from omoide.store.daily import DailyEntry
        from omoide.text.marks import checked

        known = {**checked(marks), **checked({"session": session} if session else {})}
        entry = DailyEntry(at or self._home.clock(), text, title, known, failed)
        return daily.log(Folks(self._home.store.home, self.zone), entry, room, self._home.store.max_bytes)

    def replay(self, log: Path | str | None = None, *, rule: str = "") -> Replay:
        """The calls of a log (None: this home's own) again, each on the home as it was then, by `rule` or by its own.
        Raises `BadInput` for a log that cannot be read."""
        from omoide.api.replaying import replay

        calls, broken = read_calls(self._home.cache, log, self.zone)
        found = replay(self._home, self._callers, calls, rule)
        found.broken = broken
        return found

    def misses(self, log: Path | str | None = None, *, labels: Path | str | None = None, hybrid: bool = True) -> Misses:
        """Why calls of a log came back empty: no record, undecided, or missed, and by what cause. `labels`: lines of the log with
        `gold` or `verdict` added. `hybrid`: try search by meaning on what was missed. Raises `BadInput`."""
        from omoide.api.misses import labels_of, misses
        from omoide.api.replaying import Replayer

        calls, broken = read_calls(self._home.cache, log, self.zone)
        rows, faults = read_calls(self._home.cache, labels, self.zone, "a file of labels") if labels else ([], [])
        found = misses(Replayer(self._home, self._callers, vectors=hybrid), calls, labels_of(rows), hybrid)
        found.broken = broken + faults
        return found

    def _callers(self, at: datetime) -> Iterator[Scope]:
        return (self.people.scope(room.id, at) for room in self.people.rooms())

    # -- care --------------------------------------------------------------------------------------

    def build(self, *, force: bool = False, vectors: bool = True) -> dict[str, Any]:
        """Bring the index up to date now, vectors included; `force` makes it anew from the files."""
        return care.build(self._home, force, vectors)

    def watch(self, *, vectors: bool = True, stop: Event | None = None) -> Iterator[dict[str, Any]]:
        """Build now and after every change of the home, until `stop`: each time the status, or why it failed as
        {"failed": text}. Needs the extra `watch`; raises `MissingExtra` without it."""
        return watching.watch(self._home, vectors, stop)

    def status(self) -> dict[str, Any]:
        """Numbers of files, chunks, vectors and problems."""
        return care.status(self._home)

    def verify(self) -> dict[str, Any]:
        """Compare the index with the files, byte for byte, and its own parts with their digests."""
        return care.verify(self._home)

    def doctor(self) -> list[dict[str, str]]:
        """What is not as it should be, each with what to do."""
        return care.doctor(self._home)

    def inspect_chunks(self, path: str) -> list[dict[str, Any]]:
        """How a file is cut: lines, context and terms of each chunk."""
        return care.inspect_chunks(self._home, path)

    def inspect_word(self, word: str, limit: int = 20) -> dict[str, Any]:
        """Posting lists of a word's terms: in how many chunks, how often in each."""
        return care.inspect_word(self._home, word, limit)

    def inspect_query(self, text: str, *, recipe: str | None = None, limit: int = 20) -> dict[str, Any]:
        """What a query becomes and every candidate, returned or not, with its trace."""
        return care.inspect_query(self._home, text, recipe or self.settings.search.recipe, limit)
