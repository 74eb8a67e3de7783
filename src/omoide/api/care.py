"""Verbs about the index itself: build, status, verify, doctor, inspect."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict
from typing import Any

from omoide.api.asking import Ask, ask
from omoide.api.cutting import content_of
from omoide.api.home import Home
from omoide.errors import BadInput, IndexFailed, StoreFailed
from omoide.index import check, sync
from omoide.index.bm25 import TERM, term_hash
from omoide.index.embed import coverage
from omoide.index.index import Index
from omoide.search.explain import explained
from omoide.store.door import Door
from omoide.store.files import Problem
from omoide.types import Query, Scope

ADVICE = ("partial_vectors", "index_busy", "unfinished_change")
"""What `doctor` names although nothing is wrong: work that may still be done."""


def build(home: Home, force: bool, vectors: bool) -> dict[str, Any]:
    """See `Omoide.build`. Changes of the home that a dead process left half done are completed first."""
    with suppress(StoreFailed):
        Door(home.store.home).complete()
    if force:
        home.rebuild()
    refused, _ = home.answer(home.complete, vectors)
    return status(home) | {"refused": list(refused)}


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
    """See `Omoide.verify`. What was damaged so that it had to be made again already is named too."""
    index, notices = home.fresh()
    wrong = [notice.text for notice in notices if notice.code == "index_rebuilt"]
    known: dict[str, str] = {}
    parts = 0
    try:
        parts = len(index.parts())
        with index.lock, index.failing():
            known = dict(index.db.execute("SELECT path, digest FROM files").fetchall())
        for path, digest in known.items():
            content = content_of(home.store.read(path))
            if not content.keep and (content.digest != digest or check.differs(index, path, content.chunks)):
                wrong.append(f"{path}: the index has other content than the file")
        wrong += check.faults(index)
    except IndexFailed as error:
        wrong.append(str(error))
    return {"files": len(known), "parts": parts, "wrong": wrong, "do": "omoide index build --force" if wrong else ""}


def doctor(home: Home) -> list[dict[str, str]]:
    """See `Omoide.doctor`. What can be completed of changes that a dead process left is completed, the rest named."""
    changes = _unfinished(Door(home.store.home))
    found, notices = home.answer(lambda index: _symptoms(home, index))
    rows = [{"what": notice.code, "where": "", "text": notice.text} for notice in notices] + found
    return [{"severity": "advice" if row["what"] in ADVICE else "fault"} | row for row in rows + changes]


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
    index, _ = home.fresh(vectors=False)
    read = home.store.read(path)
    if isinstance(read, Problem):
        raise BadInput(f"{path}: {read.text}")
    return [
        {"id": chunk.id, "lines": list(chunk.lines), "kind": chunk.kind, "audience": chunk.audience, "context": chunk.context,
         "text": chunk.text, "terms": index.analyzer(chunk.full_text)}
        for chunk in content_of(read).chunks
    ]  # fmt: skip


def inspect_word(home: Home, word: str, limit: int) -> dict[str, Any]:
    """See `Omoide.inspect_word`."""
    index, _ = home.fresh(vectors=False)
    out = []
    with index.lock, index.failing():
        rows = index.db.execute("SELECT key, length, terms FROM chunks ORDER BY key").fetchall()
    held = [(key, length, dict(TERM.iter_unpack(terms))) for key, length, terms in rows]
    for term in index.terms(word).terms:
        value = term_hash(term)
        postings = [{"id": key, "times": terms[value], "length": length} for key, length, terms in held if value in terms]
        out.append({"term": term, "in": len(postings), "postings": postings[:limit]})
    return {"word": word, "texts": len(rows), "terms": out}


def inspect_query(home: Home, text: str, recipe: str, limit: int) -> dict[str, Any]:
    """See `Omoide.inspect_query`."""
    index, _ = home.fresh(vectors=not recipe.startswith("lexical"))
    scope = Scope()
    query = Query(text, home.clock(), limit, scope, explain=True)
    results = ask(index, home.embedder() if index.model else None, home.settings, Ask(query, recipe))
    terms = index.terms(text)
    return {
        "query": text,
        "terms": [{"term": term, "times": times} for term, times in zip(*terms, strict=True)],
        "notices": [notice._asdict() for notice in results.notices],
        "candidates": results.facts.get("candidates", 0),
        "settings": asdict(home.settings.search),
        "hits": [explained(hit) for hit in results.hits],
    }
