"""Whose word it is: the person's own, a claim by another, or nobody's (a quotation, a joke, an order, a question …)."""

from __future__ import annotations

from typing import NamedTuple

from omoide.memory.phrases import form, quotes, says

RECORDS = (".csv", ".tsv", ".xlsx", ".xls", ".ods", ".vcf", ".ics")
"""Files that are lists of people; any other file is a document, and a document speaks for nobody."""


class Voice(NamedTuple):
    """Who speaks. `own`: the person the note is about, proven; `bot`: no person at all.

    `named`: note or message names the person it is about; `present`: that person is in the room;
    `alone`: and nobody else but the speaker; `shared`: it speaks of a matter that is already noted about them.
    """

    own: bool
    bot: bool = False
    named: bool = False
    present: bool = False
    alone: bool = False
    shared: bool = False


def whose_word(text: str, message: str, source: str, voice: Voice) -> str:
    """Empty for the person's own word, and that of one who may speak for the matter; else how it came ("other": a claim).

    What is nobody's word: bot, document, forward, quote, joke, order, question.
    """
    note, told = form(text), form(message)
    if voice.bot:
        return "bot"
    if way := _borrowed(note, told, source):
        return way
    if _is_play(note, told):
        return "joke"
    if says("order", told, note) or (not voice.own and says("rewrite", told, note)):
        return "order"
    if voice.own or _is_record(told, source):
        return ""
    if told.rstrip().endswith("?") and not says("hearsay", told, note):
        return "question"
    return "" if _may_speak(note, told, voice) else "other"


def _is_play(note: str, told: str) -> bool:
    """A joke, an exaggeration with a laugh, or a supposition that the note leaves out."""
    if says("joke", told, note) or (says("laugh", told) and says("extreme", told)):
        return True
    return says("supposed", told) and not says("supposed", note)


def _borrowed(note: str, told: str, source: str) -> str:
    """Words of somebody else that are passed on."""
    if source.startswith("file:") and not _is_record(told, source):
        return "document"
    if says("document", told):
        return "document"
    if says("forward", told) or told.lstrip().startswith(">"):
        return "forward"
    return "quote" if says("quote", told) or _quoted_share(told) > 0.5 else ""


def _is_record(told: str, source: str) -> bool:
    return source.startswith("file:") and source.lower().endswith(RECORDS) and says("record", told, form(source))


def _quoted_share(told: str) -> float:
    """Share of a message that stands between quotation marks."""
    inside = 0
    for opening, closing in quotes():
        parts = told.split(opening) if opening == closing else [part for half in told.split(opening) for part in half.split(closing)]
        inside = max(inside, sum(map(len, parts[1::2])) if len(parts) > 2 else 0)
    return inside / len(told) if told else 0.0


def _may_speak(note: str, told: str, voice: Voice) -> bool:
    """Another may speak for the person in a matter both share, or by office; never about the person as such."""
    if says("hearsay", told, note):
        return False
    if says("office", told, note):
        return True
    if voice.named or says("third_person", told):
        return False
    return voice.present and (says("joint", told) or (voice.alone and voice.shared))
