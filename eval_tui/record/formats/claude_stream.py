"""Claude Code's `--output-format stream-json` lines as events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from eval_tui.record.formats.jsonl import Line

KINDS = frozenset({"assistant", "user", "result", "system"})
LONGEST = 50_000
"""Characters of a tool's input or result; what is longer is cut and marked."""
_CUT_MARK = "[truncated]"

Event = dict[str, object]


def parse(lines: Iterable[Line]) -> list[Event]:
    """The events of a stream. Never raises: what does not fit is left out."""
    tool_names: dict[str, str] = {}
    events: list[Event] = []
    for line in lines:
        events.extend(line_events(line, tool_names))
    return events


def line_events(line: Line, tool_names: dict[str, str]) -> list[Event]:
    """The events of one line; `tool_names` (id -> name) is kept up to date."""
    kind = line.get("type")
    if kind == "assistant":
        return [_assistant(line, tool_names)]
    if kind == "user":
        return _results(line, tool_names)
    if kind == "result":
        return [
            {
                "type": "result",
                "cost_usd": line.get("total_cost_usd"),
                "num_turns": line.get("num_turns"),
                "timestamp": None,
            }
        ]
    if kind == "system":
        event: Event = {
            "type": "system",
            "subtype": line.get("subtype") or "",
            "timestamp": line.get("timestamp"),
        }
        if line.get("subtype") == "init":
            event["model"] = line.get("model") or ""
        return [event]
    return []


def _assistant(line: Line, tool_names: dict[str, str]) -> Event:
    message = mapping(line.get("message"))
    texts: list[str] = []
    thoughts: list[str] = []
    tools: list[Event] = []
    for block in blocks(message.get("content")):
        kind = block.get("type")
        if kind == "text" and isinstance(text := block.get("text"), str):
            texts.append(text)
        elif kind == "thinking" and isinstance(thought := block.get("thinking"), str):
            thoughts.append(thought)
        elif kind == "redacted_thinking":
            thoughts.append("[redacted thinking]")
        elif kind == "tool_use":
            tools.append(_tool(block, tool_names))
    event: Event = {
        "type": "assistant",
        "text": "".join(texts),
        "tools": tools,
        "timestamp": line.get("timestamp"),
    }
    if thinking := "\n".join(thoughts):
        event["thinking"] = thinking
    if isinstance(identity := message.get("id"), str) and identity:
        event["_msg_id"] = identity
    return {**event, **_parent(line)}


def _tool(block: Mapping[str, object], tool_names: dict[str, str]) -> Event:
    name, identity = text(block.get("name")), text(block.get("id"))
    if identity:
        tool_names[identity] = name
    return {"name": name, "id": identity, "input": cut_input(mapping(block.get("input")))}


def _results(line: Line, tool_names: dict[str, str]) -> list[Event]:
    events: list[Event] = []
    for block in blocks(mapping(line.get("message")).get("content")):
        if block.get("type") != "tool_result":
            continue
        identity = text(block.get("tool_use_id"))
        event: Event = {
            "type": "tool_result",
            "tool_use_id": identity,
            "tool_name": tool_names.get(identity, ""),
            "content": "",
            "is_error": bool(block.get("is_error")),
            "timestamp": line.get("timestamp"),
        }
        event.update(cut_result(_content(block.get("content"))))
        events.append({**event, **_parent(line)})
    return events


def _parent(line: Line) -> Event:
    parent = line.get("parent_tool_use_id")
    if not parent:
        return {}
    marks: Event = {"parent_tool_use_id": parent}
    if agent := line.get("agent_id"):
        marks["agent_id"] = agent
    return marks


def _content(content: object) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts: list[str] = []
        for part in cast("list[object]", content):
            if isinstance(part, str):
                parts.append(part)
            elif isinstance(part, dict):
                value = cast("Mapping[str, object]", part).get("text")
                parts.append(value if isinstance(value, str) else "")
        return "".join(parts)
    return str(content)


def cut_result(content: str) -> Event:
    """`content` of a tool's result, cut at LONGEST characters, with what was cut recorded."""
    if len(content) <= LONGEST:
        return {"content": content}
    return {
        "content": content[:LONGEST] + _CUT_MARK,
        "truncated": True,
        "original_length": len(content),
    }


def cut_input(given: Mapping[str, object]) -> Event:
    """A tool's input with texts cut at LONGEST characters, in nested mappings too."""
    cut: Event = {}
    record: Event = {}
    for key, value in given.items():
        if isinstance(value, str) and len(value) > LONGEST:
            cut[key] = value[:LONGEST] + _CUT_MARK
            record[key] = {"truncated": True, "original_length": len(value)}
        elif isinstance(value, dict):
            cut[key] = cut_input(cast("Mapping[str, object]", value))
        else:
            cut[key] = value
    if record:
        cut["_truncated"] = record
    return cut


def mapping(value: object) -> Mapping[str, object]:
    """The value if it is a mapping, else an empty one."""
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else {}


def text(value: object) -> str:
    """The value if it is text, else empty."""
    return value if isinstance(value, str) else ""


def blocks(content: object) -> list[Mapping[str, object]]:
    """The mappings in a message's list of content blocks."""
    if not isinstance(content, list):
        return []
    return [
        cast("Mapping[str, object]", block)
        for block in cast("list[object]", content)
        if isinstance(block, dict)
    ]
