"""What `score` says once everything is scored: the document, what to know about it, the exit code."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from eval_tui.against import Against, compared, selection, tell_nothing_shared
from eval_tui.config.problems import Problem
from eval_tui.config.schema import EvalConfig
from eval_tui.engine.driver import Driver
from eval_tui.engine.grid import Grid
from eval_tui.engine.summary import SUMMARY
from eval_tui.output import publish, say, tell, tell_problems
from eval_tui.plugins import PluginUnusable
from eval_tui.results.annotations import github_lines
from eval_tui.results.board import Board, make_board
from eval_tui.results.compare import Comparison
from eval_tui.results.critical import critical_words, missing_critical
from eval_tui.results.exit_code import (
    BY_SIGNAL,
    UNUSABLE,
    FailOn,
    exit_code,
    scoring_unusable,
)
from eval_tui.results.export import Tally, score_document
from eval_tui.results.formats import FormatFailed, format_called
from eval_tui.results.formats.plain import unbroken
from eval_tui.results.pairwise import not_compared
from eval_tui.results.regression import Limits, falls, regressions, with_limits
from eval_tui.results.report import Report, comparison_document
from eval_tui.results.reward import make_rewards
from eval_tui.results.reward_words import reward_document
from eval_tui.results.selection import Selection
from eval_tui.results.summary_cells import text as in_utf8
from eval_tui.results.summary_file import CannotWrite, scoring_of, write_summary
from eval_tui.results.table import gate_lines
from eval_tui.results.verdict_export import verdict_blocks
from eval_tui.results.verdicts import VerdictBoard, make_verdicts
from eval_tui.results.words import count
from eval_tui.scores import Score
from eval_tui.verdicts.trials import CaseTrials


@dataclass(frozen=True)
class ScoreOptions:
    """What `score` was asked for besides the project."""

    format: str = "table"
    """A name of `FORMATS`, `plugin/name`, or `everdict` (see `outgoing`)."""
    output: str = ""
    hooks: bool = True
    max_unmeasured: float = 1.0
    fail_on: frozenset[FailOn] = frozenset()
    tolerance: float | None = None
    compat: bool = False
    annotations: Literal["", "github"] = ""
    write_summary: bool = False
    baseline_trials: tuple[str, ...] = ()
    """Ids of further runs that repeat the baseline."""

    @property
    def limits(self) -> Limits:
        return Limits(self.tolerance, "regression" in self.fail_on, self.compat)


Write = Callable[[Report], bool]
"""Takes what was scored to where it was asked for; False when it cannot be written."""


def report(
    driver: Driver,
    wanted: ScoreOptions,
    interrupted: int,
    trials: tuple[CaseTrials, ...],
    against: Against | None = None,
    write: Write | None = None,
) -> int:
    """Publish what was scored and tell what else is to be known; returns the exit code (D31).

    `against` is the baseline. `write` takes the result instead, where this scoring is one of several.
    """
    config = driver.config
    assert config is not None
    driver.session.display.catch_up()
    problems = (*driver.problems, *not_compared(config, driver.grid))
    decides = driver.options.cases is None or driver.options.all_cases
    critical = config.verdict.critical_cases if config.verdict else ()
    if not decides and (config.thresholds or critical or wanted.limits != Limits()):
        say("only some cases were selected: no gate is decided")
    elif critical and driver.options.judges is not None:
        say("only some judges were selected: critical cases decide nothing")
    found = compared(driver, config, against, trials) if against is not None else None
    gated = with_limits(config, found, wanted.limits) if found else config
    gated = gated if decides else replace(gated, thresholds=())
    worse = regressions(found, wanted.limits, config) if found and decides else ()
    if found and _is_whole(driver) and not wanted.compat:
        worse += missing_critical(critical, found.gone_cases, found.beside)
    made = replace(_report(driver, gated, found, wanted, problems, trials), regressions=worse)
    if not (write(made) if write is not None else _publish(made, wanted)):
        return BY_SIGNAL + interrupted if interrupted else UNUSABLE
    tell_problems([p for p in problems if p.severity != "note"], driver.options.root)
    if wanted.annotations == "github":
        tell(github_lines(made, gated, problems, driver.options.root))
    _tell(driver, made, interrupted)
    written = _write_summary(driver, made, interrupted) if wanted.write_summary else True
    return exit_code(
        [gate for column in made.board.columns for gate in column.gates],
        critical=made.critical.state if made.critical else None,
        interrupted=interrupted,
        unusable=bool(driver.broken) or not written or _unusable(driver, config),
        regressed=bool(made.regressions),
        undecided=decides and _undecided(made, wanted),
        never="never" in wanted.fail_on,
    )


def _publish(made: Report, wanted: ScoreOptions) -> bool:
    try:
        text = format_called(wanted.format)(made)
    except (PluginUnusable, FormatFailed) as exc:
        say(str(exc))
        return False
    return publish(text, wanted.output)


def verdicts_of(driver: Driver) -> VerdictBoard | None:
    """The verdicts of the cases that were asked for; they rest on all judges."""
    book = driver.authority.rulebook
    driver.session.display.catch_up()
    if book is None:
        return None
    made = make_verdicts(Selection(driver.grid, None, selection(driver).cases), book)
    return made if _is_whole(driver) else replace(made, critical=None)


def _is_whole(driver: Driver) -> bool:
    """Whether all cases were scored by all judges."""
    options = driver.options
    return options.judges is None and (options.cases is None or options.all_cases)


def _report(
    driver: Driver,
    config: EvalConfig,
    found: Comparison | None,
    wanted: ScoreOptions,
    problems: tuple[Problem, ...],
    trials: tuple[CaseTrials, ...],
) -> Report:
    """Everything that a format may show; `config` has the gates that count."""
    grid, target = selection(driver), driver.session.target
    fallen = falls(found, wanted.compat) if found else None
    board = make_board(grid, config, wanted.max_unmeasured, falls=fallen)
    verdicts = verdicts_of(driver)
    all_judges = Selection(driver.grid, None, grid.cases)  # a reward may rest on any of them
    rewards = make_rewards(all_judges, config.reward) if config.reward else None

    def build() -> Mapping[str, Any]:
        told = verdict_blocks(verdicts, driver.earlier_policy, trials) if verdicts else {}
        if rewards is not None:
            told["rewards"] = reward_document(rewards)
        if found is not None:
            told["comparison"] = comparison_document(found)
        return _document(driver, grid, board, problems, told)

    return Report(
        grid=grid,
        board=board,
        build=build,
        run=target.run_id,
        baseline=target.baseline_id or (found.baseline if found is not None else ""),
        comparison=found,
        verdicts=verdicts if config.has_verdicts else None,
        earlier_policy=driver.earlier_policy,
        rewards=rewards,
        trials=trials,
    )


def _tell(driver: Driver, made: Report, interrupted: int) -> None:
    """What the document does not say, or not at once."""
    critical = made.critical
    told = [critical_words(critical)] if critical and critical.state != "pass" else []
    for line in (*gate_lines(made.board), *told, *made.regressions):
        say(unbroken(line))
    if made.comparison is not None and not made.comparison.shared:
        tell_nothing_shared(made.comparison)
    driver.store.flush()
    for notice in (driver.store.notice, driver.broken):
        if notice:
            say(notice)
    if not driver.options.look_only:
        ran, reused = driver.session.ran, reused_cells(driver)
        say(f"{ran:,} ran, {reused:,} still valid" + (", interrupted" if interrupted else ""))


def _write_summary(driver: Driver, made: Report, interrupted: int) -> bool:
    """Write what was scored into the run's folder, and say where; False when that failed."""
    if interrupted:
        say("interrupted: summary.yaml was left as it is")
        return True
    root, baseline = driver.options.root, driver.baseline_id
    scoring = scoring_of(made.grid, driver.full_score, made.run, root, baseline)
    try:
        with driver.own_files.writing(os.path.join(driver.run_dir, SUMMARY)):
            path = write_summary(driver.run_dir, scoring)
    except CannotWrite as error:
        say(str(error))
        return False
    unnamed = sum(in_utf8(case) != case for case in scoring.cells)
    beside = f", without {count(unnamed, 'case')} that UTF-8 cannot name" if unnamed else ""
    say(f"wrote {os.path.relpath(path, driver.options.root)}{beside}")
    return True


def _undecided(made: Report, wanted: ScoreOptions) -> bool:
    """Whether something that was asked for cannot be told, besides the gates."""
    nothing = made.comparison is not None and not made.comparison.shared
    if nothing and wanted.limits != Limits():
        return True
    lacking = any(
        column.aggregate.measured < column.aggregate.total for column in made.board.columns
    )
    return lacking and "unmeasured" in wanted.fail_on


def _unusable(driver: Driver, config: EvalConfig) -> bool:
    return scoring_unusable(
        [judge.name for judge in driver.grid.columns],
        unloaded_judges(driver),
        [threshold.judge for threshold in config.thresholds],
        driver.options.judges or (),
    )


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
        if info.known
        and info.result
        and not (info.ran or info.behind or info.outdated)
        and session.policy.selects(*key)
    )


def _document(
    driver: Driver,
    grid: Grid,
    board: Board,
    problems: Iterable[Problem],
    blocks: Mapping[str, Any],
) -> dict[str, Any]:
    """The document of schema 1; `blocks` are those that not every scoring has."""
    config, session, options = driver.config, driver.session, driver.options
    assert config is not None
    scores: dict[tuple[str, str], Score] = {}
    for key in session.infos:
        whole = session.full_score(key)
        if whole is not None:
            scores[key] = whole
    compared = any(judge.compares for judge in grid.columns)
    return score_document(
        grid,
        eval_name=config.eval_name,
        run=session.target.run_id,
        root=options.root,
        aggregates={column.judge.name: column.aggregate for column in board.columns},
        gates=[gate for column in board.columns for gate in column.gates],
        problems=problems,
        scores=scores,
        tally=Tally(session.ran, reused_cells(driver), session.asking.calls, session.asking.cost),
        baseline=session.target.baseline_id if compared else "",
        verdicts=blocks,
    )
