"""The SQLite file of an index: what must last until the next rebuild.

WAL with synchronous=FULL: a commit is one fsync, and what was acknowledged survives a crash.
Row numbers only grow and are never given twice, so "what came after" is a comparison.
"""

from __future__ import annotations

import sqlite3
import struct
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from omoide.errors import IndexFailed, OmoideError
from omoide.index import grams

FORMAT = "index-6"
"""Part of the fingerprint: raise it when a table or a segment changes its meaning."""

_TABLES = """
CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS files(
    path TEXT PRIMARY KEY, size INTEGER, mtime INTEGER, ctime INTEGER, inode INTEGER, digest TEXT, racy INTEGER);
CREATE TABLE IF NOT EXISTS problems(path TEXT PRIMARY KEY, code TEXT, text TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS partitions(
    id INTEGER PRIMARY KEY, audience TEXT NOT NULL, subject TEXT NOT NULL, UNIQUE(audience, subject));
CREATE TABLE IF NOT EXISTS kinds(id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL);
CREATE TABLE IF NOT EXISTS chunks(
    id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT UNIQUE NOT NULL, path TEXT NOT NULL, first INTEGER, last INTEGER,
    partition INTEGER NOT NULL, kind INTEGER NOT NULL, at TEXT, seconds INTEGER NOT NULL, text TEXT NOT NULL,
    context TEXT NOT NULL, length INTEGER NOT NULL, script INTEGER NOT NULL, tie INTEGER NOT NULL, terms BLOB NOT NULL, hash BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS chunks_path ON chunks(path);
CREATE INDEX IF NOT EXISTS chunks_hash ON chunks(hash);
CREATE TABLE IF NOT EXISTS entries(
    id INTEGER PRIMARY KEY, key TEXT UNIQUE NOT NULL, path TEXT NOT NULL, first INTEGER, last INTEGER, partition INTEGER NOT NULL,
    kind INTEGER NOT NULL, at TEXT NOT NULL, micros INTEGER NOT NULL, marks TEXT NOT NULL, filed TEXT NOT NULL, text TEXT NOT NULL,
    context TEXT NOT NULL, form BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS entries_path ON entries(path);
CREATE INDEX IF NOT EXISTS entries_order ON entries(micros, path, first, partition);
CREATE INDEX IF NOT EXISTS entries_filed ON entries(filed, micros, partition) WHERE filed <> '';
CREATE TABLE IF NOT EXISTS models(id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL);
CREATE TABLE IF NOT EXISTS vectors(
    id INTEGER PRIMARY KEY, model INTEGER NOT NULL, hash BLOB NOT NULL, vector BLOB NOT NULL, sum INTEGER NOT NULL, UNIQUE(model, hash));
CREATE TABLE IF NOT EXISTS dense(
    seq INTEGER PRIMARY KEY AUTOINCREMENT, model INTEGER NOT NULL, chunk INTEGER NOT NULL, UNIQUE(chunk, model));
CREATE TABLE IF NOT EXISTS dead(seq INTEGER PRIMARY KEY AUTOINCREMENT, chunk INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS segments(
    file TEXT PRIMARY KEY, series TEXT NOT NULL, low INTEGER, high INTEGER, rows INTEGER, bytes INTEGER, digest TEXT);
"""


_ANEW = "a home's index is made anew by: omoide index build --force"

DECODING: tuple[type[Exception], ...] = (ValueError, LookupError, TypeError, AttributeError, OverflowError, struct.error)
"""What Python raises where a byte of the cache is another: a text that is no UTF-8 (in SQLite's own messages, too), a number that
points past an end, a name that is not there, a blob where a text was."""


REFUSALS = (
    sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED,
)  # fmt: skip


def refused(error: BaseException | None) -> bool:
    """Whether the disk or another process stood in the way. Then the index on disk may be in good order."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the rest of the number says where it happened
    return isinstance(error, OSError) or code in REFUSALS


@contextmanager
def damage(decoding: tuple[type[Exception], ...] = DECODING, what: str = "the index answered") -> Iterator[None]:
    """Around all code that trusts what the cache says: whatever it raises for a damaged one, a full disk or a lock that never
    came is `IndexFailed`. Errors of ours stay what they are. `decoding`: fewer kinds, where a caller's own code runs inside."""
    try:
        yield
    except OmoideError:
        raise
    except sqlite3.DatabaseError as error:
        do = "make room or let this user write there, or set OMOIDE_CACHE to another folder" if refused(error) else _ANEW
        raise IndexFailed(f"{what}: {error}. The files are untouched; {do}.") from error
    except decoding as error:
        raise IndexFailed(f"the index is damaged ({error}). The files are untouched; {_ANEW}.") from error


def connect(path: Path | None, cache_mb: int = 16) -> sqlite3.Connection:
    """Open or create the database; None keeps it in memory. `cache_mb`: pages kept by this process. Raises
    `IndexFailed` if it is damaged."""
    with ExitStack() as unless_used, damage(what="the index database cannot be opened"):
        db = sqlite3.connect(path or ":memory:", isolation_level=None, check_same_thread=False, timeout=30.0)
        unless_used.callback(db.close)
        db.execute(f"PRAGMA cache_size={-1024 * cache_mb}")
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "secure_delete=FAST", "wal_autocheckpoint=4000"):
            db.execute(f"PRAGMA {pragma}")
        if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'segments'").fetchone():
            db.executescript(f"BEGIN IMMEDIATE; {_TABLES} {grams.TABLES if grams.supported() else ''} COMMIT;")
        unless_used.pop_all()
    return db


def marked(value: str) -> str:
    """A remembered text with its checksum: a flipped bit in a number is no error to SQLite."""
    return f"{zlib.crc32(value.encode()):08x} {value}"


def unmarked(kept: object) -> str:
    """The text that was marked. Raises `IndexFailed` if it is another."""
    value = kept[9:] if isinstance(kept, str) else ""
    if kept != marked(value):
        raise IndexFailed("the index remembers something that was not written; it will be rebuilt from the files")
    return value


def vector_sum(key: object, vector: object) -> int:
    """Checksum of a vector and the key it is kept under, or −1 where a flipped bit made something else of them."""
    return zlib.crc32(vector, zlib.crc32(key)) if isinstance(key, bytes) and isinstance(vector, bytes) else -1


def is_damaged(db: sqlite3.Connection) -> str:
    """What SQLite's own check says, or "" when all is well."""
    try:
        with damage():
            answer = str(db.execute("PRAGMA integrity_check(1)").fetchone()[0])
    except IndexFailed as error:
        return str(error)
    return "" if answer == "ok" else answer
