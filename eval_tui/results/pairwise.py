"""What a comparison of two runs adds up to: wins, the win rate, and the block that tools read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from eval_tui.config.problems import Problem
from eval_tui.config.schema import PAIRWISE, EvalConfig
from eval_tui.engine.grid import Cell, Grid
from eval_tui.results.words import count, percent
from eval_tui.scores import Measured, Reason, Score, Unmeasured

_SIDES: dict[float, str] = {1: "A", 0: "tie", -1: "B"}
"""The value of a cell as the winner's name in the block: A is the run, B the baseline."""


@dataclass(frozen=True, slots=True)
class Wins:
    """How the run did against the baseline, over the cases that have a verdict."""

    won: int
    lost: int
    tied: int

    @property
    def rate(self) -> float | None:
        """Wins over wins, losses and ties (D28); None where nothing was compared."""
        compared = self.won + self.lost + self.tied
        return self.won / compared if compared else None

    @property
    def figure(self) -> str:
        """E.g. `40% won 2/5 · 2 lost, 1 tied`; empty where nothing was compared."""
        rate, compared = self.rate, self.won + self.lost + self.tied
        if rate is None:
            return ""
        told = ((self.lost, "lost"), (self.tied, "tied"))
        others = ", ".join(f"{number:,} {word}" for number, word in told if number)
        won = f"{percent(rate)} won {self.won}/{compared}"
        return f"{won} · {others}" if others else won


def count_wins(cells: Iterable[Cell]) -> Wins:
    """The wins in the cells of a comparison's column."""
    found = Counter(cell.score.value for cell in cells if isinstance(cell.score, Measured))
    return Wins(found[1], found[-1], found[0])


def pairwise_block(scores: Mapping[str, Score | None], run: str, baseline: str) -> dict[str, Any]:
    """The comparison in the form of `pairwise` in `summary.yaml` (harness.md 17), plain values.

    `scores` are the whole scores of the comparison's column by case, in order. Errors count as
    compared; cases without a score or skipped on purpose are left out.
    """
    entries: list[dict[str, Any]] = []
    repeated: dict[str, list[str]] = {}
    for case, score in scores.items():
        if score is None or (isinstance(score, Unmeasured) and score.reason is Reason.POLICY_SKIP):
            continue
        entries.append(_entry(case, score))
        repeated[case] = _verdicts(score)
    winners = Counter(entry["winner"] for entry in entries)
    block = {
        "run_a": run,
        "run_b": baseline,
        "cases_compared": len(entries),
        "wins_a": winners["A"],
        "wins_b": winners["B"],
        "ties": winners["tie"],
        "errors": winners["error"],
        "per_case": entries,
    }
    runs = max(map(len, repeated.values()), default=1)
    return {**block, "stability": _stability(repeated, runs)} if runs > 1 else block


def _entry(case: str, score: Score) -> dict[str, Any]:
    if isinstance(score, Unmeasured):
        return {"case_id": case, "winner": "error", "error": score.detail, "reasoning": None}
    winner = _SIDES.get(score.value, "error")
    return {"case_id": case, "winner": winner, "error": None, "reasoning": score.rationale}


def _verdicts(score: Score) -> list[str]:
    """The winner of each repetition, in order; one that nothing is known of is an error."""
    if isinstance(score, Unmeasured):
        return ["error"]
    values = [sample.value for sample in score.samples] or [score.value]
    return ["error" if value is None else _SIDES.get(value, "error") for value in values]


def _stability(repeated: Mapping[str, Sequence[str]], runs: int) -> dict[str, Any]:
    """How far `runs` repetitions of the whole comparison agree."""
    full = {case: [*told, *([told[-1]] * (runs - len(told)))] for case, told in repeated.items()}
    rounds = [Counter(told[number] for told in full.values()) for number in range(runs)]
    flipped = {case: told for case, told in full.items() if len(set(told)) > 1}
    stable = len(full) - len(flipped)
    return {
        "runs": runs,
        "wins_a_counts": [winners["A"] for winners in rounds],
        "wins_b_counts": [winners["B"] for winners in rounds],
        "tie_counts": [winners["tie"] for winners in rounds],
        "total_cases": len(full),
        "stable_cases": stable,
        "agreement_rate": stable / len(full),
        "flipped_cases": [
            # The most frequent one; of several the one that was seen first.
            {"case_id": case, "verdicts": told, "majority": Counter(told).most_common(1)[0][0]}
            for case, told in flipped.items()
        ],
    }


def comparison_words(cells: Iterable[Cell], run: str, baseline: str) -> str:
    """One line about the whole, e.g. `r2 against r1: 40% won 2/5 · 2 lost, 1 tied · 1 error`."""
    cells = list(cells)
    wins = count_wins(cells)
    errors = sum(
        isinstance(cell.score, Unmeasured) and cell.score.reason is not Reason.POLICY_SKIP
        for cell in cells
    )
    told = [wins.figure or "nothing compared", count(errors, "error") if errors else ""]
    return f"{run} against {baseline}: " + " · ".join(filter(None, told))


def not_compared(config: EvalConfig, grid: Grid) -> tuple[Problem, ...]:
    """A warning when a threshold is about a comparison and none was asked for (D28)."""
    limits = [threshold for threshold in config.thresholds if threshold.judge == PAIRWISE]
    if not limits or any(judge.compares for judge in grid.columns):
        return ()
    message = "the threshold on `pairwise` decides nothing: no comparison was asked for"
    hint = "compare with another run: --baseline RUN --pairwise"
    line = limits[0].line
    return (
        Problem("warning", "not-compared", message, config.path, line, judge=PAIRWISE, hint=hint),
    )
