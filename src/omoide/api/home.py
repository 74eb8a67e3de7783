"""A home and its index, kept in step: every search looks at the files first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from omoide.api import calling
from omoide.api.clock import Clock, machine_ns, machine_zone
from omoide.api.cutting import content_of
from omoide.api.opening import Model, cache_of, clean, in_memory, make, only_writer, open_current, put_aside
from omoide.api.surroundings import guest_of, home_settings
from omoide.errors import IndexFailed, ModelFailed
from omoide.index import generation
from omoide.index.check import drop_damaged
from omoide.index.embed import coverage, embed_missing
from omoide.index.index import Index
from omoide.index.schema import refused
from omoide.index.sync import apply, plan, problems
from omoide.index.write import tidy
from omoide.people.access import may_read
from omoide.settings import Settings, zone_of
from omoide.store.files import Scan
from omoide.store.names import is_note
from omoide.store.store import Store
from omoide.types import Notice, Results, Scope

if TYPE_CHECKING:
    from omoide.types import Embedder

T = TypeVar("T")

Report = Callable[[str, int, int], None]
"""Progress of long work: what, done, of how many."""

WAIT_SECONDS = 2.0
"""A search waits so long for another process to finish writing, then answers from what there is."""

TRIES = 3
"""An index that failed is made anew, and a replaced one opened again, so often at most."""

UNREAD = ("unreadable", "binary", "encoding_unknown", "too_large")
"""Problems of notes whose words nobody can find. Of others a part is read, or they are no notes."""

INLINE_CHUNKS = 32
"""Up to so many new chunks are embedded during a search; more wait for `omoide index build`."""


class Home:
    """Files, settings, embedder and index of one home. Private to `api`; users hold an `Omoide`."""

    def __init__(
        self, path: Path, settings: Settings | None, embedder: Embedder | None, cache: Path | None,
        clock: Clock, resident: bool, report: Report | None,
    ) -> None:  # fmt: skip
        self.settings = settings if settings is not None else home_settings(path)
        zone: tzinfo = zone_of(self.settings) or machine_zone()
        self.store = Store(path, zone=zone, max_bytes=int(self.settings.home.max_file_mb * 1_000_000))
        self.cache = cache_of(path, cache)
        self.clock, self.resident = clock, resident
        self.report = report or (lambda what, done, of: None)
        self._embedder, self._chosen = None if embedder is None else guest_of(embedder), embedder is not None
        self._no_model = ""
        self._index: Index | None = None
        self._refused = ""
        self.scan = Scan()

    def keep_call(self, call: Mapping[str, Any], scope: Scope, at: datetime, results: Results) -> Results:
        """Keep the call in the log of calls, where there is one. `at`: before it was answered, by this clock."""
        moment = calling.in_zone(scope.now or at, self.store.zone)
        return calling.keep(self.cache, self.settings.calls, {"t": moment} | dict(call), scope, results)

    def logs(self) -> list[tuple[str, datetime]]:
        """Daily logs of the owner with their days, oldest first."""
        places = [(found.path, self.store.place(found.path)) for found in self.store.scan().found]
        logs = [(path, place.when) for path, place in places if place.kind == "log" and place.when]
        return sorted(logs, key=lambda log: (log[1], log[0]))

    def unread(self, scope: Scope) -> list[Notice]:
        """How many files could not be read, of those that this caller may hear; whether others have any is not said."""
        known = problems(self._index).items() if self._index is not None else ()
        paths = {path for path, (code, _) in known if code in UNREAD} | {one.path for one in self.scan.problems if one.code in UNREAD}
        mine = sum(may_read(scope, self.store.place(path if is_note(path) else f"{path}/").audience) for path in paths)
        files = f"{mine} files" if mine > 1 else "1 file"
        return [Notice("unread_files", f"{files} could not be read and so not searched; which: omoide doctor")] if mine else []

    # -- models ------------------------------------------------------------------------------------

    def embedder(self) -> Embedder | None:
        """The embedder of the settings, opened at first need."""
        if not self._chosen:
            from omoide.models.choose import choose

            wish = self.settings.embedding
            self._embedder = choose(
                wish.model, base_url=wish.base_url, api_key_env=wish.api_key_env, model=wish.name,
                dimensions=wish.dimensions, threads=wish.threads,
            )  # fmt: skip
            self._chosen = True
        return self._embedder

    def _model(self, wanted: bool) -> Model:
        """A model that cannot be opened costs its lane, not the search: see `_said_of_model`."""
        if not wanted:
            return Model()
        self._no_model = ""
        try:
            embedder = self.embedder()
            return Model(embedder.name, embedder.dimensions) if embedder else Model()
        except ModelFailed as error:
            self._no_model = str(error)
            return Model()

    def _said_of_model(self, vectors: bool) -> list[Notice]:
        return [Notice("model_failed", f"{self._no_model} Only words were compared.")] if vectors and self._no_model else []

    # -- index -------------------------------------------------------------------------------------

    def fresh(self, vectors: bool = True) -> tuple[Index, list[Notice]]:
        """The index, in step with the files as they are now, and what has to be said about it."""
        self.scan = self.store.scan()
        if self._index is not None and self._index.folder is None:
            return self._in_memory(vectors)
        said: list[Notice] = []
        for _ in range(TRIES):
            try:
                index, notices = self._on_disk(vectors)
                return index, said + notices + self._said_of_model(vectors)
            except IndexFailed as error:
                if not self._put_aside(error, said):
                    break
        return self._in_memory(vectors)

    def answer(self, use: Callable[[Index], T], vectors: bool = True) -> tuple[T, list[Notice]]:
        """What `use` makes of the fresh index and what has to be said; once more with another index if that one failed."""
        index, notices = self.fresh(vectors)
        try:
            return use(index), notices
        except IndexFailed as error:
            said: list[Notice] = []
            index, notices = self.fresh(vectors) if self._put_aside(error, said) else self._in_memory(vectors)
            return use(index), said + notices

    def _put_aside(self, error: IndexFailed, said: list[Notice]) -> bool:
        """Let go of the index that failed; what is damaged is put out of use. False where another try cannot help."""
        self._refused = str(error).rstrip(".")
        index, self._index = self._index, None
        used = index.folder if index is not None else generation.current(self.cache)
        try:
            if used != generation.current(self.cache):  # another process has made a new one meanwhile
                return True
            if refused(error.__cause__):
                return False
            put_aside(self.cache, index)
        except IndexFailed:
            return False
        finally:
            if index is not None:
                index.close()
        said.append(Notice("index_rebuilt", f"{self._refused.partition('. ')[0]}. It was made again from the files."))
        return True

    def _on_disk(self, vectors: bool) -> tuple[Index, list[Notice]]:
        index = self._opened(vectors)
        notices = []
        if plan(index, self.scan.found, self.scan.unknown):
            with generation.only_writer(self.cache, WAIT_SECONDS) as mine:
                if mine:
                    index = self._held(vectors)
                    self._fill(index)
                else:
                    notices.append(Notice("index_busy", "Another process is writing the index; the newest changes may be missing."))
        if index.model and vectors:
            self._embed_few(index)
        index.look()
        if index.damaged and index.folder != generation.current(self.cache):  # not damaged: replaced while it was opened
            self._close()
            return self._on_disk(vectors)
        if index.damaged:
            parts = ", ".join(index.damaged)
            notices.append(Notice("index_rebuilt", f"These parts of the index were damaged: {parts}. They are made again."))
            with self._still_used(index) as mine:
                if mine:
                    tidy(index)
        return index, notices

    def _opened(self, vectors: bool) -> Index:
        index = self._kept(vectors)
        if index is None:
            with generation.only_writer(self.cache, 600.0) as mine:
                index = self._held(vectors) if mine else self._kept(vectors)
        if index is None:
            raise IndexFailed("another process has been building the index for ten minutes; try again when it is done")
        return index

    def _kept(self, vectors: bool) -> Index | None:
        """The index that is open here, if it is still the one in use; else that one; None where there is none."""
        if self._index is not None and self._index.folder not in (None, generation.current(self.cache)):
            self._close()
        if self._index is not None and (self._index.model or not vectors or not self._model(True).name):
            return self._index
        self._close()
        self._index = open_current(self.cache, self.settings, self._model(vectors), self.resident)
        return self._index

    def _held(self, vectors: bool) -> Index:
        """The same for the holder of the writer's lock, who makes the index where there is none."""
        index = self._kept(vectors)
        if index is None:
            index = self._index = make(self.cache, self.settings, self._model(vectors), self.resident, self._fill)
        return index

    @contextmanager
    def _still_used(self, index: Index) -> Iterator[bool]:
        """The writer's lock without waiting; False also if another process has replaced this index."""
        with generation.only_writer(self.cache, 0.0) as mine:
            yield mine and index.folder == generation.current(self.cache)

    def _in_memory(self, vectors: bool) -> tuple[Index, list[Notice]]:
        """An index of this process alone, used until `close` or `rebuild`: the disk is not asked at every search."""
        if self._index is None or (vectors and not self._index.model and self._model(True).name):
            self._close()
            self._index = in_memory(self.settings, self._model(vectors), self._fill)
        else:
            self._fill(self._index)
        if self._index.model and vectors:
            self._embed_few(self._index)
        said = f"{self._refused}. This answer comes from an index in memory; nothing was kept."
        return self._index, [Notice("index_in_memory", said), *self._said_of_model(vectors)]

    def forgotten(self, questions: bool) -> None:
        """What is in no file any more is in no byte of the index either. Where there is none, none is made. `questions`: those
        that were asked go, too."""
        self._close()
        if generation.any_left(self.cache):
            self.scan = self.store.scan()
            with only_writer(self.cache):
                clean(self.cache, self.settings, self._fill)
        if questions:
            calling.forget(self.cache)

    def rebuild(self) -> Index:
        """A new generation from the files, whatever there was. Vectors of known texts are kept."""
        self.scan = self.store.scan()
        self._close()
        with only_writer(self.cache):
            self._index = make(self.cache, self.settings, self._model(True), self.resident, self._fill)
        return self._index

    def _fill(self, index: Index) -> None:
        todo = plan(index, self.scan.found, self.scan.unknown)
        looked = machine_ns()
        apply(index, todo, lambda seen: content_of(self.store.read(seen.path)), looked,
              lambda done, of: self.report("indexing", done, of))  # fmt: skip

    def complete(self, index: Index) -> tuple[str, ...]:
        """Embed all that has no vector, make damaged parts again, remove what dead processes left. Gives the
        texts the model refused."""
        if index.folder is None:
            return self._embed(index)
        with only_writer(self.cache):
            index = self._held(bool(index.model))  # another process may have made a new one
            if plan(index, self.scan.found, self.scan.unknown):
                self._fill(index)
            refused = self._embed(index)
            drop_damaged(index)
            tidy(index)
            generation.sweep(self.cache, index.parts())
        return refused

    def _embed(self, index: Index) -> tuple[str, ...]:
        embedder = self.embedder() if index.model else None
        return embed_missing(index, embedder, lambda done, of: self.report("embedding", done, of)).refused if embedder else ()

    def _embed_few(self, index: Index) -> None:
        """Keep a nearly complete set of vectors complete; never start a long job inside a search."""
        have = coverage(index)
        missing = have.chunks - have.embedded
        if not 0 < missing <= INLINE_CHUNKS:
            return
        with suppress(ModelFailed):  # the question needs the model too, and says that it failed
            if index.folder is None:
                self._embed(index)
                return
            with self._still_used(index) as mine:
                if mine:
                    self._embed(index)

    def _close(self) -> None:
        if self._index is not None:
            self._index.close()
            self._index = None

    def close(self) -> None:
        """Release the index."""
        self._close()
