"""Codex's `exec --json` lines as events."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, cast

from eval_tui.record.formats.claude_stream import Event, cut_input, cut_result, mapping, text
from eval_tui.record.formats.jsonl import Line
from eval_tui.record.formats.shell_reads import read_paths

_TURN_ENDS = ("turn.completed", "turn_completed")


class _Call(NamedTuple):
    """One tool item: what was called, with what, and what came back."""

    tool: str
    given: Mapping[str, object]
    result: object
    is_error: bool


def is_codex_line(line: Line) -> bool:
    """Whether a line is one of Codex's."""
    kind = line.get("type")
    return isinstance(kind, str) and kind.startswith(("item.", "turn.", "turn_", "thread."))


def parse(lines: Iterable[Line]) -> list[Event]:
    """The events of a Codex run; its turns are counted in one `result` at the end. Never raises."""
    events: list[Event] = []
    turns = 0
    last: object = None
    for line in lines:
        kind = line.get("type")
        if kind in _TURN_ENDS:
            turns, last = turns + 1, line.get("timestamp")
        elif kind == "item.completed":
            events += _item(mapping(line.get("item")), line.get("timestamp"))
    if turns:
        events.append({"type": "result", "cost_usd": None, "num_turns": turns, "timestamp": last})
    return events


def _item(item: Mapping[str, object], timestamp: object) -> list[Event]:
    kind = item.get("type")
    if kind == "agent_message":
        event = _turn(text(item.get("text")), timestamp)
        if identity := item.get("id"):
            event["_msg_id"] = identity
        return [event]
    if kind == "reasoning":
        thinking = text(item.get("text")) or text(item.get("summary"))
        return [{**_turn("", timestamp), **({"thinking": thinking} if thinking else {})}]
    call = _call(item)
    if call is None:
        return []
    identity = text(item.get("id"))
    tool = {"name": call.tool, "id": identity, "input": cut_input(call.given)}
    return [
        {**_turn("", timestamp), "tools": [tool]},
        {
            "type": "tool_result",
            "tool_use_id": identity,
            "tool_name": call.tool,
            "content": "",
            "is_error": call.is_error,
            "timestamp": timestamp,
            **cut_result(_words(call.result)),
        },
    ]


def _turn(said: str, timestamp: object) -> Event:
    return {"type": "assistant", "text": said, "tools": [], "timestamp": timestamp}


def _call(item: Mapping[str, object]) -> _Call | None:
    failed = item.get("status") == "failed"
    kind = item.get("type")
    if kind == "command_execution":
        return _command(item)
    if kind == "mcp_tool_call":
        server = text(item.get("server")) or text(item.get("server_name")) or "mcp"
        tool = text(item.get("tool")) or text(item.get("name")) or "tool"
        arguments = item.get("arguments")
        is_mapping = isinstance(arguments, dict)
        given = mapping(item.get("arguments")) if is_mapping else {"arguments": arguments}
        error = item.get("error")
        return _Call(f"mcp__{server}__{tool}", given, item.get("result") or error, bool(error))
    if kind == "collab_tool_call":
        given = {key: item[key] for key in ("prompt", "receiver_thread_ids") if key in item}
        result = item.get("message") or item.get("status")
        return _Call(text(item.get("tool")) or "collaboration", given, result, failed)
    if kind == "web_search":
        return _Call("WebSearch", {"query": item.get("query")}, item.get("result"), False)
    if kind == "file_change":
        return _Call("Edit", _changes(item), item.get("status"), failed)
    return None


def _command(item: Mapping[str, object]) -> _Call:
    command = item.get("command")
    if isinstance(command, list):
        command = shlex.join(str(word) for word in cast("list[object]", command))
    given: Event = {"command": command}
    if isinstance(command, str) and (paths := read_paths(command)):
        given["read_paths"] = paths
    code = item.get("exit_code")
    is_error = isinstance(code, int) and code != 0
    return _Call("Bash", given, item.get("aggregated_output"), is_error)


def _changes(item: Mapping[str, object]) -> Event:
    changes = item.get("changes")
    given: Event = {"changes": changes}
    if isinstance(changes, list) and changes:
        path = mapping(cast("list[object]", changes)[0]).get("path")
        if isinstance(path, str):
            given["file_path"] = path
    return given


def _words(result: object) -> str:
    if result is None:
        return ""
    return result if isinstance(result, str) else json.dumps(cast(Any, result), ensure_ascii=False)
