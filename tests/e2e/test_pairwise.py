"""Comparing a run with a baseline, through the whole engine and the real SDK."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from eval_tui.engine.grid import CellState
from eval_tui.scores import Measured, Reason, Unmeasured
from tests.support.fake_anthropic import FakeAnthropic
from tests.support.live import Live, live
from tests.support.small import case_dir, write_project

MODEL = "claude-opus-4-5"
CHECK = {"name": "ok", "check": "return True"}
RANKS = {"a": (3, 1), "b": (2, 2), "c": (1, 3)}
"""Case -> how good the run and the baseline are."""
WINNERS = {"a": 1, "b": 0, "c": -1}


@pytest.fixture
def server() -> Iterator[FakeAnthropic]:
    with FakeAnthropic() as fake:
        yield fake


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return project(tmp_path / "p")


def project(root: Path, judges: list[dict[str, Any]] | None = None, **more: Any) -> Path:
    """A project with the runs `new` and `old`."""
    more = {"models": {"judge": MODEL}, **more}
    write_project(root, [CHECK, *(judges or [])], run="new", **more)
    for case, (run, baseline) in RANKS.items():
        page(root, case, "new", f"RANK: {run} of the run")
        page(root, case, "old", f"RANK: {baseline} of the baseline")
        (root / "data" / case / "input.yaml").write_text('prompt: "PREFER: rank"\n')
    return root


def page(root: Path, case: str, run: str, text: str) -> None:
    """Write what a run made of a case."""
    folder = case_dir(root, case, run) / "out"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "page.md").write_text(f"{text}\n")


def environ(server: FakeAnthropic) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("ANTHROPIC_", "EVAL_"))}
    return {**kept, "ANTHROPIC_API_KEY": "test-key", "ANTHROPIC_BASE_URL": server.base_url}


def comparing(server: FakeAnthropic, auto: str = "paid", **more: Any) -> dict[str, Any]:
    """Options of a driver that compares `new` with `old`."""
    given = {"run": "new", "baseline": "old", "pairwise": True, "auto": auto, "budget": 100.0}
    return {**given, "environ": environ(server), **more}


def winners(project: Live) -> dict[str, object]:
    return {row.case: project.value(row.case, "pairwise") for row in project.driver.grid.rows}


async def test_both_orders_of_each_case_are_asked_once_and_never_again(
    root: Path, server: FakeAnthropic
) -> None:
    for opened in range(2):
        async with live(root, **comparing(server)) as project:
            assert winners(project) == WINNERS
            assert len(server.requests) == 6, f"opened {opened + 1} times"
            score = project.driver.detail("a", "pairwise").score
            assert isinstance(score, Measured)
            assert score.label == "run"
            assert "Shown with the run as A, the run is preferred." in score.rationale
            assert "Shown with the baseline as A, the run is preferred." in score.rationale


async def test_without_the_option_there_is_no_column_and_no_call(
    root: Path, server: FakeAnthropic
) -> None:
    async with live(root, **comparing(server, pairwise=False)) as project:
        assert [judge.name for judge in project.driver.grid.columns] == ["ok"]
        assert not server.requests


async def test_it_waits_for_money_like_any_model_judge(root: Path, server: FakeAnthropic) -> None:
    async with live(root, **comparing(server, "free")) as project:
        cell = project.driver.grid.cell("a", "pairwise")
        assert (cell.state, cell.waiting) == (CellState.WAITING, "money")
        waiting = project.driver.select("waiting")
        assert project.driver.estimate(waiting).calls == 6
        assert not server.requests
        project.driver.rerun(waiting)
        await project.until(lambda: winners(project) == WINNERS)
        assert len(server.requests) == 6


async def test_an_edit_of_either_run_asks_about_its_case_alone_and_reverting_costs_nothing(
    root: Path, server: FakeAnthropic
) -> None:
    async with live(root, **comparing(server)) as project:
        page(root, "c", "old", "RANK: 0 of the baseline")
        await project.until(lambda: winners(project) == {**WINNERS, "c": 1})
        assert len(server.requests) == 8
        page(root, "a", "new", "RANK: 0 of the run")
        await project.until(lambda: winners(project) == {"a": -1, "b": 0, "c": 1})
        assert len(server.requests) == 10
        page(root, "c", "old", "RANK: 3 of the baseline")
        page(root, "a", "new", "RANK: 3 of the run")
        await project.until(lambda: winners(project) == WINNERS)
        assert len(server.requests) == 10


async def test_a_baseline_that_changed_meanwhile_is_noticed(
    root: Path, server: FakeAnthropic
) -> None:
    async with live(root, **comparing(server)):
        pass
    page(root, "c", "old", "RANK: 0 of the baseline")
    (case_dir(root, "b", "old") / "out" / "more.md").write_text("a second file")
    async with live(root, **comparing(server)) as project:
        assert winners(project) == {**WINNERS, "c": 1}
        assert len(server.requests) == 10


async def test_another_baseline_is_another_comparison(root: Path, server: FakeAnthropic) -> None:
    for case in RANKS:
        page(root, case, "older", "RANK: 0 of an older run")
    async with live(root, **comparing(server, baseline="older")) as project:
        assert winners(project) == {"a": 1, "b": 1, "c": 1}
    async with live(root, **comparing(server)) as project:
        assert winners(project) == WINNERS
    async with live(root, **comparing(server, baseline="older")) as project:
        assert winners(project) == {"a": 1, "b": 1, "c": 1}
    assert len(server.requests) == 12


async def test_equal_outputs_are_one_question_and_a_tie(root: Path, server: FakeAnthropic) -> None:
    for run in ("new", "old"):
        page(root, "a", run, "PREFER: A whatever is there")
    async with live(root, **comparing(server, cases=frozenset("a"))) as project:
        assert project.value("a", "pairwise") == 0
        assert len(server.requests) == 1


async def test_a_lost_order_costs_its_case_alone_and_trying_again_asks_for_it_alone(
    root: Path, server: FakeAnthropic
) -> None:
    page(root, "a", "old", "RANK: 1 STATUS-AS-A: 400")
    async with live(root, **comparing(server)) as project:
        lost = project.driver.detail("a", "pairwise").score
        assert isinstance(lost, Unmeasured)
        assert lost.reason is Reason.GRADER_ERROR
        assert winners(project) == {**WINNERS, "a": None}
        assert len(server.requests) == 6
        project.driver.rerun(project.driver.select("cell", "a", "pairwise"))
        await project.driver.idle()
        assert len(server.requests) == 7


async def test_an_answer_that_was_cut_off_is_asked_for_once_more_with_more_room(
    root: Path, server: FakeAnthropic
) -> None:
    page(root, "a", "new", "STOP: max_tokens RESPOND: garbage")
    for _ in range(2):
        async with live(root, **comparing(server, cases=frozenset("a"))) as project:
            lost = project.driver.detail("a", "pairwise").score
            assert isinstance(lost, Unmeasured)
            assert "cut off" in lost.detail
            limits = sorted(entry["max_tokens"] for entry in server.requests)
            assert limits == [8_192, 8_192, 16_384, 16_384]


async def test_samples_repeat_the_comparison_and_keep_each_verdict(
    root: Path, server: FakeAnthropic
) -> None:
    page(root, "a", "new", "PREFERS: A,tie")
    page(root, "a", "old", "PREFERS: B,tie")
    options = comparing(server, cases=frozenset("a"), samples=2)
    async with live(root, **options, concurrency=1) as project:
        score = project.driver.detail("a", "pairwise").score
        assert isinstance(score, Measured)
        assert [sample.value for sample in score.samples] == [0, 0]
        assert len(server.requests) == 4


async def test_the_entry_called_pairwise_has_its_prompt_and_model(
    tmp_path: Path, server: FakeAnthropic
) -> None:
    judge = {"name": "pairwise", "prompt": "{{ output_a }} | {{ output_b }} PREFER: first"}
    root = project(tmp_path / "p", [{**judge, "model": "claude-haiku-4-5"}])
    async with live(root, **comparing(server)) as opened:
        assert winners(opened) == {"a": 0, "b": 0, "c": 0}
        assert {entry["model"] for entry in server.requests} == {"claude-haiku-4-5"}


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"name": "pairwise", "check": "return True"}, "cannot be a check judge"),
        ({"name": "pairwise", "prompt": "{{ output_a "}, "the template cannot be used"),
        (None, "none is named"),
    ],
)
async def test_a_comparison_that_cannot_be_made_says_so_in_its_own_column(
    tmp_path: Path, server: FakeAnthropic, entry: dict[str, Any] | None, words: str
) -> None:
    models = {"judge": MODEL} if entry else {}
    root = project(tmp_path / "p", [entry] if entry else [], models=models)
    async with live(root, **comparing(server)) as opened:
        score = opened.driver.grid.cell("a", "pairwise").score
        assert isinstance(score, Unmeasured)
        assert score.reason is Reason.UNSUPPORTED
        assert words in score.detail
        assert opened.value("a", "ok") is True
        assert not server.requests


async def test_a_dry_run_shows_both_orders_and_what_is_new_in_them(
    root: Path, server: FakeAnthropic
) -> None:
    async with live(root, **comparing(server)) as project:
        told = await project.driver.dry_run("a", "pairwise")
        assert [word in told.text for word in ("of the run", "of the baseline")] == [True, True]
        assert told.text.count("--- message ---") == 2
        assert (told.whole.calls, told.estimate.calls, told.before) == (2, 0, "same")
        project.driver.pause(True)
        page(root, "a", "old", "RANK: 2 of the baseline")
        told = await project.driver.dry_run("a", "pairwise")
        assert (told.estimate.calls, told.before) == (2, "other")
        assert told.diff is not None
        assert "+RANK: 2 of the baseline" in told.diff


async def test_a_run_is_not_compared_with_itself(root: Path, server: FakeAnthropic) -> None:
    async with live(root, **comparing(server)) as project:
        await project.driver.open_run("old")
        await project.driver.idle()
        assert [judge.name for judge in project.driver.grid.columns] == ["ok"]
        await project.driver.open_run("new")
        await project.driver.idle()
        assert winners(project) == WINNERS
        assert len(server.requests) == 6


def score(root: Path, server: FakeAnthropic, *args: str) -> subprocess.CompletedProcess[str]:
    """`eval-tui score --run new` with further options."""
    command = [sys.executable, "-m", "eval_tui.cli", "score", str(root), "--run", "new", *args]
    env = environ(server)
    return subprocess.run(command, capture_output=True, text=True, env=env, check=False)


def test_score_gates_by_the_win_rate(tmp_path: Path, server: FakeAnthropic) -> None:
    root = project(tmp_path / "p", thresholds={"pairwise": {"min_win_rate": 0.5}})
    paid = ("--baseline", "old", "--pairwise", "--auto", "paid")
    done = score(root, server, *paid, "--format", "json")
    document = json.loads(done.stdout)
    assert done.returncode == 1
    (gate,) = document["thresholds"]
    assert (gate["metric"], gate["state"]) == ("min_win_rate", "fail")
    assert document["pairwise"]["win_rate"] == pytest.approx(1 / 3)
    assert document["calls"] == 6
    table = score(root, server, *paid)
    assert "new against old: 33% won 1/3 · 1 lost, 1 tied" in table.stdout
    assert len(server.requests) == 6


def test_a_gate_about_a_comparison_that_was_not_asked_for_is_told(
    tmp_path: Path, server: FakeAnthropic
) -> None:
    root = project(tmp_path / "p", thresholds={"pairwise": {"min_win_rate": 0.5}})
    done = score(root, server, "--baseline", "old", "--auto", "paid")
    assert (done.returncode, server.requests) == (0, [])
    assert "no comparison was asked for" in done.stderr


def test_explain_tells_the_reasons_of_both_orders(root: Path, server: FakeAnthropic) -> None:
    args = ["--run", "new", "--baseline", "old", "--pairwise", "--auto", "paid"]
    command = [sys.executable, "-m", "eval_tui.cli", "explain", "a", "pairwise", str(root), *args]
    env = environ(server)
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 0
    assert "Shown with the baseline as A, the run is preferred." in done.stdout


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--pairwise"], "--baseline RUN"),
        (["--pairwise", "--baseline", "nope"], "no run called 'nope'; there are: "),
        (["--pairwise", "--baseline", "new"], "run new is the baseline itself"),
        (["--baseline", "nope"], "no run called 'nope'; there are: "),
    ],
)
def test_what_cannot_be_compared_ends_the_command(
    root: Path, server: FakeAnthropic, args: list[str], words: str
) -> None:
    done = score(root, server, *args)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr


def test_trials_are_scored_once_however_strictly_and_compared_with_nothing(
    tmp_path: Path, server: FakeAnthropic
) -> None:
    tone = {"name": "tone", "prompt": "How is {{ outputs.files }}?", "feedback_type": "bool"}
    trials = {"trials": {"runs": ["new", "old"]}}
    root = project(tmp_path / "p", [tone], verdict=trials)
    score(root, server, "--auto", "paid")  # known cells are forced in another way
    before = len(server.requests)
    words = ("--baseline", "old", "--pairwise", "--auto", "paid", "--force", "--format", "json")
    done = score(root, server, *words)
    found = json.loads(done.stdout)
    assert found["trials"]["cases"]["a"]["trials"] == 2
    asked = server.requests[before:]
    assert len(asked) == 2 * 3 + 2 * 3, "both runs of each case, and both orders of each pair"
    assert found["calls"] == len(asked)
    assert found["ran"] == 2 * (3 + 3) + 3
