"""A private copy of a case's folder, for commands that may do anything to it (D39)."""

from __future__ import annotations

import os
import shutil
import stat

MAX_BYTES = 500_000_000
"""Bytes of a case above which no copy is made."""
MAX_ENTRIES = 50_000


class TooLarge(Exception):
    """A case that is not copied; the text says how large it may be."""


def copy_case(source: str, target: str) -> None:
    """Copy the folder `source` to `target`, which must not exist. Raises OSError and TooLarge.

    A link is copied if it leads to something inside, and then leads to the copy of that; others,
    and what is neither file nor folder, are left out.
    """
    room, entries = MAX_BYTES, 0
    inside = os.path.realpath(source)
    todo = [(inside, target)]
    while todo:
        folder, place = todo.pop()
        os.mkdir(place, 0o700)
        with os.scandir(folder) as listing:
            found = sorted(listing, key=lambda entry: entry.name)
        entries += len(found)
        if entries > MAX_ENTRIES:
            raise TooLarge(f"it holds more than {MAX_ENTRIES:,} files")
        for entry in found:
            info, copy = entry.stat(follow_symlinks=False), os.path.join(place, entry.name)
            if stat.S_ISDIR(info.st_mode):
                todo.append((entry.path, copy))
            elif stat.S_ISLNK(info.st_mode):
                _copy_link(entry.path, copy, inside, target)
            elif stat.S_ISREG(info.st_mode):
                room -= info.st_size
                if room < 0:
                    raise TooLarge(f"it is larger than {MAX_BYTES // 1_000_000} MB")
                shutil.copyfile(entry.path, copy, follow_symlinks=False)
                os.chmod(copy, stat.S_IMODE(info.st_mode) | stat.S_IRUSR | stat.S_IWUSR)
                os.utime(copy, ns=(info.st_atime_ns, info.st_mtime_ns))


def _copy_link(link: str, copy: str, inside: str, target: str) -> None:
    leads_to = os.path.realpath(link)
    if leads_to == inside or leads_to.startswith(inside + os.sep):
        os.symlink(target + leads_to[len(inside) :], copy)
