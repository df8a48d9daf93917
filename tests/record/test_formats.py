"""Transcripts of agents become events; nothing that a transcript holds can stop that."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval_tui.record import derive
from eval_tui.record.formats.claude_session import merge_subagents
from eval_tui.record.formats.detect import detect, parse_transcript
from eval_tui.record.formats.jsonl import json_lines
from eval_tui.record.formats.shell_reads import read_paths
from tests.support.shared import shared_dir

KINDS = {"assistant", "tool_result", "result", "system"}


def lines_of(*values: Any) -> list[dict[str, Any]]:
    return json_lines("\n".join(json.dumps(value) for value in values).encode()).values


def check_invariants(events: list[dict[str, Any]]) -> None:
    """What every reader of events may rely on (harness form)."""
    for event in events:
        assert event["type"] in KINDS and "timestamp" in event
        if event["type"] == "assistant":
            assert isinstance(event["text"], str) and isinstance(event["tools"], list)
            for tool in event["tools"]:
                assert set(tool) == {"name", "id", "input"} and isinstance(tool["input"], dict)
            assert event.get("thinking", "x")
        elif event["type"] == "tool_result":
            assert isinstance(event["content"], str) and isinstance(event["is_error"], bool)
            assert len(event["content"]) <= 50_011
        assert not event.get("agent_id") or event.get("parent_tool_use_id") or event["agent_id"]
    for text in (
        derive.conversation(events),
        derive.reasoning(events),
        derive.tool_trace(events),
        derive.evidence(events),
    ):
        assert isinstance(text, str)
    assert all(isinstance(path, str) for path in derive.reads_of(events))


def test_every_transcript_of_the_corpus_is_read() -> None:
    expected = {
        "claude-stream__pydantic-ai": "claude-stream",
        "claude-session__claude-code-log": "claude-session",
        "claude-stream__agentic-ci-cursor": "claude-stream",
    }
    seen = 0
    for path in sorted(shared_dir("corpus", "transcripts").rglob("*.json*")):
        lines = json_lines(path.read_bytes()).values
        events = parse_transcript(lines)
        check_invariants(events)
        json.dumps(events)
        folder = path.parent.name
        if folder in expected:
            assert detect(lines) == expected[folder], path.name
            assert derive.conversation(events) or derive.tool_trace(events), path.name
        if path.name.startswith("codex"):
            assert detect(lines) == "codex" and derive.tool_trace(events), path.name
        seen += 1
    assert seen > 50


def test_a_stream_of_the_corpus_in_detail() -> None:
    path = shared_dir(
        "corpus", "transcripts", "claude-stream__pydantic-ai", "02-tool-use-read.jsonl"
    )
    events = parse_transcript(json_lines(path.read_bytes()).values)
    results = [event for event in events if event["type"] == "tool_result"]
    calls = list(derive.calls(events))
    assert [call.id for call in calls] == [result["tool_use_id"] for result in results]
    assert [result["tool_name"] for result in results] == [call.name for call in calls] == ["Read"]
    assert len(derive.reads_of(events)) == 1
    assert events[-1]["type"] == "result" and events[-1]["num_turns"] == 2


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.floats()
    | st.sampled_from(["", "text", "tool_use", "tool_result", "assistant", "Read", "x" * 60_000]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "type",
                    "message",
                    "content",
                    "text",
                    "tool_use_id",
                    "id",
                    "name",
                    "input",
                    "data",
                    "item",
                    "command",
                    "changes",
                    "arguments",
                    "agentId",
                    "file_path",
                    "path",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
TYPES = st.sampled_from(
    [
        "assistant",
        "user",
        "result",
        "system",
        "progress",
        "item.completed",
        "turn.completed",
        3,
        None,
    ]
)
LINE = st.fixed_dictionaries(
    {"type": TYPES, "message": JSON, "item": JSON},
    optional={
        "sessionId": st.just("s"),
        "uuid": st.just("u"),
        "isSidechain": st.booleans(),
        "parent_tool_use_id": JSON,
        "agent_id": JSON,
        "agentId": JSON,
        "toolUseResult": JSON,
        "data": JSON,
        "timestamp": JSON,
    },
)


@settings(max_examples=150, deadline=None)
@given(st.lists(LINE, max_size=6))
def test_no_line_stops_the_parser(lines: list[dict[str, Any]]) -> None:
    check_invariants(parse_transcript(lines))
    check_invariants(merge_subagents(parse_transcript(lines), {"a": lines}))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.dictionaries(st.sampled_from(["type", "text", "tools", "thinking"]), JSON)))
def test_no_event_stops_what_is_derived(events: list[dict[str, Any]]) -> None:
    derive.conversation(events)
    derive.reasoning(events)
    derive.tool_trace(events)
    derive.evidence(events)
    derive.tool_calls(events, ["Read"])


@settings(max_examples=100, deadline=None)
@given(st.binary())
def test_no_bytes_stop_the_line_reader(data: bytes) -> None:
    check_invariants(parse_transcript(json_lines(data).values))


class TestSessions:
    BASE: ClassVar[dict[str, Any]] = {
        "sessionId": "s",
        "uuid": "u",
        "parentUuid": None,
        "timestamp": "2026-01-01T00:00:00Z",
    }

    def turn(self, text: str, **more: Any) -> dict[str, Any]:
        message = {"role": "assistant", "content": [{"type": "text", "text": text}], "id": text}
        return {**self.BASE, "type": "assistant", "message": message, **more}

    def call(self, prompt: str) -> dict[str, Any]:
        block = {"type": "tool_use", "id": "t1", "name": "Task", "input": {"prompt": prompt}}
        return {**self.BASE, "type": "assistant", "message": {"content": [block], "id": "call"}}

    def test_a_sidechain_is_no_part_of_the_conversation(self) -> None:
        prompt = {"type": "user", "isSidechain": True, "message": {"content": "look around"}}
        events = parse_transcript(
            lines_of(
                self.turn("before"),
                self.call("look around"),
                {**self.BASE, **prompt, "uuid": "s1"},
                self.turn("aside", isSidechain=True, uuid="s2", parentUuid="s1"),
                self.turn("after"),
            )
        )
        assert derive.conversation(events) == "before\n\nafter"
        aside = next(event for event in events if event.get("text") == "aside")
        assert aside["parent_tool_use_id"] == "t1"

    def test_an_agent_is_known_by_the_result_of_its_call(self) -> None:
        result = {"type": "tool_result", "tool_use_id": "t1", "content": "done"}
        events = parse_transcript(
            lines_of(
                self.call("p"),
                self.turn("aside", isSidechain=True, agentId="a7"),
                {
                    **self.BASE,
                    "type": "user",
                    "toolUseResult": {"agentId": "a7"},
                    "message": {"content": [result]},
                },
            )
        )
        assert [(e.get("parent_tool_use_id"), e.get("agent_id")) for e in events][1] == ("t1", "a7")

    def test_a_progress_line_holds_a_subagents_message(self) -> None:
        inner = {"type": "assistant", "message": self.turn("nested")["message"]}
        events = parse_transcript(
            lines_of(
                self.call("p"),
                {
                    **self.BASE,
                    "type": "progress",
                    "parentToolUseID": "t1",
                    "data": {"type": "agent_progress", "agentId": "a7", "message": inner},
                },
                {**self.BASE, "type": "progress", "data": {"type": "bash_progress"}},
            )
        )
        assert len(events) == 2
        assert (events[1]["text"], events[1]["parent_tool_use_id"], events[1]["agent_id"]) == (
            "nested",
            "t1",
            "a7",
        )

    def test_transcripts_of_subagents_are_put_in_by_time(self) -> None:
        main = parse_transcript(
            lines_of(
                self.turn("one", timestamp="2026-01-01T00:00:01Z"),
                self.turn("two", timestamp="2026-01-01T00:00:03Z"),
            )
        )
        own = lines_of(
            self.turn("aside", isSidechain=True, timestamp="2026-01-01T00:00:02Z"),
            self.turn("one", isSidechain=True, timestamp="2026-01-01T00:00:02Z"),
        )
        merged = merge_subagents(main, {"agent-7": own})
        assert [event["text"] for event in merged] == ["one", "aside", "two"]
        assert merged[1]["agent_id"] == "agent-7"
        assert derive.conversation(merged) == "one\n\ntwo"

    def test_text_content_is_the_message(self) -> None:
        line = {**self.BASE, "type": "assistant", "message": {"content": "plain"}}
        assert derive.conversation(parse_transcript(lines_of(line))) == "plain"


class TestDerived:
    TOOLS: ClassVar[list[tuple[str, dict[str, Any], str]]] = [
        ("Read", {"file_path": "docs/a.md", "limit": 20}, "1. Read: docs/a.md, limit=20"),
        ("Bash", {"command": "x" * 250}, f"2. Bash: {'x' * 200}..."),
        ("Agent", {"description": "look", "prompt": "p"}, '3. Agent: "look"'),
        ("Grep", {"pattern": "abc", "path": "src"}, "4. Grep: abc"),
        ("Write", {"file_path": "out.md", "content": "c"}, "5. Write: out.md"),
        ("Skill", {"skill": "wiki"}, "6. Skill: wiki"),
        ("mcp__x", {"title": "t" * 200}, f"7. mcp__x: title={'t' * 94}..."),
        ("Empty", {}, "8. Empty"),
    ]

    def events(self, **more: Any) -> list[dict[str, Any]]:
        tools = [{"name": n, "id": str(i), "input": g} for i, (n, g, _) in enumerate(self.TOOLS)]
        return [{"type": "assistant", "text": "t", "thinking": "hm", "tools": tools, **more}]

    def test_tool_trace(self) -> None:
        assert derive.tool_trace(self.events()).splitlines() == [line for *_, line in self.TOOLS]
        below = derive.tool_trace(self.events(parent_tool_use_id="x")).splitlines()
        assert all(line.startswith("  [subagent] ") for line in below)

    def test_reasoning(self) -> None:
        assert derive.reasoning(self.events()) == "[thinking]\nhm\n\nt"
        long = [{"type": "assistant", "text": "x" * 500_000}]
        assert len(derive.reasoning(long)) < 400_100 and "100000" in derive.reasoning(long)

    def test_evidence(self) -> None:
        events = [*self.events(), {"type": "result", "num_turns": 3, "cost_usd": 0.126}]
        lines = derive.evidence(events).splitlines()
        assert lines[:2] == ["Turns: 3", "Cost: $0.13"]
        assert "Skills: wiki" in lines and "Files read: a.md" in lines
        assert "Files written: out.md" in lines

    def test_reads(self) -> None:
        assert derive.reads_of(self.events()) == ["docs/a.md", "src"]
        assert derive.reads_of(self.events(), grep=False) == ["docs/a.md"]
        assert derive.reads_of(self.events(agent_id="x"), subagents=False) == []


@pytest.mark.parametrize(
    ("command", "paths"),
    [
        ("cat -- -odd.md", ["-odd.md"]),
        ("cat - a.md", ["a.md"]),
        ("sed -n -e 1p --file=s.sed a.md", ["s.sed", "a.md"]),
        ("sed", []),
        ("cat", []),
        ("bash", []),
        ("cat a.md &> /dev/null", ["a.md"]),
        ("head -n", []),
        ("cat a.md &", []),
    ],
)
def test_what_a_shell_command_reads(command: str, paths: list[str]) -> None:
    assert read_paths(command) == paths


def test_the_whole_run_of_the_corpus(tmp_path: Path) -> None:
    """Every case of a real run: a record that can be read to its end, and dumped as JSON."""
    from eval_tui.record.case import load_case
    from eval_tui.record.record import plain_record
    from eval_tui.record.spec import RecordSpec

    project = shared_dir("corpus", "projects", "wiki-ingest")
    (run,) = (project / "eval" / "runs").iterdir()
    spec = RecordSpec(str(run), str(project / "eval" / "cases"))
    costs: list[Any] = []
    for case in sorted(p.name for p in (run / "cases").iterdir()):
        parts = load_case(spec, case)
        record = plain_record(parts, lambda *look: None)
        check_invariants([e for e in record["events"] if e["type"] in ("assistant", "tool_result")])
        json.dumps(record, default=str)
        assert record["conversation"] and record["inputs"] and parts.notes == []
        costs.append(record["cost_usd"])
    assert len(set(costs)) == 5, "each case has a cost of its own"
