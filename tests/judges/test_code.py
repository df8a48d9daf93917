"""Code judges: how they are found, called, and refused."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from eval_tui.config.schema import Judge
from eval_tui.judges.load import JudgeEnv, JudgeUnusable, load
from eval_tui.judges.outcome import attempt
from eval_tui.scores import Reason, Unmeasured
from tests.judges.support import detail, reason, run, value

pytestmark = pytest.mark.usefixtures("fresh_imports")


def code(function: str, module: str = "judges_here", **fields: Any) -> Judge:
    return Judge("j", "code", module=module, function=function, line=3, **fields)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "judges_here.py").write_text(
        "CONSTANT = 5\n"
        "def plain(outputs):\n    return outputs['n']\n"
        "def given(outputs, least, word='pond'):\n    return outputs['n'] >= least, word\n"
        "def changes(outputs, seen):\n    seen.append(1)\n    return len(seen)\n"
        "def fails(outputs):\n    assert outputs['n'] > 5\n"
        "class Grader:\n    def __init__(self, outputs):\n        self.value = True\n"
    )
    return tmp_path


def test_a_function_gets_the_record_and_its_arguments_as_keywords(project: Path) -> None:
    root = str(project)
    assert value(run(code("plain"), {"n": 3}, root)) == 3
    score = run(code("given", arguments={"least": 4}), {"n": 3}, root)
    assert value(score) is False
    assert value(run(code("Grader"), {"n": 3}, root)) is True
    assert value(run(code("changes", arguments={"seen": []}), {}, root)) == 1
    assert value(run(code("changes", arguments={"seen": []}), {}, root)) == 1


def test_arguments_that_do_not_fit_are_the_judges_error(project: Path) -> None:
    for arguments in ({"surprise": 1}, {"outputs": 1}):
        score = run(code("plain", arguments=arguments), {"n": 3}, str(project))
        assert reason(score) is Reason.GRADER_ERROR
        assert "TypeError" in detail(score)


def test_modules_are_found_in_the_root_before_the_configs_folder(tmp_path: Path) -> None:
    evals = tmp_path / "evals"
    evals.mkdir()
    (tmp_path / "both_have_it.py").write_text("def judge(outputs): return 1\n")
    (evals / "both_have_it.py").write_text("def judge(outputs): return 2\n")
    (evals / "only_here.py").write_text("def judge(outputs): return 3\n")
    env = JudgeEnv(str(tmp_path), str(evals / "eval.yaml"))
    assert load(code("judge", "both_have_it"), env)({}) == 1
    assert load(code("judge", "only_here"), env)({}) == 3


def test_a_bare_assertion_shows_its_source_line(project: Path) -> None:
    judge, env = code("fails"), JudgeEnv(str(project), str(project / "eval.yaml"))
    score = attempt(load(judge, env), {"n": 3}, judge, {str(project / "judges_here.py")})
    assert isinstance(score, Unmeasured)
    assert "`assert outputs['n'] > 5`" in score.detail and "judges_here.py" in score.detail
    assert score.recover_on == {"code", "config", "evidence"}


@pytest.mark.parametrize(
    ("judge", "words", "hint"),
    [
        (code("plian"), "has no function `plian`", "`plain`"),
        (code("CONSTANT"), "no function but int", ""),
        (code("f", "no_such_module_anywhere"), sys.executable, "--python"),
        (code("f", "checks/files.py"), "no module name", "checks.files"),
        (code("f", "..outside"), "no module name", "outside"),
        (code("f", "raises_at_import"), "RuntimeError: at import", ""),
        (code("f", "exits_at_import"), "SystemExit: 3", ""),
        (code("f", "needs_a_package"), "`not_installed_here`", "--python"),
        (code("f", "is_no_python"), "SyntaxError", ""),
    ],
)
def test_what_cannot_be_loaded_says_what_to_do(
    project: Path, judge: Judge, words: str, hint: str
) -> None:
    (project / "raises_at_import.py").write_text("raise RuntimeError('at import')\n")
    (project / "exits_at_import.py").write_text("import sys\nsys.exit(3)\n")
    (project / "needs_a_package.py").write_text("import not_installed_here\n")
    (project / "is_no_python.py").write_text("def f(:\n")
    with pytest.raises(JudgeUnusable) as caught:
        run(judge, {}, str(project))
    assert words in caught.value.detail
    assert hint in caught.value.hint
    assert caught.value.problem(judge, "/c.yaml").line == 3


def test_a_failed_import_shows_the_projects_frames_alone(project: Path) -> None:
    (project / "raises_at_import.py").write_text("def f():\n    raise RuntimeError('deep')\nf()\n")
    with pytest.raises(JudgeUnusable) as caught:
        run(code("f", "raises_at_import"), {}, str(project))
    assert "raises_at_import.py" in caught.value.detail
    assert "importlib" not in caught.value.detail


def test_a_module_that_is_linked_in_from_outside_is_refused(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "real.py"
    outside.write_text("def judge(outputs): return True\n")
    (project / "linked_in.py").symlink_to(outside)
    with pytest.raises(JudgeUnusable, match="outside the project"):
        run(code("judge", "linked_in"), {}, str(project))
