"""The project as last read from disk: its evals, the config in force, its runs and the one in view.

Knows which changed paths concern what. Reads files and nothing else; `driver` decides when.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace

from eval_tui.config.discovery import FoundEval
from eval_tui.config.problems import Problem
from eval_tui.config.schema import EvalConfig
from eval_tui.engine import project
from eval_tui.engine.grid import EvalInfo, RunInfo
from eval_tui.engine.project import NoSuchThing, Options
from eval_tui.engine.summary import SUMMARY, is_large, is_young, keep_good, without_problems
from eval_tui.engine.target import Target
from eval_tui.record.recorded import Recorded, read_recorded
from eval_tui.record.runs import Run
from eval_tui.record.spec import RecordSpec

ENV_FILE = ".env"


@dataclass(frozen=True)
class Roots:
    """What to watch, in the terms of `eval_tui.watch.Watcher.set_roots`."""

    folders: frozenset[str]
    files: frozenset[str]
    whole: frozenset[str]
    flat: frozenset[str]


class Reader:
    """One project, one eval of it, and one run of that."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.config: EvalConfig | None = None
        """The last good one."""
        self.broken: tuple[Problem, ...] = ()
        """Problems of the file as it is now, while an older config stays in force (D2)."""
        self.found: tuple[FoundEval, ...] = ()
        self.found_runs: tuple[Run, ...] = ()
        self.run: Run | None = None
        self.recorded: Recorded | None = None
        self.recorded_elsewhere = False
        """The summary is too large to be read here: a worker has to (see `take_recorded`)."""
        self.recorded_young = False
        """It cannot be read and may be about to be written: it is looked at again (D13)."""
        self.patient = False
        """Somebody looks again at what is being written; else everything is told at once."""
        self.following = not options.run
        """A newer run is shown when it appears."""
        self.left = ""
        """Why another run is shown than before, in words, if its folder was deleted."""
        self.missing = ""
        """What was asked for and is not there, in words; empty when all is well."""

    # Opening

    def choose(self, path: str, found: tuple[FoundEval, ...]) -> None:
        """Take up an eval and its run (the one asked for, else the newest)."""
        self.options = replace(self.options, config=path)
        self.found = found or self.found
        self.missing = ""
        self.read_config()
        self.read_runs()
        try:
            self.show(
                project.choose_run(self.config, self.found_runs, self.options.run, self.options)
            )
        except NoSuchThing as exc:
            self.missing = str(exc)

    def choose_eval(self, path: str) -> None:
        """Take up another eval of the project, at its newest run."""
        self.config, self.broken, self.following = None, (), True
        self.options = replace(self.options, run="")
        self.choose(path, ())

    def choose_run(self, run_id: str) -> None:
        """Show another run; the newest is followed from then on. Raises NoSuchThing."""
        run = project.choose_run(self.config, self.found_runs, run_id, self.options)
        self.following = bool(self.found_runs) and run == self.found_runs[0]
        self.show(run)

    def show(self, run: Run | None) -> None:
        """Show this run."""
        self.run, self.recorded, self.left = run, None, ""
        self.read_recorded()

    # Reading

    def read_config(self) -> None:
        """Read the config; a broken one leaves the last good one in force (D2)."""
        config = project.read_config(self.options.config, self.options)
        if config.usable:
            self.config, self.broken = config, ()
        else:
            self.broken = config.problems

    def read_runs(self) -> None:
        self.found_runs = project.runs_of(self.config, self.options) if self.config else ()

    def read_recorded(self) -> None:
        """Read `summary.yaml`, unless it is so large that a worker has to."""
        self.recorded_young = False
        self.recorded_elsewhere = self.run is not None and is_large(self.run.path)
        if self.run is None:
            self.recorded = None
        elif not self.recorded_elsewhere:
            self.take_recorded(read_recorded(self.run.path))

    def take_recorded(self, found: Recorded) -> None:
        """What the summary holds now; the last good values stay while it cannot be read."""
        self.recorded_young = self.patient and is_young(found)
        if not self.recorded_young:
            self.recorded = keep_good(found, self.recorded)
        elif self.recorded is None:
            self.recorded = without_problems(found)

    def target(self) -> Target:
        """What is to be judged, as the folders are now."""
        if self.config is None:
            return Target()
        return project.read_target(self.config, self.run, self.recorded)

    # Telling

    @property
    def banner(self) -> str:
        """What is wrong with the project as a whole, in one line."""
        if self.missing:
            return self.missing
        if not self.broken:
            return self._gone()
        first = next((p for p in self.broken if p.severity == "error"), self.broken[0])
        where = relative(self.options.config, self.options.root)
        if first.line:
            where += f":{first.line}:{first.column}"
        kept = " · the last good one stays in force" if self.config is not None else ""
        return f"{where} {first.message}{kept}"

    def _gone(self) -> str:
        """That the folder of a run was deleted, in words, or empty."""
        if self.run is not None and not os.path.isdir(self.run.path):
            return f"the folder of run {self.run.id} is gone"
        return self.left

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Of the config as it is on disk, and of the summary."""
        config = self.config.problems if self.config is not None else ()
        return (*(self.broken or config), *(self.recorded.problems if self.recorded else ()))

    def runs(self) -> tuple[RunInfo, ...]:
        return tuple(
            RunInfo(
                run.id,
                run.path,
                run.started,
                run.cases,
                run.model,
                run.cost_usd,
                run.duration_s,
                newest=not place,
            )
            for place, run in enumerate(self.found_runs)
        )

    def evals(self) -> tuple[EvalInfo, ...]:
        return tuple(EvalInfo(e.name, e.path, len(e.problems)) for e in self.found)

    # Changes

    def roots(self, more: Iterable[str]) -> Roots:
        """Everything that concerns the eval and the run in view; `more` are single files."""
        root, config = self.options.root, self.config
        files = {os.path.join(root, ENV_FILE), *more}
        folders, whole, flat = {root}, set[str](), set[str]()
        if self.options.config:
            files.add(self.options.config)
        if config is not None:
            files.update(config.looked_for)
            folders.add(os.path.dirname(config.path))
            flat.update(project.runs_folders(config, self.options))
            if config.dataset:
                whole.add(config.dataset)
        if self.run is not None:
            whole.add(self.run.path)
            flat.add(os.path.dirname(self.run.path))
        return Roots(frozenset(folders), frozenset(files), frozenset(whole), frozenset(flat))

    def resolved(self, paths: frozenset[str], spec: RecordSpec | None) -> frozenset[str]:
        """The paths, and where those below the run and the dataset really lie.

        Changes are told by the paths that are watched, with links; judges are given resolved ones.
        """
        if spec is None or self.run is None or self.config is None:
            return paths
        found = set(paths)
        for linked, real in (
            (self.run.path, spec.run_dir),
            (self.config.dataset, spec.dataset_dir),
        ):
            if linked and linked != real:
                below = linked + os.sep
                found.update(real + path[len(linked) :] for path in paths if path.startswith(below))
        return frozenset(found)

    def concerns_config(self, paths: frozenset[str]) -> bool:
        """Whether the config may read differently now."""
        if self.options.config in paths or self.config is None:
            return True
        return not paths.isdisjoint(self.config.looked_for)

    def concerns_summary(self, paths: frozenset[str]) -> bool:
        return self.run is not None and os.path.join(self.run.path, SUMMARY) in paths

    def concerns_env(self, paths: frozenset[str]) -> bool:
        return os.path.join(self.options.root, ENV_FILE) in paths

    def concerns_rows(self, paths: frozenset[str]) -> bool:
        """Whether a case may have come or gone: a folder of cases, or one right below it."""
        folders = [self.config.dataset] if self.config and self.config.dataset else []
        if self.run is not None:
            folders += [self.run.path, os.path.join(self.run.path, "cases")]
        return any(
            path in folders
            or os.path.dirname(path) in folders
            or any(folder.startswith(path + os.sep) for folder in folders)
            for path in paths
        )

    def concerns_runs(self, paths: frozenset[str]) -> bool:
        """Whether a run may have come or gone, or started at another time than was thought."""
        if self.config is None:
            return False
        parents = project.runs_folders(self.config, self.options)
        inside = self.run.path + os.sep if self.run is not None else "\0"
        return any(
            (not path.startswith(inside) or os.path.basename(path) == "run_result.json")
            and any(path == parent or path.startswith(parent + os.sep) for parent in parents)
            for path in paths
        )

    def follow(self) -> bool:
        """Look at the runs again; True when another one is shown because of it (S18)."""
        self.read_runs()
        newest = self.found_runs[0] if self.found_runs else None
        same = newest is not None and self.run is not None and newest.path == self.run.path
        gone = self.run is not None and all(r.path != self.run.path for r in self.found_runs)
        if newest is None or same or not (self.following or gone):
            self.run = newest if same else self.run
            return False
        left = self.run.id if gone and self.run is not None else ""
        self.show(newest)
        if left:
            self.left = f"the folder of run {left} is gone: the newest run is shown"
        return True


def relative(path: str, root: str) -> str:
    """A path as the status line shows it."""
    return os.path.relpath(path, root) if path.startswith(root + os.sep) else path


def name_of(paths: Iterable[str], root: str) -> str:
    """What the status line says changed: one path, and how many more."""
    names = sorted(paths)
    folders = {os.path.dirname(path) for path in names}
    files = [path for path in names if path not in folders] or names
    if not files:
        return ""
    first = relative(files[0], root)
    return first if len(files) == 1 else f"{first} and {len(files) - 1:,} more"
