"""What was measured before: a cache with a history, in `.eval-tui/` at the project root.

SQLite in WAL mode, safe for two instances at once. Losing it loses no user data. A file that is
damaged or comes from a newer version is set aside; where nothing can be written, the user's
cache folder serves, and where that fails too, memory does. Only the app's own process writes.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import msgspec
import platformdirs

SCHEMA_VERSION = 1
KEEP_PER_CELL = 12
"""How many results of one cell are kept: as many edits can be reverted without running."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS results(
    id INTEGER PRIMARY KEY, run TEXT NOT NULL, case_id TEXT NOT NULL, fp TEXT NOT NULL,
    origin TEXT NOT NULL, score BLOB NOT NULL, inputs BLOB NOT NULL, ambient TEXT NOT NULL,
    at REAL NOT NULL, ms REAL, extra BLOB);
CREATE INDEX IF NOT EXISTS results_cell ON results(run, case_id, fp);
CREATE TABLE IF NOT EXISTS ambients(id TEXT PRIMARY KEY, inputs BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS rows(
    run TEXT NOT NULL, case_id TEXT NOT NULL, cells BLOB NOT NULL, PRIMARY KEY(run, case_id));
"""

Inputs = list[list[str]]
"""Observations as JSON has them: `[kind, key, version]`."""


@dataclass(frozen=True, slots=True)
class Result:
    """One stored result of a cell."""

    id: int
    fp: str
    origin: str
    """`run`, or `recorded` for a verdict taken over from `summary.yaml`."""
    score: Mapping[str, Any]
    inputs: Inputs
    ambient: str
    at: float
    ms: float | None
    extra: Mapping[str, Any]
    """What was printed, notes, why it is opaque."""


class StoredCell(msgspec.Struct, array_like=True, frozen=True):
    """A cell as it was last shown: enough to paint it and to decide whether it still holds."""

    fp: str
    result: int
    """Id of its result; 0 for a cell that its condition settled."""
    score: dict[str, Any]
    condition: str
    """Digest of the `if:` that was evaluated."""
    ambient: str
    sig: str
    """Signature of the case when it was judged; empty when it proves nothing."""
    cond: Inputs = []
    absent: list[str] = []


class StoredRow(msgspec.Struct, array_like=True, frozen=True):
    """All cells of a case."""

    cells: list[StoredCell]
    extra: list[str] = []
    """Files outside of the case's folders that its record rests on."""
    keys: list[str] = []
    """The keys of its record."""
    record: str = ""
    """Digest of the config values that shaped the record."""


class Store:
    """Access to one database. Every method is quick; writes are gathered until `flush`."""

    def __init__(self, path: str | None, notice: str = "") -> None:
        self.path = path
        self.notice = notice
        """What the person should know about where results are kept, or empty."""
        self._db = _connect(path)
        self._pending_rows: dict[tuple[str, str], bytes] = {}
        self._pending_ambients: dict[str, bytes] = {}
        self._pending_results: list[tuple[Any, ...]] = []

    def add_result(
        self,
        run: str,
        case: str,
        fp: str,
        score: Mapping[str, Any],
        inputs: Inputs,
        ambient: str,
        *,
        origin: str = "run",
        at: float | None = None,
        ms: float | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> int:
        """Keep a finished result and return its id. It is on disk after the next `flush`."""
        identity = _new_id()
        self._pending_results.append(
            (
                identity,
                run,
                case,
                fp,
                origin,
                _pack(score),
                _pack(inputs),
                ambient,
                time.time() if at is None else at,
                ms,
                _pack(extra or {}),
            )
        )
        return identity

    def put_ambient(self, ambient: str, inputs: Inputs) -> None:
        """Keep what a judge rests on beyond its cases; replaces what was known under the id."""
        self._pending_ambients[ambient] = _pack(inputs)

    def put_row(self, run: str, case: str, row: StoredRow) -> None:
        """Keep a case's cells as they are shown now."""
        self._pending_rows[(run, case)] = _pack(row)

    def flush(self) -> None:
        """Write what is pending in one transaction. What cannot be written stays pending."""
        if not (self._pending_rows or self._pending_ambients or self._pending_results):
            return
        try:
            with self._db:
                self._db.executemany(
                    "INSERT INTO results VALUES(?,?,?,?,?,?,?,?,?,?,?)", self._pending_results
                )
                self._db.executemany(
                    "INSERT OR REPLACE INTO ambients VALUES(?,?)", self._pending_ambients.items()
                )
                self._db.executemany(
                    "INSERT OR REPLACE INTO rows VALUES(?,?,?)",
                    [(run, case, cells) for (run, case), cells in self._pending_rows.items()],
                )
                self._trim({(r[1], r[2], r[3]) for r in self._pending_results})
        except sqlite3.Error as exc:
            self.notice = f"results cannot be stored ({exc}); they are kept until you quit"
            return
        self._pending_results.clear()
        self._pending_ambients.clear()
        self._pending_rows.clear()

    def _trim(self, cells: Iterable[tuple[str, str, str]]) -> None:
        self._db.executemany(
            "DELETE FROM results WHERE run=? AND case_id=? AND fp=? AND id NOT IN (SELECT id FROM"
            " results WHERE run=? AND case_id=? AND fp=? ORDER BY at DESC LIMIT ?)",
            [(*cell, *cell, KEEP_PER_CELL) for cell in cells],
        )

    def rows(self, run: str) -> dict[str, StoredRow]:
        """All stored rows of a run; one that cannot be read is left out."""
        self.flush()
        found: dict[str, StoredRow] = {}
        for case, cells in self._db.execute("SELECT case_id, cells FROM rows WHERE run=?", (run,)):
            try:
                found[case] = _ROW.decode(cells)
            except msgspec.DecodeError:
                continue
        return found

    def results(self, run: str, case: str, fp: str | None = None) -> list[Result]:
        """The results of a case (of one judge), newest first."""
        self.flush()
        query = "SELECT id, fp, origin, score, inputs, ambient, at, ms, extra FROM results"
        where, args = " WHERE run=? AND case_id=?", [run, case]
        if fp is not None:
            where, args = where + " AND fp=?", [*args, fp]
        rows = self._db.execute(f"{query}{where} ORDER BY at DESC, id DESC", args)
        return [_result(row) for row in rows]

    def result(self, identity: int) -> Result | None:
        """One result by its id."""
        self.flush()
        query = "SELECT id, fp, origin, score, inputs, ambient, at, ms, extra FROM results"
        row = self._db.execute(f"{query} WHERE id=?", (identity,)).fetchone()
        return None if row is None else _result(row)

    def cases_with_results(self, run: str) -> set[str]:
        """Cases of the run for which there is anything to reuse."""
        self.flush()
        query = "SELECT DISTINCT case_id FROM results WHERE run=?"
        return {case for (case,) in self._db.execute(query, (run,))}

    def ambients(self, ids: Iterable[str]) -> dict[str, Inputs]:
        """What is known under the ids; unknown ones are left out."""
        self.flush()
        found: dict[str, Inputs] = {}
        for ambient in ids:
            row = self._db.execute("SELECT inputs FROM ambients WHERE id=?", (ambient,)).fetchone()
            if row is not None:
                found[ambient] = msgspec.json.decode(row[0])
        return found

    def close(self) -> None:
        """Write what is pending and let go of the file."""
        self.flush()
        self._db.close()


def open_store(root: str) -> Store:
    """The project's store; never raises for what is or is not on disk."""
    folder = os.path.join(root, ".eval-tui")
    try:
        _prepare(folder)
        return _opened(os.path.join(folder, "store.db"))
    except (OSError, sqlite3.Error):
        name = blake2b(os.path.realpath(root).encode(), digest_size=8).hexdigest()
        cache = os.path.join(platformdirs.user_cache_dir("eval-tui"), name)
    words = f"{root} cannot be written: results are kept in"
    try:
        os.makedirs(cache, exist_ok=True)
        store = _opened(os.path.join(cache, "store.db"))
        store.notice = store.notice or f"{words} {cache}"
        return store
    except (OSError, sqlite3.Error):
        return Store(None, f"{words} memory and are gone when you quit")


def _prepare(folder: str) -> None:
    os.makedirs(folder, exist_ok=True)
    ignore = os.path.join(folder, ".gitignore")
    if not os.path.exists(ignore):
        with open(ignore, "w", encoding="utf-8") as file:
            file.write("*\n")


def _opened(path: str) -> Store:
    try:
        return Store(path)
    except sqlite3.DatabaseError as exc:
        if isinstance(exc, sqlite3.OperationalError) and "newer" not in str(exc):
            raise
        aside = f"{path}.aside-{time.strftime('%Y%m%d-%H%M%S')}"
        os.replace(path, aside)
        for suffix in ("-wal", "-shm"):
            if os.path.exists(path + suffix):
                os.remove(path + suffix)
        return Store(
            path, f"the store of earlier results could not be read ({exc}); it is now {aside}"
        )


def _connect(path: str | None) -> sqlite3.Connection:
    db = sqlite3.connect(path or ":memory:", timeout=10, check_same_thread=False)
    try:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=NORMAL")
        version = int(db.execute("PRAGMA user_version").fetchone()[0])
        if version > SCHEMA_VERSION:
            raise sqlite3.OperationalError("it was written by a newer version")
        with db:
            for statement in _SCHEMA.split(";"):
                db.execute(statement)
            db.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
        db.execute("BEGIN IMMEDIATE")
        db.rollback()
    except sqlite3.Error:
        db.close()
        raise
    return db


def _new_id() -> int:
    """An id that two instances never share: 62 random bits."""
    return int.from_bytes(os.urandom(8), "big") >> 2


def _pack(value: Any) -> bytes:
    try:
        return msgspec.json.encode(value)
    except (UnicodeEncodeError, TypeError, ValueError):  # lone surrogates in texts from outside
        plain: Any = msgspec.to_builtins(value)
        return json.dumps(plain, allow_nan=False).encode()


def _unpack(data: bytes) -> Any:
    try:
        return msgspec.json.decode(data)
    except msgspec.DecodeError:
        return json.loads(data)


_ROW = msgspec.json.Decoder(StoredRow)


def _result(row: tuple[Any, ...]) -> Result:
    identity, fp, origin, score, inputs, ambient, at, ms, extra = row
    return Result(
        identity, fp, origin, _unpack(score), _unpack(inputs), ambient, at, ms, _unpack(extra)
    )
