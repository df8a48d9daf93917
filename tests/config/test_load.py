"""Loading a config: typed values, and every problem with its place."""

import math
import os
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eval_tui.config.load import load_config
from eval_tui.config.schema import Hook, Models, Output, RewardRules, Threshold, Traces
from tests.config.support import errors, load_text, problem

FULL = """\
    name: Docs Writer
    description: what it is
    execution:
      mode: case
      steps:
        - {id: draft, prompt: write}
        - {id: review, skill: look}
    dataset:
      path: cases
    outputs:
      - path: out/pages
        schema: pages
      - tool: Ask
    traces: {stderr: false}
    models: {judge: big-model}
    hooks:
      before_scoring:
        - {command: make, timeout: 5, on_failure: continue}
    thresholds:
      has_title: {min_pass_rate: 1, max_error_rate: 0.1}
    judges:
      - name: has_title
        description: a title
        if: annotations.get('kind') == 'page'
        step: draft
        arguments: {least: 2}
        check: |
          # the title
          return True
      - name: cost
        builtin: efficiency/cost_budget
        arguments: {max_cost_usd: 0.5}
      - name: tone
        llm_rubric: Is it polite?
        feedback_type: int
        score_range: [1, 5]
        samples: 3
      - name: pairwise
        prompt: which is better
      - {name: code, module: my.judges, function: look, cache: false, auto: false}
    """


def test_everything_of_a_config_is_read(tmp_path: Path) -> None:
    (tmp_path / "cases").mkdir()
    config = load_text(tmp_path, FULL)
    assert config.problems == ()
    assert config.usable
    assert (config.name, config.eval_name) == ("Docs Writer", "docs-writer")
    assert config.description == "what it is"
    assert config.steps == ("draft", "review")
    assert config.dataset == str(tmp_path / "cases")
    assert config.outputs == (Output(path="out/pages", schema="pages"), Output(tool="Ask"))
    assert config.traces == Traces(stderr=False)
    assert config.models == Models(judge="big-model")
    assert config.hooks == (Hook("before_scoring", "make", 5, on_failure="continue"),)
    assert config.thresholds == (
        Threshold("has_title", "min_pass_rate", 1.0, 20),
        Threshold("has_title", "max_error_rate", 0.1, 20),
    )
    assert [judge.name for judge in config.judges] == ["has_title", "cost", "tone", "code"]
    assert [judge.kind for judge in config.judges] == ["check", "builtin", "model", "code"]
    assert [judge.name for judge in config.pairwise] == ["pairwise"]
    assert config.path in config.looked_for
    assert config.source["models"] == {"judge": "big-model"}


def test_fields_of_judges(tmp_path: Path) -> None:
    (tmp_path / "cases").mkdir()
    title, cost, tone, code = load_text(tmp_path, FULL).judges
    assert title.condition == "annotations.get('kind') == 'page'"
    assert (title.step, title.arguments) == ("draft", {"least": 2})
    assert title.check == "# the title\nreturn True\n"
    text = (tmp_path / "eval.yaml").read_text("utf-8").splitlines()
    assert text[title.check_line - 1].strip() == "# the title"
    assert text[title.line - 1].strip() == "- name: has_title"
    assert cost.builtin == "cost_budget"
    assert (tone.feedback_type, tone.score_range, tone.samples) == ("int", (1.0, 5.0), 3)
    assert tone.model == "big-model"
    assert (code.module, code.function, code.cache, code.auto) == (
        "my.judges",
        "look",
        False,
        False,
    )


def test_all_problems_are_listed_in_the_order_of_the_file(tmp_path: Path) -> None:
    config = load_text(
        tmp_path,
        """\
        execution: {mode: sometimes}
        outputs: [{path: ../up}]
        judges:
          - {name: a, check: return True, score_range: [5, 1]}
          - {name: b, builtin: cost_bugdet}
          - just text
          - {check: return True}
          - {name: fine, check: return True}
        thresholds:
          fin: {min_mean: 1}
          fine: {min_pas_rate: 1, min_mean: high}
        """,
    )
    assert [(p.code, p.line, p.judge) for p in errors(config)] == [
        ("bad-mode", 1, None),
        ("bad-output-path", 2, None),
        ("bad-range-order", 4, "a"),
        ("unknown-builtin", 5, "b"),
        ("judge-not-mapping", 6, "#3"),
        ("nameless-judge", 7, "#4"),
        ("unknown-judge", 10, None),
        ("unknown-threshold", 11, None),
        ("bad-threshold", 11, None),
    ]
    hints = {p.code: p.hint for p in config.problems}
    assert "cost_budget" in hints["unknown-builtin"]
    assert "`fine`" in hints["unknown-judge"]
    assert "min_pass_rate" in hints["unknown-threshold"]


def test_one_broken_judge_costs_only_its_column(tmp_path: Path) -> None:
    config = load_text(
        tmp_path,
        "judges:\n- {name: a, builtin: nope}\n- {name: b, check: return 1}\n- {description: x}\n",
    )
    assert config.usable
    assert [(j.name, j.problem and j.problem.code) for j in config.judges] == [
        ("a", "unknown-builtin"),
        ("b", None),
        ("#3", "nameless-judge"),
    ]


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("judges: [a\n", "not-yaml", 2),
        ("- a\n", "config-not-mapping", 1),
        ("just text\n", "config-not-mapping", 1),
        ("judges:\n- {name: a, check: x}\n- {name: a, check: y}\n", "duplicate-judge", 3),
        ("judges:\n- {name: off, check: x}\n- {name: 'off', check: y}\n", "duplicate-judge", 3),
    ],
)
def test_unusable_as_a_whole(tmp_path: Path, text: str, code: str, line: int) -> None:
    config = load_text(tmp_path, text)
    assert not config.usable
    assert problem(config, code).line == line


def test_pairwise_may_repeat_and_is_no_column(tmp_path: Path) -> None:
    text = """\
        judges:
        - {name: pairwise, prompt: a}
        - {name: pairwise, prompt: b}
        - {name: c, check: x}
        thresholds: {pairwise: {min_win_rate: 0.5}}
        """
    config = load_text(tmp_path, text)
    assert (config.usable, config.problems) == (True, ())
    assert [judge.prompt for judge in config.pairwise] == ["a", "b"]
    assert [judge.name for judge in config.judges] == ["c"]


def test_missing_unreadable_and_odd_files(tmp_path: Path) -> None:
    missing = load_config(tmp_path / "none.yaml", tmp_path, {})
    assert problem(missing, "config-missing").file == str(tmp_path / "none.yaml")
    assert missing.looked_for == (str(tmp_path / "none.yaml"),)
    folder = load_config(tmp_path, tmp_path, {})
    assert "folder" in problem(folder, "config-unreadable").message
    os.mkfifo(tmp_path / "pipe.yaml")
    pipe = load_config(tmp_path / "pipe.yaml", tmp_path, {})
    assert "not a regular file" in problem(pipe, "config-unreadable").message
    assert not (missing.usable or folder.usable or pipe.usable)


def test_an_empty_config_is_usable_and_has_no_judges(tmp_path: Path) -> None:
    config = load_text(tmp_path, "# nothing yet\n")
    assert (config.usable, config.problems, config.judges) == (True, (), ())


def test_names_keep_their_text(tmp_path: Path) -> None:
    config = load_text(
        tmp_path,
        """\
        name: 2024
        judges:
        - {name: off, check: return True}
        - {name: yes, check: return True}
        - {name: 1.0, check: return True}
        - {name: 2026-01-02, check: return True}
        thresholds:
          off: {min_mean: 1}
          1.0: {min_mean: 2}
          2026-01-02: {min_mean: 3}
        """,
    )
    assert config.problems == ()
    assert (config.name, config.eval_name) == ("2024", "2024")
    assert [judge.name for judge in config.judges] == ["off", "yes", "1.0", "2026-01-02"]
    assert [t.judge for t in config.thresholds] == ["off", "1.0", "2026-01-02"]


@pytest.mark.parametrize(
    ("written", "condition"),
    [
        ("false", False),
        ("true", True),
        ("off", False),
        ("'False'", "False"),
        ("annotations.get('x')", "annotations.get('x')"),
        ("0", "0"),
        ("''", None),
        ("null", None),
    ],
)
def test_conditions(tmp_path: Path, written: str, condition: str | bool | None) -> None:
    config = load_text(tmp_path, f"judges: [{{name: a, check: x, if: {written}}}]")
    assert config.judges[0].condition == condition
    assert type(config.judges[0].condition) is type(condition)


def test_unknown_keys_are_notes_with_the_nearest_known_key(tmp_path: Path) -> None:
    config = load_text(
        tmp_path,
        """\
        treshholds: {}
        matrix: {}
        runner: claude-code
        dataset: {path: ., case_pattern: x}
        judges: [{name: a, check: x, argumnets: {}}]
        """,
    )
    assert {p.severity for p in config.problems} == {"note"}
    found = {(p.line, p.column): p.hint for p in config.problems if p.code == "unknown-key"}
    assert found[1, 1] == "did you mean `thresholds`?"
    assert found[2, 1] == ""
    assert found[5, 30] == "did you mean `arguments`?"
    assert (4, 20) in found


@pytest.mark.parametrize(
    ("fields", "kind", "ignored"),
    [
        ("check: x, prompt: p, module: m", "check", ["prompt", "module"]),
        ("llm_rubric: r, prompt: p, prompt_file: f", "model", ["prompt", "prompt_file"]),
        ("prompt: p, module: m, function: f", "model", ["module", "function"]),
        ("agent: {timeout: 1}, prompt: p, llm_rubric: r", "agent", ["prompt"]),
        ("check: x, agent: {timeout: 1}", "check", ["agent"]),
        ("check: x, agent: {}, builtin: null, prompt: ''", "check", []),
        ("module: m, function: f", "code", []),
    ],
)
def test_surplus_ways_to_judge_lose_with_a_warning(
    tmp_path: Path, fields: str, kind: str, ignored: list[str]
) -> None:
    config = load_text(tmp_path, f"models: {{judge: m}}\njudges: [{{name: a, {fields}}}]")
    (judge,) = config.judges
    assert (judge.kind, errors(config)) == (kind, [])
    warnings = [p for p in config.problems if p.code == "ignored-field"]
    assert [p.message.split("`")[1] for p in warnings] == ignored
    for way in ignored:
        assert not getattr(judge, way)


@pytest.mark.parametrize("fields", ["description: d", "module: m", "function: f", "check: ''"])
def test_an_entry_of_no_kind_is_a_column_with_its_problem(tmp_path: Path, fields: str) -> None:
    config = load_text(tmp_path, f"judges: [{{name: a, {fields}}}]")
    (judge,) = config.judges
    assert judge.kind == "unknown"
    assert judge.problem is not None
    assert judge.problem.code == "no-kind"


def test_category_of_builtins(tmp_path: Path) -> None:
    names = ["docs/consulted_docs", "process/consulted_docs", "consulted_docs", "docs/cost_budget"]
    text = "judges:\n" + "".join(f"- {{name: j{i}, builtin: {n}}}\n" for i, n in enumerate(names))
    config = load_text(tmp_path, text)
    assert [j.builtin for j in config.judges] == ["consulted_docs"] * 3 + [""]
    assert problem(config, "unknown-builtin").judge == "j3"


def test_model_of_a_judge(tmp_path: Path) -> None:
    text = "judges:\n- {name: a, llm_rubric: x}\n- {name: b, llm_rubric: x, model: own}\n"
    without = load_text(tmp_path, text)
    assert [j.problem and j.problem.code for j in without.judges] == ["no-model", None]
    from_env = load_text(tmp_path, text, {"EVAL_JUDGE_MODEL": "env"})
    assert [j.model for j in from_env.judges] == ["env", "own"]
    from_config = load_text(tmp_path, "models: {judge: cfg}\n" + text, {"EVAL_JUDGE_MODEL": "env"})
    assert [j.model for j in from_config.judges] == ["cfg", "own"]
    assert from_config.problems == ()


def test_judges_that_ask_no_model_need_none(tmp_path: Path) -> None:
    config = load_text(tmp_path, "judges: [{name: a, check: x}, {name: b, builtin: cost_budget}]")
    assert config.problems == ()
    assert [judge.model for judge in config.judges] == ["", ""]


def test_prompt_and_context_files(tmp_path: Path) -> None:
    folder = tmp_path / "eval"
    folder.mkdir()
    (tmp_path / "both.md").write_text("root {{ conversation }}")
    (folder / "both.md").write_text("config")
    (folder / "near.md").write_text("near")
    path = folder / "eval.yaml"
    path.write_text(
        "models: {judge: m}\n"
        "judges: [{name: a, prompt_file: both.md, context: [near.md, gone.md]}]\n"
    )
    config = load_config(path, tmp_path, {})
    (judge,) = config.judges
    assert judge.prompt_path == str(tmp_path / "both.md")
    assert judge.context == ("near.md", "gone.md")
    assert judge.context_paths == (str(folder / "near.md"),)
    assert [p.code for p in config.problems] == ["context-missing"]
    # What is missing now may appear: those paths are to be watched as well.
    assert {str(tmp_path / "near.md"), str(tmp_path / "gone.md"), str(folder / "gone.md")} <= set(
        config.looked_for
    )
    (folder / "near.md").write_text("changed")
    assert load_config(path, tmp_path, {}).judges[0].material != judge.material


@pytest.mark.parametrize(
    ("field", "code"),
    [
        ("prompt_file: gone.md", "prompt-missing"),
        ("prompt_file: ../out.md", "outside-project"),
        ("prompt_file: link.md", "outside-project"),
        ("prompt_file: blank.md", "prompt-empty"),
        ("prompt_file: sub", "prompt-unreadable"),
        ("prompt: x, context: [../out.md]", "outside-project"),
        ("prompt: x, context: [sub]", "context-unreadable"),
        ("prompt: x, context: notes.md", "context-not-list"),
    ],
)
def test_files_that_cannot_be_used_cost_the_judge(tmp_path: Path, field: str, code: str) -> None:
    project = tmp_path / "project"
    (project / "sub").mkdir(parents=True)
    (tmp_path / "out.md").write_text("outside")
    (project / "link.md").symlink_to(tmp_path / "out.md")
    (project / "blank.md").write_text(" \n")
    config = load_text(project, f"models: {{judge: m}}\njudges: [{{name: a, {field}}}]")
    (judge,) = config.judges
    assert judge.problem is not None
    assert judge.problem.code == code
    assert judge.problem.line == 2


def test_a_prompt_without_variables_is_noted(tmp_path: Path) -> None:
    config = load_text(
        tmp_path,
        """\
        models: {judge: m}
        judges:
        - {name: blind, prompt: Is it good?}
        - {name: sees, prompt: 'Is {{ conversation }} good?'}
        - {name: rubric, llm_rubric: Is it good?}
        """,
    )
    assert problem(config, "blind-prompt").judge == "blind"
    assert problem(config, "blind-prompt").severity == "note"


def test_dataset_is_looked_for_in_order(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    path = folder / "eval.yaml"
    path.write_text("dataset: {path: cases}\n")
    missing = load_config(path, tmp_path, {})
    assert missing.dataset == ""
    assert problem(missing, "dataset-missing").line == 1
    for place in (tmp_path / "a", tmp_path, folder):
        (place / "cases").mkdir()
        config = load_config(path, tmp_path, {})
        assert config.dataset == str(place / "cases")
        assert config.problems == ()
        assert str(folder / "cases") in config.looked_for


def test_dataset_outside_the_project(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    project = tmp_path / "project"
    project.mkdir()
    absolute = load_text(project, f"dataset: {{path: {tmp_path / 'data'}}}")
    assert (absolute.dataset, absolute.problems) == (str(tmp_path / "data"), ())
    above = load_text(project, "dataset: {path: ../data}")
    assert above.dataset == str(tmp_path / "data")
    assert problem(above, "dataset-outside").severity == "warning"


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("'1-5'", "bad-range-shape"),
        ("[1]", "bad-range-shape"),
        ("['1', '5']", "bad-range-bounds"),
        ("[false, true]", "bad-range-bounds"),
        ("[0, .inf]", "bad-range-infinite"),
        ("[.nan, 1]", "bad-range-infinite"),
        ("[2, 2]", "bad-range-order"),
        (f"[0, {10**400}]", "bad-range-infinite"),
    ],
)
def test_score_ranges(tmp_path: Path, written: str, code: str) -> None:
    config = load_text(tmp_path, f"judges: [{{name: a, check: x, score_range: {written}}}]")
    (judge,) = config.judges
    assert judge.score_range is None
    assert judge.problem is not None
    assert judge.problem.code == code


def test_feedback_type(tmp_path: Path) -> None:
    config = load_text(tmp_path, "judges: [{name: a, check: x, feedback_type: Boolean}]")
    assert config.judges[0].feedback_type == ""
    assert problem(config, "bad-feedback-type").severity == "warning"
    assert "`bool`" in problem(config, "bad-feedback-type").hint


@pytest.mark.parametrize(
    ("fields", "samples", "codes"),
    [
        ("llm_rubric: x, samples: 3", 3, []),
        ("llm_rubric: x, samples: '3'", 3, []),
        ("llm_rubric: x, samples: 2.9", 2, ["bad-samples"]),
        ("llm_rubric: x, samples: 0", 1, ["bad-samples"]),
        ("llm_rubric: x, samples: many", 1, ["bad-samples"]),
        ("check: x, samples: 3", 1, ["ignored-field"]),
        ("builtin: no_harmful_content, samples: 3", 1, ["ignored-field"]),
        ("check: x, samples: 1", 1, []),
    ],
)
def test_samples(tmp_path: Path, fields: str, samples: int, codes: list[str]) -> None:
    config = load_text(tmp_path, f"models: {{judge: m}}\njudges: [{{name: a, {fields}}}]")
    assert config.judges[0].samples == samples
    assert [p.code for p in config.problems] == codes


def test_arguments_become_plain_data(tmp_path: Path) -> None:
    config = load_text(
        tmp_path,
        "judges: [{name: a, check: x, arguments: {day: 2026-01-02, 1: [2026-01-02T03:04:05Z]}}]",
    )
    assert config.judges[0].arguments == {"day": "2026-01-02", "1": ["2026-01-02T03:04:05+00:00"]}
    assert problem(config, "arguments-as-text").severity == "note"


def test_thresholds(tmp_path: Path) -> None:
    config = load_text(
        tmp_path,
        """\
        judges: [{name: a, check: x}]
        thresholds:
          a:
            min_mean: .nan
            min_pass_rate: '0.5'
            max_error_rate: 0
            min_win_rate: true
          b: {min_mean: 1}
        """,
    )
    assert [(t.judge, t.metric, t.limit, t.line) for t in config.thresholds] == [
        ("a", "max_error_rate", 0.0, 6),
        ("a", "min_win_rate", 1.0, 7),
        ("b", "min_mean", 1.0, 8),
    ]
    assert [(p.code, p.line) for p in errors(config)] == [
        ("bad-threshold", 4),
        ("bad-threshold", 5),
        ("unknown-judge", 8),
    ]


def test_a_limit_that_no_share_can_meet_is_told(tmp_path: Path) -> None:
    text = "judges: [{name: a, check: x}]\nthresholds: {a: {min_pass_rate: 80, min_mean: 80}}"
    config = load_text(tmp_path, text)
    assert [(p.severity, p.message) for p in config.problems] == [
        ("warning", "the limit `min_pass_rate` is a share from 0 to 1, not 80")
    ]
    assert len(config.thresholds) == 2


def test_reward(tmp_path: Path) -> None:
    judges = "judges: [{name: a, check: x}, {name: b-c, check: x}]\n"
    good = load_text(tmp_path, judges + "reward: {weights: {a: 1, b-c: 0.5}, gate: false}")
    assert good.problems == ()
    assert good.reward == RewardRules(weights={"a": 1, "b-c": 0.5}, gate=False)
    bad = load_text(tmp_path, judges + "reward: {weights: {a: -1, z: .nan}, gate: 3}")
    assert bad.reward is None
    assert [p.code for p in errors(bad)].count("bad-weights") == 2
    assert {p.code for p in errors(bad)} == {"bad-weights", "unknown-judge", "not-boolean"}
    name = load_text(tmp_path, judges + "reward: {formula: b-c}")
    assert "judge: b-c" in problem(name, "bad-formula").hint
    unknown = load_text(tmp_path, judges + "reward: {formula: 'a * aa + max(zz, 1)'}")
    assert [p.message.split("`")[1] for p in errors(unknown)] == ["aa", "zz"]


def test_line_ends_and_encoding_do_not_change_the_digest(tmp_path: Path) -> None:
    path = tmp_path / "eval.yaml"
    digests: set[str] = set()
    for data in (b"name: a\njudges: []\n", b"name: a\r\njudges: []\r\n"):
        path.write_bytes(data)
        digests.add(load_config(path, tmp_path, {}).digest)
        path.write_bytes(data.decode().encode("utf-16"))
        digests.add(load_config(path, tmp_path, {}).digest)
    assert len(digests) == 1
    path.write_bytes(b"name: b\njudges: []\n")
    assert load_config(path, tmp_path, {}).digest not in digests


# Whatever a file holds, loading it gives a config and problems.

_WORDS = [
    "name", "judges", "check", "prompt", "prompt_file", "llm_rubric", "context", "builtin", "if",
    "arguments", "score_range", "samples", "agent", "runner", "thresholds", "reward", "weights",
    "formula", "judge", "raw", "min_mean", "execution", "steps", "id", "mode", "skill", "dataset",
    "path", "outputs", "hooks", "before_scoring", "command", "timeout", "generation", "seeds",
    "graders", "metrics", "models", "traces", "workspace", "files", "feedback_type", "step",
    "module", "function", "cost_budget", "pairwise", "a",
]  # fmt: skip
_KEY = st.sampled_from(_WORDS) | st.text(max_size=4) | st.integers() | st.booleans() | st.none()
_LEAF = (
    st.sampled_from(
        [*_WORDS, "../x", "/", ".", "a/b", "x\0y", "\ud800".encode("utf-8", "replace").decode()]
    )
    | st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([math.nan, math.inf, 0.5, 1e300])
    | st.text(max_size=10)
    | st.dates()
)
_TREE = st.recursive(
    _LEAF,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_KEY, inner, max_size=5),
    max_leaves=40,
)
_TOP = st.dictionaries(st.sampled_from(_WORDS), _TREE, max_size=8)
_JUDGE = st.dictionaries(st.sampled_from(_WORDS), _TREE, max_size=6)
_CONFIG = st.builds(
    lambda top, judges: {**top, "judges": judges}, _TOP, st.lists(_JUDGE, max_size=4)
)


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(_CONFIG | _TOP)
def test_never_raises_for_odd_documents(tmp_path: Path, document: object) -> None:
    path = tmp_path / "eval.yaml"
    path.write_text(yaml.safe_dump(document), "utf-8")
    config = load_config(path, tmp_path, {})
    names = [judge.name for judge in config.judges]
    assert len(set(names)) == len(names)
    assert all(p.file == str(path) and p.line and p.column for p in config.problems)
    for judge in config.judges:
        has_error = any(p.judge == judge.name for p in errors(config))
        assert (judge.problem is not None) == has_error or not config.usable


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.binary(max_size=80)
    | st.text("judges:[]{}- \n\tnamecheck&*!|>'\"\x00\x1b", max_size=80).map(str.encode)
)
def test_never_raises_for_odd_bytes(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "eval.yaml"
    path.write_bytes(data)
    config = load_config(path, tmp_path, {})
    assert config.usable or errors(config)
