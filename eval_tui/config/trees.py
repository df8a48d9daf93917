"""A file or a whole folder of the project, given to a judge as it is."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass

from eval_tui.config.files import UnreadableFile, read_file

MAX_BYTES = 64_000_000
"""Bytes of everything below one path; more is taken for a mistake."""
MAX_FILES = 5_000


@dataclass(frozen=True)
class Tree:
    """What lies at a path, links inside left out."""

    files: tuple[tuple[str, str], ...]
    """Relative name (empty for a path that is a file) and absolute path, sorted by name."""
    folders: tuple[str, ...]
    """Absolute paths of the folders: one that appears in them makes another tree."""
    digest: str
    """Digest of all names and contents."""


def read_tree(path: str) -> Tree:
    """The files at `path`. Raises UnreadableFile, also for a tree that is too large."""
    files = sorted(_files(path)) if os.path.isdir(path) else [("", path)]
    if len(files) > MAX_FILES:
        raise UnreadableFile(f"it holds more than {MAX_FILES:,} files")
    digest, room = hashlib.blake2b(digest_size=16), MAX_BYTES
    for name, file in files:
        content = read_file(file, room)
        room -= len(content)
        encoded = os.fsencode(name)
        digest.update(b"%d %d " % (len(encoded), len(content)) + encoded + content)
    folders = sorted({os.path.dirname(file) for _, file in files} | {path})
    is_folder = os.path.isdir(path)
    return Tree(tuple(files), tuple(folders) if is_folder else (), digest.hexdigest())


def _files(folder: str) -> Iterator[tuple[str, str]]:
    count = 0
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not os.path.islink(os.path.join(parent, name))]
        for name in names:
            file = os.path.join(parent, name)
            if not os.path.islink(file) and os.path.isfile(file):
                yield os.path.relpath(file, folder), file
                count += 1
        if count > MAX_FILES:
            return
