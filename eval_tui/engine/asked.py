"""The texts of the requests that paid answers were given to, kept beside them.

What a verdict was given for can be read later, and compared with what would be asked now. Images
are named by type and size.
"""

from __future__ import annotations

import sqlite3
import zlib

SCHEMA = """CREATE TABLE IF NOT EXISTS requests(
    id INTEGER PRIMARY KEY AUTOINCREMENT, digest TEXT NOT NULL UNIQUE, text BLOB NOT NULL)"""
MAX_TEXT = 1_000_000
"""Characters; the text of a longer request is not kept."""
KEEP_BYTES = 64 << 20
"""Compressed texts of about this many bytes are kept; the oldest go first."""


def packed(text: str) -> bytes | None:
    """A text as it is kept; None for one that is too long for that."""
    if len(text) > MAX_TEXT:
        return None
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 1)


def unpacked(data: bytes) -> str:
    """The text that was kept. Raises zlib.error for data that was damaged."""
    return zlib.decompress(data).decode("utf-8", "surrogatepass")


def insert(db: sqlite3.Connection, digest: str, data: bytes) -> None:
    """Keep the text of a request, once."""
    db.execute("INSERT OR IGNORE INTO requests(digest, text) VALUES(?,?)", (digest, data))


def read(db: sqlite3.Connection, digest: str) -> str | None:
    """The text of a request, if it was kept and can be read."""
    try:
        row = db.execute("SELECT text FROM requests WHERE digest=?", (digest,)).fetchone()
        return unpacked(row[0]) if row else None
    except (sqlite3.Error, zlib.error, TypeError):
        return None


def trim(db: sqlite3.Connection, keep_bytes: int = KEEP_BYTES) -> None:
    """Drop the oldest texts beyond the bound, and those whose answers are gone."""
    db.execute("DELETE FROM requests WHERE digest NOT IN (SELECT digest FROM verdicts)")
    db.execute(
        "DELETE FROM requests WHERE id IN (SELECT id FROM (SELECT id, SUM(LENGTH(text))"
        " OVER (ORDER BY id DESC) AS total FROM requests) WHERE total > ?)",
        (keep_bytes,),
    )
