"""What an agent did, as documents have it, in the form that the case screen reads (7.1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from eval_tui.config.plain import as_number
from eval_tui.imports.plain import Plain, an_object, text, words_of
from eval_tui.results.words import usd

JUDGES = "judge:"
"""The names of spans in which judges were at work, not the agent, begin so."""

Event = Mapping[str, Any]


@dataclass(frozen=True)
class Trace:
    """The events of one case, in the order in which they stand: times of different emitters differ."""

    events: tuple[Event, ...]
    conversation: str
    stdout: str
    stderr: str


def trace_of(events: Sequence[object]) -> Trace:
    """The agent's trace. Entries that are no objects are shown as what they are."""
    own = _own(events)
    logs = {stream: _log(own, stream) for stream in ("stdout", "stderr")}
    said = "\n\n".join(_messages(own))
    return Trace(tuple(map(_event, own)), said, logs["stdout"], logs["stderr"])


def judging_of(events: Sequence[object]) -> list[Plain]:
    """What judges did; it is none of the agent's doing and none of its costs."""
    return [one for one in map(an_object, events) if _is_judging(one)]


def taken_of(events: Sequence[object]) -> dict[str, Any]:
    """What the agent took: only what its calls say, since no price is not a price of 0."""
    own = _own(events)
    calls = [one for one in own if one.get("kind") == "llm_call"]
    tools = sum(one.get("kind") == "tool_call" for one in own)
    costs = [an_object(call.get("cost")) for call in calls]
    found: dict[str, Any] = {}
    for name, key in _TAKEN:
        known = [value for cost in costs if (value := as_number(cost.get(key))) is not None]
        if known:
            found[name] = sum(known)
    if calls:
        models = dict.fromkeys(text(call.get("model")) for call in calls)
        found |= {"model_calls": len(calls), "models": ", ".join(filter(None, models))}
    return {**found, "tool_calls": tools} if tools else found


_TAKEN = (
    ("cost_usd", "usd"),
    ("input_tokens", "inputTokens"),
    ("output_tokens", "outputTokens"),
)


def _own(events: Sequence[object]) -> list[Plain]:
    plain = ((an_object(entry) or {"kind": "?", "value": entry}) for entry in events)
    return [one for one in plain if not _is_judging(one)]


def _is_judging(event: Plain) -> bool:
    return event.get("kind") == "span" and text(event.get("name")).startswith(JUDGES)


def _event(event: Plain) -> Event:
    """One event; kinds that transcripts do not have keep all of their fields."""
    stamp = {"timestamp": event["at"]} if isinstance(event.get("at"), str) else {}
    match event.get("kind"):
        case "message":
            role = text(event.get("role"))
            kind = "assistant" if role == "assistant" else role or "message"
            return {"type": kind, "text": text(event.get("text")), **stamp}
        case "tool_call":
            call = {key: event.get(key) for key in ("id", "name")}
            return {"type": "assistant", "tools": [{**call, "input": event.get("args")}], **stamp}
        case "tool_result":
            return {
                "type": "tool_result",
                "tool_use_id": event.get("id"),
                "content": words_of(event.get("output")),
                "is_error": event.get("ok") is False,
                **stamp,
            }
        case kind:
            rest = {key: value for key, value in event.items() if key not in ("kind", "at")}
            return {"type": text(kind) or "event", "text": _told(event), **rest, **stamp}


def _told(event: Plain) -> str:
    """One event of a kind that transcripts do not have in a line; empty for an unknown kind."""
    cost = an_object(event.get("cost"))
    match event.get("kind"):
        case "llm_call":
            price = as_number(cost.get("usd"))
            tokens = [
                f"{n:,.0f} {word}" for word, key in _TOKENS if (n := as_number(cost.get(key)))
            ]
            parts = [text(event.get("model")), *tokens, usd(price) if price is not None else ""]
        case "env_action":
            parts = [text(event.get("action")), words_of(event.get("detail"))]
        case "artifact":
            parts = [text(event.get("name")), text(event.get("role")), text(event.get("mediaType"))]
        case "span":
            parts = [text(event.get("name")), words_of(event.get("attributes"))]
        case _:
            parts = [words_of(event.get("message"))]
    return ", ".join(filter(None, parts))


_TOKENS = (("tokens in", "inputTokens"), ("out", "outputTokens"))


def _messages(events: Iterable[Plain]) -> Iterator[str]:
    for event in events:
        if event.get("kind") == "message":
            yield f"[{text(event.get('role')) or '?'}] {text(event.get('text'))}"


def _log(events: Iterable[Plain], stream: str) -> str:
    return "\n".join(
        text(one.get("text"))
        for one in events
        if one.get("kind") == "log" and one.get("stream") == stream
    )
