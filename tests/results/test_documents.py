"""The JSON document and the table of `score`."""

from __future__ import annotations

import json

from eval_tui.config.problems import Problem
from eval_tui.engine.grid import Cell, CellState
from eval_tui.results.board import make_board
from eval_tui.results.export import Tally, cell_document, score_document
from eval_tui.results.table import gate_lines, score_table
from eval_tui.scores import Measured, Reason, Sample, Unmeasured, measured
from tests.results.support import config, grid


def document() -> dict[str, object]:
    whole = Unmeasured(
        Reason.GRADER_ERROR, "boom", retryable=True, recover_on=frozenset({"code"}), attempts=2
    )
    still = grid({"flag": [True, Cell(CellState.FRESH, whole)], "n": [3, "policy_skip"]}, ["late"])
    settings = config(("flag", "min_pass_rate", 0.5), ("n", "min_win_rate", 1.0))
    board = make_board(still, settings)
    return score_document(
        still,
        eval_name="demo",
        run="r1",
        root="/p",
        aggregates={view.judge.name: view.aggregate for view in board.columns},
        gates=[gate for view in board.columns for gate in view.gates],
        problems=[Problem("note", "unknown-key", "what is this", "/p/eval.yaml", 3, 1)],
        scores={("c1", "flag"): Measured(True, True, "its whole rationale")},
        tally=Tally(ran=3, reused=1),
    )


def test_the_document_is_of_schema_1() -> None:
    found = json.loads(json.dumps(document(), allow_nan=False))
    assert found == {
        "schema": 1,
        "eval": "demo",
        "run": "r1",
        "root": "/p",
        "cells": {
            "c1": {
                "flag": {
                    "status": "measured",
                    "value": True,
                    "pass": True,
                    "rationale": "its whole rationale",
                },
                "n": {"status": "measured", "value": 3},
            },
            "c2": {
                "flag": {
                    "status": "unmeasured",
                    "reason": "grader_error",
                    "detail": "boom",
                    "retryable": True,
                    "recover_on": ["code"],
                    "attempts": 2,
                },
                "n": {
                    "status": "unmeasured",
                    "reason": "policy_skip",
                    "detail": "because policy_skip",
                },
            },
        },
        "not_run": ["late"],
        "aggregates": {
            "flag": {
                "measured": 1,
                "total": 2,
                "skipped": 0,
                "passed": 1,
                "pass_rate": 1.0,
                "mean": 1.0,
                "error_rate": 0.5,
                "stale": 0,
            },
            "n": {
                "measured": 1,
                "total": 1,
                "skipped": 1,
                "passed": None,
                "pass_rate": None,
                "mean": 3.0,
                "error_rate": 0.0,
                "stale": 0,
            },
        },
        "thresholds": [
            {
                "judge": "flag",
                "metric": "min_pass_rate",
                "limit": 0.5,
                "actual": 1.0,
                "state": "pass",
            },
            {
                "judge": "n",
                "metric": "min_win_rate",
                "limit": 1.0,
                "actual": None,
                "state": "cannot_tell",
            },
        ],
        "problems": [
            {
                "severity": "note",
                "code": "unknown-key",
                "message": "what is this",
                "file": "/p/eval.yaml",
                "line": 3,
                "column": 1,
            }
        ],
        "ran": 3,
        "reused": 1,
        "calls": 0,
        "cost_usd": None,
    }


def test_cells_say_what_is_old_recorded_or_waits() -> None:
    recorded = cell_document(Cell(CellState.FRESH, measured(4), recorded=True))
    assert recorded == {"status": "measured", "value": 4, "recorded": True}
    stale = cell_document(Cell(CellState.STALE, measured(True)))
    assert stale == {"status": "measured", "value": True, "pass": True, "stale": True}
    waiting = cell_document(Cell(CellState.WAITING, waiting="money"))
    assert (waiting["reason"], waiting["waiting"]) == ("policy_skip", "money")
    old = cell_document(Cell(CellState.WAITING, measured(1), waiting="off"))
    assert (old["value"], old["stale"], old["waiting"]) == (1, True, "off")


def test_samples_and_parts_are_told() -> None:
    parts = {"style": measured(2, "so"), "tone": Unmeasured(Reason.GRADER_ERROR, "none")}
    score = Measured(3, None, samples=(Sample(3, "a"), Sample(None, "", "boom")), parts=parts)
    found = cell_document(Cell(CellState.FRESH, score))
    assert found["samples"] == [{"value": 3, "rationale": "a"}, {"value": None, "error": "boom"}]
    assert found["parts"]["style"] == {"status": "measured", "value": 2, "rationale": "so"}
    assert found["parts"]["tone"]["reason"] == "grader_error"


def test_the_table_is_aligned_and_reads_without_colour() -> None:
    still = grid(
        {
            "has_title": [True, False, "grader_error"],
            "n": [3, 4.5, "policy_skip"],
            "asks": [
                Cell(CellState.FRESH, measured(4), recorded=True),
                Cell(CellState.WAITING, waiting="money"),
                Cell(CellState.STALE, measured(2)),
            ],
        },
        ["late"],
    )
    board = make_board(still, config(("has_title", "min_pass_rate", 0.9)))
    assert score_table(still, board).splitlines() == [
        "case  has_title  n    asks",
        "c1    pass       3    4 (recorded)",
        "c2    fail       4.5  =",
        "c3    ? error    -    2*",
        "late  not run",
        "",
        "has_title  50% 1/2 · 2/3 measured           pass rate 50% >= 90%: fail",
        "n          3.75 mean 2/2",
        "asks       3 mean · 2/3 measured · 1 stale",
        "",
        "3 cases, 1 not run · 9 cells · a threshold is not met",
    ]
    assert gate_lines(board) == ["has_title: pass rate 50% >= 90%: fail"]


def test_the_table_sends_no_control_characters_and_keeps_wide_names_aligned() -> None:
    still = grid({"\x1b[31mred\u202e": [1], "日本": [2]})
    lines = score_table(still, make_board(still, config())).splitlines()
    assert lines[0] == "case  \ufffd[31mred\ufffd  日本"
    assert lines[1] == "c1    1          2"


def test_the_table_of_nothing_says_why() -> None:
    still = grid({})
    assert score_table(still, make_board(still, config())).startswith("No judges")
