"""What the app writes when asked to is no reason to judge anything again (S14)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from eval_tui.engine.own_files import OwnFiles
from eval_tui.results.review import NO_OPINION, Opinion
from eval_tui.results.summary_file import scoring_of, write_summary
from eval_tui.tui.opinions import Opinions
from tests.support.live import live
from tests.support.small import run_dir, write_project

READS = """
import os
run = os.path.dirname(os.path.dirname(outputs["case_dir"]))
try:
    return len(open(os.path.join(run, "summary.yaml")).read()) > 0
except FileNotFoundError:
    return False
"""
LISTS = """
import os
return len(os.listdir(os.path.dirname(os.path.dirname(outputs["case_dir"])))) > 0
"""


@pytest.mark.asyncio
async def test_a_written_summary_runs_no_judge_and_one_of_another_hand_does(tmp_path: Path) -> None:
    asks = {"name": "asks", "prompt": "{{ conversation }}", "model": "m", "feedback_type": "bool"}
    judges = [{"name": "reads", "check": READS}, {"name": "lists", "check": LISTS}, asks]
    root = write_project(tmp_path / "p", judges)
    async with live(root) as project:
        driver = project.driver
        folder, ran, trigger = driver.run_dir, project.ran, driver.status.trigger
        assert (ran, project.value("a", "reads")) == (6, False)
        path = os.path.join(folder, "summary.yaml")
        scoring = scoring_of(driver.grid, driver.full_score, "r1", str(root))
        assert await driver.write_own(path, lambda: write_summary(folder, scoring)) == path
        with (root / "eval.yaml").open("a") as config:
            config.write("# nothing new\n")
        await project.next_change()  # whatever came before it has been taken in
        assert (project.ran, driver.status.trigger) == (ran, trigger)
        (run_dir(root) / "summary.yaml").write_text("run_id: another hand\n")
        await project.until(lambda: project.value("a", "reads") is True)
        assert project.ran > ran


@pytest.mark.asyncio
async def test_a_written_opinion_runs_no_judge_and_one_of_another_hand_does(tmp_path: Path) -> None:
    reads = {"name": "reads", "check": READS.replace("summary.yaml", "review.yaml")}
    root = write_project(tmp_path / "p", [reads, {"name": "lists", "check": LISTS}], ["a"])
    async with live(root) as project:
        ran = project.ran
        await Opinions(project.driver).put("a", Opinion(True, "fine"), NO_OPINION)
        review = run_dir(root) / "review.yaml"
        assert "fine" in review.read_text()
        with (root / "eval.yaml").open("a") as config:
            config.write("# nothing new\n")
        await project.next_change()  # whatever came before it has been taken in
        assert (project.ran, project.value("a", "reads")) == (ran, False)
        review.write_text("run_id: another hand\n")
        await project.until(lambda: project.value("a", "reads") is True)


def test_only_files_as_they_were_left_are_own(tmp_path: Path) -> None:
    own, path = OwnFiles(), str(tmp_path / "summary.yaml")
    other = str(tmp_path / "other")
    with own.writing(path):
        Path(path).write_text("a: 1\n")
        assert own.foreign([path]) == frozenset()
    assert own.foreign([path, str(tmp_path)]) == frozenset()
    assert own.foreign([path, str(tmp_path), other]) == {str(tmp_path), other}
    Path(path).write_text("b: 22\n")
    assert own.foreign([path]) == {path}
    with pytest.raises(OSError), own.writing(path):
        raise OSError("there is no room")
    assert own.foreign([path]) == {path} and not own.as_left(path)


def test_what_was_left_is_known_to_later_sessions_until_somebody_changes_it(tmp_path: Path) -> None:
    path, folder = tmp_path / "summary.yaml", str(tmp_path)
    own = OwnFiles(folder)
    assert not own.as_left(str(path)), "there is none"
    with own.writing(str(path)):
        path.write_text("a: 1\n")
    assert own.as_left(str(path)) and OwnFiles(folder).as_left(str(path))
    assert not OwnFiles(str(tmp_path / "another-store")).as_left(str(path))
    path.write_text("a: 22\n")
    assert not own.as_left(str(path))
    assert not OwnFiles(folder).as_left(str(path))
    path.unlink()
    assert not own.as_left(str(path))
