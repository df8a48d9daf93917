"""`summary.yaml` written by one project and read by another that has no store."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from eval_tui.engine.details import OTHER_VERSION
from eval_tui.engine.grid import CellState
from eval_tui.engine.own_files import OwnFiles
from eval_tui.results.summary_file import scoring_of, write_summary
from eval_tui.scores import Reason
from tests.support.fake_anthropic import FakeAnthropic
from tests.support.live import Live, live
from tests.support.models import asking, judge, unmeasured
from tests.support.small import run_dir, write_config, write_project

RUBRIC = judge("rubric", "SCORE: 4", score_range=[1, 5])
TITLED = {"name": "titled", "check": "return len(outputs['files']) == 1, 'as counted'"}


@pytest.fixture
def server() -> Iterator[FakeAnthropic]:
    with FakeAnthropic() as fake:
        yield fake


def hand_on(project: Live) -> None:
    """Write what is shown."""
    driver = project.driver
    run, root = driver.status.run_id, driver.options.root
    write_summary(driver.run_dir, scoring_of(driver.grid, driver.full_score, run, root))


@pytest.mark.asyncio
async def test_a_verdict_that_was_paid_for_is_handed_on(
    tmp_path: Path, server: FakeAnthropic
) -> None:
    root = write_project(tmp_path / "p", [RUBRIC, TITLED])
    async with live(root, **asking(server)) as project:
        shown = {key: project.driver.full_score(*key) for key in project.driver.select("all")}
        hand_on(project)
    shutil.rmtree(root / ".eval-tui")
    async with live(root, **asking(server)) as project:
        assert {key: project.driver.full_score(*key) for key in shown} == shown
        assert project.driver.grid.cell("a", "rubric").recorded
        assert len(server.requests) == 3


@pytest.mark.asyncio
async def test_what_had_no_key_is_asked_where_there_is_one(
    tmp_path: Path, server: FakeAnthropic
) -> None:
    root = write_project(tmp_path / "p", [RUBRIC])
    options = asking(server)
    without = {k: v for k, v in options["environ"].items() if k != "ANTHROPIC_API_KEY"}
    async with live(root, **{**options, "environ": without}) as project:
        assert unmeasured(project, "a", "rubric").reason is Reason.MISSING_SECRET
        hand_on(project)
    shutil.rmtree(root / ".eval-tui")
    async with live(root, **options) as project:
        assert [project.value(case, "rubric") for case in "abc"] == [4, 4, 4]


@pytest.mark.asyncio
async def test_an_old_verdict_without_a_key_says_that_it_waits_for_one(
    tmp_path: Path, server: FakeAnthropic
) -> None:
    root = write_project(tmp_path / "p", [RUBRIC], ["a"])
    options = asking(server)
    without = {k: v for k, v in options["environ"].items() if k != "ANTHROPIC_API_KEY"}
    async with live(root, **options) as project:
        hand_on(project)
    shutil.rmtree(root / ".eval-tui")
    async with live(root, **{**options, "environ": without}) as project:
        assert project.driver.grid.cell("a", "rubric").recorded
        write_config(root, [{**RUBRIC, "prompt": "SCORE: 5 {{ outputs.out_content }}"}])
        await project.until(
            lambda: project.driver.grid.cell("a", "rubric").state is CellState.WAITING
        )
        assert (project.driver.grid.cell("a", "rubric").waiting, project.value("a", "rubric")) == (
            "secret",
            4,
        )
        project.driver.rerun(project.driver.select("all"))
        await project.driver.idle()
        assert (project.driver.grid.cell("a", "rubric").waiting, project.value("a", "rubric")) == (
            "secret",
            4,
        )
    async with live(root, **options) as project:
        assert project.value("a", "rubric") == 5


def test_score_says_where_it_wrote_and_fails_where_it_cannot(tmp_path: Path) -> None:
    root = write_project(tmp_path / "p", [TITLED], reward={"judge": "titled"})
    command = [sys.executable, "-m", "eval_tui.cli", "score", ".", "--write-summary"]

    def score() -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)

    done = score()
    assert done.returncode == 0
    assert f"wrote {os.path.join('eval', 'runs', 'small', 'r1', 'summary.yaml')}" in done.stderr
    assert done.stdout.split("\n")[0].split() == ["case", "reward", "titled"]
    assert "reward: 1 3/3" in done.stdout
    path = run_dir(root) / "summary.yaml"
    assert OwnFiles(str(root / ".eval-tui")).as_left(str(path)), (
        "the app does not ask because of it"
    )
    path.write_text("per_case: [\n")
    done = score()
    assert done.returncode == 2
    assert "summary.yaml:2: " in done.stderr and "repair it or move it away" in done.stderr
    assert path.read_text() == "per_case: [\n"
    assert not OwnFiles(str(root / ".eval-tui")).as_left(str(path))


@pytest.mark.asyncio
async def test_what_another_version_of_the_judge_said_is_shown_as_that(
    tmp_path: Path, server: FakeAnthropic
) -> None:
    root = write_project(tmp_path / "p", [RUBRIC, TITLED])
    async with live(root, **asking(server)) as project:
        hand_on(project)
    shutil.rmtree(root / ".eval-tui")
    write_config(root, [judge("rubric", "Be strict. SCORE: 2", score_range=[1, 5]), TITLED])
    async with live(root, **asking(server, "free")) as project:
        cell = project.driver.grid.cell("a", "rubric")
        assert (project.value("a", "rubric"), cell.recorded) == (4, True)
        assert (cell.state, cell.waiting) == (CellState.WAITING, "money")
        assert project.driver.detail("a", "rubric").notes == (OTHER_VERSION,)
    async with live(root, **asking(server, "free"), look_only=True) as project:
        cell = project.driver.grid.cell("a", "rubric")
        assert (project.value("a", "rubric"), cell.state) == (4, CellState.STALE)
    async with live(root, **asking(server)) as project:
        assert (project.value("a", "rubric"), len(server.requests)) == (2, 6)
    shutil.rmtree(root / ".eval-tui")
    write_config(root, [RUBRIC, TITLED])
    async with live(root, **asking(server, "free")) as project:
        assert (project.value("a", "rubric"), project.driver.grid.cell("a", "rubric").state) == (
            4,
            CellState.FRESH,
        )
