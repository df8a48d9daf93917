"""What headless commands compare a run with: another run as it was last scored, or what was blessed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from eval_tui.config.schema import EvalConfig
from eval_tui.engine import project
from eval_tui.engine.driver import Driver
from eval_tui.engine.grid import Grid
from eval_tui.engine.project import BLESSED, NoSuchThing
from eval_tui.engine.stored import stored_grid
from eval_tui.output import say
from eval_tui.record.runs import Run
from eval_tui.results.compare import Comparison, compare
from eval_tui.results.noise import trial_differences
from eval_tui.results.part_changes import with_parts
from eval_tui.results.selection import Selection
from eval_tui.results.verdicts import make_verdicts, values_of
from eval_tui.verdicts.compile import Rulebook
from eval_tui.verdicts.trials import CaseTrials, fold


@dataclass(frozen=True)
class Against:
    """The baseline that was asked for."""

    id: str
    """The run's id; of a blessed one that of the run that was blessed."""
    run: Run | None = None
    """Read when it is compared: scoring trials may score it as well."""
    blessed: Grid | None = None
    repeats: tuple[Run, ...] = ()
    """Further runs that are trials of it."""

    def grids(self, driver: Driver, config: EvalConfig) -> tuple[Grid, ...]:
        """The baseline as it was last scored or blessed, then its repeats."""
        first = (self.blessed,) if self.blessed is not None else ()
        runs = self.repeats if self.run is None else (self.run, *self.repeats)
        return (*first, *(stored_grid(driver.store, config, run) for run in runs))


async def find_baseline(driver: Driver, repeats: tuple[str, ...] = ()) -> Against | None:
    """The baseline of the command line; None where none was asked for. Raises NoSuchThing."""
    options, config, run = driver.options, driver.config, driver.reader.baseline
    if not options.baseline or config is None:
        return None
    if run is not None:
        return Against(run.id, run, repeats=_repeats(driver, config, repeats, run.id))
    blessed = await driver.finding.baseline(config, driver.grid.columns)
    if blessed is None:
        raise NoSuchThing(
            f"--baseline {BLESSED}: no run of {config.eval_name!r} was blessed in this project;"
            " open it in the app and press `b` in the run to compare with, or name a run by its id"
        )
    more = _repeats(driver, config, repeats, blessed.run)
    return Against(blessed.run, blessed=blessed, repeats=more)


def _repeats(
    driver: Driver, config: EvalConfig, names: Sequence[str], baseline: str
) -> tuple[Run, ...]:
    """The further runs of the baseline; one that counts already would count twice."""
    trials = config.verdict.trials if config.verdict is not None else ()
    taken = {baseline, driver.session.target.run_id, *trials}
    found: list[Run] = []
    for name in dict.fromkeys(filter(None, names)):
        if name in taken:
            raise NoSuchThing(f"--baseline-trial: run {name} counts already, on one of both sides")
        try:
            run = project.choose_run(config, driver.reader.found_runs, name, driver.options)
        except NoSuchThing as exc:
            raise NoSuchThing(f"--baseline-trial: {exc}") from None
        if run is not None:
            found.append(run)
    return tuple(found)


def compared(
    driver: Driver, config: EvalConfig, against: Against, trials: tuple[CaseTrials, ...]
) -> Comparison:
    """The run beside its baseline: cells, their parts, verdicts, and what of it may be noise."""
    grid = selection(driver)
    sides = [Selection(one, grid.judges, grid.cases) for one in against.grids(driver, config)]
    # Verdicts rest on all judges, so they are compared only where all were judged.
    judged = config.has_verdicts or against.repeats
    book = driver.authority.rulebook if judged and grid.judges is None else None
    listed = config.verdict.trials if config.verdict is not None else ()
    mine = trials if driver.session.target.run_id in listed else ()
    # A run that is itself one of the trials is no baseline of them.
    theirs = _trials(against, sides, book) if book is not None and against.id not in listed else ()
    if against.repeats and book is None:
        say("only some judges were selected: trials are not compared")
    flaky = frozenset(one.case for one in (*trials, *theirs) if one.flaky)
    found = compare(
        grid,
        sides[0],
        driver.session.target.run_id,
        against.id,
        flaky,
        book if config.has_verdicts else None,
    )
    if book is not None:
        mine = mine or fold([_verdicts(grid, book)])
        found = replace(found, trials=trial_differences(theirs, mine))
    return replace(with_parts(found, grid, sides[0], flaky), blessed=against.blessed is not None)


def tell_nothing_shared(found: Comparison) -> None:
    """Say why nothing could be compared."""
    if found.blessed:
        say(
            f"nothing to compare: what was blessed of run {found.baseline} holds no value of these"
            " judges and cases"
        )
        return
    say(
        f"nothing to compare: no score of run {found.baseline} under these judges is stored or"
        f" recorded; score it first: eval-tui score --run {found.baseline}"
    )


def selection(driver: Driver) -> Selection:
    """The part of the grid that was asked for; cases that hooks have added since are not in it."""
    options, grid = driver.options, driver.grid
    cases = options.cases
    if cases is not None and options.all_cases:
        cases |= {row.case for row in grid.rows if row.status != "ran"}
    return Selection(grid, options.judges, cases)


def _trials(against: Against, sides: Sequence[Selection], book: Rulebook) -> tuple[CaseTrials, ...]:
    """The verdicts of the baseline and its repeats, case by case."""
    found = [_verdicts(side, book) for side in sides]
    for run, verdicts in zip(against.repeats, found[1:], strict=True):
        if all(verdict is None for verdict in verdicts.values()):
            say(
                f"run {run.id} is no trial of the baseline: no case of it has a verdict under these"
                f" judges; score it first: eval-tui score --run {run.id}"
            )
    return fold(found)


def _verdicts(grid: Grid, book: Rulebook) -> Mapping[str, bool | None]:
    return values_of(make_verdicts(grid, book).cases)
