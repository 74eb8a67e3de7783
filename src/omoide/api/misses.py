"""`misses`: why calls by words came back empty. Labels say what there was; without them stated rules do, as well as they can.

Of a call without results, with the records that answer it (its label) and the home as it was at that moment:

    no_record    no record answers it, or none did yet
    undecided    its words do not tell what was meant
    missed       a record was there, and
        spelling_variant     holds all words, one of them written otherwise
        one_word_too_many    holds some of the words, not all
        wording              holds none of them
        out_of_period        lies outside of the period
        cut_off              held all words, and was among those left out (of a call with results, too)
        other                held all words as they were typed: it was changed since, or another rule was at work

Without a label: words that stand in any entry are undecided; all words in one entry of the period is a spelling variant, of
another time out of period; all but one of two or more is one word too many (though whether that entry was the one that was
meant, only a label can say); some of them is undecided; none anywhere is no record, for wording cannot be told from that.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib import resources
from typing import NamedTuple

from omoide.api.calling import Broken, Call
from omoide.api.recalling import candidates
from omoide.api.replaying import Replayer
from omoide.errors import BadInput
from omoide.index import entries
from omoide.index.entries import Entry
from omoide.index.index import Index
from omoide.memory.vague import names_nothing
from omoide.people.access import may_read
from omoide.types import Scope

Say = Callable[[str], str]
"""An English sentence in the language of the reader."""

NO_RECORD, UNDECIDED, MISSED = "no_record", "undecided", "missed"
CAUSES = ("one_word_too_many", "wording", "spelling_variant", "out_of_period", "cut_off", "other")


class Label(NamedTuple):
    """What somebody says of a call: the ids of the entries that answer it, or a verdict where there are none."""

    gold: tuple[str, ...] = ()
    verdict: str = NO_RECORD


class Judged(NamedTuple):
    """A call and what became of it. `helped`: which of the ways to do better would have found a record ("recall", "hybrid")."""

    call: Call
    verdict: str
    cause: str = ""
    labelled: bool = False
    helped: str = ""


@dataclass(slots=True)
class Misses:
    """Numbers of a log, and every call that was judged. `skipped`: those that no rule can make again, each with the reason.
    `lost`: calls with an id of their label that is nowhere in the home, so it says nothing."""

    calls: int = 0
    empty: int = 0
    cut_off: int = 0
    by_period: int = 0
    searches: int = 0
    searches_empty: int = 0
    not_kept: int = 0
    unknown_callers: int = 0
    unused_labels: int = 0
    lost: list[tuple[Call, str]] = field(default_factory=list)
    hybrid: bool = False
    failed: str = ""
    judged: list[Judged] = field(default_factory=list)
    skipped: list[tuple[Call, str]] = field(default_factory=list)
    broken: list[Broken] = field(default_factory=list)

    def count(self, verdict: str, cause: str = "", helped: str = "") -> int:
        """How many were judged so."""
        return sum(one.verdict == verdict and cause in ("", one.cause) and helped in ("", one.helped) for one in self.judged)

    @property
    def causes(self) -> dict[str, int]:
        """Cause → calls that missed a record for it; those that there are, the usual first."""
        found = Counter(one.cause for one in self.judged if one.verdict == MISSED)
        return {cause: found[cause] for cause in CAUSES if found[cause]}


def labels_of(rows: Sequence[Call]) -> dict[Key, Label]:
    """Labels by the time and the words of their call. Raises `BadInput` for a row without one."""
    labels = {}
    for row in rows:
        label = _label(row)
        if label is None:
            raise BadInput(f'{row.where}: a label has gold, the ids of entries that answer the call, or a verdict: no_record or undecided')
        labels[_key(row)] = label
    return labels


END = datetime.max.replace(tzinfo=UTC)
Key = tuple[datetime, tuple[str, ...]]


def _key(call: Call) -> Key:
    return call.at, call.text


def _label(call: Call) -> Label | None:
    """The label in the line of a call."""
    if call.line.get("gold"):
        return Label(tuple(call.line["gold"]), "")
    verdict = call.line.get("verdict", NO_RECORD if "gold" in call.line else None)
    verdict = UNDECIDED if verdict == "vague" else verdict
    return Label(verdict=verdict) if verdict in (NO_RECORD, UNDECIDED) else None


def misses(replayer: Replayer, calls: Sequence[Call], labels: Mapping[Key, Label], hybrid: bool) -> Misses:
    """Judge every call by words that came back empty or was cut off. `hybrid`: see too what search by meaning would have found."""
    out = Misses(unused_labels=len(labels.keys() - {_key(call) for call in calls}))
    for done, call in enumerate(calls, 1):
        _counted(out, call)
        if call.verb == "recall" and call.text and call.ids is not None and (not call.ids or call.cut):
            try:
                scope = replayer.scope(call)
                judged = _judged(replayer, call, scope, labels.get(_key(call)) or _label(call), hybrid) if scope else None
            except BadInput as error:
                out.skipped.append((call, str(error)))
                continue
            out.unknown_callers += scope is None
            out.judged += [judged] if judged else []
        replayer.home.report("judging", done, len(calls))
    now = replayer.past.at(END)
    keys = ((call, key) for call in calls if (label := labels.get(_key(call)) or _label(call)) for key in label.gold)
    out.lost = [(call, key) for call, key in keys if _record(now, key) is None]
    out.hybrid, out.failed = hybrid and replayer.by_meaning, replayer.failed
    return out


def _counted(out: Misses, call: Call) -> None:
    if call.ids is None:
        out.not_kept += 1
    elif call.verb == "search":
        out.searches += 1
        out.searches_empty += not call.ids
    elif not call.text:
        out.by_period += 1
    else:
        out.calls += 1
        out.empty += not call.ids
        out.cut_off += call.cut > 0


def _judged(replayer: Replayer, call: Call, scope: Scope, label: Label | None, hybrid: bool) -> Judged | None:
    """None: a call with results that nobody can say lost a record to the cut."""
    index = replayer.past.at(call.at)
    if label is None:
        return None if call.ids else _helped(replayer, _by_rules(replayer, index, call, scope), scope, set(), hybrid)
    records = [entry for key in label.gold if (entry := _record(index, key)) and may_read(scope, entry.chunk.audience)]
    ids = {entry.chunk.id for entry in records}
    if call.ids:
        lost = call.cut and records and ids.isdisjoint(call.ids) and _cause(call, records) == "cut_off"
        return _helped(replayer, Judged(call, MISSED, "cut_off", True), scope, ids, hybrid) if lost else None
    if not records:
        return Judged(call, label.verdict or NO_RECORD, "", True)
    return _helped(replayer, Judged(call, MISSED, _cause(call, records), True), scope, ids, hybrid)


def _record(index: Index, key: str) -> Entry | None:
    """The entry `path:line`, by any of its lines, or by the id of a piece of it (`path:line.2`)."""
    path, _, line = key.rpartition(":")
    number = line.partition(".")[0]
    return entries.at_line(index, path, int(number)) if number.isdecimal() and len(number) < 10 else None


def _cause(call: Call, records: Sequence[Entry]) -> str:
    """Why none of these came back: the cause that asks least of a rule."""
    near = [entry for entry in records if _in_period(call, entry)]
    held = [[entries.holds(entry, word) for word in call.text] for entry in near]
    if not near:
        return "out_of_period"
    if any(map(all, held)):
        typed = [all(word.casefold() in entry.chunk.text.casefold() for word in call.text) for entry in near]
        return "cut_off" if call.cut else "other" if any(typed) else "spelling_variant"
    return "one_word_too_many" if any(map(any, held)) else "wording"


def _in_period(call: Call, entry: Entry) -> bool:
    when = entry.chunk.when
    return when is not None and (call.since is None or when >= call.since) and (call.until is None or when <= call.until)


def _by_rules(replayer: Replayer, index: Index, call: Call, scope: Scope) -> Judged:
    if names_nothing(" ".join(call.text)):
        return Judged(call, UNDECIDED)
    asked = replayer.query_of(call, scope, "recall")
    near = candidates(index, asked)
    if whole := [one.id for one in near if all(one.holds)]:
        return Judged(call, MISSED, _cause(call, list(entries.read(index, whole).values())))
    if any(all(one.holds) for one in candidates(index, replace(asked, since=None, until=None))):
        return Judged(call, MISSED, "out_of_period")
    if len(asked.words) > 1 and any(sum(one.holds) == len(asked.words) - 1 for one in near):
        return Judged(call, MISSED, "one_word_too_many")
    return Judged(call, UNDECIDED if near else NO_RECORD)


def _helped(replayer: Replayer, judged: Judged, scope: Scope, gold: set[str], hybrid: bool) -> Judged:
    """The same with what would have found a record: the rule of partial matches first, then search by meaning."""
    if judged.verdict != MISSED or (not gold and judged.cause == "out_of_period"):  # what comes then is something else
        return judged
    for rule in ("recall", *(["hybrid"] if hybrid and gold and replayer.by_meaning else [])):
        hits = replayer.make(judged.call, scope, rule).hits  # of a search they are pieces of entries
        ids = {entry.chunk.id for hit in hits if (entry := entries.at_line(replayer.past.index, hit.chunk.path, hit.chunk.lines[0]))}
        if ids & gold if gold else ids:
            return judged._replace(helped=rule)
    return judged


def advice(found: Misses, say: Say = str) -> str:
    """What would help, by the counts: another rule, search by meaning, a wider period, a model that scores, or nothing."""
    missed = found.count(MISSED)
    if not missed:
        return say("What would help: nothing. No record was missed.")
    by_rule, by_meaning = found.count(MISSED, helped="recall"), found.count(MISSED, helped="hybrid")
    period, wording, cut = (found.causes.get(cause, 0) for cause in ("out_of_period", "wording", "cut_off"))
    ways = [
        ("the rule `recall` ({} of {})", by_rule), ("hybrid search ({} of {})", by_meaning),
        ("hybrid search (it may find the {} worded otherwise)", 0 if found.hybrid else wording),
        ("a wider period ({} of {})", period), ("a model that scores what is found ({} of {} were cut off)", cut),
    ]  # fmt: skip
    said = say(", ").join(say(way).format(f"{count:,}", f"{missed:,}") for way, count in ways if count) or say("nothing that is here")
    none = " A model that scores what is found would not: nothing was cut off."
    some = " A model that scores what is found would not: {} calls were cut off, none is known to have lost a record by it."
    return say("What would help: {}.{}").format(said, "" if cut else say(some if found.cut_off else none).format(f"{found.cut_off:,}"))


def in_language(lang: str) -> Say:
    """What turns the English sentences of `replay` and `misses` into a language. Raises `BadInput` for one that there is not."""
    if lang not in ("en", "ja"):
        raise BadInput(f"lang is en or ja, not {lang!r}")
    if lang == "en":
        return str
    words = tomllib.loads((resources.files("omoide.api") / "misses_ja.toml").read_text("utf-8"))
    return lambda text: str(words.get(text, text))
