"""The table that `score` prints: plain aligned text, for people and for logs."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence

from eval_tui.engine.grid import Cell, Grid
from eval_tui.results.aggregate import is_old
from eval_tui.results.board import Board
from eval_tui.results.gates import GateState
from eval_tui.results.words import gate_words, value_words
from eval_tui.scores import Measured, Reason, Unmeasured

_HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")

_WIDEST = 40
"""Characters of a case or judge name before it is cut."""

_GATE_WORDS: dict[GateState, str] = {
    "pass": "every threshold is met",
    "fail": "a threshold is not met",
    "cannot_tell": "a threshold cannot be told",
}


def score_table(
    grid: Grid, board: Board, beside: Mapping[str, Mapping[str, str]] | None = None
) -> str:
    """The grid as lines of text: one row per case, then one row per judge with its figures.

    `beside` holds what is said of whole cases, in a word by case, under the title of its column.

    Text from outside keeps its letters and loses its control characters: a log is a terminal
    too.
    """
    if board.empty:
        return board.empty + "\n"
    judges = [judge.name for judge in grid.columns]
    beside = beside or {}
    rows = [["case", *beside, *judges]]
    for row in grid.rows:
        if row.status == "not_run":
            rows.append([row.case, "not run", *[""] * (len(judges) - 1 + len(beside))])
        else:
            cells = [(grid.cell(row.case, judge.name), judge) for judge in grid.columns]
            said = [words.get(row.case, "") for words in beside.values()]
            rows.append([row.case, *said, *(cell_word(cell, j.compares) for cell, j in cells)])
    blocks = [aligned(rows), aligned(_figures(board))]
    blocks += [board.headline + (f" · {_GATE_WORDS[board.gate]}" if board.gate else "")]
    return "\n\n".join(blocks) + "\n"


def cell_word(cell: Cell, compares: bool = False) -> str:
    """One cell in a word: its value, why there is none, `=` for what waits, `*` for what is old.

    The value of a cell that `compares` two runs is the winner's name.
    """
    score = cell.score
    if score is None:
        return "=" if cell.waiting else ""
    match score:
        case Measured():
            word = score.label if compares and score.label else value_words(score)
        case Unmeasured(reason=Reason.POLICY_SKIP):
            word = "-"
        case Unmeasured(reason=Reason.CONTRACT_VIOLATION):
            word = "!! contract"
        case Unmeasured():
            word = f"? {value_words(score)}"
    if cell.recorded:
        word += " (recorded)"
    return word + "*" * is_old(cell)


def _figures(board: Board) -> list[list[str]]:
    """One row per judge: name, summary, thresholds."""
    return [[view.judge.name, view.summary, "; ".join(view.gate_lines)] for view in board.columns]


def gate_lines(board: Board) -> list[str]:
    """Every gate that is not met or cannot be told, as `judge: sentence` or `metric: sentence`."""
    return [
        f"{gate.judge}: {gate_words(gate)}"
        for view in board.columns
        for gate in view.gates
        if gate.state != "pass"
    ]


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Columns padded to their widest cell, two blanks apart, without trailing blanks."""
    cells = [[_clean(cell) for cell in row] for row in rows]
    widths = [max(map(_width, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join(
            cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in cells
    )


def _clean(text: str) -> str:
    """The text on one line, with control and other invisible characters made visible."""
    shown = "".join(
        "\ufffd" if char != "\u200d" and unicodedata.category(char) in _HIDDEN else char
        for char in text
    )
    return shown if len(shown) <= _WIDEST or " " in shown else shown[: _WIDEST - 1] + "…"


def _width(text: str) -> int:
    """Cells of a terminal that the text takes: wide characters two, combining marks none."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )
