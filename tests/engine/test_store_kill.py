"""The app is killed at any moment, or two of them share a project: no finished result is lost."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.live import live
from tests.support.small import case_dir, write_project

ROUNDS = int(os.environ.get("EVAL_TUI_KILLS", "4"))
"""How often each program is killed; 300 for a thorough look."""
CASES = [f"c{i:03}" for i in range(60)]
JUDGES = [
    {"name": "length", "check": "return len(outputs['out_content'])"},
    {"name": "talk", "check": "return 'wrote' in outputs['conversation']"},
    {
        "name": "sum",
        "check": (
            "with open('../progress', 'ab') as file:\n    file.write(b'.')\n"
            "return sum(range(300_000)) > 0, 'x' * 3000"
        ),
    },
    {"name": "skips", "if": "annotations.get('kind') == 'odd'", "check": "return 1"},
]
RAN = 3
"""Judges that really run in each case."""
EVAL_TUI = str(Path(sys.executable).with_name("eval-tui"))
LIVE = """
import asyncio, sys
from eval_tui.engine.driver import Driver
from eval_tui.engine.project import Options
from eval_tui.engine.supervisor import supervisors
from eval_tui.watch import Watcher

async def main():
    options = Options(root=sys.argv[1])
    driver = Driver(options, supervisors(None, options.root), lambda told: Watcher(told))
    await driver.start()
    await driver.idle()
    await driver.close()

asyncio.run(main())
"""
COMMANDS = {
    "score": [EVAL_TUI, "score", "--format", "json"],
    "live": [sys.executable, "-c", LIVE],
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_project(tmp_path / "p", JUDGES, CASES)


def start(command: str, root: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*COMMANDS[command], str(root)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def score(root: Path) -> dict[str, Any]:
    process = start("score", root)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err.decode()
    assert b"store" not in err, err.decode()
    return json.loads(out)


def stored(root: Path) -> list[tuple[str, str]]:
    """Case and fingerprint of every result in the store; as it lies on disk, log included."""
    path = root / ".eval-tui" / "store.db"
    if not path.exists():
        return []
    with sqlite3.connect(path) as db:
        try:
            return db.execute("SELECT case_id, fp FROM results").fetchall()
        except sqlite3.OperationalError:
            return []  # killed before the tables were there


def kill_at(process: subprocess.Popen[bytes], root: Path, calls: int, delay: float) -> None:
    """Kill -9 once so many cases were judged and a moment has passed, unless it is over before."""
    progress = root.parent / "progress"
    pause = 0.002
    while process.returncode is None and pause:
        pause = 0.002 if not progress.exists() or progress.stat().st_size < calls else 0.0
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(pause or delay)
    if process.returncode is None:
        os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)


@pytest.mark.parametrize("command", COMMANDS)
def test_killed_at_any_moment_finished_results_are_reused(project: Path, command: str) -> None:
    """Each reopening works, runs exactly the cells that are not stored, and stores none twice."""
    expected = score(project)
    chance = random.Random(os.environ.get("EVAL_TUI_SEED", "kill"))
    total = len(CASES) * RAN
    amid = 0
    for _ in range(ROUNDS):
        shutil.rmtree(project / ".eval-tui", ignore_errors=True)
        (project.parent / "progress").unlink()
        process = start(command, project)
        kill_at(process, project, chance.randrange(len(CASES)), chance.uniform(0.0, 0.1))
        before = stored(project)
        assert len(before) == len(set(before)), "a cell was stored twice"
        amid += 0 < len(before) < total
        document = score(project)
        assert document["ran"] + len(before) == total
        assert document["reused"] == len(before)
        assert document["cells"] == expected["cells"]
        after = stored(project)
        assert len(after) == len(set(after)) == total
    assert score(project)["ran"] == 0
    print(f"{amid} of {ROUNDS} were killed amid their work")


def test_two_scorings_at_once(project: Path) -> None:
    """Both finish with the same values, and what they stored fits together."""
    processes = [start("score", project) for _ in range(2)]
    answers = [process.communicate(timeout=60) for process in processes]
    assert [process.returncode for process in processes] == [0, 0], answers
    assert all(b"store" not in err for _, err in answers), answers
    first, second = (json.loads(out) for out, _ in answers)
    assert first["cells"] == second["cells"]
    document = score(project)
    assert (document["ran"], document["cells"]) == (0, first["cells"])


async def test_two_apps_at_once(project: Path) -> None:
    """Both see every change; neither is in the other's way."""
    async with live(project) as one, live(project) as two:
        for length in range(1, 6):
            for case in CASES[:10]:
                (case_dir(project, case) / "out" / "page.md").write_text("x" * length)
            for app in (one, two):
                await app.until(
                    lambda app=app, n=length: {app.value(c, "length") for c in CASES[:10]} == {n}
                )
        assert [app.driver.store.notice for app in (one, two)] == ["", ""]
        assert [app.driver.status.banner for app in (one, two)] == ["", ""]
    async with live(project) as again:
        assert again.ran == 0
