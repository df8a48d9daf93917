"""A run beside its baseline: what became of every cell, in groups, and of every judge's figure.

Pure functions of two grids, for the headless commands and the screens alike. No model is asked
(D55).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, assert_never, get_args

from eval_tui.config.grader_kinds import known_metrics
from eval_tui.config.pass_mark import parse_pass_if
from eval_tui.config.schema import Direction, Grader, Judge
from eval_tui.engine.grid import Cell, Grid
from eval_tui.results.aggregate import Aggregate, aggregate
from eval_tui.results.critical import is_critical
from eval_tui.results.verdicts import make_verdicts, values_of
from eval_tui.scores import Measured, Score, Unmeasured, differ
from eval_tui.verdicts.compare import Change, Difference
from eval_tui.verdicts.compare import change_of as verdict_change
from eval_tui.verdicts.compile import Rulebook
from eval_tui.verdicts.statistics import sign_test

Group = Literal[
    "broke", "lost", "worse", "unstable", "fixed", "gained", "better", "other", "same", "alone"
]
"""What became of a cell, what matters most first.

broke, fixed: its pass turned. lost, gained: its value. worse, better: its number, by the judge's
direction. unstable: any of these turns where the judge does not agree with itself or the case is
flaky, so the turn may be noise. other: another number of a judge without a direction, another
category, another reason. same: nothing. alone: one side has no score at all, for the case did not
run there or still waits.
"""

GROUPS: tuple[Group, ...] = get_args(Group)

CHANGED: tuple[Group, ...] = GROUPS[: GROUPS.index("same")]
"""The groups whose cells changed."""

GROUP_WORDS: Mapping[Group, str] = {
    "broke": "pass → fail",
    "lost": "measured → unmeasured",
    "worse": "worse",
    "unstable": "changed, but unstable",
    "fixed": "fail → pass",
    "gained": "unmeasured → measured",
    "better": "better",
    "other": "changed",
    "same": "unchanged",
    "alone": "nothing to compare with",
}

_LESS_IS_BETTER = frozenset({"usd", "tool_calls", "span", "cost_usd", "latency_ms"})
"""Metrics of what a run takes, whose direction nobody has to declare."""


@dataclass(frozen=True, slots=True)
class CellChange:
    """One cell on both sides. The grids' cells hold their scores without long rationales."""

    case: str
    judge: str
    group: Group
    before: Cell
    after: Cell


@dataclass(frozen=True, slots=True)
class PartChange:
    """One part of a cell's score that changed; the cell itself counts apart, whatever it did."""

    case: str
    judge: str
    part: str
    group: Group
    before: Score | None
    after: Score | None


@dataclass(frozen=True, slots=True)
class JudgeChange:
    """One judge on both sides, or one part of a judge."""

    judge: str
    before: Aggregate
    """Over all cells of the baseline."""
    after: Aggregate
    """Over all cells of the run."""
    shared: int
    """Cells that were measured on both sides: only these are compared."""
    was: float | None
    """The figure over the shared cells in the baseline: the pass rate, of numbers the mean."""
    now: float | None
    """The same in the run."""
    is_rate: bool
    """The figures are shares of passes."""
    direction: Direction | None
    """None: nobody said whether more is better."""
    counts: Mapping[Group, int]
    """How many cells are in each group; groups of none are left out."""
    moved: tuple[int, int] = (0, 0)
    """Shared cells that moved the figure down, by the judge's direction, and up."""
    parts: tuple[JudgeChange, ...] = ()
    """Its criteria or metrics, where it has several."""

    @property
    def chance(self) -> float | None:
        """How often as one-sided a move comes about if each cell may as well turn either way.

        None where none moved, or nobody said which way is better.
        """
        return sign_test(*self.moved) if any(self.moved) else None

    @property
    def fell(self) -> float | None:
        """How much worse the figure is, in its own unit; negative when it is better.

        Without a direction less counts as worse. None where there is nothing to compare.
        """
        if self.was is None or self.now is None:
            return None
        worse = self.now - self.was if self.direction == "lower_is_better" else self.was - self.now
        return round(worse, 12)  # a fall from 0.8 to 0.7 is one of 0.1


@dataclass(frozen=True, slots=True)
class VerdictChange:
    """The verdict of a case that is another one now."""

    case: str
    before: bool | None
    after: bool | None
    change: Change
    flaky: bool
    """The case does not always end the same, so the turn may be noise."""
    critical: bool = False
    """It must pass, whatever the figures say."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A run beside its baseline."""

    run: str
    baseline: str
    judges: tuple[JudgeChange, ...]
    """In the order of the columns."""
    cells: tuple[CellChange, ...]
    """Every cell that changed: by group, what matters most first, then by row and column."""
    new_cases: tuple[str, ...]
    """Cases with scores in the run only."""
    gone_cases: tuple[str, ...]
    """Cases with scores in the baseline only."""
    verdicts: tuple[VerdictChange, ...] = ()
    """Of cases whose verdict changed, where verdicts were asked for; broken and critical ones first."""
    parts: tuple[PartChange, ...] = ()
    """Of scores that are made of several: by column, part and group, then by row."""
    trials: tuple[Difference, ...] = ()
    """Cases that were tried several times on a side and pass another share of their trials."""
    blessed: bool = False
    """The baseline is what a person blessed, not the run as it is now."""

    @property
    def beside(self) -> str:
        """The baseline in words."""
        return f"{self.baseline} as it was blessed" if self.blessed else self.baseline

    @property
    def shared(self) -> int:
        """Cells that were measured on both sides."""
        return sum(judge.shared for judge in self.judges)

    @property
    def counts(self) -> Mapping[Group, int]:
        """How many cells are in each group, over all judges, what matters most first."""
        found: Counter[Group] = Counter()
        for judge in self.judges:
            found.update(judge.counts)
        return {group: found[group] for group in GROUPS if found[group]}

    def judge(self, name: str) -> JudgeChange | None:
        return next((one for one in self.judges if one.judge == name), None)

    def group(self, group: Group) -> tuple[CellChange, ...]:
        """The cells of one group, in the order of the grid."""
        return tuple(cell for cell in self.cells if cell.group == group)


def compare(
    grid: Grid,
    baseline: Grid,
    run: str,
    baseline_id: str,
    flaky: Collection[str] = (),
    rulebook: Rulebook | None = None,
) -> Comparison:
    """Every judge and case of a grid beside the same in the baseline.

    `flaky` are cases that do not always end the same when they are repeated. With a `rulebook` the
    verdicts of both sides are compared as well, both under the one in force.
    """
    cases = [row.case for row in grid.rows if row.status != "not_run"]
    before = [row.case for row in baseline.rows if row.status != "not_run"]
    both = set(before)
    judges: list[JudgeChange] = []
    found: list[tuple[int, int, int, CellChange]] = []
    for column, judge in enumerate(grid.columns):
        if judge.compares:
            continue  # who of two runs did better is no property of one
        pairs = {
            case: (baseline.cell(case, judge.name), grid.cell(case, judge.name)) for case in cases
        }
        way = direction_of(judge)
        groups: dict[str, Group] = {
            case: change_of(old, new, way, case in flaky) if case in both else "alone"
            for case, (old, new) in pairs.items()
        }
        old_cells = (baseline.cell(case, judge.name) for case in before)
        judges.append(judge_change(judge.name, old_cells, pairs, groups, way))
        found += (
            (GROUPS.index(group), row, column, CellChange(case, judge.name, group, *pairs[case]))
            for row, (case, group) in enumerate(groups.items())
            if group in CHANGED
        )
    found.sort(key=lambda entry: entry[:3])
    here = set(cases)
    return Comparison(
        run,
        baseline_id,
        tuple(judges),
        tuple(change for *_, change in found),
        tuple(case for case in cases if case not in both),
        tuple(case for case in before if case not in here),
        _verdict_changes(grid, baseline, rulebook, flaky) if rulebook is not None else (),
    )


def _verdict_changes(
    grid: Grid, baseline: Grid, rulebook: Rulebook, flaky: Collection[str]
) -> tuple[VerdictChange, ...]:
    """The cases of both sides whose verdict is another one."""
    old, new = (values_of(make_verdicts(side, rulebook).cases) for side in (baseline, grid))
    found = [
        VerdictChange(
            case,
            old[case],
            value,
            verdict_change(old[case], value),
            case in flaky,
            is_critical(case, rulebook.critical_cases),
        )
        for case, value in new.items()
        if case in old and old[case] is not value
    ]
    order = ("broke", "unmeasured", "fixed")
    return tuple(sorted(found, key=lambda one: (order.index(one.change), not one.critical)))


def change_of(before: Cell, after: Cell, direction: Direction | None, flaky: bool = False) -> Group:
    """What became of one cell."""
    old, new = before.score, after.score
    match old, new:
        case (None, _) | (_, None):
            return "alone"
        case Measured(), Measured():
            turned = _turn(old, new, direction)
            unsure = flaky or differ(old.samples) or differ(new.samples)
            return "unstable" if unsure and turned != "same" else turned
        case Measured(), Unmeasured():
            return "lost"
        case Unmeasured(), Measured():
            return "gained"
        case Unmeasured(), Unmeasured():
            return "same" if old.reason is new.reason else "other"
        case _:
            assert_never((old, new))


def direction_of(judge: Judge) -> Direction | None:
    """Whether more of a judge's value is better; None where nobody said so.

    More is better for judges, unless their `pass_if` says otherwise. Of a grader's metric it is
    what its spec declares: a change without a direction is just a change.
    """
    if judge.grader is None:
        return mark_direction(judge.pass_if)
    return metric_direction(judge.grader, next(iter(known_metrics(judge.grader)), ""))


def metric_direction(grader: Grader, metric: str) -> Direction | None:
    """What a grader's spec declares of one of its metrics, else what its name says."""
    for one in grader.metrics:
        if one.id == metric and one.direction is not None:
            return one.direction
    return "lower_is_better" if metric in _LESS_IS_BETTER else None


def mark_direction(pass_if: str) -> Direction:
    """Which way a pass mark says is better; without one it is more."""
    mark = parse_pass_if(pass_if)
    lower = mark is not None and mark.sign in ("<", "<=")
    return "lower_is_better" if lower else "higher_is_better"


def _turn(old: Measured, new: Measured, direction: Direction | None) -> Group:
    """What became of a value that both sides have, sure or not."""
    if old.passed is not None and new.passed is not None and old.passed != new.passed:
        return "fixed" if new.passed else "broke"
    alike = isinstance(old.value, bool) == isinstance(new.value, bool)
    if alike and old.value == new.value and old.label == new.label:
        return "same"
    if not alike or old.value == new.value or direction in (None, "neutral"):
        return "other"
    return "better" if (new.value > old.value) == (direction == "higher_is_better") else "worse"


def judge_change(
    judge: str,
    before: Iterable[Cell],
    pairs: Mapping[str, tuple[Cell, Cell]],
    groups: Mapping[str, Group],
    direction: Direction | None,
) -> JudgeChange:
    """The figures of one judge, or of a part of one, from the cells of both sides and their groups."""
    shared = [
        pair for pair in pairs.values() if all(isinstance(cell.score, Measured) for cell in pair)
    ]
    was, now = aggregate(old for old, _ in shared), aggregate(new for _, new in shared)
    rates = was.kind != "mean" and now.kind != "mean"
    alike = was.kind == now.kind
    counts = Counter(groups.values())
    return JudgeChange(
        judge,
        aggregate(before),
        aggregate(new for _, new in pairs.values()),
        len(shared),
        (was.pass_rate if rates else was.mean) if alike else None,
        (now.pass_rate if rates else now.mean) if alike else None,
        rates,
        direction if not rates else "higher_is_better",
        {group: counts[group] for group in GROUPS if counts[group]},
        _moved(shared, direction, rates) if alike else (0, 0),
    )


def _moved(
    shared: Iterable[tuple[Cell, Cell]], direction: Direction | None, rates: bool
) -> tuple[int, int]:
    """How many cells moved the figure down, and up; of a rate only those whose pass turned."""
    turns = Counter(
        _turn(old.score, new.score, direction)
        for old, new in shared
        if isinstance(old.score, Measured) and isinstance(new.score, Measured)
    )
    if rates:
        return turns["broke"], turns["fixed"]
    return turns["broke"] + turns["worse"], turns["fixed"] + turns["better"]
