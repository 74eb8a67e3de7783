"""Which entries hold a word, without reading them all: FTS5's trigrams over the bytes of their forms.

A byte is one letter here, so a Japanese letter is three of them and a word of one such letter is looked up like any other.
A phrase of trigrams that follow each other is the word itself: nothing has to be compared afterwards. Where SQLite was
built without FTS5, or is too old for trigrams, there is no such table and the forms are read.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from itertools import chain

TABLES = """
CREATE VIRTUAL TABLE IF NOT EXISTS grams USING fts5(form, tokenize='trigram case_sensitive 1', content='', columnsize=0);
CREATE VIRTUAL TABLE IF NOT EXISTS gram_list USING fts5vocab(grams, 'row');
"""

SHORTEST = 2
"""Bytes of a word that can be looked up."""

_END = "\n\n"
"""Behind every form, so that its last two bytes, too, begin a trigram."""


def supported() -> bool:
    """Whether this SQLite has trigrams: it is asked to make such a table."""
    with closing(sqlite3.connect(":memory:")) as db:
        try:
            db.executescript(TABLES)
        except sqlite3.OperationalError:
            return False
    return True


def there(db: sqlite3.Connection) -> bool:
    """Whether this index was made with them."""
    return bool(db.execute("SELECT 1 FROM sqlite_master WHERE name = 'gram_list'").fetchone())


def add(db: sqlite3.Connection, rows: Iterable[tuple[int, bytes]]) -> None:
    """Take in the forms of entries, by number."""
    db.executemany("INSERT INTO grams(rowid, form) VALUES (?, ?)", ((number, _letters(form) + _END) for number, form in rows))


def remove(db: sqlite3.Connection, rows: Iterable[tuple[int, bytes]]) -> None:
    """Let go of entries, whose forms are those that were taken in."""
    removed = ((number, _letters(form) + _END) for number, form in rows)
    db.executemany("INSERT INTO grams(grams, rowid, form) VALUES ('delete', ?, ?)", removed)


def tidy(db: sqlite3.Connection) -> None:
    """Write the table anew without what was removed: until then a part of it only says that it is gone."""
    db.execute("INSERT INTO grams(grams) VALUES ('optimize')")


def holding(db: sqlite3.Connection, form: bytes) -> set[int]:
    """Numbers of the entries whose form has this part, of `SHORTEST` bytes or more."""
    letters = _letters(form)
    phrases = [letters]
    if len(letters) == SHORTEST:
        rows = db.execute("SELECT term FROM gram_list WHERE term >= ? AND term < ?", (letters, f"{letters}\u0100"))
        phrases = [row[0] for row in rows]
    wanted = " OR ".join('"' + phrase.replace('"', '""') + '"' for phrase in phrases)
    return set(chain.from_iterable(db.execute("SELECT rowid FROM grams WHERE grams MATCH ?", (wanted,)))) if wanted else set()


def _letters(form: bytes) -> str:
    return form.decode("latin-1")
