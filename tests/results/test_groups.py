"""Groups of the grid's cells: each cell in one of them, and the counts add up."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from eval_tui.config.schema import Judge
from eval_tui.engine.grid import EMPTY_CELL
from eval_tui.results.filter.match import Subject, matches
from eval_tui.results.filter.parse import parse
from eval_tui.results.groups import Grouping, by_annotation, by_kind, by_reason, fate_of
from eval_tui.scores import Measured, Reason, Unmeasured, measured
from tests.support.grids import StillGrid, still_grid

JUDGES = (Judge("links", "check"), Judge("quality", "model"), Judge("depth", "model"))

SCORES = st.one_of(
    st.booleans().map(measured),
    st.integers(1, 5).map(measured),
    st.builds(Measured, st.integers(1, 5), st.booleans()),
    st.builds(Unmeasured, st.sampled_from(Reason), st.just("why")),
)
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(0, 2),
    st.sampled_from(["nav", "two words", "", "not", 'a"b', "x*y"]),
    st.lists(st.sampled_from(["nav", "slow"]), max_size=2),
)
CASES = st.dictionaries(
    st.text("abc", min_size=1, max_size=3),
    st.dictionaries(st.sampled_from(["links", "quality", "depth"]), SCORES),
    min_size=1,
    max_size=6,
)


def groupings(grid: StillGrid, annotations: dict[str, dict[str, object]]) -> list[Grouping]:
    return [by_reason(grid), by_kind(grid), by_annotation(grid, "k", annotations.get)]


@given(CASES, st.data())
@settings(max_examples=60, deadline=None)
def test_every_cell_is_in_one_group_and_the_totals_are_those_of_the_grid(
    scores: dict[str, dict[str, Measured | Unmeasured]], data: st.DataObject
):
    grid = still_grid(scores, JUDGES, not_run=["never"])
    annotations = {case: {"k": data.draw(VALUES)} for case in scores}
    every = [grid.cell(case, judge.name) for case in scores for judge in JUDGES]
    for found in groupings(grid, annotations):
        assert found.whole.cells == Counter(map(fate_of, every))
        assert found.whole.cases == len(scores)
        together = sum((Counter(group.cells) for group in found.groups), Counter())
        assert together == found.whole.cells
        assert sum(group.total for group in found.groups) == len(every)


@given(CASES, st.data())
@settings(max_examples=60, deadline=None)
def test_the_filter_of_an_annotation_lets_all_cases_of_its_group_through(
    scores: dict[str, dict[str, Measured | Unmeasured]], data: st.DataObject
):
    grid = still_grid(scores, JUDGES)
    annotations = {case: {"k": data.draw(VALUES)} for case in scores}
    found = by_annotation(grid, "k", annotations.get)
    for group in found.groups:
        term = parse(group.filter)
        let = [
            case
            for case in scores
            if matches(term, Subject(case, {"links": EMPTY_CELL}, annotations=annotations[case]))
        ]
        assert len(let) >= group.cases, group


def test_groups_are_named_by_what_is_in_them():
    grid = still_grid(
        {
            "a": {"links": measured(True), "quality": measured(3)},
            "b": {"links": Unmeasured(Reason.MISSING_SECRET, "")},
        },
        JUDGES[:2],
    )
    assert [group.name for group in by_reason(grid).groups] == [
        "passed",
        "a number",
        "secret",
        "nothing yet",
    ]
    assert [group.name for group in by_kind(grid).groups] == ["check", "model"]
    named = by_annotation(grid, "k", {"a": {"k": ["x", "y"]}}.get)
    assert [(group.name, group.filter) for group in named.groups] == [
        ("x + y", "annotations.k=x annotations.k=y"),
        ("(none)", "not annotations.k"),
    ]
