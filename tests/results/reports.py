"""Whole reports for the formats: from grids in few words, and from any text at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from eval_tui.config.problems import Problem
from eval_tui.config.schema import EvalConfig, Judge, RewardRules
from eval_tui.engine.grid import Cell, CellState, Grid, Row
from eval_tui.results.board import make_board
from eval_tui.results.compare import compare
from eval_tui.results.export import score_document
from eval_tui.results.part_changes import with_parts
from eval_tui.results.regression import Limits, falls, regressions, with_limits
from eval_tui.results.report import Report, comparison_document
from eval_tui.results.reward import make_rewards
from eval_tui.results.reward_words import reward_document
from eval_tui.scores import Measured, Reason, Sample, Score, Unmeasured
from eval_tui.verdicts.compare import Difference
from eval_tui.verdicts.statistics import Tally
from tests.results.support import config
from tests.support.grids import StillGrid

HOSTILE = (
    "<script>document.title='run'</script>",
    "</style><script>document.title='run'</script>",
    "<img src=x onerror=\"document.title='run'\">",
    "\"'><svg onload=document.title='run'>",
    "]]><!--",
    "javascript:document.title='run'",
    '=HYPERLINK("http://example.invalid")',
    "@somebody #1 [a](http://example.invalid) | `x` $y$ ~~z~~",
    "\x1b[31mred\x1b]8;;http://example.invalid\x07",
    "\ud800\udfff lone",
    "a\x00b\x0c\x85\u2028\ufffe\uffff",
    "\u202egnp.exe",
    "</pre></details>\n\n# heading\n\n- item",
    "::error::injected\r\n::stop-commands::x",
)

texts = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(st.characters(exclude_categories=()), max_size=40),  # lone surrogates and all
)
names = texts.filter(bool)
values = st.one_of(st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False))


@st.composite
def scores(draw: st.DrawFn, depth: int = 1) -> Score:
    parts = draw(st.dictionaries(names, scores(depth - 1), max_size=2)) if depth else {}
    if draw(st.booleans()):
        value = draw(values)
        passed = value if isinstance(value, bool) else draw(st.sampled_from([None, True, False]))
        answers = draw(st.lists(st.builds(Sample, st.none() | values, texts, texts), max_size=2))
        label = draw(st.none() | texts)
        return Measured(value, passed, draw(texts), label, tuple(answers), parts)
    return Unmeasured(draw(st.sampled_from(Reason)), draw(texts), parts=parts)


@st.composite
def cells(draw: st.DrawFn) -> Cell:
    state = draw(st.sampled_from([CellState.FRESH, CellState.STALE, CellState.WAITING]))
    waiting = draw(st.sampled_from(["money", "off"])) if state is CellState.WAITING else None
    score = draw(scores()) if waiting is None or draw(st.booleans()) else None
    return Cell(state, score, draw(st.booleans()) and score is not None, waiting)


@st.composite
def reports(draw: st.DrawFn) -> Report:
    """A run beside its baseline, with any text in every place where text can be."""
    judges = draw(st.lists(names, min_size=1, max_size=3, unique=True))
    cases = draw(st.lists(names, min_size=1, max_size=3, unique=True))
    not_run = [case for case in draw(st.lists(names, max_size=1)) if case not in cases]
    grids = [
        StillGrid(
            (*(Row(case, "ran") for case in cases), *(Row(case, "not_run") for case in not_run)),
            tuple(Judge(name, "check") for name in judges),
            {(case, name): draw(cells()) for case in cases for name in judges},
        )
        for _ in range(2)
    ]
    settings = config(*((name, "min_mean", 0.5) for name in judges[:1]))
    problem = Problem("warning", "odd", draw(texts), "/p/eval.yaml", 1, 1, judge=draw(texts))
    rules = draw(st.sampled_from([None, RewardRules("weighted", weights={judges[0]: 1.0})]))
    tallies = st.builds(Tally, st.integers(0, 3), st.just(3))
    trials = draw(
        st.lists(
            st.builds(Difference, names, tallies, tallies, st.just(0.1), st.booleans()), max_size=2
        )
    )
    return report(
        grids[0], settings, grids[1], draw(texts), draw(texts), [problem], rules, tuple(trials)
    )


def report(
    grid: Grid,
    settings: EvalConfig | None = None,
    baseline: Grid | None = None,
    eval_name: str = "demo",
    run: str = "r2",
    problems: Iterable[Problem] = (),
    rules: RewardRules | None = None,
    trials: tuple[Difference, ...] = (),
) -> Report:
    """The report of a grid as headless commands make it, with every regression told."""
    limits = Limits(strict=True)
    settings = settings or config()
    found = None
    if baseline is not None:
        found = with_parts(compare(grid, baseline, run, "r1"), grid, baseline)
        found = replace(found, trials=trials)
    rewards = make_rewards(grid, rules) if rules is not None else None
    gated = with_limits(settings, found, limits) if found else settings
    board = make_board(grid, gated, falls=falls(found) if found else None)
    told = tuple(problems)

    def build() -> Mapping[str, Any]:
        return score_document(
            grid,
            eval_name=eval_name,
            run=run,
            root="/p",
            aggregates={column.judge.name: column.aggregate for column in board.columns},
            gates=[gate for column in board.columns for gate in column.gates],
            problems=told,
            verdicts={
                **({"comparison": comparison_document(found)} if found else {}),
                **({"rewards": reward_document(rewards)} if rewards else {}),
            },
        )

    worse = regressions(found, limits, settings) if found else ()
    return Report(grid, board, build, run, "r1" if found else "", found, worse, rewards=rewards)
