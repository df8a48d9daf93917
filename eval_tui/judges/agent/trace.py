"""What an agent printed, understood where its format is known: words, steps, cost."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from eval_tui.config.plain import as_number
from eval_tui.record.derive import conversation
from eval_tui.record.formats.detect import detect, parse_transcript
from eval_tui.record.formats.jsonl import Line, json_lines

_RESULT_LENGTH = 2_000
"""Characters of one tool result that the transcript shows."""


@dataclass(frozen=True)
class Trace:
    """An agent's own account of its run."""

    words: str
    """What the agent itself said, without what its tools showed it."""
    transcript: str
    """For people: what it said and did, in order."""
    cost: float | None = None
    """US dollars, where it tells."""
    usage: Mapping[str, Any] = field(default_factory=dict[str, Any])
    error: str = ""
    """Why it gave up, in its words; empty when it did not."""
    subtype: str = ""
    """How the run ended, as Claude Code calls it."""


def read_trace(output: str) -> Trace:
    """The trace in what was printed: a transcript of a known format, else plain text."""
    lines = json_lines(output.encode("utf-8", "replace")).values
    if not lines or detect(lines) == "unknown":
        return Trace(output, output)
    events = cast("list[Mapping[str, Any]]", parse_transcript(lines))
    end = next((line for line in reversed(lines) if line.get("type") == "result"), Line())
    said = end.get("result")
    words = said if isinstance(said, str) and said.strip() else conversation(events)
    failed = bool(end.get("is_error")) or str(end.get("subtype", "")).startswith("error")
    return Trace(
        words,
        _transcript(events, words),
        _amount(end.get("total_cost_usd")),
        _usage(end),
        (words or str(end.get("subtype", ""))) if failed else "",
        str(end.get("subtype") or ""),
    )


def _usage(end: Line) -> Mapping[str, Any]:
    usage = end.get("usage")
    return cast("dict[str, Any]", usage) if isinstance(usage, dict) else {}


def _amount(value: object) -> float | None:
    number = as_number(value)
    return float(number) if number is not None and number >= 0 else None


def _transcript(events: Sequence[Mapping[str, Any]], last: str) -> str:
    pieces = list(_pieces(events))
    if last.strip() and all(piece.strip() != last.strip() for piece in pieces):
        pieces.append(last)
    return "\n\n".join(pieces)


def _pieces(events: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    for event in events:
        if event.get("type") == "assistant":
            if str(event.get("text", "")).strip():
                yield str(event["text"])
            for tool in cast("list[Mapping[str, Any]]", event.get("tools") or []):
                given = json.dumps(tool.get("input"), ensure_ascii=False, default=str)
                yield f"> {tool.get('name')} {_cut(given)}"
        elif event.get("type") == "tool_result":
            mark = "  error: " if event.get("is_error") else "  "
            yield mark + _cut(str(event.get("content", ""))).replace("\n", "\n  ")


def _cut(text: str) -> str:
    left_out = len(text) - _RESULT_LENGTH
    return text if left_out <= 0 else f"{text[:_RESULT_LENGTH]}… +{left_out:,} characters"


def read_metrics_cost(data: bytes) -> float | None:
    """`cost_usd` of a `metrics.json` that a command runner may leave; None without."""
    try:
        value: object = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    return (
        _amount(cast("dict[str, object]", value).get("cost_usd"))
        if isinstance(value, dict)
        else None
    )
