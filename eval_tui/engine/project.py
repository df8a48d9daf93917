"""Reading a project from disk: which eval and run are meant, and what they hold now."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Literal

from eval_tui.config.discovery import FoundEval, discover
from eval_tui.config.load import load_config
from eval_tui.config.problems import Problem
from eval_tui.config.schema import EvalConfig
from eval_tui.engine.environment import interpreter_note
from eval_tui.engine.target import Policy, Target, of_other_versions
from eval_tui.record.recorded import Recorded
from eval_tui.record.runs import Run, case_ids, dataset_cases, find_run, list_runs, run_parents
from eval_tui.record.spec import RecordSpec


@dataclass(frozen=True)
class Options:
    """What the person asked for on the command line. Paths are absolute."""

    root: str
    """The project's folder; any links on the way to it are followed at once."""
    config: str = ""
    """The config file, or empty to take the first that is found."""
    eval_name: str = ""
    run: str = ""
    """A run id, or empty to follow the newest."""
    runs: str = ""
    """The runs folder, or empty for the usual places (D6)."""
    python: str = ""
    poll: bool = False
    look_only: bool = False
    auto: Literal["free", "paid", "off"] = "free"
    """Which model calls are made without being asked for: none, within the budget, none ever."""
    budget: float = 1.0
    """US dollars that `auto: paid` may spend."""
    samples: int = 0
    """How many answers make a model judge's score; 0 leaves it to the judge."""
    baseline: str = ""
    """The id of the run to compare with, or empty."""
    pairwise: bool = False
    """Compare with the baseline by asking a model (D55)."""
    concurrency: int = 8
    """Model calls under way at once."""
    judge_timeout: float = 30.0
    """Seconds that one judge may take on one case."""
    judge_memory: int = 2048
    """MB that a worker may use."""
    workers: int = 0
    """Worker processes; 0 for one per core."""
    dask: str = ""
    """The address of the Dask scheduler whose workers judge; empty for this machine's."""
    watch: bool = True
    judge_files: tuple[str, ...] = ()
    """Absolute paths of files with further judges and graders (D52)."""
    judges: frozenset[str] | None = None
    cases: frozenset[str] | None = None
    all_cases: bool = False
    """`cases` is not the person's selection but what there was before the hooks ran."""
    force: bool = False
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))

    def __post_init__(self) -> None:
        object.__setattr__(self, "root", os.path.realpath(self.root))

    @property
    def policy(self) -> Policy:
        """What of this says what may run without being asked."""
        return Policy(self.look_only, self.judges, self.cases, self.force, self.samples)


BLESSED: Final = "blessed"
"""In the place of a run's id: the baseline that was blessed in the app. A run of that id wins."""


class NoSuchThing(Exception):
    """What was asked for is not there; the text says what there is instead."""


def choose_eval(options: Options) -> tuple[str, tuple[FoundEval, ...]]:
    """The config to open, and all evals of the project. Raises NoSuchThing."""
    if options.config:
        return options.config, ()
    found = discover(Path(options.root), options.environ)
    if options.eval_name:
        for item in found:
            if options.eval_name in (item.name, os.path.relpath(item.path, options.root)):
                return item.path, found
        for item in found:
            if options.eval_name == item.label:
                return item.path, found
        names = ", ".join(item.label for item in found) or "none"
        raise NoSuchThing(
            f"no eval called {options.eval_name!r} in {options.root}; there are: {names}"
        )
    if not found:
        raise NoSuchThing(
            f"no eval config in {options.root}: expected eval.yaml, eval/*/eval.yaml or another"
            " YAML file with `judges:` beside `dataset:`, `execution:`, `outputs:` or `models:`."
            " `eval-tui init` writes a small one to start from"
        )
    return found[0].path, found


def with_eval(options: Options) -> Options:
    """The options with the config that they lead to. Raises NoSuchThing.

    Commands ask for it before they open the store, so that nothing is written where nothing is.
    """
    return replace(options, config=choose_eval(options)[0])


def read_config(path: str, options: Options) -> EvalConfig:
    """The config as it is now, with every problem in it (D2)."""
    return load_config(Path(path), Path(options.root), options.environ, options.judge_files)


def interpreter_problems(options: Options) -> tuple[Problem, ...]:
    """What is wrong with the interpreter that the project keeps for itself (D50)."""
    note = interpreter_note(options.root, options.python or None, options.environ)
    if options.look_only or not note:
        return ()
    hint = "make that environment anew, or choose another Python with --python"
    return (Problem("warning", "interpreter", note, "", hint=hint),)


def runs_of(config: EvalConfig, options: Options) -> tuple[Run, ...]:
    """The runs of an eval, newest first (D6)."""
    return list_runs(config, options.runs, options.environ)


def runs_folders(config: EvalConfig, options: Options) -> tuple[str, ...]:
    """The folders in which a run of the eval may appear."""
    return run_parents(config, options.runs, options.environ)


def choose_run(
    config: EvalConfig | None, runs: tuple[Run, ...], wanted: str, options: Options
) -> Run | None:
    """The run with the id, or the newest. Raises NoSuchThing for an unknown id."""
    if not wanted:
        return runs[0] if runs else None
    for run in runs:
        if run.id == wanted:
            return run
    found = find_run(config, wanted, options.runs, options.environ) if config else None
    if found is not None:
        return found
    names = ", ".join(run.id for run in runs[:10]) or "none"
    raise NoSuchThing(f"no run called {wanted!r}; there are: {names}")


def choose_baseline(
    config: EvalConfig | None, runs: tuple[Run, ...], options: Options
) -> Run | None:
    """The run to compare with, if one was named. Raises NoSuchThing when it is not there.

    What was blessed are values and no run: a model cannot be asked about it.
    """
    if not options.baseline or config is None:
        return None
    try:
        return choose_run(config, runs, options.baseline, options)
    except NoSuchThing as exc:
        if options.baseline != BLESSED:
            raise NoSuchThing(f"--baseline: {exc}") from None
        if options.pairwise:
            words = "a model compares the files of two runs: name one by its id"
            raise NoSuchThing(f"--baseline {BLESSED}: {words}") from None
        return None


def compared(target: Target, baseline: Run | None, options: Options) -> Target:
    """The target with the comparison as its last column, if one was asked for.

    A run is not compared with itself.
    """
    if not options.pairwise or baseline is None or target.spec is None or target.config is None:
        return target
    folder = os.path.realpath(baseline.path)
    if folder == target.spec.run_dir:
        return target
    from eval_tui.engine.pairwise import with_comparison

    return replace(
        target,
        config=with_comparison(target.config, baseline.id, options.environ),
        baseline_id=baseline.id,
        baseline=replace(target.spec, run_dir=folder),
    )


def read_target(config: EvalConfig, run: Run | None, recorded: Recorded | None) -> Target:
    """What is to be judged, as the folders are now."""
    dataset = dataset_cases(config.dataset)
    if run is None:
        return Target(config, dataset_cases=dataset)
    # Judges are given resolved paths: what they open is then known to lie in the case.
    folder, data = os.path.realpath(run.path), config.dataset and os.path.realpath(config.dataset)
    spec = RecordSpec(folder, data, config.outputs, config.traces, config.mode == "batch")
    if recorded is None:
        return Target(config, run.id, spec, case_ids(run.path), dataset)
    others = of_other_versions(config, recorded.made_by)
    return Target(config, run.id, spec, case_ids(run.path), dataset, recorded.cells, others)
