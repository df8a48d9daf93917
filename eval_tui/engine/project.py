"""Reading a project from disk: which eval and run are meant, and what they hold now."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from eval_tui.config.discovery import FoundEval, discover
from eval_tui.config.load import load_config
from eval_tui.config.problems import Problem
from eval_tui.config.schema import EvalConfig
from eval_tui.engine.environment import interpreter_note
from eval_tui.engine.target import Target
from eval_tui.record.recorded import Recorded
from eval_tui.record.runs import Run, case_ids, dataset_cases, find_run, list_runs, run_parents
from eval_tui.record.spec import RecordSpec
from eval_tui.scores import Score

KEY_NAMES = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_VERTEX_PROJECT_ID")
"""Variables of which one must be set for a model to be asked."""


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
    concurrency: int = 8
    """Model calls under way at once."""
    judge_timeout: float = 30.0
    """Seconds that one judge may take on one case."""
    judge_memory: int = 2048
    """MB that a worker may use."""
    workers: int = 0
    """Worker processes; 0 for one per core."""
    watch: bool = True
    judges: frozenset[str] | None = None
    cases: frozenset[str] | None = None
    all_cases: bool = False
    """`cases` is not the person's selection but what there was before the hooks ran."""
    force: bool = False
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))

    def __post_init__(self) -> None:
        object.__setattr__(self, "root", os.path.realpath(self.root))


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
        names = ", ".join(item.name for item in found) or "none"
        raise NoSuchThing(
            f"no eval called {options.eval_name!r} in {options.root}; there are: {names}"
        )
    if not found:
        raise NoSuchThing(
            f"no eval config in {options.root}: expected eval.yaml, eval/*/eval.yaml or another"
            " YAML file with `judges:` beside `dataset:`, `execution:`, `outputs:` or `models:`"
        )
    return found[0].path, found


def read_config(path: str, options: Options) -> EvalConfig:
    """The config as it is now, with every problem in it (D2)."""
    return load_config(Path(path), Path(options.root), options.environ)


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


def read_target(config: EvalConfig, run: Run | None, recorded: Recorded | None) -> Target:
    """What is to be judged, as the folders are now."""
    dataset = dataset_cases(config.dataset)
    if run is None:
        return Target(config, dataset_cases=dataset)
    # Judges are given resolved paths: what they open is then known to lie in the case.
    folder, data = os.path.realpath(run.path), config.dataset and os.path.realpath(config.dataset)
    spec = RecordSpec(folder, data, config.outputs, config.traces, config.mode == "batch")
    cells: Mapping[str, Mapping[str, Score]] = recorded.cells if recorded is not None else {}
    return Target(config, run.id, spec, case_ids(run.path), dataset, cells)


def has_key(options: Options) -> bool:
    """Whether a credential for the model API is in the environment or in `.env`."""
    if any(options.environ.get(name) for name in KEY_NAMES):
        return True
    try:
        with open(os.path.join(options.root, ".env"), encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
    except OSError:
        return False
    for line in lines:
        name, _, value = line.strip().removeprefix("export ").partition("=")
        if name.strip() in KEY_NAMES and value.strip().strip("'\""):
            return True
    return False
