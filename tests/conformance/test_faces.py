"""What `score` says is what the app shows, cell by cell: both faces on every project that we have."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from eval_tui.config.schema import EvalConfig
from eval_tui.engine.driver import Driver
from eval_tui.engine.project import Options
from eval_tui.engine.supervisor import supervisors
from eval_tui.headless import score_one
from eval_tui.reporting import ScoreOptions
from eval_tui.results.board import make_board
from eval_tui.results.export import cell_document
from eval_tui.results.gates import Gate
from eval_tui.results.report import Report
from eval_tui.results.reward import Composer, Defined, rewards_by
from eval_tui.results.verdicts import Court
from eval_tui.waiting import Interruption
from eval_tui.watch import Watcher
from tests.support.conformance import conformance_cases, materialize, scenarios
from tests.support.live import PATIENCE
from tests.support.shared import shared_dir

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
HIDDEN = ("ANTHROPIC_", "OPENAI_", "EVAL_", "AGENT_EVAL_", "AWS_")
Cells = Mapping[str, Mapping[str, Any]]


@pytest.mark.parametrize("case", conformance_cases())
def test_conformance_cases(case: str, tmp_path: Path) -> None:
    scenario = scenarios(case)[0]
    root = materialize(case, tmp_path / "project") / scenario["cwd"]
    config = os.path.realpath(root / scenario["config"])
    agree(root, config=config, run=scenario["run"], environ=environ(AGENT_EVAL_RUNS_DIR="runs"))


@pytest.mark.parametrize("example", sorted(p.name for p in EXAMPLES.iterdir() if p.is_dir()))
def test_examples(example: str, tmp_path: Path) -> None:
    agree(copied(EXAMPLES / example, tmp_path / example), environ=environ())


def test_a_real_project(tmp_path: Path) -> None:
    project = shared_dir("corpus", "projects", "wiki-ingest")
    agree(copied(project, tmp_path / "wiki"), environ=environ())


def copied(project: Path, to: Path) -> Path:
    shutil.copytree(project, to, ignore=shutil.ignore_patterns(".eval-tui"))
    for path in [to, *to.rglob("*")]:
        path.chmod(path.stat().st_mode | 0o200)
    return to


def environ(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(HIDDEN)}
    return {**kept, **more}


def agree(root: Path, **given: Any) -> None:
    """Score without a screen, then with the engine of the app and an empty store: all is equal."""
    options = Options(root=str(root), **given)
    said = asyncio.run(scored(options))
    shutil.rmtree(root / ".eval-tui", ignore_errors=True)
    shown = asyncio.run(shown_by_app(options))
    if said is None:
        assert shown is None
        return
    assert shown is not None
    document = said.document
    assert differing(shown.cells, document["cells"]) == {}
    assert shown.cells or not said.grid.rows or not said.grid.columns
    assert shown.not_run == document["not_run"]
    assert shown.summaries == {view.judge.name: view.summary for view in said.board.columns}
    assert shown.gates == [gate for view in said.board.columns for gate in view.gates]
    assert shown.verdicts == {case: one["verdict"] for case, one in document["verdicts"].items()}
    rewards = document.get("rewards", {}).get("cases", {})
    assert shown.rewards == {case: one["value"] for case, one in rewards.items()}


def differing(shown: Cells, said: Cells) -> dict[tuple[str, str], Any]:
    """Cells that the two tell differently, or that one of them does not know."""
    keys = {(case, judge) for cells in (shown, said) for case in cells for judge in cells[case]}
    both = {key: [cells.get(key[0], {}).get(key[1]) for cells in (shown, said)] for key in keys}
    return {key: pair for key, pair in both.items() if timeless(pair[0]) != timeless(pair[1])}


def timeless(cell: Any) -> str:
    """The cell as text without what a test runner says about how long it took."""
    return re.sub(r"\bin \d+\.\d+s\b", "in no time", json.dumps(cell, sort_keys=True))


async def scored(options: Options) -> Report | None:
    """What `score` reports; None where it finds nothing that it could score."""
    reports: list[Report] = []

    def take(report: Report) -> bool:
        reports.append(replace(report, build=lambda: document))
        document = report.document  # before the driver is closed
        return True

    factory = supervisors(None, options.root)
    await score_one(options, factory, ScoreOptions(hooks=False), Interruption(), take)
    return reports[0] if reports else None


class Shown(NamedTuple):
    """What the screens make of the grid."""

    cells: Cells
    not_run: list[str]
    summaries: Mapping[str, str]
    """What stands below the name of a column."""
    gates: list[Gate]
    verdicts: Mapping[str, bool | None]
    rewards: Mapping[str, float | None]


async def shown_by_app(options: Options) -> Shown | None:
    """The grid and what stands around it, once all is judged."""
    factory = supervisors(None, options.root)
    driver = Driver(options, factory, lambda told: Watcher(told, sweep_s=600))
    try:
        await driver.start()
        await asyncio.wait_for(driver.idle(), PATIENCE)
        if driver.config is None or driver.session.target.spec is None:
            return None
        driver.session.display.catch_up()
        cells: dict[str, dict[str, Any]] = {}
        for row in driver.grid.rows:
            if row.status == "not_run":
                continue
            for judge in driver.grid.columns:
                cell = driver.grid.cell(row.case, judge.name)
                whole = driver.full_score(row.case, judge.name)
                shown = replace(cell, score=whole) if whole is not None else cell
                cells.setdefault(row.case, {})[judge.name] = cell_document(shown)
        return as_shown(driver, driver.config, cells)
    finally:
        await driver.close()


def as_shown(driver: Driver, config: EvalConfig, cells: Cells) -> Shown:
    """By the functions that the screens ask, case by case."""
    grid, book = driver.grid, driver.authority.rulebook
    ran = [row.case for row in grid.rows if row.status != "not_run"]
    board = make_board(grid, config)
    court = Court(book) if book is not None else None
    made = rewards_by(Composer(config.reward, grid), grid).cases if config.reward else {}
    return Shown(
        cells,
        [row.case for row in grid.rows if row.status == "not_run"],
        {view.judge.name: view.summary for view in board.columns},
        [gate for view in board.columns for gate in view.gates],
        {case: court.verdict(grid, case).verdict.value for case in ran} if court else {},
        {case: one.value if isinstance(one, Defined) else None for case, one in made.items()},
    )
