"""Cold scoring, against reading and parsing alone and against doing it the plain way."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.bench.ground import NO_WORKLOAD, Figure, Ground, Took, best

REFERENCE = str(Path(__file__).with_name("reference.py"))


def cold(ground: Ground) -> Iterator[Figure]:
    """1,000 cases x 12 judges."""
    project = ground.workload(ground.cases)
    if project is None:
        yield Figure("cold scoring", None, "", note=NO_WORKLOAD)
        return
    parse = best(ground.rounds, lambda: _reference(ground, "parse", project))
    eager = best(2, lambda: _reference(ground, "eager", project))
    ours = best(ground.rounds, lambda: ground.score(project, cold=True))
    named = f"cold scoring, {ground.cases:,} x 12"
    yield Figure(f"{named}: wall", ours.wall_s, "s", note=_cpu(ours))
    yield Figure("  reference: every file opened and parsed once", parse.wall_s, "s")
    yield Figure("  reference: all loaded, then judge after judge", eager.wall_s, "s")
    yield Figure("  ours over parsing, wall", ours.wall_s / parse.wall_s, "x", 3)
    yield Figure("  ours over eager, wall", ours.wall_s / eager.wall_s, "x", 1 / 3)
    share = ours.cpu_s / (os.cpu_count() or 1) / parse.cpu_s
    yield Figure("  ours over parsing, CPU spread over all cores", share, "x")


def cold_large(ground: Ground) -> Iterator[Figure]:
    """10,000 cases x 12 judges: what a case costs must not grow."""
    small, large = ground.workload(ground.cases), ground.workload(ground.large)
    if small is None or large is None:
        yield Figure("cold scoring of many cases", None, "", note=NO_WORKLOAD)
        return
    few = best(ground.rounds, lambda: ground.score(small, cold=True))
    many = best(1, lambda: ground.score(large, cold=True))
    times = ground.large / ground.cases
    yield Figure(f"cold scoring, {ground.large:,} x 12: wall", many.wall_s, "s", note=_cpu(many))
    yield Figure(
        f"  wall of a case over that of one of {ground.cases:,}",
        many.wall_s / few.wall_s / times,
        "x",
        1.25,
    )
    yield Figure("  the same in CPU", many.cpu_s / few.cpu_s / times, "x", 1.25)


def _reference(ground: Ground, kind: str, project: Path) -> Took:
    return ground.run([sys.executable, REFERENCE, kind, str(project)], project)


def _cpu(took: Took) -> str:
    return f"CPU {took.cpu_s:.2f} s in all processes"
