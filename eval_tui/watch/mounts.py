"""Mounts on which nothing tells us of changes that are made elsewhere."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

SILENT = frozenset(
    {"9p", "afs", "beegfs", "ceph", "cifs", "coda", "drvfs", "glusterfs", "gpfs", "lustre"}
    | {"ncpfs", "nfs", "nfs4", "prl_fs", "smb3", "smbfs", "vboxsf", "virtiofs", "vmhgfs"}
)
"""File systems whose changes may be made by another machine, which sends no events. All of FUSE
counts as well: whether it reports changes depends on the program behind it."""


def read_mounts(text: str) -> dict[str, str]:
    """Mount point -> file system type, from the text of `/proc/mounts`."""
    mounts: dict[str, str] = {}
    for line in text.splitlines():
        fields = line.split(" ")
        if len(fields) >= 3:
            point = re.sub(r"\\([0-7]{3})", lambda m: chr(int(m[1], 8)), fields[1])
            mounts[point] = fields[2]
    return mounts


def silent_mount(paths: Iterable[str], mounts: dict[str, str]) -> tuple[str, str] | None:
    """The first of `paths` that lies on a mount without events, and that mount's type."""
    for path in paths:
        place = os.path.realpath(path)
        while place not in mounts and place != os.path.dirname(place):
            place = os.path.dirname(place)
        kind = mounts.get(place, "")
        if kind in SILENT or (kind.startswith("fuse") and kind not in ("fuseblk", "fusectl")):
            return path, kind
    return None


def current_mounts() -> dict[str, str]:
    """This machine's mounts, or none where `/proc/mounts` does not exist."""
    try:
        with open("/proc/mounts", encoding="utf-8", errors="surrogateescape") as file:
            return read_mounts(file.read())
    except OSError:
        return {}
