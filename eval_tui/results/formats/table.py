"""The table for people and logs, with verdicts, rewards and what changed since the baseline."""

from __future__ import annotations

from collections.abc import Iterable

from eval_tui.config.schema import PAIRWISE
from eval_tui.results.comparison_words import comparison_lines
from eval_tui.results.formats.plain import plain, unbroken
from eval_tui.results.pairwise import comparison_words
from eval_tui.results.report import Report
from eval_tui.results.reward_words import reward_lines, reward_word
from eval_tui.results.table import score_table
from eval_tui.results.verdict_table import verdict_cell, verdict_lines


def to_table(report: Report) -> str:
    """The grid and its figures, then a block each for verdicts, rewards and comparisons."""
    grid, board, verdicts = report.grid, report.board, report.verdicts
    words, blocks = dict[str, dict[str, str]](), list[str]()
    if verdicts is not None and not board.empty:
        words["verdict"] = {case: verdict_cell(one) for case, one in verdicts.cases.items()}
        blocks.append(_block(verdict_lines(verdicts, report.earlier_policy, report.trials)))
    if report.rewards is not None and not board.empty:
        words["reward"] = {case: reward_word(one) for case, one in report.rewards.cases.items()}
        blocks.append(_block(reward_lines(report.rewards)))
    if report.comparison is not None:
        blocks.append(_block(comparison_lines(report.comparison)))
    if any(judge.compares for judge in grid.columns):
        cells = [grid.cell(row.case, PAIRWISE) for row in grid.rows]
        blocks.append(comparison_words(cells, report.run, report.baseline))
    return "\n".join([score_table(grid, board, words), *(f"{plain(block)}\n" for block in blocks)])


def _block(lines: Iterable[str]) -> str:
    return "\n".join(map(unbroken, lines))
