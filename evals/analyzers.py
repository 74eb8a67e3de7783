"""Measure what the decisions on cutting words argue with: docs/decisions/0002 (pairs) and 0003 (stemmer).

    python evals/analyzers.py                  all sets, all ways; writes evals/analyzers.json
    python evals/analyzers.py --only lawqa_ja  only sets whose name contains the word; prints, writes nothing
    python evals/analyzers.py --way sudachi-a  only this way of cutting; prints, writes nothing

Japanese is cut by the built-in pairs (`terms`), by SudachiPy in place of them, by both, and by pairs of what SudachiPy does not
take for a particle or auxiliary; English is stemmed by Snowball, by Porter's older rules, by a light stripper and not at all.
All else is what `omoide eval retrieval --recipe lexical` does, with the options of evals/run.py. Each entry holds the command
that makes it again; `gain` is the mean difference to the first way, query by query, and its standard error. Needs ../shared.
"""

from __future__ import annotations

import argparse
import importlib
import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import Stemmer
from run import SETS, SHARED

from omoide.evaluate.retrieval import RetrievalOptions, evaluate_retrieval
from omoide.settings import Settings
from omoide.text import stem, tokenize
from omoide.text.normalize import search_form

KEPT = Path(__file__).with_name("analyzers.json")
MEASURES = ("ndcg@10", "strict_recall@10")
SCRIPT = re.compile("[々〆〇ぁ-ゖゝ-ゟァ-ヺー-ヿ㐀-䶿一-鿿豈-﫿𠀀-𳑿]")
"""What pairs are made of, and so what an analyser takes over; every other term stays as it is."""
PORTER = Stemmer.Stemmer("porter")
DROPPED = ("助詞", "助動詞", "補助記号", "記号", "空白")  # particles, auxiliaries, punctuation, blanks
PIECE = 8000  # letters at a time: Sudachi takes at most 49,149 bytes


@cache
def sudachi(mode: str) -> Callable[[str], Any]:
    try:
        return importlib.import_module("sudachipy").Dictionary(dict="core").tokenizer(mode=mode).tokenize
    except ImportError:  # also what SudachiPy raises without its dictionary
        raise SystemExit("SudachiPy or its dictionary is missing: pip install sudachipy sudachidict-core") from None


@cache
def morphemes(text: str, mode: str) -> list[Any]:
    form, cut = search_form(text), sudachi(mode)
    return [word for start in range(0, len(form), PIECE) for word in cut(form[start : start + PIECE])]


@cache
def analysed(text: str, mode: str) -> tuple[str, ...]:
    """Normalised forms of the Japanese words of a text, in order, without particles and auxiliaries."""
    kept = [word for word in morphemes(text, mode) if word.part_of_speech()[0] not in DROPPED and SCRIPT.search(word.surface())]
    return tuple(search_form(word.normalized_form()) for word in kept)


def built_in(text: str, japanese: bool) -> list[str]:
    return [term for term in tokenize.terms(text) if bool(SCRIPT.search(term)) == japanese]


def content_pairs(text: str) -> list[str]:
    """Pairs of what is left when the analyser has taken out particles and auxiliaries; none spans the gap."""
    gaps = "".join(" " if word.part_of_speech()[0] in DROPPED[:2] else word.surface() for word in morphemes(text, "A"))
    return [*built_in(text, False), *built_in(gaps, True)]


def light(word: str) -> str:
    """Takes off endings of plural and tense and a last e, no more: moved, moves, moving, move → mov."""
    for ending, put in (("ies", "y"), ("ied", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""), ("e", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith(("ss", "us", "is")):
            root = word.removesuffix(ending) + put
            return root[:-1] if len(root) > 3 and root[-1] == root[-2] and root[-1] not in "lsz" else root
    return word


WAYS: dict[str, tokenize.Analyzer] = {
    "terms": tokenize.terms,
    "sudachi-a": lambda text: [*built_in(text, False), *analysed(text, "A")],
    "sudachi-c": lambda text: [*built_in(text, False), *analysed(text, "C")],
    "pairs+sudachi-a": lambda text: [*tokenize.terms(text), *analysed(text, "A")],
    "pairs+sudachi-c": lambda text: [*tokenize.terms(text), *analysed(text, "C")],
    "content-pairs": content_pairs,
    "content-pairs+sudachi-a": lambda text: [*content_pairs(text), *analysed(text, "A")],
}
STEMMERS: dict[str, Callable[[str], str]] = {
    "snowball": stem.stem, "porter": lambda word: PORTER.stemWord(word) or word, "light": light, "none": str,
}  # fmt: skip
PLAN = dict.fromkeys(("jsquad", "jaquad", "lawqa_ja", "fastapi ja→ja", "daily_logs_ja", "memory_qa_ja"), tuple(WAYS))
PLAN |= dict.fromkeys(("locomo", "fastapi en→en", "perspectrum"), tuple(STEMMERS))


def measure(name: str, way: str) -> tuple[dict[str, Any], list[dict[str, float]]]:
    """The entry of one set cut in one way, and the scores of each judged query."""
    folder, *given = SETS[name]
    of, settings = dict(zip(given[::2], given[1::2], strict=True)), Settings()
    for kept in (morphemes, analysed, tokenize.latin_terms):
        kept.cache_clear()
    if way in WAYS:
        tokenize.ANALYZERS[way] = WAYS[way]
        settings = replace(settings, lexical=replace(settings.lexical, analyzer=way))
    tokenize.stem = STEMMERS.get(way, stem.stem)  # type: ignore[attr-defined]
    options = RetrievalOptions(
        recipe="lexical", limit=int(of["--limit"]) if "--limit" in of else None, scope_field=of.get("--scope-field", ""), per_query=True,
        docs=tuple(filter(None, [of.get("--docs")])), queries=tuple(filter(None, [of.get("--queries")])),
    )  # fmt: skip
    data = evaluate_retrieval([SHARED / folder], options, settings=settings)
    entry = {"command": f"python evals/analyzers.py --only '{name}' --way '{way}'"}
    entry |= {field: data[field] for field in ("queries", "documents", "build_s", *MEASURES)}
    entry |= {"all": {field: data["all"][field] for field in ("queries", *MEASURES)}} if isinstance(data.get("all"), dict) else {}
    return entry, [row["measures"] for row in data["per_query"] if not row["unanswerable"] and row["measures"]]


def gain(scores: list[dict[str, float]], first: list[dict[str, float]]) -> dict[str, list[float]]:
    by_query = {field: [one[field] - other[field] for one, other in zip(scores, first, strict=True)] for field in MEASURES}
    return {field: [round(mean(found), 4), round(stdev(found) / len(found) ** 0.5, 4)] for field, found in by_query.items()}


def measure_set(name: str, only: str) -> dict[str, Any]:
    found, first = dict[str, Any](), list[dict[str, float]]()
    for way in (way for way in PLAN[name] if only in ("", way)):
        found[way], scores = measure(name, way)
        found[way] |= {"gain": gain(scores, first)} if first else {}
        first = first or scores
        print(f"{name:14} {way:24}", *(f"{field} {found[way][field]:.4f}" for field in MEASURES), found[way].get("gain", ""), flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="WORD")
    parser.add_argument("--way", default="", choices=[*WAYS, *STEMMERS])
    args = parser.parse_args()
    if not SHARED.is_dir():
        raise SystemExit("there is no ../shared beside the project, so there is nothing to measure")
    results = {}
    for name in (name for name in PLAN if args.only in name and args.way in ("", *PLAN[name])):
        results[name] = measure_set(name, args.way)
        if not args.only and not args.way:
            KEPT.write_text(json.dumps(results, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
