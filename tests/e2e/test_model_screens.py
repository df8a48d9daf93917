"""What the screens tell of model judges, from the whole engine and a server on this machine."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from eval_tui.engine.grid import CellState
from eval_tui.scores import Measured
from tests.e2e.test_model_calls import MODEL, RUBRIC, asking
from tests.support.fake_anthropic import FakeAnthropic
from tests.support.live import live
from tests.support.small import case_dir, write_config, write_project


@pytest.fixture
def server() -> Iterator[FakeAnthropic]:
    with FakeAnthropic() as fake:
        yield fake


async def test_a_request_is_shown_and_compared_and_never_sent(
    tmp_path: Path, server: FakeAnthropic
) -> None:
    root = write_project(tmp_path / "p", [RUBRIC], ["a"])
    async with live(root, **asking(server, "free")) as project:
        dry = await project.driver.dry_run("a", "rubric")
        assert (dry.before, dry.estimate.calls, dry.diff) == ("none", 1, None)
        assert "I wrote a." in dry.text and MODEL in dry.text
        assert dry.estimate == dry.whole
        assert dry.whole.input_tokens > 100 and (dry.whole.cost or 0) > 0
        assert not server.requests

        project.driver.rerun(project.driver.select("all"))
        await project.until(lambda: project.value("a", "rubric") == 4)
        dry = await project.driver.dry_run("a", "rubric")
        assert (dry.before, dry.estimate.calls, dry.diff) == ("same", 0, ())

    async with live(root, **asking(server, "free")) as project:  # what was asked is known later
        write_config(root, [{**RUBRIC, "prompt": "Judge with care {{ conversation }} SCORE: 4"}])
        await project.until(
            lambda: project.driver.grid.cell("a", "rubric").state is CellState.WAITING
        )
        dry = await project.driver.dry_run("a", "rubric")
        assert (dry.before, dry.estimate.calls) == ("other", 1)
        changed = [line for line in dry.diff or () if "Judge" in line]
        assert [line.split(" SCORE")[0].rstrip() for line in changed] == [
            "-Judge I wrote a.",
            "+Judge with care I wrote a.",
        ]
        assert len(server.requests) == 1


async def test_samples_that_are_still_to_be_asked_are_estimated(
    tmp_path: Path, server: FakeAnthropic
) -> None:
    root = write_project(tmp_path / "p", [RUBRIC], ["a"])
    async with live(root, **asking(server)) as project:
        assert len(server.requests) == 1
    async with live(root, samples=3, **asking(server, "free")) as project:
        dry = await project.driver.dry_run("a", "rubric")
        assert (dry.before, dry.estimate.calls) == ("same", 2)


async def test_a_recorded_verdict_has_no_request_to_compare_with(
    tmp_path: Path, server: FakeAnthropic
) -> None:
    summary = {"per_case": {"a": {"rubric": {"value": 3, "rationale": "old"}}}}
    root = write_project(tmp_path / "p", [RUBRIC], ["a"], summary=summary)
    async with live(root, **asking(server, "free")) as project:
        assert project.driver.grid.cell("a", "rubric").recorded
        dry = await project.driver.dry_run("a", "rubric")
        assert (dry.before, dry.diff, dry.estimate.calls) == ("recorded", None, 1)


async def test_what_cannot_be_rendered_says_where(tmp_path: Path, server: FakeAnthropic) -> None:
    bad = {**RUBRIC, "prompt": "{{ conversation.nope() }}"}
    root = write_project(tmp_path / "p", [bad], ["a"])
    async with live(root, **asking(server, "free")) as project:
        with pytest.raises(OSError, match=r"eval\.yaml, line \d"):
            await project.driver.dry_run("a", "rubric")


async def test_what_judges_cost_is_known_per_run_and_kept(
    tmp_path: Path, server: FakeAnthropic
) -> None:
    root = write_project(tmp_path / "p", [RUBRIC], ["a", "b"])
    for case in ("a", "b"):
        (case_dir(root, case, "r2") / "out").mkdir(parents=True)
    async with live(root, run="r1", **asking(server)) as project:
        spent = project.driver.status.costs.judges
        paid = project.driver.detail("a", "rubric").paid
        assert paid is not None and paid.cost is not None and spent is not None
        assert spent == pytest.approx(2 * paid.cost)
        assert (paid.model, paid.calls) == (MODEL, 1)
        assert paid.input_tokens > 0 and paid.output_tokens > 0
        assert project.driver.status.costs.agent is None, "the run does not say"
    async with live(root, run="r1", **asking(server, "free")) as project:
        await project.shown(lambda: project.driver.status.costs.judges == pytest.approx(spent))
        await project.driver.open_run("r2")
        assert project.driver.status.costs.judges is None
        await project.driver.open_run("r1")
        await project.shown(lambda: project.driver.status.costs.judges == pytest.approx(spent))


async def test_what_waits_for_money_is_counted_with_its_price(
    tmp_path: Path, server: FakeAnthropic
) -> None:
    root = write_project(tmp_path / "p", [RUBRIC])
    async with live(root, **asking(server, "free")) as project:
        driver = project.driver

        def unpaid() -> int:
            driver.take_dirty()
            return driver.status.unpaid if driver.status.unpaid_cost is not None else 0

        await project.shown(lambda: unpaid() == 3)
        expected = driver.estimate(driver.select("waiting")).cost
        assert driver.status.unpaid_cost == pytest.approx(expected)
        driver.rerun(driver.select("waiting"))
        await project.until(lambda: not unpaid())


async def test_notes_on_templates_are_problems_in_the_app_and_in_check(
    tmp_path: Path, server: FakeAnthropic
) -> None:
    judges = [
        {"name": "typo", "prompt_file": "typo.md", "model": MODEL},
        {**RUBRIC, "name": "deep", "prompt": "{{ outputs.respones }} SCORE: 4"},
        {**RUBRIC, "name": "blind", "prompt": "{{ arguments.tone }} SCORE: 4"},
    ]
    files = {"typo.md": "Line one.\n{{ convesation }} {{ inputs }} SCORE: 4"}
    root = write_project(tmp_path / "p", judges, ["a", "b"], files=files)
    async with live(root, **asking(server, "free")) as project:
        found = {(p.code, p.judge): p for p in project.driver.problems if p.severity == "note"}
        typo = found["undefined-variable", "typo"]
        assert (typo.file, typo.line) == (str((root / "typo.md").resolve()), 2)
        assert "did you mean `conversation`?" in typo.hint
        assert "outputs.respones" in found["undefined-variable", "deep"].message
        assert ("blind-prompt", "blind") in found
        notes = [p for p in project.driver.problems if p.judge == "deep"]
        assert len(notes) == 1, "one note, however many cases"
        write_config(root, [{**judges[1], "prompt": "{{ outputs }} SCORE: 4"}])
        await project.until(
            lambda: not [p for p in project.driver.problems if p.code == "undefined-variable"]
        )
    write_config(root, judges)
    command = [sys.executable, "-m", "eval_tui.cli", "check", str(root)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "`convesation` is not defined" in done.stdout
    assert "shows the model nothing of the case" in done.stdout


async def test_samples_that_disagree_are_still_marked_in_the_next_session(
    tmp_path: Path, server: FakeAnthropic
) -> None:
    prompt = "Judge {{ conversation }} SCORE: 4, 3, 4"
    root = write_project(tmp_path / "p", [{**RUBRIC, "prompt": prompt, "samples": 3}], ["a"])
    for _ in range(2):
        # One call at a time: the answers come in the order of the samples.
        async with live(root, **asking(server, concurrency=1)) as project:
            score = project.driver.grid.cell("a", "rubric").score
            assert isinstance(score, Measured)
            assert [sample.value for sample in score.samples] == [4, 3, 4]
            whole = project.driver.detail("a", "rubric").score
            assert isinstance(whole, Measured)
            assert all(sample.rationale for sample in whole.samples)
    assert len(server.requests) == 3
