"""When a verdict is old: judged again it may be another one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from eval_tui.config.schema import EvalConfig, Judge, VerdictRules
from eval_tui.engine.grid import Cell, CellState
from eval_tui.results.verdicts import VerdictBoard, make_verdicts
from eval_tui.verdicts.compile import rulebook
from tests.results.support import cell, config, grid


def verdicts(mode: str, *old: str, **values: object) -> VerdictBoard:
    """Of one case: the check `works` and the model `tone`, of which some are of older inputs."""
    judges = (Judge("works", "check"), Judge("tone", "model"))
    rules = VerdictRules(mode)  # type: ignore[arg-type]
    settings: EvalConfig = replace(config(), judges=judges, verdict=rules)
    found = {
        name: [_cell(value, CellState.STALE if name in old else CellState.FRESH)]
        for name, value in values.items()
    }
    return make_verdicts(grid(found), rulebook(settings))


def _cell(value: object, state: CellState) -> Cell:
    return cell(value, state)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("mode", "old", "works", "tone", "stale"),
    [
        ("flat", ("tone",), True, True, True),
        ("flat", ("tone",), False, True, False),
        ("flat", ("tone",), True, 4, False),
        ("ladder", ("tone",), True, False, False),
        ("ladder", ("works",), True, True, True),
        ("ladder", ("works",), "grader_error", True, True),
        ("ladder", (), True, True, False),
    ],
)
def test_what_cannot_turn_a_verdict_makes_it_no_older(
    mode: str, old: tuple[str, ...], works: object, tone: object, stale: bool
) -> None:
    board = verdicts(mode, *old, works=works, tone=tone)
    assert board.cases["c1"].stale is stale
    assert board.stale == stale
