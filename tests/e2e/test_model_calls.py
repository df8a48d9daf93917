"""Model judges through the whole engine, with the real SDK against a server on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from eval_tui.engine.grid import CellState
from eval_tui.results.summary_file import scoring_of, write_summary
from eval_tui.scores import Reason, Unmeasured
from tests.support.fake_anthropic import FakeAnthropic
from tests.support.live import Live, live
from tests.support.models import MODEL, asking, values
from tests.support.small import case_dir, write_config, write_project

RUBRIC = {
    "name": "rubric",
    "prompt": "Judge {{ conversation }} SCORE: 4",
    "model": MODEL,
    "feedback_type": "int",
}
PASSES = {
    "name": "passes",
    "prompt": "Judge {{ outputs.files['out/page.md'] }} VERDICT: pass",
    "model": MODEL,
    "feedback_type": "bool",
}


@pytest.fixture
def server() -> Iterator[FakeAnthropic]:
    with FakeAnthropic() as fake:
        yield fake


async def test_each_cell_is_asked_once_and_never_again(
    tmp_path: Path, server: FakeAnthropic
) -> None:
    root = write_project(tmp_path / "p", [RUBRIC, PASSES])
    async with live(root, **asking(server)) as project:
        assert values(project, "rubric") == [4, 4, 4]
        assert values(project, "passes") == [True, True, True]
        assert len(server.requests) == 6
        assert project.driver.session.asking.calls == 6
        assert (project.driver.session.asking.cost or 0) > 0
    async with live(root, **asking(server)) as project:
        assert values(project, "rubric") == [4, 4, 4]
        assert len(server.requests) == 6


async def test_an_edited_prompt_asks_its_own_column_and_the_old_one_nothing(
    tmp_path: Path, server: FakeAnthropic
) -> None:
    root = write_project(tmp_path / "p", [RUBRIC, PASSES])
    async with live(root, **asking(server)) as project:
        edited = {**RUBRIC, "prompt": "Judge again {{ conversation }} SCORE: 2"}
        write_config(root, [edited, PASSES])
        await project.until(lambda: values(project, "rubric") == [2, 2, 2])
        assert len(server.requests) == 9
        write_config(root, [RUBRIC, PASSES])
        await project.until(lambda: values(project, "rubric") == [4, 4, 4])
        assert len(server.requests) == 9
        (case_dir(root, "a") / "events.json").touch()
        (case_dir(root, "a") / "unused.txt").write_text("nobody shows this to a model")
        await project.next_change()
        assert len(server.requests) == 9


async def test_nothing_is_asked_without_being_asked_for(
    tmp_path: Path, server: FakeAnthropic
) -> None:
    root = write_project(tmp_path / "p", [RUBRIC])
    async with live(root, **asking(server, "free")) as project:
        cell = project.driver.grid.cell("a", "rubric")
        assert (cell.state, cell.waiting) == (CellState.WAITING, "money")
        waiting = project.driver.select("waiting")
        assert project.driver.estimate(waiting).calls == 3
        assert not server.requests
        project.driver.rerun(waiting)
        await project.until(lambda: values(project, "rubric") == [4, 4, 4])
        assert len(server.requests) == 3


async def test_a_forced_rerun_asks_again(tmp_path: Path, server: FakeAnthropic) -> None:
    root = write_project(tmp_path / "p", [RUBRIC], ["a"])
    async with live(root, **asking(server)) as project:
        project.driver.rerun(project.driver.select("all"))
        await project.driver.idle()
        assert len(server.requests) == 1
        project.driver.rerun(project.driver.select("all"), force=True)
        await project.driver.idle()
        assert len(server.requests) == 2


async def test_what_was_said_before_is_no_material_and_its_price_is_not_the_agents(
    tmp_path: Path, server: FakeAnthropic
) -> None:
    everything = {**RUBRIC, "prompt": "Judge {{ outputs }} {{ conversation }} SCORE: 4"}
    root = write_project(tmp_path / "p", [everything], ["a"])
    async with live(root, **asking(server)) as project:
        driver = project.driver
        agent = driver.status.costs.agent
        write_summary(driver.run_dir, scoring_of(driver.grid, driver.full_score, "r1", str(root)))
        driver.rerun(driver.select("all"), force=True)
        await driver.idle()
        first, second = (one["sha"] for one in server.requests)
        assert first == second, "the second request is the first one, word for word"
        assert driver.status.costs.judges and driver.status.costs.agent == agent


async def test_a_key_that_appears_in_env_fills_the_cells(
    tmp_path: Path, server: FakeAnthropic
) -> None:
    root = write_project(tmp_path / "p", [RUBRIC], ["a"])
    options = asking(server)
    del options["environ"]["ANTHROPIC_API_KEY"]
    async with live(root, **options) as project:
        score = project.driver.grid.cell("a", "rubric").score
        assert isinstance(score, Unmeasured)
        assert score.reason is Reason.MISSING_SECRET
        (root / ".env").write_text("ANTHROPIC_API_KEY=another-key-123456\n")
        await project.shown(lambda: project.value("a", "rubric") == 4)


async def test_a_refused_key_says_so_and_prose_is_no_fail(
    tmp_path: Path, server: FakeAnthropic
) -> None:
    judges = [
        {**RUBRIC, "name": "refused", "prompt": "{{ conversation }} STATUS: 401"},
        {**RUBRIC, "name": "prose", "prompt": "{{ conversation }} RESPOND: text I cannot say"},
    ]
    root = write_project(tmp_path / "p", judges[1:], ["a"])
    async with live(root, **asking(server)) as project:
        prose = project.driver.detail("a", "prose").score
        assert isinstance(prose, Unmeasured)
        assert prose.reason is Reason.GRADER_ERROR
        assert "I cannot say" in prose.detail
        write_config(root, judges)
        await project.shown(
            lambda: isinstance(project.driver.grid.cell("a", "refused").score, Unmeasured)
        )
        refused = project.driver.detail("a", "refused").score
        assert isinstance(refused, Unmeasured)
        assert refused.reason is Reason.MISSING_SECRET


async def test_the_budget_holds_and_the_rest_waits(tmp_path: Path, server: FakeAnthropic) -> None:
    root = write_project(tmp_path / "p", [RUBRIC], [f"c{i:02}" for i in range(20)])
    async with live(root, **asking(server, budget=0.0)) as project:
        assert not server.requests
        assert {
            project.driver.grid.cell(r.case, "rubric").waiting for r in project.driver.grid.rows
        } == {"money"}
        project.driver.rerun(project.driver.select("waiting"))
        await project.until(lambda: set(values(project, "rubric")) == {4})
        assert len(server.requests) == 20


async def test_several_answers_make_a_median(tmp_path: Path, server: FakeAnthropic) -> None:
    judge = {**RUBRIC, "samples": 3, "prompt": "{{ conversation }} SCORES: 5,2,3"}
    root = write_project(tmp_path / "p", [judge], ["a"])
    # One call at a time: the answers come in the order of the samples.
    async with live(root, **asking(server, concurrency=1)) as project:
        assert project.value("a", "rubric") == 3
        score = project.driver.detail("a", "rubric").score
        assert [sample.value for sample in getattr(score, "samples", ())] == [5, 2, 3]
        assert len(server.requests) == 3


async def test_a_call_whose_prompt_changed_is_never_shown(
    tmp_path: Path, server: FakeAnthropic
) -> None:
    slow = {**RUBRIC, "prompt": "{{ conversation }} SCORE: 5 DELAY: 60"}
    root = write_project(tmp_path / "p", [slow], ["a"])
    project = Live(root, **asking(server))
    try:
        await project.driver.start()
        await project.running("a", "rubric")
        write_config(root, [{**RUBRIC, "prompt": "{{ conversation }} SCORE: 2"}])
        await project.until(lambda: project.value("a", "rubric") == 2)
        assert project.driver.session.asking.calls == 1
    finally:
        await project.driver.close()


async def test_a_storm_of_refusals_loses_no_cell(tmp_path: Path, server: FakeAnthropic) -> None:
    judge = {**RUBRIC, "prompt": "{{ conversation }} STATUS: 429*2 SCORE: 3"}
    root = write_project(tmp_path / "p", [judge], [f"c{i:02}" for i in range(24)])
    async with live(root, **asking(server, concurrency=16)) as project:
        assert set(values(project, "rubric")) == {3}


async def test_no_key_is_in_the_store(tmp_path: Path, server: FakeAnthropic) -> None:
    judge = {**RUBRIC, "prompt": "{{ conversation }} STATUS: 400"}
    root = write_project(tmp_path / "p", [RUBRIC, {**judge, "name": "broken"}], ["a"])
    async with live(root, **asking(server)):
        pass
    for path in (root / ".eval-tui").iterdir():
        assert b"test-key-0123456789" not in path.read_bytes(), path.name


async def test_what_was_refused_is_not_asked_again_on_every_save(
    tmp_path: Path, server: FakeAnthropic
) -> None:
    judges = [
        {**RUBRIC, "name": "broken", "prompt": "{{ conversation }} STATUS: 400"},
        {**RUBRIC, "name": "partly", "prompt": "{{ conversation }} SCORES: 5,!400,4", "samples": 3},
    ]
    root = write_project(tmp_path / "p", judges, ["a"])
    async with live(root, **asking(server)) as project:
        score = project.driver.detail("a", "partly").score
        samples = getattr(score, "samples", ())
        assert [bool(sample.error) for sample in samples].count(True) == 1
        assert len(samples) == 3
        assert len(server.requests) == 4
        (case_dir(root, "a") / "unused.txt").write_text("nobody shows this to a model")
        await project.next_change()
        assert len(server.requests) == 4
        project.driver.rerun(project.driver.select("all"))
        await project.driver.idle()
        assert len(server.requests) == 6


async def test_a_forced_rerun_that_fails_keeps_the_answer(
    tmp_path: Path, server: FakeAnthropic
) -> None:
    """D46"""
    root = write_project(tmp_path / "p", [RUBRIC], ["a"])
    async with live(root, **asking(server)) as project:
        assert project.value("a", "rubric") == 4
        server.stop()
        project.driver.rerun(project.driver.select("all"), force=True)
        await project.driver.idle()
        assert project.value("a", "rubric") == 4
