"""From a change on disk to the picture, and what a large project costs that did not change."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.bench.ground import NO_WORKLOAD, Figure, Ground, median
from tests.bench.screen import Screen

_CONFIG = """\
name: write
dataset: {path: dataset}
outputs: [{path: out}]
judges:
- name: number
  check: 'return float(outputs["out_content"])'
"""


def write_to_paint(ground: Ground) -> Iterator[Figure]:
    """One artifact of a small project; its judge takes microseconds."""
    project = _small(ground.scratch / "write")
    page = project / "eval/runs/write/r1/cases/case-2/out/page.md"
    screen = Screen(ground.command(str(project)), project, ground.environ())
    try:
        screen.wait(b"case-2", b"50")
        screen.quiet(1.0)
        times = _times(screen, 101, ground.rounds * 3, lambda n: _rewrite(page, f"{n}\n"))
    finally:
        screen.close()
    yield Figure(
        "from the end of write() to the new value painted, median", median(times), "s", 0.15
    )
    yield Figure("  best", min(times), "s")


def heavy_import(ground: Ground) -> Iterator[Figure]:
    """A save of a judge that imports a package that takes 0.3 s, against one that imports nothing."""
    (ground.site / "slow_package.py").write_text("import time\ntime.sleep(0.3)\n")
    light = _edits(ground, "light", "")
    heavy = _edits(ground, "heavy", "import slow_package\n")
    yield Figure("a judge with an import of 0.3 s saved: to the new value painted", heavy, "s")
    yield Figure("  reference: the same without the import", light, "s")
    yield Figure("  what the import adds", heavy - light, "s", 0.1)


def _edits(ground: Ground, name: str, imports: str) -> float:
    """Seconds from the save of a judge's module to its new value: the median."""
    project = _small(ground.scratch / name)
    judge = project / "judge.py"
    text = imports + "def number(outputs):\n    return {}\n"
    judge.write_text(text.format(50))
    config = _CONFIG.partition("  check")[0] + "  module: judge\n  function: number\n"
    (project / "eval.yaml").write_text(config)
    screen = Screen(ground.command(str(project)), project, ground.environ())
    try:
        screen.wait(b"case-2", b"50")
        screen.quiet(2.0)
        return median(_times(screen, 101, ground.rounds, lambda n: _rewrite(judge, text.format(n))))
    finally:
        screen.close()


def nothing_changed(ground: Ground) -> Iterator[Figure]:
    """A large project that is known, then one file of it changed."""
    project = ground.workload(ground.large)
    if project is None:
        yield Figure("a large project that did not change", None, "", note=NO_WORKLOAD)
        return
    ground.score(project, cold=False)
    named = f"{ground.large:,} x 12, nothing changed:"
    paint, grid = _open(ground, project)
    yield Figure(f"{named} from first paint to the grid", grid - paint, "s", 0.3)
    yield Figure(f"{named} to the first paint", paint, "s")
    yield Figure(f"{named} from the start of the engine to verified", _verified(project), "s", 1.5)
    screen = Screen(ground.command(str(project)), project, ground.environ())
    events = sorted((project / "eval/runs/bench/run-001/cases").iterdir())[0] / "events.json"
    before = events.read_bytes()
    try:
        screen.wait(b"case-000000")
        screen.quiet(3.0)
        times = _times(screen, 101, ground.rounds, lambda n: _rewrite(events, _calls(n)))
    finally:
        screen.close()
        events.write_bytes(before)
    yield Figure(
        "  one file changed there: to the new value painted, median", median(times), "s", 0.2
    )
    yield Figure("  best", min(times), "s")


def memory(ground: Ground) -> Iterator[Figure]:
    """Resident memory of the app with a large project open."""
    project = ground.workload(ground.large)
    if project is None:
        yield Figure("memory with a large project", None, "", note=NO_WORKLOAD)
        return
    small = _memory(ground, _small(ground.scratch / "write"), b"case-2")
    large = _memory(ground, project, b"case-000000")
    cells = ground.large * 12
    yield Figure(f"memory of the app at {ground.large:,} x 12", large, "MB")
    yield Figure("  reference: the app on 5 cells", small, "MB")
    yield Figure("  for each cell", (large - small) * 1024 / cells, "KB")


def _memory(ground: Ground, project: Path, part: bytes) -> float:
    screen = Screen(ground.command(str(project)), project, ground.environ())
    try:
        screen.wait(part)
        screen.quiet(3.0)
        return screen.memory_mb()
    finally:
        screen.close()


def _open(ground: Ground, project: Path) -> tuple[float, float]:
    """Seconds to the first paint and to the first case row with a value: medians."""
    paints: list[float] = []
    grids: list[float] = []
    for _ in range(3):
        screen = Screen(ground.command(str(project)), project, ground.environ())
        try:
            paints.append(screen.wait(b"eval-tui"))
            grids.append(screen.wait(b"case-000000", "✓".encode()))
        finally:
            screen.close()
    return median(paints), median(grids)


def _verified(project: Path) -> float:
    """From the start of the engine until everything is known to hold, without a screen."""
    from eval_tui.engine import supervisor
    from eval_tui.engine.driver import Driver
    from eval_tui.engine.project import Options

    async def once() -> float:
        root = str(project)
        first = supervisor.start_supervisor(None, root)
        driver = Driver(Options(root=root), supervisor.supervisors(None, root, first))
        try:
            began = time.perf_counter()
            await driver.start()
            await driver.idle()
            assert not driver.session.ran, "something ran although nothing changed"
            return time.perf_counter() - began
        finally:
            await driver.close()

    return median([asyncio.run(once()) for _ in range(3)])


def _times(screen: Screen, first: int, count: int, write: Callable[[int], None]) -> list[float]:
    """Seconds from each write to the painted number that it writes."""
    times: list[float] = []
    for number in range(first, first + count):
        screen.quiet(0.5)
        screen.forget()
        write(number)
        wrote = time.perf_counter() - screen.began
        times.append(screen.wait(str(number).encode()) - wrote)
    return times


def _rewrite(path: Path, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _calls(count: int) -> str:
    """A trace with so many tool calls."""
    call = {"name": "Read", "id": "t", "input": {"file_path": "docs/a.md"}}
    return json.dumps([{"type": "assistant", "text": "x", "tools": [call]}] * count)


def _small(folder: Path) -> Path:
    """A project of five cases and one judge."""
    (folder / "eval").mkdir(parents=True, exist_ok=True)
    (folder / "eval.yaml").write_text(_CONFIG)
    for number in range(5):
        case = f"case-{number}"
        (folder / "dataset" / case).mkdir(parents=True, exist_ok=True)
        (folder / "dataset" / case / "input.yaml").write_text("prompt: write a number\n")
        out = folder / "eval/runs/write/r1/cases" / case / "out"
        out.mkdir(parents=True, exist_ok=True)
        (out / "page.md").write_text(f"{50 + number}\n")
    (folder / "eval/runs/write/r1/run_result.json").write_text('{"exit_code": 0}')
    os.sync()
    return folder
