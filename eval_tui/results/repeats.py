"""Runs that repeat one configuration: the one in view as it lives, the others as last scored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from eval_tui.engine.grid import Grid
from eval_tui.results.verdicts import Court, make_verdicts, values_of
from eval_tui.verdicts.compare import Difference, compare_trials
from eval_tui.verdicts.compile import Rulebook
from eval_tui.verdicts.statistics import Tally
from eval_tui.verdicts.trials import CaseTrials, fold


@dataclass(frozen=True, slots=True)
class Repeat:
    """One run that counts as trials of its cases."""

    run: str
    verdicts: Mapping[str, bool | None] | None
    """Of the cases that it has; None for the run in view, whose grid lives."""


@dataclass(frozen=True, slots=True)
class Repeats:
    """The runs of `verdict.trials`, in the order of the config."""

    runs: tuple[Repeat, ...]
    unscored: tuple[str, ...] = ()
    """Of these no score under the judges as they are is stored or recorded."""
    gone: tuple[str, ...] = ()
    """These are not there."""


def make_repeats(
    listed: Sequence[str], shown: str, stored: Mapping[str, Grid], rulebook: Rulebook
) -> Repeats:
    """The runs that are listed: `shown` is in view, the others are `stored` if they exist.

    All verdicts are given under one rulebook. For a thread: takes its time where runs are large.
    """
    runs: list[Repeat] = []
    unscored: list[str] = []
    for run in listed:
        grid = stored.get(run)
        if run == shown:
            runs.append(Repeat(run, None))
        elif grid is not None and _scored(grid):
            runs.append(Repeat(run, values_of(make_verdicts(grid, rulebook).cases)))
        elif grid is not None:
            unscored.append(run)
    gone = tuple(run for run in listed if run != shown and run not in stored)
    return Repeats(tuple(runs), tuple(unscored), gone)


def trials_of(repeats: Repeats, court: Court, grid: Grid, case: str) -> dict[str, bool | None]:
    """The verdicts of a case that ran in `grid`, the run in view, by run.

    A run that lacks the case is no trial of it.
    """
    found: dict[str, bool | None] = {}
    for repeat in repeats.runs:
        if repeat.verdicts is None:
            found[repeat.run] = court.verdict(grid, case).verdict.value
        elif case in repeat.verdicts:
            found[repeat.run] = repeat.verdicts[case]
    return found


def all_trials(repeats: Repeats, rulebook: Rulebook, grid: Grid) -> tuple[CaseTrials, ...]:
    """The trials of every case that ran in any of the runs; `grid` is the run in view."""
    shown = values_of(make_verdicts(grid, rulebook).cases)
    return fold(shown if repeat.verdicts is None else repeat.verdicts for repeat in repeats.runs)


def since_baseline(
    repeats: Repeats, court: Court, baseline: Grid, run: str, one: CaseTrials
) -> Difference | None:
    """How the trials of a case differ from the one trial of it in the baseline, which is of `run`.

    None where there is nothing to compare, no difference, or the baseline is itself a trial.
    """
    if any(repeat.run == run for repeat in repeats.runs):
        return None
    before = court.verdict(baseline, one.case).verdict.value
    if before is None or not one.tally.trials:
        return None
    (found,) = compare_trials({one.case: Tally(int(before), 1)}, {one.case: one.tally})
    return found if found.before.rate != found.after.rate else None


def _scored(grid: Grid) -> bool:
    return any(
        grid.cell(row.case, judge.name).score is not None
        for row in grid.rows
        for judge in grid.columns
    )
