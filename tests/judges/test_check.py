"""Inline checks: what they see, what their text means, where their errors are."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval_tui.judges.load import JudgeEnv, JudgeUnusable, load
from eval_tui.scores import Unmeasured
from tests.judges.support import CONFIG, check, detail, run, value


def test_a_check_sees_its_record_and_its_arguments_under_two_names() -> None:
    judge = check("return outputs['a'] + arguments['b'] + kwargs['b']", arguments={"b": 10})
    assert value(run(judge, {"a": 1})) == 21
    assert value(run(check("return arguments == {} and kwargs is arguments"))) is True


def test_changed_arguments_are_forgotten_after_the_call() -> None:
    judge = check(
        "arguments['seen'].append(1)\nreturn len(arguments['seen'])", arguments={"seen": []}
    )
    runner = load(judge, JudgeEnv("/project", CONFIG))
    assert [runner({}), runner({})] == [1, 1]
    assert judge.arguments == {"seen": []}


@pytest.mark.parametrize(
    "source",
    [
        'text = """first\nsecond"""\nreturn text == "first\\nsecond"',
        '  text = """a\n  b"""\n  return text == "a\\n  b"',
        "x = '''\\\n\tkeeps its tab'''\nreturn x == '\\tkeeps its tab'",
        "if outputs is None:\n    return False\nreturn True  # the end",
        "import json; return json.loads('true')",
        "class Half:\n    pass\nreturn isinstance(Half(), Half)",
        "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: 'int'\nreturn P(1).x == 1",
        "return sum(1 for n in [1, 2, 3] if n >= len(outputs) + 2) == 2",
    ],
)
def test_string_literals_and_layout_mean_what_they_say(source: str) -> None:
    assert value(run(check(source))) is True


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("return (", 7),
        ("x = 1\nreturn return", 8),
        ("x = 1\n\n  y = 2", 9),
        ("   ", 7),
        ("# no", 7),
    ],
)
def test_a_check_that_is_no_python_is_unusable_and_names_its_line(source: str, line: int) -> None:
    with pytest.raises(JudgeUnusable) as caught:
        load(check(source), JudgeEnv("/project", CONFIG))
    assert caught.value.line == line
    problem = caught.value.problem(check(source), CONFIG)
    assert (problem.file, problem.line, problem.severity) == (CONFIG, line, "error")


@pytest.mark.parametrize("source", ["return '\ud800'", "return 1\0", "(" * 5000 + ")" * 5000])
def test_text_that_no_compiler_takes_is_unusable(source: str) -> None:
    with pytest.raises(JudgeUnusable) as caught:
        load(check(source), JudgeEnv("/project", CONFIG))
    assert caught.value.detail


def test_a_traceback_names_the_line_of_the_config() -> None:
    source = "def deep(n):\n    return 1 / n\n\nreturn deep(0)"
    score = run(check(source))
    assert isinstance(score, Unmeasured)
    assert detail(score) == "ZeroDivisionError: division by zero"
    assert 'File "/project/eval.yaml", line 10, in check\n    return deep(0)' in score.traceback
    assert 'File "/project/eval.yaml", line 8, in deep\n    return 1 / n' in score.traceback
    assert "eval_tui" not in score.traceback


def test_frames_of_libraries_are_left_out_and_causes_are_kept() -> None:
    source = "import json\ntry:\n    json.loads('{')\nexcept ValueError as e:\n    raise OSError('x') from e"
    score = run(check(source))
    assert isinstance(score, Unmeasured)
    assert score.retryable
    assert "decoder.py" not in score.traceback
    first, second = score.traceback.split("which caused:")
    assert "json.loads('{')" in first and "JSONDecodeError" in first
    assert "raise OSError('x') from e" in second


def test_checks_import_modules_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "helper_of_a_check.py").write_text("ANSWER = 42\n")
    judge = check("import helper_of_a_check\nreturn helper_of_a_check.ANSWER")
    assert value(run(judge, root=str(tmp_path))) == 42
