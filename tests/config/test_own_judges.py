"""Built-in-style judges of the project's own: what a name stands for, and what is said if nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval_tui.config.schema import EvalConfig, Judge
from tests.config.support import errors, load_text, problem

PROMPT = "Is it kind? {{ conversation }}\n"


def project(root: Path, *names: str) -> Path:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(PROMPT if name.endswith(".md") else "def judge(outputs): return True\n")
    return root


def load(root: Path, builtin: str, more: str = "") -> EvalConfig:
    entry = f"judges: [{{name: j, builtin: {builtin}{more}}}]\nmodels: {{judge: some-model}}\n"
    return load_text(root, entry)


def only(config: EvalConfig) -> Judge:
    assert not errors(config)
    (judge,) = config.judges
    return judge


@pytest.mark.parametrize("builtin", ["brevity", "style/brevity"])
def test_python_is_found_with_and_without_its_category(tmp_path: Path, builtin: str) -> None:
    judge = only(load(project(tmp_path, "judges/style/brevity.py"), builtin))
    assert (judge.kind, judge.builtin) == ("code", "style/brevity")
    assert judge.source == str(tmp_path / "judges/style/brevity.py")
    assert not judge.asks_model


def test_a_prompt_is_a_model_judge_that_answers_pass_or_fail(tmp_path: Path) -> None:
    judge = only(load(project(tmp_path, "judges/style/tone.md"), "tone"))
    assert (judge.kind, judge.feedback_type, judge.model) == ("model", "bool", "some-model")
    assert judge.prompt_path == str(tmp_path / "judges/style/tone.md")
    before = judge.material
    (tmp_path / "judges/style/tone.md").write_text("Is it rude? {{ conversation }}")
    assert only(load(tmp_path, "tone")).material != before


def test_a_prompt_takes_no_scale(tmp_path: Path) -> None:
    config = load(project(tmp_path, "judges/style/tone.md"), "tone", ", score_range: [1, 5]")
    assert problem(config, "builtin-scale").judge == "j"


def test_an_empty_prompt_costs_its_judge(tmp_path: Path) -> None:
    project(tmp_path, "judges/style/tone.md")
    (tmp_path / "judges/style/tone.md").write_text(" \n")
    assert problem(load(tmp_path, "tone"), "prompt-empty").judge == "j"


def test_what_ships_with_the_product_keeps_its_name(tmp_path: Path) -> None:
    project(tmp_path, "judges/mine/cost_budget.py", "judges/efficiency/cost_budget.py")
    assert only(load(tmp_path, "cost_budget")).kind == "builtin"
    assert only(load(tmp_path, "efficiency/cost_budget")).kind == "builtin"
    assert only(load(tmp_path, "mine/cost_budget")).source.endswith("mine/cost_budget.py")


def test_two_of_one_name_have_to_be_told_apart(tmp_path: Path) -> None:
    project(tmp_path, "judges/a/same.py", "judges/b/same.md")
    told = problem(load(tmp_path, "same"), "ambiguous-builtin")
    assert "judges/a/same.py" in told.message and "judges/b/same.md" in told.message
    assert "a/same" in told.hint
    assert only(load(tmp_path, "b/same")).kind == "model"


@pytest.mark.parametrize(
    "builtin", ["other/brevity", "style/../style/brevity", "style/", "/etc/x", "style/_help", "x"]
)
def test_other_names_are_unknown(tmp_path: Path, builtin: str) -> None:
    project(tmp_path, "judges/style/brevity.py", "judges/style/_help.py")
    assert problem(load(tmp_path, builtin), "unknown-builtin").judge == "j"


def test_a_link_out_of_the_project_is_refused(tmp_path: Path) -> None:
    outside = project(tmp_path / "outside", "brevity.py") / "brevity.py"
    inside = project(tmp_path / "inside", "judges/style/x.py")
    (inside / "judges/style/brevity.py").symlink_to(outside)
    assert problem(load(inside, "brevity"), "outside-project").judge == "j"


def test_the_root_comes_before_the_folder_of_the_config(tmp_path: Path) -> None:
    from eval_tui.config.load import load_config

    project(tmp_path, "judges/style/one.py", "evals/judges/style/one.py", "evals/judges/x/two.py")
    config = tmp_path / "evals" / "eval.yaml"
    config.write_text("judges: [{name: a, builtin: one}, {name: b, builtin: two}]")
    found = [judge.source for judge in load_config(config, tmp_path, {}).judges]
    assert found == [str(tmp_path / "judges/style/one.py"), str(tmp_path / "evals/judges/x/two.py")]


def test_a_place_where_it_could_appear_is_watched(tmp_path: Path) -> None:
    config = load(project(tmp_path, "judges/style/x.py"), "style/later")
    assert str(tmp_path / "judges/style/later.py") in config.looked_for
    assert str(tmp_path / "judges/style/later.md") in config.looked_for


def test_a_plugin_is_left_to_the_interpreter_of_the_judges(tmp_path: Path) -> None:
    judge = only(load(tmp_path, "plugin/brevity"))
    assert (judge.kind, judge.builtin, judge.source) == ("code", "plugin/brevity", "")
