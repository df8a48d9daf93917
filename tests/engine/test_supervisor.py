"""The supervisor process: interpreters, environment, and the ways in which everything ends."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from eval_tui.engine.environment import find_python, is_secret, worker_environment
from eval_tui.engine.supervisor import SupervisorError, start_supervisor
from tests.engine.support_pool import PoolRun, alive, descendants, gone
from tests.engine.support_python import interpreter

linux = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and Linux signals")

LONG = {"writes_pid_and_waits": 3600.0}

STATES = ("writes_pid_and_waits", "spins", "spins_in_c")
"""What workers may be at when everything ends: a child in its own session, Python, C."""

APP = textwrap.dedent("""
    import asyncio, os, sys
    from tests.engine.support_pool import PoolRun

    async def main():
        root, *names = sys.argv[1:]
        async with PoolRun(root, len(names) + 1) as run:
            await run.finished(run.submit(("a", ["good"])))
            for name in names:
                batch = (os.path.join(root, name), [name])
                run.submit(batch, limits={name: 3600.0})
            await run.pool.view({"op": "x"})  # one worker more, which is idle then
            await asyncio.Event().wait()

    asyncio.run(main())
""")
"""An app with workers in all states."""


class App:
    """The app above, running, and the process ids of everything below it."""

    def __init__(self, root: str) -> None:
        self.process = subprocess.Popen([sys.executable, "-c", APP, root, *STATES])
        self.marks = [os.path.join(root, name) for name in STATES]

    async def below(self) -> set[int]:
        async with asyncio.timeout(60):
            while not all(os.path.exists(mark) and self.told(mark) for mark in self.marks):
                assert self.process.poll() is None
                await asyncio.sleep(0.01)
        told = {int(word) for mark in self.marks for word in self.told(mark)}
        below = descendants(self.process.pid)
        assert told < below and len(below) >= 6  # guard, supervisor, three workers, a child
        return below

    def told(self, mark: str) -> list[str]:
        return Path(mark).read_text().split()


@linux
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
async def test_nothing_is_left_when_the_app_ends(root: str, number: int) -> None:
    app = App(root)
    below = await app.below()
    app.process.send_signal(number)
    app.process.wait(60)
    await gone([*below])


@linux
async def test_nothing_is_left_when_a_worker_parent_is_killed(root: str) -> None:
    """One after the other, guard and supervisor; what ran is begun again under a new one."""
    async with PoolRun(root) as run:
        marks = [os.path.join(root, f"mark{n}") for n in range(2)]
        for mark in marks:
            run.submit((mark, ["writes_pid_and_waits"]), limits=LONG)
        async with asyncio.timeout(60):
            while not all(os.path.exists(mark) for mark in marks):
                await asyncio.sleep(0.01)
        guard = run.handles[0].process.pid
        below = descendants(guard)
        supervisor = run.pool._crew._supervisor_pid
        assert supervisor in below and guard != supervisor
        for mark in marks:
            os.unlink(mark)
        os.kill(supervisor, signal.SIGKILL)
        await gone([*below, guard])
        async with asyncio.timeout(60):
            while not any(os.path.exists(mark) for mark in marks):
                await asyncio.sleep(0.01)
        assert not run.of("lost")
        second = descendants(run.handles[1].process.pid)
        os.kill(run.handles[1].process.pid, signal.SIGKILL)
        await gone([*second])
    assert len(run.handles) >= 2


@linux
async def test_nothing_is_left_when_both_are_killed_at_once(root: str) -> None:
    """Workers die with their parent; what they started comes to the app, which ends it."""
    async with PoolRun(root) as run:
        marks = [os.path.join(root, f"mark{n}") for n in range(2)]
        for mark in marks:
            run.submit((mark, ["writes_pid_and_waits"]), limits=LONG)
        async with asyncio.timeout(60):
            while not all(os.path.exists(mark) for mark in marks):
                await asyncio.sleep(0.01)
        guard = run.handles[0].process.pid
        below = descendants(guard)
        for mark in marks:
            os.unlink(mark)
        for pid in (guard, run.pool._crew._supervisor_pid):
            os.kill(pid, signal.SIGKILL)
        await gone([*below, guard])
        async with asyncio.timeout(60):
            while not any(os.path.exists(mark) for mark in marks):
                await asyncio.sleep(0.01)


@linux
async def test_closing_ends_busy_workers_and_their_children(root: str) -> None:
    async with PoolRun(root) as run:
        mark = os.path.join(root, "mark")
        run.submit((mark, ["writes_pid_and_waits"]), limits=LONG)
        async with asyncio.timeout(60):
            while not os.path.exists(mark):
                await asyncio.sleep(0.01)
        below = descendants(run.handles[0].process.pid)
        worker, child = map(int, Path(mark).read_text().split())
        assert {worker, child} < below
    assert not [pid for pid in below if alive(pid)]
    assert run.handles[0].process.returncode is not None
    await run.pool.close()  # a second time: nothing to do


@linux
async def test_a_stopped_supervisor_is_replaced(root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eval_tui.engine.crew.ANSWER_S", 1.0)
    async with PoolRun(root, 1) as run:
        await run.finished(run.submit(("a", ["good"])))
        os.kill(run.pool._crew._supervisor_pid, signal.SIGSTOP)
        run.renew()
        await run.finished(run.submit(("b", ["good"])))
        assert ("b", "good") in run.cells()
        assert len(run.handles) == 2


async def test_an_interpreter_that_does_not_exist_is_a_message(root: str) -> None:
    with pytest.raises(SupervisorError, match=r"cannot start .*/no/such/python: No such file"):
        start_supervisor("/no/such/python", root)
    async with PoolRun(root, python="/no/such/python") as run:
        batch = run.submit(("a", ["good"]))
        await run.finished(batch)
        assert "/no/such/python" in run.of("broken")[0]["text"]
        assert run.of("cancelled", batch)


async def test_an_interpreter_that_ends_at_once_is_a_message(root: str) -> None:
    script = Path(root, "python")
    script.write_text("#!/bin/sh\necho cannot do that >&2\nexit 3\n")
    script.chmod(0o755)
    async with PoolRun(root, python=str(script)) as run:
        await run.until(lambda: bool(run.of("broken")))
        assert "cannot do that" in run.of("broken")[0]["text"]
        assert len(run.handles) == 3
        script.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
        run.renew()  # as after any change of a file
        await run.finished(run.submit(("a", ["good"])))
        assert ("a", "good") in run.cells()


@pytest.mark.parametrize("version", ["3.10", "3.12", "3.13"])
async def test_judges_run_under_anotherinterpreter(
    root: str, version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = [path for path in sys.path if path.endswith("site-packages")]
    async with PoolRun(root, python=interpreter(version)) as run:
        batch = run.submit(("a", ["good", "interpreter", "exits_3", "say"]))
        await run.finished(batch)
        cells = run.cells(batch)
        numbers, parsed, _, path = cells["a", "interpreter"]["value"]
        assert ".".join(map(str, numbers)) == version
        assert parsed == [1, 2]
        assert not set(site) & set(path)
        assert cells["a", "exits_3"]["t"] == "lost"
        assert f"Python {version}." in run.pool.python


async def test_an_interpreter_that_is_too_old_is_a_message(root: str) -> None:
    async with PoolRun(root, python=interpreter("3.8")) as run:
        await run.until(lambda: bool(run.of("broken")))
        assert "judges need Python 3.10 or later" in run.of("broken")[0]["text"]


async def test_the_engine_itself_loads_under_the_oldestinterpreter(root: str) -> None:
    handle = start_supervisor(interpreter("3.10"), root)
    try:
        handle.control.settimeout(60)
        answer = handle.control.recv(1 << 16)
        assert b'"t":"ready"' in answer, answer.decode(errors="replace")
    finally:
        handle.close()


def test_the_interpreter_is_chosen_in_order(tmp_path: Path) -> None:
    root = str(tmp_path)
    assert find_python(root, None, {}) == sys.executable
    for folder in ("venv", ".venv"):
        python = tmp_path / folder / "bin" / "python"
        python.parent.mkdir(parents=True)
        python.symlink_to(sys.executable)
        assert find_python(root, None, {}) == str(python)
    assert find_python(root, None, {"EVAL_TUI_PYTHON": "/b/python"}) == "/b/python"
    assert find_python(root, "/a/python", {"EVAL_TUI_PYTHON": "/b/python"}) == "/a/python"


@pytest.mark.parametrize(
    "name",
    [
        "ANTHROPIC_API_KEY",
        "OPENAI_ORG",
        "MY_API_KEY",
        "GITHUB_TOKEN",
        "HF_TOKEN",
        "APP_SECRET",
        "SECRET_KEY",
        "AWS_PROFILE",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "DB_PASSWORD",
        "anthropic_auth_token",
    ],
)
def test_names_of_credentials(name: str) -> None:
    assert is_secret(name)


@pytest.mark.parametrize(
    "name", ["PATH", "HOME", "PYTHONPATH", "TOKENIZERS_PARALLELISM", "KEYBOARD"]
)
def test_names_that_are_no_credentials(name: str) -> None:
    assert not is_secret(name)


async def test_workers_get_no_secrets_and_a_fixed_locale(
    root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(root, ".env").write_text("# for the app\nexport DATABASE=x\nPLAIN = 'y'\n\nnot one\n")
    for name in ("OPENAI_API_KEY", "DATABASE", "PLAIN", "HARMLESS", "LC_TIME"):
        monkeypatch.setenv(name, f"value of {name}")
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    async with PoolRun(root) as run:
        batch = run.submit(("a", ["environment", "hash_of_text"]))
        await run.finished(batch)
        seen = run.cells(batch)["a", "environment"]["value"]
        first = run.cells(batch)["a", "hash_of_text"]["value"]
        run.renew()
        again = run.submit(("a", ["hash_of_text"]))
        await run.finished(again)
        assert run.cells(again)["a", "hash_of_text"]["value"] == first
    assert seen["HARMLESS"] == "value of HARMLESS"
    assert (seen["TZ"], seen["LANG"], seen["PYTHONHASHSEED"]) == ("UTC", "C.UTF-8", "0")
    assert not {"OPENAI_API_KEY", "DATABASE", "PLAIN", "LC_TIME"} & set(seen)


def test_what_leads_python_elsewhere_is_for_our_own_interpreter_only() -> None:
    assert "PYTHONHOME" not in worker_environment({"PYTHONHOME": "x"}, own_interpreter=False)
    assert worker_environment({"PYTHONHOME": "x"})["PYTHONHOME"] == "x"
