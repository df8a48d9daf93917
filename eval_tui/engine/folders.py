"""Signatures of whole folders: whether anything in a case changed, without reading files."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable, Sequence
from hashlib import blake2b

YOUNG_NS = 20_000_000
"""A file that changed less than this ago may change again without its times showing it."""

RUN_FILES = ("run_result.json", "events.json", "events.jsonl", "stdout.log", "stderr.log")
"""Files beside `cases/` that any record of the run may read."""

_OF_THE_SYSTEM = ("/proc/", "/dev/", "/sys/")
_stat = os.stat
"""Taken before a worker's observer wraps it: what is looked at here is nobody's input."""


def folder_signature(folders: Iterable[str]) -> tuple[str, bool]:
    """A digest over name, size, times and inode of everything below the folders.

    The second value says whether something is so young that the digest proves nothing.
    What cannot be listed counts as empty. A link counts with the file that it leads to; one to
    a folder is not followed, so with it the digest proves nothing either.
    """
    state = blake2b(digest_size=16)
    newest = 0
    unsure = False
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
                    if stat.S_ISLNK(info.st_mode):
                        target, proves = _target(entry.path)
                        line += target
                        unsure = unsure or not proves
                state.update(line.encode("utf-8", "surrogatepass"))
    return state.hexdigest(), unsure or time.time_ns() - newest < YOUNG_NS


def files_signature(paths: Iterable[str]) -> tuple[str, bool]:
    """The same for single files; a missing file is a version of its own."""
    state = blake2b(digest_size=16)
    newest = 0
    for path in paths:
        try:
            info = _stat(path)
        except (OSError, ValueError):
            line = f"{path}\0-\n"
        else:
            newest = max(newest, info.st_mtime_ns, info.st_ctime_ns)
            line = _line(path, info)
        state.update(line.encode("utf-8", "surrogatepass"))
    return state.hexdigest(), time.time_ns() - newest < YOUNG_NS


def _target(link: str) -> tuple[str, bool]:
    """What a link leads to, and whether that proves that nothing behind it changed.

    A pipe or device is what it is, with times that tell nothing; what `/dev/stdout` and the like
    lead to is another thing in every process.
    """
    try:
        if os.readlink(link).startswith(_OF_THE_SYSTEM):
            return "system\n", True
        info = _stat(link)
    except (OSError, ValueError):
        return "-\n", True
    if not stat.S_ISREG(info.st_mode):
        return f"{stat.S_IFMT(info.st_mode)}\n", not stat.S_ISDIR(info.st_mode)
    newest = max(info.st_mtime_ns, info.st_ctime_ns)
    return _line(link, info), time.time_ns() - newest >= YOUNG_NS


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
    return whole_signature(run_dir, folders, young, extra), folders


def case_signatures(
    run_dir: str, dataset_dir: str, cases: Iterable[tuple[str, Sequence[str]]]
) -> dict[str, str]:
    """The first of `case_signature` for many cases with their `extra`, by case."""
    shared = files_signature(_beside(run_dir))
    found: dict[str, str] = {}
    for case, extra in cases:
        folders, young = folder_signature(case_folders(run_dir, dataset_dir, case))
        files = files_signature([*_beside(run_dir), *sorted(extra)]) if extra else shared
        found[case] = _whole(folders, young, *files)
    return found


def whole_signature(run_dir: str, folders: str, young: bool, extra: Iterable[str]) -> str:
    """The first of `case_signature`, from what `folder_signature` said of the case's folders."""
    return _whole(folders, young, *files_signature([*_beside(run_dir), *sorted(extra)]))


def _beside(run_dir: str) -> list[str]:
    return [os.path.join(run_dir, name) for name in RUN_FILES]


def _whole(folders: str, young: bool, files: str, young_files: bool) -> str:
    return "" if young or young_files else f"{folders[:16]}{files[:16]}"
