"""Cases that must pass, whatever the figures say."""

from __future__ import annotations

from dataclasses import replace

import pytest

from eval_tui.config.schema import EvalConfig, Judge, VerdictRules
from eval_tui.results.annotations import github_lines
from eval_tui.results.board import make_board
from eval_tui.results.compare import compare
from eval_tui.results.comparison_words import comparison_lines
from eval_tui.results.critical import CriticalGate, critical_gate, critical_words, missing_critical
from eval_tui.results.evals import summary_of
from eval_tui.results.formats import FORMATS
from eval_tui.results.verdicts import make_verdicts
from eval_tui.verdicts.compile import rulebook
from tests.results.reports import report
from tests.results.support import Short, config, grid

LOGIN, AUTH = {"id": "login"}, {"prefix": "auth/"}
VALUES = {"login": True, "auth/a": True, "auth/b": True, "other": False}


def gate(*named: dict[str, str], not_run: tuple[str, ...] = (), **values: bool | None):
    verdicts = {**VALUES, **{name.replace("_", "/"): value for name, value in values.items()}}
    found = critical_gate(named, verdicts, not_run)
    assert found is not None
    return found


def test_cases_are_named_by_id_or_prefix_and_others_decide_nothing() -> None:
    found = gate(LOGIN, AUTH)
    assert found == CriticalGate(passed=("login", "auth/a", "auth/b"))
    assert found.state == "pass"
    assert critical_gate((), VALUES) is None


def test_one_that_failed_fails_and_one_without_a_verdict_cannot_be_told() -> None:
    assert gate(AUTH, auth_b=None).state == "cannot_tell"
    broken = gate(LOGIN, AUTH, auth_a=False, auth_b=None)
    assert broken.state == "fail"
    told = "critical cases: 1 failed (auth/a), 1 not evaluated (auth/b), 1 passed"
    assert critical_words(broken) == told


def test_one_that_did_not_run_or_is_not_there_is_no_pass() -> None:
    late = gate(AUTH, not_run=("auth/late",))
    assert (late.state, late.open) == ("cannot_tell", ("auth/late",))
    gone = gate({"id": "gone"}, {"prefix": "x/"}, LOGIN)
    assert (gone.state, gone.absent) == ("cannot_tell", ("gone", "x/..."))
    assert "2 not there (gone, x/...)" in critical_words(gone)


def test_of_many_some_are_named() -> None:
    found = critical_gate([{"prefix": ""}], dict.fromkeys("abcdefg", False))
    assert found is not None
    assert "7 failed (a, b, c, d, e, 2 more)" in critical_words(found)


def test_critical_cases_that_a_baseline_had_are_missed() -> None:
    assert missing_critical([AUTH], ["other", "auth/x"], "r1") == (
        "1 critical case of r1 not there: auth/x",
    )
    assert missing_critical([AUTH], ["other"], "r1") == ()
    assert missing_critical([], ["auth/x"], "r1") == ()


def rules(*named: dict[str, str]) -> VerdictRules:
    return VerdictRules(critical_cases=named)


def book(*named: dict[str, str]):
    judges = (Judge("j", "check"),)
    return rulebook(EvalConfig("/p/eval.yaml", "/p", judges=judges, verdict=rules(*named)))


@pytest.mark.parametrize(
    ("column", "state"),
    [([True, False], "pass"), ([False, True], "fail"), (["grader_error", True], "cannot_tell")],
)
def test_a_board_looks_at_the_verdicts_of_its_critical_cases(
    column: list[Short], state: str
) -> None:
    board = make_verdicts(grid({"j": column}, not_run=["c3"]), book({"id": "c1"}))
    assert board.critical is not None and board.critical.state == state
    assert make_verdicts(grid({"j": column}), book()).critical is None


@pytest.mark.parametrize("name", ["table", "markdown", "junit", "html"])
def test_every_page_for_people_says_what_became_of_them(name: str) -> None:
    shown = {False: "critical cases: 1 failed (c1), 0 passed", True: "critical cases: 1 passed"}
    for passed, words in shown.items():
        run = grid({"j": [passed]})
        made = replace(report(run), verdicts=make_verdicts(run, book({"id": "c1"})))
        text = FORMATS[name](made)
        assert (words if passed is False or name != "junit" else "critical cases") in text
        assert ("❌" in text, "❔" in text) == (name == "markdown" and not passed, False)
    assert "critical" not in FORMATS[name](report(grid({"j": [True]})))


def test_a_summary_of_several_evals_says_it_beside_the_thresholds() -> None:
    settings, run = config(("j", "min_pass_rate", 0.5)), grid({"j": [True, False]})
    gate = make_verdicts(run, book({"id": "c2"})).critical
    summary = summary_of("r1", run, make_board(run, settings), gate)
    assert summary.words.endswith("1 threshold: met · critical cases: 1 failed (c2), 0 passed")
    assert "critical" not in summary_of("r1", run, make_board(run, settings)).words


def test_in_ci_a_note_says_it_as_well() -> None:
    run = grid({"j": [False, "grader_error"]})
    for case, level in (("c1", "error"), ("c2", "warning")):
        made = replace(report(run), verdicts=make_verdicts(run, book({"id": case})))
        assert [
            line.split(" ")[0] for line in github_lines(made, config(), (), "/p") if case in line
        ] == [f"::{level}"]


def test_a_comparison_names_those_that_collapsed_first() -> None:
    before, after = grid({"j": [True, True, True]}), grid({"j": [False, False, True]})
    found = compare(after, before, "r2", "r1", frozenset(), book({"id": "c2"}))
    assert [(one.case, one.critical) for one in found.verdicts] == [("c2", True), ("c1", False)]
    lines = list(comparison_lines(found))
    assert lines.index("    c2 (critical)") < lines.index("    c1")
