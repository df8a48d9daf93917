"""`hooks.before_scoring`: commands that prepare a run before `score` judges it (D44)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping

from eval_tui.config.schema import EvalConfig, Hook

PHASE = "before_scoring"


class HookFailed(Exception):
    """A hook failed or ran out of time; the text names it."""


def run_before_scoring(
    config: EvalConfig, run_id: str, run_dir: str, environ: Mapping[str, str]
) -> None:
    """Run the hooks one after another in the project root, as the harness does.

    Their output goes to standard error. A `condition` that does not exit with 0 skips its hook.
    Raises HookFailed unless the hook says `on_failure: continue`.
    """
    env = {
        **environ,
        "AGENT_EVAL_WORKSPACE": run_dir,
        "AGENT_EVAL_RUN_ID": run_id,
        "AGENT_EVAL_CONFIG": config.path,
        "AGENT_EVAL_PROJECT_ROOT": config.root,
        "AGENT_EVAL_MODEL": config.models.skill,
    }
    for hook in config.hooks:
        if hook.phase != PHASE:
            continue
        if hook.condition and _bash(hook.condition, hook.timeout, config.root, env) != 0:
            continue
        code = _bash(hook.command, hook.timeout, config.root, env)
        if code != 0:
            _failed(hook, code)


def _failed(hook: Hook, code: int | None) -> None:
    how = f"ran past its {hook.timeout} s" if code is None else f"exited with {code}"
    words = f"the before_scoring hook `{hook.description or hook.command}` {how}"
    if hook.on_failure == "fail":
        raise HookFailed(words)
    print(f"eval-tui: {words}; going on (on_failure: continue)", file=sys.stderr)


def _bash(command: str, timeout: float, root: str, env: Mapping[str, str]) -> int | None:
    """The exit code, or None when the time ran out and the whole process group was ended."""
    process = subprocess.Popen(
        ["bash", "-c", command],
        cwd=root,
        env=dict(env),
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr.fileno(),
        start_new_session=True,
    )
    try:
        return process.wait(timeout)
    except subprocess.TimeoutExpired:
        return None
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
