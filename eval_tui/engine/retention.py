"""What the store may forget, so that it stays small: never anything of what is shown now."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping

KEEP_PER_CELL = 12
"""How many results of one judge on one case are kept: as many edits can be reverted without
running."""
KEEP_PER_CASE = 600
"""How many results of one case are kept, of all judges that it ever had."""
MAX_BYTES = 512_000_000
"""Size above which runs that were not looked at for long are forgotten."""
SPARE_AMBIENTS = 200
"""So many ambients may lie about before those on which no result rests are dropped."""
CHUNK = 5_000
"""How many results of a run are dropped in one go: a fraction of a second."""

Key = str | bytes
Cell = tuple[int, Key, Key]
"""Run, case and fingerprint."""
Shown = Callable[[object], Iterable[int]]
"""The ids of the results that a stored row shows."""


def trim(db: sqlite3.Connection, newest: Mapping[Cell, int], shown: Shown) -> None:
    """Drop the oldest results of cells, and of cases, that have too many. `newest` are the
    results just written, by cell, which stay in any case."""
    cases: dict[tuple[int, Key], list[Cell]] = {}
    for cell in newest:
        cases.setdefault(cell[:2], []).append(cell)
    for case, cells in cases.items():
        if _count(db, case) <= KEEP_PER_CELL:
            continue
        db.executemany(
            "DELETE FROM results WHERE run=?1 AND case_id=?2 AND fp=?3 AND id<>?4 AND id<"
            "(SELECT id FROM results WHERE run=?1 AND case_id=?2 AND fp=?3"
            " ORDER BY id DESC LIMIT 1 OFFSET ?5)",
            [(*cell, newest[cell], KEEP_PER_CELL - 1) for cell in cells],
        )
        surplus = _count(db, case) - KEEP_PER_CASE
        if surplus > 0:
            # More than needed, so that this is not done at every writing.
            _drop_oldest(db, case, surplus + KEEP_PER_CASE // 4, shown)


def _count(db: sqlite3.Connection, case: tuple[int, Key]) -> int:
    query = "SELECT COUNT(*) FROM results WHERE run=? AND case_id=?"
    return int(db.execute(query, case).fetchone()[0])


def _drop_oldest(db: sqlite3.Connection, case: tuple[int, Key], number: int, shown: Shown) -> None:
    rows = db.execute("SELECT cells FROM rows WHERE run=? AND case_id=?", case).fetchall()
    kept = {identity for (cells,) in rows for identity in shown(cells)}
    query = "SELECT id FROM results WHERE run=? AND case_id=? ORDER BY id"
    ids = [identity for (identity,) in db.execute(query, case) if identity not in kept]
    _drop(db, ids[:number])


def _drop(db: sqlite3.Connection, ids: Iterable[int]) -> None:
    db.executemany("DELETE FROM results WHERE id=?", [(identity,) for identity in ids])


def bound(db: sqlite3.Connection, present: int, shown: Shown) -> None:
    """Where the store is too large, forget a part of the run that was not in view for longest.

    When only the present run is left, its older results go; those that are shown stay.
    """
    if used_bytes(db) <= MAX_BYTES:
        return
    query = "SELECT run FROM runs WHERE run<>? ORDER BY used LIMIT 1"
    other = db.execute(query, (present,)).fetchone()
    if other is None:
        _thin_out(db, present, shown)
        return
    chunk = "SELECT id FROM results WHERE run=? LIMIT ?"
    dropped = db.execute(f"DELETE FROM results WHERE id IN ({chunk})", (*other, CHUNK)).rowcount
    if dropped < CHUNK:
        for table in ("rows", "policies", "runs"):
            db.execute(f"DELETE FROM {table} WHERE run=?", other)


def _thin_out(db: sqlite3.Connection, run: int, shown: Shown) -> None:
    rows = db.execute("SELECT cells FROM rows WHERE run=?", (run,)).fetchall()
    kept = {identity for (cells,) in rows for identity in shown(cells)}
    every = db.execute("SELECT id FROM results WHERE run=?", (run,)).fetchall()
    ids = sorted(identity for (identity,) in every if identity not in kept)
    _drop(db, ids[: (len(ids) + 1) // 2])


def used_bytes(db: sqlite3.Connection) -> int:
    """Bytes of the file that hold something."""
    pages, free, size = (
        _pragma(db, name) for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * size


def _pragma(db: sqlite3.Connection, name: str) -> int:
    return int(db.execute(f"PRAGMA {name}").fetchone()[0])


def tidy(db: sqlite3.Connection) -> None:
    """Drop ambients on which no result rests, and give freed space back to the disk."""
    if db.execute("SELECT COUNT(*) FROM ambients").fetchone()[0] > SPARE_AMBIENTS:
        with db:
            db.execute(
                "DELETE FROM ambients WHERE id NOT IN (SELECT DISTINCT ambient FROM results)"
            )
    if _pragma(db, "freelist_count") > _pragma(db, "page_count") // 4:
        db.execute("PRAGMA incremental_vacuum").fetchall()
