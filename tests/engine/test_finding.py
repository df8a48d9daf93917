"""What it takes to find and compare cells, with real files, workers and a real store."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from eval_tui.engine.baseline import read_baseline
from eval_tui.engine.grid import CellKey
from eval_tui.engine.lenses import Lenses
from eval_tui.scores import Measured
from tests.support.live import live
from tests.support.small import case_dir, write_case, write_config, write_project

pytestmark = pytest.mark.asyncio

LONG = {
    "name": "long",
    "check": "return bool(outputs['files']), 'x' * 200 + ' and the end'",
}
PLAIN = {"name": "plain", "check": "return 'good' in str(outputs['files']), 'said'"}


async def test_what_cases_are_about_is_read_by_a_worker_and_again_when_it_changes(tmp_path: Path):
    root = write_project(tmp_path / "p", [PLAIN])
    data = root / "data"
    (data / "a" / "annotations.yaml").write_text(
        "tags: [nav]\nwhen: 2026-01-02\nset: !!set {x, y}\n1: one\n"
    )
    (data / "b" / "annotations.yaml").write_text("- no mapping\n")
    (case_dir(root, "a") / "run_result.json").write_text(json.dumps({"cost_usd": 0.25}))
    async with live(root) as project:
        facts = project.driver.finding.facts
        await facts.learn(["a", "b", "nobody"])
        known = facts.known("a")
        assert known is not None
        assert "write a" in known.inputs
        assert known.cost == 0.25
        assert known.annotations is not None
        assert known.annotations["tags"] == ["nav"]
        assert known.annotations["when"] == "2026-01-02"
        assert known.annotations["1"] == "one"
        broken = facts.known("b")
        assert broken is not None
        assert (broken.annotations, broken.cost) == (None, None)
        assert "write b" in broken.inputs
        (data / "a" / "annotations.yaml").write_text("tags: [other]\n")
        project.driver.apply(frozenset({str(data / "a" / "annotations.yaml")}))
        await facts.learn(["a"])
        again = facts.known("a")
        assert again is not None
        assert again.annotations == {"tags": ["other"]}


async def test_the_whole_rationale_can_be_had(tmp_path: Path):
    async with live(write_project(tmp_path / "p", [LONG])) as project:
        score = project.driver.finding.score(CellKey("a", "long"))
        assert isinstance(score, Measured)
        assert score.rationale.endswith("and the end")


async def test_a_baseline_outlives_the_session_and_does_not_follow_the_run(tmp_path: Path):
    root = write_project(tmp_path / "p", [{"name": "page", "check": "return False, 'no'"}])
    async with live(root) as project:
        driver = project.driver
        assert driver.config is not None
        assert await driver.finding.baseline(driver.config, driver.grid.columns) is None
        made = await driver.finding.bless(driver.config, driver.grid, "r1")
        assert (made.left_out, len(made.cells)) == (0, 3)
    write_project(root, [{"name": "page", "check": "return True, 'yes'"}])
    async with live(root) as project:
        driver = project.driver
        assert driver.config is not None
        found = await driver.finding.baseline(driver.config, driver.grid.columns)
        assert found is not None
        assert found.run == "r1"
        was, now = found.cell("a", "page").score, driver.grid.cell("a", "page").score
        assert isinstance(was, Measured)
        assert isinstance(now, Measured)
        assert (was.value, now.value) == (False, True)
        driver.finding.drop(driver.config)
        assert await driver.finding.baseline(driver.config, driver.grid.columns) is None


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"format": 9}', '{"format": 1, "run": "r", "at": "x"}', "{}\n{"]
)
async def test_a_file_that_is_no_baseline_is_none(tmp_path: Path, text: str):
    root = write_project(tmp_path / "p", [PLAIN], cases=["a"])
    async with live(root) as project:
        driver = project.driver
        assert driver.config is not None
        await driver.finding.bless(driver.config, driver.grid, "r1")
        (path,) = (root / ".eval-tui" / "baselines").iterdir()
        path.write_text(text)
        folder = str(root / ".eval-tui")
        assert read_baseline(folder, "eval.yaml", driver.grid.columns) is None


async def test_damaged_scores_of_a_baseline_cost_themselves_alone(tmp_path: Path):
    root = write_project(tmp_path / "p", [PLAIN], cases=["a", "b"])
    async with live(root) as project:
        driver = project.driver
        assert driver.config is not None
        await driver.finding.bless(driver.config, driver.grid, "r1")
        (path,) = (root / ".eval-tui" / "baselines").iterdir()
        head, first, second = path.read_text().splitlines()
        case, judges = json.loads(first)
        judges["plain"] = {"reason": "never heard of"}
        path.write_text("\n".join([head, json.dumps([case, judges]), "17", second]))
        found = read_baseline(str(root / ".eval-tui"), "eval.yaml", driver.grid.columns)
        assert found is not None
        assert found.cell("a", "plain").score is None
        assert found.cell("b", "plain").score is not None


async def test_saved_filters_are_kept_by_eval_and_a_damaged_file_is_as_none(tmp_path: Path):
    Lenses(str(tmp_path)).keep("eval.yaml", "fail", True)
    Lenses(str(tmp_path)).keep("eval.yaml", "tag:nav", True)
    Lenses(str(tmp_path)).keep("eval.yaml", "fail", True)
    lenses = Lenses(str(tmp_path))
    assert lenses.of("eval.yaml") == ("tag:nav", "fail")
    assert lenses.of("other.yaml") == ()
    lenses.keep("eval.yaml", "tag:nav", False)
    assert Lenses(str(tmp_path)).of("eval.yaml") == ("fail",)
    (tmp_path / "lenses.json").write_text('{"eval.yaml": 3, "other.yaml": ["a", 4]}')
    assert Lenses(str(tmp_path)).of("eval.yaml") == ()
    assert Lenses(str(tmp_path)).of("other.yaml") == ("a",)


async def test_what_a_judge_said_in_another_run_is_told_while_it_is_the_same_judge(tmp_path: Path):
    root = write_project(tmp_path / "p", [PLAIN], cases=["a", "b"])
    async with live(root):
        pass
    write_case(root, "a", "r2")
    recorded = {"value": True, "rationale": "as recorded"}
    of_another = {**recorded, "judge_digest": "of another version"}
    summary = {"per_case": {"a": {"plain": of_another}, "b": {"plain": recorded}}}
    async with live(root, run="r2") as project:
        driver = project.driver
        old = next(run for run in driver.runs() if run.id == "r1")
        (judge,) = driver.grid.columns
        told = await driver.finding.column(old, judge)
        assert {case: getattr(score, "value", None) for case, score in told.items()} == {
            "a": False,
            "b": False,
        }
    (case_dir(root, "a").parents[1] / "summary.yaml").write_text(yaml.safe_dump(summary))
    write_config(root, [{**PLAIN, "check": "return True, 'another'"}])
    async with live(root, run="r2") as project:
        driver = project.driver
        (judge,) = driver.grid.columns
        told = await driver.finding.column(old, judge)
        assert {case: getattr(score, "value", None) for case, score in told.items()} == {"b": True}
