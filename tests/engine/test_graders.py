"""Graders in real workers: commands that behave, and commands that do everything they should not."""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from eval_tui.engine import scratch
from eval_tui.scores import Measured, Reason, Score, Unmeasured
from tests.engine.support_pool import descendants, gone
from tests.support.live import PATIENCE, Live, live
from tests.support.small import case_dir, write_case, write_config, write_project

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")

SCORE = """echo '{"metric": "m", "value": 1, "pass": true}'"""


def script(name: str, cmd: str, **config: Any) -> dict[str, Any]:
    return {"id": "script", "config": {"id": name, "cmd": cmd, **config}}


def reward(name: str, cmd: str) -> dict[str, Any]:
    return {"id": "reward-file", "config": {"id": name, "cmd": cmd}}


def project(root: Path, *graders: dict[str, Any], cases: tuple[str, ...] = ("a",)) -> Path:
    return write_project(root, [], cases, graders=list(graders))


def score(opened: Live, judge: str, case: str = "a") -> Score:
    found = opened.driver.session.full_score(_key(case, judge))
    assert found is not None
    return found


def _key(case: str, judge: str) -> Any:
    from eval_tui.engine.grid import CellKey

    return CellKey(case, judge)


def output(opened: Live, judge: str, case: str = "a") -> str:
    return opened.driver.detail(case, judge).output


def unmeasured(opened: Live, judge: str, case: str = "a") -> Unmeasured:
    found = score(opened, judge, case)
    assert isinstance(found, Unmeasured), found
    return found


def tree(folder: Path) -> dict[str, tuple[int, int]]:
    """Everything below a folder with its size and time."""
    return {
        str(path.relative_to(folder)): (path.stat().st_size, path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
    }


HANG = "echo started; sleep 1000"
LEAVES = f"(trap '' TERM; sleep 1000) & setsid sleep 1000 & nohup sleep 1000 >&2 & {SCORE}"
FORKS = "while :; do sleep 1000 & done"
PRINTS = f"yes 0123456789012345678901234567890123456789 | head -c 50000000; {SCORE}"
WRITES = f"echo x > new.txt; echo y >> out/page.md; mkdir deep; {SCORE}"
DELETES = f'rm -rf "$EVAL_TUI_CASE"; {SCORE}'
LOCKS = f"mkdir locked; touch locked/x; chmod 000 locked; {SCORE}"
NAN = """echo '{"metric": "m", "value": NaN}'"""
TWO = """echo '[{"metric": "m", "value": 1}, {"metric": "n", "value": 0.5, "pass": false}]'"""


async def test_hostile_commands_each_cost_their_own_cell(tmp_path: Path) -> None:
    root = project(
        tmp_path / "p",
        script("hangs", HANG, timeoutSec=0.3),
        script("forks", FORKS, timeoutSec=0.3),
        script("leaves", LEAVES),
        script("prints", PRINTS),
        script("writes", WRITES),
        script("deletes", DELETES),
        script("locks", LOCKS),
        script("nan", NAN),
        script("nothing", "true"),
        script("two", TWO),
        {"id": "tests-pass", "config": {"cmd": "kill -9 $$"}},
        script("reads", f"cat; {SCORE}"),
        script("fails", f"{SCORE}; echo because >&2; exit 3"),
    )
    before, others = tree(root), set(descendants(os.getpid()))
    async with live(root) as opened:
        for judge, words in (("hangs", "0.3 s"), ("forks", "0.3 s")):
            late = unmeasured(opened, judge)
            assert late.reason is Reason.GRADER_ERROR and late.retryable
            assert "timed out" in late.detail and words in late.detail
        assert "started" in output(opened, "hangs")
        for judge in ("leaves", "prints", "writes", "deletes", "locks", "reads"):
            found = score(opened, judge)
            assert isinstance(found, Measured) and found.passed is True, (judge, found)
        assert len(output(opened, "prints")) < 200_000
        assert unmeasured(opened, "nan").reason is Reason.CONTRACT_VIOLATION
        assert unmeasured(opened, "nothing").reason is Reason.GRADER_ERROR
        assert unmeasured(opened, "tests-pass").reason is Reason.GRADER_ERROR
        failed = unmeasured(opened, "fails")
        assert failed.reason is Reason.GRADER_ERROR and not failed.retryable
        assert "exit 3: because" in failed.detail
        both = score(opened, "two")
        assert isinstance(both, Measured) and both.value == 1
        assert both.parts["n"] == Measured(0.5, False)
        workers = set(descendants(os.getpid())) - others
        assert not [pid for pid in workers if _command(pid) in ("sleep", "sh", "yes", "cat")]
        after = {name: seen for name, seen in tree(root).items() if ".eval-tui" not in name}
        assert after == before
        ran = opened.ran
        await opened.driver.idle()
        assert opened.ran == ran == 13
    await gone(list(workers))
    assert _scratch_folders() == []


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def _scratch_folders() -> list[str]:
    """Folders of supervisors that are gone."""
    place = os.path.dirname(scratch.folder_of(0))
    prefix = os.path.basename(scratch.folder_of(0)).removesuffix("0")
    numbers = [name.removeprefix(prefix) for name in os.listdir(place) if name.startswith(prefix)]
    return [number for number in numbers if not os.path.exists(f"/proc/{number}")]


async def test_what_a_command_gets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRICING", "cheap")
    monkeypatch.setenv("UNNAMED", "private")
    root = project(
        tmp_path / "p",
        script(
            "look",
            "env | sort; pwd; ls; cat out/page.md; stat -L -c %F /dev/stdin; "
            f'test "$1" = "$EVAL_TUI_CONTEXT" && echo same; {SCORE}',
            env=["PRICING", "SHOP_TOKEN"],
        ),
        script("own", f'echo "$MODE"; {SCORE}', env={"MODE": "strict", "PRICING": None}),
        script("inner", f"pwd; {SCORE}", cwd="out"),
        script("gone", SCORE, cwd="nowhere"),
        script("bare", SCORE, env=["NEVER_SET_TOKEN"]),
    )
    (root / ".env").write_text("SHOP_TOKEN=tok-4711-secret\n")
    async with live(root) as opened:
        text = output(opened, "look")
        assert "PRICING=cheap" in text and "UNNAMED" not in text
        assert "SHOP_TOKEN=" in text and "tok-4711-secret" not in text
        assert f"EVAL_TUI_PROJECT={root.resolve()}" in text
        folder = next(line for line in text.splitlines() if line.startswith("EVAL_TUI_CASE="))
        folder = folder.partition("=")[2]
        assert f"\n{folder}\n" in text and "page of a" in text and "\nsame\n" in text
        assert not folder.startswith(str(root)) and not os.path.exists(folder)
        assert "character special file" in text
        assert "strict" in output(opened, "own")
        assert "/case/out\n" in output(opened, "inner")
        assert unmeasured(opened, "gone").reason is Reason.MISSING_EVIDENCE
        lacks = unmeasured(opened, "bare")
        assert lacks.reason is Reason.MISSING_SECRET and "NEVER_SET_TOKEN" in lacks.detail
        (root / ".env").write_text("NEVER_SET_TOKEN=abcdefghij\n")
        await opened.until(lambda: isinstance(score(opened, "bare"), Measured))
        assert unmeasured(opened, "look").reason is Reason.MISSING_SECRET


async def test_the_context_describes_the_case(tmp_path: Path) -> None:
    code = (
        "import json, sys\n"
        "context = json.load(open(sys.argv[1]))\n"
        "print(json.dumps(context))\n"
        "print(json.dumps({'metric': 'm', 'value': 1}))\n"
    )
    spec = {"id": "script", "config": {"id": "look", "language": "python", "code": code}}
    root = project(tmp_path / "p", spec)
    (root / "data" / "a" / "annotations.yaml").write_text("expected: '42'\ntags: [smoke]\n")
    async with live(root) as opened:
        assert isinstance(score(opened, "look"), Measured)
        lines = output(opened, "look").splitlines()
        context = json.loads(next(line for line in lines if line.startswith('{"case"')))
    assert context["case"]["id"] == "a" and "write a" in context["case"]["task"]
    assert (context["case"]["expected"], context["case"]["tags"]) == ("42", ["smoke"])
    assert context["trace"] == [
        {"t": 0, "kind": "message", "role": "assistant", "text": "I wrote a."}
    ]
    assert context["evidence"] == {"finalAnswer": "I wrote a."}
    assert context["aeh"]["files"] == {"out/page.md": "page of a\n"}


async def test_a_part_that_cannot_be_read_does_not_stop_a_command(tmp_path: Path) -> None:
    root = project(tmp_path / "p", {"id": "tests-pass", "config": {"cmd": "test -f out/page.md"}})
    (case_dir(root, "a") / "events.json").write_text("[")
    os.utime(case_dir(root, "a") / "events.json", (1, 1))
    async with live(root) as opened:
        assert score(opened, "tests-pass") == Measured(
            True, True, "exit 0", parts={"tests_pass": Measured(True, True, "exit 0")}
        )


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"id": "tests-pass", "config": {"cmd": "true"}}, True),
        ({"id": "tests-pass", "config": {"cmd": "echo no; exit 1"}}, False),
        ({"id": "tests-pass", "config": {"cmd": "sleep 9", "timeoutSec": 0.2}}, "grader_error"),
        ({"id": "tests-pass", "config": {"cmd": "no-such-program-x"}}, "grader_error"),
        ({"id": "tests-pass", "config": {"cmd": "out/page.md"}}, "grader_error"),
        ({"id": "command", "config": {"cmd": "exit 1"}}, False),
        ({"id": "command", "config": {"cmd": "echo ALL OK; exit 1", "passPattern": "OK$"}}, True),
        ({"id": "command", "config": {"cmd": "echo ALL; exit 0", "passPattern": "OK$"}}, False),
        ({"id": "script-score", "config": {"cmd": "echo SCORE=0.7; exit 1"}}, 0.7),
        ({"id": "script-score", "config": {"cmd": "echo score 1"}}, "missing_evidence"),
        ({"id": "script-score", "config": {"cmd": "echo SCORE=1.2.3"}}, "grader_error"),
        ({"id": "script", "config": {"cmd": "echo SCORE=0.25"}}, 0.25),
        ({"id": "script", "config": {"entrypoint": "nowhere.py"}}, "unsupported"),
        ({"id": "script", "config": {"entrypoint": "tools/check.py --strict"}}, 3),
        ({"id": "reward-file", "config": {"cmd": "true"}}, "missing_evidence"),
        (
            {
                "id": "reward-file",
                "config": {
                    "cmd": "sh /tests/sub/t.sh",
                    "files": {"sub/t.sh": "echo 0.5 > $EVAL_TUI_REWARDS/reward.txt; exit 1"},
                },
            },
            0.5,
        ),
        (
            {"id": "reward-file", "config": {"cmd": "echo '{\"a\":1,\"b\":0}' > /logs/verifier/reward.json"}},
            "unsupported",
        ),
        (
            {"id": "reward-file", "config": {"cmd": "cd /logs/verifier; echo 1 > reward.txt; echo '{' > reward.json"}},
            "missing_evidence",
        ),
    ],
)  # fmt: skip
async def test_each_implementation(spec: dict[str, Any], expected: object, tmp_path: Path) -> None:
    root = project(tmp_path / "p", spec)
    (root / "tools").mkdir()
    (root / "tools" / "check.py").write_text("import sys\nprint(f'SCORE={len(sys.argv)}')\n")
    async with live(root) as opened:
        found = score(opened, spec["id"])
        got = found.value if isinstance(found, Measured) else found.reason.value
        assert got == expected, found
        assert type(got) is type(expected) or isinstance(expected, int | float)
        assert found.parts or expected in ("unsupported", "grader_error")


async def test_a_reward_decides_and_only_one_that_the_verifier_wrote(tmp_path: Path) -> None:
    root = project(
        tmp_path / "p",
        reward("none", "true"),
        reward("low", "echo 0 > /logs/verifier/reward.txt; exit 0"),
        reward("high", "echo 1 > /logs/verifier/reward.txt; exit 1"),
    )
    for place in ("", "rewards", "logs/verifier"):
        folder = case_dir(root, "a") / place
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "reward.txt").write_text("1")
    async with live(root) as opened:
        assert unmeasured(opened, "none").reason is Reason.MISSING_EVIDENCE
        found = {name: score(opened, name) for name in ("low", "high")}
        assert [isinstance(one, Measured) and one.passed for one in found.values()] == [False, True]


async def test_nothing_of_an_earlier_grading_stays(tmp_path: Path) -> None:
    root = project(tmp_path / "p", script("check", "sh check.sh"))
    check = root / "check.sh"
    check.write_text(TWO)
    async with live(root) as opened:
        assert list(score(opened, "check").parts) == ["m", "n"]
        check.write_text("exit 3")
        await opened.until(lambda: isinstance(score(opened, "check"), Unmeasured))
        assert not score(opened, "check").parts
        check.write_text(SCORE)
        await opened.until(lambda: isinstance(score(opened, "check"), Measured))
        assert list(score(opened, "check").parts) == ["m"]


async def test_what_a_grader_rests_on(tmp_path: Path) -> None:
    """Its files, its case, its variables and its spec; nothing of another case."""
    root = project(
        tmp_path / "p",
        script("check", "./check.sh"),
        {"id": "steps"},
        cases=("a", "b"),
    )
    check = root / "check.sh"
    check.write_text("#!/bin/sh\necho SCORE=1\n")
    check.chmod(0o755)
    async with live(root) as opened:
        assert opened.value("a", "check") == 1 and opened.ran == 4
        check.write_text("#!/bin/sh\necho SCORE=2\n")
        await opened.until(lambda: opened.value("a", "check") == 2)
        assert opened.value("b", "check") == 2 and opened.ran == 6
        write_case(root, "a", text="other")
        await opened.until(lambda: opened.ran > 6)
        assert opened.ran == 7, "the events are as they were, so `steps` holds"
        check.unlink()
        await opened.until(lambda: isinstance(score(opened, "check"), Unmeasured))
    async with live(root) as opened:
        assert opened.ran == 0, "what is stored holds until something changes"


async def test_a_declaration_elsewhere_reruns_nothing(tmp_path: Path) -> None:
    mine = script("mine", """echo '{"metric": "m", "value": 1}'""")
    other = script("other", """echo '{"metric": "n", "value": 1}'""")
    root = project(tmp_path / "p", mine, other)
    async with live(root) as opened:
        assert isinstance(score(opened, "mine"), Measured) and opened.ran == 2
        write_config(root, [], graders=[mine, {**other, "metrics": [{"id": "m"}, {"id": "n"}]}])
        await opened.until(lambda: isinstance(score(opened, "mine"), Unmeasured))
        assert unmeasured(opened, "mine").reason is Reason.CONTRACT_VIOLATION
        assert opened.ran == 3, "only the one whose metrics are others"


async def test_cases_grade_by_specs_of_their_own(tmp_path: Path) -> None:
    root = project(tmp_path / "p", {"id": "steps"}, cases=("a", "b", "c"))
    wanted = root / "data" / "a" / "annotations.yaml"
    wanted.write_text("graders: [{id: answer-match, config: {expect: wrote a}}]\n")
    other = root / "data" / "b" / "annotations.yaml"
    other.write_text("graders: [{id: answer-match, config: {expect: wrote a}}]\n")
    async with live(root) as opened:
        assert opened.value("a", "answer-match") is True
        assert opened.value("b", "answer-match") is False
        skipped = unmeasured(opened, "answer-match", "c")
        assert skipped.reason is Reason.POLICY_SKIP and "not declared" in skipped.detail
        other.write_text("graders: [{id: answer-match, config: {expect: wrote b}}]\n")
        await opened.until(lambda: opened.value("b", "answer-match") is True)
        new = root / "data" / "c" / "annotations.yaml"
        new.write_text("graders: [{id: tests-pass, config: {cmd: 'true'}}]\n")
        await opened.until(lambda: opened.value("c", "tests-pass") is True)
        assert unmeasured(opened, "tests-pass", "a").reason is Reason.POLICY_SKIP


async def test_columns_of_a_file_chosen_when_scoring(tmp_path: Path) -> None:
    root = project(tmp_path / "p", {"id": "steps"})
    more = tmp_path / "more.yaml"
    check = "  - name: broken\n    check: |\n      x = 1\n      return 1 / 0\n"
    more.write_text(f"judges:\n{check}graders:\n  - {{id: cost}}\n")
    before = (root / "eval.yaml").read_text()
    async with live(root, judge_files=(str(more),)) as opened:
        assert [judge.name for judge in opened.driver.grid.columns] == ["steps", "broken", "cost"]
        lost = unmeasured(opened, "broken")
        assert f'File "{more}", line 5' in lost.traceback, "the place in that file"
        more.write_text("graders: [{id: latency}]\n")
        await opened.until(lambda: len(opened.driver.grid.columns) == 2)
        assert unmeasured(opened, "latency").reason is Reason.MISSING_EVIDENCE
    assert (root / "eval.yaml").read_text() == before


async def test_an_edited_check_does_not_wait_for_the_one_that_hangs(tmp_path: Path) -> None:
    root = project(tmp_path / "p", script("check", "sh check.sh"))
    check = root / "check.sh"
    check.write_text("sleep 1000\n")
    async with live_unsettled(root) as opened:
        await opened.running("a", "check")
        check.write_text("echo SCORE=1\n")
        await opened.until(lambda: opened.value("a", "check") == 1)


async def test_a_grader_that_works_in_place_does_not_chase_itself(tmp_path: Path) -> None:
    spec = script("writes", f"date +%N >> log.txt; {SCORE}", in_place=True)
    root = project(tmp_path / "p", spec)
    async with live(root) as opened:
        assert isinstance(score(opened, "writes"), Measured)
        (root / "data" / "a" / "input.yaml").write_text("prompt: again\n")
        await opened.until(lambda: opened.ran >= 2)
        lines = (case_dir(root, "a") / "log.txt").read_text().splitlines()
        assert len(lines) == opened.ran == 2


async def test_when_leaves_cases_out(tmp_path: Path) -> None:
    spec = {"id": "steps", "when": "annotations.get('kind') == 'invoice'"}
    async with live(project(tmp_path / "p", spec)) as opened:
        skipped = unmeasured(opened, "steps")
        assert skipped.reason is Reason.POLICY_SKIP and "`when: annotations" in skipped.detail


async def test_cancelled_and_killed_graders_leave_nothing(tmp_path: Path) -> None:
    spec = script("slow", "touch started; sleep 1000")
    async with live_unsettled(project(tmp_path / "p", spec)) as opened:
        await opened.running("a", "slow")
        sleeping = [pid for pid in descendants(os.getpid()) if _command(pid) == "sleep"]
        assert sleeping
        opened.driver.cancel(None)
        await gone(sleeping)
        await _removed(opened)
        opened.driver.rerun(opened.driver.select("all"))
        await opened.running("a", "slow")
        sleeping = [pid for pid in descendants(os.getpid()) if _command(pid) == "sleep"]
    await gone(sleeping)
    assert _scratch_folders() == []


def live_unsettled(root: Path) -> Any:
    """An opened project that is not waited for."""
    import contextlib

    @contextlib.asynccontextmanager
    async def opened() -> Any:
        found = Live(root)
        try:
            await found.driver.start()
            yield found
        finally:
            await found.driver.close()

    return opened()


async def _removed(opened: Live) -> None:
    """Wait until no worker's folder is left."""
    base = scratch.folder_of(0).removesuffix("0")
    folders = [f"{base}{pid}" for pid in descendants(os.getpid())]

    async def wait() -> None:
        while any(os.path.isdir(folder) and os.listdir(folder) for folder in folders):
            await asyncio.sleep(0.01)

    await asyncio.wait_for(wait(), PATIENCE)
