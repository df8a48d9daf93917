"""Process trees: who belongs to whom, and how to end all of them.

Linux knows orphans' new parents ("child subreaper") and signals for a parent's death. Elsewhere
process groups have to do: what a judge moved into a session of its own may then outlive it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Container

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_ROUNDS = 100
"""How often a tree is looked at again while it still grows; a fork loop loses long before."""


def _find_prctl() -> Callable[..., int] | None:
    if not sys.platform.startswith("linux"):
        return None
    try:
        import ctypes

        return ctypes.CDLL(None).prctl
    except (ImportError, OSError, AttributeError):
        return None


_prctl = _find_prctl()


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent ends, instead of process 1."""
    if _prctl is not None:
        _prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def die_with_parent(parent: int) -> None:
    """Be killed when the parent process ends; at once if it is already gone."""
    if _prctl is not None:
        _prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)


def children(pid: int) -> list[int]:
    """The direct children of a process, of all its threads; empty where it cannot be known."""
    found: list[int] = []
    try:
        tasks = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return found
    for task in tasks:
        try:
            with open(f"/proc/{pid}/task/{task}/children", "rb") as file:
                found.extend(int(word) for word in file.read().split())
        except FileNotFoundError:
            if os.path.exists(f"/proc/{pid}/task/{task}"):
                return _children_by_scan(pid)  # a kernel without the `children` file
        except OSError:
            continue
    return found


def _children_by_scan(pid: int) -> list[int]:
    found: list[int] = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError, IndexError, ValueError):
                with open(f"/proc/{entry}/stat", "rb") as file:
                    fields = file.read().rpartition(b")")[2].split()
                if int(fields[1]) == pid:
                    found.append(int(entry))
    return found


def _signal(pid: int, number: int) -> None:
    with contextlib.suppress(OSError):
        os.kill(pid, number)


def kill_tree(pid: int, *, itself: bool = True) -> bool:
    """Kill a process and all its descendants. Returns whether there were descendants.

    Everyone is stopped before anyone is killed, so that nobody forks on in the meantime.
    """
    seen: set[int] = {pid}
    if itself:
        _signal(pid, signal.SIGSTOP)
    for _ in range(_ROUNDS):
        fresh = {child for member in seen for child in children(member)} - seen
        if not fresh:
            break
        for child in fresh:
            _signal(child, signal.SIGSTOP)
        seen |= fresh
    seen.discard(pid)
    for member in seen:
        _signal(member, signal.SIGKILL)
    if itself:
        with contextlib.suppress(OSError):  # the group serves where /proc does not exist
            os.killpg(pid, signal.SIGKILL)
        _signal(pid, signal.SIGKILL)
    return bool(seen)


def reap() -> dict[int, int]:
    """Collect all children that have ended: process id -> wait status."""
    ended: dict[int, int] = {}
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if pid == 0:
            return ended
        ended[pid] = status


def kill_strangers(known: Container[int], patience_s: float) -> dict[int, int]:
    """Kill all children of this process that are not in `known`, and theirs, and reap them.

    Gives up after `patience_s`: a process in the kernel cannot be killed at once. Returns what
    was reaped of all children, known ones included.
    """
    ended: dict[int, int] = {}
    give_up = time.monotonic() + patience_s
    while True:
        ended.update(reap())
        strangers = [pid for pid in children(os.getpid()) if pid not in known]
        if not strangers or time.monotonic() > give_up:
            return ended
        for pid in strangers:
            kill_tree(pid)
        time.sleep(0.0005)


def end_marked(name: str, spared: Container[int] = ()) -> bool:
    """Kill and reap those children of this process whose environment sets `name`, and theirs.

    Returns whether there were any.
    """
    found = False
    for pid in children(os.getpid()):
        if pid in spared or not _is_marked(pid, name):
            continue
        found = True
        kill_tree(pid)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)
    return found


def _is_marked(pid: int, name: str) -> bool:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return f"\0{name}=".encode() in b"\0" + file.read()
    except OSError:
        return False
