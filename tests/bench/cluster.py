"""Scoring on a Dask cluster of two processes on this machine, against scoring without one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree
from typing import Any

from tests.bench.ground import NO_WORKLOAD, Figure, Ground, Took

CASES = 2_000


def dask(ground: Ground) -> Iterator[Figure]:
    """2,000 cases x 12 judges: the same bytes, and what the way there and back takes."""
    project = ground.workload(CASES)
    if project is None:
        yield Figure("scoring on a cluster", None, "", note=NO_WORKLOAD)
        return
    from distributed import LocalCluster

    here, there = ground.scratch / "here.json", ground.scratch / "there.json"
    local = _score(ground, project, here)
    cluster: Any = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with cluster:
        remote = _score(ground, project, there, "--dask", cluster.scheduler_address)
    same = here.read_bytes() == there.read_bytes()
    yield Figure(f"scoring on a cluster, {CASES:,} x 12: wall", remote.wall_s, "s")
    yield Figure("  the same here: wall", local.wall_s, "s")
    yield Figure("  documents that differ", float(not same), "", 0)


def _score(ground: Ground, project: Path, output: Path, *words: str) -> Took:
    rmtree(project / ".eval-tui", ignore_errors=True)
    output.unlink(missing_ok=True)
    command = ground.command("score", "--format", "json", "--output", str(output), *words)
    return ground.run(command, project)
