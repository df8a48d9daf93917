"""`score`, `check` and `explain`: the engine without a screen.

Standard output holds only the document that was asked for; everything else goes to standard
error.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import Generator, Iterable
from dataclasses import dataclass, replace
from typing import Any, TextIO

from eval_tui.config.problems import Problem
from eval_tui.config.schema import EvalConfig
from eval_tui.engine import project
from eval_tui.engine.driver import Driver
from eval_tui.engine.grid import CellKey, Grid
from eval_tui.engine.project import NoSuchThing, Options
from eval_tui.engine.supervisor import SupervisorFactory
from eval_tui.engine.trial import try_judges
from eval_tui.hooks import HookFailed, run_before_scoring
from eval_tui.output import printable, problem_line, publish, say, tell_problems
from eval_tui.results.board import Board, make_board
from eval_tui.results.exit_code import (
    BY_SIGNAL,
    NOTHING_SELECTED,
    PASSED,
    UNUSABLE,
    exit_code,
    scoring_unusable,
)
from eval_tui.results.explanation import explanation
from eval_tui.results.export import Tally, score_document
from eval_tui.results.gates import Gate
from eval_tui.results.selection import Selection
from eval_tui.results.table import gate_lines, score_table
from eval_tui.scores import Score


@dataclass(frozen=True)
class ScoreOptions:
    """What `score` was asked for besides the project."""

    format: str = "table"
    output: str = ""
    hooks: bool = True
    max_unmeasured: float = 1.0


def score(options: Options, supervisors: SupervisorFactory, wanted: ScoreOptions) -> int:
    """Score a run and print the document; returns the exit code (D31)."""
    return asyncio.run(_score(options, supervisors, wanted))


async def _score(options: Options, supervisors: SupervisorFactory, wanted: ScoreOptions) -> int:
    try:
        if wanted.hooks and not options.look_only:
            options = _after_hooks(options)
    except HookFailed as exc:
        say(str(exc))
        return UNUSABLE
    except NoSuchThing:
        pass  # told below, by the same search
    driver = Driver(options, supervisors)
    interrupted = Interruption()
    try:
        with _interrupts(interrupted):
            await driver.start()
            code = _unscorable(driver)
            if code is not None:
                return code
            await _until_idle(driver, interrupted)
        return _report(driver, wanted, interrupted.number)
    finally:
        await driver.close()


def _after_hooks(options: Options) -> Options:
    """Run the hooks; the cases are those of before, as the harness has it."""
    path, _ = project.choose_eval(options)
    config = project.read_config(path, options)
    if not config.usable or not any(hook.phase == "before_scoring" for hook in config.hooks):
        return options
    run = project.choose_run(config, project.runs_of(config, options), options.run, options)
    if run is None:
        return options
    cases = frozenset(project.case_ids(run.path))
    run_before_scoring(config, run.id, run.path, options.environ)
    chosen = cases if options.cases is None else options.cases & cases
    return replace(options, run=run.id, config=path, cases=chosen, all_cases=options.cases is None)


def _unscorable(driver: Driver) -> int | None:
    """The exit code when there is nothing to score, with the reason told."""
    config, options = driver.config, driver.options
    if driver.reader.missing:
        say(driver.reader.missing)
        return UNUSABLE
    if config is None:
        tell_problems(driver.problems, options.root)
        return UNUSABLE
    if driver.session.target.spec is None:
        folders = ", ".join(
            os.path.relpath(folder, options.root)
            for folder in project.runs_folders(config, options)
        )
        say(f"no run of {config.eval_name!r} was found; looked in {folders}")
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


class Interruption:
    """Whether a signal asked for the end, and which."""

    def __init__(self) -> None:
        self.number = 0
        self._came = asyncio.Event()

    def set(self, number: int) -> None:
        self.number = self.number or number
        self._came.set()

    async def wait(self) -> None:
        await self._came.wait()


@contextlib.contextmanager
def _interrupts(interruption: Interruption) -> Generator[None]:
    loop = asyncio.get_running_loop()
    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    for number in signals:
        loop.add_signal_handler(number, interruption.set, number)
    try:
        yield
    finally:
        for number in signals:
            loop.remove_signal_handler(number)


async def _until_idle(driver: Driver, interrupted: Interruption) -> None:
    """Wait for the end or an interruption; on a terminal a bar shows the progress."""
    waits: list[asyncio.Future[Any]] = [
        asyncio.ensure_future(driver.idle()),
        asyncio.ensure_future(interrupted.wait()),
    ]
    bar = _Bar(sys.stderr) if sys.stderr.isatty() else None
    try:
        over = False
        while not over:
            done, _ = await asyncio.wait(
                waits, timeout=0.1 if bar else None, return_when=asyncio.FIRST_COMPLETED
            )
            over = bool(done)
            if bar:
                bar.show(driver)
        if interrupted.number:
            driver.cancel(None)
    finally:
        for wait in waits:
            wait.cancel()
        if bar:
            bar.clear()


class _Bar:
    """One line on a terminal that says how far the scoring is."""

    WIDTH = 30

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._total = 0

    def show(self, driver: Driver) -> None:
        status = driver.status
        left = status.queued + status.running
        self._total = max(self._total, left + status.ran + status.reused)
        share = 1 - left / self._total if self._total else 1.0
        full = round(share * self.WIDTH)
        words = f"{share:4.0%}  {self._total - left:,} of {self._total:,} cells"
        self._stream.write(f"\r{'━' * full}{'╌' * (self.WIDTH - full)} {words}\x1b[K")
        self._stream.flush()

    def clear(self) -> None:
        self._stream.write("\r\x1b[K")
        self._stream.flush()


def _report(driver: Driver, wanted: ScoreOptions, interrupted: int) -> int:
    config = driver.config
    assert config is not None
    driver.session.catch_up()
    decides = driver.options.cases is None or driver.options.all_cases
    if not decides and config.thresholds:
        say("only some cases were selected: no gate is decided")
    grid = _selection(driver)
    gated = config if decides else replace(config, thresholds=())
    board = make_board(grid, gated, wanted.max_unmeasured)
    gates = [gate for column in board.columns for gate in column.gates]
    if wanted.format == "json":
        text = json.dumps(document(driver, grid, board, gates), indent=2, allow_nan=False)
    else:
        text = score_table(grid, board)
    if not publish(text, wanted.output):
        return BY_SIGNAL + interrupted if interrupted else UNUSABLE
    tell_problems([p for p in driver.problems if p.severity != "note"], driver.options.root)
    for line in gate_lines(board):
        say(line)
    driver.store.flush()
    if driver.store.notice:
        say(driver.store.notice)
    if driver.broken:
        say(driver.broken)
    ran, reused = driver.session.ran, reused_cells(driver)
    say(f"{ran:,} ran, {reused:,} still valid" + (", interrupted" if interrupted else ""))
    unloaded = unloaded_judges(driver)
    return exit_code(
        gates,
        interrupted=interrupted,
        unusable=bool(driver.broken)
        or scoring_unusable(
            [judge.name for judge in driver.grid.columns],
            unloaded,
            [threshold.judge for threshold in config.thresholds],
            driver.options.judges or (),
        ),
    )


def _selection(driver: Driver) -> Grid:
    """The part of the grid that was asked for; cases that hooks have added since are not in it."""
    options, grid = driver.options, driver.grid
    cases = options.cases
    if cases is not None and options.all_cases:
        cases |= {row.case for row in grid.rows if row.status != "ran"}
    return Selection(grid, options.judges, cases)


def unloaded_judges(driver: Driver) -> set[str]:
    """Judges that cannot be used, by the config or by what a worker found."""
    broken = {judge.name for judge in driver.grid.columns if judge.problem is not None}
    return broken | driver.session.findings.unusable


def reused_cells(driver: Driver) -> int:
    """Selected cells whose value was worked out earlier and still holds."""
    session = driver.session
    return sum(
        1
        for key, info in session.infos.items()
        if info.known and info.result and not info.ran and session.policy.selects(*key)
    )


def document(driver: Driver, grid: Grid, board: Board, gates: Iterable[Gate]) -> dict[str, Any]:
    """The JSON document, schema 1."""
    config, session, options = driver.config, driver.session, driver.options
    assert config is not None
    scores: dict[tuple[str, str], Score] = {}
    for key in session.infos:
        whole = session.full_score(key)
        if whole is not None:
            scores[key] = whole
    return score_document(
        grid,
        eval_name=config.eval_name,
        run=session.target.run_id,
        root=options.root,
        aggregates={column.judge.name: column.aggregate for column in board.columns},
        gates=gates,
        problems=driver.problems,
        scores=scores,
        tally=Tally(session.ran, reused_cells(driver), session.asking.calls, session.asking.cost),
    )


def check(options: Options, supervisors: SupervisorFactory) -> int:
    """Print everything that was found and everything that is wrong; 2 when a judge cannot be used."""
    try:
        path, evals = project.choose_eval(options)
    except NoSuchThing as exc:
        say(str(exc))
        return UNUSABLE
    paths = [item.path for item in evals] if not options.eval_name and evals else [path]
    print(printable(f"root         {options.root}"))
    worst = PASSED
    interpreter = ""
    for one in paths:
        config = project.read_config(one, options)
        problems = config.problems
        if config.usable and not options.look_only:
            trial, interpreter = asyncio.run(try_judges(config, supervisors, options.judge_timeout))
            problems = (*problems, *trial)
        _print_eval(config, options, problems)
        if not config.usable or any(p.severity == "error" for p in problems):
            worst = UNUSABLE
    if interpreter:
        print(printable(f"\ninterpreter  {interpreter}"))
    for problem in project.interpreter_problems(options):
        print(printable(problem_line(problem, options.root)))
    return worst


def _print_eval(config: EvalConfig, options: Options, problems: Iterable[Problem]) -> None:
    root = options.root
    runs = project.runs_of(config, options) if config.usable else ()
    cases = len(project.dataset_cases(config.dataset))
    dataset = (
        f"{os.path.relpath(config.dataset, root)} ({cases} cases)" if config.dataset else "none"
    )
    newest = f", the newest is {runs[0].id}" if runs else ""
    name, place = config.name or config.eval_name, os.path.relpath(config.path, root)
    for line in (
        f"\neval         {name}  {place}",
        f"dataset      {dataset}",
        f"judges       {len(config.judges)}",
        f"runs         {len(runs)}{newest}",
    ):
        print(printable(line))
    for problem in problems:
        print(printable(problem_line(problem, root)))


def explain(
    options: Options, supervisors: SupervisorFactory, case: str, judge: str, prompt: bool = False
) -> int:
    """Print why a cell has the value it has, and what it read; or what a model would be asked."""
    return asyncio.run(_explain(options, supervisors, CellKey(case, judge), prompt))


async def _explain(
    options: Options, supervisors: SupervisorFactory, key: CellKey, prompt: bool
) -> int:
    options = replace(options, judges=frozenset({key.judge}), cases=frozenset({key.case}))
    driver = Driver(options, supervisors)
    interrupted = Interruption()
    try:
        with _interrupts(interrupted):
            await driver.start()
            code = _unscorable(driver)
            if code is not None:
                return code
            await _until_idle(driver, interrupted)
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
            print(printable(line))
        if driver.broken:
            say(driver.broken)
        return PASSED
    finally:
        await driver.close()
