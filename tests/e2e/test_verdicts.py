"""Verdicts of real projects: what passes, what is left open, and under which policy."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from eval_tui.results.verdicts import VerdictBoard, make_verdicts, values_of
from tests.support.live import Live, live
from tests.support.small import case_dir, write_case, write_config, write_project

WROTE = {"name": "wrote", "check": "return 'wrote' in outputs['conversation']"}
SHORT = {"name": "short", "check": "return len(outputs['out_content']) < 20"}
TRUTH = {"id": "quality", "authority": "ground_truth"}
SCRIPT = 'grep -q page out/page.md && echo \'{"value": 1, "pass": true}\' && exit\necho \'{"value": 0, "pass": false}\'\n'
BUSINESS: dict[str, Any] = {
    "id": "script",
    "config": {"id": "business", "cmd": "sh check.sh"},
    "metrics": [TRUTH],
}


def score(root: Path, *words: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "eval_tui.cli", "score", "--format", "json", *words]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def table(root: Path, *words: str) -> str:
    command = [sys.executable, "-m", "eval_tui.cli", "score", *words]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False).stdout


def command(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-m", "eval_tui.cli", *words]
    return subprocess.run(argv, cwd=root, capture_output=True, text=True, check=False)


def accept(root: Path) -> None:
    command = [sys.executable, "-m", "eval_tui.cli", "authority", "accept", "quality", "--by", "J"]
    subprocess.run(command, cwd=root, capture_output=True, check=True)


def board(project: Live) -> VerdictBoard:
    book = project.driver.authority.rulebook
    assert book is not None
    return make_verdicts(project.driver.grid, book)


def values(project: Live) -> dict[str, bool | None]:
    return {case: one.verdict.value for case, one in board(project).cases.items()}


def test_a_config_of_judges_alone_is_judged_flat(tmp_path: Path) -> None:
    root = write_project(tmp_path / "p", [WROTE, SHORT], ("a", "b", "c"))
    write_case(root, "b", text="a very long page indeed")
    (case_dir(root, "c") / "events.json").write_text("{")
    found = score(root)
    told = {case: (one["verdict"], one["cause"]) for case, one in found["verdicts"].items()}
    assert told == {"a": (True, None), "b": (False, None), "c": (None, "unmeasured")}
    assert found["verdicts"]["b"]["decided_by"] == ["short"]
    assert found["verdicts"]["c"]["missing"].keys() == {"wrote"}
    assert found["verdict_counts"] == {
        "passed": 1,
        "failed": 1,
        "not_evaluated": 1,
        "evaluated": 2,
        "pass_rate": 0.5,
        "causes": {"unmeasured": 1},
    }
    assert found["policy"]["id"] == "eval-tui-flat"
    assert "verdict" not in table(root)


def test_verdicts_stand_in_the_table_where_somebody_said_what_passing_means(
    tmp_path: Path,
) -> None:
    root = write_project(tmp_path / "p", [WROTE], ("a", "b"), verdict={"mode": "flat"})
    (case_dir(root, "b") / "events.json").write_text("{")
    text = table(root)
    assert "1 passed, 0 failed, 1 not evaluated" in text
    assert "100% of 1 evaluated" in text
    assert "eval-tui-flat@" in text
    rows = {line.split()[0]: line.split()[1] for line in text.splitlines()[1:3]}
    assert rows == {"a": "pass", "b": "?"}


def test_a_case_that_did_not_run_has_no_verdict(tmp_path: Path) -> None:
    root = write_project(tmp_path / "p", [WROTE], ("a",))
    (root / "data" / "late").mkdir()
    found = score(root)
    assert found["verdicts"].keys() == {"a"}
    assert found["verdict_counts"]["not_evaluated"] == 0


async def test_when_the_ground_truth_dies_nothing_turns_green(tmp_path: Path) -> None:
    root = write_project(
        tmp_path / "p", [WROTE], ("a", "b"), files={"check.sh": SCRIPT}, graders=[BUSINESS]
    )
    write_case(root, "b", text="nothing")
    (case_dir(root, "b") / "out" / "page.md").write_text("nothing\n")
    accept(root)
    async with live(root) as project:
        assert values(project) == {"a": True, "b": False}
        (root / "check.sh").write_text("exit 3\n")
        await project.until(lambda: values(project) == {"a": None, "b": None})
        assert {one.verdict.cause for one in board(project).cases.values()} == {
            "unreviewed_authority"
        }
        accept(root)
        await project.until(
            lambda: (
                {one.verdict.cause for one in board(project).cases.values()}
                == {"authority_unmeasured"}
            )
        )


def own(words: str, **metric: str) -> str:
    """A case's annotations with a grader of its own, which prints a score."""
    spec = {"id": "script", "config": {"id": "business", "cmd": f"echo '{words}'"}}
    return json.dumps({"graders": [{**spec, "metrics": [{"id": "quality", **metric}]}]})


GOOD, BAD = '{"value": 1, "pass": true}', '{"value": 0, "pass": false}'


async def test_a_case_may_declare_what_decides_it_but_no_ground_truth(tmp_path: Path) -> None:
    root = write_project(tmp_path / "p", [WROTE], ("a", "b", "c"), verdict={"mode": "ladder"})
    declared = root / "data" / "a" / "annotations.yaml"
    declared.write_text(own(BAD, authority="objective"))
    async with live(root) as project:
        assert values(project) == {"a": False, "b": True, "c": True}
        declared.write_text(own(GOOD, authority="ground_truth"))
        await project.until(lambda: values(project)["a"] is None)
        assert values(project) == {"a": None, "b": True, "c": True}
        assert board(project).cases["a"].verdict.cause == "unreviewed_authority"
        assert any(p.code == "case-ground-truth" for p in project.driver.problems)
        assert project.driver.authority.reviews == ()
        declared.write_text(own(GOOD, authority="objective"))
        (root / "data" / "c" / "annotations.yaml").write_text(own(GOOD, authority="observational"))
        await project.until(lambda: values(project)["c"] is None)
        assert board(project).cases["a"].verdict.cause == "conflicting_authority"


def test_check_tells_what_is_wrong_with_what_cases_declare(tmp_path: Path) -> None:
    root = write_project(tmp_path, [WROTE], ("a",), thresholds={"quality": {"min_mean": 1}})
    path = root / "data" / "a" / "annotations.yaml"
    path.write_text(own(GOOD, authority="ground_truth"))
    done = command(root, "check")
    assert done.returncode == 0 and "judges       2" in done.stdout
    assert "data/a/annotations.yaml:1" in done.stdout and "no judge" not in done.stdout
    path.write_text(json.dumps({"graders": [{"id": "tests-pass"}]}))
    done = command(root, "check")
    assert done.returncode == 2 and "data/a/annotations.yaml:1" in done.stdout


def test_what_graders_of_single_cases_said_is_known_the_next_time(tmp_path: Path) -> None:
    root = write_project(tmp_path, [WROTE], ("a", "b"))
    (root / "data" / "a" / "annotations.yaml").write_text(own(GOOD, authority="objective"))
    first = score(root)
    assert first["ran"] == 4 and first["cells"]["a"]["business"]["value"] == 1
    again = score(root)
    assert (again["ran"], again["reused"]) == (0, 4)
    assert again["cells"] == first["cells"]
    assert json.loads(command(root, "export", "--format", "json").stdout)["cells"] == first["cells"]
    (case_dir(root, "a") / "out" / "page.md").write_text("another page\n")
    assert score(root)["ran"] == 1, "only the command, which may look at any file of its case"


def test_the_gate_of_a_metric_is_told_by_the_metric_s_name(tmp_path: Path) -> None:
    root = write_project(tmp_path, [], ("a",), thresholds={"quality": {"min_mean": 2}})
    path = root / "data" / "a" / "annotations.yaml"
    path.write_text(own(GOOD, authority="objective"))
    done = command(root, "score")
    assert done.returncode == 1
    assert "eval-tui: quality: mean 1 >= 2: fail" in done.stderr
    assert "business  1 mean 1/1  quality: mean 1 >= 2: fail" in done.stdout


async def test_a_case_cannot_forge_the_ground_truth_that_was_accepted(tmp_path: Path) -> None:
    root = write_project(
        tmp_path / "p", [WROTE], ("a", "b"), files={"check.sh": SCRIPT}, graders=[BUSINESS]
    )
    accept(root)
    (root / "data" / "a" / "annotations.yaml").write_text(own(GOOD, authority="ground_truth"))
    async with live(root) as project:
        assert values(project) == {"a": None, "b": True}
        assert board(project).cases["a"].verdict.missing == (("quality", "contract_violation"),)


async def test_accepting_changes_verdicts_and_runs_nothing(tmp_path: Path) -> None:
    root = write_project(
        tmp_path / "p", [WROTE], ("a", "b"), files={"check.sh": SCRIPT}, graders=[BUSINESS]
    )
    async with live(root) as project:
        assert values(project) == {"a": None, "b": None}
        assert any(p.code == "authority-unreviewed" for p in project.driver.problems)
        ran = project.driver.session.ran
        accept(root)
        await project.until(lambda: values(project) == {"a": True, "b": True})
        assert project.driver.session.ran == ran
        assert not any(p.code == "authority-unreviewed" for p in project.driver.problems)


def test_scores_that_were_made_under_another_policy_are_shown_as_such(tmp_path: Path) -> None:
    root = write_project(tmp_path / "p", [WROTE], ("a",))
    first = score(root)
    assert "earlier" not in first["policy"]
    assert "earlier" not in score(root)["policy"]
    write_config(root, [WROTE], verdict={"mode": "ladder"})
    second = score(root)
    assert second["policy"]["digest"] != first["policy"]["digest"]
    assert second["policy"]["earlier"] == first["policy"]
    assert any(problem["code"] == "policy-changed" for problem in second["problems"])
    assert second["ran"] == 0
    assert "earlier" not in score(root)["policy"]


def test_runs_that_repeat_one_configuration_are_folded(tmp_path: Path) -> None:
    trials = {"trials": {"runs": ["r1", "r2", "r3", "gone"]}}
    root = write_project(tmp_path / "p", [SHORT], ("a", "b", "c"), verdict=trials)
    for run in ("r2", "r3"):
        for case in ("a", "b"):
            write_case(root, case, run)
    write_case(root, "b", "r3", text="a very long page indeed")
    found = score(root, "--run", "r1")
    assert found["run"] == "r1"
    cases = found["trials"]["cases"]
    assert cases["a"] == {"passed": 3, "evaluated": 3, "trials": 3, "flaky": False}
    assert cases["b"] == {"passed": 2, "evaluated": 3, "trials": 3, "flaky": True}
    assert cases["c"] == {"passed": 1, "evaluated": 1, "trials": 1, "flaky": False}
    summary = found["trials"]["summary"]
    assert (summary["k"], summary["flaky"], summary["min_trials"]) == (1, 1, 1)
    text = table(root, "--run", "r1")
    assert "pass@1 89%" in text
    assert "b: 2/3" in text


async def test_another_run_is_read_as_it_was_last_scored_and_nothing_is_judged(
    tmp_path: Path,
) -> None:
    root = write_project(tmp_path / "p", [SHORT], ("a", "b"), verdict={"trials": ["r1", "r2"]})
    for case in ("a", "b"):
        write_case(root, case, "r2")
    write_case(root, "b", "r1", text="a very long page indeed")
    async with live(root, run="r1") as project:
        driver = project.driver
        others = [run for run in driver.runs() if run.id == "r2"]
        before = (await driver.finding.stored(others))["r2"]
        assert all(before.cell(case, "short").score is None for case in ("a", "b"))
        ran = driver.session.ran
        await driver.open_run("r2")
        await project.until(lambda: values(project) == {"a": True, "b": True})
        others = [run for run in driver.runs() if run.id == "r1"]
        found = (await driver.finding.stored(others))["r1"]
        book = driver.authority.rulebook
        assert book is not None
        assert values_of(make_verdicts(found, book).cases) == {"a": True, "b": False}
        assert driver.session.ran == 2 * ran
