"""`replay`: calls of the log once more, each on the home as it stood at that moment, by their own rule or by another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple

from omoide.api.asking import Ask, ask, narrow
from omoide.api.calling import Broken, Call, cut_of, scope_key
from omoide.api.home import Home
from omoide.api.opening import Model
from omoide.api.past import Past
from omoide.api.recalling import RecallQuery, recall, recall_query
from omoide.api.sources import known_kinds
from omoide.errors import BadInput, ModelFailed
from omoide.index.index import Index
from omoide.search.recall import RULES
from omoide.types import Embedder, Query, Results, Scope

SEARCH = "search"
REPLAY_RULES = (*RULES, SEARCH)

Scopes = Callable[[datetime], Iterator[Scope]]
"""Everybody who may have asked at a moment."""


class Replayed(NamedTuple):
    """A call and what it gives now. `rule`: the one it was made by this time."""

    call: Call
    rule: str
    ids: tuple[str, ...]
    cut: int

    @property
    def same(self) -> bool:
        """Whether the same came back, in the same order, and as much was left out."""
        return (self.ids, self.cut) == (self.call.ids, self.call.cut)


@dataclass(slots=True)
class Replay:
    """All calls again. `skipped`: those that cannot be made again, each with the reason. `failed`: why there was no model."""

    made: list[Replayed] = field(default_factory=list)
    skipped: list[tuple[Call, str]] = field(default_factory=list)
    failed: str = ""
    broken: list[Broken] = field(default_factory=list)


class Replayer:
    """Makes calls again, oldest first. `scopes`: see `Scopes`; the log knows callers by a hash only. `vectors`: with the model
    of the home, if there is one; `failed` says why it could not be used."""

    def __init__(self, home: Home, scopes: Scopes, *, vectors: bool) -> None:
        self.home, self._scopes, self.failed = home, scopes, ""
        self._known: dict[str, Scope] = {"": Scope()}
        self._embedder: Embedder | None = None
        try:
            self._embedder = home.embedder() if vectors else None
        except ModelFailed as error:
            self.failed = str(error)
        self.past = Past(home, Model(self._embedder.name, self._embedder.dimensions) if self._embedder else Model())

    @property
    def by_meaning(self) -> bool:
        """Whether a search compares meanings."""
        return self._embedder is not None

    def scope(self, call: Call) -> Scope | None:
        """Who asked, or None if nobody of now has this hash."""
        key = str(call.line.get("scope", ""))
        if key not in self._known:  # the same hash is the same caller and the same rights, whenever
            self._known |= {scope_key(scope): scope for scope in self._scopes(call.at)}
        return replace(self._known[key], now=call.at) if key in self._known else None

    def make(self, call: Call, scope: Scope, rule: str) -> Results:
        """The call by this rule, on the home as it was. Raises `BadInput` for a call that this rule cannot make."""
        index = self.past.at(call.at)
        return recall(index, self.query_of(call, scope, rule)) if rule in RULES else self._search(index, call, scope, rule)

    def query_of(self, call: Call, scope: Scope, rule: str) -> RecallQuery:
        """The call as a recall. Raises `BadInput` for a question that recall cannot be asked."""
        words = call.text if call.verb == "recall" else call.text[0].split()
        return recall_query(words, scope, call.since, call.until, call.limit, rule, call.line.get("marks", {}))

    def _search(self, index: Index, call: Call, scope: Scope, rule: str) -> Results:
        recipe = self.home.settings.search.recipe if rule == SEARCH else rule
        as_then = rule == call.rule and call.line.get("words_only")
        embedder = None if as_then or recipe.startswith("lexical") else self._embedder
        try:
            if embedder is not None:
                self.past.embed(embedder)
        except ModelFailed as error:
            self.failed, self._embedder, embedder = str(error), None, None
        query = Query(" ".join(call.text), call.at, call.limit, scope)
        within = narrow(call.since, call.until, known_kinds(call.line.get("kinds")), call.line.get("subjects"), call.line.get("under", ""))
        return ask(index, embedder, self.home.settings, Ask(query, recipe, within))


def replay(home: Home, scopes: Scopes, calls: Sequence[Call], rule: str = "") -> Replay:
    """Each call again, by `rule` or by its own. Raises `BadInput` for a rule that there is not."""
    if rule and rule not in REPLAY_RULES:
        raise BadInput(f"rule: one of {', '.join(REPLAY_RULES)}, not {rule!r}; without it each call is made by its own")
    replayer = Replayer(home, scopes, vectors=rule == SEARCH or (not rule and any(call.verb == "search" for call in calls)))
    out = Replay()
    for done, call in enumerate(calls, 1):
        made = _made(replayer, call, rule)
        if isinstance(made, Replayed):
            out.made.append(made)
        else:
            out.skipped.append((call, made))
        home.report("replaying", done, len(calls))
    out.failed = replayer.failed
    return out


def _made(replayer: Replayer, call: Call, rule: str) -> Replayed | str:
    if call.ids is None:
        return "its result was not kept"
    if call.line.get("ready_vector"):
        return "it was asked by a vector, which is not kept"
    if not any(call.text) and rule == SEARCH:
        return "it has no words to search for"
    scope = replayer.scope(call)
    if scope is None:
        return "who asked is not known here: no room of now has the same readers"
    try:
        results = replayer.make(call, scope, rule or call.rule)
    except BadInput as error:
        return str(error)
    return Replayed(call, rule or call.rule, tuple(hit.chunk.id for hit in results.hits), cut_of(results))
