"""What is refused and what is accepted, against the conformance cases 02, 03 and 39."""

from pathlib import Path

import pytest

from eval_tui.config.discovery import discover
from eval_tui.config.load import load_config
from eval_tui.record.runs import case_ids, find_run, list_runs
from tests.config.support import errors
from tests.support.conformance import conformance_cases, load_case, materialize, scenarios

CODES = {
    "builtin_conflict": {"builtin-conflict"},
    "duplicate_judge_name": {"duplicate-judge", "nameless-judge"},
    "unknown_builtin": {"unknown-builtin"},
    "builtin_not_text": {"builtin-not-text"},
    "arguments_not_mapping": {"arguments-not-mapping"},
    "agent_not_mapping": {"agent-not-mapping"},
    "agent_runner_not_mapping": {"agent-runner-not-mapping"},
    "score_range_shape": {"bad-range-shape"},
    "score_range_not_numeric": {"bad-range-bounds"},
    "score_range_not_increasing": {"bad-range-order"},
    "score_range_not_finite": {"bad-range-infinite"},
    "bool_with_score_range": {"bool-with-range"},
    "int_with_fractional_range": {"int-with-fraction"},
    "builtin_llm_scale": {"builtin-scale"},
    "step_without_pipeline": {"step-without-steps"},
    "unknown_step": {"unknown-step"},
    "samples_not_integer": {"bad-samples"},
    "judges_not_list": {"judges-not-list"},
    "judge_not_mapping": {"judge-not-mapping"},
    "reward_not_mapping": {"bad-reward"},
    "reward_score_range": {"bad-range-shape", "bad-range-order", "bad-range-bounds"},
    "reward_weights": {"bad-weights"},
    "reward_judge_exclusive": {"reward-exclusive"},
    "reward_judge_unknown": {"unknown-judge"},
    "reward_judge_name": {"bad-reward-judge"},
    "reward_normalize": {"not-boolean"},
    "reward_gate": {"not-boolean"},
    "reward_formula": {"bad-formula"},
    "output_path": {"bad-output-path"},
    "dataset_path": {"dataset-outside"},
    "workspace_files": {"bad-workspace-file"},
    "execution_mode": {"bad-mode"},
    "skill_and_prompt": {"skill-and-prompt"},
    "skill_name": {"bad-skill"},
    "steps": {"bad-step"},
    "runner": {"bad-runner"},
    "hooks": {"bad-hook"},
    "generation": {"bad-generation"},
    "yaml_unreadable": {"not-yaml"},
    "config_not_mapping": {"config-not-mapping"},
    "config_not_found": {"config-missing"},
}
"""What this program says where the suite says `config_error`."""

RUN_ERRORS = {"run_id", "run_not_found"}
"""Refusals that are about the run, not the config."""

DIFFERENCES = {
    ("02", "rubric"): ("D14", {"builtin-conflict"}),
    ("03", "reward-formula-method"): ("D29", {"bad-formula"}),
    ("03", "dataset-parent"): ("D5", set[str]()),
    ("03", "ok-numeric-text-range"): ("D47", {"bad-range-bounds"}),
    ("03", "ok-bool-range-values"): ("D47", {"bad-range-bounds"}),
}
"""Where we differ on purpose: the decision, and the codes of our errors."""

DISCOVERY_DIFFERENCES = {
    # A config that does not load, or not quite, is listed with its problems.
    "discover-nested": ("D2", {("bad-skill", "bad-skill"), ("broken", "broken"), ("listy", "listy")}, set[tuple[str, str]]()),
    # One name for one thing: that of the runs folder.
    "discover-names": ("D6", {("docs", "docs")}, {("docs", "eval")}),
    # A number is a name.
    "discover-number-name": ("D8", {("year.yaml", "2024"), ("fine.yaml", "fine")}, set[tuple[str, str]]()),
}  # fmt: skip
"""The decision, what we list beyond the suite, and what we do not; by folder or file under eval/."""

_SCENARIOS = [
    (case, scenario["id"])
    for case in ("02", "03", "39")
    if conformance_cases()
    for scenario in scenarios(case)
]


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("conformance")
    return {case: materialize(case, folder / case) for case in ("02", "03", "39")}


@pytest.mark.parametrize(
    ("case", "name"), [s for s in _SCENARIOS if not s[1].startswith("discover")]
)
def test_refused_and_accepted(projects: dict[str, Path], case: str, name: str) -> None:
    scenario = next(s for s in scenarios(case) if s["id"] == name)
    expected = load_case(case)[1]["scenarios"][name]["config_error"]
    root = projects[case] / scenario["cwd"]
    config = load_config(root / scenario["config"], root, {})
    found = {p.code for p in errors(config)}
    if (case, name) in DIFFERENCES:
        assert found == DIFFERENCES[case, name][1]
    elif expected is None or expected in RUN_ERRORS:
        assert found == set()
    else:
        assert found & CODES[expected]
    assert all(p.line and p.column for p in config.problems if p.code != "config-missing")

    env = {"AGENT_EVAL_RUNS_DIR": "runs", **(scenario.get("env") or {})}
    env = {key: value for key, value in env.items() if value is not None}
    if expected is None:
        assert config.eval_name == scenario["eval"] or case != "39"
    if expected is None and case == "39":
        (run,) = list_runs(config, None, env)
        assert (run.id, run.cases, case_ids(run.path)) == ("r1", 1, ("c1",))
        assert find_run(config, "r1", None, env) == run
    if expected in RUN_ERRORS:
        assert list_runs(config, None, env)
        assert find_run(config, scenario["run"], None, env) is None


@pytest.mark.parametrize("name", [s[1] for s in _SCENARIOS if s[1].startswith("discover")])
def test_discovery(projects: dict[str, Path], name: str) -> None:
    scenario = next(s for s in scenarios("39") if s["id"] == name)
    expected = load_case("39")[1]["scenarios"][name].get("discovery", {"configs": []})
    root = projects["39"] / scenario["cwd"]

    def short(path: str) -> str:
        inner = path.removeprefix("eval/")
        return inner.removesuffix("/eval.yaml")

    found = {(short(str(Path(e.path).relative_to(root))), e.name) for e in discover(root, {})}
    listed = {(short(c["path"]), c["eval_name"]) for c in expected["configs"]}
    _, more, fewer = DISCOVERY_DIFFERENCES.get(name, ("", set(), set()))
    assert found == (listed | more) - fewer
    # The name found is the one under which the config stores its runs.
    for entry in discover(root, {}):
        assert load_config(Path(entry.path), root, {}).eval_name == entry.name


def test_broken_configs_are_listed_with_their_problems(projects: dict[str, Path]) -> None:
    found = {e.name: [p.code for p in e.problems] for e in discover(projects["39"] / "nested", {})}
    assert found["broken"] == ["not-yaml"]
    assert found["listy"] == ["config-not-mapping"]
    twins = [e for e in discover(projects["39"] / "flat", {}) if e.name == "guide"]
    assert [[p.code for p in e.problems] for e in twins] == [["name-twice"], ["name-twice"]]
