"""The file behind the paid answers: its tables, opening it, and writing so that readers can rely on it."""

from __future__ import annotations

import os
import sqlite3
import time

from eval_tui.engine import asked

LOCK_SECONDS = 5.0
"""How long another instance's write is waited for."""

_SCHEMA = (
    """CREATE TABLE IF NOT EXISTS verdicts(
    id INTEGER PRIMARY KEY AUTOINCREMENT, digest TEXT NOT NULL, sample INTEGER NOT NULL,
    at REAL NOT NULL, used REAL NOT NULL, model TEXT NOT NULL, cost REAL, run TEXT NOT NULL,
    case_id TEXT NOT NULL, judge TEXT NOT NULL, usage TEXT NOT NULL, answer TEXT NOT NULL,
    subject TEXT NOT NULL DEFAULT '')""",
    "CREATE INDEX IF NOT EXISTS verdicts_request ON verdicts(digest, sample, id)",
    "CREATE INDEX IF NOT EXISTS verdicts_run ON verdicts(run)",
    "CREATE INDEX IF NOT EXISTS verdicts_subject ON verdicts(subject, sample, id)",
    """CREATE TABLE IF NOT EXISTS claims(
    digest TEXT NOT NULL, sample INTEGER NOT NULL, owner TEXT NOT NULL, until REAL NOT NULL,
    PRIMARY KEY(digest, sample)) WITHOUT ROWID""",
    asked.SCHEMA,
)


class Writing:
    """A transaction that takes the write lock at once: what it reads stays true until its end."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def __enter__(self) -> None:
        self._db.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            self._db.execute("COMMIT" if kind is None else "ROLLBACK")
        except sqlite3.Error:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise


def connect(path: str | None) -> sqlite3.Connection:
    """The database at `path`, in memory without one. Raises sqlite3.Error."""
    if path is not None and os.path.lexists(path) and not os.path.isfile(os.path.realpath(path)):
        raise sqlite3.OperationalError("it is not a file")
    db = sqlite3.connect(
        path or ":memory:", timeout=LOCK_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        _into_wal(db)
        db.execute("PRAGMA synchronous=NORMAL")
        _create(db)
    except sqlite3.Error:
        db.close()
        raise
    return db


def _create(db: sqlite3.Connection) -> None:
    """The tables, and what files of before do not have."""
    there = [row[1] for row in db.execute("PRAGMA table_info(verdicts)")]
    if there and "subject" not in there:
        db.execute("ALTER TABLE verdicts ADD COLUMN subject TEXT NOT NULL DEFAULT ''")
    for statement in _SCHEMA:
        db.execute(statement)


def _into_wal(db: sqlite3.Connection) -> None:
    """Switch to WAL; two instances that do so at once do not wait for each other on their own."""
    until = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            db.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as exc:
            if "locked" not in str(exc) or time.monotonic() > until:
                raise
            time.sleep(0.01)
