"""`graders:` and `verdict:` as columns and rules, and what is wrong with them."""

import json
from pathlib import Path
from textwrap import dedent

import pytest

from eval_tui.config.case_graders import CaseGraderScan, with_case_graders
from eval_tui.config.grader_kinds import limit_of
from eval_tui.config.graders import contested
from eval_tui.config.load import load_config
from eval_tui.config.schema import EvalConfig, Grader, Judge, Metric, VerdictRules
from eval_tui.verdicts import lock
from tests.config.support import errors, load_text, problem

SPECS = """
    graders:
      - {id: tests-pass, config: {cmd: pytest -q}}
      - {id: cost}
      - id: script
        config: {id: business-check, cmd: ./check.sh, timeoutSec: 60}
        metrics: [{id: quality, direction: higher_is_better, authority: ground_truth}]
        when: "annotations.get('kind') == 'invoice'"
"""


def column(config: EvalConfig, name: str) -> Judge:
    return next(judge for judge in config.judges if judge.name == name)


def grader(config: EvalConfig, name: str) -> Grader:
    found = column(config, name).grader
    assert found is not None
    return found


def test_graders_are_columns_behind_the_judges(tmp_path: Path) -> None:
    config = load_text(tmp_path, f"judges: [{{name: j, check: return 1}}]\n{dedent(SPECS)}")
    assert errors(config) == []
    assert [judge.name for judge in config.judges] == ["j", "tests-pass", "cost", "business-check"]
    check = column(config, "business-check")
    assert (check.kind, check.condition) == ("grader", "annotations.get('kind') == 'invoice'")
    assert check.grader == Grader(
        "script",
        {"id": "business-check", "cmd": "./check.sh", "timeoutSec": 60},
        (Metric("quality", "ground_truth", "higher_is_better"),),
    )


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("{id: command, config: {id: lint, cmd: x}}", "lint"),
        ("{id: script-score, config: {id: s, cmd: x}}", "s"),
        ("{id: reward-file, config: {id: r}}", "r"),
        ("{id: text-metric, config: {id: t, pattern: '(x)', metric: m}}", "t"),
        ("{id: judge, config: {id: tone}}", "tone"),
        ("{id: script, config: {cmd: x}}", "script"),
        ("{id: cost, config: {id: money}}", "cost"),
        ("{id: script, config: {id: on, cmd: x}}", "on"),
    ],
)
def test_the_name_of_a_column(spec: str, name: str, tmp_path: Path) -> None:
    assert [j.name for j in load_text(tmp_path, f"graders: [{spec}]").judges] == [name]


@pytest.mark.parametrize("file", ["graders.json", "graders.yaml", "eval/graders.json"])
@pytest.mark.parametrize("wrapped", [True, False])
def test_graders_in_a_file_of_their_own(file: str, wrapped: bool, tmp_path: Path) -> None:
    specs = [{"id": "cost"}, {"id": "steps", "config": {"typo": 1}}, {"id": "bogus"}]
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"graders": specs} if wrapped else specs, indent="\t"))
    config = load_text(tmp_path, f"graders: {file}")
    assert [judge.name for judge in config.judges] == ["cost", "steps", "bogus"]
    assert str(path) in config.looked_for
    unknown = problem(config, "unknown-grader")
    assert unknown.file == str(path)
    assert path.read_text().splitlines()[unknown.line - 1].strip() == '"id": "bogus"'
    assert column(config, "bogus").problem == unknown


@pytest.mark.parametrize(
    ("text", "code"),
    [("nowhere.json", "graders-missing"), ("5", "graders-not-list"), ("", "graders-not-list")],
)
def test_no_graders_where_some_are_promised(text: str, code: str, tmp_path: Path) -> None:
    config = load_text(tmp_path, f"graders: {text}")
    assert problem(config, code).line == 1
    assert config.usable


def test_a_file_that_is_no_list_or_no_yaml(tmp_path: Path) -> None:
    (tmp_path / "g.json").write_text("{")
    assert problem(load_text(tmp_path, "graders: g.json"), "not-yaml").file.endswith("g.json")
    (tmp_path / "g.json").write_text('"cost"')
    assert "text" in problem(load_text(tmp_path, "graders: g.json"), "graders-not-list").message


@pytest.mark.parametrize("entry", ["dom-contains", "url-matches", "store-state", "swe-bench"])
def test_known_graders_that_cannot_work_here_are_columns_that_say_so(
    entry: str, tmp_path: Path
) -> None:
    config = load_text(tmp_path, f"graders: [{{id: {entry}, config: {{anything: 1}}}}]")
    assert errors(config) == []
    unusable = column(config, entry).problem
    assert unusable is not None and unusable.severity == "warning" and entry in unusable.message


@pytest.mark.parametrize(
    ("spec", "code"),
    [
        ("{config: {}}", "nameless-grader"),
        ("{id: testspass}", "unknown-grader"),
        ("{id: tests-pass}", "grader-incomplete"),
        ("{id: tests-pass, config: {cmd: [a]}}", "not-text"),
        ("{id: tests-pass, config: 5}", "grader-config-not-mapping"),
        ("{id: tests-pass, config: {cmd: x, cwd: ../y}}", "bad-cwd"),
        ("{id: tests-pass, config: {cmd: x, in_place: maybe}}", "not-boolean"),
        ("{id: command, config: {cmd: x, timeoutSec: '5'}}", "not-number"),
        ("{id: command, config: {cmd: x, timeoutSec: 0}}", "not-positive"),
        ("{id: command, config: {cmd: x, timeoutSec: .nan}}", "not-number"),
        ("{id: command, config: {cmd: x, timeoutSec: .inf}}", "not-number"),
        ("{id: command, config: {cmd: x, env: [1]}}", "bad-env"),
        ("{id: command, config: {cmd: x, passPattern: '('}}", "bad-pattern"),
        ("{id: command, config: {cmd: x, applyPatch: p}}", "grader-key-not-supported"),
        ("{id: command, config: {cmd: x, metric: state}}", "reserved-metric"),
        ("{id: text-metric, config: {pattern: '(x)', metric: 'judge:tone'}}", "reserved-metric"),
        ("{id: script-score, config: {cmd: x, scorePattern: 'no group'}}", "bad-pattern"),
        ("{id: script-score, config: {cmd: x, passThreshold: '0.8'}}", "not-number"),
        ("{id: script, config: {}}", "grader-incomplete"),
        ("{id: script, config: {cmd: x, code: y, language: python}}", "grader-incomplete"),
        ("{id: script, config: {code: y}}", "grader-incomplete"),
        ("{id: script, config: {code: y, language: perl}}", "bad-language"),
        ("{id: script, config: {cmd: x, image: i}}", "grader-key-not-supported"),
        ("{id: cost, config: {compat: everdict}}", "grader-key-not-supported"),
        ("{id: text-metric, config: {metric: m}}", "grader-incomplete"),
        ("{id: reward-file, config: {files: {../x: a}}}", "bad-files"),
        ("{id: reward-file, config: {files: {/x: a}}}", "bad-files"),
        ("{id: answer-match, config: {mode: fuzzy}}", "bad-mode"),
        ("{id: cost, metrics: [{direction: neutral}]}", "nameless-metric"),
        ("{id: cost, metrics: 5}", "metrics-not-list"),
        ("{id: cost, metrics: [{id: m, authority: judge}]}", "bad-authority"),
        ("{id: cost, metrics: [{id: m, direction: up}]}", "bad-direction"),
        ("{id: cost, metrics: [{id: m, pass_if: great}]}", "bad-pass-if"),
        ("{id: cost, metrics: [m, m]}", "metric-twice"),
        ("{id: cost, metrics: ['judge:tone']}", "reserved-metric"),
        ("{id: script, config: {cmd: x}, metrics: [tests_pass]}", "reserved-metric"),
        ("5", "grader-not-mapping"),
    ],
)
def test_what_is_wrong_costs_its_own_column(spec: str, code: str, tmp_path: Path) -> None:
    config = load_text(tmp_path, f"graders:\n  - {{id: steps}}\n  - {spec}\n")
    found = problem(config, code)
    assert found.line == 3 and found.severity == "error"
    assert config.usable and config.judges[0].problem is None
    assert config.judges[1].problem == found


def test_names_are_used_once(tmp_path: Path) -> None:
    twice = load_text(tmp_path, "graders: [{id: cost}, {id: cost}]")
    assert problem(twice, "duplicate-grader") and not twice.usable
    judge = load_text(tmp_path, "judges: [{name: cost, check: return 1}]\ngraders: [{id: cost}]")
    assert "judge" in problem(judge, "duplicate-grader").message and not judge.usable


def test_a_metric_has_one_owner(tmp_path: Path) -> None:
    config = load_text(
        tmp_path,
        """
        graders:
          - {id: script, config: {id: a, cmd: x}, metrics: [{id: q, authority: ground_truth}, own]}
          - {id: script, config: {id: b, cmd: x}}
        """,
    )
    assert grader(config, "b").foreign == ("own", "q")
    assert grader(config, "a").foreign == ()


def test_two_declarations_of_one_metric(tmp_path: Path) -> None:
    text = """
        graders:
          - {id: script, config: {id: a, cmd: x}, metrics: [{id: q, authority: ground_truth}]}
          - {id: script, config: {id: b, cmd: x}, metrics: [%s]}
        """
    apart = load_text(tmp_path, text % "{id: q, authority: objective}")
    assert contested(apart.judges) == {"q"}
    told = [p for p in apart.problems if p.code == "metric-declared-twice"]
    assert [(p.judge, p.line, p.severity) for p in told] == [("a", 3, "error"), ("b", 4, "error")]
    alike = load_text(tmp_path, text % "{id: q, authority: ground_truth}")
    assert contested(alike.judges) == frozenset()
    assert {p.severity for p in alike.problems if p.code == "metric-declared-twice"} == {"warning"}


def test_a_declaration_at_the_top_is_about_the_metric_of_that_name(tmp_path: Path) -> None:
    config = load_text(
        tmp_path,
        """
        graders:
          - {id: command, config: {cmd: x}, authority: objective}
          - {id: cost, direction: lower_is_better}
        """,
    )
    assert grader(config, "command").metrics == (Metric("command", "objective"),)
    assert grader(config, "cost").metrics == ()
    assert "usd" in problem(config, "ignored-field").hint
    both = load_text(
        tmp_path,
        "graders: [{id: script, config: {cmd: x}, authority: objective, metrics: [q]}]",
    )
    assert grader(both, "script").metrics == (Metric("q"),)
    assert problem(both, "ignored-field").severity == "warning"


@pytest.mark.parametrize("spec", ["tests-pass", "command", "script", "script-score", "reward-file"])
def test_every_command_has_its_own_limit_of_time(spec: str) -> None:
    assert limit_of(Grader(spec, {"cmd": "x", "timeoutSec": 7})) == 7
    assert limit_of(Grader(spec, {"cmd": "x"})) in (600, 1800)


def test_thresholds_may_name_columns_and_metrics(tmp_path: Path) -> None:
    limits = "\nthresholds: {cost: {min_mean: 1}, quality: {min_mean: 1}, nobody: {min_mean: 1}}"
    config = load_text(tmp_path, dedent(SPECS) + limits)
    assert "`nobody`" in problem(config, "unknown-judge").message


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("verdict: {}", VerdictRules()),
        ("verdict: {mode: ladder}", VerdictRules("ladder")),
        (
            "graders: [{id: cost}]\nverdict: {on_dead_authority: fall_through, unreviewed: ignore}",
            VerdictRules("ladder", "fall_through", "ignore"),
        ),
        (
            "verdict: {critical_cases: [{prefix: auth/}, login], trials: {runs: [r1, 2]}}",
            VerdictRules(critical_cases=({"prefix": "auth/"}, {"id": "login"}), trials=("r1", "2")),
        ),
    ],
)
def test_verdict_rules(text: str, rules: VerdictRules, tmp_path: Path) -> None:
    config = load_text(tmp_path, text)
    assert errors(config) == []
    assert config.verdict == rules


def test_no_verdict_block_is_no_rules(tmp_path: Path) -> None:
    assert load_text(tmp_path, "graders: [{id: cost}]").verdict is None


@pytest.mark.parametrize(
    "text",
    ["{mode: strict}", "5", "{unreviewed: maybe}", "{critical_cases: [5]}", "{trials: {runs: 5}}"],
)
def test_wrong_verdict_rules_are_told(text: str, tmp_path: Path) -> None:
    found = errors(load_text(tmp_path, f"name: x\nverdict: {text}\n"))
    assert [p.line for p in found] == [2]


def annotations(root: Path, case: str, text: str) -> Path:
    path = root / "data" / case / "annotations.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dedent(text))
    return path


def with_cases(root: Path, text: str) -> EvalConfig:
    config = load_text(root, f"dataset: {{path: data}}\n{dedent(text)}")
    return with_case_graders(config, CaseGraderScan().look(config.dataset))


def test_cases_declare_columns_of_their_own(tmp_path: Path) -> None:
    annotations(tmp_path, "a", "graders: [{id: answer-match, config: {expect: x}}]")
    annotations(tmp_path, "b", "graders: [{id: answer-match, config: {expect: y}}, {id: cost}]")
    annotations(tmp_path, "c", "kind: plain")
    config = with_cases(tmp_path, "graders: [{id: cost}]")
    assert [judge.name for judge in config.judges] == ["cost", "answer-match"]
    assert grader(config, "answer-match") == Grader("", per_case=True)
    assert grader(config, "cost") == Grader("cost", per_case=True)


def test_thresholds_may_name_what_cases_declare(tmp_path: Path) -> None:
    spec = "{id: script, config: {id: own, cmd: x}, metrics: [q]}"
    annotations(tmp_path, "a", f"graders: [{spec}]")
    limits = "own: {min_pass_rate: 1}, q: {min_mean: 1}, nobody: {min_mean: 1}"
    config = with_cases(tmp_path, f"thresholds: {{{limits}}}")
    assert [p.message for p in errors(config)] == [
        "there is a threshold for `nobody`, which is no judge"
    ]


def test_what_is_wrong_with_a_case_s_spec_is_told_where_it_stands(tmp_path: Path) -> None:
    path = annotations(tmp_path, "a", "kind: x\ngraders:\n  - {id: tests-pass}\n")
    found = problem(with_cases(tmp_path, ""), "grader-incomplete")
    assert (found.file, found.line) == (str(path), 3)


def test_a_case_cannot_say_what_is_ground_truth(tmp_path: Path) -> None:
    spec = "{id: script, config: {cmd: x}, metrics: [{id: q, authority: ground_truth}]}"
    annotations(tmp_path, "a", f"graders: [{spec}]")
    config = with_cases(tmp_path, "")
    assert grader(config, "script").metrics == (Metric("q", "ground_truth", of_cases=True),)
    found = problem(config, "case-ground-truth")
    assert (found.severity, found.line) == ("warning", 1) and "`q`" in found.message
    assert lock.declarations(config) == (), "there is nothing that somebody could accept"


OWN = "{id: script, config: {id: own, cmd: x}, metrics: [%s]}"


def test_a_case_may_declare_what_the_column_of_the_config_does_not(tmp_path: Path) -> None:
    annotations(tmp_path, "a", f"graders: [{OWN % '{id: q, authority: objective}'}]")
    annotations(tmp_path, "b", f"graders: [{OWN % 'q, r'}]")
    others = "{id: script, config: {id: other, cmd: x}, metrics: [mine]}"
    config = with_cases(tmp_path, f"graders: [{OWN % 'own'}, {others}]")
    assert grader(config, "own").metrics == (
        Metric("own"),
        Metric("q", "objective", of_cases=True),
        Metric("r", of_cases=True),
    )
    assert grader(config, "own").foreign == ("mine",)
    assert grader(config, "other").foreign == ("own", "q", "r")
    assert contested(config.judges) == frozenset() and errors(config) == []


@pytest.mark.parametrize("text", [f"graders: [{OWN % '{id: q, authority: observational}'}]", ""])
def test_cases_that_declare_a_metric_differently_are_told(text: str, tmp_path: Path) -> None:
    annotations(tmp_path, "a", f"graders: [{OWN % '{id: q, authority: objective}'}]")
    if not text:
        way = "{id: q, authority: objective, direction: neutral}"
        annotations(tmp_path, "b", f"graders: [{OWN % way}]")
    config = with_cases(tmp_path, text)
    assert contested(config.judges) == {"q"}
    assert problem(config, "metric-declared-twice").judge == "own"


def test_no_case_can_say_anything_of_the_ground_truth_of_the_config(tmp_path: Path) -> None:
    annotations(tmp_path, "a", f"graders: [{OWN % '{id: q, authority: objective}'}]")
    annotations(tmp_path, "b", "graders: [{id: script, config: {id: b, cmd: x}, metrics: [q]}]")
    config = with_cases(tmp_path, f"graders: [{OWN % '{id: q, authority: ground_truth}'}]")
    assert grader(config, "own").metrics == (Metric("q", "ground_truth"),)
    assert (grader(config, "b").metrics, grader(config, "b").foreign) == ((), ("q",))


def test_a_case_s_grader_cannot_have_the_name_of_a_judge(tmp_path: Path) -> None:
    annotations(tmp_path, "a", "graders: [{id: cost}]")
    config = with_cases(tmp_path, "judges: [{name: cost, check: return 1}]")
    assert problem(config, "duplicate-grader").judge == "cost"
    assert [judge.kind for judge in config.judges] == ["check"]


def test_a_scan_sees_what_was_edited_and_what_is_gone(tmp_path: Path) -> None:
    scan, data = CaseGraderScan(), str(tmp_path / "data")
    assert scan.look(data).metrics == ()
    path = annotations(tmp_path, "a", "graders: [{id: cost}]")
    assert [name for name, _ in scan.look(data).metrics] == ["cost"]
    annotations(tmp_path, "a", "graders: [{id: steps}, {id: cost}]")
    assert [name for name, _ in scan.look(data).metrics] == ["steps", "cost"]
    path.unlink()
    assert scan.look(data).metrics == ()


def test_judges_and_graders_of_further_files(tmp_path: Path) -> None:
    config_path, more = tmp_path / "eval.yaml", tmp_path / "more.yaml"
    config_path.write_text("judges: [{name: a, check: return 1}]\n")
    more.write_text(
        "judges:\n  - {name: b, check: return 1}\ngraders:\n  - {id: cost}\n  - {id: bogus}\n"
    )
    config = load_config(config_path, tmp_path, {}, [str(more)])
    assert [(j.name, j.file) for j in config.judges] == [
        ("a", ""),
        ("b", str(more)),
        ("cost", str(more)),
        ("bogus", str(more)),
    ]
    unknown = problem(config, "unknown-grader")
    assert (unknown.file, unknown.line) == (str(more), 5)
    assert str(more) in config.looked_for
    assert config_path.read_text() == "judges: [{name: a, check: return 1}]\n"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("judges: [{name: a, check: return 2}]", "duplicate-judge"),
        ("- {id: cost}", "judges-file-empty"),
        ("name: x", "judges-file-empty"),
        ("judges: [", "not-yaml"),
    ],
)
def test_further_files_that_cannot_be_used(text: str, code: str, tmp_path: Path) -> None:
    config_path, more = tmp_path / "eval.yaml", tmp_path / "more.yaml"
    config_path.write_text("judges: [{name: a, check: return 1}]\n")
    more.write_text(text)
    found = problem(load_config(config_path, tmp_path, {}, [str(more)]), code)
    assert found.file == str(more)


def test_a_further_file_that_is_missing(tmp_path: Path) -> None:
    (tmp_path / "eval.yaml").write_text("judges: [{name: a, check: return 1}]\n")
    config = load_config(tmp_path / "eval.yaml", tmp_path, {}, [str(tmp_path / "more.yaml")])
    assert problem(config, "judges-file-unreadable").file == str(tmp_path / "more.yaml")
