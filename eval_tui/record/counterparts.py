"""What a file of a case can be held against: the same file of another run, a reference, the original."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator
from typing import Any, NamedTuple

from eval_tui.record.context import Context, stays_inside
from eval_tui.record.errors import PartUnreadable
from eval_tui.record.files import MODIFIED, walk
from eval_tui.record.spec import RecordSpec
from eval_tui.record.view import file_at

REFERENCE_FOLDERS = ("reference", "references", "expected", "gold")
"""Folders of a dataset case in which people keep what an output should be like."""


class _Candidate(NamedTuple):
    side: str
    title: str
    base: str
    """The folder that it must not lead out of."""
    path: str


def counterparts(
    spec: RecordSpec,
    case_id: str,
    name: str,
    run: str,
    root: str,
    limit: int,
    side: str = "baseline",
) -> list[dict[str, Any]]:
    """The texts that a file of a case can be compared with, at most one of each side.

    As data for `engine.grid.Counterpart`. `name` is relative to the case folder with `/`,
    `run` the folder of another run or empty, `side` what that run is (`baseline` or `other`), `root`
    the project's folder. What is not there, a link that leads elsewhere or what is no regular file is
    left out.
    """
    ctx = Context(spec, case_id)
    found: dict[str, dict[str, Any]] = {}
    with ctx.disk.part("\0counterparts"):
        for kind, title, base, path in _candidates(ctx, name, run, side, root):
            if kind in found or not stays_inside(path, base) or not ctx.disk.is_file(path):
                continue
            try:
                file = file_at(ctx.disk, path, limit)
            except PartUnreadable:
                continue
            found[kind] = {"side": kind, "title": title, "path": path, "file": file}
    return list(found.values())


def _candidates(ctx: Context, name: str, run: str, side: str, root: str) -> Iterator[_Candidate]:
    if run:
        base = os.path.join(run, "cases", ctx.case_id)
        yield _Candidate(side, f"run {os.path.basename(run)}", base, _at(base, name))
    folder = ctx.dataset_folder
    head, _, rest = name.partition("/")
    if head == MODIFIED:
        if folder:
            yield _Candidate("original", f"dataset: {rest}", folder, _at(folder, rest))
        if root:
            yield _Candidate("original", f"project: {rest}, as it is now", root, _at(root, rest))
    elif folder:
        for place in _reference_places(ctx, folder, name, rest):
            yield _Candidate("reference", f"dataset: {place}", folder, _at(folder, place))


def _reference_places(ctx: Context, folder: str, name: str, rest: str) -> Iterator[str]:
    """Where the reference for an output may lie: at its own path, in a folder for such, by name."""
    names = [name, rest] if rest else [name]
    for reference in REFERENCE_FOLDERS:
        yield from (f"{reference}/{one}" for one in names)
    yield from names
    base = posixpath.basename(name)
    try:
        paths = walk(ctx, folder)
    except PartUnreadable:
        return
    same = [path for path in paths if os.path.basename(path) == base]
    if len(same) == 1:  # of several, none can be told to be the one that is meant
        yield os.path.relpath(same[0], folder).replace(os.sep, "/")


def _at(base: str, name: str) -> str:
    return os.path.join(base, *name.split("/"))
