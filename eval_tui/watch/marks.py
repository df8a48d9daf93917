"""Looking at one entry: its mark, by which a change is told."""

from __future__ import annotations

import os
import stat


def mark_of(status: os.stat_result) -> int:
    """A number that differs whenever the entry's signature does (for a folder: its identity)."""
    if stat.S_ISDIR(status.st_mode):
        return hash((status.st_dev, status.st_ino)) or 1
    return hash((status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)) or 1


def is_known(files: dict[str, int], subs: dict[str, int], entry: os.DirEntry[str]) -> bool:
    """The usual case, quickly: a file or folder (no link) that is as it was."""
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return False
    if stat.S_ISDIR(status.st_mode):
        return subs.get(entry.name) == mark_of(status)
    return not stat.S_ISLNK(status.st_mode) and files.get(entry.name) == mark_of(status)


def is_newer(status: os.stat_result, since_ns: int) -> bool:
    return max(status.st_mtime_ns, status.st_ctime_ns) >= since_ns


def leads_up(link: str) -> bool:
    """Whether a link to a folder leads to a folder that holds the link: an endless tree."""
    target = os.path.join(os.path.realpath(link), "")
    return os.path.join(os.path.realpath(os.path.dirname(link)), "").startswith(target)


def status_of(path: str) -> tuple[os.stat_result | None, bool]:
    """The entry's status and whether it is a link. A link has its target's, if that exists."""
    try:
        own = os.lstat(path)
    except OSError:
        return None, False
    if not stat.S_ISLNK(own.st_mode):
        return own, False
    try:
        return os.stat(path), True
    except OSError:
        return own, True
