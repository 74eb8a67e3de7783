"""Verbs about the index itself: build, status, verify, doctor, inspect."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict
from typing import Any

from omoide.api.asking import Ask, ask
from omoide.api.cutting import content_of
from omoide.api.home import Home
from omoide.errors import BadInput, IndexFailed, StoreFailed
from omoide.index import check, schema, sync
from omoide.index.bm25 import TERM, term_hash
from omoide.index.embed import coverage
from omoide.index.index import Index
from omoide.search.explain import explained
from omoide.store.check_path import checked
from omoide.store.door import Door
from omoide.store.files import UNKNOWN, Problem
from omoide.text.tokenize import ANALYZERS
from omoide.types import Query, Results, Scope

NO_FAULT = ("generated",)
"""Why a file is no source although nothing is the matter with it."""

ADVICE = ("partial_vectors", "index_busy", "unfinished_change", "logs_due", *NO_FAULT)
"""What `doctor` names although nothing is wrong: work that may still be done."""


def build(home: Home, force: bool, vectors: bool) -> dict[str, Any]:
    """See `Omoide.build`. Changes of the home that a dead process left half done are completed first."""
    with suppress(StoreFailed):
        Door(home.store.home).complete()
    if force:
        home.rebuild()
    refused, said = home.answer(home.complete, vectors)
    numbers, notices = home.answer(lambda index: _numbers(home, index) | {"unread": _unread(home, index)}, vectors)
    told = dict.fromkeys((*said, *notices))
    return numbers | {"notices": [notice._asdict() for notice in told], "refused": list(refused)}


def _unread(home: Home, index: Index) -> list[str]:
    """Paths of what could not be read, each once."""
    known = [Problem(path, *why) for path, why in sync.problems(index).items()]
    return list(dict.fromkeys(one.path for one in (*home.scan.problems, *known) if one.code not in NO_FAULT))


def status(home: Home) -> dict[str, Any]:
    """See `Omoide.status`."""
    fields, notices = home.answer(lambda index: _numbers(home, index))
    return fields | {"notices": [notice._asdict() for notice in notices]}


def _numbers(home: Home, index: Index) -> dict[str, Any]:
    from omoide.index import kernel

    have = coverage(index)
    return {
        "files": index.count("SELECT count(*) FROM files"),
        "chunks": have.chunks,
        "model": index.model or "none",
        "vectors": have.embedded,
        "coverage": round(have.share, 4) if index.model else 0.0,
        "segments": len(index.view().lexical),
        "passes": "NumPy" if kernel.library is None else "compiled",
        "bytes": _bytes(index),
        "index": str(home.cache),
        "problems": len(sync.problems(index)) + len(home.scan.problems),
    }


def _bytes(index: Index) -> int:
    """Size on disk; what another process replaces while it is counted is left out."""
    total = 0
    with suppress(OSError):
        for path in index.folder.iterdir() if index.folder else ():
            with suppress(FileNotFoundError):
                total += path.stat().st_size
    return total


def verify(home: Home) -> dict[str, Any]:
    """See `Omoide.verify`. What was damaged so that it had to be made again already is named too. `unread`: files that cannot be
    read now, so that nobody knows whether the index has what they say."""
    index, notices = home.fresh()
    wrong = [notice.text for notice in notices if notice.code == "index_rebuilt"]
    known: dict[str, str] = {}
    unread = {problem.path: problem.text for problem in home.scan.problems if problem.code in UNKNOWN}
    parts = 0
    try:
        parts = len(index.parts())
        with index.lock, schema.damage():
            known = dict(index.db.execute("SELECT path, digest FROM files").fetchall())
        for path in sorted(known.keys() | {found.path for found in home.scan.found}):
            content = content_of(home.store.read(path))
            if content.keep and content.problem and content.problem[0] in UNKNOWN:
                unread[path] = content.problem[1]
            elif not content.keep and path in known and (content.digest != known[path] or check.differs(index, path, content.chunks)):
                wrong.append(f"{path}: the index has other content than the file")
        wrong += check.faults(index)
    except IndexFailed as error:
        wrong.append(str(error))
    return {"files": len(known), "parts": parts, "wrong": wrong, "unread": [f"{path}: {text}" for path, text in unread.items()],
            "notices": [notice._asdict() for notice in notices], "do": "omoide index build --force" if wrong else ""}  # fmt: skip


def doctor(home: Home) -> list[dict[str, str]]:
    """See `Omoide.doctor`. What can be completed of changes that a dead process left is completed, the rest named."""
    changes = _unfinished(Door(home.store.home))
    found, notices = home.answer(lambda index: _symptoms(home, index))
    rows = [{"what": notice.code, "where": "", "text": notice.text} for notice in notices] + found
    return [{"severity": "advice" if row["what"] in ADVICE else "fault"} | row for row in rows + changes + _due(home)]


def _due(home: Home) -> list[dict[str, str]]:
    days = home.settings.logs.keep_days
    from omoide.api.retaining import due

    found = due(home.store.home, home.clock(), days, home.store.zone)
    said = f"older than {days} days (logs.keep_days) and still kept. Run: omoide rooms tidy"
    return [{"what": "logs_due", "where": folder, "text": f"{number:,} {'events are' if number > 1 else 'event is'} {said}"}
            for folder, number in found]  # fmt: skip


def _unfinished(door: Door) -> list[dict[str, str]]:
    try:
        door.complete()
        left = door.unfinished()
    except StoreFailed as error:
        return [{"what": "unfinished_change", "where": "", "text": str(error)}]
    said = "its last change is not carried out: somebody is writing just now, or the disk refuses. Run again: omoide doctor"
    return [{"what": "unfinished_change", "where": subject, "text": said} for subject in left]


def _symptoms(home: Home, index: Index) -> list[dict[str, str]]:
    out = [{"what": problem.code, "where": problem.path, "text": problem.text} for problem in home.scan.problems]
    out += [{"what": code, "where": path, "text": text} for path, (code, text) in sync.problems(index).items()]
    have = coverage(index)
    if index.model and have.embedded < have.chunks:
        text = f"{have.embedded:,} of {have.chunks:,} chunks have a vector ({have.share:.0%}). Run: omoide index build"
        out.append({"what": "partial_vectors", "where": index.model, "text": text})
    if not have.chunks:
        text = f"no note was found below this folder ({len(home.scan.found)} Markdown files). Is it the right one?"
        out.append({"what": "empty_home", "where": "", "text": text})
    return out


def inspect_chunks(home: Home, path: str) -> list[dict[str, Any]]:
    """See `Omoide.inspect_chunks`. Raises `BadInput` for a file that is not indexed."""
    analyzer = ANALYZERS[home.settings.lexical.analyzer]
    read = home.store.read(checked(path, portable=False))
    if isinstance(read, Problem):
        raise BadInput(f"{path}: {read.text}")
    return [
        {"id": chunk.id, "lines": list(chunk.lines), "kind": chunk.kind, "audience": chunk.audience, "context": chunk.context,
         "text": chunk.text, "terms": analyzer(chunk.full_text)}
        for chunk in content_of(read).chunks
    ]  # fmt: skip


def inspect_word(home: Home, word: str, limit: int) -> dict[str, Any]:
    """See `Omoide.inspect_word`."""
    found, notices = home.answer(lambda index: _postings(index, word, limit), vectors=False)
    return found | {"notices": [notice._asdict() for notice in notices]}


def _postings(index: Index, word: str, limit: int) -> dict[str, Any]:
    with index.lock, schema.damage():
        rows = index.db.execute("SELECT key, length, terms FROM chunks ORDER BY key").fetchall()
        held = [(key, length, dict(TERM.iter_unpack(terms))) for key, length, terms in rows]
    out = []
    for term in index.terms(word).terms:
        value = term_hash(term)
        postings = [{"id": key, "times": terms[value], "length": length} for key, length, terms in held if value in terms]
        out.append({"term": term, "in": len(postings), "postings": postings[:limit]})
    return {"word": word, "texts": len(rows), "terms": out}


def inspect_query(home: Home, text: str, recipe: str, limit: int) -> dict[str, Any]:
    """See `Omoide.inspect_query`."""
    query = Query(text, home.clock(), limit, Scope(), explain=True)

    def asked(index: Index) -> tuple[Results, list[dict[str, Any]]]:
        terms = index.terms(text)
        told = [{"term": term, "times": times} for term, times in zip(*terms, strict=True)]
        return ask(index, home.embedder() if index.model else None, home.settings, Ask(query, recipe)), told

    (results, terms), notices = home.answer(asked, vectors=not recipe.startswith("lexical"))
    return {
        "query": text,
        "terms": terms,
        "notices": [notice._asdict() for notice in (*results.notices, *notices)],
        "candidates": results.facts.get("candidates", 0),
        "settings": asdict(home.settings.search),
        "hits": [explained(hit) for hit in results.hits],
    }
