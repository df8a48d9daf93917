"""Who may say what passing means: declarations, their lock, and the command around it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pexpect
import pytest

from eval_tui.config.load import load_config
from eval_tui.engine.authority import Authority
from eval_tui.verdicts.lock import Review, UnreadableLock, lock_text, read_lock
from tests.support.small import write_project

SCRIPT = """#!/bin/sh
echo '{"value": 1, "pass": true}'
"""
DECLARED = {
    "id": "script",
    "config": {"id": "business", "cmd": "sh checks/check.sh"},
    "metrics": [{"id": "quality", "authority": "ground_truth", "direction": "higher_is_better"}],
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_project(
        tmp_path / "p",
        [{"name": "talk", "check": "return True"}],
        ("a", "b"),
        files={"checks/check.sh": SCRIPT},
        graders=[DECLARED],
    )


def authority(root: Path) -> Authority:
    found = Authority()
    found.read(load_config(root / "eval.yaml", root))
    return found


def only(found: Authority) -> Review:
    (one,) = found.reviews
    return one


def accepted(root: Path) -> Authority:
    found = authority(root)
    found.accept(only(found), "a reviewer", "matches the totals of finance")
    return found


def change(root: Path, **metric: Any) -> None:
    document = {**DECLARED, "metrics": [{**DECLARED["metrics"][0], **metric}]}
    write_project(root, [{"name": "talk", "check": "return True"}], (), graders=[document])


class TestStates:
    def test_a_declaration_that_nobody_has_seen_is_unreviewed_and_a_warning(
        self, project: Path
    ) -> None:
        found = authority(project)
        assert only(found).state == "unreviewed"
        (problem,) = found.problems
        assert problem.severity == "warning"
        assert "`quality`" in problem.message
        assert problem.line > 0

    def test_accepting_is_written_down_with_the_digests_of_what_was_seen(
        self, project: Path
    ) -> None:
        found = accepted(project)
        assert only(found).state == "accepted"
        assert found.problems == ()
        (entry,) = json.loads((project / "eval-tui.lock").read_text())["ground_truth"]
        assert (entry["grader"], entry["metric"]) == ("business", "quality")
        assert (entry["accepted_by"], entry["note"]) == (
            "a reviewer",
            "matches the totals of finance",
        )
        assert entry["files"].keys() == {"checks/check.sh"}
        assert entry["spec_digest"].startswith("sha256:")

    def test_the_lock_holds_for_everybody_who_reads_it(self, project: Path) -> None:
        accepted(project)
        assert only(authority(project)).state == "accepted"

    def test_another_script_drifts_and_is_shown_as_a_diff(self, project: Path) -> None:
        accepted(project)
        (project / "checks" / "check.sh").write_text("#!/bin/sh\necho SCORE=0\n")
        found = authority(project)
        assert (only(found).state, only(found).changed) == ("drifted", ("checks/check.sh",))
        spec, script = found.texts(only(found))
        assert spec.before == spec.now
        assert (script.before, script.now) == (SCRIPT, "#!/bin/sh\necho SCORE=0\n")

    def test_a_script_that_is_gone_drifts(self, project: Path) -> None:
        accepted(project)
        (project / "checks" / "check.sh").unlink()
        assert only(authority(project)).state == "drifted"

    def test_another_declaration_drifts(self, project: Path) -> None:
        accepted(project)
        change(project, direction="lower_is_better")
        found = authority(project)
        assert (only(found).state, only(found).changed) == ("drifted", ("the declaration",))
        spec = found.texts(only(found))[0]
        assert spec.before is not None
        assert spec.now is not None
        assert "higher_is_better" in spec.before
        assert "lower_is_better" in spec.now

    def test_what_was_accepted_is_shown_whole_where_its_text_is_lost(self, project: Path) -> None:
        accepted(project)
        for kept in (project / ".eval-tui" / "accepted").iterdir():
            kept.unlink()
        (project / "checks" / "check.sh").write_text("other\n")
        found = authority(project)
        spec, script = found.texts(only(found))
        assert script.before is None
        assert spec.before == spec.now  # it is the same: that is told by its digest

    def test_a_declaration_that_is_gone_is_orphaned_until_that_is_accepted(
        self, project: Path
    ) -> None:
        accepted(project)
        change(project, authority="objective")
        found = authority(project)
        assert only(found).state == "orphaned"
        found.accept(only(found), "a reviewer")
        assert found.reviews == ()
        assert read_lock(str(project / "eval-tui.lock")).entries == ()

    def test_names_that_belong_to_implementations_need_nobody(self, tmp_path: Path) -> None:
        graders = [{"id": "tests-pass", "config": {"cmd": "true"}}, {"id": "cost"}]
        write_project(tmp_path / "p", [], (), graders=graders)
        assert authority(tmp_path / "p").reviews == ()

    def test_each_config_of_a_folder_keeps_its_own_acceptances(self, project: Path) -> None:
        found = accepted(project)
        second = project / "second.yaml"
        second.write_text((project / "eval.yaml").read_text())
        other = Authority()
        other.read(load_config(second, project))
        assert only(other).state == "unreviewed"
        other.accept(only(other), "Joe")
        found.read(load_config(project / "eval.yaml", project))
        assert only(found).state == "accepted"

    @pytest.mark.parametrize(
        "text", ["{", "[]", '{"version": 2, "ground_truth": []}', '{"version": 1, "ground_truth": [{}]}']
    )  # fmt: skip
    def test_a_lock_that_cannot_be_read_accepts_nothing_and_is_not_overwritten(
        self, project: Path, text: str
    ) -> None:
        accepted(project)
        (project / "eval-tui.lock").write_text(text)
        found = authority(project)
        assert only(found).state == "unreviewed"
        assert found.problems[0].code == "lock-unreadable"
        with pytest.raises(UnreadableLock):
            found.accept(only(found), "a reviewer")
        assert (project / "eval-tui.lock").read_text() == text

    def test_a_lock_reads_back_as_it_was_written(self, project: Path) -> None:
        accepted(project)
        path = project / "eval-tui.lock"
        assert lock_text(read_lock(str(path))) == path.read_text()


def test_the_example_is_accepted_as_it_stands() -> None:
    root = Path(__file__).resolve().parents[2] / "examples" / "graders"
    found = authority(root)
    assert [(one.metric, one.state) for one in found.reviews] == [("matches_ledger", "accepted")]


def run(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "eval_tui.cli", *words]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)


class TestCommand:
    def test_check_fails_until_a_person_has_accepted(self, project: Path) -> None:
        assert run(project, "authority", "check").returncode == 3
        refused = run(project, "authority", "accept", "quality")
        assert refused.returncode == 2
        assert "--by" in refused.stderr
        assert not (project / "eval-tui.lock").exists()
        done = run(project, "authority", "accept", "quality", "--by", "a reviewer")
        assert done.returncode == 0, done.stderr
        assert run(project, "authority", "check").returncode == 0
        (project / "checks" / "check.sh").write_text("other\n")
        assert "warning eval.yaml" in run(project, "check").stdout
        drifted = run(project, "authority", "check")
        assert drifted.returncode == 3
        assert "checks/check.sh" in drifted.stdout

    def test_a_name_that_nothing_has_selects_nothing(self, project: Path) -> None:
        done = run(project, "authority", "accept", "speed", "--by", "a reviewer")
        assert done.returncode == 4
        assert "business/quality" in done.stderr

    def test_a_terminal_asks_for_the_name_of_the_metric(self, project: Path) -> None:
        def typed(*answers: str) -> int:
            words = ["-m", "eval_tui.cli", "authority", "accept", "quality"]
            child = pexpect.spawn(sys.executable, words, cwd=str(project), timeout=60)
            child.expect("type 'quality'")
            for answer in answers:
                child.sendline(answer)
            child.expect(pexpect.EOF)
            child.close()
            return int(child.exitstatus or 0)

        assert typed("yes") == 2
        assert not (project / "eval-tui.lock").exists()
        assert typed("quality", "a reviewer") == 0
        assert (project / "eval-tui.lock").exists()

    def test_list_says_how_many_verdicts_would_change(self, project: Path) -> None:
        scored = run(project, "score", "--format", "json")
        document = json.loads(scored.stdout)
        assert {one["cause"] for one in document["verdicts"].values()} == {"unreviewed_authority"}
        details = {one["detail"] for one in document["verdicts"].values()}
        assert details == {"nobody has accepted this ground truth as it is: quality"}
        listed = run(project, "authority", "list").stdout
        assert "unreviewed" in listed
        assert "2 become passed" in listed
        run(project, "authority", "accept", "quality", "--by", "a reviewer")
        again = json.loads(run(project, "score", "--format", "json").stdout)
        assert again["ran"] == 0
        assert {one["verdict"] for one in again["verdicts"].values()} == {True}
        assert again["policy"] == document["policy"]
