"""`score`, `check` and `explain`: the engine without a screen.

Standard output holds only the document that was asked for; everything else goes to standard
error.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable
from dataclasses import replace

from eval_tui.against import find_baseline
from eval_tui.config.case_graders import CaseGraderScan, with_case_graders
from eval_tui.config.problems import Problem
from eval_tui.config.schema import EvalConfig
from eval_tui.engine import project
from eval_tui.engine.authority import Authority
from eval_tui.engine.driver import Driver
from eval_tui.engine.grid import CellKey
from eval_tui.engine.project import NoSuchThing, Options
from eval_tui.engine.supervisor import SupervisorFactory
from eval_tui.engine.trial import try_judges
from eval_tui.hooks import HookFailed, run_before_scoring
from eval_tui.outgoing import write_ingest
from eval_tui.output import problem_line, put, say, tell_problems
from eval_tui.reporting import ScoreOptions, Write, report, verdicts_of
from eval_tui.results.exit_code import (
    BY_SIGNAL,
    NOTHING_SELECTED,
    PASSED,
    UNUSABLE,
)
from eval_tui.results.explanation import explanation
from eval_tui.results.verdicts import values_of
from eval_tui.results.words import count
from eval_tui.verdicts.trials import CaseTrials, fold
from eval_tui.waiting import Interruption, interrupts, until_idle


def score(options: Options, supervisors: SupervisorFactory, wanted: ScoreOptions) -> int:
    """Score a run and print the document; returns the exit code (D31)."""
    return asyncio.run(score_one(options, supervisors, wanted, Interruption()))


async def score_one(
    options: Options,
    supervisors: SupervisorFactory,
    wanted: ScoreOptions,
    interrupted: Interruption,
    write: Write | None = None,
) -> int:
    """Score one run; the exit code (D31). `write` takes the result, else it is published."""
    try:
        options = project.with_eval(options)
        if wanted.hooks and not options.look_only:
            options = _after_hooks(options)
    except (HookFailed, NoSuchThing) as exc:
        say(str(exc))
        return UNUSABLE
    driver = Driver(options, supervisors)
    try:
        with interrupts(interrupted):
            await driver.start()
            code = _unscorable(driver)
            if code is not None:
                return code
            against = await find_baseline(driver, wanted.baseline_trials)
            await until_idle(driver, interrupted)
            trials = await _trials(driver, supervisors, interrupted)
            if wanted.format == "everdict":
                return await write_ingest(driver, wanted.output, interrupted)
        return report(driver, wanted, interrupted.number, trials, against, write)
    except NoSuchThing as exc:
        say(str(exc))
        return UNUSABLE
    finally:
        await driver.close()


def _after_hooks(options: Options) -> Options:
    """Run the hooks; the cases are those of before, as the harness has it."""
    config = project.read_config(options.config, options)
    if not config.usable or not any(hook.phase == "before_scoring" for hook in config.hooks):
        return options
    run = project.choose_run(config, project.runs_of(config, options), options.run, options)
    if run is None:
        return options
    cases = frozenset(project.case_ids(run.path))
    run_before_scoring(config, run.id, run.path, options.environ)
    chosen = cases if options.cases is None else options.cases & cases
    return replace(options, run=run.id, cases=chosen, all_cases=options.cases is None)


def _unscorable(driver: Driver) -> int | None:
    """The exit code when there is nothing to score, with the reason told."""
    config, options = driver.config, driver.options
    if config is None:  # before the run that it would have led to
        tell_problems(driver.problems, options.root)
        return UNUSABLE
    if driver.reader.missing:
        say(driver.reader.missing)
        return UNUSABLE
    if driver.session.target.spec is None:
        folders = ", ".join(
            os.path.relpath(folder, options.root)
            for folder in project.runs_folders(config, options)
        )
        say(f"no run of {config.eval_name!r} was found; looked in {folders}")
        return UNUSABLE
    if options.pairwise and driver.session.target.baseline is None:
        say(f"run {driver.status.run_id} is the baseline itself: there is nothing to compare")
        return UNUSABLE
    judges = {judge.name for judge in driver.grid.columns}
    cases = {row.case for row in driver.grid.rows}
    for what, asked, there in (("judge", options.judges, judges), ("case", options.cases, cases)):
        for name in sorted((asked or frozenset()) - there):
            say(f"there is no {what} called {name!r}")
        if asked is not None and not options.all_cases and not asked & there:
            say(f"nothing matched the selection of {what}s")
            return NOTHING_SELECTED
    if options.cases is not None and not options.all_cases:
        rows = [row for row in driver.grid.rows if row.case in options.cases]
        if all(row.status == "not_run" for row in rows):
            names = ", ".join(repr(row.case) for row in rows)
            say(f"not in run {driver.status.run_id}: {names}; nothing was selected")
            return NOTHING_SELECTED
    return None


async def _trials(
    driver: Driver, supervisors: SupervisorFactory, interrupted: Interruption
) -> tuple[CaseTrials, ...]:
    """The runs that repeat one configuration, their verdicts folded case by case.

    The run in view counts as it was scored. The others are scored by a driver of their own: whoever
    goes from run to run would force its cells, or ask for the time, once more on coming back.
    """
    config, shown = driver.config, driver.status.run_id
    wanted = config.verdict.trials if config and config.verdict else ()
    runs: list[str] = []
    for run in wanted:
        try:
            project.choose_run(config, driver.reader.found_runs, run, driver.options)
            runs.append(run)
        except NoSuchThing as exc:
            say(f"verdict.trials: {exc}")
    found = {shown: verdicts_of(driver)}
    others = [run for run in runs if run != shown]
    if others and not interrupted.number:
        budget = max(0.0, driver.options.budget - (driver.session.asking.cost or 0.0))
        options = replace(driver.options, run=others[0], budget=budget, baseline="", pairwise=False)
        other = Driver(options, supervisors)
        try:
            await other.start()
            for run in others:
                if run != others[0]:
                    await other.open_run(run)
                await until_idle(other, interrupted)
                found[run] = verdicts_of(other)
            driver.session.ran += other.session.ran
            driver.session.asking.spent += other.session.asking.spent
        finally:
            await other.close()
    boards = [board for run in runs if (board := found.get(run)) is not None]
    return fold([values_of(board.cases) for board in boards])


def check(options: Options, supervisors: SupervisorFactory) -> int:
    """Print everything that was found and everything that is wrong; 2 when a judge cannot be used."""
    try:
        path, evals = project.choose_eval(options)
    except NoSuchThing as exc:
        say(str(exc))
        return UNUSABLE
    paths = [item.path for item in evals] if not options.eval_name and evals else [path]
    put(f"root         {options.root}")
    worst = PASSED
    interpreter = ""
    for one in paths:
        config = project.read_config(one, options)
        config = with_case_graders(config, CaseGraderScan().look(config.dataset))
        problems = config.problems
        if config.usable and not options.look_only:
            trial, interpreter = asyncio.run(try_judges(config, supervisors, options.judge_timeout))
            problems = (*problems, *trial)
        if config.usable:
            authority = Authority()
            authority.read(config)
            problems = (*problems, *authority.problems)
        _print_eval(config, options, problems)
        if not config.usable or any(p.severity == "error" for p in problems):
            worst = UNUSABLE
    if interpreter:
        put(f"\ninterpreter  {interpreter}")
    for problem in project.interpreter_problems(options):
        put(problem_line(problem, options.root))
    return worst


def _print_eval(config: EvalConfig, options: Options, problems: Iterable[Problem]) -> None:
    root = options.root
    runs = project.runs_of(config, options) if config.usable else ()
    cases = count(len(project.dataset_cases(config.dataset)), "case")
    dataset = f"{os.path.relpath(config.dataset, root)} ({cases})" if config.dataset else "none"
    newest = f", the newest is {runs[0].id}" if runs else ""
    name, place = config.name or config.eval_name, os.path.relpath(config.path, root)
    for line in (
        f"\neval         {name}  {place}",
        f"dataset      {dataset}",
        f"judges       {len(config.judges)}",
        f"runs         {len(runs)}{newest}",
    ):
        put(line)
    for problem in problems:
        put(problem_line(problem, root))


def explain(
    options: Options, supervisors: SupervisorFactory, case: str, judge: str, prompt: bool = False
) -> int:
    """Print why a cell has the value it has, and what it read; or what a model would be asked."""
    return asyncio.run(_explain(options, supervisors, CellKey(case, judge), prompt))


async def _explain(
    options: Options, supervisors: SupervisorFactory, key: CellKey, prompt: bool
) -> int:
    try:
        options = project.with_eval(options)
    except NoSuchThing as exc:
        say(str(exc))
        return UNUSABLE
    options = replace(options, judges=frozenset({key.judge}), cases=frozenset({key.case}))
    driver = Driver(options, supervisors)
    interrupted = Interruption()
    try:
        with interrupts(interrupted):
            await driver.start()
            code = _unscorable(driver)
            if code is not None:
                return code
            await until_idle(driver, interrupted)
        if interrupted.number:
            return BY_SIGNAL + interrupted.number
        lines = explanation(driver.detail(key.case, key.judge))
        if prompt:
            try:
                lines = iter((await driver.prompt(key.case, key.judge)).splitlines())
            except OSError as error:
                say(str(error))
                return UNUSABLE
        for line in lines:
            put(line)
        if driver.broken:
            say(driver.broken)
        return UNUSABLE if driver.broken else PASSED
    finally:
        await driver.close()
