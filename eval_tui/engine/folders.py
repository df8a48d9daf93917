"""Signatures of whole folders: whether anything in a case changed, without reading files."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable
from hashlib import blake2b

YOUNG_NS = 20_000_000
"""A file that changed less than this ago may change again without its times showing it."""

RUN_FILES = ("run_result.json", "events.json", "events.jsonl", "stdout.log", "stderr.log")
"""Files beside `cases/` that any record of the run may read."""


def folder_signature(folders: Iterable[str]) -> tuple[str, bool]:
    """A digest over name, size, times and inode of everything below the folders.

    The second value says whether something is so young that the digest proves nothing.
    Links are not followed; what cannot be listed counts as empty.
    """
    state = blake2b(digest_size=16)
    newest = 0
    for folder in folders:
        todo = [folder]
        while todo:
            current = todo.pop()
            try:
                with os.scandir(current) as listing:
                    entries = sorted(listing, key=lambda entry: entry.name)
            except OSError:
                state.update(f"{current}\0-\n".encode("utf-8", "surrogatepass"))
                continue
            for entry in entries:
                try:
                    info = entry.stat(follow_symlinks=False)
                except OSError:
                    continue
                if stat.S_ISDIR(info.st_mode):
                    todo.append(entry.path)
                    line = f"{entry.path}\0d\n"
                else:
                    newest = max(newest, info.st_mtime_ns, info.st_ctime_ns)
                    line = _line(entry.path, info)
                state.update(line.encode("utf-8", "surrogatepass"))
    return state.hexdigest(), time.time_ns() - newest < YOUNG_NS


def files_signature(paths: Iterable[str]) -> tuple[str, bool]:
    """The same for single files; a missing file is a version of its own."""
    state = blake2b(digest_size=16)
    newest = 0
    for path in paths:
        try:
            info = os.stat(path)
        except (OSError, ValueError):
            line = f"{path}\0-\n"
        else:
            newest = max(newest, info.st_mtime_ns, info.st_ctime_ns)
            line = _line(path, info)
        state.update(line.encode("utf-8", "surrogatepass"))
    return state.hexdigest(), time.time_ns() - newest < YOUNG_NS


def _line(path: str, info: os.stat_result) -> str:
    return f"{path}\0{info.st_size}\0{info.st_mtime_ns}\0{info.st_ctime_ns}\0{info.st_ino}\n"


def case_folders(run_dir: str, dataset_dir: str, case: str) -> tuple[str, ...]:
    """The folders that belong to one case: in the run and in the dataset."""
    folders = [os.path.join(run_dir, "cases", case)]
    if dataset_dir:
        folders.append(os.path.join(dataset_dir, case))
    return tuple(folders)


def case_signature(
    run_dir: str, dataset_dir: str, case: str, extra: Iterable[str]
) -> tuple[str, str]:
    """(signature of everything the case's record can rest on, signature of its folders alone).

    The first is empty when something is too young to be trusted later. `extra` are files
    outside of the case's folders that its record was seen to read.
    """
    folders, young = folder_signature(case_folders(run_dir, dataset_dir, case))
    beside = [os.path.join(run_dir, name) for name in RUN_FILES]
    files, young_files = files_signature([*beside, *sorted(extra)])
    whole = "" if young or young_files else f"{folders[:16]}{files[:16]}"
    return whole, folders
