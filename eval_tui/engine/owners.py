"""Names of running instances, from which others can tell whether they still live."""

from __future__ import annotations

import json
import os
import secrets


def new_owner() -> str:
    """A name for this instance, from which others on the machine can tell whether it lives."""
    return json.dumps([_machine(), os.getpid(), _started(os.getpid()), secrets.token_hex(8)])


def _machine() -> str:
    """Where process ids mean the same: this machine, and this container on it."""
    try:
        return f"{os.uname().nodename} {os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return os.uname().nodename


def _started(pid: int) -> str:
    """When a process began, as far as the system tells: process ids are used again."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


def is_dead(owner: str) -> bool:
    """Whether an owner is known to live no more; False when that cannot be told."""
    try:
        machine, pid, started, _ = json.loads(owner)
        if machine != _machine():
            return False
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except (ValueError, TypeError, OSError):
        return False
    return bool(started) and _started(int(pid)) not in ("", started)
