"""The corpus every system gets: real texts cut to chunks, seeded vectors, persons, queries.

Texts come from the shared evaluation sets when they are there, else from `examples/home`. They are cut
into sentences, and sentences are joined to chunks of about 490 bytes: first each sentence once in its
own order, then (resampling) two runs from two places of one set. Vectors are not made by a model: a
topic's centre, a 48-dimensional variation of that topic's texts and noise. So building them costs
nothing, they are the same for every system, and a query has true neighbours.
"""

from __future__ import annotations

import json
import random
import re
import sys
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

DIMENSIONS = 384
TOPICS = 1000
PERSONS = 100
CHUNK_BYTES = 490
JAPANESE_SHARE = 0.30
SPARE = 5000
"""Chunks made on top of `n`, for the systems to add one by one."""
RRF_K = 60
LANE = 50
"""Candidates each lane gives to the fusion: as many as the result has."""
KINDS = ("kw", "nl", "ja", "jnl")
VERSION = 2

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "data"
SETS = ("locomo", "longmemeval", "scifact", "perspectrum", "beam_100k", "code_chunks_en", "jsquad", "jaquad",
        "manpages_ja", "fastapi_docs_en_ja", "lawqa_ja", "bsd_dialogue_ja_en", "real_persona_chat_ja")

_CJK = "\u3005-\u3007\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u9fff"
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[\u3002\uff01\uff1f])|\n+")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]{2,}")
_NOUN = re.compile(r"[\u4e00-\u9fff]{2,6}|[\u30a1-\u30fa\u30fc]{3,10}")
_CLAUSE = re.compile(rf"[{_CJK}\u3001]{{25,}}")
_HAS_CJK = re.compile(f"[{_CJK}]")
_TOKEN = re.compile(rf"[{_CJK}]+|\w+")


@dataclass(frozen=True)
class Ask:
    """One query: its kind (`KINDS`), its words and its vector, float32 of shape (384,)."""

    kind: str
    text: str
    vector: np.ndarray


@dataclass(frozen=True)
class Corpus:
    """`n` chunks to build from and `SPARE` more to add; vectors float32 (n + SPARE, 384) of length 1.

    `persons[i]` is 0…99, dealt out in turn: one person's chunks lie as far apart as they can.
    """

    n: int
    texts: list[str]
    vectors: np.ndarray
    persons: np.ndarray
    queries: list[Ask]
    source: str


def terms(text: str) -> list[str]:
    """Lower-case words, and overlapping pairs of every CJK run: what the peers index, so Japanese works."""
    found: list[str] = []
    for run in _TOKEN.findall(text.lower()):
        if len(run) == 1 or not _HAS_CJK.match(run):
            found.append(run)
        else:
            found.extend(run[i : i + 2] for i in range(len(run) - 1))
    return found


def fuse(*lanes: Sequence[int], k: int) -> list[int]:
    """Reciprocal rank fusion, for systems that leave it to their user."""
    scores: dict[int, float] = {}
    for lane in lanes:
        for rank, number in enumerate(lane, 1):
            scores[number] = scores.get(number, 0.0) + 1.0 / (RRF_K + rank)
    return sorted(scores, key=scores.__getitem__, reverse=True)[:k]


def load(n: int, work: Path | None = None, seed: int = 20) -> Corpus:
    """The corpus of `n` chunks, from the cache folder under `work` or made and put there."""
    folder = (work or Path(tempfile.gettempdir()) / "omoide-bench") / f"corpus-{n}-{seed}-v{VERSION}"
    if not (folder / "done").exists():
        print(f"making the corpus of {n} chunks in {folder}", file=sys.stderr)
        _write(folder, n, seed)
    return _read(folder, n)


def queries_of(n: int, work: Path, seed: int = 20) -> list[Ask]:
    """Only the queries: for workers that open a built folder and must not hold the texts."""
    folder = work / f"corpus-{n}-{seed}-v{VERSION}"
    rows = json.loads((folder / "queries.json").read_text("utf-8"))
    vectors = np.load(folder / "query_vectors.npy")
    return [Ask(row["kind"], row["text"], vectors[i]) for i, row in enumerate(rows)]


def _read(folder: Path, n: int) -> Corpus:
    texts = json.loads((folder / "texts.json").read_text("utf-8"))
    vectors = np.load(folder / "vectors.npy", mmap_mode="r")
    persons = np.arange(len(texts), dtype=np.int64) % PERSONS
    asks = queries_of(n, folder.parent, int(folder.name.split("-")[2]))
    return Corpus(n, texts, vectors, persons, asks, (folder / "source").read_text("utf-8"))


def _write(folder: Path, n: int, seed: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(seed)
    pool, source = _pool()
    wanted_ja = int((n + SPARE) * JAPANESE_SHARE)
    rows = [*_chunks(pool["en"], n + SPARE - wanted_ja, rng), *_chunks(pool["ja"], wanted_ja, rng)]
    rng.shuffle(rows)
    topics = np.array([topic for _, topic in rows])
    numbers = np.random.default_rng(seed)
    vectors, draw = _vectors(topics, numbers)
    asks = _queries([text for text, _ in rows[:n]], topics, rng)
    np.save(folder / "vectors.npy", vectors)
    np.save(folder / "query_vectors.npy", draw(np.array([topic for _, _, topic in asks])))
    _dump(folder / "texts.json", [text for text, _ in rows])
    _dump(folder / "queries.json", [{"kind": kind, "text": text} for kind, text, _ in asks])
    (folder / "source").write_text(source, "utf-8")
    (folder / "done").touch()


def _dump(path: Path, rows: Any) -> None:
    path.write_text(json.dumps(rows, ensure_ascii=False), "utf-8")


def _pool() -> tuple[dict[str, list[list[tuple[str, int]]]], str]:
    """Sentences with their topic, by language, one list per set; and a line that says where they are from."""
    pool: dict[str, list[list[tuple[str, int]]]] = {"en": [], "ja": []}
    names = [name for name in SETS if (SHARED / name / "corpus.jsonl").exists()]
    sources = [(name, _rows(SHARED / name / "corpus.jsonl")) for name in names]
    if not sources:
        home = ROOT / "examples" / "home"
        print(f"no evaluation sets in {SHARED}: resampling {home}, so texts repeat often", file=sys.stderr)
        sources = [("examples/home", [(p.name, p.read_text("utf-8")) for p in sorted(home.rglob("*.md"))])]
    for _, rows in sources:
        for language, sentences in _sentences(rows).items():
            if sentences:
                pool[language].append(sentences)
    for language, other in (("en", "ja"), ("ja", "en")):
        pool[language] = pool[language] or pool[other]
    if not pool["en"]:
        raise SystemExit(f"No texts: neither {SHARED} nor examples/home has any. Put the sets there.")
    return pool, "texts resampled from " + ", ".join(name for name, _ in sources)


def _rows(path: Path) -> Iterator[tuple[str, str]]:
    """(what the topic is drawn from, text): the conversation or document a row belongs to."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            meta = row.get("meta") or {}
            group = meta.get("conv") or meta.get("session") or meta.get("dialogue") or row["id"]
            yield str(group), row["text"]


def _sentences(rows: Iterable[tuple[str, str]]) -> dict[str, list[tuple[str, int]]]:
    found: dict[str, list[tuple[str, int]]] = {"en": [], "ja": []}
    for group, text in rows:
        topic = zlib.crc32(group.encode()) % TOPICS
        for sentence in _SENTENCE.split(text):
            for piece in _pieces(sentence.strip()):
                cjk = len(_HAS_CJK.findall(piece))
                found["ja" if cjk * 4 > len(piece) else "en"].append((piece, topic))
    return found


def _pieces(sentence: str, limit: int = 150) -> Iterator[str]:
    """A sentence, cut when it is longer than most (tables, code) so that a chunk keeps its size."""
    size = limit if _HAS_CJK.search(sentence) else 3 * limit
    for start in range(0, len(sentence), size):
        yield sentence[start : start + size]


def _chunks(sets: list[list[tuple[str, int]]], wanted: int, rng: random.Random) -> list[tuple[str, int]]:
    """`wanted` chunks (text, topic): every sentence once, then joined from two places of a set."""
    once: list[tuple[str, int]] = []
    for sentences in sets:
        at = 0
        while at < len(sentences):
            text, used = _run(sentences, at, CHUNK_BYTES)
            once.append((text, sentences[at][1]))
            at += used
    rng.shuffle(once)
    weights = [len(sentences) for sentences in sets]
    while len(once) < wanted:
        sentences = rng.choices(sets, weights)[0]
        first, second = rng.randrange(len(sentences)), rng.randrange(len(sentences))
        halves = [_run(sentences, at, CHUNK_BYTES // 2)[0] for at in (first, second)]
        once.append((" ".join(halves), sentences[first][1]))
    return once[:wanted]


def _run(sentences: list[tuple[str, int]], at: int, size: int) -> tuple[str, int]:
    """Sentences from `at` on, joined until they are nearest to `size` bytes; and how many they were."""
    parts: list[str] = []
    have = 0
    for sentence, _ in sentences[at : at + 60]:
        length = len(sentence.encode()) + 1
        if parts and have + length / 2 > size:
            break
        parts.append(sentence)
        have += length
    return " ".join(parts), len(parts)


def _vectors(topics: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, Any]:
    """Unit vectors for `topics`, and a function that draws more of them in the same geometry."""
    centres = rng.standard_normal((TOPICS, DIMENSIONS), dtype=np.float32)
    basis = rng.standard_normal((48, DIMENSIONS), dtype=np.float32) / np.float32(np.sqrt(48))

    def draw(of: np.ndarray) -> np.ndarray:
        out = np.empty((len(of), DIMENSIONS), np.float32)
        for start in range(0, len(of), 10_000):
            block = of[start : start + 10_000]
            spread = rng.standard_normal((len(block), 48), dtype=np.float32) @ basis
            noise = rng.standard_normal((len(block), DIMENSIONS), dtype=np.float32)
            mixed = centres[block] + spread + np.float32(0.4) * noise
            out[start : start + 10_000] = mixed / np.linalg.norm(mixed, axis=1, keepdims=True)
        return out

    return draw(topics), draw


def _queries(
    texts: list[str], topics: np.ndarray, rng: random.Random, each: int = 40
) -> list[tuple[str, str, int]]:
    """`each` queries of every kind, in turn: (kind, text, topic), made of the words of some chunk."""
    makers = {"kw": _keywords, "nl": _running, "ja": _nouns, "jnl": _clause}
    made: dict[str, list[tuple[str, str, int]]] = {kind: [] for kind in KINDS}
    for _ in range(200 * each):
        at = rng.randrange(len(texts))
        japanese = len(_HAS_CJK.findall(texts[at])) * 4 > len(texts[at])
        for kind in ("ja", "jnl") if japanese else ("kw", "nl"):
            text = makers[kind](texts[at], rng)
            if text and len(made[kind]) < each:
                made[kind].append((kind, text, int(topics[at])))
    return [ask for row in zip(*(made[kind] for kind in KINDS if made[kind]), strict=False) for ask in row]


def _keywords(text: str, rng: random.Random) -> str:
    words = sorted({word for word in _WORD.findall(text) if len(word) > 4})
    return " ".join(rng.sample(words, 3)) if len(words) >= 3 else ""


def _running(text: str, rng: random.Random) -> str:
    words = text.split()
    start = rng.randrange(max(1, len(words) - 10))
    run = " ".join(words[start : start + 10])
    return run if len(words) >= 10 and len(terms(run)) >= 8 else ""  # not the rule of a table


def _nouns(text: str, rng: random.Random) -> str:
    nouns = sorted(set(_NOUN.findall(text)))
    return " ".join(rng.sample(nouns, 3)) if len(nouns) >= 3 else ""


def _clause(text: str, rng: random.Random) -> str:
    runs = _CLAUSE.findall(text)
    return rng.choice(runs)[:25] if runs else ""
