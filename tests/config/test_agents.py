"""`agent:` of a judge: what is filled in, what is refused and where, what is watched."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval_tui.config import trees
from eval_tui.config.schema import Judge
from tests.config.support import load_text, problem

JUDGE = "judges: [{name: j, prompt: '{{ conversation }}', model: m, agent: {timeout: 5, %s}}]"


def agent(folder: Path, fields: str, more: str = "") -> Judge:
    (judge,) = load_text(folder, f"{more}\n{JUDGE % fields}").judges
    return judge


def test_defaults_are_filled_in(tmp_path: Path) -> None:
    found = agent(tmp_path, "inputs: notes").agent
    assert found["runner"] == {"type": "claude-code"}
    assert found["allowed_tools"] == ["Read", "Grep", "Glob"]
    assert found["inputs"] == ["notes"]
    assert found["timeout"] == 5
    assert "max_budget_usd" not in found


def test_the_time_limit_of_the_execution_is_the_agents_too(tmp_path: Path) -> None:
    text = (
        "execution: {timeout: %s}\njudges: [{name: j, prompt: p, model: m, agent: {inputs: [a]}}]"
    )
    for given, seconds in (("90", 90), ("null", 600), ("-1", 600), ("soon", 600)):
        (judge,) = load_text(tmp_path, text % given).judges
        assert judge.agent["timeout"] == seconds


@pytest.mark.parametrize(
    ("fields", "code", "words"),
    [
        ("runner: {type: teleprinter}", "agent-runner-unknown", "`teleprinter`"),
        ("runner: {type: codex}", "agent-runner-unknown", "`codex`"),
        ("runner: {type: cli}", "agent-no-command", "needs a `command`"),
        ("runner: {type: cli, command: 'a \"b'}", "bad-runner", "split into words"),
        ("runner: {type: cli, command: x, env: [A]}", "bad-runner", "`env`"),
        ("runner: {workspace_mode: repo}", "agent-repo-mode", "folder of its own"),
        ("context: [../outside]", "outside-project", "`../outside`"),
        ("allowed_tools: {a: b}", "bad-agent", "list of texts"),
        ("max_budget_usd: much", "bad-agent", "US dollars"),
    ],
)
def test_what_cannot_be_used_costs_the_column(
    tmp_path: Path, fields: str, code: str, words: str
) -> None:
    config = load_text(tmp_path, JUDGE % fields)
    found = problem(config, code)
    assert words in found.message
    assert (found.judge, found.line) == ("j", 1)
    assert config.judges[0].problem == found


def test_an_unknown_runner_is_told_how_to_go_on(tmp_path: Path) -> None:
    config = load_text(tmp_path, JUDGE % "runner: {type: claude}")
    assert "`claude-code`" in problem(config, "agent-runner-unknown").hint
    config = load_text(tmp_path, JUDGE % "runner: {type: codex}")
    assert "type: cli" in problem(config, "agent-runner-unknown").hint


def test_context_that_is_missing_is_left_out_with_a_warning(tmp_path: Path) -> None:
    config = load_text(tmp_path, JUDGE % "context: [absent.md]")
    assert problem(config, "context-missing").severity == "warning"
    assert config.judges[0].problem is None
    assert str(tmp_path / "absent.md") in config.looked_for


def test_context_and_named_files_are_watched_and_digested(tmp_path: Path) -> None:
    (tmp_path / "refs").mkdir()
    guide, script = tmp_path / "refs" / "guide.md", tmp_path / "judge.sh"
    guide.write_text("one")
    script.write_text("exit 0")
    fields = "context: [refs], runner: {type: cli, command: 'sh judge.sh {config_dir}/x -c'}"
    first = load_text(tmp_path, JUDGE % fields)
    (judge,) = first.judges
    assert judge.agent["command"] == ["sh", str(script), f"{tmp_path}/x", "-c"]
    assert judge.agent["paths"] == {"refs": str(tmp_path / "refs")}
    assert {str(guide), str(guide.parent), str(script)} <= set(first.looked_for)
    materials = [judge.agent["material"]]
    guide.write_text("two")
    materials.append(load_text(tmp_path, JUDGE % fields).judges[0].agent["material"])
    (guide.parent / "more.md").write_text("")
    materials.append(load_text(tmp_path, JUDGE % fields).judges[0].agent["material"])
    script.write_text("exit 1")
    materials.append(load_text(tmp_path, JUDGE % fields).judges[0].agent["material"])
    assert len({str(material) for material in materials}) == 4


def test_a_word_that_names_a_file_outside_stays_a_word(tmp_path: Path) -> None:
    found = agent(tmp_path, "runner: {type: cli, command: [/bin/sh, '{args}', '{\"a\": 1}']}").agent
    assert found["command"] == ["/bin/sh", "{args}", '{"a": 1}']
    assert found["material"] == {}


def test_an_agents_prompt_need_show_nothing_of_the_case(tmp_path: Path) -> None:
    text = "judges: [{name: j, prompt: Look around., model: m, agent: {inputs: [a]}}]"
    assert not load_text(tmp_path, text).problems


def test_a_context_that_is_surely_a_mistake_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trees, "MAX_FILES", 2)
    monkeypatch.setattr(trees, "MAX_BYTES", 10)
    many, large = tmp_path / "many", tmp_path / "large"
    for number in range(3):
        (many / str(number)).mkdir(parents=True)
        (many / str(number) / "a").touch()
    large.write_text("eleven bytes")
    for name, why in (("many", "more than 2 files"), ("large", "larger than")):
        config = load_text(tmp_path, JUDGE % f"context: [{name}]")
        assert why in problem(config, "context-unreadable").message
