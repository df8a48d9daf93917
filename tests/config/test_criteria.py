"""`criteria` and `pass_if` in a config."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval_tui.config.load import load_config
from eval_tui.config.schema import Criterion, EvalConfig
from eval_tui.engine.wire import judge_from_plain, judge_to_plain


def load(root: Path, judge: str) -> EvalConfig:
    path = root / "eval.yaml"
    path.write_text(f"models: {{judge: m}}\njudges:\n  - {judge}\n")
    return load_config(path, root, {})


def test_criteria_are_read_in_order(tmp_path: Path) -> None:
    entry = (
        '{name: a, prompt: "{{ inputs }}", pass_if: ">= 3.5", criteria: [{id: tone, description: '
        'Is it friendly?, weight: 2}, {id: facts, pass_if: "> 2"}]}'
    )
    config = load(tmp_path, entry)
    [judge] = config.judges
    assert judge.pass_if == ">= 3.5"
    assert judge.criteria == (
        Criterion("tone", "Is it friendly?", 2.0),
        Criterion("facts", "", 1.0, "> 2"),
    )
    assert not config.problems
    assert judge_from_plain(judge_to_plain(judge)) == judge


def test_the_first_line_of_a_prompt_is_known(tmp_path: Path) -> None:
    config = load(tmp_path, "name: a\n    prompt: |\n      one\n      {{ inputs }}\n")
    assert config.judges[0].prompt_line == 5


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ("pass_if: 4", "bad-pass-if"),
        ('pass_if: "at least 4"', "bad-pass-if"),
        ("criteria: tone", "criteria-not-list"),
        ("criteria: [tone]", "criterion-not-mapping"),
        ("criteria: [{description: x}]", "nameless-criterion"),
        ("criteria: [{id: two words}]", "bad-criterion-id"),
        ("criteria: [{id: a}, {id: a}]", "duplicate-criterion"),
        ("criteria: [{id: a, weight: -1}]", "bad-weight"),
        ("criteria: [{id: a, weight: true}]", "bad-weight"),
        ("criteria: [{id: a, weight: .inf}]", "bad-weight"),
        ("criteria: [{id: a, weight: 0}]", "no-weight"),
        ("criteria: [{id: a, pass_if: good}]", "bad-pass-if"),
        ("criteria: [{id: a, wieght: 2}]", "unknown-key"),
    ],
)
def test_what_is_wrong_is_a_problem_with_its_line(tmp_path: Path, fields: str, code: str) -> None:
    config = load(tmp_path, f'{{name: a, prompt: "{{{{ inputs }}}}", {fields}}}')
    [problem] = config.problems
    assert (problem.code, problem.line, problem.judge) == (code, 3, "a")


@pytest.mark.parametrize(
    "entry",
    [
        '{name: a, check: "return 1", criteria: [{id: a}]}',
        '{name: a, prompt: "{{ inputs }}", feedback_type: bool, pass_if: ">= 1"}',
    ],
)
def test_what_has_no_use_is_ignored_with_a_warning(tmp_path: Path, entry: str) -> None:
    config = load(tmp_path, entry)
    [problem] = config.problems
    assert (problem.severity, problem.code) == ("warning", "ignored-field")
    assert config.judges[0].criteria == () and config.judges[0].pass_if == ""
