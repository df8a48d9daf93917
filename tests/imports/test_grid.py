"""Rows become cells: whose they are, what is folded, and nothing that gets lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from eval_tui.imports.document import Result
from eval_tui.imports.opened import Opened, row_names
from eval_tui.results.board import make_board
from eval_tui.scores import Measured, Reason, Score, Unmeasured
from tests.imports.support import (
    TESTS,
    case,
    measured,
    opened,
    scorecard,
    unmeasured,
    values,
)


def score(found: Opened, judge: str, row: str = "a") -> Score:
    result = found.grid.cell(row, judge).score
    assert result is not None
    return result


def of(tmp_path: Path, *scores: Any) -> Opened:
    return opened(tmp_path, scorecard(case("a", *scores)))


def test_graders_come_before_judges(tmp_path: Path) -> None:
    found = of(tmp_path, measured("tone", "judge:tone", 0.9, True), TESTS)
    assert [judge.name for judge in found.grid.columns] == ["tests-pass", "tone"]


def test_criteria_and_milestones_are_folded_under_their_judge(tmp_path: Path) -> None:
    found = of(
        tmp_path,
        measured("tone", "judge:tone:polite", 0.8, True),
        measured("tone", "judge:tone", 0.9, True),
        measured("tone", "judge:tone:milestone:opened", 1, True),
    )
    assert values(found, "a") == {"tone": 0.9}
    parts = score(found, "tone").parts
    assert {name: part.value for name, part in parts.items() if isinstance(part, Measured)} == {
        "polite": 0.8,
        "milestone:opened": True,
    }


def test_criteria_without_an_overall_score_do_not_make_one_up(tmp_path: Path) -> None:
    whole = score(of(tmp_path, measured("tone", "judge:tone:polite", 0.8, True)), "tone")
    assert isinstance(whole, Unmeasured)
    assert list(whole.parts) == ["polite"]


def test_a_judge_and_a_grader_of_one_name_are_two_columns(tmp_path: Path) -> None:
    found = of(tmp_path, measured("tone", "judge:tone", 0.9), measured("tone", "raw", 4))
    assert values(found, "a") == {"tone": 4, "judge:tone": 0.9}


def test_metrics_of_a_grader_are_parts_and_its_failure_is_none(tmp_path: Path) -> None:
    cases = (
        case("a", measured("check", "ok", 1, True), measured("check", "grade", 2, label="good")),
        case("b", unmeasured("check", "check", detail="it died")),
    )
    found = opened(tmp_path, scorecard(*cases))
    assert list(score(found, "check").parts) == ["ok", "grade"]
    assert values(found, "b") == {"check": "grader_error"}
    assert not score(found, "check", "b").parts
    assert make_board(found.grid, found.config).columns[0].parts == ("ok", "grade")


def test_zeros_and_ones_that_say_pass_or_fail_are_shown_as_that(tmp_path: Path) -> None:
    both = case("a", measured("t", "t", 1, True)), case("b", measured("t", "t", 0, False))
    found = opened(tmp_path, scorecard(*both))
    assert [score(found, "t", row) for row in "ab"] == [
        Measured(True, True),
        Measured(False, False),
    ]
    numbers = case("a", measured("t", "t", 1, True)), case("b", measured("t", "t", 0.5, False))
    found = opened(tmp_path, scorecard(*numbers))
    assert [score(found, "t", row).value for row in "ab"] == [1, 0.5]  # type: ignore[union-attr]
    assert score(found, "t").value is not True  # type: ignore[union-attr]


def test_a_one_that_failed_stays_what_it_is(tmp_path: Path) -> None:
    assert score(of(tmp_path, measured("t", "t", 1, False)), "t") == Measured(1, False)


def test_of_several_rows_of_one_metric_the_failing_one_is_shown(tmp_path: Path) -> None:
    rows = measured("t", "t", 1, True), measured("t", "t", 0, False)
    assert score(of(tmp_path, *rows), "t") == Measured(False, False)
    found = of(tmp_path, *rows, TESTS)
    assert found.rulebook.given["a"].value is True  # ground truth decides, not the undeclared one


def test_rows_that_cannot_be_addressed_are_cells_with_their_place(tmp_path: Path) -> None:
    path = tmp_path / "document.json"
    path.write_text(
        '{"caseId": "a", "trace": [], "snapshot": {},\n'
        ' "scores": [\n'
        '  {"graderId": "t", "metric": "t", "value": 1},\n'
        '  {"metric": "lost", "value": 1},\n'
        "  7,\n"
        '  {"graderId": "t2", "metric": "m", "value": 1, "pass": "yes"}]}'
    )
    from eval_tui.imports.opened import open_document

    found = open_document(str(path))
    assert values(found, "a") == {
        "t": 1,
        "lost": "contract_violation",
        "unaddressed": "contract_violation",
        "t2": "contract_violation",
    }
    told = [(one.line, one.message) for one in found.problems]
    assert told == [
        (4, "scores[1]: `graderId` and `metric` must be text"),
        (5, "scores[2]: a score must be a mapping"),
        (6, "scores[3]: `pass` must be true or false"),
    ]


def test_old_and_odd_rows_are_read_as_they_were_meant(tmp_path: Path) -> None:
    found = of(
        tmp_path,
        {"graderId": "a", "metric": "a", "value": 0, "detail": "[grader-error] upstream 503"},
        {"graderId": "b", "metric": "b", "value": 0, "detail": "skipped: no key"},
        {"graderId": "c", "metric": "c", "value": 0, "pass": False, "detail": "skipped: greeting"},
        unmeasured("d", "d", "vibes"),
        unmeasured("e", "e", "grader_timeout", detail="no answer"),
        {"graderId": "f", "metric": "f", "status": "invalid", "reason": "contract_violation"},
        {"graderId": "g", "metric": "", "value": 1},
        {"graderId": "h", "metric": "h", "value": None},
        {"graderId": "i", "metric": "i", "value": 0.5, "status": "whatever"},
    )
    assert values(found, "a") == {
        "a": "grader_error",
        "b": "unsupported",
        "c": False,
        "d": "unsupported",
        "e": "grader_error",
        "f": "contract_violation",
        "g": "contract_violation",
        "h": "contract_violation",
        "i": 0.5,
    }
    late = score(found, "e")
    assert isinstance(late, Unmeasured)
    assert "timed out" in late.detail


def test_details_of_any_form_are_words(tmp_path: Path) -> None:
    found = of(
        tmp_path,
        measured("a", "a", 1, detail={"z": 1, "evidence": "line 3", "reasoning": "clear"}),
        measured("b", "b", 1, detail=["one", 2, {"reason": "three"}]),
        measured("c", "c", 1, detail={"z": [1, "é"]}),
        measured("d", "d", 1, detail=True),
    )
    told = [score(found, name).rationale for name in "abcd"]  # type: ignore[union-attr]
    assert told == [
        "reasoning: clear\nevidence: line 3",
        "one\n2\nreason: three",
        '{"z": [1, "é"]}',
        "true",
    ]


def test_numbers_that_are_none_are_no_values(tmp_path: Path) -> None:
    path = tmp_path / "nan.json"
    path.write_text(
        '{"caseId": "a", "trace": [], "snapshot": {}, "scores": ['
        '{"graderId": "a", "metric": "a", "value": NaN},'
        '{"graderId": "b", "metric": "b", "value": 1e999},'
        '{"graderId": "c", "metric": "c", "value": "0.5"},'
        '{"graderId": "d", "metric": "d", "value": true}]}'
    )
    from eval_tui.imports.opened import open_document

    found = open_document(str(path))
    assert set(values(found, "a").values()) == {"contract_violation"}
    figures = [view.aggregate for view in make_board(found.grid, found.config).columns]
    assert all(one.mean is None and one.measured == 0 for one in figures)


def test_that_a_case_died_is_no_column(tmp_path: Path) -> None:
    row = unmeasured("dispatch", "error", "missing_evidence", detail="[infra] killed")
    found = of(tmp_path, TESTS, row)
    assert [judge.name for judge in found.grid.columns] == ["tests-pass"]


def test_trials_are_rows_that_stand_together(tmp_path: Path) -> None:
    cases = [case("a", TESTS, trial=1), case("b", TESTS), case("a", TESTS, trial=0)]
    found = opened(tmp_path, scorecard(*cases))
    assert [row.case for row in found.grid.rows] == ["a #0", "a #1", "b"]
    assert [one.trial for one in found.results.values()] == [0, 1, None]


def test_repeated_cases_without_trials_are_trials(tmp_path: Path) -> None:
    cases = [case("a", TESTS), case("a #1", TESTS), case("a", TESTS), case("a", TESTS)]
    found = opened(tmp_path, scorecard(*cases))
    assert sorted(row.case for row in found.grid.rows) == ["a #0", "a #1", "a #2", "a #3"]


def test_however_many_trials_a_case_has_they_are_numbered() -> None:
    repeated = [Result((at,), {}, "a") for at in range(20_000)]
    assert row_names(repeated) == [f"a #{at}" for at in range(20_000)]


def test_what_a_grader_never_emitted_is_an_empty_cell(tmp_path: Path) -> None:
    found = opened(tmp_path, scorecard(case("a", TESTS), case("b")))
    assert found.grid.cell("b", "tests-pass").score is None
    (view,) = make_board(found.grid, found.config).columns
    assert (view.aggregate.measured, view.aggregate.total) == (1, 1)


def test_reasons_keep_what_can_be_retried(tmp_path: Path) -> None:
    row = unmeasured("t", "t", retryable=True, attempts=2, detail="503")
    assert score(of(tmp_path, row), "t") == Unmeasured(
        Reason.GRADER_ERROR, "503", retryable=True, attempts=2
    )


def test_values_that_are_nested_too_deeply_are_named(tmp_path: Path) -> None:
    deep: Any = "x"
    for _ in range(700):
        deep = [deep]
    found = of(tmp_path, measured("a", "a", 1, detail=deep), TESTS)
    assert score(found, "a").rationale in ("x", "(nested too deeply to be shown)")  # type: ignore[union-attr]
    assert values(found, "a")["tests-pass"] is True
