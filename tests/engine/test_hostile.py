"""Hostile judges: each costs exactly its own cell, the right words stand there, nothing stays."""

from __future__ import annotations

import sys

import pytest

from tests.engine.support_pool import PoolRun, alive, descendants, gone

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and Linux signals")


def around(*names: str) -> tuple[tuple[str, list[str]], ...]:
    """One case per judge, with harmless judges before and after it."""
    return tuple((f"case {name}", ["good", name, "sees_environ"]) for name in names)


async def run_kinds(root: str, *names: str, size: int = 2, limit: float = 30.0) -> dict:
    """Run each judge in its own case; the neighbours must be measured. Returns their cells."""
    async with PoolRun(root, size) as run:
        limits = dict.fromkeys(names, limit)
        batches = [run.submit(row, limits=limits) for row in around(*names)]
        await run.finished(*batches)
        cells = run.cells()
        below = descendants(run.handles[-1].process.pid)
    await gone([*below])
    for name in names:
        assert cells[f"case {name}", "good"]["value"] == f"good case {name}"
        assert cells[f"case {name}", "sees_environ"]["value"] == ["-", "C.UTF-8", root], name
    return {name: cells[f"case {name}", name] for name in names}


async def test_what_never_ends_is_ended_at_its_limit(root: str) -> None:
    cells = await run_kinds(
        root,
        *("endless", "endless_except", "endless_c", "endless_deaf"),
        *("stops_itself", "endless_stopped_child"),
        limit=0.5,
    )
    for name, cell in cells.items():
        assert cell["t"] == "lost", name
        assert (cell["how"], cell["text"]) == ("timed out", "ran past its limit of 0.5 s"), name
    assert cells["endless"]["output"] == "before the loop\n"


@pytest.mark.parametrize("size", [1, 2])
async def test_what_ends_its_process_is_named_by_its_end(root: str, size: int) -> None:
    ends = {
        "exits_0": ("exited", "the process exited with code 0"),
        "exits_3": ("exited", "the process exited with code 3"),
        "segfault": ("signal", "killed by SIGSEGV (11)"),
        "aborts": ("signal", "killed by SIGABRT (6)"),
        "terminates": ("signal", "killed by SIGTERM (15)"),
        "kills_itself": ("signal", "killed by SIGKILL (9)"),
        "kills_group": ("signal", "killed by SIGKILL (9)"),
    }
    cells = await run_kinds(root, *ends, size=size)
    assert {name: (cell["how"], cell["text"]) for name, cell in cells.items()} == ends
    assert cells["exits_3"]["output"] == "last words\n"


async def test_damage_to_the_workers_own_files_is_the_cells_own(root: str) -> None:
    cells = await run_kinds(root, "closes_all", "closes_and_sleeps", "writes_everywhere")
    assert {cell["t"] for cell in cells.values()} == {"lost"}
    assert "closed files that belong" in cells["closes_and_sleeps"]["text"]
    assert "wrote into files that belong" in cells["writes_everywhere"]["text"]


async def test_exceptions_of_all_kinds_are_exceptions(root: str) -> None:
    errors = {
        "leaves": "SystemExit",
        "interrupts": "KeyboardInterrupt",
        "raises_interrupt": "KeyboardInterrupt",
        "recursion": "RecursionError",
        "unprintable": "Unprintable",
        "eats_memory": "MemoryError",
    }
    cells = await run_kinds(root, *errors)
    assert {name: cell.get("error") for name, cell in cells.items()} == errors


async def test_standard_input_is_empty_and_no_core_is_written(root: str) -> None:
    cells = await run_kinds(root, "reads_stdin", "core_limit")
    assert cells["reads_stdin"]["value"] == ""
    assert cells["core_limit"]["value"] == [0, 0]


async def test_what_a_judge_leaves_behind_is_noted_and_put_right(root: str) -> None:
    notes = {
        "handler_changed": ["changed the handler of SIGTERM"],
        "changes_folder": ["changed the current folder"],
        "deletes_folder": ["changed the current folder"],
        "changes_environ": ["changed the environment (LANG, LEFT_BY_A_JUDGE)"],
        "replaces_stdout": ["replaced a standard stream"],
        "closes_stdout": ["closed or redirected a standard file"],
        "traces": ["left a trace function in place"],
        "low_recursion": ["changed the recursion limit"],
        "alarm_armed": ["left a timer running"],
        "thread_stays": ["left a thread running (lingerer)"],
        "child_stays": ["left a process running, which was ended"],
        "child_in_session": ["left a process running, which was ended"],
        "child_twice_removed": ["left a process running, which was ended"],
        "child_unreaped": [],
    }
    cells = await run_kinds(root, *notes)
    assert {name: cell["notes"] for name, cell in cells.items()} == notes
    for name in ("child_stays", "child_in_session", "child_twice_removed"):
        assert not alive(cells[name]["value"]), name


async def test_a_worker_is_replaced_only_for_what_cannot_be_put_right(root: str) -> None:
    async with PoolRun(root, 1) as run:
        batch = run.submit(
            ("a", ["good", "changes_folder", "changes_environ"]),
            ("b", ["thread_stays", "good"]),
        )
        await run.finished(batch)
        cells = run.cells(batch)
    pids = {name: cell["pid"] for name, cell in cells.items()}
    assert pids["a", "good"] == pids["b", "thread_stays"] != pids["b", "good"]
    assert len(run.of("done")) == 1


async def test_what_breaks_the_worker_itself_is_the_cells_own(root: str) -> None:
    cells = await run_kinds(root, "closes_all")
    text = cells["closes_all"]["text"]
    assert text == "the judge broke the worker process that it ran in"


CHANGES = {
    "breaks_the_library": "replaced os: getpid",
    "patches_open": "replaced builtins: open",
    "patches_json": "replaced json: dumps, loads",
    "patches_time": "replaced time: time, monotonic, perf_counter",
    "patches_stat": "replaced posixpath: exists",
    "deletes_modules": "replaced sys.modules: ",
    "clears_import_system": "took parts of the import system out",
    "collector_off": "switched the garbage collector off",
    "other_locale": "changed the environment (TZ)",
    "other_umask": "changed the umask",
    "few_files": "changed the limits of the process",
    "small_files": "changed the limits of the process",
    "nicer": "changed the priority of the process",
    "strict_warnings": "made errors of warnings",
    "impatient_sockets": "changed the default timeout of sockets",
    "group_signals": "changed the handler of SIGTERM",
    "leaks_files": "files open",
    "leaks_memory": "MB of memory in use",
    "daemon_stays": "left a thread running (demon)",
    "dies_later": "",
    "says_goodbye": "",
}
"""What a judge changes in the Python of its worker -> what is noted of it."""


async def test_the_next_judge_finds_python_as_it_should_be(root: str) -> None:
    async with PoolRun(root, 2) as run:
        run.renew(memory_mb=1024)
        await run.finished(*[run.submit((f"case {name}", [name, "sound"])) for name in CHANGES])
        cells = run.cells()
    for name, note in CHANGES.items():
        cell = cells[f"case {name}", name]
        assert cell.get("value") is True, (name, cell)
        assert note in "; ".join(cell["notes"]), (name, cell["notes"])
        assert bool(note) == bool(cell["notes"]), name
        assert cells[f"case {name}", "sound"].get("value") == [], (name, cells)


async def test_what_a_judge_reaches_is_its_own_process_only(root: str) -> None:
    cells = await run_kinds(root, "asks", "opens_terminal", "deep_recursion", "shadows_builtins")
    assert cells["asks"]["error"] == "EOFError"
    assert cells["opens_terminal"]["error"] == "OSError"
    assert cells["deep_recursion"]["text"] == "killed by SIGSEGV (11)"


async def test_a_late_thread_reaches_no_other_cell(root: str) -> None:
    cells = await run_kinds(root, "thread_kills_later", "bad_audit_hook")
    assert cells["thread_kills_later"]["value"] is True
    assert cells["thread_kills_later"]["notes"][0].startswith("left a thread running")
    assert cells["bad_audit_hook"]["notes"] == ["left an audit hook that raises"]


async def test_a_copy_of_the_worker_takes_no_work(root: str) -> None:
    cells = await run_kinds(root, "forks_and_returns")
    assert cells["forks_and_returns"]["value"] == "both"
    assert len(cells["forks_and_returns"]["notes"]) == 1


async def test_processes_that_breed_are_all_ended(root: str) -> None:
    cells = await run_kinds(root, "fork_loop", "many_children", limit=0.4)
    assert {cell["text"] for cell in cells.values()} == {"ran past its limit of 0.4 s"}


async def test_killing_the_processes_above_costs_one_cell_each(root: str) -> None:
    async with PoolRun(root, 2) as run:
        rows = around("kills_parent", "kills_grandparent")
        slow = run.submit(("slow", ["good", "prints_many_lines", "good"]))
        batches = [run.submit(row) for row in rows]
        await run.finished(slow, *batches)
        cells = run.cells()
    lost = {name for name, cell in cells.items() if cell["t"] == "lost"}
    assert lost == {
        ("case kills_parent", "kills_parent"),
        ("case kills_grandparent", "kills_grandparent"),
    }
    assert "ended the process that its worker depends on" in cells[min(lost)]["text"]
    for handle in run.handles:
        assert handle.process.returncode is not None


async def test_garbage_is_the_cells_own_though_the_worker_goes_on_to_end_others(root: str) -> None:
    async with PoolRun(root, 1) as run:
        batch = run.submit(("a", ["good", "writes_everywhere", "kills_parent", "sees_environ"]))
        await run.finished(batch)
        cells = run.cells(batch)
    assert "wrote into files that belong" in cells["a", "writes_everywhere"]["text"]
    assert "ended the process that its worker" in cells["a", "kills_parent"]["text"]
    assert cells["a", "sees_environ"]["t"] == "cell"


async def test_much_text_is_kept_at_both_ends(root: str) -> None:
    cells = await run_kinds(root, "prints_50_mb", "prints_many_lines", "surrogate")
    big = cells["prints_50_mb"]["out"]
    assert big.startswith("begin\nxxx") and big.endswith("xxx\nend\n")
    assert f"… {(50 << 20) + 11 - 2 * 32 * 1024:,} characters left out …" in big
    lines = cells["prints_many_lines"]["out"]
    assert lines.startswith("first line\na line") and lines.endswith("299999\nlast line\n")
    assert len(lines) < 70_000
    assert cells["surrogate"]["value"] == "\ud800"


async def test_a_flood_into_the_output_file_is_stopped(root: str) -> None:
    cells = await run_kinds(root, "floods_fd")
    assert (cells["floods_fd"]["how"], cells["floods_fd"]["text"]) == (
        "output",
        "printed more than 64 MB",
    )
    assert cells["floods_fd"]["output"].startswith("yyy")


async def test_while_one_judge_hangs_the_others_go_on(root: str) -> None:
    async with PoolRun(root, 2) as run:
        hanging = run.submit(("stuck", ["endless"]), limits={"endless": 3600})
        others = [run.submit((f"case {n}", ["good", "good2"])) for n in range(10)]
        await run.finished(*others)
        assert not run.of("lost")
        assert all((f"case {n}", "good") in run.cells() for n in range(10))
        run.pool.cancel()
        await run.finished(hanging)
        assert [message["id"] for message in run.of("cancelled")] == [hanging]
