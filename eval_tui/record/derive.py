"""What templates and views derive from events (harness form): texts, tool calls, reads, evidence.

Pure functions over a list of events. Events come from files, so every field may be of any type or
absent; what does not fit is left out.
"""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, cast

Event = Mapping[str, object]

_REASONING_LIMIT = 400_000
_SHORT = 100
_COMMAND = 200
_READERS = frozenset({"read", "view", "cat", "open", "read_file", "readfile", "view_file"})
_WRITERS = frozenset(
    {"write", "edit", "multiedit", "notebookedit", "create", "write_file", "edit_file", "replace"}
    | {"apply_patch", "str_replace", "patch"}
)
_SHELLS = frozenset({"bash", "shell", "run_shell_command", "execute", "terminal", "exec"})
_PATH_KEYS = ("file_path", "path", "filePath", "notebook_path", "absolute_path", "filename")


class ToolCall(NamedTuple):
    """One call of a tool in the events."""

    name: str
    id: str
    input: Mapping[str, object]
    event: Event


def conversation(events: Iterable[Event]) -> str:
    """The texts of the agent's own turns (no subagents'), separated by an empty line."""
    return "\n\n".join(text for event in _own_turns(events) if (text := _text(event, "text")))


def final_answer(events: Iterable[Event]) -> str:
    """The text of the agent's last own turn that has one; empty without any."""
    answer = ""
    for event in _own_turns(events):
        answer = _text(event, "text") or answer
    return answer


def reasoning(events: Iterable[Event]) -> str:
    """Like the conversation, with each turn's thinking before its text."""
    pieces: list[str] = []
    for event in _own_turns(events):
        if thinking := _text(event, "thinking"):
            pieces.append(f"[thinking]\n{thinking}")
        if text := _text(event, "text"):
            pieces.append(text)
    whole = "\n\n".join(pieces)
    if len(whole) <= _REASONING_LIMIT:
        return whole
    return f"{whole[:_REASONING_LIMIT]}\n[... {len(whole) - _REASONING_LIMIT} characters left out]"


def calls(events: Iterable[Event]) -> Iterator[ToolCall]:
    """Every tool call, subagents' included, in order."""
    for event in events:
        if event.get("type") != "assistant":
            continue
        for tool in _list(event.get("tools")):
            if isinstance(tool, dict):
                call = cast("Mapping[str, object]", tool)
                yield ToolCall(
                    _text(call, "name"), _text(call, "id"), _mapping(call.get("input")), event
                )


def tool_calls(events: Iterable[Event], patterns: Sequence[str]) -> list[dict[str, object]]:
    """Name and input of the agent's own calls whose tool name contains one of the patterns."""
    return [
        {"name": call.name, "input": call.input}
        for call in calls(_own_turns(events))
        if any(pattern in call.name for pattern in patterns)
    ]


def tool_trace(events: Iterable[Event]) -> str:
    """One numbered line per tool call: `3. Read: docs/guide.md, limit=20`."""
    lines: list[str] = []
    for number, call in enumerate(calls(events), 1):
        detail = _detail(call)
        mark = "  [subagent] " if is_subagent(call.event) else ""
        lines.append(
            f"{mark}{number}. {call.name}: {detail}" if detail else f"{mark}{number}. {call.name}"
        )
    return "\n".join(lines)


def reads_of(events: Iterable[Event], subagents: bool = True, grep: bool = True) -> list[str]:
    """The paths that the agent read, as it named them: Read, Grep in a path, shell reads."""
    found: list[str] = []
    for call in calls(events):
        if not subagents and is_subagent(call.event):
            continue
        if call.name == "Read":
            path = call.input.get("file_path")
            found += [path] if isinstance(path, str) and path else []
        elif call.name == "Grep" and grep:
            path = call.input.get("path")
            found += [path] if isinstance(path, str) and path not in ("", ".") else []
        elif call.name == "Bash":
            found += [p for p in _list(call.input.get("read_paths")) if isinstance(p, str)]
    return found


def is_subagent(event: Event) -> bool:
    """Whether an event belongs to a subagent."""
    return bool(event.get("parent_tool_use_id") or event.get("agent_id"))


def evidence(events: Sequence[Event]) -> str:
    """A short labelled summary: turns and cost, tools, skills, scripts, files read and written."""
    made = list(calls(events))
    lines = [*_result_lines(events)]
    counts = Counter(call.name for call in made)
    for label, values in (
        ("Tools", [f"{name} x{count}" for name, count in counts.most_common()]),
        ("Skills", _unique(_text(c.input, "skill") for c in made if c.name.lower() == "skill")),
        ("Scripts", _unique(script for call in made for script in _scripts(call))),
        ("Files read", _unique(_base(p) for call in made for p in _paths(call, _READERS))),
        ("Files written", _unique(_base(p) for call in made for p in _paths(call, _WRITERS))),
    ):
        if values:
            lines.append(f"{label}: {', '.join(values)}")
    return "\n".join(lines)


def _result_lines(events: Sequence[Event]) -> list[str]:
    last = next((event for event in reversed(events) if event.get("type") == "result"), None)
    if last is None:
        return []
    lines: list[str] = []
    if isinstance(turns := last.get("num_turns"), int):
        lines.append(f"Turns: {turns}")
    if isinstance(cost := last.get("cost_usd"), (int, float)):
        lines.append(f"Cost: ${cost:.2f}")
    return lines


def _detail(call: ToolCall) -> str:
    given = call.input
    if call.name == "Read":
        extra = [f"{key}={given[key]}" for key in ("offset", "limit") if given.get(key)]
        return ", ".join(filter(None, [str(given.get("file_path") or ""), *extra]))
    if call.name == "Bash":
        return _cut(str(given.get("command") or ""), _COMMAND)
    if call.name in ("Agent", "Task"):
        said = given.get("description") or given.get("prompt") or ""
        return f'"{_cut(str(said), _SHORT)}"' if said else ""
    for names, keys in _DETAILS:
        if call.name in names:
            return str(next((given[key] for key in keys if given.get(key)), ""))
    key = next(iter(given), None)
    return "" if key is None else _cut(f"{key}={given[key]}", _SHORT)


_DETAILS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("Edit", "Write", "MultiEdit"), ("file_path",)),
    (("Glob", "Grep"), ("pattern", "query")),
    (("WebFetch",), ("url",)),
    (("WebSearch",), ("query",)),
    (("Skill",), ("skill",)),
)


def _scripts(call: ToolCall) -> Iterator[str]:
    if call.name.lower() not in _SHELLS:
        return
    command = _text(call.input, "command")
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    for word in words:
        if word.endswith((".sh", ".py")):
            yield _base(word)


def _paths(call: ToolCall, names: frozenset[str]) -> Iterator[str]:
    if call.name.lower() in names:
        for key in _PATH_KEYS:
            if path := _text(call.input, key):
                yield path
                return
    if call.name == "Bash" and names is _READERS:
        yield from (p for p in _list(call.input.get("read_paths")) if isinstance(p, str))


def _own_turns(events: Iterable[Event]) -> Iterator[Event]:
    for event in events:
        if event.get("type") == "assistant" and not event.get("parent_tool_use_id"):
            yield event


def _text(mapping: Mapping[str, object], key: str) -> str:
    value = mapping.get(key)
    return value if isinstance(value, str) else ""


def _mapping(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else {}


def _list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}..."


def _base(path: str) -> str:
    return os.path.basename(path.replace("\\", "/"))


def _unique(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(value for value in values if value))
