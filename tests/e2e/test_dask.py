"""Scoring on a Dask cluster of two processes: the same document as here, whatever judges do."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from eval_tui.engine import dask_pool
from eval_tui.engine.dask_pool import DaskPool
from tests.e2e.support_terminal import EVAL_TUI, PATIENCE, environment, piped
from tests.support.live import PATIENCE as LIVE_PATIENCE
from tests.support.live import Live
from tests.support.small import write_project

psutil = pytest.importorskip("psutil")
distributed = pytest.importorskip("distributed")

CASES = [f"c{number:02}" for number in range(24)]
JUDGES: list[dict[str, Any]] = [
    {
        "name": "page",
        "check": "return len(outputs['files']['out/page.md']), outputs['conversation']",
    },
    {"name": "own", "builtin": "style/own"},
    {"name": "raises", "check": "raise OSError('the disk is on fire')"},
    {"name": "absent", "check": "return outputs['cost_usd'] < 1"},
    {
        "name": "leaves",
        "check": "import os\nif 'c05' in outputs['case_dir']: os._exit(7)\nreturn 2",
    },
    {"name": "loops", "check": "while 'c03' in outputs['case_dir']: pass\nreturn True"},
    {"name": "skipped", "if": "annotations['kind'] == 'other'", "check": "return 1"},
    {"name": "broken", "check": "def ("},
]
FILES = {
    "judges/style/own.py": "def judge(outputs):\n    return 'page' in outputs['out_content']\n"
}
WHERE = {"name": "where", "check": "import os\nreturn True, os.environ.get('ON_A_NODE', 'here')"}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    os.environ["ON_A_NODE"] = "there"
    made = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    )
    del os.environ["ON_A_NODE"]
    yield made
    made.close()


def score(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return piped(root, "score", "--format", "json", "--judge-timeout", "1", *words)


def test_the_document_is_the_same_to_the_byte(tmp_path: Path, cluster: Any) -> None:
    root = write_project(tmp_path, JUDGES, CASES, files=FILES)
    remote = score(root, "--dask", cluster.scheduler_address)
    shutil.rmtree(root / ".eval-tui")
    local = score(root)
    assert remote.stdout == local.stdout
    assert remote.returncode == local.returncode == 0
    for words in ("the process exited with code 7", "ran past its limit", "the disk is on fire"):
        assert words in local.stdout


def test_what_the_cluster_judged_is_known_here(tmp_path: Path, cluster: Any) -> None:
    root = write_project(tmp_path, JUDGES[:2], CASES, files=FILES)
    assert "48 ran, 0 still valid" in score(root, "--dask", cluster.scheduler_address).stderr
    assert "0 ran, 48 still valid" in score(root).stderr
    (root / "judges/style/own.py").write_text("def judge(outputs):\n    return False\n")
    assert "24 ran, 24 still valid" in score(root, "--dask", cluster.scheduler_address).stderr


def test_judges_run_on_the_nodes_and_nothing_stays_there(tmp_path: Path, cluster: Any) -> None:
    root = write_project(tmp_path, [WHERE], ["a"])
    assert '"rationale": "there"' in score(root, "--dask", cluster.scheduler_address).stdout
    with distributed.Client(cluster.scheduler_address) as client:
        left = client.run(_processes)
    assert set(left.values()) == {0}


def _processes() -> int:
    from eval_tui.engine import dask_task

    return sum(map(len, [*dask_task._idle.values(), *dask_task._busy.values()]))


def test_an_interruption_ends_what_runs_on_the_nodes(tmp_path: Path, cluster: Any) -> None:
    hang = {"name": "hang", "check": "open('started', 'w').close()\nwhile True: pass"}
    root = write_project(tmp_path, [hang], ["a"])
    fifo = root / "started"
    os.mkfifo(fifo)
    command = [EVAL_TUI, "score", "--judge-timeout", "600", "--dask", cluster.scheduler_address]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, env=environment()) as process:
        fifo.open().close()  # until the judge has opened it as well
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 128 + signal.SIGINT
    with distributed.Client(cluster.scheduler_address) as client:
        assert set(client.run(_processes).values()) == {0}


async def test_what_is_asked_for_after_a_cancel_is_not_called_off_with_the_rest(
    tmp_path: Path, cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits = (
        "import os\nopen('started', 'w').close()\nwhile not os.path.exists('go'): pass\nreturn 1"
    )
    root = write_project(tmp_path, [{"name": "waits", "check": waits}], ["a"])
    fifo = root / "started"
    os.mkfifo(fifo)
    project = Live(root, dask=cluster.scheduler_address, watch=False)

    async def started() -> None:
        await asyncio.wait_for(asyncio.to_thread(lambda: fifo.open().close()), LIVE_PATIENCE)

    try:
        await project.driver.start()
        await started()
        pool = project.driver.work.pool
        assert isinstance(pool, DaskPool) and pool._client is not None
        at_work, ended, run = asyncio.Event(), asyncio.Event(), pool._client.run

        async def late(*order: Any) -> None:
            await at_work.wait()
            await run(*order)
            ended.set()

        monkeypatch.setattr(pool._client, "run", late)
        project.driver.cancel(None)
        project.driver.rerun(project.driver.select("all"))
        await started()
        at_work.set()
        await asyncio.wait_for(ended.wait(), LIVE_PATIENCE)
        (root / "go").touch()
        await asyncio.wait_for(project.driver.idle(), LIVE_PATIENCE)
        assert (project.driver.broken, project.value("a", "waits")) == ("", 1)
    finally:
        await project.driver.close()


FIRST = """
import os
try:
    os.close(os.open('first', os.O_CREAT | os.O_EXCL))
except FileExistsError:
    return True
with open('started', 'w') as told: told.write(str(os.getpid()))
while True: pass
"""
"""The first call tells that it has started and never ends."""


def test_what_a_worker_that_dies_had_under_way_is_judged_by_another(
    tmp_path: Path, cluster: Any
) -> None:
    root = write_project(tmp_path, [{"name": "first", "check": FIRST}, *JUDGES[:1]], CASES)
    fifo = root / "started"
    os.mkfifo(fifo)
    with ThreadPoolExecutor(1) as pool:
        address = cluster.scheduler_address
        done = pool.submit(score, root, "--dask", address, "--judge-timeout", "600")
        with fifo.open() as told:
            above = {process.pid for process in psutil.Process(int(told.read())).parents()}
        with distributed.Client(address) as client:
            (worker,) = above & set(client.run(os.getpid).values())
        os.kill(worker, signal.SIGKILL)
        found = done.result(PATIENCE)
    assert found.returncode == 0, found.stderr
    cells = json.loads(found.stdout)["cells"]
    assert {(case, cells[case]["first"]["value"]) for case in cells} == {(c, True) for c in CASES}
    assert all("value" in cells[case]["page"] for case in CASES)


async def test_a_cluster_that_lost_all_of_its_workers_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_pool, "LOOK_S", 0.05)
    hang = {"name": "hang", "check": "open('started', 'w').close()\nwhile True: pass"}
    root = write_project(tmp_path, [hang], ["a"])
    fifo = root / "started"
    os.mkfifo(fifo)
    async with (
        distributed.LocalCluster(
            n_workers=0, processes=True, dashboard_address=":0", asynchronous=True
        ) as alone,
        distributed.Client(alone, asynchronous=True) as client,
    ):
        command = [sys.executable, "-m", "distributed.cli.dask_worker", alone.scheduler_address]
        with subprocess.Popen(
            [*command, "--no-nanny", "--nthreads", "1", "--no-dashboard"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=tmp_path,
        ) as worker:
            await client.wait_for_workers(1, LIVE_PATIENCE)
            project = Live(root, dask=alone.scheduler_address, watch=False, judge_timeout=600)
            try:
                await project.driver.start()
                opened = asyncio.to_thread(lambda: fifo.open().close())
                await asyncio.wait_for(opened, LIVE_PATIENCE)
                worker.kill()
                await project.shown(lambda: bool(project.driver.broken))
                assert "has no workers any more" in project.driver.broken
                assert project.driver.grid.cell("a", "hang").waiting is not None
            finally:
                await project.driver.close()


def test_a_cluster_that_is_not_there(tmp_path: Path) -> None:
    root = write_project(tmp_path, [WHERE], ["a"])
    done = score(root, "--dask", "nonsense")
    assert done.returncode == 2
    assert "the Dask cluster nonsense cannot be reached" in done.stderr
