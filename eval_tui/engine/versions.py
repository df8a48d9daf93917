"""Versions of what user code looks at: what an observation says now, to be compared with then.

Runs in workers: where an observation is made, and where it is verified later.
"""

from __future__ import annotations

import functools
import os
import stat as stat_module
import sys
from collections.abc import Mapping
from hashlib import blake2b

ENGINE_VERSION = "1"
"""Part of every result's inputs: raise it when equal inputs may give other results."""

Observation = tuple[str, str, str]

PACKAGE_FOLDERS = ("site-packages", "dist-packages")
_PIECE = 1 << 20

_real_stat = os.stat
_real_readlink = os.readlink
"""As they are before anything is wrapped around them."""


def digest(data: bytes) -> str:
    """The digest used for every version of a content: 16 bytes of blake2b, as hex."""
    return blake2b(data, digest_size=16).hexdigest()


@functools.lru_cache(maxsize=1)
def python_version() -> str:
    """The version that a result's interpreter observation holds.

    Which packages it has installed, in which versions, is part of that: the names in its package
    folders tell. Looked at once in the life of a process.
    """
    packages = [_names(path) for path in sys.path if path.endswith(PACKAGE_FOLDERS)]
    installed = digest("\n".join(packages).encode("utf-8", "surrogatepass"))[:12]
    return f"{'.'.join(map(str, sys.version_info[:3]))}/{ENGINE_VERSION}/{installed}"


def _names(folder: str) -> str:
    try:
        return "\0".join([folder, *sorted(os.listdir(folder))])
    except OSError:
        return folder


def path_version(kind: str, path: str) -> str:
    """What an observation of the file system would say now."""
    if kind in ("open", "module"):
        return _content_version(path)
    if kind == "link":
        return _link_version(path)
    if kind in ("list", "list+"):
        return _listing_version(path, kind == "list+")
    try:
        info = _real_stat(path)
    except (OSError, ValueError):
        return "-"
    if kind == "exists":
        return _kind_letter(info.st_mode)
    return f"{_kind_letter(info.st_mode)}:{info.st_size}:{info.st_mtime_ns}"


def _link_version(path: str) -> str:
    try:
        return _real_readlink(path)
    except (OSError, ValueError):
        return "-"


def _kind_letter(mode: int) -> str:
    return "f" if stat_module.S_ISREG(mode) else "d" if stat_module.S_ISDIR(mode) else "o"


def _content_version(path: str) -> str:
    try:
        if not stat_module.S_ISREG(_real_stat(path).st_mode):
            return "not a file"
        state = blake2b(digest_size=16)
        with open(path, "rb") as file:
            while piece := file.read(_PIECE):  # it may be larger than the memory
                state.update(piece)
        return state.hexdigest()
    except (OSError, ValueError):
        return "missing"


def _listing_version(path: str, with_stats: bool) -> str:
    try:
        with os.scandir(path) as entries:
            names = sorted(_entry(entry, with_stats) for entry in entries)
    except (OSError, ValueError):
        return "missing"
    return digest("\n".join(names).encode("utf-8", "surrogatepass"))


def _entry(entry: os.DirEntry[str], with_stats: bool) -> str:
    try:
        if entry.is_dir():
            return f"{entry.name}\0d"
        if not with_stats:
            return f"{entry.name}\0f"
        info = entry.stat()
    except OSError:  # gone meanwhile, or a link to itself
        return f"{entry.name}\0-" if with_stats else f"{entry.name}\0f"
    return f"{entry.name}\0f\0{info.st_size}\0{info.st_mtime_ns}"


def env_version(name: str, environ: Mapping[str, str]) -> str:
    """What an `env` observation would say now."""
    value = environ.get(name)
    return "-" if value is None else digest(value.encode("utf-8", "surrogateescape"))
