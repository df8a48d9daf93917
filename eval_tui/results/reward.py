"""The reward of a case: one number made of its cells, by the rules of the config (D29). Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from eval_tui.config.formula import check_formula
from eval_tui.config.plain import as_number
from eval_tui.config.schema import MODEL_BUILTINS, PYTHON_BUILTINS, Judge, RewardRules
from eval_tui.engine.grid import Cell, Grid
from eval_tui.results.aggregate import is_old
from eval_tui.results.formula import Formula, NoValue
from eval_tui.results.words import REASON_WORDS, number
from eval_tui.scores import Measured, Reason, Unmeasured

SCALE: Final = (1.0, 5.0)
"""The scale of numbers for which nobody declares one."""


@dataclass(frozen=True, slots=True)
class Defined:
    """A reward, from 0 to 1."""

    value: float
    words: str = ""
    """What is to be known about it, e.g. that a judge without a value was left out."""
    stale: bool = False
    """It rests on a value that belongs to older inputs."""


@dataclass(frozen=True, slots=True)
class Undefined:
    """No reward, and why."""

    why: str


Reward: TypeAlias = Defined | Undefined


@dataclass(frozen=True, slots=True)
class RewardBoard:
    """The rewards of all cases that ran, in the order of the grid."""

    cases: Mapping[str, Reward]

    @property
    def defined(self) -> int:
        return sum(isinstance(reward, Defined) for reward in self.cases.values())

    @property
    def mean(self) -> float | None:
        """Of the defined ones; None over nothing."""
        values = [one.value for one in self.cases.values() if isinstance(one, Defined)]
        return math.fsum(values) / len(values) if values else None

    @property
    def stale(self) -> int:
        return sum(isinstance(one, Defined) and one.stale for one in self.cases.values())

    @property
    def summary(self) -> str:
        """E.g. `0.62 8/10`: the mean, and how many of the cases have one."""
        mean = self.mean
        told = f"{self.defined:,}/{len(self.cases):,}"
        return f"undefined {told}" if mean is None else f"{number(mean)} {told}"


class Composer:
    """Makes rewards under one set of rules; without rules, as if there were an empty block."""

    def __init__(self, rules: RewardRules | None, grid: Grid) -> None:
        self.rules = rules
        self.judges = tuple(judge for judge in grid.columns if _counts(judge, rules))
        self._formula = Formula(rules.formula) if rules and _has_formula(rules) else None
        self._used = _used(rules, self.judges)
        self._may_gate: Mapping[str, bool] = {}
        self.look(grid)

    def look(self, grid: Grid) -> None:
        """See again which judges say true or false: one that failed to may have been a gate."""
        self._may_gate = {judge.name: _may_gate(judge, grid) for judge in self.judges}

    def reward(self, grid: Grid, case: str) -> Reward:
        """The reward of one case, from its cells as they are shown."""
        cells = {judge.name: grid.cell(case, judge.name) for judge in self.judges}
        made = self._make(cells)
        if isinstance(made, Defined) and self._is_stale(cells):
            return replace(made, stale=True)
        return made

    def _make(self, cells: Mapping[str, Cell]) -> Reward:
        rules = self.rules
        gated = self._gated(cells) if self._gates else None
        if gated is not None:
            return gated
        if rules is None:
            return self._mean(cells)
        if rules.judge:
            return self._single(rules, cells)
        return self._composed(cells) if self._formula else self._weighted(rules, cells)

    @property
    def _gates(self) -> bool:
        return self.rules is None or self.rules.gate

    def _is_stale(self, cells: Mapping[str, Cell]) -> bool:
        return any(
            isinstance(cell.score, Measured) and is_old(cell)
            for name, cell in cells.items()
            if name in self._used or (self._gates and isinstance(_value(cell), bool))
        )

    def _gated(self, cells: Mapping[str, Cell]) -> Reward | None:
        """0 where a gate says false, undefined where one may have."""
        failed = [name for name, cell in cells.items() if _value(cell) is False]
        if failed:
            return Defined(0.0, f"0, as {failed[0]} failed")
        open_gates = {
            name: cell for name, cell in cells.items() if _lacks(cell) and self._may_gate[name]
        }
        if open_gates:
            return Undefined(f"a gate was not measured: {_missing(open_gates)}")
        return None

    def _mean(self, cells: Mapping[str, Cell]) -> Reward:
        """The mean of the numbers; with gates alone, whether they passed."""
        lacking = {name: cell for name, cell in cells.items() if _lacks(cell)}
        numbers = {
            judge.name: value
            for judge in self.judges
            if not isinstance(_value(cells[judge.name]), bool)
            and (value := self._normal(judge.name, cells)) is not None
        }
        if numbers:
            mean = math.fsum(numbers.values()) / len(numbers)
            return _defined(mean, lacking)
        if lacking:
            return Undefined(f"nothing to make it of: {_missing(lacking)}")
        if any(_value(cell) is not None for cell in cells.values()):
            return _defined(1.0)
        return Undefined("nothing was judged")

    def _single(self, rules: RewardRules, cells: Mapping[str, Cell]) -> Reward:
        cell = cells.get(rules.judge)
        if cell is None:
            return Undefined(f"no value: {rules.judge} (not judged)")
        value = self._normal(rules.judge, cells)
        if value is None:
            return Undefined(f"no value: {_missing({rules.judge: cell})}")
        return _defined(value)

    def _weighted(self, rules: RewardRules, cells: Mapping[str, Cell]) -> Reward:
        values = self._values(cells)
        weighed = {name: cells[name] for name in rules.weights if name in cells}
        total = math.fsum(rules.weights[name] for name in weighed if name in values)
        without = {name: cell for name, cell in weighed.items() if _lacks(cell)}
        if not total:
            if any(rules.weights.values()) or not weighed:
                blank = {name: cell for name, cell in weighed.items() if name not in values}
                return Undefined(f"nothing to weigh: {_missing(blank) or 'no judge'}")
            return Defined(0.0, "0, as every weight is 0")
        shares = (rules.weights[name] / total * values[name] for name in weighed if name in values)
        return _defined(math.fsum(shares), without)

    def _composed(self, cells: Mapping[str, Cell]) -> Reward:
        assert self._formula is not None
        try:
            value = self._formula(self._values(cells))
        except NoValue as missing:
            name = str(missing.args[0])
            return Undefined(
                f"no value: {_missing({name: cells[name]}) if name in cells else name}"
            )
        except (TypeError, ValueError, ArithmeticError) as error:
            return Undefined(f"the formula cannot be worked out: {error}")
        found = value if isinstance(value, bool) else as_number(value)
        if found is None:
            return Undefined("the formula comes to no number")
        return _defined(float(found))

    def _values(self, cells: Mapping[str, Cell]) -> dict[str, float]:
        """The values of judges that have one, from 0 to 1."""
        found = {name: self._normal(name, cells) for name in cells}
        return {name: value for name, value in found.items() if value is not None}

    def _normal(self, name: str, cells: Mapping[str, Cell]) -> float | None:
        """A value from 0 to 1: on its judge's scale, or cut where it is taken as it is."""
        value, rules = _value(cells[name]), self.rules
        if value is None or isinstance(value, bool):
            return None if value is None else float(value)
        raw = rules is not None and (
            name in rules.raw or (rules.judge == name and not rules.normalize)
        )
        declared = next(judge.score_range for judge in self.judges if judge.name == name)
        low, high = (0.0, 1.0) if raw else declared or (rules and rules.score_range) or SCALE
        return _cut(value, low, high)


def make_rewards(grid: Grid, rules: RewardRules | None) -> RewardBoard:
    """The rewards of every case that ran; one that did not run has none."""
    return rewards_by(Composer(rules, grid), grid)


def rewards_by(composer: Composer, grid: Grid) -> RewardBoard:
    """The same by a composer that is there already."""
    rows = [row.case for row in grid.rows if row.status != "not_run"]
    return RewardBoard({case: composer.reward(grid, case) for case in rows})


def _used(rules: RewardRules | None, judges: tuple[Judge, ...]) -> frozenset[str]:
    """The judges whose values a reward is made of."""
    if rules is None:
        return frozenset(judge.name for judge in judges)
    if rules.judge:
        return frozenset({rules.judge})
    return check_formula(rules.formula) if _has_formula(rules) else frozenset(rules.weights)


def _has_formula(rules: RewardRules) -> bool:
    return not rules.judge and rules.formula != "weighted"


def _counts(judge: Judge, rules: RewardRules | None) -> bool:
    """A comparison of two runs counts only where the rules name it."""
    return not judge.compares or (rules is not None and judge.name in (rules.judge, *rules.weights))


def _may_gate(judge: Judge, grid: Grid) -> bool:
    """Whether a judge says true or false, by its declaration, else by what it says elsewhere."""
    if judge.score_range is not None or judge.feedback_type in ("int", "float"):
        return False
    if judge.feedback_type == "bool" or judge.builtin in MODEL_BUILTINS | PYTHON_BUILTINS:
        return True
    values = [_value(grid.cell(row.case, judge.name)) for row in grid.rows]
    said = [isinstance(value, bool) for value in values if value is not None]
    return any(said) or not said


def _value(cell: Cell) -> bool | float | None:
    score = cell.score
    if not isinstance(score, Measured):
        return None
    finite = isinstance(score.value, bool) or _cut(score.value, 0, 1) is not None
    return score.value if finite else None


def _lacks(cell: Cell) -> bool:
    """Whether a cell should have a value and has none; a skip is on purpose."""
    score = cell.score
    if isinstance(score, Unmeasured):
        return score.reason is not Reason.POLICY_SKIP
    return _value(cell) is None


def _cut(value: float, low: float, high: float) -> float | None:
    """The place of a value between two bounds, from 0 to 1; None for NaN."""
    if value != value:
        return None
    return (min(max(value, low), high) - low) / (high - low)


def _defined(value: float, without: Mapping[str, Cell] | None = None) -> Defined:
    words = f"without {_missing(without)}" if without else ""
    return Defined(min(max(value, 0.0), 1.0), words)


def _missing(cells: Mapping[str, Cell]) -> str:
    """Cells without a value, and why, e.g. `quality (error), tone (not judged yet)`."""
    return ", ".join(f"{name} ({_reason(cell)})" for name, cell in cells.items())


def _reason(cell: Cell) -> str:
    return (
        REASON_WORDS[cell.score.reason] if isinstance(cell.score, Unmeasured) else "not judged yet"
    )
