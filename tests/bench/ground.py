"""What the figures share: the product as it is installed, workloads, and measured processes."""

from __future__ import annotations

import compileall
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
SHARED = PROJECT.parent / "shared"


@dataclass(frozen=True)
class Figure:
    """One line of the table."""

    what: str
    value: float | None
    """None: it could not be measured; the note says why."""
    unit: str
    limit: float | None = None
    note: str = ""

    def line(self) -> str:
        value = "      -" if self.value is None else f"{self.value:9.3f}"
        limit = "" if self.limit is None else f"at most {self.limit:g}"
        verdict = ""
        if self.limit is not None and self.value is not None:
            verdict = "holds" if self.value <= self.limit else "MISSED"
        return (
            f"{self.what:<66}{value} {self.unit:<5} {limit:<13} {verdict:<7} {self.note}".rstrip()
        )


@dataclass(frozen=True)
class Took:
    """What a process took, with the processes below it."""

    wall_s: float
    cpu_s: float


class Ground:
    """A scratch folder with a compiled copy of the package, and the workloads."""

    def __init__(self, scratch: Path, kept: Path, cases: int, large: int, rounds: int) -> None:
        self.scratch, self.kept = scratch, kept
        self.cases, self.large, self.rounds = cases, large, rounds
        self.site = scratch / "site"
        for name in ("eval_tui", "themes"):
            ignore = shutil.ignore_patterns("__pycache__")
            shutil.copytree(PROJECT / name, self.site / name, ignore=ignore)
        # As an installer leaves it: what is timed must not be compiled first.
        compileall.compile_dir(self.site / "eval_tui", quiet=1)

    def environ(self, **more: str) -> dict[str, str]:
        """The environment in which the copy is the package, whatever is installed."""
        unwanted = ("PYTHONDONTWRITEBYTECODE", "NO_COLOR", "COLUMNS", "LINES")
        kept = {key: value for key, value in os.environ.items() if key not in unwanted}
        return {**kept, "PYTHONPATH": str(self.site), "TERM": "xterm-256color", **more}

    def workload(self, cases: int) -> Path | None:
        """A synthetic project; None where its generator is not."""
        maker = SHARED / "bench" / "make_workload.py"
        folder = self.kept / f"cases-{cases}"
        if not maker.exists():
            return None
        if not folder.exists():
            self.kept.mkdir(parents=True, exist_ok=True)
            subprocess.run(
                [sys.executable, str(maker), str(folder), "--cases", str(cases)], check=True
            )
        return folder

    def wiki(self) -> Path:
        """A copy of the shared wiki project; of the quickstart example where that is not."""
        source = SHARED / "corpus" / "projects" / "wiki-ingest"
        folder = self.scratch / "wiki"
        if not folder.exists():
            shutil.copytree(
                source if source.exists() else PROJECT / "examples" / "quickstart", folder
            )
        return folder

    def command(self, *words: str) -> list[str]:
        """A command line of the product."""
        return [sys.executable, "-m", "eval_tui.cli", *words]

    def score(self, project: Path, *, cold: bool) -> Took:
        """Score a project; `cold` forgets first what is known."""
        if cold:
            shutil.rmtree(project / ".eval-tui", ignore_errors=True)
        return self.run(self.command("score", "--output", os.devnull), project)

    def run(self, words: Sequence[str], folder: Path) -> Took:
        """Run a process to its end, whatever its exit code."""
        began = time.perf_counter()
        process = subprocess.Popen(
            words,
            cwd=folder,
            env=self.environ(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        return Took(wall, usage.ru_utime + usage.ru_stime)


def best(rounds: int, once: Callable[[], Took]) -> Took:
    """The smallest wall and CPU time of several rounds: what others on the machine add is noise."""
    took = [once() for _ in range(rounds)]
    return Took(min(t.wall_s for t in took), min(t.cpu_s for t in took))


def median(values: Sequence[float]) -> float:
    return statistics.median(values)


NO_WORKLOAD = f"the workload generator is not at {SHARED}"
