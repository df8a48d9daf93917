"""The plugins that the judges' interpreter has: asked in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping

from eval_tui import plugins
from eval_tui.engine.dotenv import read_env_file
from eval_tui.engine.environment import find_python, worker_environment

PATIENCE_S = 60.0
"""Seconds that packages may take to be imported."""


class NotTold(RuntimeError):
    """The interpreter did not say which plugins it has; the text says why."""


def judge_plugins(
    root: str, python: str | None, environ: Mapping[str, str]
) -> tuple[str, tuple[plugins.Plugin, ...]]:
    """(the judges' interpreter (D50), its judges, graders and parsers, each tried). Raises NotTold."""
    chosen = find_python(root, python, environ)
    own = chosen == sys.executable
    environment = worker_environment(environ, read_env_file(root, {}), own_interpreter=own)
    script = os.path.abspath(plugins.__file__)
    try:
        done = subprocess.run(
            [chosen, script, root],
            cwd=root,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=PATIENCE_S,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotTold(f"{chosen} does not tell its plugins: {error}") from error
    try:
        return chosen, tuple(plugins.Plugin(**one) for one in json.loads(done.stdout))
    except (ValueError, TypeError):
        last = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise NotTold(f"{chosen} does not tell its plugins: {last}") from None
