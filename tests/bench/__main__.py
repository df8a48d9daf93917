"""`python -m tests.bench [LETTER …]`: every figure with its reference, measured in the same run."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.bench import changes, cluster, grids, models, scoring, starting, traces
from tests.bench.ground import Figure, Ground
from tests.conftest import compile_package

FIGURES: dict[str, Callable[[Ground], Iterator[Figure]]] = {
    "a": starting.first_frame,
    "b": changes.write_to_paint,
    "c": scoring.cold,
    "d": scoring.cold_large,
    "e": changes.nothing_changed,
    "f": grids.key_press,
    "g": grids.many_updates,
    "h": changes.memory,
    "i": changes.heavy_import,
    "j": models.counts,
    "k": models.pace,
    "l": traces.reading,
    "m": traces.following,
    "n": cluster.dask,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("figures", nargs="*", metavar="LETTER", help=f"of {' '.join(FIGURES)}")
    parser.add_argument("--cases", type=int, default=1_000, help="cases of the usual workload")
    parser.add_argument("--large", type=int, default=10_000, help="cases of the large workload")
    parser.add_argument("--rounds", type=int, default=5, help="how often short things are timed")
    parser.add_argument("--keep", type=Path, help="a folder for the workloads, reused next time")
    given = parser.parse_args()
    compile_package()
    with tempfile.TemporaryDirectory(prefix="eval-tui-bench-") as folder:
        ground = Ground(
            Path(folder), given.keep or Path(folder), given.cases, given.large, given.rounds
        )
        load = os.getloadavg()[0]
        print(
            f"{os.cpu_count()} cores, load {load:.1f} at the start, Python {sys.version.split()[0]}"
        )
        for letter in given.figures or FIGURES:
            for figure in FIGURES[letter](ground):
                print(f"({letter}) {figure.line()}", flush=True)


if __name__ == "__main__":
    main()
