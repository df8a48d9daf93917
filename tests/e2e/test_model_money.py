"""What is asked, how often and for how much: counts of requests, budgets, several instances."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from eval_tui.engine.calls import ModelCalls
from eval_tui.engine.grid import CellState
from eval_tui.engine.money import Budget
from eval_tui.tui.crash import crash_report
from tests.engine.support_client import HangingServer
from tests.support.fake_anthropic import FakeAnthropic
from tests.support.live import PATIENCE, Live, live
from tests.support.models import KEY, MODEL, asking, judge, values
from tests.support.small import case_dir, write_config, write_project

CASES = [f"c{number:02}" for number in range(20)]
JUDGES = [judge(f"judge-{number}", f"SCORE: {number}", model=MODEL) for number in range(1, 6)]


@pytest.fixture
def server() -> Iterator[FakeAnthropic]:
    with FakeAnthropic() as fake:
        yield fake


async def test_an_edited_rubric_costs_its_own_column_and_nothing_else_costs_anything(
    tmp_path: Path, server: FakeAnthropic
) -> None:
    root = write_project(tmp_path / "p", JUDGES, CASES)
    whole = len(CASES) * len(JUDGES)
    async with live(root, **asking(server, concurrency=16)) as project:
        assert len(server.requests) == whole
        edited = judge("judge-3", "SCORE: 2 if it is good")
        write_config(root, [*JUDGES[:2], edited, *JUDGES[3:]])
        await project.until(lambda: set(values(project, "judge-3")) == {2})
        assert len(server.requests) == whole + len(CASES)
        write_config(root, JUDGES)
        await project.until(lambda: set(values(project, "judge-3")) == {3})
        for case in CASES:
            (case_dir(root, case) / "out" / "page.md").write_text("another page\n")
        await project.next_change()
        assert len(server.requests) == whole + len(CASES)
    async with live(root, **asking(server)) as project:
        assert set(values(project, "judge-5")) == {5}
    assert len(server.requests) == whole + len(CASES)


async def test_a_storm_of_rate_limits_loses_no_cell(tmp_path: Path, server: FakeAnthropic) -> None:
    root = write_project(tmp_path / "p", [judge("rubric", "STATUS: 429*2 SCORE: 3")], CASES * 3)
    async with live(root, **asking(server, concurrency=16)) as project:
        assert set(values(project, "rubric")) == {3}
        statuses = [request["status"] for request in server.requests]
        assert (statuses.count(429), statuses.count(200)) == (2 * len(CASES), len(CASES))


class Watched(Budget):
    """A budget that remembers the most that it was ever committed to."""

    most = 0.0

    def reserve(self, estimate: float | None, *, confirmed: bool = False) -> Any:
        found = super().reserve(estimate, confirmed=confirmed)
        self.most = max(self.most, self.spent + self.reserved)
        return found


async def test_a_budget_is_never_committed_beyond_and_one_key_confirms_the_rest(
    tmp_path: Path, server: FakeAnthropic, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eval_tui.engine.calls.Budget", Watched)
    as_estimated = [judge(f"judge-{n}", f"SCORE: {n} USAGE: 630,500") for n in range(1, 6)]
    root = write_project(tmp_path / "p", as_estimated, CASES)
    async with live(root, **asking(server, "free")) as project:
        everything = project.driver.estimate(project.driver.select("waiting"))
        assert everything.calls == 100 and everything.cost is not None
    limit = everything.cost / 3
    async with live(root, **asking(server, budget=limit, concurrency=16)) as project:
        calls = project.driver.work.calls
        assert isinstance(calls, ModelCalls)
        budget = calls.policy.budget
        assert isinstance(budget, Watched)
        assert limit * 0.8 < budget.most <= limit
        asked = len(server.requests)
        waiting = project.driver.select("waiting")
        assert 30 <= asked <= 36 and len(waiting) == 100 - asked
        assert {project.driver.grid.cell(*key).waiting for key in waiting} == {"money"}
        rest = project.driver.estimate(waiting)
        assert rest.calls == len(waiting)
        assert rest.cost == pytest.approx(everything.cost * len(waiting) / 100, rel=0.05)
        project.driver.rerun(waiting)
        await project.driver.idle()
        assert not project.driver.select("waiting")
        assert len(server.requests) == 100
        assert budget.spent + budget.reserved <= limit


async def test_two_instances_buy_each_request_once(tmp_path: Path, server: FakeAnthropic) -> None:
    root = write_project(tmp_path / "p", [judge("rubric", "SCORE: 4 DELAY: 0.05")], CASES)
    one, other = (Live(root, **asking(server)) for _ in "12")
    try:
        await asyncio.gather(one.start(), other.start())
        assert set(values(one, "rubric")) == set(values(other, "rubric")) == {4}
        assert len(server.requests) == len(CASES)
        bought = [project.driver.session.asking.calls for project in (one, other)]
        assert sum(bought) == len(CASES)
    finally:
        await asyncio.gather(one.driver.close(), other.driver.close())


async def test_a_cancelled_call_ends_at_once_and_one_that_was_not_sent_costs_nothing(
    tmp_path: Path,
) -> None:
    root = write_project(tmp_path / "p", [judge("rubric", "SCORE: 4")], ["a"])
    with HangingServer() as hanging:
        one, other = (Live(root, **asking(hanging)) for _ in "12")
        try:
            await one.driver.start()
            await asyncio.to_thread(hanging.came.acquire)
            await other.driver.start()
            await other.running("a", "rubric")
            calls = other.driver.work.calls
            assert isinstance(calls, ModelCalls) and calls.policy.budget is not None
            assert calls.policy.budget.reserved > 0
            other.driver.cancel(None)
            await asyncio.wait_for(other.driver.idle(), PATIENCE)
            assert (calls.policy.budget.reserved, calls.policy.budget.spent) == (0, 0)
            one.driver.cancel(None)
            assert await asyncio.to_thread(hanging.closed.acquire, timeout=PATIENCE)
        finally:
            await asyncio.gather(one.driver.close(), other.driver.close())


def score(root: Path, environ: dict[str, str], *more: str) -> subprocess.Popen[str]:
    """`eval-tui score` as a process of its own, with money to spend."""
    command = [sys.executable, "-m", "eval_tui.cli", "score", str(root), "--format", "json"]
    return subprocess.Popen(
        [*command, "--auto", "paid", "--budget", "inf", *more],
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_two_processes_buy_each_request_once(tmp_path: Path, server: FakeAnthropic) -> None:
    root = write_project(tmp_path / "p", [judge("rubric", "SCORE: 4 DELAY: 0.05")], CASES)
    environ = asking(server)["environ"]
    processes = [score(root, environ) for _ in "12"]
    documents = [json.loads(process.communicate(timeout=100)[0]) for process in processes]
    for document in documents:
        assert {document["cells"][case]["rubric"]["value"] for case in CASES} == {4}
    assert len(server.requests) == len(CASES)
    assert sum(document["calls"] for document in documents) == len(CASES)


def test_no_key_is_in_anything_that_is_kept_or_told(tmp_path: Path, server: FakeAnthropic) -> None:
    """Not even where the material holds it and the model says it back."""
    in_file = "dotenv-key-0123456789"
    said = judge("said", f"SCORE: 4 RATIONALE: the keys are {KEY} and {in_file}")
    refused = judge("refused", f"STATUS: 400 {KEY}")
    reads = {"name": "reads", "check": "raise ValueError(open('.env').read())"}
    root = write_project(tmp_path / "p", [said, refused, reads], ["a"])
    (root / ".env").write_text(f"ANTHROPIC_AUTH_TOKEN={in_file}\n")
    output = tmp_path / "scores.json"
    environ = {**asking(server)["environ"], "PYTHONASYNCIODEBUG": "1"}
    process = score(root, environ, "--output", str(output))
    texts = list(process.communicate(timeout=100))
    document = json.loads(output.read_text())
    assert document["cells"]["a"]["said"]["value"] == 4
    assert "the keys are <" in document["cells"]["a"]["said"]["rationale"]
    texts.append(output.read_text())
    sources = (".env", "eval.yaml")
    kept = [path for path in root.rglob("*") if path.is_file()]
    texts += [path.read_bytes().decode("latin-1") for path in kept if path.name not in sources]
    assert len(texts) > 5
    for text in texts:
        assert KEY not in text and in_file not in text


def test_a_crash_report_names_no_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    (tmp_path / ".env").write_text("ANTHROPIC_AUTH_TOKEN=dotenv-key-0123456789\n")
    report = crash_report(f"ValueError: {KEY} {KEY!r} dotenv-key-0123456789")
    assert "key-0123456789" not in report
    assert "<ANTHROPIC_API_KEY>" in report


async def test_nothing_is_asked_while_paused(tmp_path: Path, server: FakeAnthropic) -> None:
    root = write_project(tmp_path / "p", [judge("rubric", "SCORE: 4")], ["a"])
    async with live(root, **asking(server)) as project:
        project.driver.pause(True)
        write_config(root, [judge("rubric", "SCORE: 2")])
        await project.shown(
            lambda: project.driver.grid.cell("a", "rubric").state is CellState.WAITING
        )
        assert len(server.requests) == 1
        project.driver.pause(False)
        await project.until(lambda: project.value("a", "rubric") == 2)
