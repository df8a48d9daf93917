"""What becomes of cells whose model does not answer: refused keys, attempts, older wordings."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eval_tui.engine import answers
from eval_tui.engine import target as target_module
from eval_tui.engine.grid import CellState
from eval_tui.judges.model import request as request_module
from eval_tui.judges.model.request import Request, request_from_plain
from eval_tui.scores import Reason
from tests.support.fake_anthropic import FakeAnthropic
from tests.support.live import Live, live
from tests.support.models import KEY, PickyAnthropic, asking, judge, unmeasured, values
from tests.support.small import case_dir, write_config, write_project

CASES = [f"c{number:02}" for number in range(20)]
PLAIN = judge("rubric", "SCORE: 4")


@pytest.fixture
def server() -> Iterator[FakeAnthropic]:
    with FakeAnthropic() as fake:
        yield fake


@pytest.fixture
def picky() -> Iterator[PickyAnthropic]:
    with PickyAnthropic("another-key-123456") as fake:
        yield fake


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pauses before automatic attempts take no time."""
    monkeypatch.setattr(answers, "PAUSES", (0.0, 0.0, 0.0))


def reasons(project: Live, name: str = "rubric") -> set[object]:
    cells = [project.driver.grid.cell(row.case, name) for row in project.driver.grid.rows]
    return {getattr(cell.score, "reason", cell.score) for cell in cells}


def touch(root: Path, case: str = "a") -> None:
    (case_dir(root, case) / "unused.txt").write_text("nobody shows this to a model")


# Keys that are refused


async def test_a_refused_key_is_tried_for_a_few_cells_and_told_to_all(
    tmp_path: Path, picky: PickyAnthropic
) -> None:
    root = write_project(tmp_path / "p", [PLAIN], CASES)
    async with live(root, **asking(picky, concurrency=2)) as project:
        assert reasons(project) == {Reason.MISSING_SECRET}
        details = {unmeasured(project, case, "rubric").detail for case in CASES}
        (detail,) = details
        assert "refuses ANTHROPIC_API_KEY of the environment" in detail
        assert KEY not in detail
        assert 2 <= picky.refused <= 4
        touch(root, CASES[3])
        await project.next_change()
        assert picky.refused <= 4


async def test_another_key_fills_all_cells_at_once_and_the_same_one_changes_nothing(
    tmp_path: Path, picky: PickyAnthropic
) -> None:
    root = write_project(tmp_path / "p", [PLAIN], CASES)
    options = asking(picky, concurrency=4)
    del options["environ"]["ANTHROPIC_API_KEY"]
    (root / ".env").write_text("ANTHROPIC_API_KEY=wrong-key-123456\n")
    async with live(root, **options) as project:
        before = picky.refused
        assert reasons(project) == {Reason.MISSING_SECRET}
        (root / ".env").write_text("# the same\nANTHROPIC_API_KEY=wrong-key-123456\n")
        await project.next_change()
        assert picky.refused == before
        (root / ".env").write_text("ANTHROPIC_API_KEY=another-key-123456\n")
        await project.until(lambda: set(values(project, "rubric")) == {4})
        assert len(picky.requests) == len(CASES)
        assert picky.refused == before


async def test_who_asks_by_key_tries_the_refused_key_again(
    tmp_path: Path, picky: PickyAnthropic
) -> None:
    root = write_project(tmp_path / "p", [PLAIN])
    async with live(root, **asking(picky)) as project:
        assert reasons(project) == {Reason.MISSING_SECRET}
        picky.accepted.add(KEY)
        project.driver.rerun(project.driver.select("all"))
        await project.driver.idle()
        assert values(project, "rubric") == [4, 4, 4]


@pytest.mark.parametrize("place", [0, 1, 3])
@pytest.mark.parametrize("status", [401, 403])
async def test_one_request_that_is_refused_is_one_cell_whenever_it_comes(
    tmp_path: Path, server: FakeAnthropic, place: int, status: int
) -> None:
    cases = ["a", "b", "c", "d"]
    prompt = f"{{{{ outputs.files['out/page.md'] }}}} of {cases[place]} {{{{ conversation }}}}"
    root = write_project(tmp_path / "p", [{**PLAIN, "prompt": f"{prompt} SCORE: 4"}], cases)
    page = case_dir(root, cases[place]) / "out" / "page.md"
    page.write_text(f"STATUS: {status}\n")
    async with live(root, **asking(server, concurrency=1)) as project:
        assert [value == 4 for value in values(project, "rubric")] == [
            c != cases[place] for c in cases
        ]
        assert unmeasured(project, cases[place], "rubric").reason is Reason.MISSING_SECRET
        assert len(server.requests) == len(cases)
        touch(root, cases[place])
        await project.next_change()
        assert len(server.requests) == len(cases)


async def test_a_call_in_flight_outlives_the_change_of_its_key(
    tmp_path: Path, server: FakeAnthropic
) -> None:
    root = write_project(tmp_path / "p", [judge("rubric", "SCORE: 4 DELAY: 0.5")], ["a"])
    options = asking(server)
    del options["environ"]["ANTHROPIC_API_KEY"]
    (root / ".env").write_text("ANTHROPIC_API_KEY=first-key-123456\n")
    project = Live(root, **options)
    try:
        await project.driver.start()
        await project.running("a", "rubric")
        (root / ".env").write_text("ANTHROPIC_API_KEY=second-key-123456\n")
        await project.until(lambda: project.value("a", "rubric") == 4)
        assert project.driver.session.asking.calls == 1
    finally:
        await project.driver.close()


def with_unknown_model(tmp_path: Path, server: FakeAnthropic) -> tuple[Path, dict[str, Any]]:
    """A project whose key stands in its `.env`; the model is known when it is asked for again."""
    root = write_project(tmp_path / "p", [judge("rubric", "SCORE: 4 STATUS: 404*1")], ["a"])
    options = asking(server)
    del options["environ"]["ANTHROPIC_API_KEY"]
    (root / ".env").write_text("ANTHROPIC_API_KEY=first-key-123456\n")
    return root, options


async def test_another_key_asks_again_where_the_model_was_not_known(
    tmp_path: Path, server: FakeAnthropic
) -> None:
    """D35"""
    root, options = with_unknown_model(tmp_path, server)
    async with live(root, **options) as project:
        assert unmeasured(project, "a", "rubric").reason is Reason.UNSUPPORTED
        (root / ".env").write_text("ANTHROPIC_API_KEY=second-key-123456\n")
        await project.until(lambda: project.value("a", "rubric") == 4)


async def test_another_key_asks_again_what_failed_in_an_earlier_session(
    tmp_path: Path, server: FakeAnthropic
) -> None:
    """D35"""
    root, options = with_unknown_model(tmp_path, server)
    async with live(root, **options) as project:
        assert unmeasured(project, "a", "rubric").reason is Reason.UNSUPPORTED
    async with live(root, **options) as project:
        assert unmeasured(project, "a", "rubric").reason is Reason.UNSUPPORTED
        (root / ".env").write_text("ANTHROPIC_API_KEY=second-key-123456\n")
        await project.until(lambda: project.value("a", "rubric") == 4)


async def test_a_value_of_before_stays_when_the_key_is_refused(
    tmp_path: Path, picky: PickyAnthropic
) -> None:
    """D46"""
    picky.accepted.add(KEY)
    root = write_project(tmp_path / "p", [PLAIN], ["a"])
    async with live(root, **asking(picky)) as project:
        assert project.value("a", "rubric") == 4
        picky.accepted.clear()
        write_config(root, [judge("rubric", "SCORE: 2")])
        await project.shown(lambda: project.driver.grid.cell("a", "rubric").waiting == "secret")
        assert project.value("a", "rubric") == 4
        assert any("refuses" in note for note in project.driver.detail("a", "rubric").notes)


# Attempts


async def test_what_fails_in_transport_is_tried_again_three_times(
    tmp_path: Path, server: FakeAnthropic, at_once: None
) -> None:
    root = write_project(tmp_path / "p", [judge("rubric", "STATUS: 500")], ["a"])
    async with live(root, **asking(server)) as project:
        sent = len(server.requests)
        score = unmeasured(project, "a", "rubric")
        assert (score.reason, score.attempts, score.retryable) == (Reason.GRADER_ERROR, 4, True)
        assert sent % 4 == 0
        touch(root)
        await project.next_change()
        assert len(server.requests) == sent  # from now on by key only
        project.driver.rerun(project.driver.select("retryable"))
        await project.driver.idle()
        assert unmeasured(project, "a", "rubric").attempts == 5
    async with live(root, **asking(server)) as project:
        assert unmeasured(project, "a", "rubric").attempts == 5
        assert len(server.requests) == sent // 4 * 5


async def test_an_attempt_that_succeeds_ends_it(
    tmp_path: Path, server: FakeAnthropic, at_once: None
) -> None:
    root = write_project(tmp_path / "p", [judge("rubric", "STATUS: 529*7 SCORE: 3")], ["a"])
    async with live(root, **asking(server)) as project:
        assert project.value("a", "rubric") == 3
        assert len(server.requests) == 8


async def test_another_input_starts_the_count_anew(
    tmp_path: Path, server: FakeAnthropic, at_once: None
) -> None:
    root = write_project(tmp_path / "p", [judge("rubric", "STATUS: 500")], ["a"])
    async with live(root, **asking(server)) as project:
        assert unmeasured(project, "a", "rubric").attempts == 4
        write_config(root, [judge("rubric", "STATUS: 400 other")])
        await project.until(lambda: "400" in unmeasured(project, "a", "rubric").detail)
        assert unmeasured(project, "a", "rubric").attempts == 1


async def test_without_a_screen_nobody_waits_and_the_next_scoring_tries_again(
    tmp_path: Path, server: FakeAnthropic
) -> None:
    root = write_project(tmp_path / "p", [judge("rubric", "STATUS: 500")], ["a"])
    for attempt in (1, 2, 3, 4, 4):
        async with live(root, watch=False, **asking(server)) as project:
            assert unmeasured(project, "a", "rubric").attempts == attempt


@pytest.mark.parametrize("words", ["RESPOND: text I cannot say", "SCORE: 17"])
async def test_an_answer_that_cannot_be_used_is_asked_again_by_key_only(
    tmp_path: Path, server: FakeAnthropic, words: str
) -> None:
    root = write_project(tmp_path / "p", [judge("rubric", words, score_range=[1, 5])], ["a"])
    async with live(root, **asking(server)) as project:
        touch(root)
        await project.next_change()
        assert (len(server.requests), unmeasured(project, "a", "rubric").attempts) == (1, 1)
        cells = project.driver.select("retryable")
        estimate = project.driver.estimate(cells)
        assert estimate.calls == 1 and (estimate.cost or 0) > 0  # told before it is paid
        project.driver.rerun(cells)
        await project.driver.idle()
        assert (len(server.requests), unmeasured(project, "a", "rubric").attempts) == (2, 2)
    async with live(root, **asking(server)) as project:
        assert (len(server.requests), unmeasured(project, "a", "rubric").attempts) == (2, 2)


async def test_what_was_refused_once_is_remembered_by_the_next_session(
    tmp_path: Path, server: FakeAnthropic
) -> None:
    root = write_project(tmp_path / "p", [judge("rubric", "STATUS: 400")], ["a"])
    async with live(root, **asking(server)):
        assert len(server.requests) == 1
    touch(root)
    async with live(root, **asking(server)) as project:
        assert unmeasured(project, "a", "rubric").reason is Reason.GRADER_ERROR
        assert len(server.requests) == 1
        assert project.driver.estimate(project.driver.select("all")).calls == 1


async def test_attempts_of_a_python_judge_are_counted(
    tmp_path: Path, server: FakeAnthropic
) -> None:
    broken = {"name": "broken", "check": "raise OSError('try later')"}
    root = write_project(tmp_path / "p", [broken], ["a"])
    async with live(root, **asking(server)) as project:
        assert unmeasured(project, "a", "broken").attempts == 1
        project.driver.rerun(project.driver.select("retryable"))
        await project.driver.idle()
        assert unmeasured(project, "a", "broken").attempts == 2
        write_config(root, [{**broken, "check": "raise OSError('later still')"}])
        await project.until(lambda: "still" in unmeasured(project, "a", "broken").detail)
        assert unmeasured(project, "a", "broken").attempts == 1


async def test_a_recorded_verdict_stays_when_asking_again_fails(
    tmp_path: Path, server: FakeAnthropic
) -> None:
    """D46"""
    summary = {"per_case": {"a": {"rubric": {"value": 5, "rationale": "it was good"}}}}
    root = write_project(tmp_path / "p", [judge("rubric", "STATUS: 400")], ["a"], summary=summary)
    async with live(root, **asking(server)) as project:
        assert (project.value("a", "rubric"), len(server.requests)) == (5, 0)
        project.driver.rerun(project.driver.select("all"))
        await project.driver.idle()
        cell = project.driver.grid.cell("a", "rubric")
        assert (project.value("a", "rubric"), cell.recorded, len(server.requests)) == (5, True, 1)
        assert any("in vain" in note for note in project.driver.detail("a", "rubric").notes)


# What is asked changes without anything of the project


async def test_another_number_of_samples_asks_for_the_missing_ones_only(
    tmp_path: Path, server: FakeAnthropic
) -> None:
    rubric = judge("rubric", "SCORES: 5,2,3")
    root = write_project(tmp_path / "p", [rubric], ["a"])
    options = asking(server, concurrency=1)  # the answers come in the order of the samples
    async with live(root, **options) as project:
        assert (project.value("a", "rubric"), len(server.requests)) == (5, 1)
        write_config(root, [{**rubric, "samples": 3}])
        await project.until(lambda: project.value("a", "rubric") == 3)
        assert len(server.requests) == 3
        write_config(root, [rubric])
        await project.until(lambda: project.value("a", "rubric") == 5)
    async with live(root, samples=2, **options) as project:
        assert (project.value("a", "rubric"), len(server.requests)) == (2, 3)


@pytest.mark.parametrize("store", ["kept", "lost"])
async def test_verdicts_of_an_older_wording_stay_marked_until_asked_by_key(
    tmp_path: Path, server: FakeAnthropic, monkeypatch: pytest.MonkeyPatch, store: str
) -> None:
    """D49"""
    root = write_project(tmp_path / "p", [judge("rubric", "SCORE: 4", samples=2)], ["a", "b"])
    with monkeypatch.context() as before:
        before.setattr(request_module, "request_from_plain", _in_older_words)
        before.setattr(target_module, "FRAMING_VERSION", 0)
        async with live(root, **asking(server)):
            assert len(server.requests) == 4
    if store == "lost":
        (root / ".eval-tui" / "store.db").unlink()
    for _ in range(2):  # it does not wear off
        async with live(root, **asking(server)) as project:
            assert len(server.requests) == 4
            cell = project.driver.grid.cell("a", "rubric")
            assert (cell.state, project.value("a", "rubric")) == (CellState.STALE, 4)
            notes = project.driver.detail("a", "rubric").notes
            assert any("older wording" in note for note in notes)
            assert project.driver.estimate(project.driver.select("all")).calls == 4
    async with live(root, **asking(server)) as project:
        project.driver.rerun(project.driver.select("row", "a"))
        await project.driver.idle()
        assert project.driver.grid.cell("a", "rubric").state is CellState.FRESH
        assert project.driver.grid.cell("b", "rubric").state is CellState.STALE
        assert len(server.requests) == 6
        page = case_dir(root, "b") / "events.json"
        page.write_text(json.dumps([{"type": "assistant", "text": "another", "tools": []}]))
        await project.until(
            lambda: project.driver.grid.cell("b", "rubric").state is CellState.FRESH
        )
        assert len(server.requests) == 8  # other material is another question


async def test_an_older_verdict_stays_when_asking_anew_fails(
    tmp_path: Path, server: FakeAnthropic, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D46, D49"""
    root = write_project(tmp_path / "p", [judge("rubric", "SCORES: 4,!400")], ["a"])
    with monkeypatch.context() as before:
        before.setattr(request_module, "request_from_plain", _in_older_words)
        before.setattr(target_module, "FRAMING_VERSION", 0)
        async with live(root, **asking(server)):
            assert len(server.requests) == 1
    async with live(root, **asking(server)) as project:
        project.driver.rerun(project.driver.select("all"))
        await project.driver.idle()
        assert len(server.requests) == 2
        cell = project.driver.grid.cell("a", "rubric")
        assert (cell.state, project.value("a", "rubric")) == (CellState.STALE, 4)
        assert any("in vain" in note for note in project.driver.detail("a", "rubric").notes)


def _in_older_words(plain: Mapping[str, Any]) -> Request:
    request = request_from_plain(plain)
    return replace(request, digest=f"older-{request.digest}")


async def test_a_value_of_a_request_that_was_not_answered_yet_is_not_trusted_later(
    tmp_path: Path, server: FakeAnthropic
) -> None:
    """Whoever dies while a changed prompt is being asked finds it unanswered afterwards."""
    root = write_project(tmp_path / "p", [judge("rubric", "SCORE: 4")], ["a"])
    async with live(root, **asking(server)) as project:
        write_config(root, [judge("rubric", "SCORE: 2 DELAY: 60")])
        await project.shown(
            lambda: project.driver.grid.cell("a", "rubric").state is CellState.RUNNING
        )
    async with live(root, **asking(server, "free")) as project:
        cell = project.driver.grid.cell("a", "rubric")
        assert (cell.waiting, getattr(cell.score, "value", None)) == ("money", 4)
