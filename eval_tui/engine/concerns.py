"""What changed files mean for the project: which are watched, and what is read again because of them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from eval_tui.config.case_graders import ANNOTATIONS
from eval_tui.engine import project
from eval_tui.engine.dotenv import ENV_FILE
from eval_tui.engine.reader import Reader, relative
from eval_tui.engine.summary import SUMMARY
from eval_tui.record.spec import RecordSpec


@dataclass(frozen=True)
class Roots:
    """What to watch, in the terms of `eval_tui.watch.Watcher.set_roots`."""

    folders: frozenset[str]
    files: frozenset[str]
    whole: frozenset[str]
    flat: frozenset[str]


class News(NamedTuple):
    """What is new with a project."""

    another_run: bool = False
    """Another run is shown by now; whatever else changed is seen when it is opened."""
    runs: bool = False
    """Runs may have come or gone."""
    target: bool = False
    """What is to be judged may be something else."""
    case_graders: bool = False
    """Cases may declare other graders."""
    authority: bool = False
    variables: bool = False
    """Those of `.env`."""


def take_in(reader: Reader, paths: frozenset[str], foreign: frozenset[str]) -> News:
    """Read again what these files and folders concern; `foreign` are those not written by the app."""
    target = _concerns_rows(reader, foreign)
    if _concerns_config(reader, paths):
        reader.read_config()
        target = True
    runs = _concerns_runs(reader, paths)
    if runs and reader.follow():
        return News(another_run=True)
    case_graders = target or _concerns_case_graders(reader, paths)
    if _concerns_summary(reader, foreign):
        reader.read_recorded()
        target = True
    authority = reader.authority.concerns(paths)
    if authority:
        reader.authority.read(reader.config)
    return News(False, runs, target, case_graders, authority, _concerns_env(reader, paths))


def roots(reader: Reader, more: Iterable[str]) -> Roots:
    """Everything that concerns the eval and the run in view; `more` are single files."""
    root, config = reader.options.root, reader.config
    files = {os.path.join(root, ENV_FILE), *reader.authority.paths(), *more}
    folders, whole, flat = {root}, set[str](), set[str]()
    if reader.options.config:
        files.add(reader.options.config)
    if config is not None:
        files.update(config.looked_for)
        folders.add(os.path.dirname(config.path))
        flat.update(project.runs_folders(config, reader.options))
        if config.dataset:
            whole.add(config.dataset)
    if reader.run is not None:
        whole.add(reader.run.path)
        flat.add(os.path.dirname(reader.run.path))
    if reader.baseline is not None and reader.options.pairwise:
        whole.add(reader.baseline.path)
    return Roots(frozenset(folders), frozenset(files), frozenset(whole), frozenset(flat))


def resolved(reader: Reader, paths: frozenset[str], spec: RecordSpec | None) -> frozenset[str]:
    """The paths, and where those below the runs and the dataset really lie.

    Changes are told by the paths that are watched, with links; judges are given resolved ones.
    """
    if spec is None or reader.run is None or reader.config is None:
        return paths
    found = set(paths)
    baseline = reader.baseline.path if reader.baseline is not None else ""
    for linked, real in (
        (reader.run.path, spec.run_dir),
        (reader.config.dataset, spec.dataset_dir),
        (baseline, os.path.realpath(baseline) if baseline else ""),
    ):
        if linked and linked != real:
            below = linked + os.sep
            found.update(real + path[len(linked) :] for path in paths if path.startswith(below))
    return frozenset(found)


def name_of(paths: Iterable[str], root: str) -> str:
    """What the status line says changed: one path, and how many more."""
    names = sorted(paths)
    folders = {os.path.dirname(path) for path in names}
    files = [path for path in names if path not in folders] or names
    if not files:
        return ""
    first = relative(files[0], root)
    return first if len(files) == 1 else f"{first} and {len(files) - 1:,} more"


def _concerns_config(reader: Reader, paths: frozenset[str]) -> bool:
    """Whether the config may read differently now."""
    if reader.options.config in paths or reader.config is None:
        return True
    return not paths.isdisjoint(reader.config.looked_for)


def _concerns_case_graders(reader: Reader, paths: frozenset[str]) -> bool:
    """Whether a case may declare other graders now."""
    dataset = reader.config.dataset if reader.config is not None else ""
    return bool(dataset) and any(
        os.path.basename(path) == ANNOTATIONS and path.startswith(dataset + os.sep)
        for path in paths
    )


def _concerns_summary(reader: Reader, paths: frozenset[str]) -> bool:
    return reader.run is not None and os.path.join(reader.run.path, SUMMARY) in paths


def _concerns_env(reader: Reader, paths: frozenset[str]) -> bool:
    return os.path.join(reader.options.root, ENV_FILE) in paths


def _concerns_rows(reader: Reader, paths: frozenset[str]) -> bool:
    """Whether a case may have come or gone: a folder of cases, or one right below it."""
    folders = [reader.config.dataset] if reader.config and reader.config.dataset else []
    if reader.run is not None:
        folders += [reader.run.path, os.path.join(reader.run.path, "cases")]
    return any(
        path in folders
        or os.path.dirname(path) in folders
        or any(folder.startswith(path + os.sep) for folder in folders)
        for path in paths
    )


def _concerns_runs(reader: Reader, paths: frozenset[str]) -> bool:
    """Whether a run may have come or gone, or started at another time than was thought."""
    if reader.config is None:
        return False
    parents = project.runs_folders(reader.config, reader.options)
    inside = reader.run.path + os.sep if reader.run is not None else "\0"
    return any(
        (not path.startswith(inside) or os.path.basename(path) == "run_result.json")
        and any(path == parent or path.startswith(parent + os.sep) for parent in parents)
        for path in paths
    )
