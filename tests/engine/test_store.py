"""What is stored comes back, whatever becomes of the file meanwhile, and it stays small."""

from __future__ import annotations

import os
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from eval_tui.engine import retention
from eval_tui.engine import store as store_module
from eval_tui.engine.entries import StoredCell, StoredRow
from eval_tui.engine.store import Store, open_store

RUN = "/runs/r1"
SCORE = {"value": True, "passed": True, "rationale": "fine"}


def add(store: Store, case: str, fp: str = "f", *, run: str = RUN, ambient: str = "a") -> int:
    store.put_ambient(ambient, [["python", "", "3"], ["open", f"/{ambient}", "1"]])
    return store.add_result(run, case, fp, SCORE, [["value", "k", "v"]], ambient, ms=1.5)


def row(*results: int) -> StoredRow:
    return StoredRow([StoredCell("f", i, dict(SCORE), "c", "a", "sig") for i in results], ["/x"])


def database(root: Path) -> Path:
    return root / ".eval-tui" / "store.db"


def count(root: Path, table: str) -> int:
    with sqlite3.connect(database(root)) as db:
        return int(db.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0])


def asides(root: Path) -> list[str]:
    names = os.listdir(root / ".eval-tui")
    return [n for n in names if ".aside-" in n and not n.endswith(("-wal", "-shm"))]


def test_what_is_added_is_there_before_and_after_it_is_written(tmp_path: Path) -> None:
    store = open_store(str(tmp_path))
    first, second = add(store, "a"), add(store, "a")
    store.put_row(RUN, "a", row(second))
    for _ in ("pending", "written"):
        assert [r.id for r in store.results(RUN, "a", "f")] == [second, first]
        assert store.results(RUN, "a", "other") == []
        result = store.result(first)
        assert result is not None
        assert (result.score, result.inputs, result.ambient) == (SCORE, [["value", "k", "v"]], "a")
        assert (result.ms, result.origin) == (1.5, "run")
        assert store.cases_with_results(RUN) == {"a"}
        assert store.rows(RUN) == {"a": row(second)}
        assert store.ambients(["a", "b"]) == {"a": [["python", "", "3"], ["open", "/a", "1"]]}
        store.flush()
    store.close()
    again = open_store(str(tmp_path))
    assert again.rows(RUN) == {"a": row(second)}
    assert [r.id for r in again.results(RUN, "a")] == [second, first]
    assert again.notice == ""
    assert add(again, "a") > second
    again.close()


@pytest.mark.parametrize("name", ["ü", "a\nb", "bad\udce9name", "half \ud83d", "' OR 1=1; --"])
def test_names_and_texts_of_any_kind_come_back(tmp_path: Path, name: str) -> None:
    store = open_store(str(tmp_path))
    run = f"/runs/{name}"
    score = {"value": 10**30, "passed": None, "rationale": name}
    kept = store.add_result(run, name, "f", score, [["open", name, "-"]], f"x:{name}")
    store.put_ambient(f"x:{name}", [["open", name, "1"]])
    store.put_row(run, name, StoredRow([], [name], [name]))
    store.close()
    again = open_store(str(tmp_path))
    result = again.result(kept)
    assert result is not None
    assert (result.score, result.inputs) == (score, [["open", name, "-"]])
    assert result.ambient == f"x:{name}"
    assert again.ambients([result.ambient]) == {f"x:{name}": [["open", name, "1"]]}
    assert again.rows(run) == {name: StoredRow([], [name], [name])}
    assert again.cases_with_results(run) == {name}
    again.close()


def test_a_clock_that_is_set_back_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(str(tmp_path))
    now = iter(range(2_000_000_000, 0, -1_000_000))
    monkeypatch.setattr("time.time", lambda: next(now))
    ids: list[int] = []
    for _ in range(retention.KEEP_PER_CELL + 5):
        ids.append(add(store, "a"))
        store.flush()
    assert [r.id for r in store.results(RUN, "a")] == ids[: -retention.KEEP_PER_CELL - 1 : -1]
    store.close()


def make_random(path: Path) -> None:
    path.write_bytes(random.Random(5).randbytes(40_000))


def make_short(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def make_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "something").write_text("x")


def make_newer(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version=999")


def make_other(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("ALTER TABLE results RENAME COLUMN fp TO other")


def make_foreign(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE customers(id)")


def make_fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def make_without_notes(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("DELETE FROM meta")


DAMAGE = [
    make_random,
    make_short,
    make_folder,
    make_newer,
    make_other,
    make_foreign,
    make_fifo,
    make_without_notes,
]


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_bad_file_is_set_aside_with_a_notice(
    tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    store = open_store(str(tmp_path))
    for case in range(200):
        kept = add(store, f"c{case}")
        store.put_row(RUN, f"c{case}", row(kept))
    store.close()
    damage(database(tmp_path))
    store = open_store(str(tmp_path))
    store.rows(RUN)  # a file whose end is missing shows it only now
    store.results(RUN, "c199")
    assert "store of earlier results" in store.notice
    (aside,) = asides(tmp_path)
    assert str(tmp_path / ".eval-tui" / aside) in store.notice
    kept = add(store, "new")
    store.close()
    again = open_store(str(tmp_path))
    assert again.notice == ""
    assert again.cases_with_results(RUN) == {"new"}
    assert again.result(kept) is not None
    again.close()


def test_an_empty_file_is_an_empty_store(tmp_path: Path) -> None:
    open_store(str(tmp_path)).close()
    database(tmp_path).write_bytes(b"")
    store = open_store(str(tmp_path))
    add(store, "a")
    store.close()
    assert (store.notice, asides(tmp_path)) == ("", [])
    assert count(tmp_path, "results") == 1


def test_damage_while_the_store_is_open(tmp_path: Path) -> None:
    """The file is replaced, later results are kept, and ids of before never mean others."""
    store = open_store(str(tmp_path))
    ids = [add(store, f"c{case}") for case in range(500)]
    store.close()
    store = open_store(str(tmp_path))
    with open(database(tmp_path), "r+b") as file:
        file.seek(4096)
        file.write(random.Random(3).randbytes(os.path.getsize(database(tmp_path)) - 4096))
    assert [store.result(identity) for identity in ids] == [None] * 500
    late = add(store, "late")
    assert late not in ids
    store.close()
    assert "damaged" in store.notice or "could not be read" in store.notice
    again = open_store(str(tmp_path))
    assert again.cases_with_results(RUN) == {"late"}
    again.close()


def test_any_flipped_bytes_are_noticed(tmp_path: Path) -> None:
    """Whatever is changed in the file: what comes back is what was stored, or nothing."""
    store = open_store(str(tmp_path))
    ids = {add(store, f"c{case}"): f"c{case}" for case in range(100)}
    for identity, case in ids.items():
        store.put_row(RUN, case, row(identity))
    store.close()
    good = database(tmp_path).read_bytes()
    chance = random.Random(7)
    for _ in range(40):
        bad = bytearray(good)
        for _ in range(chance.choice((1, 5, 200))):
            bad[chance.randrange(len(bad))] ^= 1 << chance.randrange(8)
        shutil.rmtree(tmp_path / ".eval-tui")
        (tmp_path / ".eval-tui").mkdir()
        database(tmp_path).write_bytes(bad)
        store = open_store(str(tmp_path))
        for case, found in store.rows(RUN).items():
            assert found.cells[0].score == SCORE, case
        for identity in ids:
            result = store.result(identity)
            assert result is None or (result.score, result.ms) == (SCORE, 1.5)
        kept = add(store, "c5")
        store.put_row(RUN, "c5", row(kept))
        store.close()


def test_only_a_few_bad_files_are_kept(tmp_path: Path) -> None:
    open_store(str(tmp_path)).close()
    folder = tmp_path / ".eval-tui"
    for i in range(6):
        (folder / f"store.db.aside-20200101-00000{i}-1").write_text("x")
    make_random(database(tmp_path))
    open_store(str(tmp_path)).close()
    assert len(asides(tmp_path)) == 3
    assert not (folder / "store.db.aside-20200101-000000-1").exists()


@pytest.mark.parametrize("blocked", ["a file", "a dangling link", "a link to itself"])
def test_where_nothing_can_be_written_the_cache_folder_serves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, blocked: str
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    root = tmp_path / "project"
    root.mkdir()
    place = root / ".eval-tui"
    if blocked == "a file":
        place.write_text("mine")
    else:
        place.symlink_to(tmp_path / "nowhere" if blocked == "a dangling link" else place)
    store = open_store(str(root))
    assert str(tmp_path / "cache") in store.notice
    kept = add(store, "a")
    store.close()
    again = open_store(str(root))
    assert again.result(kept) is not None
    again.close()
    (tmp_path / "cache2").write_text("no folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache2"))
    memory = open_store(str(root))
    assert memory.path is None
    assert "gone when you quit" in memory.notice
    kept = add(memory, "a")
    memory.flush()
    assert memory.result(kept) is not None
    memory.close()


FULL = """
import os, resource, sys
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from eval_tui.engine import store as module
module.PENDING_BYTES = 300_000
store = module.open_store(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
ids = [store.add_result("/r", f"c{i % 50}", "f", {"rationale": "x" * 10_000}, [], "") for i in range(100)]
store.flush()
assert "cannot be stored" in store.notice, store.notice
assert store.result(ids[-1]) and store.results("/r", "c49")[0].id == ids[-1]
assert store.result(ids[0]) is None  # bounded: the oldest went
before = store.notice
store.flush()  # not tried again at once
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
last = store.add_result("/r", "last", "f", {}, [], "")
store.close()  # but once more at the end
assert store.notice == "", store.notice
again = module.open_store(sys.argv[1])
assert again.result(last) and again.result(ids[-1])
assert again.notice == "", again.notice
"""


def test_a_full_disk_is_told_and_what_is_pending_stays_in_view(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path)], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY


def test_two_instances_share_a_store(tmp_path: Path) -> None:
    one, two = open_store(str(tmp_path)), open_store(str(tmp_path))
    ids = [add(store, f"c{i}") for i in range(50) for store in (one, two)]
    assert len(set(ids)) == 100
    one.flush()
    two.flush()
    assert one.cases_with_results(RUN) == {f"c{i}" for i in range(50)}
    assert [two.result(i) is not None for i in ids] == [True] * 100
    one.close()
    assert add(two, "late")
    two.close()
    assert count(tmp_path, "results") == 101


def test_while_another_instance_writes_results_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eval_tui.engine.storage.WRITE_MS", 1)
    store = open_store(str(tmp_path))
    other = sqlite3.connect(database(tmp_path), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    kept = add(store, "a")
    store.flush()
    assert store.notice == ""  # nothing to worry about
    assert store.result(kept) is not None
    other.execute("ROLLBACK")
    other.close()
    store.close()
    assert count(tmp_path, "results") == 1


def test_a_cell_keeps_so_many_results(tmp_path: Path) -> None:
    store = open_store(str(tmp_path))
    ids: list[int] = []
    for _ in range(retention.KEEP_PER_CELL * 2):
        ids.append(add(store, "a"))
        add(store, "b", "only") if len(ids) == 1 else None
        store.flush()
    kept = [r.id for r in store.results(RUN, "a")]
    assert kept == ids[: -retention.KEEP_PER_CELL - 1 : -1]
    assert len(store.results(RUN, "b")) == 1
    store.close()


def test_judges_of_long_ago_are_forgotten_and_what_is_shown_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "KEEP_PER_CASE", 40)
    store = open_store(str(tmp_path))
    shown = add(store, "a", "never edited")
    store.put_row(RUN, "a", row(shown))
    for edit in range(300):
        add(store, "a", f"edit {edit}")
        if edit % 7 == 0:
            store.flush()
    store.flush()
    left = store.results(RUN, "a")
    assert len(left) <= 40
    assert left[0].fp == "edit 299"
    assert left[-1].id == shown
    store.close()


def test_the_whole_is_bounded_and_runs_of_long_ago_go_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "MAX_BYTES", 400_000)
    monkeypatch.setattr(retention, "CHUNK", 50)
    long = {"rationale": "x" * 2_000}
    for number in range(8):
        store = open_store(str(tmp_path))
        run = f"/runs/{number}"
        store.look_at(run)
        for case in range(50):
            kept = store.add_result(run, f"c{case}", "f", long, [], "")
            store.put_row(run, f"c{case}", row(kept))
            store.flush()
        store.close()
    store = open_store(str(tmp_path))
    assert len(store.cases_with_results("/runs/7")) == 50
    assert store.cases_with_results("/runs/0") == set()
    assert store.rows("/runs/0") == {}
    store.look_at("/runs/7")
    run, shown = "/runs/7", {row.cells[0].result for row in store.rows("/runs/7").values()}
    for again in range(20):  # now the present run alone is too large
        for case in range(50):
            store.add_result(run, f"c{case}", f"edit {again}", long, [], "")
        store.flush()
    assert all(store.result(identity) is not None for identity in shown)
    store.close()
    assert database(tmp_path).stat().st_size < 1_200_000


def test_ambients_on_which_nothing_rests_are_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "SPARE_AMBIENTS", 10)
    store = open_store(str(tmp_path))
    for i in range(60):
        add(store, "a", ambient=f"used {i}")
        store.put_ambient(f"verified only {i}", [["open", "/x", "1"]])
        store.flush()
    assert store.ambients(["verified only 3"])  # this session knows them
    store.close()
    assert count(tmp_path, "ambients") == retention.KEEP_PER_CELL
    again = open_store(str(tmp_path))
    assert set(again.ambients([r.ambient for r in again.results(RUN, "a")])) == {
        f"used {i}" for i in range(60 - retention.KEEP_PER_CELL, 60)
    }
    again.close()


def test_an_ambient_is_written_when_more_of_it_is_seen(tmp_path: Path) -> None:
    store = open_store(str(tmp_path))
    add(store, "a")
    store.flush()
    store.put_ambient("a", [["open", "/more", "2"]])
    add(store, "b", ambient="other")
    store.close()
    again = open_store(str(tmp_path))
    assert again.ambients(["a"]) == {"a": [["open", "/more", "2"]]}
    again.close()


def test_ambients_in_memory_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "LOOSE_AMBIENTS", 5)
    store = open_store(str(tmp_path))
    for i in range(20):
        store.put_ambient(f"a{i}", [])
    assert set(store.ambients([f"a{i}" for i in range(20)])) == {f"a{i}" for i in range(15, 20)}
    store.close()


def test_the_log_does_not_grow_without_end(tmp_path: Path) -> None:
    store = open_store(str(tmp_path))
    for _ in range(300):
        store.add_result(RUN, "a", "f", {"rationale": "x" * 100_000}, [], "")
        store.flush()
    assert database(tmp_path).with_name("store.db-wal").stat().st_size < 20_000_000
    store.close()
    assert not database(tmp_path).with_name("store.db-wal").exists()
    assert database(tmp_path).stat().st_size < 5_000_000


@pytest.mark.parametrize("folder_too", [True, False])
def test_a_store_that_is_removed_meanwhile_is_begun_anew(tmp_path: Path, folder_too: bool) -> None:
    """`git clean` removes it under a running app: what comes then is kept again."""
    store = open_store(str(tmp_path))
    add(store, "before")
    store.flush()
    if folder_too:
        shutil.rmtree(tmp_path / ".eval-tui")
    else:
        database(tmp_path).unlink()
    kept = add(store, "a")
    store.flush()
    assert "was removed" in store.notice
    assert store.result(kept) is not None
    store.close()
    again = open_store(str(tmp_path))
    assert again.cases_with_results(RUN) == {"a"}
    assert again.result(kept) is not None
    again.close()


def test_an_instance_takes_over_what_another_began(tmp_path: Path) -> None:
    """A third instance sets the damaged file aside: all go on with the same new one."""
    one, two = open_store(str(tmp_path)), open_store(str(tmp_path))
    make_random(database(tmp_path))
    for suffix in ("-wal", "-shm"):
        Path(f"{database(tmp_path)}{suffix}").unlink(missing_ok=True)
    open_store(str(tmp_path)).close()
    ids: list[int] = []
    for round_ in range(3):
        for store in (one, two):
            ids.append(add(store, f"c{round_}"))
            store.flush()
    one.close()
    two.close()
    assert len(asides(tmp_path)) == 1
    again = open_store(str(tmp_path))
    assert again.cases_with_results(RUN) == {"c0", "c1", "c2"}
    assert [again.result(identity) is not None for identity in ids] == [True] * 6
    again.close()
