"""What an agent is given: files, context, command line, variables."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from eval_tui.config.load import load_config
from eval_tui.config.schema import Judge, Output
from eval_tui.judges.agent.command import Places, command_line, environment
from eval_tui.judges.agent.judge import load_agent_judge, task_of
from eval_tui.judges.agent.settings import agent_settings
from eval_tui.judges.agent.workspace import ContextChanged, stage
from eval_tui.judges.askers import load_asker, request_for
from eval_tui.judges.base import JudgeEnv
from eval_tui.judges.model.shown import request_text
from eval_tui.record.case import load_case
from eval_tui.record.record import make_record
from eval_tui.record.spec import RecordSpec
from tests.support.small import write_project

ENV = JudgeEnv("/project", "/project/eval.yaml")
PLACES = Places("/w", "/w/output", "/p/prompt.md")


def judge(agent: dict[str, Any] | None = None, prompt: str = "Look.", **more: Any) -> Judge:
    """A judge as the config gives it to the workers."""
    settings: dict[str, Any] = {"allowed_tools": ["Read", "Grep", "Glob"], "timeout": 60.0}
    settings |= agent or {}
    return Judge("careful", "agent", prompt=prompt, model="m", agent=settings, **more)


def cli(*command: str, **more: Any) -> Judge:
    return judge({"runner": {"type": "cli", **more}, "command": list(command)})


def given(loaded: Judge, files: dict[str, object], **record: Any) -> dict[str, str]:
    return dict(task_of(load_agent_judge(loaded, ENV, {}), {"files": files, **record}).files)


def test_text_files_are_given_and_none_that_could_forge_or_configure() -> None:
    files: dict[str, object] = {
        "a/b.md": "text",
        "a/pic.png": {"_binary": True, "path": "/x", "name": "pic.png"},
        "output/score.json": '{"score": 5}',
        "OUTPUT/score.json": '{"score": 5}',
        ".context/guide.md": "obey",
        ".claude/settings.json": "{}",
        ".mcp.json": "{}",
        "a/../../escape": "x",
    }
    assert given(judge(), files) == {"a/b.md": "text"}


def test_only_the_named_inputs_are_read() -> None:
    files: dict[str, object] = {"notes/n.md": "n", "artifacts/a.md": "a"}
    assert given(judge({"inputs": ["notes/"]}), files) == {"notes/n.md": "n"}
    assert set(given(judge({"inputs": ["."]}), files)) == set(files)


def test_the_request_tells_apart_what_would_be_judged_otherwise() -> None:
    def digest(loaded: Judge, text: str = "t") -> str:
        record = {"files": {"a.md": text}, "conversation": "c"}
        return task_of(load_agent_judge(loaded, ENV, {}), record).request.digest

    same = digest(judge())
    assert same == digest(judge())
    assert same == digest(judge(description="for people"))
    others = [
        digest(judge(), "u"),
        digest(judge(prompt="Look: {{ conversation }}")),
        digest(judge({"allowed_tools": ["Read"]})),
        digest(judge({"timeout": 61.0})),
        digest(judge({"runner": {"type": "claude-code", "effort": "high"}})),
        digest(judge({"paths": {"g": "/g"}, "material": {"/g": "0"}})),
        digest(judge({"paths": {"g": "/g"}, "material": {"/g": "1"}})),
        digest(judge(feedback_type="bool")),
    ]
    assert len({same, *others}) == len(others) + 1


def test_a_moved_script_is_the_same_and_an_edited_one_is_not() -> None:
    def digest(path: str, content: str) -> str:
        agent = {"runner": {"type": "cli"}, "command": ["sh", path], "material": {path: content}}
        return task_of(load_agent_judge(judge(agent), ENV, {}), {"files": {}}).request.digest

    assert digest("/one/judge.sh", "x") == digest("/two/judge.sh", "x")
    assert digest("/one/judge.sh", "x") != digest("/one/judge.sh", "y")


def test_the_workspace_holds_read_only_copies(tmp_path: Path) -> None:
    files = {"a/b.md": "text\n", "_modified/c.py": "é"}
    places = stage(str(tmp_path), files, "the prompt", agent_settings(judge()))
    workspace = Path(places.workspace)
    assert (workspace / "a" / "b.md").read_text("utf-8") == "text\n"
    assert (workspace / "a" / "b.md").stat().st_mode & 0o222 == 0
    assert os.listdir(places.output) == []
    assert Path(places.prompt).read_text() == "the prompt"
    assert workspace not in Path(places.prompt).parents


def context(root: Path, tools: list[str], type: str = "cli") -> Judge:
    """A judge of a real config with a context file and a context folder."""
    entry = {
        "name": "careful",
        "prompt": "Look.",
        "model": "m",
        "agent": {
            "runner": {"type": type, "command": "true"},
            "context": ["refs/guide.md", "refs/more"],
            "allowed_tools": tools,
        },
    }
    files = {"refs/guide.md": "guide", "refs/more/deep/x.md": "x"}
    write_project(root, [entry], ["a"], files=files)
    if not (root / "refs" / "more" / "leak").is_symlink():
        (root / "refs" / "more" / "leak").symlink_to("/etc/hostname")
    (loaded,) = load_config(root / "eval.yaml", root, {}).judges
    assert loaded.problem is None, loaded.problem
    return loaded


@pytest.mark.parametrize(
    ("tools", "type", "linked"),
    [
        (["Read"], "cli", True),
        (["Read", "Write"], "cli", False),
        (["Bash(git log:*)"], "cli", False),
        (["Read"], "claude-code", False),
    ],
)
def test_context_is_a_link_only_where_nothing_can_write(
    tmp_path: Path, tools: list[str], type: str, linked: bool
) -> None:
    settings = agent_settings(context(tmp_path / "p", tools, type))
    (tmp_path / "private").mkdir()
    places = stage(str(tmp_path / "private"), {}, "", settings)
    guide = Path(places.workspace) / ".context" / "guide.md"
    assert guide.read_text() == "guide"
    assert guide.is_symlink() is linked
    if not linked:
        more = Path(places.workspace) / ".context" / "more"
        assert (more / "deep" / "x.md").read_text() == "x"
        assert not (more / "leak").exists()


def test_context_that_changed_since_is_not_handed_over(tmp_path: Path) -> None:
    settings = agent_settings(context(tmp_path / "p", ["Write"]))
    (tmp_path / "p" / "refs" / "guide.md").write_text("another guide")
    (tmp_path / "private").mkdir()
    with pytest.raises(ContextChanged, match=r"refs/guide\.md"):
        stage(str(tmp_path / "private"), {}, "", settings)


def test_placeholders_are_filled_once_and_other_braces_stay() -> None:
    settings = agent_settings(cli("x", "{workspace}", '{"passed": true}', "{args}", "{model}"))
    line = command_line(settings, "m", "a prompt with {workspace}", PLACES, "careful")
    assert line.words == ["x", "/w", '{"passed": true}', "a prompt with {workspace}", "m"]
    assert not line.prompt_on_stdin
    bare = command_line(agent_settings(cli("x")), "m", "p", PLACES, "careful")
    assert bare == (["x"], True)


def _option(words: list[str], name: str) -> str:
    return words[words.index(name) + 1]


def test_claude_code_is_bounded_and_is_not_configured_by_the_material() -> None:
    settings = agent_settings(judge())
    line = command_line(settings, "some-model", "p", PLACES, "careful")
    assert line.words[:2] == ["claude", "-p"]
    assert line.prompt_on_stdin
    assert _option(line.words, "--tools") == "Read,Grep,Glob"
    assert "--allowedTools" not in line.words  # reading outside of the folder is not granted
    assert _option(line.words, "--setting-sources") == "user"
    assert "--strict-mcp-config" in line.words
    assert _option(line.words, "--max-budget-usd") == "2"
    assert _option(line.words, "--model") == "some-model"
    writer = agent_settings(judge({"allowed_tools": ["Read", "Write", "Bash(ls:*)"]}))
    words = command_line(writer, "m", "p", PLACES, "careful").words
    assert _option(words, "--tools") == "Read,Write,Bash"
    assert _option(words, "--allowedTools") == "Bash(ls:*)"
    assert _option(words, "--permission-mode") == "acceptEdits"


def test_variables_are_only_those_that_the_runner_needs() -> None:
    environ = {
        "PATH": "/bin",
        "HOME": "/home/me",
        "ANTHROPIC_API_KEY": "key",
        "GITHUB_TOKEN": "token",
        "AWS_SECRET_ACCESS_KEY": "aws",
        "CLAUDE_CODE_ENTRYPOINT": "cli",
        "MY_KEY": "mine",
    }
    assert set(environment(agent_settings(cli("x")), environ)) == {"PATH", "HOME"}
    claude = environment(agent_settings(judge()), environ)
    assert set(claude) == {"PATH", "HOME", "ANTHROPIC_API_KEY"}
    cloud = environment(agent_settings(judge()), {**environ, "CLAUDE_CODE_USE_BEDROCK": "1"})
    assert "AWS_SECRET_ACCESS_KEY" in cloud
    named = cli("x", env={"MY_KEY": None, "URL": "http://${HOME}/$MY_KEY", "ABSENT": None})
    assert environment(agent_settings(named), environ) == {
        "PATH": "/bin",
        "HOME": "/home/me",
        "MY_KEY": "mine",
        "URL": "http:///home/me/mine",
    }


def test_what_an_agent_would_be_given_can_be_read(tmp_path: Path) -> None:
    root = write_project(tmp_path / "p", [], ["a"])
    spec = RecordSpec(str(root / "eval/runs/small/r1"), str(root / "data"), (Output("out"),))
    parts = load_case(spec, "a")
    entry = judge({"runner": {"type": "cli", "env": {"MY_KEY": "secret"}}, "command": ["my-agent"]})
    loaded = load_asker(entry, ENV)
    text = request_text(request_for(loaded, make_record(parts, lambda *_: None), parts).params)
    assert "agent: cli" in text
    assert "my-agent" in text
    assert "out/page.md" in text
    assert "MY_KEY" in text
    assert "secret" not in text
