"""Commands about the log of calls: replay, misses."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unicodedata import east_asian_width

from omoide.api.calling import Broken, Call
from omoide.api.misses import CAUSES, MISSED, NO_RECORD, UNDECIDED, Judged, Misses, Say, advice, in_language
from omoide.api.replaying import Replay, Replayed
from omoide.serve.cli import printing
from omoide.serve.cli.find import opened

SAID = {
    NO_RECORD: "no record", UNDECIDED: "undecided", "one_word_too_many": "one word too many", "wording": "wording",
    "spelling_variant": "spelling variant", "out_of_period": "out of period", "cut_off": "cut off", "other": "other",
}  # fmt: skip


def replay(args: argparse.Namespace) -> int:
    say = in_language(args.lang)
    with opened(args) as omoide:
        found = omoide.replay(_log(args), rule=args.rule)
    other = [one for one in found.made if not one.same]
    lines = [line for one in (found.made if args.all else other) for line in _beside(one, say)]
    printing.answer(args, _replayed(found), [*lines, *_sum(found, say)])
    _aside([(call.where, why) for call, why in found.skipped], "not made again")
    _named(found.broken, found.failed)
    return 1 if other and not args.rule else 0


def misses(args: argparse.Namespace) -> int:
    say = in_language(args.lang)
    with opened(args) as omoide:
        found = omoide.misses(_log(args), labels=Path(args.labels) if args.labels else None, hybrid=not args.no_hybrid)
    judged = [_verdict(one, say) for one in (found.judged if args.all else ())]
    printing.answer(args, _missed(found), [*judged, *_table(found, say), advice(found, say)])
    _aside([(call.where, why) for call, why in found.skipped], "not judged")
    _aside([(call.where, f"{key} of its label is nowhere in this home") for call, key in found.lost], "labels that say nothing")
    _named(found.broken, found.failed)
    return 0


def _log(args: argparse.Namespace) -> Path | None:
    return Path(args.log) if args.log else None


# -- replay ----------------------------------------------------------------------------------------


def _asked(call: Call) -> str:
    period = "".join(f"  {name} {when:%Y-%m-%d}" for name, when in (("since", call.since), ("until", call.until)) if when)
    return f"{call.at:%Y-%m-%d %H:%M:%S}  {' '.join(call.text)}{period}"


def _beside(one: Replayed, say: Say) -> list[str]:
    """Old and new, side by side; then what came and what went."""
    old, new = one.call.ids or (), one.ids
    lines = [f"{_asked(one.call)}  {one.call.rule} {_count(old, one.call.cut)} | {one.rule} {_count(new, one.cut)}"]
    lines += [f"    + {key}" for key in new if key not in old] + [f"    - {key}" for key in old if key not in new]
    return lines + ([f"    {say('(in another order)')}"] if set(old) == set(new) and old != new else [])


def _count(ids: Sequence[str], cut: int) -> str:
    return f"{len(ids)}" + (f" (+{cut})" if cut else "")


def _sum(found: Replay, say: Say) -> list[str]:
    same = sum(one.same for one in found.made)
    gained = sum(not one.call.ids and bool(one.ids) for one in found.made)
    lost = sum(bool(one.call.ids) and not one.ids for one in found.made)
    made = say("{} calls made again: {} as they were, {} otherwise")
    lines = [made.format(f"{len(found.made):,}", f"{same:,}", f"{len(found.made) - same:,}")]
    turned = say("{} found something where there was nothing, {} nothing where there was something").format(f"{gained:,}", f"{lost:,}")
    return [*lines, turned] if gained or lost else lines


def _replayed(found: Replay) -> dict[str, Any]:
    rows = [
        {"where": one.call.where, "t": one.call.at.isoformat(), "verb": one.call.verb, "text": list(one.call.text), "same": one.same,
         "old": {"rule": one.call.rule, "ids": list(one.call.ids or ()), "cut": one.call.cut},
         "new": {"rule": one.rule, "ids": list(one.ids), "cut": one.cut}}
        for one in found.made
    ]  # fmt: skip
    skipped = [{"where": call.where, "why": why} for call, why in found.skipped]
    return {"calls": len(rows), "same": sum(one.same for one in found.made), "results": rows, "skipped": skipped} | _broken(found.broken)


# -- misses ----------------------------------------------------------------------------------------


def _verdict(one: Judged, say: Say) -> str:
    helped = say("; {} finds it").format(one.helped) if one.helped else ""
    return f"{_asked(one.call)}  [{say(SAID[one.cause or one.verdict])}{'' if one.labelled else say(', by the rules')}{helped}]"


def _table(found: Misses, say: Say) -> list[str]:
    lost = [("  lost a record by it", found.causes["cut_off"])] if "cut_off" in found.causes else []
    rows = [("calls by words", found.calls), ("came back empty", found.empty), ("  right: no record", found.count(NO_RECORD)),
            ("  undecided", found.count(UNDECIDED)), ("  missed", sum(not one.call.ids for one in found.judged if one.verdict == MISSED)),
            *((f"    {SAID[cause]}", count) for cause, count in found.causes.items() if cause != "cut_off"),
            ("cut off", found.cut_off), *lost]  # fmt: skip
    beside = [("calls by a period alone", found.by_period), ("searches", found.searches), ("  found nothing", found.searches_empty),
              ("calls whose result was not kept", found.not_kept), ("calls of a caller not known here", found.unknown_callers),
              ("labels of no call", found.unused_labels)]  # fmt: skip
    shown = [(say(name), count) for name, count in rows + [row for row in beside if row[1]]]
    widths = [sum(1 + (east_asian_width(letter) in "WF") for letter in name) for name, _ in shown]
    lines = [f"{name}{' ' * (max(widths) - width)}  {count:>5,}" for (name, count), width in zip(shown, widths, strict=True)]
    by_rules = sum(not one.labelled for one in found.judged)
    stated = say("{} of {} were judged by rules, without a label: whether a record was meant they cannot say")
    return [*lines, *([stated.format(f"{by_rules:,}", f"{len(found.judged):,}")] if by_rules else [])]


def _missed(found: Misses) -> dict[str, Any]:
    rows = [
        {"where": one.call.where, "t": one.call.at.isoformat(), "words": list(one.call.text), "verdict": one.verdict, "cause": one.cause,
         "labelled": one.labelled, "helped": one.helped}
        for one in found.judged
    ]  # fmt: skip
    numbers = {name: getattr(found, name) for name in ("calls", "empty", "cut_off", "by_period", "searches", "searches_empty", "not_kept")}
    counts = {verdict: found.count(verdict) for verdict in (NO_RECORD, UNDECIDED, MISSED)}
    by_cause = {"by_cause": {cause: found.causes.get(cause, 0) for cause in CAUSES}}
    more = {"unknown_callers": found.unknown_callers, "unused_labels": found.unused_labels, "advice": advice(found), "judged": rows}
    skipped = {"skipped": [{"where": call.where, "why": why} for call, why in found.skipped]}
    lost = {"lost": [{"where": call.where, "gold": key} for call, key in found.lost]}
    return numbers | counts | by_cause | more | skipped | lost | _broken(found.broken)


# -- both ------------------------------------------------------------------------------------------


def _broken(broken: Sequence[Broken]) -> dict[str, Any]:
    return {"broken": [one._asdict() for one in broken]}


def _named(broken: Sequence[Broken], failed: str) -> None:
    """Lines that are no calls, counted and named; and why meanings were not compared."""
    if failed:
        print(f"({failed} Searches compared words only.)", file=sys.stderr)
    if broken:
        print(f"(broken lines, passed over: {len(broken):,})", file=sys.stderr)
    for one in broken[:20]:
        print(f"  {one.where}: {one.why}", file=sys.stderr)


def _aside(found: Sequence[tuple[str, str]], what: str) -> None:
    """How many there are of each reason, with the first place."""
    first = {why: where for where, why in reversed(found)}
    for why, count in Counter(why for _, why in found).items():
        print(f"({what}: {count:,}, {first[why]}{' first' if count > 1 else ''}: {why})", file=sys.stderr)
