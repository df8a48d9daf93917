"""What was measured before: a cache with a history, in `.eval-tui/` at the project root.

SQLite in WAL mode, safe for two instances at once. Losing it loses no user data. A file that is
damaged or comes from a newer version is set aside; where nothing can be written, the user's
cache folder serves, and where that fails too, memory does. Only the app's own process writes.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Collection, Iterable, Mapping
from hashlib import blake2b
from typing import Any

from eval_tui.engine import retention, storage
from eval_tui.engine.entries import (
    AMBIENT_HEAD,
    CellId,
    Inputs,
    Result,
    Sealed,
    StoredRow,
    is_of,
    result_of,
    row_of,
    shown_results,
)
from eval_tui.engine.packing import from_key, pack, run_key, to_key, unpack
from eval_tui.engine.storage import Unusable

PENDING_BYTES = 64_000_000
"""Results that cannot be written are kept up to this size, the newest ones."""
LOOSE_AMBIENTS = 4_000
"""Ambients on which no result rests yet are kept up to this number, the newest ones."""
IN_ONE_QUERY = 500
"""Cases that are asked for at once: older SQLite takes no more than 999 values."""
RETRY_S = 2.0
"""Pause after a writing that failed; doubled up to a minute each time it fails again."""


class Store:
    """Access to one database. Every method is quick; writes are gathered until `flush`.

    Nothing that happens to the file later raises: what cannot be written is kept, what cannot be
    read is not there, and a file that proves damaged is replaced; `notice` says so.
    """

    def __init__(self, path: str | None, notice: str = "") -> None:
        """Open the file, or memory without a path. `notice` is shown unless there is other news.

        Raises OSError, sqlite3.Error and Unusable for a file that cannot be used.
        """
        self._trouble = ""
        told = ""
        if path is None:
            self._db, session = storage.connect(None)
        else:
            self._db, session, told = storage.open_file(path)
        self._told = told or notice
        self._take(path, session)
        self._rows: dict[tuple[int, str | bytes], bytes] = {}
        self._results: dict[int, Sealed] = {}
        self._bytes = 0
        self._by_case: dict[tuple[int, str | bytes], list[int]] = {}
        self._policies: dict[int, bytes] = {}
        self._loose: dict[str | bytes, bytes] = {}
        """Ambients on which no result rests yet."""
        self._used: set[str | bytes] = set()
        """Ambients of this session that are on disk."""
        self._run = 0
        """The run in view: nothing that it shows is ever dropped."""
        self._uses: dict[int, str] = {}
        """Runs that were looked at, which the file does not know yet."""
        self._wait = 0.0
        self._not_before = 0.0

    @property
    def notice(self) -> str:
        """What the person should know about where results are kept, or empty."""
        return self._trouble or self._told

    # Writing

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
        """Keep a finished result and return its id. It is on disk after the next `flush`.

        `at` is in seconds since the epoch and only shown: which result is newer is told by the
        order in which they are added, so a clock that is set back changes nothing.
        """
        self._last += 1
        when = time.time() if at is None else at
        body = pack((origin, score, inputs, when, ms, extra or {}))
        cell = CellId(run_key(run), to_key(case), to_key(fp))
        self._results[self._last] = Sealed(cell, to_key(ambient), body)
        self._by_case.setdefault(cell[:2], []).append(self._last)
        self._bytes += len(body)
        return self._last

    def put_ambient(self, ambient: str, inputs: Inputs) -> None:
        """Keep what a judge rests on beyond its cases; replaces what was known under the id."""
        key = to_key(ambient)
        self._loose.pop(key, None)
        self._loose[key] = pack(inputs)
        while len(self._loose) > LOOSE_AMBIENTS:
            del self._loose[next(iter(self._loose))]

    def keep_ambients(self, used: Iterable[str]) -> None:
        """No other ambient will be told more of."""
        self._used &= {to_key(ambient) for ambient in used}

    def put_row(self, run: str, case: str, row: StoredRow) -> None:
        """Keep a case's cells as they are shown now."""
        self._rows[(run_key(run), to_key(case))] = pack(row)

    def put_policy(self, run: str, stamp: Mapping[str, Any]) -> None:
        """Keep what the run's verdicts were last made under."""
        self._policies[run_key(run)] = pack(stamp)

    def flush(self) -> None:
        """Write what is pending in one transaction. What cannot be written stays pending.

        Does nothing for a while after a writing that failed.
        """
        if self._pending and time.monotonic() >= self._not_before:
            self._write()

    def close(self) -> None:
        """Write what is pending, drop what nobody needs any more, and let go of the file."""
        try:
            self._db.execute(f"PRAGMA busy_timeout={round(storage.BUSY_S * 1000)}")
            if self._pending or self._uses:
                self._write()
            retention.tidy(self._db)
        except sqlite3.Error:
            pass  # a tidy store can wait
        self._db.close()

    @property
    def _pending(self) -> bool:
        return bool(self._rows or self._results or self._policies)

    def _write(self) -> None:
        if self.path and storage.inode(self.path) != self._inode:
            self._replace()  # what is written to a file that was removed is lost
        try:
            ambients = self._write_all()
        except sqlite3.Error as error:
            self._failed(error)
            return
        for ambient in ambients:
            self._loose.pop(ambient, None)
        self._used |= ambients
        self._results.clear()
        self._by_case.clear()
        self._rows.clear()
        self._policies.clear()
        self._uses.clear()
        self._bytes = 0
        self._trouble, self._wait, self._not_before = "", 0.0, 0.0

    def _write_all(self) -> set[str | bytes]:
        """One transaction with everything that is pending; the ambients that went to disk."""
        used = {new.ambient for new in self._results.values()} | self._used
        ambients = self._loose.keys() & used
        db = self._db
        with db:
            db.execute("BEGIN IMMEDIATE")
            db.executemany(
                "INSERT OR REPLACE INTO runs SELECT ?, ?, session FROM meta",
                [(key, to_key(run)) for key, run in self._uses.items()],
            )
            db.executemany(
                "INSERT OR REPLACE INTO results VALUES(?,?,?,?,?,?)",
                [(i, *new.cell, new.ambient, new.body) for i, new in self._results.items()],
            )
            db.executemany(
                "INSERT OR REPLACE INTO ambients VALUES(?,?)",
                [(ambient, self._loose[ambient]) for ambient in ambients],
            )
            db.executemany(
                "INSERT OR REPLACE INTO rows VALUES(?,?,?)",
                [(*key, cells) for key, cells in self._rows.items()],
            )
            db.executemany("INSERT OR REPLACE INTO policies VALUES(?,?)", self._policies.items())
            retention.trim(db, {new.cell: i for i, new in self._results.items()}, shown_results)
            retention.bound(db, self._run, shown_results)
        return ambients

    def _failed(self, error: sqlite3.Error) -> None:
        if storage.is_damage(error):
            self._replace()
            return
        first, self._wait = not self._wait, min(60.0, self._wait * 2 or RETRY_S)
        self._not_before = time.monotonic() + self._wait
        if first and storage.is_busy(error):
            return  # another instance is at it, which is soon over
        self._trouble = f"results cannot be stored ({error}); they are kept until you quit"
        while self._bytes > PENDING_BYTES and len(self._results) > 1:
            oldest = next(iter(self._results))
            new = self._results.pop(oldest)
            self._by_case[new.cell[:2]].remove(oldest)
            self._bytes -= len(new.body)

    def _replace(self) -> None:
        """The file turned out to be damaged, or is gone: go on with another one."""
        self._db.close()
        path, above = self.path, self._last >> 32
        try:
            storage.prepare(os.path.dirname(path or ""))
            self._db, session, told = storage.reopen(path or "", self._inode, above)
        except (OSError, sqlite3.Error, Unusable) as error:
            path, told = None, f"the store is damaged ({error}): results are gone when you quit"
            self._db, session = storage.connect(None, above)
        self._told = told or self._told
        self._take(path, session)
        self._used.clear()

    def _take(self, path: str | None, session: int) -> None:
        self.path = path
        self._inode = storage.inode(path) if path else 0
        self._last = session << 32
        """The id of the newest result: sessions never share one, and later ones are larger."""

    # Reading

    def look_at(self, run: str) -> None:
        """The run is in view from now on."""
        self._run = key = run_key(run)
        self._uses[key] = run

    def rows(self, run: str, cases: Collection[str] | None = None) -> dict[str, StoredRow]:
        """Stored rows of a run (of these cases); unreadable ones are left out."""
        key = run_key(run)
        query, args = "SELECT case_id, cells FROM rows WHERE run=?", (key,)
        if cases is None:
            stored = self._read(query, args)
            stored += [(case, cells) for (of, case), cells in self._rows.items() if of == key]
        else:
            stored = list[tuple[Any, ...]]()
            keys = list(map(to_key, cases))
            for start in range(0, len(keys), IN_ONE_QUERY):
                some = keys[start : start + IN_ONE_QUERY]
                within = ",".join("?" * len(some))
                stored += self._read(f"{query} AND case_id IN ({within})", (*args, *some))
                stored += [(c, self._rows[key, c]) for c in some if (key, c) in self._rows]
        rows = ((from_key(case), row_of(cells)) for case, cells in dict(stored).items())
        return {case: row for case, row in rows if row is not None}

    def results(
        self, run: str, case: str, fp: str | None = None, judge: str | None = None
    ) -> list[Result]:
        """The results of a case, newest first: all, or those with a fingerprint.

        With `judge` also those that a judge of this name had before it was edited.
        """
        key = (run_key(run), to_key(case))
        found = [
            (identity, self._results[identity])
            for identity in reversed(self._by_case.get(key, ()))
            if fp is None or is_of(self._results[identity], fp, judge)
        ]
        where, args = "run=? AND case_id=?", [*key]
        if fp is not None:
            same = "fp=?" if judge is None else f"(fp=? OR substr(ambient, {AMBIENT_HEAD + 1})=?)"
            where += f" AND {same}"
            args += [to_key(name) for name in (fp, judge) if name is not None]
        query = f"SELECT id, run, case_id, fp, ambient, body FROM results WHERE {where}"
        stored = self._read(f"{query} ORDER BY id DESC", args)
        found += [(row[0], Sealed(CellId(*row[1:4]), *row[4:])) for row in stored]
        return [result for item in found if (result := result_of(*item)) is not None]

    def result(self, identity: int) -> Result | None:
        """One result by its id."""
        new = self._results.get(identity)
        if new is None:
            query = "SELECT run, case_id, fp, ambient, body FROM results WHERE id=?"
            for row in self._read(query, (identity,)):
                new = Sealed(CellId(*row[:3]), *row[3:])
        return None if new is None else result_of(identity, new)

    def policy(self, run: str) -> Mapping[str, Any] | None:
        """What the run's verdicts were last made under; None where that is not known."""
        key = run_key(run)
        stored = self._read("SELECT body FROM policies WHERE run=?", (key,))
        for (body,) in [(self._policies[key],)] if key in self._policies else stored:
            return unpack(body)
        return None

    def cases_with_results(self, run: str) -> set[str]:
        """Cases of the run for which there is anything to reuse."""
        key = run_key(run)
        stored = self._read("SELECT DISTINCT case_id FROM results WHERE run=?", (key,))
        pending = {from_key(case) for of, case in self._by_case if of == key}
        return {from_key(case) for (case,) in stored} | pending

    def ambients(self, ids: Iterable[str]) -> dict[str, Inputs]:
        """What is known under the ids; unknown ones are left out."""
        found: dict[str, Inputs] = {}
        for ambient in ids:
            key = to_key(ambient)
            query = "SELECT inputs FROM ambients WHERE id=?"
            rows = [(self._loose[key],)] if key in self._loose else self._read(query, (key,))
            for (data,) in rows:
                inputs = unpack(data)
                if inputs is not None:
                    found[ambient] = inputs
        return found

    def _read(self, query: str, args: Iterable[Any]) -> list[tuple[Any, ...]]:
        """The answer as a whole, so that no statement stays open; nothing when it cannot be had."""
        try:
            return self._db.execute(query, tuple(args)).fetchall()
        except sqlite3.Error as error:
            if storage.is_damage(error):
                self._replace()
            return []


def open_store(root: str) -> Store:
    """The project's store; never raises for what is or is not on disk."""
    folder = os.path.join(root, ".eval-tui")
    try:
        storage.prepare(folder)
        return Store(os.path.join(folder, "store.db"))
    except (OSError, sqlite3.Error, Unusable) as error:
        if isinstance(error, sqlite3.Error) and storage.is_busy(error):
            words = f"another program holds the store in {folder}"
            return Store(None, f"{words}: results are kept in memory and are gone when you quit")
        why = getattr(error, "strerror", None) or str(error)
    words = f"{folder} cannot be written ({why}): results are kept in"
    try:
        cache = _cache_folder(root)
        return Store(os.path.join(cache, "store.db"), f"{words} {cache}")
    except (OSError, sqlite3.Error, Unusable):
        return Store(None, f"{words} memory and are gone when you quit")


def _cache_folder(root: str) -> str:
    import platformdirs

    name = blake2b(os.fsencode(os.path.realpath(root)), digest_size=8).hexdigest()
    folder = os.path.join(platformdirs.user_cache_dir("eval-tui"), name)
    os.makedirs(folder, exist_ok=True)
    return folder
