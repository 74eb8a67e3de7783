"""`recall`: few words over dated entries; what matched, what stands nowhere, and how many were left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from omoide.api.asking import checked_limit, checked_period
from omoide.errors import BadInput
from omoide.index import entries
from omoide.index.allowed import Narrow
from omoide.index.entries import Entry, Range
from omoide.index.index import Index
from omoide.search.recall import RULES, Chosen, Found, Phrases, choose, found_in, phrases
from omoide.text.marks import NOTHING_FOUND, Marks, checked, legible, shown
from omoide.text.wording import place_of, words_of
from omoide.types import Hit, Notice, Results, Scope, Step

MOST_WORDS = 50
MOST_LETTERS = 200
LINE_CHARS = 240
"""Letters of an entry that a line shows."""

IN_LINES = ("absent_words", "partly", "nothing_found")
"""Notices that stand among the lines of an answer."""


@dataclass(frozen=True, slots=True)
class RecallQuery:
    """One recall, as its caller put it. `words` as typed, each once; entries carry all of `marks`."""

    words: tuple[str, ...]
    scope: Scope
    since: datetime | None
    until: datetime | None
    limit: int
    rule: str
    marks: Marks


def recall_query(
    words: str | Sequence[str], scope: Scope, since: datetime | None, until: datetime | None, limit: int, rule: str,
    marks: Mapping[str, str | Sequence[str]],
) -> RecallQuery:  # fmt: skip
    """Checked. A text, and each text of a list, is parted into words by `text.wording.words_of`. Raises `BadInput`."""
    checked_period(since, until)
    given = [words] if isinstance(words, str) else list(words) if isinstance(words, Iterable) else [words]
    if not all(isinstance(one, str) for one in given):
        raise BadInput(f"words: a text, or a list of texts, not {str(words)[:60]!r}")
    kept = words_of(given)
    if any(map(str.split, given)) and not kept:
        raise BadInput(f"there is nothing but punctuation in {' '.join(given)[:60]!r}; recall compares words")
    if len(kept) > MOST_WORDS:
        raise BadInput(f"{len(kept):,} words; recall takes {MOST_WORDS} at most. A long question is one for search")
    if long := next((word for word in kept if len(word) > MOST_LETTERS), ""):
        raise BadInput(f"{long[:60]!r}… has {len(long):,} letters; a word has {MOST_LETTERS} at most. A long text is one for search")
    if not (kept or since or until or marks):
        raise BadInput("recall needs words, or a period or marks whose entries it lists")
    checked_limit(limit)
    if rule not in RULES:
        raise BadInput(f"rule: one of {', '.join(RULES)}, not {rule!r}")
    return RecallQuery(tuple(kept), scope, since, until, limit, rule, checked(marks))


def recall(index: Index, asked: RecallQuery) -> Results:
    """Entries oldest first, each with the words it holds (`facts` of its step), and what has to be said."""
    with index.snapshot():
        return _recall(index, asked)


def _recall(index: Index, asked: RecallQuery) -> Results:
    total, inside, holding, failed = entries.scan(index, asked.words, _range(index, asked))
    if asked.words:
        chosen = choose(holding, total, asked.limit, partial(entries.newest, index), asked.rule, failed)
    else:
        ids = entries.newest(index, inside, asked.limit)[::-1]
        chosen = Chosen(found_in([], ids), [0.0] * len(ids), total - len(ids), False, [])
    kept = entries.read(index, [one.id for one in chosen.found])
    hits = tuple(
        _hit(kept[one.id], weight, [word for word, held in zip(asked.words, one.holds, strict=True) if held])
        for one, weight in zip(chosen.found, chosen.weights, strict=True)
        if one.id in kept
    )
    absent = [asked.words[place] for place in chosen.absent]
    facts = {"words": list(asked.words), "absent": absent, "partly": chosen.partly, "cut": chosen.cut, "entries": total, "rule": asked.rule}
    return Results(hits, tuple(_notices(index, asked, chosen, absent)), facts | {"marks": shown(asked.marks)})


def candidates(index: Index, asked: RecallQuery) -> list[Found]:
    """Every record of the range that holds one of the words."""
    seen = entries.scan(index, asked.words, _range(index, asked))
    return found_in(seen.holding, set().union(*seen.holding) - seen.failed)


def _range(index: Index, asked: RecallQuery) -> Range:
    """What comes after the moment of asking, where one is given, is not there yet."""
    ends = [end for end in (asked.until, asked.scope.now) if end is not None]
    return Range(index.partitions(asked.scope, Narrow()), asked.since, min(ends, default=None), asked.marks)


def _hit(entry: Entry, weight: float, held: list[str]) -> Hit:
    facts = {"matched": held, "failed": NOTHING_FOUND in entry.marks, "marks": shown(entry.marks)}
    return Hit(entry.chunk, (Step("recall", weight, "", (), 0, facts),))


def _notices(index: Index, asked: RecallQuery, chosen: Chosen, absent: list[str]) -> list[Notice]:
    say = _say(asked.words, shown(asked.marks))
    said = [Notice("absent_words", say.absent(absent))] if absent else []
    if chosen.partly:
        said.append(Notice("partly", say.partly))
    if chosen.cut:
        said.append(Notice("cut_off", say.cut(chosen.cut, chosen.partly or not asked.words)))
    if not chosen.found:
        said.append(Notice("nothing_found", say.nothing))
        said += _outside(index, asked, say)
    return said


def _outside(index: Index, asked: RecallQuery, say: Phrases) -> list[Notice]:
    """Whether entries of other times hold all words: then the period was the reason."""
    if not asked.words or (asked.since, asked.until) == (None, None):
        return []
    seen = entries.scan(index, asked.words, _range(index, replace(asked, since=None, until=None)))
    whole = set(seen.holding[0]).intersection(*seen.holding) - seen.failed
    days = [entry.chunk.when.date() for entry in entries.read(index, entries.newest(index, whole, 1)).values() if entry.chunk.when]
    return [Notice("outside_period", say.outside(len(whole), day)) for day in days]


def _say(words: Sequence[str], marks: Mapping[str, str | list[str]]) -> Phrases:
    """The language is that of the words, else that of the marks."""
    return phrases(words or ["".join(values) for values in marks.values()])


def told(found: Results, most: int = LINE_CHARS) -> list[str]:
    """An answer of `recall` as lines: words that stand nowhere, then entries. Of an entry at most so many letters."""
    say = _say(found.facts["words"], found.facts["marks"])
    first = [notice.text for notice in found.notices if notice.code in IN_LINES]
    return [*first, *(_line(hit, say, most) for hit in found.hits)]


def _line(hit: Hit, say: Phrases, most: int) -> str:
    chunk, facts = hit.chunk, hit.trace[-1].facts or {}
    shown = _shortened(" ".join(legible(chunk.text).split()), facts["matched"], most)
    marks = [say.matched(facts["matched"])] if facts["matched"] else []
    marks += [say.failed] if facts["failed"] else []
    when = f"{chunk.when:%Y-%m-%d %H:%M}" if chunk.when else ""
    return "  ".join([when, f"{chunk.path}:{chunk.lines[0]}" if chunk.path else chunk.id, shown, *marks])


def _shortened(text: str, words: Sequence[str], most: int) -> str:
    """At most so many letters: the beginning, and where none of the words stands in it, the first stretch in which one does."""
    if len(text) <= most:
        return text
    at = place_of(text, words, most // 2)
    if not at:
        return text[: most - 1] + "…"
    head = most // 4
    rest, room = text[at:], most - head - 3
    return f"{text[:head]}… …{rest if len(rest) <= room else rest[: room - 1] + '…'}"
