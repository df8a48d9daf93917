"""A scoring as the output formats take it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from eval_tui.engine.grid import Cell, CellState, Grid
from eval_tui.results.board import Board
from eval_tui.results.compare import CellChange, Comparison, JudgeChange
from eval_tui.results.critical import CriticalGate
from eval_tui.results.export import cell_document
from eval_tui.results.reward import RewardBoard
from eval_tui.results.verdicts import VerdictBoard
from eval_tui.scores import Score
from eval_tui.verdicts.compare import Difference
from eval_tui.verdicts.policy import Stamp
from eval_tui.verdicts.statistics import Tally
from eval_tui.verdicts.trials import CaseTrials


@dataclass(frozen=True)
class Report:
    """One run as it is to be shown: every format says the same with it."""

    grid: Grid
    board: Board
    build: Callable[[], Mapping[str, Any]]
    """Makes the document; that takes a look at every stored rationale, so only who needs it asks."""
    run: str
    baseline: str = ""
    """The run that this one is compared with, by whatever means."""
    comparison: Comparison | None = None
    """The run beside its baseline, if one was asked for."""
    regressions: tuple[str, ...] = ()
    """What counts as a regression beyond the gates, in sentences."""
    verdicts: VerdictBoard | None = None
    """None where nobody said what passing means."""
    earlier_policy: Stamp | None = None
    rewards: RewardBoard | None = None
    """None where the config has no `reward` block."""
    trials: tuple[CaseTrials, ...] = ()

    @property
    def critical(self) -> CriticalGate | None:
        """The cases that must pass; None where the config names none, or only some were scored."""
        return self.verdicts.critical if self.verdicts is not None else None

    @cached_property
    def document(self) -> Mapping[str, Any]:
        """Plain values of schema 1 (`export.score_document`)."""
        return self.build()


def comparison_document(found: Comparison) -> dict[str, Any]:
    """The block `comparison`: figures by judge, and every cell that changed with what it was."""
    cells: dict[str, dict[str, Any]] = {}
    for change in found.cells:
        cells.setdefault(change.case, {})[change.judge] = _change(change)
    parts: dict[str, dict[str, dict[str, Any]]] = {}
    for part in found.parts:
        row = parts.setdefault(part.case, {}).setdefault(part.judge, {})
        row[part.part] = {"group": part.group, "before": _short(part.before)}
    blocks: dict[str, Any] = {"parts": parts} if parts else {}
    if found.trials:
        blocks["trials"] = {one.case: _difference(one) for one in found.trials}
    return {
        "run": found.run,
        "baseline": found.baseline,
        "shared": found.shared,
        **({"blessed": True} if found.blessed else {}),
        "judges": {one.judge: _judge(one) for one in found.judges},
        "cells": cells,
        "verdicts": {
            one.case: {
                "change": one.change,
                "before": one.before,
                "flaky": one.flaky,
                **({"critical": True} if one.critical else {}),
            }
            for one in found.verdicts
        },
        "new_cases": list(found.new_cases),
        "gone_cases": list(found.gone_cases),
        **blocks,
    }


def _judge(one: JudgeChange) -> dict[str, Any]:
    """Figures of a judge or a part; `chance` is the p of how its cells moved."""
    parts = {"parts": {part.judge: _judge(part) for part in one.parts}} if one.parts else {}
    return {
        "shared": one.shared,
        "was": one.was,
        "now": one.now,
        "fell": one.fell,
        "direction": one.direction,
        "chance": one.chance,
        "groups": dict(one.counts),
        **parts,
    }


def _change(change: CellChange) -> dict[str, Any]:
    """The group, and what the cell was in the baseline in short."""
    return {"group": change.group, "before": _short(change.before.score)}


def _short(score: Score | None) -> dict[str, Any]:
    before = cell_document(Cell(CellState.FRESH, score))
    return {key: before[key] for key in ("value", "pass", "label", "reason") if key in before}


def _difference(one: Difference) -> dict[str, Any]:
    """A case that was tried several times: passes of evaluated trials on each side."""
    return {
        "before": _share(one.before),
        "after": _share(one.after),
        "p": one.p,
        "significant": one.significant,
    }


def _share(tally: Tally) -> dict[str, int]:
    passed, evaluated = tally
    return {"passed": passed, "evaluated": evaluated}
