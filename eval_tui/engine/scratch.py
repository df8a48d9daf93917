"""Folders for what workers must write: private ones in the system's temporary folder.

Each supervisor has one by its process id, and each of its workers one in that. A worker empties its
own; for one that was killed the supervisor does it, and for the supervisor the guard. What is left
when all three were killed at once is removed by the next that needs a folder. Standard library
only, Python 3.10.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable

_PLACE = os.environ.get("TMPDIR") or "/tmp"
"""Taken from the supervisor's environment: judges may change what their worker's says."""
_PREFIX = f"eval-tui-work-{os.getuid()}-"


def folder_of(supervisor: int) -> str:
    """The folder of a supervisor; it need not exist."""
    return os.path.join(_PLACE, f"{_PREFIX}{supervisor}")


def worker_folder() -> str:
    """The folder of this worker, made if need be. OSError when it cannot be had."""
    base = folder_of(os.getppid())
    if not os.path.isdir(base):
        remove_abandoned()
    for folder in (base, os.path.join(base, str(os.getpid()))):
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder, 0o700)
        found = os.lstat(folder)
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
            raise PermissionError(f"{folder} belongs to somebody else")
    return os.path.realpath(os.path.join(base, str(os.getpid())))


def forget_worker(worker: int) -> None:
    """For the supervisor: a worker has ended, and whatever it has left is removed."""
    folder = os.path.join(folder_of(os.getpid()), str(worker))
    if os.path.isdir(folder):
        remove(folder)


def forget_supervisor(supervisor: int) -> None:
    """The supervisor has ended with all its workers."""
    folder = folder_of(supervisor)
    if os.path.isdir(folder):
        remove(folder)


def remove_abandoned() -> None:
    """Remove the folders of supervisors that are gone."""
    with contextlib.suppress(OSError):
        for name in os.listdir(_PLACE):
            number = name.removeprefix(_PREFIX)
            if name.startswith(_PREFIX) and number.isdigit() and not _exists(int(number)):
                remove(os.path.join(_PLACE, name))


def remove(folder: str) -> None:
    """Remove a folder with all in it, whatever rights its parts have. Never raises.

    Rights are changed of folders in it alone: not of what it lies in, nor of files, which may have
    another name elsewhere.
    """
    import shutil  # seldom needed, and nothing that supervisors wait for
    import subprocess

    if os.path.islink(folder):
        return

    def open_up(function: Callable[..., object], path: str, error: object) -> None:
        with contextlib.suppress(OSError):
            for place in (os.path.dirname(path), path):
                if _within(place, folder) and stat.S_ISDIR(os.lstat(place).st_mode):
                    os.chmod(place, 0o700)
            function(path)

    for _ in range(3):  # what was closed is opened on the way, and removed the next time
        with contextlib.suppress(OSError, RecursionError):
            shutil.rmtree(folder, onerror=open_up)
        if not os.path.lexists(folder):
            return
    with contextlib.suppress(OSError, subprocess.SubprocessError):  # nested too deeply for Python
        subprocess.run(["rm", "-rf", "--", folder], stderr=subprocess.DEVNULL, check=False)


def _within(place: str, folder: str) -> bool:
    return place == folder or place.startswith(folder + os.sep)


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass  # it is somebody else's
    return True
