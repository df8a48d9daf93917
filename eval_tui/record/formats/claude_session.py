"""Claude Code's session files (`~/.claude/projects/.../<session>.jsonl`) as events.

They hold the same messages as a stream, with more around them: turns of subagents stand in the same
file (sidechains), in nested progress lines, or in files of their own below `subagents/`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from eval_tui.record.formats import claude_stream
from eval_tui.record.formats.claude_stream import Event, blocks, mapping, text
from eval_tui.record.formats.jsonl import Line

_AGENT_TOOLS = frozenset({"Agent", "Task"})
_UNKNOWN_PARENT = "sidechain"
"""Stands for the call that started a subagent when it cannot be told."""


def is_session_line(line: Line) -> bool:
    """Whether a line is of a session file rather than of a stream."""
    return "sessionId" in line and ("uuid" in line or "parentUuid" in line)


def parse(lines: Sequence[Line]) -> list[Event]:
    """The events of a session. Turns of subagents carry `parent_tool_use_id`, and `agent_id` where
    it is known, so they are no part of the conversation. Never raises."""
    parents = _Parents(lines)
    tool_names: dict[str, str] = {}
    events: list[Event] = []
    for line in lines:
        as_stream = _progress(line) if line.get("type") == "progress" else _message(line, parents)
        events += claude_stream.line_events(as_stream, tool_names)
    return events


def merge_subagents(events: Sequence[Event], transcripts: Mapping[str, list[Line]]) -> list[Event]:
    """The events with those of subagents' own transcripts (by agent name) put in by time.

    Messages and results that are there already are not repeated. An event without a timestamp keeps
    its place behind the one before it.
    """
    seen = {_identity(event) for event in events} - {None}
    merged: list[tuple[str, Event]] = _timed(events)
    for agent, lines in transcripts.items():
        own = [{**event, "agent_id": event.get("agent_id") or agent} for event in parse(lines)]
        merged += _timed(e for e in own if _identity(e) not in seen and e["type"] != "system")
    merged.sort(key=lambda timed: timed[0])
    return [event for _, event in merged]


class _Parents:
    """Which tool call started which sidechain."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self._by_prompt: dict[str, str] = {}
        self._by_agent: dict[str, str] = {}
        self._by_line: dict[str, str] = {}
        for line in lines:
            self._note_calls(line)

    def of(self, line: Line) -> str:
        """The id of the call that started the sidechain of `line`; lines come in file order."""
        agent = text(line.get("agentId"))
        content = mapping(line.get("message")).get("content")
        found = (
            text(line.get("parentToolUseID"))
            or self._by_agent.get(agent, "")
            or self._by_line.get(text(line.get("parentUuid")), "")
            or (self._by_prompt.get(content, "") if isinstance(content, str) else "")
            or agent
            or _UNKNOWN_PARENT
        )
        self._by_line[text(line.get("uuid"))] = found
        return found

    def _note_calls(self, line: Line) -> None:
        for block in blocks(mapping(line.get("message")).get("content")):
            if block.get("type") == "tool_use" and block.get("name") in _AGENT_TOOLS:
                prompt = text(mapping(block.get("input")).get("prompt"))
                self._by_prompt.setdefault(prompt, text(block.get("id")))
            elif block.get("type") == "tool_result":
                agent = text(mapping(line.get("toolUseResult")).get("agentId"))
                if agent:
                    self._by_agent.setdefault(agent, text(block.get("tool_use_id")))


def _message(line: Line, parents: _Parents) -> Line:
    """A session line in the form of a stream line."""
    changed = dict(line)
    if line.get("isSidechain"):
        changed["parent_tool_use_id"] = parents.of(line)
        if agent := line.get("agentId"):
            changed["agent_id"] = agent
    message = mapping(line.get("message"))
    if line.get("type") == "assistant" and isinstance(said := message.get("content"), str):
        changed["message"] = {**message, "content": [{"type": "text", "text": said}]}
    return changed


def _progress(line: Line) -> Line:
    """The message of a subagent that a progress line carries, or an empty line."""
    data = mapping(line.get("data"))
    if data.get("type") != "agent_progress":
        return {}
    outer = mapping(data.get("message"))
    message = mapping(outer.get("message"))
    changed: Line = {
        "type": outer.get("type") or message.get("role"),
        "message": message,
        "timestamp": outer.get("timestamp") or line.get("timestamp"),
        "parent_tool_use_id": line.get("parentToolUseID") or data.get("agentId") or _UNKNOWN_PARENT,
    }
    if agent := data.get("agentId"):
        changed["agent_id"] = agent
    return changed


def _identity(event: Event) -> tuple[str, str] | None:
    if event.get("type") == "assistant" and (name := text(event.get("_msg_id"))):
        return ("message", name)
    if event.get("type") == "tool_result" and (name := text(event.get("tool_use_id"))):
        return ("result", name)
    return None


def _timed(events: Iterable[Event]) -> list[tuple[str, Event]]:
    timed: list[tuple[str, Event]] = []
    last = ""
    for event in events:
        last = text(event.get("timestamp")) or last
        timed.append((last, event))
    return timed
