"""One small class a system, all with the same verbs, so that the measuring code knows none of them.

Every peer gets the same pre-made vectors and, where it can index words, the same words: `corpus.terms`
(lower-case words and CJK pairs), because none of their own tokenizers finds a word inside Japanese text.
The choices that decide a number (index kind, filter, durability) are stated in each docstring.
"""

from __future__ import annotations

import os
import shutil
import sys
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from corpus import DIMENSIONS, LANE, ROOT, RRF_K, SPARE, Corpus, fuse, terms

IDS_ONLY = "OMOIDE_BENCH_IDS_ONLY"
TEXTS = IDS_ONLY not in os.environ
"""Whether peers read the texts of their hits too, as omoide does."""


class Peer(Protocol):
    """A folder with an index in it. `build` makes it, `reopen` opens it in a fresh process."""

    note: str

    def __init__(self, folder: Path) -> None: ...

    def build(self, corpus: Corpus) -> None:
        """Index the first `corpus.n` chunks; everything is on disk when it returns."""

    def reopen(self) -> None:
        """Open what `build` left in the folder."""

    def add(self, first: int, texts: Sequence[str], vectors: np.ndarray, persons: Sequence[int]) -> None:
        """Add chunks numbered from `first`, acknowledged as durable (as far as the system can)."""

    def hybrid(self, text: str, vector: np.ndarray, k: int = 50, person: int | None = None) -> list[int]:
        """The numbers of the `k` best chunks, best first; of one person's only, if `person` is given."""

    def close(self) -> None: ...


def add_durable(peer: Peer, corpus: Corpus, at: int, count: int = 1) -> None:
    """Add chunks numbered `at` … `at + count` in one commit: spare ones, from the first again at the end."""
    rows = [corpus.n + (at - corpus.n + i) % SPARE for i in range(count)]
    peer.add(at, [corpus.texts[row] for row in rows], corpus.vectors[rows], corpus.persons[rows].tolist())


def batches(corpus: Corpus, size: int) -> Iterator[tuple[int, list[str], np.ndarray, list[int]]]:
    """The first `corpus.n` chunks in pieces of `size`, as the arguments of `Peer.add`."""
    for start in range(0, corpus.n, size):
        rows = slice(start, min(start + size, corpus.n))
        yield start, corpus.texts[rows], np.array(corpus.vectors[rows]), corpus.persons[rows].tolist()


class SqliteVec:
    """FTS5 and sqlite-vec in one SQLite file: what most people build by hand.

    FTS5 (detail=full, the only one that ranks) over pre-cut words; vec0 with float32 vectors and the
    person as a metadata column; WAL, synchronous=FULL. A person narrows the lexical lane by a join: every
    match is scored first (`rowid IN (…)` would be slower still).
    """

    note = "FTS5 joined with rows, vec0 float32 with a metadata column, RRF in Python; fsync on commit"

    def __init__(self, folder: Path) -> None:
        self.path = folder / "rows.db"

    def reopen(self) -> None:
        import apsw
        import sqlite_vec

        self.db = apsw.Connection(str(self.path))
        self.db.enable_load_extension(True)
        self.db.load_extension(sqlite_vec.loadable_path())
        self.db.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-65536;"
                        "PRAGMA mmap_size=2000000000")
        self.db.set_busy_timeout(10_000)

    def build(self, corpus: Corpus) -> None:
        self.reopen()
        self.db.execute(
            "CREATE TABLE rows(id INTEGER PRIMARY KEY, person INTEGER, text TEXT);"
            "CREATE VIRTUAL TABLE words USING fts5(terms, content='', detail=full);"
            f"CREATE VIRTUAL TABLE vectors USING vec0(id INTEGER PRIMARY KEY, vector FLOAT[{DIMENSIONS}],"
            " person INTEGER)")
        for batch in batches(corpus, 10_000):
            self.add(*batch)
        self.db.execute("INSERT INTO words(words) VALUES('optimize'); PRAGMA wal_checkpoint(TRUNCATE)")

    def add(self, first: int, texts: Sequence[str], vectors: np.ndarray, persons: Sequence[int]) -> None:
        numbers = range(first, first + len(texts))
        with self.db:
            self.db.executemany("INSERT INTO rows VALUES(?,?,?)", zip(numbers, persons, texts, strict=True))
            self.db.executemany("INSERT INTO words(rowid, terms) VALUES(?,?)",
                                ((i, " ".join(terms(t))) for i, t in zip(numbers, texts, strict=True)))
            rows = zip(numbers, vectors, persons, strict=True)
            self.db.executemany("INSERT INTO vectors(id, vector, person) VALUES(?,?,?)",
                                ((i, vector.tobytes(), person) for i, vector, person in rows))

    def hybrid(self, text: str, vector: np.ndarray, k: int = 50, person: int | None = None) -> list[int]:
        match = " OR ".join(f'"{term}"' for term in dict.fromkeys(terms(text)))
        if person is None:
            words = self.db.execute("SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?",
                                    (match, LANE))
            near = self.db.execute("SELECT id FROM vectors WHERE vector MATCH ? AND k = ?",
                                   (vector.tobytes(), LANE))
        else:
            words = self.db.execute("SELECT words.rowid FROM words JOIN rows ON rows.id = words.rowid "
                                    "WHERE words MATCH ? AND rows.person = ? ORDER BY rank LIMIT ?",
                                    (match, person, LANE))
            near = self.db.execute("SELECT id FROM vectors WHERE vector MATCH ? AND k = ? AND person = ?",
                                   (vector.tobytes(), LANE, person))
        best = fuse([row[0] for row in words], [row[0] for row in near], k=k)
        if TEXTS:
            marks = ",".join("?" * len(best))
            self.db.execute(f"SELECT id, text FROM rows WHERE id IN ({marks})", best).fetchall()
        return best

    def close(self) -> None:
        self.db.close()


class Lance:
    """LanceDB's own hybrid query: flat vectors (its default), its full-text index, its RRF reranker.

    The person is a column with a bitmap index, filtered before the search. LanceDB never calls fsync.
    """

    note = "flat vectors, full-text index over pre-cut words, built-in RRF, pre-filter; never fsyncs"

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def reopen(self) -> None:
        import lancedb
        from lancedb.rerankers import RRFReranker

        self.fusion = RRFReranker(K=RRF_K)
        self.table = lancedb.connect(str(self.folder / "lance")).open_table("rows")

    def _rows(self, first: int, texts: Sequence[str], vectors: np.ndarray, persons: Sequence[int]) -> Any:
        import pyarrow as pa

        flat = pa.array(vectors.reshape(-1), pa.float32())
        return pa.table({
            "id": pa.array(range(first, first + len(texts)), pa.int64()),
            "person": pa.array(persons, pa.int32()),
            "text": list(texts),
            "terms": [" ".join(terms(text)) for text in texts],
            "vector": pa.FixedSizeListArray.from_arrays(flat, DIMENSIONS),
        })

    def build(self, corpus: Corpus) -> None:
        import lancedb

        database = lancedb.connect(str(self.folder / "lance"))
        table = None
        for batch in batches(corpus, 10_000):
            rows = self._rows(*batch)
            if table is None:
                table = database.create_table("rows", rows)
            else:
                table.add(rows)
        assert table is not None
        table.create_fts_index("terms", base_tokenizer="whitespace", stem=False, remove_stop_words=False,
                               ascii_folding=False, with_position=False)
        table.create_scalar_index("person", index_type="BITMAP")
        table.optimize(cleanup_older_than=timedelta(0))
        self.reopen()

    def add(self, first: int, texts: Sequence[str], vectors: np.ndarray, persons: Sequence[int]) -> None:
        self.table.add(self._rows(first, texts, vectors, persons))

    def hybrid(self, text: str, vector: np.ndarray, k: int = 50, person: int | None = None) -> list[int]:
        query = self.table.search(query_type="hybrid").vector(vector).text(" ".join(terms(text)))
        if person is not None:
            query = query.where(f"person = {person}", prefilter=True)
        found = query.rerank(self.fusion).select(["id", "text"] if TEXTS else ["id"]).limit(k).to_arrow()
        if TEXTS:
            found["text"].to_pylist()
        return found["id"].to_pylist()[:k]

    def close(self) -> None:
        del self.table


class Chroma:
    """chroma's persistent client: HNSW over the vectors only, the person as metadata. It ranks no words."""

    note = "vectors only (no lexical lane): HNSW with its defaults, where-filter on metadata"

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _client(self) -> Any:
        import chromadb

        settings = chromadb.Settings(anonymized_telemetry=False)
        return chromadb.PersistentClient(str(self.folder / "chroma"), settings)

    def reopen(self) -> None:
        self.rows = self._client().get_collection("rows", embedding_function=None)

    def build(self, corpus: Corpus) -> None:
        self.rows = self._client().create_collection(
            "rows", configuration={"hnsw": {"space": "cosine", "num_threads": 1}}, embedding_function=None)
        for batch in batches(corpus, 5_000):
            self.add(*batch)

    def add(self, first: int, texts: Sequence[str], vectors: np.ndarray, persons: Sequence[int]) -> None:
        self.rows.add(ids=[str(i) for i in range(first, first + len(texts))], embeddings=vectors,
                      documents=list(texts), metadatas=[{"person": person} for person in persons])

    def hybrid(self, text: str, vector: np.ndarray, k: int = 50, person: int | None = None) -> list[int]:
        where = None if person is None else {"person": person}
        found = self.rows.query(query_embeddings=[vector], n_results=k, where=where,
                                include=["documents"] if TEXTS else [])
        return [int(number) for number in found["ids"][0]]

    def close(self) -> None:
        del self.rows


class QdrantEdge:
    """qdrant-edge, the embedded build of Qdrant: HNSW, sparse vectors with its IDF, its RRF, in Rust.

    The sparse values carry the BM25 saturation, so that dot product times IDF is BM25. The person is a
    keyword payload with an index. One segment, one thread; an add is followed by `flush`, which is what
    survives a power cut.
    """

    note = "HNSW m 16 ef 100, IDF sparse vectors, prefetch + RRF inside, keyword index; flush on add"

    def __init__(self, folder: Path) -> None:
        self.path = folder / "shard"
        self.average = 70.0

    def reopen(self) -> None:
        import qdrant_edge as q

        self.q = q
        self.shard = q.EdgeShard.load(str(self.path))

    def _config(self) -> Any:
        q = self.q
        return q.EdgeConfig(
            vectors={"dense": q.EdgeVectorParams(size=DIMENSIONS, distance=q.Distance.Cosine)},
            sparse_vectors={"words": q.EdgeSparseVectorParams(modifier=q.Modifier.Idf)},
            hnsw_config=q.HnswIndexConfig(m=16, ef_construct=100, full_scan_threshold=10_000,
                                          max_indexing_threads=1),
            optimizers=q.EdgeOptimizersConfig(default_segment_number=1, indexing_threshold=1_000),
            max_search_threads=1)

    def build(self, corpus: Corpus) -> None:
        import qdrant_edge as q

        self.q = q
        self.path.mkdir(parents=True, exist_ok=True)
        self.shard = q.EdgeShard.create(str(self.path), self._config())
        self.shard.update(q.UpdateOperation.create_field_index("person", q.PayloadSchemaType.Keyword))
        for batch in batches(corpus, 2_000):
            self._upsert(*batch)
        while self.shard.optimize():
            pass
        self.shard.flush()

    def _sparse(self, text: str) -> Any:
        counts = Counter(terms(text))
        scale = 1.2 * (0.25 + 0.75 * counts.total() / self.average)
        weights = {zlib.crc32(term.encode()): tf * 2.2 / (tf + scale) for term, tf in counts.items()}
        return self.q.SparseVector(indices=list(weights), values=list(weights.values()))

    def _upsert(self, first: int, texts: Sequence[str], vectors: np.ndarray, persons: Sequence[int]) -> None:
        points = [self.q.Point(first + i, {"dense": vectors[i].tolist(), "words": self._sparse(text)},
                               {"person": str(persons[i]), "text": text}) for i, text in enumerate(texts)]
        self.shard.update(self.q.UpdateOperation.upsert_points(points))

    def add(self, first: int, texts: Sequence[str], vectors: np.ndarray, persons: Sequence[int]) -> None:
        self._upsert(first, texts, vectors, persons)
        self.shard.flush()

    def hybrid(self, text: str, vector: np.ndarray, k: int = 50, person: int | None = None) -> list[int]:
        q = self.q
        only = None
        if person is not None:
            only = q.Filter(must=[q.FieldCondition("person", match=q.MatchValue(str(person)))])
        indices = list({zlib.crc32(term.encode()) for term in terms(text)})
        words = q.SparseVector(indices=indices, values=[1.0] * len(indices))
        lanes = [q.Prefetch(LANE, query=q.Query.Nearest(vector.tolist(), using="dense"), filter=only),
                 q.Prefetch(LANE, query=q.Query.Nearest(words, using="words"), filter=only)]
        found = self.shard.query(q.QueryRequest(limit=k, prefetches=lanes, query=q.Fusion.Rrf(k=RRF_K),
                                                with_payload=TEXTS))
        if TEXTS:
            [point.payload["text"] for point in found]
        return [point.id for point in found]

    def close(self) -> None:
        self.shard.close()


class OurCollection:
    """omoide through its public `Collection`: whole rows with their traces come back, not only numbers."""

    note = "Collection(folder=…).search(recipe='hybrid'); one fsync a commit; results carry text and trace"
    settings: Mapping[str, str] = MappingProxyType(
        {"search.hybrid.candidates": str(LANE), "search.hybrid.fusion": "rrf"})
    """What makes it the pipeline of the others: as many candidates a lane, the same fusion."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "omoide"

    def reopen(self) -> None:
        sys.path.insert(0, str(ROOT / "src"))
        from omoide import Collection, Scope, Settings

        self.scope = Scope
        settings = Settings().with_values(dict(self.settings)) if self.settings else Settings()
        self.rows = Collection(folder=self.folder, settings=settings, model="benchmark", dimensions=DIMENSIONS)

    def build(self, corpus: Corpus) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.reopen()
        for batch in batches(corpus, 20_000):
            self.add(*batch)
        self.close()
        self.reopen()

    def add(self, first: int, texts: Sequence[str], vectors: np.ndarray, persons: Sequence[int]) -> None:
        rows = [{"id": str(first + i), "text": text, "audience": f"person:{persons[i]}"}
                for i, text in enumerate(texts)]
        self.rows.add(rows, vectors)

    def hybrid(self, text: str, vector: np.ndarray, k: int = 50, person: int | None = None) -> list[int]:
        scope = self.scope() if person is None else self.scope(audiences=frozenset({f"person:{person}"}))
        found = self.rows.search(text, scope=scope, limit=k, recipe="hybrid", vector=vector)
        return [int(hit.chunk.id) for hit in found.hits]

    def close(self) -> None:
        self.rows.close()


class OurDefaults(OurCollection):
    """The same with nothing changed: 200 candidates a lane instead of the 50 all the others take."""

    note = "as omoide, with every setting at its default"
    settings = MappingProxyType({})


SYSTEMS: dict[str, type[Any]] = {
    "omoide": OurCollection,
    "omoide-defaults": OurDefaults,
    "qdrant-edge": QdrantEdge,
    "chroma": Chroma,
    "fts5+sqlite-vec": SqliteVec,
    "lancedb": Lance,
}


def fresh(folder: Path) -> Path:
    """An empty folder in place of whatever stood there."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
