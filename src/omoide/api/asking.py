"""One way to ask an index, used by a home and by a collection: lanes, recipe, notices."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from omoide.errors import BadInput, ModelFailed
from omoide.index.allowed import Allowed, Narrow, readable_rows
from omoide.index.bm25 import LexicalLane
from omoide.index.index import Index, View
from omoide.index.write import writing
from omoide.search.abstain import nothing_relevant
from omoide.search.decay import decay
from omoide.search.explain import explained, rank_changes
from omoide.search.mmr import mmr
from omoide.search.neighbors import support
from omoide.search.recipe import run, stages_of
from omoide.search.retrieve import retrieve, side_by_side
from omoide.search.scales import CosineScale
from omoide.settings import Settings
from omoide.text.normalize import clean
from omoide.types import Hit, Notice, Query, Results, Stage

if TYPE_CHECKING:
    from omoide.types import Embedder, Vectors

MAX_QUERY_CHARS = 20_000
MOST_RESULTS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Ask:
    """One search, as its caller put it. `vector`: a ready query vector instead of the embedder's."""

    query: Query
    recipe: str
    narrow: Narrow = field(default_factory=Narrow)
    vector: Vectors | None = None


class Lanes(NamedTuple):
    """What both lanes answered; None where a lane was not asked or could not answer."""

    text: Any
    vector: Any
    scale: CosineScale
    notices: list[Notice]


def ask(index: Index, embedder: Embedder | None, settings: Settings, request: Ask) -> Results:
    """Search. Raises `BadInput` for a bad recipe or limit; a model that fails is a notice, not an error."""
    names = stages_of(request.recipe)
    query = request.query
    checked_limit(query.limit)
    if len(query.text) > MAX_QUERY_CHARS:
        said = f"The query has {len(query.text):,} characters; its first {MAX_QUERY_CHARS:,} were searched."
        results = ask(index, embedder, settings, replace(request, query=replace(query, text=query.text[:MAX_QUERY_CHARS])))
        return results.but(notices=(*results.notices, Notice("long_query", said)))
    if not query.text.strip():
        return Results(notices=(Notice("blank_query", "The query is blank, so nothing was searched."),))
    if names[0] == "lexical" or not index.model or (embedder is None and request.vector is None):
        found = _words(index, settings, request, names[0])
    else:
        found = _lanes(index, embedder, settings, request, names[0])
    reason = nothing_relevant(query.text, found.text, found.vector, found.scale)
    if reason:
        if not index.count("SELECT EXISTS(SELECT 1 FROM chunks)"):
            return Results(notices=(Notice("nothing_relevant", "There are no notes here yet, so nothing was searched."), *found.notices))
        if request.narrow != Narrow():
            reason += " Only the kinds, subjects, times and folder that were asked for were looked at."
        return Results(notices=(Notice("nothing_relevant", reason), *found.notices), facts={"recipe": ",".join(names)})
    hits = run(_stages(index, settings, names, query, found), query)
    return _results(hits, query, settings, names, found.notices)


def together(found: Iterable[Notice], about: Iterable[Notice]) -> tuple[Notice, ...]:
    """What is said of a search and of its index; where a model failed, it is not said that there is none."""
    said = (*found, *about)
    failed = any(notice.code == "model_failed" for notice in said)
    return tuple(notice for notice in said if not (failed and notice.code == "words_only"))


def _results(hits: list[Hit], query: Query, settings: Settings, names: tuple[str, ...], notices: list[Notice]) -> Results:
    kept = [hit for hit in hits if hit.score >= settings.search.min_score]
    top = tuple(explained(hit) if query.explain else hit for hit in kept[: query.limit])
    if hits and not top:
        lowest = f"{len(hits)} hits lie below search.min_score {settings.search.min_score:g}."
        notices = [Notice("below_min_score", lowest), *notices]
    elif not hits:
        notices = [Notice("nothing_relevant", "The best candidates have a score of 0."), *notices]
    facts = {"recipe": ",".join(names), "candidates": len(hits)}
    if query.explain:
        facts["rank_changes"] = rank_changes(top)
    return Results(top, tuple(notices), facts)


def _stages(index: Index, settings: Settings, names: tuple[str, ...], query: Query, found: Lanes) -> list[Stage]:
    search = settings.search
    later = names[1:]
    pool = query.limit if not later else 2 * max(search.hybrid.candidates, query.limit)
    stages = [retrieve((found.text, found.vector), index.chunks, search.hybrid, settings.lexical, found.scale, pool)]
    if "support" in later and search.support.enabled and (search.support.neighbours or search.support.session):
        stages.append(support(search.support))
    if "decay" in later and search.decay.enabled:
        stages.append(decay(search.decay))
    if "mmr" in later and search.mmr.enabled:
        stages.append(mmr(search.mmr, index.term_sets))
    return stages


# -- lanes -----------------------------------------------------------------------------------------


def _words(index: Index, settings: Settings, request: Ask, lane: str) -> Lanes:
    """Only words: asked for, or all there is."""
    query = request.query
    k = max(settings.search.hybrid.candidates, query.limit)
    terms = index.terms(query.text)
    found = index.words_alone(terms, query.scope, request.narrow, k)
    if found is None:
        view = index.view()
        found = index.search_lexical(view, terms, index.allowed(view, query.scope, request.narrow), k)
    said = [] if lane == "lexical" else [Notice("words_only", "No embedding model is set up, so only words were compared.")]
    return Lanes(found, None, CosineScale(), said)


def _lanes(index: Index, embedder: Embedder | None, settings: Settings, request: Ask, lane: str) -> Lanes:
    query = request.query
    k = max(settings.search.hybrid.candidates, query.limit)
    view = index.view()
    within = index.allowed(view, query.scope, request.narrow)
    lexical: Callable[[], LexicalLane] = lambda: index.search_lexical(view, index.terms(query.text), within, k)  # noqa: E731
    if not view.vectors:
        said = f"No chunk has a vector of {index.model} yet, so only words were compared. Run: omoide index build"
        return Lanes(lexical(), None, CosineScale(), [Notice("no_vectors", said)])
    vector: Callable[[], Any] = lambda: _dense(index, embedder, request, view, within, k)  # noqa: E731
    asked = [vector] if lane == "dense" else [lexical, vector]
    # with a ready vector there is nothing slow to wait for
    answers = side_by_side(*asked) if request.vector is None else tuple(one() for one in asked)
    dense, scale, notices = answers[-1]
    text = lexical() if lane == "dense" and dense is None else answers[0] if lane != "dense" else None
    return Lanes(text, dense, scale, notices)


def _dense(
    index: Index, embedder: Embedder | None, request: Ask, view: View, within: Allowed, k: int
) -> tuple[Any, CosineScale, list[Notice]]:
    """The dense lane and its scale. Both may need the model; without it there is no lane, and a notice."""
    vector = request.vector
    try:
        if vector is None:
            assert embedder is not None
            vector = embedder.embed([request.query.text], query=True)[0]
        scale = cosine_scale(index, embedder)
    except ModelFailed as error:
        return None, CosineScale(), [Notice("model_failed", f"{error} Only words were compared.")]
    if len(vector) != index.dimensions:
        raise BadInput(f"the query vector has {len(vector)} dimensions, the index {index.dimensions}")
    # counted over what the caller may read: how much others have is not theirs to know
    embedded, chunks = (sum(readable_rows(*source, within) for source in lane) for lane in (view.dense, view.lexical))
    notices = []
    if embedded < chunks:
        share = f"{embedded:,} of {chunks:,} chunks have a vector; the others were found by words only. Run: omoide index build"
        notices.append(Notice("partial_vectors", share))
    return index.search_dense(view, vector, within, k), scale, notices


# -- what cosines mean -----------------------------------------------------------------------------


def cosine_scale(index: Index, embedder: Embedder | None) -> CosineScale:
    """The model's scale: measured once, kept in the index. Without a model the plain cosine. Raises `ModelFailed`.

    Between unrelated and related texts of a model lies the span where cosines say something: it is widened
    to half a deviation of noise below and two above, where real questions and passages end.
    """
    kept = index.meta(f"calibration:{index.model}")
    if not kept:
        if embedder is None:
            return CosineScale()
        from omoide.models.calibration import calibrate

        measured = calibrate(embedder)
        kept = json.dumps([measured.noise_mean, measured.noise_std, measured.related_mean])
        with writing(index) as writer:
            writer.set_meta(f"calibration:{index.model}", kept)
    mean, deviation, related = json.loads(kept)
    return CosineScale(mean + deviation / 2, related + 2 * deviation, mean + deviation)


def names(wanted: Iterable[str] | None, what: str) -> frozenset[str] | None:
    """Raises `BadInput` for one text where a list of names belongs."""
    if isinstance(wanted, str):
        raise BadInput(f"{what} is a list of names, not the text {wanted!r}")
    return None if wanted is None else frozenset(wanted)


def checked_limit(limit: int) -> None:
    """Raises `BadInput` for what is no number of results."""
    if not isinstance(limit, int) or isinstance(limit, bool) or not 1 <= limit <= MOST_RESULTS:
        raise BadInput(f"limit is a number from 1 to {MOST_RESULTS:,}, not {limit!r}")


def checked_period(since: datetime | None, until: datetime | None) -> None:
    """Raises `BadInput` for what is no moment with a zone, or a period that ends before it begins."""
    for name, moment in (("since", since), ("until", until)):
        if moment is not None and not isinstance(moment, datetime):
            raise BadInput(f"{name} is a datetime with a zone, not {moment!r}")
        if moment is not None and moment.tzinfo is None:
            raise BadInput(f"{name} needs a time zone: {moment.isoformat()}+09:00, for example")
    if since is not None and until is not None and until < since:
        raise BadInput(f"until {until.isoformat()} is before since {since.isoformat()}: nothing lies between")


def narrow(
    since: datetime | None, until: datetime | None, kinds: Iterable[str] | None, subjects: Iterable[str] | None, under: str
) -> Narrow:
    """What a caller wants, as the index takes it. Raises `BadInput` for a time without a zone, a period that ends before it
    begins, or one text where a list of names belongs."""
    checked_period(since, until)
    return Narrow(
        subjects=names(subjects, "subjects"),
        kinds=names(kinds, "kinds"),
        since=int(since.timestamp()) if since else None,
        until=int(until.timestamp()) if until else None,
        under="/".join(part for part in clean(under).split("/") if part not in ("", ".")),
    )
