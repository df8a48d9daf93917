"""Agent judges through the whole engine: real programs, real folders, real ends."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path
from typing import Any

import pytest

from eval_tui.engine.grid import CellState
from eval_tui.scores import Measured, Reason, Score, Unmeasured
from tests.engine.support_pool import alive, gone
from tests.support.agents import command, entry, install, notes, options, runs
from tests.support.live import PATIENCE, Live, live
from tests.support.small import case_dir, write_config, write_project

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and Linux signals")

YES, NO = '{"passed": true, "rationale": "fine"}', '{"passed": false}'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = (tmp_path / "project").resolve()
    install(folder / "bin", "claude")
    (folder / "bin" / "claude.py").write_text((folder / "bin" / "claude").read_text())
    return folder


@contextlib.asynccontextmanager
async def judging(
    root: Path, *entries: Mapping[str, Any], cases: tuple[str, ...] = ("a",), **more: Any
) -> AsyncGenerator[Live]:
    """The project with these judges, opened and settled."""
    write_project(root, entries, cases)
    async with live(root, **options(root, **more)) as project:
        yield project


def score(project: Live, judge: str = "careful", case: str = "a") -> Score | None:
    return project.driver.detail(case, judge).score


def failed(project: Live, judge: str = "careful") -> Unmeasured:
    found = score(project, judge)
    assert isinstance(found, Unmeasured), found
    return found


def folders(root: Path) -> list[str]:
    """Those in which agents have worked and that are still there."""
    return [note["cwd"] for note in notes(root) if os.path.exists(note["cwd"])]


async def test_claude_code_judges_and_is_not_asked_again(root: Path) -> None:
    async with judging(root, entry(root, f"say So: {YES}"), cases=("a", "b")) as project:
        found = score(project)
        assert isinstance(found, Measured)
        assert (found.value, found.passed, found.rationale) == (True, True, "fine")
        assert project.value("b", "careful") is True
        detail = project.driver.detail("a", "careful")
        assert "out/page.md" in detail.output  # its transcript
        assert detail.duration_s is not None
        assert detail.paid is not None
        assert (detail.paid.model, detail.paid.cost) == ("some-model", 0.25)
        assert detail.output.endswith("[the verdict stood in the agent's last words]")
    assert runs(root) == 2
    assert not folders(root)
    async with judging(root, entry(root, f"say So: {YES}"), cases=("a", "b")) as project:
        assert project.value("a", "careful") is True
        (case_dir(root, "a") / "unused.txt").write_text("the agent is not given this")
        await project.next_change()
        assert runs(root) == 2
        (case_dir(root, "a") / "out" / "page.md").write_text("another page")
        await project.until(lambda: runs(root) == 3)
        assert project.value("a", "careful") is True


async def test_the_verdict_file_comes_first_and_the_copies_are_its_own(root: Path) -> None:
    acts = (f"write {NO}", f"say {YES}", "metrics 0.5", "spoil", "exit 3")
    async with judging(root, entry(root, *acts, agent=command(root))) as project:
        assert project.value("a", "careful") is False
        paid = project.driver.detail("a", "careful").paid
        assert paid is not None
        assert paid.cost == 0.5
        (note,) = notes(root)
        assert note["files"] == ["out/page.md"]
        assert note["cwd"] != str(root)
        assert not os.path.exists(note["cwd"])
        assert (case_dir(root, "a") / "out" / "page.md").read_text() == "page of a\n"
        assert "stood in output/score.json" in project.driver.detail("a", "careful").output
    assert not folders(root)


async def test_what_is_no_verdict_is_an_error_with_the_agents_words(root: Path) -> None:
    forged = root / "forged.json"
    root.mkdir(exist_ok=True)
    forged.write_text(YES)
    entries = [
        entry(root, "say I am not sure.", name="silent"),
        entry(root, 'say {"passed": "false"}', name="text"),
        entry(root, 'say {"score": 9}', name="high", feedback_type="", score_range=[1, 5]),
        entry(root, f"link {forged}", name="linked"),
        entry(root, "exit 3", name="broken", agent=command(root)),
    ]
    async with judging(root, *entries) as project:
        for name in ("silent", "text", "high", "linked", "broken"):
            found = failed(project, name)
            assert (found.reason, found.retryable) == (Reason.GRADER_ERROR, True), name
        assert "I am not sure." in failed(project, "silent").detail
        assert "off the scale from 1 to 5" in failed(project, "high").detail
        assert "it is a link" in failed(project, "linked").detail
        assert "exit code 3" in failed(project, "broken").detail
        assert "something went wrong" in failed(project, "broken").detail
    assert runs(root) == 5
    async with judging(root, *entries) as project:  # what was paid for is not bought again
        assert failed(project, "silent").reason is Reason.GRADER_ERROR
    assert runs(root) == 5


async def test_time_and_money_end_it_without_a_verdict(root: Path) -> None:
    slow = entry(root, f"write {YES}", "children", "hang", name="slow", agent={"timeout": 1})
    poor = entry(root, f"say {YES}", "cost 2", "end error_max_budget_usd", name="poor")
    async with judging(root, slow, poor) as project:
        assert "timed out" in failed(project, "slow").detail
        assert failed(project, "slow").retryable
        assert not failed(project, "poor").retryable
        pids = [note["pid"] for note in notes(root) if "pid" in note]
        assert len(pids) == 2
        await gone(pids)
    assert not folders(root)


async def test_children_that_it_leaves_are_ended(root: Path) -> None:
    async with judging(root, entry(root, "children", f"say {YES}")) as project:
        assert project.value("a", "careful") is True
        (pid,) = [note["pid"] for note in notes(root) if "pid" in note]
        await gone([pid])


async def test_fifty_megabytes_cost_neither_memory_nor_the_verdict(root: Path) -> None:
    async with judging(root, entry(root, "flood", f"say {YES}", agent=command(root))) as project:
        assert project.value("a", "careful") is True
        assert len(project.driver.detail("a", "careful").output) < 200_000


async def test_cancelling_ends_it_and_keeps_the_cell_waiting(root: Path) -> None:
    write_project(root, [entry(root, "children", "hang")], ["a"])
    project = Live(root, **options(root))
    try:
        await project.driver.start()
        await project.running("a", "careful")
        await project.shown(lambda: sum("pid" in note for note in notes(root)) == 2)
        assert project.driver.cancel(None) == 1
        await asyncio.wait_for(project.driver.idle(), PATIENCE)
        assert project.driver.grid.cell("a", "careful").waiting == "cancelled"
        await gone([note["pid"] for note in notes(root) if "pid" in note])
    finally:
        await project.driver.close()
    assert not folders(root)


async def test_closing_ends_it_and_leaves_nothing(root: Path) -> None:
    write_project(root, [entry(root, "children", "hang")], ["a"])
    project = Live(root, **options(root))
    await project.driver.start()
    await project.shown(lambda: sum("pid" in note for note in notes(root)) == 2)
    await project.driver.close()
    assert not any(alive(note["pid"]) for note in notes(root) if "pid" in note)
    assert not folders(root)


async def test_an_edit_ends_what_it_made_obsolete(root: Path) -> None:
    write_project(root, [entry(root, "hang")], ["a"])
    project = Live(root, **options(root))
    try:
        await project.driver.start()
        await project.shown(lambda: any("pid" in note for note in notes(root)))
        write_config(root, [entry(root, f"say {YES}")])
        await project.shown(lambda: project.value("a", "careful") is True)
        await gone([note["pid"] for note in notes(root) if "pid" in note])
    finally:
        await project.driver.close()


async def test_it_dies_with_the_app_however_that_dies(root: Path) -> None:
    write_project(root, [entry(root, "children", "hang")], ["a"])
    words = ["score", "eval.yaml", "--root", ".", "--auto", "paid", "--budget", "9"]
    app = subprocess.Popen(
        [sys.executable, "-m", "eval_tui.cli", *words],
        cwd=root,
        env=options(root)["environ"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(PATIENCE):
            while sum("pid" in note for note in notes(root)) < 2:
                await asyncio.sleep(0.02)
        pids = [note["pid"] for note in notes(root) if "pid" in note]
        assert all(map(alive, pids))
        app.send_signal(signal.SIGKILL)
        await gone(pids)
        async with asyncio.timeout(PATIENCE):
            while folders(root):
                await asyncio.sleep(0.02)
    finally:
        app.kill()
        app.wait()


async def test_a_runner_that_is_not_installed_says_how_to_get_it(root: Path) -> None:
    (root / "bin" / "claude").unlink()
    other = {"runner": {"type": "cli", "command": ["no-such-agent", "{args}"]}}
    plain = {"runner": {"type": "cli", "command": "bin/claude.py"}}
    entries = [
        entry(root, name="careful"),
        entry(root, name="other", agent=other),
        entry(root, name="plain", agent=plain),
    ]
    async with judging(root, *entries, environ={"PATH": str(root / "bin")}) as project:
        found = failed(project)
        assert (found.reason, found.retryable) == (Reason.UNSUPPORTED, False)
        assert "npm install -g @anthropic-ai/claude-code" in found.detail
        assert "`no-such-agent`" in failed(project, "other").detail
        assert "chmod +x" in failed(project, "plain").detail
        install(root / "bin", "claude")
        project.driver.rerun(project.driver.select("all"))
        await project.driver.idle()
        assert runs(root) == 1


async def test_nothing_runs_without_being_asked_for(root: Path) -> None:
    free = {key: value for key, value in command(root).items() if key != "max_budget_usd"}
    entries = [entry(root, f"say {YES}"), entry(root, f"say {YES}", name="other", agent=free)]
    async with judging(root, *entries, auto="free") as project:
        cell = project.driver.grid.cell("a", "careful")
        assert (cell.state, cell.waiting) == (CellState.WAITING, "money")
        estimate = project.driver.estimate(project.driver.select("waiting"))
        assert (estimate.calls, estimate.cost) == (2, None)
        assert not runs(root)
        project.driver.rerun(project.driver.select("waiting"))
        await project.until(lambda: project.value("a", "other") is True)
        assert runs(root) == 2


async def test_the_budget_holds_for_what_each_may_spend(root: Path) -> None:
    unknown = {key: value for key, value in command(root).items() if key != "max_budget_usd"}
    entries = [
        entry(root, f"say {YES}", "cost 1.5", agent={"max_budget_usd": 2}),
        entry(root, f"say {YES}", name="unknown", agent=unknown),
    ]
    async with judging(root, *entries, cases=("a", "b", "c"), budget=3.6) as project:
        # Each reserves 2 and then has spent 1.5: after two of them there is no room for a third.
        assert runs(root) == 2
        values = [project.value(case, "careful") for case in "abc"]
        assert sorted(map(repr, values)) == ["None", "True", "True"]
        assert project.driver.grid.cell("a", "unknown").waiting == "money"


async def test_samples_are_runs_of_their_own(root: Path) -> None:
    async with judging(root, entry(root, f"say {YES}", samples=3)) as project:
        found = score(project)
        assert isinstance(found, Measured)
        assert [sample.value for sample in found.samples] == [True, True, True]
        assert runs(root) == 3
        assert "[sample 3]" in project.driver.detail("a", "careful").output


async def test_an_edited_context_file_or_script_asks_again(root: Path) -> None:
    agent = {**command(root), "context": ["guide.md", "refs"]}
    agent["runner"] = {"type": "cli", "command": [sys.executable, "bin/claude.py", "{prompt_file}"]}
    judge = entry(root, f"say {YES}", agent=agent)
    (root / "guide.md").write_text("one")
    (root / "refs").mkdir()
    async with judging(root, judge) as project:
        assert notes(root)[0]["files"] == [".context/guide.md", "out/page.md"]
        (root / "guide.md").write_text("two")
        await project.until(lambda: runs(root) == 2)
        script = root / "bin" / "claude.py"
        script.write_text(script.read_text() + "# edited\n")
        await project.until(lambda: runs(root) == 3)
        (root / "refs" / "new.md").write_text("a file in a folder that was empty")
        await project.until(lambda: runs(root) == 4)
        (root / "refs" / "new.md").unlink()
        await project.next_change()
        assert project.value("a", "careful") is True
        assert runs(root) == 4  # as before: bought once


async def test_a_recorded_verdict_stays_until_what_it_was_given_changes(root: Path) -> None:
    recorded = {"per_case": {"a": {"careful": {"value": False, "rationale": "recorded"}}}}
    write_project(root, [entry(root, f"say {YES}")], ["a"], summary=recorded)
    async with live(root, **options(root)) as project:
        assert project.driver.grid.cell("a", "careful").recorded
        assert not runs(root)
        (case_dir(root, "a") / "out" / "page.md").write_text("another page")
        await project.until(lambda: project.value("a", "careful") is True)
        assert runs(root) == 1


async def test_keys_reach_only_who_needs_them_and_are_never_kept(root: Path) -> None:
    key = "sk-test-0123456789-abcdef"
    entries = [
        entry(root, "leak ANTHROPIC_API_KEY"),
        entry(root, "leak ANTHROPIC_API_KEY", name="other", agent=command(root)),
    ]
    write_project(root, entries, ["a"])
    (root / ".env").write_text(f"ANTHROPIC_API_KEY={key}\n")
    async with live(root, **options(root)) as project:
        assert "<ANTHROPIC_API_KEY>" in failed(project).detail
        assert "the key is not there" in failed(project, "other").detail
        assert key not in json.dumps(str(project.driver.detail("a", "careful")))
    kept = [path for path in (root / ".eval-tui").rglob("*") if path.is_file()]
    assert kept
    assert all(key.encode() not in path.read_bytes() for path in kept)


async def test_a_claude_that_is_not_signed_in_is_a_missing_secret(root: Path) -> None:
    acts = ("say Invalid API key · Please run /login", "end success", "cost 0")
    async with judging(root, entry(root, *acts)) as project:
        found = failed(project)
        assert found.reason is Reason.MISSING_SECRET
        assert "Please run /login" in found.detail


async def test_what_would_be_given_can_be_read_without_running(root: Path) -> None:
    async with judging(root, entry(root, f"say {YES}"), auto="free") as project:
        asked = str(await project.driver.prompt("a", "careful"))
        assert "agent: claude-code" in asked
        assert "out/page.md" in asked
        assert not runs(root)
