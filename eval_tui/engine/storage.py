"""The file behind the store: opening it, telling damage from trouble, and setting a bad one aside."""

from __future__ import annotations

import contextlib
import fcntl
import os
import sqlite3
import stat
import time
from collections.abc import Generator

SCHEMA_VERSION = 2
BUSY_S = 10.0
"""Seconds to wait for another instance that is writing, while opening and closing."""
WRITE_MS = 500
"""Milliseconds to wait for it meanwhile: what cannot be written then is written later."""
LOCK_S = 5.0
"""Seconds to wait for another instance that is opening the store."""
KEEP_ASIDE = 3
"""How many files set aside are kept."""
WAL_BYTES = 16_000_000
"""The write-ahead log is cut to this length once what it holds is in the file."""

_TABLES = {
    "meta": {"session": "INTEGER NOT NULL"},
    "runs": {"run": "INTEGER PRIMARY KEY", "path": "TEXT NOT NULL", "used": "INTEGER NOT NULL"},
    "results": {
        "id": "INTEGER PRIMARY KEY",
        "run": "INTEGER NOT NULL",
        "case_id": "TEXT NOT NULL",
        "fp": "TEXT NOT NULL",
        "ambient": "TEXT NOT NULL",
        "body": "BLOB NOT NULL",
    },
    "ambients": {"id": "TEXT PRIMARY KEY", "inputs": "BLOB NOT NULL"},
    "rows": {
        "run": "INTEGER NOT NULL",
        "case_id": "TEXT NOT NULL",
        "cells": "BLOB NOT NULL, PRIMARY KEY(run, case_id)",
    },
}
_INDEX = "CREATE INDEX results_cell ON results(run, case_id, fp, ambient)"
_POLICIES = "CREATE TABLE IF NOT EXISTS policies(run INTEGER PRIMARY KEY, body BLOB NOT NULL)"


_TROUBLE = frozenset(
    {
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_ABORT,
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_INTERRUPT,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_TOOBIG,
        sqlite3.SQLITE_NOLFS,
        sqlite3.SQLITE_AUTH,
    }
)
"""Errors that say nothing about the file."""


class Unusable(Exception):
    """The file is no store that this version can use; the text says why."""


def is_damage(error: Exception) -> bool:
    """Whether an error says that the file itself is bad, not that it cannot be had just now."""
    if isinstance(error, Unusable):
        return True
    code = getattr(error, "sqlite_errorcode", None)
    # Our statements are always the same ones: where they are wrong, the file is.
    return code is not None and code & 0xFF not in _TROUBLE


def is_busy(error: Exception) -> bool:
    """Whether another instance was in the way."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def connect(path: str | None, above: int = 0) -> tuple[sqlite3.Connection, int]:
    """The database, in memory without a path, and the number of this session in it.

    The number is larger than that of every session before, and than `above`. Raises Unusable for what is no store of this version, sqlite3.Error for what cannot be read or
    written, or is damaged (see `is_damage`).
    """
    if path is not None and os.path.lexists(path) and not _is_regular(path):
        raise Unusable("it is not a file")
    db = sqlite3.connect(path or ":memory:", timeout=BUSY_S, check_same_thread=False)
    db.text_factory = _lenient  # a damaged name is a name that nobody asks for
    try:
        db.execute("PRAGMA auto_vacuum=INCREMENTAL")
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=NORMAL")
        db.execute(f"PRAGMA journal_size_limit={WAL_BYTES}")
        with db:
            db.execute("BEGIN IMMEDIATE")
            _check_or_create(db)
            db.execute(_POLICIES)
            db.execute("UPDATE meta SET session = max(session, ?) + 1", (above,))
            session = int(db.execute("SELECT session FROM meta").fetchone()[0])
        db.execute(f"PRAGMA busy_timeout={WRITE_MS}")
    except (sqlite3.Error, Unusable):
        db.close()
        raise
    except (TypeError, ValueError) as error:
        db.close()
        raise Unusable("it has another form than expected") from error
    return db, session


def _lenient(text: bytes) -> str:
    return text.decode("utf-8", "replace")


def _is_regular(path: str) -> bool:
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except FileNotFoundError:
        return True  # a link to a file that will be created


def _check_or_create(db: sqlite3.Connection) -> None:
    version = int(db.execute("PRAGMA user_version").fetchone()[0])
    found = db.execute("SELECT name FROM sqlite_master WHERE type='table'").fetchall()
    if version == 0 and not found:
        for name, columns in _TABLES.items():
            words = ", ".join(f"{column} {kind}" for column, kind in columns.items())
            db.execute(f"CREATE TABLE {name}({words})")
        db.execute(_INDEX)
        db.execute("INSERT INTO meta VALUES(0)")
        db.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
        return
    if version > SCHEMA_VERSION:
        raise Unusable("it was written by a newer version")
    if version < SCHEMA_VERSION:
        raise Unusable("it was written by an older version")
    for name, columns in _TABLES.items():
        there = [row[1] for row in db.execute(f"PRAGMA table_info({name})")]
        if there != list(columns):
            raise Unusable("it has another form than expected")


def open_file(path: str, above: int = 0) -> tuple[sqlite3.Connection, int, str]:
    """The database at `path`, this session's number, and what the person should know.

    A bad file is set aside. Raises OSError and sqlite3.Error for what cannot be read or written.
    """
    with one_at_a_time(os.path.dirname(path)):
        try:
            return *connect(path, above), ""
        except (sqlite3.Error, Unusable) as error:
            if not is_damage(error):
                raise
            why = str(error)
        aside = set_aside(path)
        words = f"the store of earlier results could not be read ({why}); it is now {aside}"
        return *connect(path, above), words


def reopen(path: str, old: int, above: int) -> tuple[sqlite3.Connection, int, str]:
    """Another database in place of one that is damaged or gone, whose inode was `old`.

    Where another instance has replaced it already, its successor is taken. See `open_file`.
    """
    told = ""
    with one_at_a_time(os.path.dirname(path)):
        there = inode(path)
        if there == old:
            told = f"the store of earlier results is damaged; it is now {set_aside(path)}"
        elif not there:
            told = "the store of earlier results was removed; a new one was begun"
    db, session, words = open_file(path, above)
    return db, session, told or words


def prepare(folder: str) -> None:
    """Make the project's own folder, which keeps itself out of version control. Raises OSError."""
    os.makedirs(folder, exist_ok=True)
    ignore = os.path.join(folder, ".gitignore")
    if not os.path.lexists(ignore):
        with open(ignore, "w", encoding="utf-8") as file:
            file.write("*\n")


def inode(path: str) -> int:
    """The inode of a file; 0 when there is none."""
    try:
        return os.stat(path).st_ino
    except OSError:
        return 0


def set_aside(path: str) -> str:
    """Rename a store with its log; the new path. Only the newest few are kept."""
    aside = f"{path}.aside-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    os.replace(path, aside)
    for suffix in ("-wal", "-shm"):
        with contextlib.suppress(OSError):
            os.replace(path + suffix, aside + suffix)
    folder, name = os.path.split(path)
    kept = [
        entry
        for entry in os.listdir(folder)
        if entry.startswith(f"{name}.aside-") and not entry.endswith(("-wal", "-shm"))
    ]
    for old in sorted(kept)[:-KEEP_ASIDE]:
        for suffix in ("", "-wal", "-shm"):
            with contextlib.suppress(OSError):
                os.remove(os.path.join(folder, old + suffix))
    return aside


@contextlib.contextmanager
def one_at_a_time(folder: str) -> Generator[None, None, None]:
    """Two instances that find a bad file must not set aside each other's new one."""
    fd = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        deadline = time.monotonic() + LOCK_S
        while time.monotonic() < deadline:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                time.sleep(0.01)
            except OSError:
                break  # no locks on this file system
        yield
    finally:
        os.close(fd)
