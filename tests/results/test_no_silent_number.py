"""Nothing that was not measured is a number or a failure: every place that adds up, ranks or colours.

`PLACES` lists what works with the values of scores. A module that begins to is found by the last
test, and belongs into the list.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import eval_tui
from eval_tui.config.schema import EvalConfig, Judge, VerdictRules
from eval_tui.engine.grid import Cell, CellState, Row
from eval_tui.engine.select import failed
from eval_tui.judges.model.answer import Verdict as Answer
from eval_tui.judges.model.sampling import combine
from eval_tui.results.aggregate import aggregate
from eval_tui.results.board import make_board
from eval_tui.results.compare import compare as beside
from eval_tui.results.exit_code import exit_code
from eval_tui.results.export import cell_document
from eval_tui.results.gates import gates
from eval_tui.results.pairwise import count_wins
from eval_tui.results.parts import part_view
from eval_tui.results.verdicts import CaseVerdict, make_verdicts
from eval_tui.results.words import summary
from eval_tui.scores import Measured, Reason, Sample, Score, Unmeasured, measured
from eval_tui.tui.layout import Sort
from eval_tui.tui.marks import UNICODE, mark
from eval_tui.tui.order import arrange, ranks_of
from eval_tui.tui.samples import histogram
from eval_tui.tui.verdict_words import verdict_mark
from eval_tui.verdicts.compare import Side, Trial, compare
from eval_tui.verdicts.compile import rulebook
from eval_tui.verdicts.evaluate import MetricScore, Verdict
from eval_tui.verdicts.trials import fold, summarise
from tests.results.support import config
from tests.support.grids import StillGrid

NUMBERS = Judge("j", "model", score_range=(1.0, 5.0), pass_if=">= 3")
CHECKS = Judge("j", "check")
PAIRWISE = Judge("pairwise", "model")

Column = Sequence[Score | None]
"""The scores of one judge, case by case; None while a cell waits."""


def cells(column: Column) -> list[Cell]:
    return [Cell(CellState.FRESH if score else CellState.WAITING, score) for score in column]


def grid(judge: Judge, column: Column) -> StillGrid:
    rows = tuple(Row(f"c{at}", "ran") for at in range(len(column)))
    placed = {(row.case, judge.name): one for row, one in zip(rows, cells(column), strict=True)}
    return StillGrid(rows, (judge,), placed)


def state_of(metric: str, limit: float) -> Callable[[Column], object]:
    def state(column: Column) -> object:
        (gate,) = gates(config(("j", metric, limit)), {"j": aggregate(cells(column))})
        return gate.state, gate.actual, exit_code([gate])

    return state


def figures(column: Column) -> object:
    found = aggregate(cells(column))
    return found.measured, found.passed, found.pass_rate, found.mean, found.kind


def part_figures(column: Column) -> object:
    whole = [Measured(1, None, parts={"p": score}) if score else None for score in column]
    found = part_view("p", cells(whole)).aggregate
    return found.measured, found.pass_rate, found.mean


def figure_in_words(column: Column) -> object:
    """The figure itself; how much of the column is measured stands behind it."""
    return [
        word for word in summary(aggregate(cells(column))).split() if "%" in word or "." in word
    ]


def failures_of_the_board(column: Column) -> object:
    return make_board(grid(CHECKS, column), config()).columns[0].failed


def compared_means(column: Column) -> object:
    rows = {Trial(str(at)): [MetricScore("g", "m", one)] for at, one in enumerate(column)}
    (found,) = compare(Side(rows, None), Side(rows, None)).metrics
    return found.before, found.after


def against_a_baseline(column: Column) -> object:
    """What a baseline says, where every cell of the column was measured there as 5."""
    before = grid(NUMBERS, [measured(5)] * len(column))
    (found,) = beside(grid(NUMBERS, column), before, "r2", "r1").judges
    return found.shared, found.was, found.now, found.fell


def sampled(column: Column) -> object:
    """The value that the answers of a model add up to."""
    answers = [one if isinstance(one, Unmeasured) else answer(one) for one in column if one]
    score = combine(answers, NUMBERS)
    return score.value if isinstance(score, Measured) else score


def answer(score: Measured) -> Answer:
    return Answer(score.value, "")


def verdict_counts(column: Column) -> object:
    """Passes and failures of cases of which this is the only judge."""
    still = grid(CHECKS, column)
    counts = make_verdicts(still, rulebook(config_of(CHECKS))).counts
    return counts.passed, counts.failed, counts.rate


def critical(column: Column) -> object:
    """Cases that must pass and do, and that fail, where every case must."""
    settings = dataclasses.replace(
        config_of(CHECKS), verdict=VerdictRules(critical_cases=({"prefix": ""},))
    )
    found = make_verdicts(grid(CHECKS, column), rulebook(settings)).critical
    assert found is not None
    return len(found.passed), len(found.failed), found.state


def config_of(judge: Judge) -> EvalConfig:
    return dataclasses.replace(config(), judges=(judge,))


def folded_trials(column: Column) -> object:
    verdicts = [None if not isinstance(one, Measured) else one.passed for one in column]
    found = summarise(fold({"case": verdict} for verdict in verdicts))
    assert found is not None
    return found.pass_at_1, found.max_trials


def wins(column: Column) -> object:
    return count_wins(cells(column))


BOOLEANS: Column = (measured(True), measured(False), measured(True))
VALUES: Column = (measured(4), measured(2.5))

PLACES: list[tuple[str, Callable[[Column], object], Column]] = [
    ("the pass rate of a judge", figures, BOOLEANS),
    ("the mean of a judge", figures, VALUES),
    ("the figures of a part", part_figures, VALUES),
    ("the figure in words", figure_in_words, BOOLEANS),
    ("the failures of a column", failures_of_the_board, BOOLEANS),
    ("a gate that is met", state_of("min_pass_rate", 0.6), BOOLEANS),
    ("a gate that is missed", state_of("min_mean", 4), VALUES),
    ("the win rate", wins, (measured(1), measured(-1), measured(0))),
    ("the means of a comparison", compared_means, VALUES),
    ("the fall below a baseline", against_a_baseline, VALUES),
    ("the counts of verdicts", verdict_counts, BOOLEANS),
    ("the critical cases", critical, BOOLEANS),
    ("the trials of a case", folded_trials, BOOLEANS),
]


@pytest.mark.parametrize("reason", [*Reason, None], ids=str)
@pytest.mark.parametrize(("place", "column"), [p[1:] for p in PLACES], ids=[p[0] for p in PLACES])
def test_what_was_not_measured_changes_no_figure(
    place: Callable[[Column], object], column: Column, reason: Reason | None
) -> None:
    extra = None if reason is None else Unmeasured(reason, "for a test", retryable=True)
    assert place([extra, *column, extra]) == place(column)


@pytest.mark.parametrize("reason", Reason)
def test_samples_that_failed_have_no_vote(reason: Reason) -> None:
    extra = Unmeasured(reason, "for a test", retryable=True)
    assert sampled([*VALUES, extra]) == sampled(VALUES)


def test_over_nothing_there_is_no_figure() -> None:
    nothing: Column = (Unmeasured(Reason.GRADER_ERROR, "x"), None)
    assert figures(nothing) == (0, None, None, None, "none")
    assert count_wins(cells(nothing)).rate is None
    assert verdict_counts(nothing) == (0, 0, None)
    assert state_of("min_mean", 0)(nothing) == ("cannot_tell", None, 3)


@pytest.mark.parametrize("reason", Reason)
@pytest.mark.parametrize("judge", [NUMBERS, CHECKS], ids=["numbers", "checks"])
class TestOneCell:
    def cell(self, reason: Reason) -> Cell:
        return Cell(CellState.FRESH, Unmeasured(reason, "for a test"))

    def test_it_has_no_colour_of_a_pass_a_fail_or_a_number(
        self, judge: Judge, reason: Reason
    ) -> None:
        shown = mark(self.cell(reason), judge, UNICODE)
        assert shown.look not in ("pass", "fail", "number")
        assert shown.shade is None

    def test_it_has_neither_value_nor_pass_in_a_document(
        self, judge: Judge, reason: Reason
    ) -> None:
        plain = cell_document(self.cell(reason))
        assert plain["status"] == "unmeasured"
        assert not plain.keys() & {"value", "pass", "label"}

    @pytest.mark.parametrize("way", ["worst", "best"])
    def test_it_is_sorted_behind_everything_measured(
        self, judge: Judge, reason: Reason, way: str
    ) -> None:
        values: Column = BOOLEANS if judge is CHECKS else VALUES
        column = [Unmeasured(reason, "for a test"), *values, Unmeasured(reason, "for a test")]
        shown = grid(judge, column)
        order = arrange(shown, ranks=ranks_of(shown, Sort("j", way)))  # type: ignore[arg-type]
        assert set(order[-2:]) == {0, len(column) - 1}

    def test_only_what_is_broken_is_shown_among_failures(
        self, judge: Judge, reason: Reason
    ) -> None:
        aside = {Reason.POLICY_SKIP, Reason.MISSING_SECRET, Reason.UNSUPPORTED}
        assert failed(self.cell(reason)) is (reason not in aside)


def test_samples_without_an_answer_have_a_line_of_their_own() -> None:
    lines = histogram((Sample(4), Sample(None, error="x")), NUMBERS, UNICODE)
    assert sum("no answer" in line for line in lines) == 1


def test_a_case_that_is_not_evaluated_has_no_colour_of_a_fail() -> None:
    shown = verdict_mark(CaseVerdict(Verdict(None, cause="unmeasured")), UNICODE)
    assert (shown.field, shown.look) == ("?", "unmeasured")


LOOKED_AT = {
    "engine/select.py": "which cells are shown among failures",
    "imports/scores.py": "a 0 or 1 of another tool that is a pass",
    "judges/graders/contract.py": "the worst of several rows of a metric",
    "judges/graders/printed.py": "reads what a script printed",
    "judges/model/criteria.py": "a missing criterion leaves the whole without a value",
    "judges/model/sampling.py": "the mean of the samples that were measured",
    "judges/outcome.py": "whether a value lies on its scale",
    "judges/passing.py": "whether a value passes",
    "record/recorded_cell.py": "reads summary.yaml",
    "results/aggregate.py": "figures",
    "results/board.py": "failures of a column",
    "results/explanation.py": "shows one value",
    "results/compare.py": "turns of cells, and figures over those measured on both sides",
    "results/export.py": "shows one value",
    "results/filter/match.py": "compares values that were measured",
    "results/groups.py": "counts, each fate apart",
    "results/ingest.py": "writes a row of another tool",
    "results/pairwise.py": "wins",
    "results/review.py": "what a person said",
    "results/reward.py": "rewards; see test_reward.py",
    "results/summary_cells.py": "writes summary.yaml; see test_summary_file.py",
    "results/verdicts.py": "what of a score a verdict depends on",
    "results/words.py": "shows one value",
    "tui/marks.py": "colours",
    "tui/opinion_words.py": "what a person said",
    "tui/order.py": "sorting",
    "tui/pages.py": "shows one value",
    "tui/screens/over_runs.py": "draws values that were measured",
    "tui/samples.py": "the histogram of samples",
    "verdicts/compare.py": "means and flips",
    "verdicts/evaluate.py": "votes",
    "verdicts/normalise.py": "reads rows of other tools",
}
"""Modules that read values of scores, and what for."""


def test_every_module_that_reads_values_is_known_here() -> None:
    root = Path(eval_tui.__file__).parent
    found = {
        str(path.relative_to(root)) for path in root.rglob("*.py") if reads_values(path.read_text())
    }
    assert found <= LOOKED_AT.keys(), "show above that nothing unmeasured counts there"


def reads_values(source: str) -> bool:
    nodes = list(ast.walk(ast.parse(source)))
    imported = {
        alias.name
        for node in nodes
        if isinstance(node, ast.ImportFrom) and node.module == "eval_tui.scores"
        for alias in node.names
    }
    reads = (isinstance(n, ast.Attribute) and n.attr in ("value", "passed") for n in nodes)
    return bool(imported & {"Measured", "Score", "Sample"}) and any(reads)
