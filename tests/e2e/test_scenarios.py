"""What people ask for while watching and rerunning, on small projects with real events."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from eval_tui.engine.driver import Driver
from eval_tui.engine.grid import CellKey, CellState
from eval_tui.engine.project import Options
from eval_tui.engine.supervisor import supervisors
from eval_tui.results.board import make_board
from eval_tui.scores import Reason, Unmeasured
from eval_tui.watch import Watcher
from tests.support.live import Live, live
from tests.support.small import case_dir, run_dir, write_case, write_config, write_project

LENGTH = {"name": "length", "check": "return len(outputs['out_content'])"}
TALK = {"name": "talk", "check": "return 'wrote' in outputs['conversation']"}


def unmeasured(project: Live, case: str, judge: str) -> Unmeasured:
    score = project.driver.detail(case, judge).score
    assert isinstance(score, Unmeasured)
    return score


async def test_errors_leave_the_rate_and_are_counted(tmp_path: Path) -> None:
    """S3, S4, S5: two of eight crash; the others are measured and the reason is the exception's."""
    check = "if 'c3' in outputs['case_dir'] or 'c5' in outputs['case_dir']:\n    raise OSError('disk on fire')\nreturn True"
    cases = [f"c{i}" for i in range(8)]
    write_project(tmp_path / "p", [{"name": "j", "check": check}], cases)
    async with live(tmp_path / "p") as project:
        view = make_board(project.driver.grid, project.driver.config).column("j")
        assert view is not None
        assert "6/8 measured" in view.summary
        score = unmeasured(project, "c3", "j")
        assert score.reason is Reason.GRADER_ERROR
        assert "OSError" in score.detail
        assert "disk on fire" in score.detail
        assert project.value("c4", "j") is True


async def test_an_edited_judge_keeps_what_it_said_before(tmp_path: Path) -> None:
    """The history of a cell outlives the edit that changed it, and a restart."""

    def judges(limit: int) -> list[dict[str, str]]:
        return [{"name": "j", "check": f"return {limit} > 2, 'limit {limit}'"}, LENGTH]

    def history(project: Live) -> list[object]:
        return [past.score.rationale for past in project.driver.detail("a", "j").history]  # type: ignore[union-attr]

    root = write_project(tmp_path / "p", judges(3), ["a"])
    async with live(root) as project:
        assert history(project) == []
        write_config(root, judges(1))
        await project.until(lambda: project.value("a", "j") is False)
        assert history(project) == ["limit 3"]
    async with live(root) as project:
        assert project.ran == 0
        assert history(project) == ["limit 3"]


async def test_no_judges_is_said_without_a_percentage(tmp_path: Path) -> None:
    """S6"""
    write_project(tmp_path / "p", [])
    async with live(tmp_path / "p") as project:
        board = make_board(project.driver.grid, project.driver.config)
        assert "No judges" in board.empty
        assert "%" not in board.empty + board.headline


async def test_a_recorded_null_says_that_no_reason_was_recorded(tmp_path: Path) -> None:
    """S8"""
    judge = {"name": "m", "prompt": "{{ conversation }}", "model": "some-model"}
    summary = {"per_case": {"a": {"m": {"value": None}}}}
    write_project(tmp_path / "p", [judge], summary=summary)
    async with live(tmp_path / "p") as project:
        assert "no value and no reason recorded" in unmeasured(project, "a", "m").detail


async def test_a_prompt_file_concerns_its_own_column(tmp_path: Path) -> None:
    """S9"""
    judges = [
        {"name": "m", "prompt_file": "prompts/m.md", "model": "x"},
        {"name": "n", "prompt": "{{ conversation }}", "model": "x"},
        LENGTH,
    ]
    row = {name: {"value": 4, "rationale": "fine"} for name in ("m", "n")}
    root = write_project(
        tmp_path / "p",
        judges,
        summary={"per_case": {"a": row}},
        files={"prompts/m.md": "Judge {{ conversation }}"},
    )
    async with live(root) as project:
        before = project.ran
        (root / "prompts" / "m.md").write_text("Judge harder {{ conversation }}")
        await project.next_change()
        assert project.driver.grid.cell("a", "m").state is CellState.WAITING
        assert project.driver.grid.cell("a", "n").state is CellState.FRESH
        assert project.ran == before


async def test_many_saves_are_one_rerun_and_temporary_files_none(tmp_path: Path) -> None:
    """S12"""
    root = write_project(tmp_path / "p", [LENGTH])
    page = case_dir(root, "a") / "out" / "page.md"
    async with live(root) as project:
        before = project.ran
        for i in range(20):
            (root / f".eval.yaml.{i}.swp").write_text("x")
            page.write_text("x" * i)
        await project.until(lambda: project.value("a", "length") == 19)
        assert project.ran - before <= 2


async def test_a_checkout_is_judged_in_its_final_state(tmp_path: Path) -> None:
    """S13: 2,000 files change; the grid ends on what is there in the end."""
    root = write_project(tmp_path / "p", [LENGTH], [f"c{i:03}" for i in range(200)])
    async with live(root) as project:
        for case in [row.case for row in project.driver.grid.rows]:
            for i in range(9):
                (case_dir(root, case) / "out" / f"z{i}.md").write_text("more")
            (case_dir(root, case) / "out" / "page.md").write_text("final!!")
        await project.until(
            lambda: {project.value(r.case, "length") for r in project.driver.grid.rows} == {7}
        )


async def test_a_judge_that_writes_into_the_run_is_named_and_starts_nothing(tmp_path: Path) -> None:
    """S14"""
    check = (
        "import os, time\n"
        "path = os.path.join(outputs['case_dir'], 'report.txt')\n"
        "open(path, 'a').write('again')\n"
        "begin = time.monotonic()\n"
        "while time.monotonic() - begin < 0.4:\n    pass  # its own event comes while it runs\n"
        "return open(os.path.join(outputs['case_dir'], 'out', 'page.md')).read()[:3] == 'end'"
    )
    root = write_project(tmp_path / "p", [{"name": "writer", "check": check}], ["a"])
    async with live(root) as project:
        before = project.ran
        (case_dir(root, "a") / "out" / "page.md").write_text("end of it")
        await project.until(lambda: project.value("a", "writer") is True)
        assert any(
            p.code == "judge-writes" and p.judge == "writer" for p in project.driver.problems
        )
        (root / "data" / "b").mkdir()  # seen after everything that the judge wrote
        await project.until(lambda: len(project.driver.grid.rows) == 2)
        assert project.ran - before == 1


async def test_a_judge_that_reads_what_another_wrote_follows_it(tmp_path: Path) -> None:
    """S14: the writer is not started by its own file, but whoever reads that file is."""
    find = "import os\npath = os.path.join(outputs['case_dir'], 'report.txt')\n"
    reader = find + "return len(open(path).read()) if os.path.exists(path) else -1"
    writer = find + (
        "text = open(os.path.join(outputs['case_dir'], 'out', 'page.md')).read()\n"
        "open(path, 'w').write(text)\nreturn len(text)"
    )
    judges = [{"name": "reader", "check": reader}, {"name": "writer", "check": writer}]
    root = write_project(tmp_path / "p", judges, ["a"])
    async with live(root) as project:
        for length in (5, 9):
            (case_dir(root, "a") / "out" / "page.md").write_text("x" * length)
            await project.until(lambda n=length: project.value("a", "writer") == n)
            await project.until(lambda n=length: project.value("a", "reader") == n)
        assert not [p for p in project.driver.problems if p.code == "judges-in-circles"]


async def test_judges_that_start_each_other_are_named_and_stopped(tmp_path: Path) -> None:
    """S14"""

    def feeding(own: str, other: str) -> str:
        return (
            "import os\nfolder = outputs['case_dir']\n"
            f"theirs = os.path.join(folder, '{other}')\n"
            "told = int(open(theirs).read()) if os.path.exists(theirs) else 0\n"
            f"open(os.path.join(folder, '{own}'), 'w').write(str(told + 1))\nreturn told"
        )

    judges = [
        {"name": "one", "check": feeding("one.txt", "two.txt")},
        {"name": "two", "check": feeding("two.txt", "one.txt")},
        {"name": "apart", "check": "return len(outputs['out_content'])"},
    ]
    root = write_project(tmp_path / "p", judges, ["a"])
    async with live(root) as project:
        await project.until(
            lambda: any(p.code == "judges-in-circles" for p in project.driver.problems)
        )
        (case_dir(root, "a") / "out" / "page.md").write_text("seen")
        await project.until(lambda: project.value("a", "apart") == 4)
        (root / "data" / "b").mkdir()  # seen after everything that the judges wrote
        await project.until(lambda: len(project.driver.grid.rows) == 2)
        await project.driver.idle()
        named = [p for p in project.driver.problems if p.code == "judges-in-circles"]
        assert len(named) == 1
        assert "one" in named[0].message
        assert "two" in named[0].message
        assert project.ran <= 20


async def test_every_save_by_rename_is_seen(tmp_path: Path) -> None:
    """S16"""
    root = write_project(tmp_path / "p", [LENGTH])
    page = case_dir(root, "a") / "out" / "page.md"
    async with live(root) as project:
        for length in (3, 5, 8):
            fresh = page.with_name("page.md.new")
            fresh.write_text("x" * length)
            os.replace(fresh, page)
            await project.until(lambda n=length: project.value("a", "length") == n)


async def test_a_deleted_run_folder_is_said(tmp_path: Path) -> None:
    root = write_project(tmp_path / "p", [LENGTH])
    shutil.copytree(run_dir(root), run_dir(root).with_name("r0"))
    (run_dir(root).with_name("r0") / "run_result.json").write_text(
        json.dumps({"started_at": "2001-01-01T00:00:00Z"})
    )
    async with live(root) as project:
        assert not project.driver.status.banner
        shutil.move(run_dir(root), tmp_path / "aside")
        await project.until(lambda: project.driver.status.run_id == "r0")
        assert "run r1 is gone" in project.driver.status.banner
        shutil.rmtree(run_dir(root).with_name("r0"))
        await project.until(lambda: "run r0 is gone" in project.driver.status.banner)


async def test_a_project_behind_a_link_is_watched(tmp_path: Path) -> None:
    root = write_project(tmp_path / "p", [LENGTH], ["a"])
    link = tmp_path / "link"
    link.symlink_to(root)
    driver = Driver(Options(root=str(link)), supervisors(None, str(root)), Watcher)
    try:
        await driver.start()
        await driver.idle()
        assert driver.options.root == str(root.resolve())
        assert driver.config is not None
        assert driver.config.path == str(root.resolve() / "eval.yaml")
    finally:
        await driver.close()


async def test_a_cell_that_is_due_while_paused_is_counted_once(tmp_path: Path) -> None:
    root = write_project(tmp_path / "p", [LENGTH], ["a"])
    async with live(root) as project:
        project.driver.pause(True)
        (case_dir(root, "a") / "out" / "page.md").write_text("other words")
        await project.shown(lambda: project.driver.status.queued == 1)
        assert project.driver.grid.cell("a", "length").waiting == "paused"
        assert project.driver.status.waiting == 0
        project.driver.pause(False)
        await project.until(lambda: project.value("a", "length") == 11)


async def test_a_recreated_run_folder_comes_back(tmp_path: Path) -> None:
    """S16"""
    root = write_project(tmp_path / "p", [LENGTH])
    async with live(root) as project:
        shutil.move(run_dir(root), tmp_path / "aside")
        await project.until(lambda: all(r.status == "not_run" for r in project.driver.grid.rows))
        shutil.move(tmp_path / "aside", run_dir(root))
        (case_dir(root, "b") / "out" / "page.md").write_text("12345")
        await project.until(lambda: project.value("b", "length") == 5)


async def test_polling_sees_changes_and_says_so(tmp_path: Path) -> None:
    """S17"""
    root = write_project(tmp_path / "p", [LENGTH])
    Live.driver_polls = True
    try:
        async with live(root) as project:
            assert project.driver.status.watching == "polling"
            (case_dir(root, "a") / "out" / "page.md").write_text("123")
            await project.until(lambda: project.value("a", "length") == 3)
    finally:
        Live.driver_polls = False


async def test_a_new_run_is_followed_unless_another_was_chosen(tmp_path: Path) -> None:
    """S18"""
    root = write_project(tmp_path / "p", [LENGTH])
    (run_dir(root) / "run_result.json").write_text(json.dumps({"start_time": 1000}))
    async with live(root) as project:
        write_case(root, "a", "r2", text="second")
        (run_dir(root, "r2") / "run_result.json").write_text(json.dumps({"start_time": 2000}))
        await project.until(lambda: project.driver.status.run_id == "r2")
        assert [run.id for run in project.driver.runs()] == ["r2", "r1"]
        await project.until(lambda: project.value("a", "length") == len("second of a\n"))
        await project.driver.open_run("r1")
        write_case(root, "a", "r3")
        (run_dir(root, "r3") / "run_result.json").write_text(json.dumps({"start_time": 3000}))
        await project.until(lambda: len(project.driver.runs()) == 3)
        assert project.driver.status.run_id == "r1"


async def test_a_new_judge_is_one_new_column(tmp_path: Path) -> None:
    """S21"""
    root = write_project(tmp_path / "p", [LENGTH])
    async with live(root) as project:
        before = project.ran
        write_config(root, [LENGTH, TALK])
        await project.next_change()
        assert project.ran - before == 3
        assert project.value("b", "talk") is True


async def test_a_helper_concerns_the_judges_that_import_it(tmp_path: Path) -> None:
    """S23"""
    judges = [
        {"name": "mod", "module": "judging.mod", "function": "score"},
        {"name": "other", "module": "judging.other", "function": "score"},
        LENGTH,
    ]
    files = {
        "judging/__init__.py": "",
        "judging/mod.py": "from judging import helper\n\n\ndef score(outputs):\n    return helper.N\n",
        "judging/helper.py": "N = 1\n",
        "judging/other.py": "def score(outputs):\n    return 7\n",
    }
    root = write_project(tmp_path / "p", judges, files=files)
    async with live(root) as project:
        before = project.ran
        (root / "judging" / "helper.py").write_text("N = 2\n")
        await project.next_change()
        assert project.ran - before == 3
        assert [project.value(case, "mod") for case in "abc"] == [2, 2, 2]


async def test_events_of_one_case_run_the_cells_that_read_them(tmp_path: Path) -> None:
    """S24"""
    root = write_project(tmp_path / "p", [LENGTH, TALK])
    async with live(root) as project:
        before = project.ran
        (case_dir(root, "a") / "events.json").write_text("[]")
        await project.until(lambda: project.value("a", "talk") is False)
        assert project.ran - before == 1


async def test_a_rerun_really_runs_and_a_reused_value_says_so(tmp_path: Path) -> None:
    """S25"""
    root = write_project(tmp_path / "p", [LENGTH])
    async with live(root) as project:
        before = project.ran
        assert project.driver.rerun([CellKey("a", "length")], force=True) == 1
        await project.driver.idle()
        assert project.ran - before == 1
        assert not project.driver.detail("a", "length").reused
    async with live(root) as project:
        assert project.ran == 0
        assert project.driver.detail("a", "length").reused


async def test_a_retry_concerns_only_what_was_not_measured(tmp_path: Path) -> None:
    """Neither the cells beside it nor a judge whose name begins like its own are judged again."""
    ready, log = tmp_path / "ready", tmp_path / "log"
    told = f"with open({str(log)!r}, 'a') as log:\n    log.write(%r)\n"
    late = f"import os\nif not os.path.exists({str(ready)!r}) and 'a' in outputs['out_content'][-3:]:\n"
    judges = [
        {"name": "q", "check": told % "q" + late + "    raise OSError('busy')\nreturn True"},
        {"name": "q:part", "check": told % "p" + "return False"},
    ]
    root = write_project(tmp_path / "p", judges, ["a", "b"])
    async with live(root) as project:
        assert unmeasured(project, "a", "q").retryable
        before, ready_now = log.read_text(), project.driver.select("retryable")
        assert (sorted(before), ready_now) == (["p", "p", "q", "q"], (CellKey("a", "q"),))
        ready.write_text("")
        project.driver.rerun(project.driver.select("retryable"))
        await project.driver.idle()
        assert (project.value("a", "q"), project.value("b", "q")) == (True, True)
        assert [project.value(case, "q:part") for case in "ab"] == [False, False]
        assert log.read_text() == before + "q"
        assert project.driver.select("retryable") == ()


async def test_cancelled_cells_keep_their_value_and_say_so(tmp_path: Path) -> None:
    """S22, D46"""
    slow = {"name": "slow", "check": "import os\nwhile os.path.exists('hold'):\n    pass\nreturn 1"}
    root = write_project(tmp_path / "p", [LENGTH, slow], ["a"])
    async with live(root) as project:
        assert project.value("a", "slow") == 1
        (root / "hold").write_text("")
        await project.running("a", "slow")
        assert project.driver.cancel(None) == 1
        await project.driver.idle()
        cell = project.driver.grid.cell("a", "slow")
        assert (cell.state, cell.waiting) == (CellState.WAITING, "cancelled")
        assert project.value("a", "slow") == 1
        (root / "hold").unlink()
        await project.until(lambda: project.driver.grid.cell("a", "slow").state is CellState.FRESH)


@pytest.mark.parametrize(
    ("check", "words"),
    [
        ("while True: pass", "limit of 0.5 s"),
        ("import os; os._exit(3)", "exited with code 3"),
        ("import os\nos.kill(os.getpid(), 11)", "SIGSEGV"),
    ],
)
async def test_a_judge_that_takes_its_process_down_costs_its_own_cells(
    tmp_path: Path, check: str, words: str
) -> None:
    root = write_project(tmp_path / "p", [{"name": "bad", "check": check}, LENGTH], ["a", "b"])
    async with live(root, judge_timeout=0.5) as project:
        for case in ("a", "b"):
            lost = unmeasured(project, case, "bad")
            assert words in lost.detail
            assert lost.retryable == words.startswith("limit")
            assert project.value(case, "length") == len(f"page of {case}\n")
        write_config(root, [{"name": "bad", "check": "return True"}, LENGTH])
        await project.until(lambda: project.value("b", "bad") is True)


async def test_a_hanging_judge_holds_up_no_other(tmp_path: Path) -> None:
    hanging = {"name": "hanging", "check": "while True: pass"}
    root = write_project(tmp_path / "p", [hanging, LENGTH], ["a", "b", "c", "d", "e"])
    project = Live(root)
    try:
        await project.driver.start()
        await project.shown(lambda: all(project.value(case, "length") for case in "abcde"))
        assert project.driver.grid.cell("a", "hanging").score is None, "long before its limit"
    finally:
        await project.driver.close()


async def test_fifty_megabytes_of_output_are_kept_at_both_ends(tmp_path: Path) -> None:
    check = "print('first')\nfor _ in range(50):\n    print('x' * 1_000_000)\nprint('last')\nreturn True"
    root = write_project(tmp_path / "p", [{"name": "loud", "check": check}], ["a"])
    async with live(root) as project:
        assert project.value("a", "loud") is True
        output = project.driver.detail("a", "loud").output
        assert output.startswith("first")
        assert output.rstrip().endswith("last")
        assert len(output) < 70_000
