"""A real project with a real run: its values, and what an edit of each kind runs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import yaml

from eval_tui.engine.grid import CellState
from eval_tui.results.board import make_board
from tests.support.live import Live, live
from tests.support.shared import shared_dir

RUN = "eval/runs/2026-07-09-sonnet-v1"
CONVERSATION_READERS = 3
PYTHON_JUDGES = (
    "budget_check",
    "wiki_page_structure",
    "cross_linking_quality",
    "duplicate_handling",
    "no_prose_walls",
)


@pytest.fixture
def wiki(tmp_path: Path) -> Path:
    root = tmp_path / "wiki"
    shutil.copytree(shared_dir("corpus", "projects", "wiki-ingest"), root)
    for path in [root, *root.rglob("*")]:
        path.chmod(path.stat().st_mode | 0o200)
    return root


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


def column(project: Live, judge: str) -> list[object]:
    return [project.value(row.case, judge) for row in project.driver.grid.rows]


async def test_every_python_value_equals_the_recorded_one(wiki: Path) -> None:
    summary = yaml.safe_load((wiki / RUN / "summary.yaml").read_text("utf-8"))["per_case"]
    async with live(wiki) as project:
        rows = project.driver.grid.rows
        assert [row.status for row in rows].count("ran") == 5
        assert [row.status for row in rows].count("not_run") == 2
        assert len(project.driver.grid.columns) == 6
        for case, judges in summary.items():
            for judge in PYTHON_JUDGES:
                cell = project.driver.grid.cell(case, judge)
                assert (cell.state, cell.recorded) == (CellState.FRESH, False)
                assert project.value(case, judge) == judges[judge]["value"], (case, judge)
            quality = project.driver.grid.cell(case, "overall_quality")
            assert quality.recorded
            assert project.value(case, "overall_quality") == judges["overall_quality"]["value"]
        board = make_board(project.driver.grid, project.driver.config)
        view = board.column("overall_quality")
        assert view is not None
        assert (view.aggregate.mean, view.aggregate.measured) == (pytest.approx(4.2), 5)


async def test_budget_is_judged_on_each_cases_own_cost(wiki: Path) -> None:
    edit(wiki / "eval.yaml", "max_cost_usd: 2.0", "max_cost_usd: 0.3")
    costs = json.loads((wiki / RUN / "run_result.json").read_text())["per_case"]
    async with live(wiki) as project:
        for case, metrics in costs.items():
            assert project.value(case, "budget_check") == (metrics["cost_usd"] <= 0.3)


async def test_new_timestamps_run_nothing_that_reads_the_conversation(wiki: Path) -> None:
    path = wiki / RUN / "cases" / "ingest-raw-text" / "events.json"
    async with live(wiki) as project:
        before = project.ran
        events = json.loads(path.read_text("utf-8"))
        for event in events:
            event["timestamp"] = "2027-01-01T00:00:00Z"
        path.write_text(json.dumps(events))
        await project.next_change()
        assert project.ran == before


async def test_one_more_sentence_runs_its_readers(wiki: Path) -> None:
    path = wiki / RUN / "cases" / "context-retrieval" / "events.json"
    async with live(wiki) as project:
        before = project.ran
        events = json.loads(path.read_text("utf-8"))
        events.append({"type": "assistant", "text": "One more sentence.", "tools": []})
        path.write_text(json.dumps(events))
        await project.next_change()
        assert project.ran - before == CONVERSATION_READERS
        assert project.driver.status.trigger.endswith("context-retrieval/events.json")


async def test_editing_one_check_runs_one_column_and_reverting_runs_nothing(wiki: Path) -> None:
    async with live(wiki) as project:
        before, column_before = project.ran, column(project, "no_prose_walls")
        edit(wiki / "eval.yaml", 'return (True, "Content is concise', 'return (False, "Content is')
        await project.next_change()
        assert project.ran - before == 5
        assert column(project, "no_prose_walls") != column_before
        edit(wiki / "eval.yaml", 'return (False, "Content is', 'return (True, "Content is concise')
        await project.next_change()
        assert project.ran - before == 5
        assert column(project, "no_prose_walls") == column_before


async def test_descriptions_and_thresholds_run_nothing(wiki: Path) -> None:
    async with live(wiki) as project:
        before = project.ran
        edit(wiki / "eval.yaml", "Wiki pages should be nodes", "Pages ought to be nodes")
        await project.next_change()
        edit(wiki / "eval.yaml", "min_mean: 3.5", "min_mean: 4.5")
        await project.next_change()
        assert project.ran == before
        view = make_board(project.driver.grid, project.driver.config).column("overall_quality")
        assert view is not None
        assert [gate.state for gate in view.gates] == ["fail"]


async def test_broken_yaml_keeps_the_grid_and_names_the_place(wiki: Path) -> None:
    text = (wiki / "eval.yaml").read_text("utf-8")
    async with live(wiki) as project:
        before, columns = project.ran, project.driver.grid.columns
        (wiki / "eval.yaml").write_text(text.replace("judges:\n", "judges: [\n", 1), "utf-8")
        await project.next_change()
        assert project.driver.grid.columns == columns
        assert "eval.yaml:" in project.driver.status.banner
        assert any(p.severity == "error" and p.line for p in project.driver.problems)
        (wiki / "eval.yaml").write_text(text, "utf-8")
        await project.next_change()
        assert project.driver.status.banner == ""
        assert project.ran == before


async def test_a_rewritten_prompt_makes_its_recorded_verdicts_stale(wiki: Path) -> None:
    async with live(wiki) as project:
        edit(wiki / "eval.yaml", "Evaluate on a 1-5 scale:", "Evaluate from 1 to 5:")
        await project.next_change()
        cell = project.driver.grid.cell("context-retrieval", "overall_quality")
        assert (cell.state, cell.waiting, cell.recorded) == (CellState.WAITING, "secret", True)
        edit(wiki / "eval.yaml", "Evaluate from 1 to 5:", "Evaluate on a 1-5 scale:")
        await project.next_change()
        cell = project.driver.grid.cell("context-retrieval", "overall_quality")
        assert cell.state is CellState.FRESH


async def test_a_reopened_project_runs_nothing(wiki: Path) -> None:
    async with live(wiki) as project:
        assert project.ran == 25
    async with live(wiki) as project:
        assert project.ran == 0
        assert project.value("context-retrieval", "budget_check") is True
