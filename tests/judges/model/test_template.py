"""Templates: what they read, what they refuse, and where an error is said to be."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from eval_tui.judges.base import JudgeEnv, JudgeUnusable
from eval_tui.judges.model import PromptFailed, build, load_model_judge
from eval_tui.judges.model import template as template_module
from eval_tui.record.case import load_case
from eval_tui.record.errors import PartUnreadable
from tests.judges.model.support import (
    CONFIG,
    ENV,
    loaded,
    model_judge,
    prompt_of,
    record_of,
    request_of,
)
from tests.record.support import case_of, said, spec_for, write


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {
        "run/cases/c1/artifacts/a.md": "alpha",
        "run/cases/c1/events.json": said("Hello."),
        "dataset/c1/annotations.yaml": "tier: hard\nnested: {a: [1, 2]}\n",
        "dataset/c1/input.yaml": "task: tides\n",
    }
    return write(tmp_path, files)


def test_only_what_the_template_names_is_read(root: Path) -> None:
    record, looks = record_of(case_of(root))
    build(loaded(model_judge("Is it good? {{ conversation }}")), record, case_of(root))
    assert {key for kind, key, _ in looks if kind == "value"} == {"conversation"}
    # The names of the files are always looked at: an image among them would be shown.
    assert [look[0] for look in looks if look[0] != "value"] == ["files"]


def test_a_part_that_cannot_be_read_concerns_only_templates_that_use_it(root: Path) -> None:
    write(root, {"dataset/c1/annotations.yaml": "- no\n- mapping\n"})
    assert "alpha" in prompt_of(request_of(model_judge("{{ outputs }}"), case_of(root)))
    with pytest.raises(PartUnreadable, match=r"annotations\.yaml"):
        request_of(model_judge("{{ annotations.tier }}"), case_of(root))


def test_output_folders_that_lead_elsewhere_concern_only_templates_that_use_them(
    root: Path,
) -> None:
    (root / "run/cases/c1/elsewhere").symlink_to("/usr")
    parts = case_of(root)
    leading_out = load_case(spec_for(root, "elsewhere"), "c1")
    record, _ = record_of(leading_out)
    judge = loaded(model_judge("{{ conversation }}"))
    assert prompt_of(build(judge, record, leading_out).request) == "Hello."
    with pytest.raises(PartUnreadable):
        build(loaded(model_judge("{{ outputs }}")), record_of(leading_out)[0], parts)


def test_a_rubric_gets_the_conversation_unless_it_shows_it(root: Path) -> None:
    wrapped = prompt_of(request_of(model_judge("", llm_rubric="Good?"), case_of(root)))
    assert wrapped.startswith("Good?") and "Hello." in wrapped
    own = request_of(model_judge("", llm_rubric="{{- conversation|upper }}?"), case_of(root))
    assert prompt_of(own) == "HELLO.?"


def test_the_last_answer_is_in_the_prompt_however_long_the_trace_is(root: Path) -> None:
    shown = {"type": "tool_result", "content": "x" * 1_000_000}
    events = [*said("First."), *[shown] * 3, *said("The answer is 42.")]
    write(root, {"run/cases/c1/events.json": events})
    prompt = prompt_of(request_of(model_judge("", llm_rubric="Good?"), case_of(root)))
    assert "First." in prompt and "The answer is 42." in prompt


def test_nested_annotations_print_as_one_line(root: Path) -> None:
    text = prompt_of(request_of(model_judge("{{ annotations }}"), case_of(root)))
    assert text == '- **nested**: {"a": [1, 2]}\n- **tier**: hard'


@pytest.mark.parametrize(
    ("prompt", "words", "line"),
    [
        ("one\ntwo {% if %}", "eval.yaml, line 8", 8),
        ("one\n\n{{ conversation|shout }}", "No filter named 'shout'", 9),
        ("{% for x in y %}", "eval.yaml, line 7", 7),
    ],
)
def test_a_template_that_cannot_be_compiled_costs_the_column(
    prompt: str, words: str, line: int
) -> None:
    with pytest.raises(JudgeUnusable) as caught:
        loaded(model_judge(prompt))
    assert words in caught.value.detail
    assert caught.value.line == line


def test_an_error_in_a_prompt_or_context_file_names_that_file(tmp_path: Path) -> None:
    (tmp_path / "p.md").write_text("fine {{ conversation }}\n")
    (tmp_path / "notes.md").write_text("first\nsecond {{ nope.deeper }}\n")
    paths = {"prompt_path": str(tmp_path / "p.md"), "context_paths": (str(tmp_path / "notes.md"),)}
    judge = model_judge("", context=("notes.md",), **paths)
    write(tmp_path, {"run/cases/c1/artifacts/a.md": "x"})
    with pytest.raises(PromptFailed, match=r"'nope' is undefined \(notes\.md, line 2\)"):
        request_of(judge, case_of(tmp_path))
    (tmp_path / "p.md").write_text("\n\n{% broken")
    with pytest.raises(JudgeUnusable, match=r"\(p\.md, line 3\)"):
        loaded(judge)


def test_a_context_file_stands_below_its_name(tmp_path: Path) -> None:
    write(tmp_path, {"run/cases/c1/artifacts/a.md": "x", "docs/guide.md": "Rules."})
    judge = model_judge(
        "Judge.", context=("docs/guide.md",), context_paths=(str(tmp_path / "docs/guide.md"),)
    )
    assert prompt_of(request_of(judge, case_of(tmp_path))) == "Judge.\n\n## docs/guide.md\n\nRules."


def test_an_undefined_variable_is_noted_with_its_line_and_the_nearest_name() -> None:
    judge = loaded(
        model_judge("{{ inputs }}\n{{ conversations }}{% if maybe is defined %}{% endif %}")
    )
    [problem] = judge.problems
    assert (problem.code, problem.file, problem.line) == ("undefined-variable", CONFIG, 8)
    assert problem.hint == "did you mean `conversation`?"


def test_a_key_that_the_case_lacks_renders_as_nothing_and_is_noted(root: Path) -> None:
    record, looks = record_of(case_of(root))
    judge = loaded(model_judge("a\n{{ outputs.response }}b"))
    built = build(judge, record, case_of(root))
    assert prompt_of(built.request) == "a\nb"
    [look] = built.undefined
    assert (look.name, look.place.line) == ("outputs.response", 8)
    assert ("absent", "response", "") in looks


def test_a_template_without_the_case_is_noted() -> None:
    assert [p.code for p in loaded(model_judge("{{ arguments.x }}")).problems] == ["blind-prompt"]
    assert not loaded(model_judge("{{ inputs }}")).problems


@pytest.mark.parametrize(
    "prompt",
    [
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ outputs.__init__.__globals__ }}",
        "{{ outputs._values.clear() }}",
        "{{ outputs.files.pop('artifacts/a.md') }}",
        "{% include '/etc/hostname' %}",
        "{{ 'x' * 100000000 }}",
        "{{ 9 ** 999999999 }}",
        "{% for i in range(100001) %}{% endfor %}",
    ],
)
def test_a_template_cannot_leave_its_sandbox_or_grow_without_end(prompt: str, root: Path) -> None:
    with pytest.raises(PromptFailed, match=r"\(eval\.yaml, line 7\)"):
        request_of(model_judge(f"{{{{ inputs }}}}{prompt}"), case_of(root))


def test_a_prompt_that_is_too_long_says_so(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(template_module, "MAX_PROMPT", 1_000)
    judge = model_judge("{% for i in range(2000) %}{{ inputs }}{% endfor %}")
    with pytest.raises(PromptFailed, match="longer than 1,000 characters"):
        request_of(judge, case_of(root))


@pytest.mark.parametrize("prompt", ["{{ [1, 2, 3]|random }}", "{{ lipsum() }}"])
def test_nothing_in_a_template_is_left_to_chance(prompt: str, root: Path) -> None:
    with pytest.raises((JudgeUnusable, PromptFailed)):
        request_of(model_judge(prompt), case_of(root))


def test_an_empty_prompt_is_an_error_of_the_case(root: Path) -> None:
    with pytest.raises(PromptFailed, match="empty for this case"):
        request_of(model_judge("{{ arguments.x }} "), case_of(root))


def test_lone_surrogates_never_reach_the_wire(root: Path) -> None:
    judge = model_judge("{{ arguments.odd }}!", arguments={"odd": "a\ud800b"})
    assert prompt_of(request_of(judge, case_of(root))) == "a\ufffdb!"


def test_a_missing_prompt_file_costs_the_column(tmp_path: Path) -> None:
    gone = model_judge("", prompt_path=str(tmp_path / "gone.md"))
    with pytest.raises(JudgeUnusable, match=r"gone\.md"):
        loaded(gone)


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("plain-model", "plain-model"),
        ("${JUDGE:-fallback}", "fallback"),
        ("${SET:-fallback}", "given"),
        ("${EMPTY:-fallback}", "fallback"),
        ("${SET-fallback}", "given"),
        ("vendor/$SET", "vendor/given"),
        ("${SET}-large", "given-large"),
    ],
)
def test_variables_in_a_model_name_are_resolved(name: str, model: str) -> None:
    environ = {"SET": "given", "EMPTY": ""}
    assert load_model_judge(model_judge(model=name), ENV, environ).model == model


def test_a_model_name_that_comes_to_nothing_says_which_variable_is_missing() -> None:
    with pytest.raises(JudgeUnusable, match="the variable JUDGE is not set"):
        load_model_judge(model_judge(model="${JUDGE}"), ENV, {})


def test_a_judge_of_another_kind_is_refused() -> None:
    with pytest.raises(JudgeUnusable):
        load_model_judge(replace(model_judge(), kind="check"), JudgeEnv("/p", "/p/e.yaml"), {})
