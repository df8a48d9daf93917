"""All kinds of hostile judges in one project, scored by the product in a terminal of its own."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.support_terminal import EVAL_TUI, terminal
from tests.support.small import write_project

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and Linux signals")

KINDS = Path(__file__).parent.parent / "engine" / "support_judges.py"
LIMIT = "ran past its limit of 2 s"
BROKE = "the judge broke the worker process that it ran in"
ABOVE = "the judge ended the process that its worker depends on"

ENDS = {
    "endless": LIMIT,
    "endless_except": LIMIT,
    "endless_c": LIMIT,
    "endless_deaf": LIMIT,
    "stops_itself": LIMIT,
    "endless_stopped_child": LIMIT,
    "fork_loop": LIMIT,
    "many_children": LIMIT,
    "exits_0": "the process exited with code 0",
    "exits_3": "the process exited with code 3",
    "segfault": "killed by SIGSEGV (11)",
    "deep_recursion": "killed by SIGSEGV (11)",
    "aborts": "killed by SIGABRT (6)",
    "terminates": "killed by SIGTERM (15)",
    "kills_itself": "killed by SIGKILL (9)",
    "kills_group": "killed by SIGKILL (9)",
    "closes_all": BROKE,
    "closes_and_sleeps": "the judge closed files that belong to the worker process",
    "writes_everywhere": "the judge wrote into files that belong to the worker process",
    "kills_parent": ABOVE,
    "kills_grandparent": ABOVE,
    "leaves": "the judge left the program: SystemExit: 2",
    "interrupts": "KeyboardInterrupt at `os.kill(os.getpid(), signal.SIGINT)`",
    "raises_interrupt": "KeyboardInterrupt at `raise KeyboardInterrupt`",
    "recursion": "RecursionError: maximum recursion depth exceeded",
    "eats_memory": "MemoryError: judges may use 1,024 MB (--judge-memory)",
    "unprintable": "Unprintable: <Unprintable whose text cannot be had: RuntimeError>",
    "floods_fd": "printed more than 64 MB",
    "asks": "EOFError: EOF when reading a line",
    "opens_terminal": "No such device or address: '/dev/tty'",
}
"""Judges that cannot be measured -> what stands in their cell."""

_SURVIVING = (
    "say surrogate reads_stdin thread_stays thread_kills_later alarm_armed handler_changed"
    " changes_folder deletes_folder changes_environ replaces_stdout closes_stdout traces"
    " low_recursion child_stays child_in_session child_twice_removed child_unreaped"
    " forks_and_returns bad_audit_hook prints_50_mb breaks_the_library"
    " patches_open patches_json patches_time patches_stat deletes_modules clears_import_system"
    " collector_off other_locale other_umask few_files small_files nicer dies_later"
    " strict_warnings impatient_sockets rounds leaks_files daemon_stays"
    " says_goodbye group_signals"
)
SURVIVES = _SURVIVING.split()
"""Judges that are measured, whatever they leave behind."""

HOSTILE = """
import kinds

def run(outputs, kind):
    value = getattr(kinds, kind)("a")
    if kind == "sound":
        return (not value, ", ".join(value))
    return (True, repr(value))
"""


def test_each_costs_exactly_itself(tmp_path: Path) -> None:
    names = [*ENDS, *SURVIVES]
    judges: list[dict[str, Any]] = []
    for name in names:
        for title, kind in ((name, name), (f"after {name}", "sound")):
            call = {"module": "hostile", "function": "run", "arguments": {"kind": kind}}
            judges.append({"name": title, **call})
    files = {"kinds.py": KINDS.read_text(), "hostile.py": HOSTILE}
    root = write_project(tmp_path / "project", judges, cases=("a",), files=files)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    argv = [EVAL_TUI, "score", ".", "--judge-timeout", "2", "--judge-memory", "1024"]
    argv += ["--format", "json", "--output", "score.json"]
    before = {path.name for path in root.iterdir()}
    with terminal(root, argv=argv, TMPDIR=str(temporary), HOSTILE_MARK=str(root)) as shown:
        assert shown.end(patience=110) == 0, shown.text
        left = _processes_with(f"HOSTILE_MARK={root}")
        assert shown.settings_now() == shown.attributes
        assert shown.left_switched_on() == []
        assert set(re.findall(rb"\x1b\[[^A-Za-z]*[A-Za-z]", bytes(shown.raw))) <= {b"\x1b[K"}
    assert left == []
    assert [*temporary.iterdir()] == []
    new = {path.name for path in root.iterdir()} - before
    assert new == {".eval-tui", "score.json"}
    cells = json.loads((root / "score.json").read_text())["cells"]["a"]
    assert set(cells) == {judge["name"] for judge in judges}
    for name, words in ENDS.items():
        assert cells[name].get("reason") == "grader_error", (name, cells[name])
        assert words in cells[name]["detail"], name
    for name in SURVIVES:
        assert cells[name].get("value") is True, (name, cells[name])
    after = {name: cells[f"after {name}"] for name in names}
    assert {name: cell for name, cell in after.items() if cell.get("value") is not True} == {}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
async def test_nothing_is_left_of_an_interrupted_scoring(tmp_path: Path, number: int) -> None:
    """One judge waits for a child in a session of its own, the other loops."""
    root = tmp_path / "project"
    marks = [tmp_path / "waits", tmp_path / "spins"]
    calls = zip(("writes_pid_and_waits", "spins"), marks, strict=True)
    checks = [f"import kinds; return kinds.{kind}({str(mark)!r})" for kind, mark in calls]
    judges = [
        {"name": f"judge {n}", "check": check, "if": f"annotations['n'] == {n}"}
        for n, check in enumerate(checks)
    ]
    files = {"kinds.py": KINDS.read_text()}
    write_project(root, judges, cases=[f"{n}" for n in range(32)], files=files)
    for n in range(32):
        (root / "data" / str(n) / "annotations.yaml").write_text(f"n: {n // 16}\n")
    variable = {"HOSTILE_MARK": str(root)}
    process = subprocess.Popen(
        [EVAL_TUI, "score", ".", "--judge-timeout", "3600"],
        cwd=root,
        env={**os.environ, **variable},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    async with asyncio.timeout(60):
        while not all(mark.exists() and mark.read_text() for mark in marks):
            assert process.poll() is None
            await asyncio.sleep(0.01)
        assert len(_processes_with(f"HOSTILE_MARK={root}")) >= 6
        process.send_signal(number)
        while process.poll() is None or _processes_with(f"HOSTILE_MARK={root}"):
            await asyncio.sleep(0.01)
    assert process.returncode == (-9 if number == signal.SIGKILL else 128 + number)


def _processes_with(variable: str) -> list[str]:
    """Command lines of the processes that have this in their environment."""
    found: list[str] = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                environ = Path("/proc", entry, "environ").read_bytes().split(b"\0")
                if variable.encode() in environ:
                    found.append(Path("/proc", entry, "cmdline").read_text())
            except OSError:
                continue
    return found
