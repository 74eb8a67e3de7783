"""`recall`: few words over dated entries; what matched, what stands nowhere, and how many were left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from omoide.errors import BadInput
from omoide.index import entries
from omoide.index.allowed import Narrow
from omoide.index.entries import Entry, Range
from omoide.index.index import Index
from omoide.search.recall import RULES, Chosen, Phrases, choose, phrases
from omoide.text.wording import words_of
from omoide.types import Hit, Notice, Results, Scope, Step

MOST_WORDS = 50


@dataclass(frozen=True, slots=True)
class Wish:
    """One recall, as its caller put it. `words` as typed, each once."""

    words: tuple[str, ...]
    scope: Scope
    narrow: Narrow
    limit: int
    rule: str


def wish(words: str | Sequence[str], scope: Scope, narrow: Narrow, limit: int, rule: str) -> Wish:
    """Checked. Words of one text are cut at white space; of a list each is one. Raises `BadInput`."""
    given = words.split() if isinstance(words, str) else list(words)
    kept = words_of(given)
    if given and not kept:
        raise BadInput(f"there is no letter in {' '.join(given)[:60]!r}; recall compares words")
    if len(kept) > MOST_WORDS:
        raise BadInput(f"{len(kept):,} words; recall takes {MOST_WORDS} at most. A long question is one for search")
    if not kept and narrow.since is None and narrow.until is None:
        raise BadInput("recall needs words, or a period whose entries it lists")
    if limit < 1:
        raise BadInput(f"limit is 1 or more, not {limit}")
    if rule not in RULES:
        raise BadInput(f"rule: one of {', '.join(RULES)}, not {rule!r}")
    return Wish(tuple(kept), scope, narrow, limit, rule)


def recall(index: Index, asked: Wish) -> Results:
    """Entries oldest first, each with the words it holds (`facts` of its step), and what has to be said."""
    within = Range(index.partitions(asked.scope, asked.narrow), asked.narrow.since, asked.narrow.until)
    total, found = entries.scan(index, asked.words, within)
    if asked.words:
        chosen = choose(found, len(asked.words), total, asked.limit, asked.rule)
    else:
        ids = entries.latest(index, within, asked.limit)
        chosen = Chosen([entries.Found(number, 0, ()) for number in ids], [0.0] * len(ids), total - len(ids), False, [])
    kept = entries.read(index, [one.id for one in chosen.found])
    hits = tuple(
        _hit(kept[one.id], weight, [word for word, held in zip(asked.words, one.holds, strict=True) if held])
        for one, weight in zip(chosen.found, chosen.weights, strict=True)
        if one.id in kept
    )
    absent = [asked.words[place] for place in chosen.absent]
    facts = {"words": list(asked.words), "absent": absent, "partly": chosen.partly, "cut": chosen.cut, "entries": total, "rule": asked.rule}
    return Results(hits, tuple(_notices(index, asked, chosen, absent)), facts)


def _hit(entry: Entry, weight: float, held: list[str]) -> Hit:
    failed = "nothing found" in entry.marks.split("; ")
    return Hit(entry.chunk, (Step("recall", weight, "", (), 0, {"matched": held, "failed": failed}),))


def _notices(index: Index, asked: Wish, chosen: Chosen, absent: list[str]) -> list[Notice]:
    say = phrases(asked.words)
    said = [Notice("absent_words", say.absent(absent))] if absent else []
    if chosen.partly:
        said.append(Notice("partly", say.partly))
    if chosen.cut:
        said.append(Notice("cut_off", say.cut(chosen.cut)))
    if not chosen.found:
        said.append(Notice("nothing_found", say.nothing))
        said += _outside(index, asked, say)
    return said


def _outside(index: Index, asked: Wish, say: Phrases) -> list[Notice]:
    """Whether entries of other times hold all words: then the period was the reason."""
    if not asked.words or (asked.narrow.since, asked.narrow.until) == (None, None):
        return []
    _, anywhere = entries.scan(index, asked.words, Range(index.partitions(asked.scope, asked.narrow)))
    whole = [one for one in anywhere if all(one.holds)]
    newest = entries.read(index, [max(whole, key=lambda one: (one.seconds, one.id)).id]) if whole else {}
    days = [entry.chunk.when.date() for entry in newest.values() if entry.chunk.when]
    return [Notice("outside_period", say.outside(len(whole), day)) for day in days]


def told(found: Results, most: int) -> list[str]:
    """An answer of `recall` as lines: words that stand nowhere, then entries. Of an entry at most so many letters."""
    say = phrases(found.facts["words"])
    first = [notice.text for notice in found.notices if notice.code in ("absent_words", "partly")]
    lines = [_line(hit, say, most) for hit in found.hits]
    return [*first, *(lines or [say.nothing])]


def _line(hit: Hit, say: Phrases, most: int) -> str:
    chunk, facts = hit.chunk, hit.trace[-1].facts or {}
    text = " ".join(chunk.text.split())
    shown = text if len(text) <= most else text[: most - 1] + "…"
    marks = [say.matched(facts["matched"])] if facts["matched"] else []
    marks += [say.failed] if facts["failed"] else []
    when = f"{chunk.when:%Y-%m-%d %H:%M}" if chunk.when else ""
    return "  ".join([when, f"{chunk.path}:{chunk.lines[0]}" if chunk.path else chunk.id, shown, *marks])
