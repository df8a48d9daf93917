"""Starting the supervisor process from the app, and ending it.

`start_supervisor` belongs on the first line of a command: it takes a few milliseconds, and the
engine's code is loaded over there while the app is still importing its screens.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.machinery import EXTENSION_SUFFIXES
from typing import BinaryIO

from eval_tui.engine.dotenv import read_env_file
from eval_tui.engine.environment import find_python, worker_environment

EVALUATE = "eval_tui.engine.evaluate"
LENT = ("yaml", "jinja2", "markupsafe", "msgspec")
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


guards: set[int] = set()
"""Process ids of the guards that this process has started and not yet closed."""


class SupervisorError(RuntimeError):
    """The supervisor cannot be started; the text says why, for the person."""


@dataclass
class SupervisorHandle:
    """A started supervisor. Whoever holds it must call `close`."""

    process: subprocess.Popen[bytes]
    """The guard; the supervisor proper is its child."""
    control: socket.socket
    python: str
    root: str
    log: BinaryIO = field(repr=False)

    def log_tail(self, size: int = 4000) -> str:
        """The end of what the process wrote: why it could not start."""
        try:
            end = os.fstat(self.log.fileno()).st_size
            text = os.pread(self.log.fileno(), size, max(0, end - size))
        except (OSError, ValueError):
            return ""
        return text.decode("utf-8", "replace").strip()

    def close(self, patience_s: float = 2.0) -> None:
        """End the supervisor with everything below it, within about `patience_s` seconds."""
        self.control.close()
        try:
            self.process.wait(patience_s)
        except subprocess.TimeoutExpired:
            # The guard is stuck or stopped. The supervisor sees its end and cleans up.
            with contextlib.suppress(OSError):
                os.kill(self.process.pid, signal.SIGKILL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(patience_s)
        guards.discard(self.process.pid)
        self.log.close()


def _lent_folders() -> dict[str, str]:
    folders: dict[str, str] = {}
    for name in LENT:
        with contextlib.suppress(ImportError, ValueError):
            spec = importlib.util.find_spec(name)
            if spec is not None and spec.origin:
                folders[name] = os.path.dirname(os.path.dirname(spec.origin))
    return folders


def start_supervisor(
    python: str | None,
    root: str,
    *,
    log: BinaryIO | None = None,
    evaluate_module: str = EVALUATE,
) -> SupervisorHandle:
    """Start the supervisor for the project at `root`; does not wait until it is ready.

    `python` is what the person asked for; None chooses as D50 says. `log` takes what the process
    itself has to say, a temporary file without a name by default; it is closed with the handle.
    Raises SupervisorError when the interpreter cannot be started.
    """
    chosen = find_python(root, python, os.environ)
    ours, theirs = socket.socketpair()
    options = {
        "fd": theirs.fileno(),
        "package": _PACKAGE,
        "lent": _lent_folders(),
        "extension_suffix": EXTENSION_SUFFIXES[0],
        "evaluate": evaluate_module,
        "root": root,
    }
    if log is None:
        log = tempfile.TemporaryFile()  # noqa: SIM115
    script = os.path.join(_PACKAGE, "engine", "bootstrap.py")
    try:
        process = subprocess.Popen(
            [chosen, script, json.dumps(options)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=root,
            env=worker_environment(
                os.environ, read_env_file(root, {}), own_interpreter=chosen == sys.executable
            ),
            start_new_session=True,
            pass_fds=(theirs.fileno(),),
        )
    except OSError as error:
        ours.close()
        log.close()
        raise SupervisorError(
            f"cannot start the Python of the judges, {chosen}: {error.strerror or error}. "
            "Choose another with --python."
        ) from error
    finally:
        theirs.close()
    guards.add(process.pid)
    return SupervisorHandle(process, ours, chosen, root, log)


SupervisorFactory = Callable[[], SupervisorHandle]


def supervisors(
    python: str | None, root: str, first: SupervisorHandle | None = None
) -> SupervisorFactory:
    """A factory for a pool: hands out `first`, started earlier, and then starts new ones."""
    spare = [first] if first is not None else []

    def next_supervisor() -> SupervisorHandle:
        return spare.pop() if spare else start_supervisor(python, root)

    return next_supervisor
