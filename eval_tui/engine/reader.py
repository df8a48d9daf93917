"""The project as last read from disk: its evals, the config in force, its runs and the one in view.

Reads files and nothing else; `driver` decides when, and `concerns` which.
"""

from __future__ import annotations

import os
from dataclasses import replace

from eval_tui.config.case_graders import CaseGraders, CaseGraderScan, with_case_graders
from eval_tui.config.discovery import FoundEval
from eval_tui.config.problems import Problem
from eval_tui.config.schema import EvalConfig
from eval_tui.engine import project
from eval_tui.engine.authority import Authority
from eval_tui.engine.grid import EvalInfo, RunInfo
from eval_tui.engine.project import NoSuchThing, Options
from eval_tui.engine.summary import is_large, is_young, keep_good, without_problems
from eval_tui.engine.target import Target
from eval_tui.record.recorded import Recorded, read_recorded
from eval_tui.record.runs import Run


class Reader:
    """One project, one eval of it, and one run of that."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.config: EvalConfig | None = None
        """The last good one."""
        self._loaded: EvalConfig | None = None
        """The same without what single cases declare."""
        self._case_graders, self._scan = CaseGraders(), CaseGraderScan()
        self.authority = Authority()
        self.broken: tuple[Problem, ...] = ()
        """Problems of the file as it is now, while an older config stays in force (D2)."""
        self.found: tuple[FoundEval, ...] = ()
        self.found_runs: tuple[Run, ...] = ()
        self.run: Run | None = None
        self.baseline: Run | None = None
        """The run to compare with, if one was asked for."""
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
            self.baseline = project.choose_baseline(self.config, self.found_runs, self.options)
            self.show(
                project.choose_run(self.config, self.found_runs, self.options.run, self.options)
            )
        except NoSuchThing as exc:
            self.missing = str(exc)

    def choose_eval(self, path: str) -> None:
        """Take up another eval of the project, at its newest run; a baseline is a run of one eval."""
        self.config, self.broken, self.following = None, (), True
        self._case_graders = CaseGraders()
        self.options = replace(self.options, run="", baseline="")
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
            self._loaded, self.broken = config, ()
            self.config = with_case_graders(config, self._case_graders)
        else:
            self.broken = config.problems
        self.authority.read(self.config)

    def scan_cases(self) -> tuple[str, CaseGraders]:
        """The dataset, and the graders that its cases declare. Takes its time with many cases."""
        dataset = self.config.dataset if self.config is not None else ""
        return dataset, self._scan.look(dataset)

    def take_case_graders(self, dataset: str, found: CaseGraders) -> bool:
        """What the cases of a dataset declare; whether the config in force is another one by it."""
        loaded = self._loaded
        same = found == self._case_graders
        if same or self.config is None or loaded is None or loaded.dataset != dataset:
            return False
        self._case_graders = found
        self.config = with_case_graders(loaded, found)
        self.authority.read(self.config)
        return True

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
        target = project.read_target(self.config, self.run, self.recorded)
        return project.compared(target, self.baseline, self.options)

    # Telling

    @property
    def banner(self) -> str:
        """What is wrong with the project as a whole, in one line."""
        if self.missing and not (self.broken and self.config is None):  # else it explains that
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
    def looked_in(self) -> tuple[str, ...]:
        """The folders that hold no run of this eval, where there is none at all."""
        if self.config is None or self.found_runs or self.run is not None:
            return ()
        folders = project.runs_folders(self.config, self.options)
        return tuple(relative(folder, self.options.root) for folder in folders)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Of the config as it is on disk, and of the summary."""
        config = self.config.problems if self.config is not None else ()
        recorded = self.recorded.problems if self.recorded else ()
        return (*(self.broken or config), *self.authority.problems, *recorded)

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
        return tuple(EvalInfo(e.label, e.path, len(e.problems)) for e in self.found)

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
