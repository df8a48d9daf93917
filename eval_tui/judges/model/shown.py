"""A request as text, for people: what would be sent, and how it differs from an earlier one."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from eval_tui.judges.agent.shown import agent_request_text

MAX_COMPARED = 20_000
"""Lines of two requests together beyond which they are not compared: that would take seconds."""


def request_text(params: Mapping[str, Any]) -> str:
    """Everything that a model is sent: model, system text, tool, prompt; images by type and size.

    For an agent: everything that it is given.
    """
    if "agent" in params:
        return agent_request_text(params)
    tool = cast("Mapping[str, Any]", params["tools"][0])
    schema = json.dumps(tool["input_schema"], indent=2, ensure_ascii=False)
    head = f"model: {params['model']}\nmax_tokens: {params['max_tokens']}"
    sections = [
        head,
        f"--- system ---\n{params['system']}",
        f"--- tool {tool['name']} (forced): {tool['description']} ---\n{schema}",
        "--- message ---",
    ]
    content = cast("list[Mapping[str, Any]]", params["messages"][0]["content"])
    return "\n\n".join([*sections, *(_block_text(block) for block in content)]) + "\n"


def both_orders(texts: Sequence[str]) -> str:
    """The texts of all requests of one cell: a comparison asks about both orders."""
    return "\n=== and with the baseline shown first ===\n\n".join(texts)


def request_diff(old: str, new: str) -> list[str] | None:
    """Unified diff lines between the texts of two requests; empty when they ask the same.

    None for texts that are too long to be compared.
    """
    before, after = old.split("\n"), new.split("\n")
    if len(before) + len(after) > MAX_COMPARED:
        return None
    return list(difflib.unified_diff(before, after, "asked before", "would be asked", lineterm=""))


def without_images(params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters with their images by type and size alone: all that people and estimates need."""
    if "messages" not in params:  # an agent's
        return dict(params)
    message = params["messages"][0]
    content = [
        {"type": "image", "said": _block_text(block)} if block["type"] == "image" else block
        for block in cast("list[Mapping[str, Any]]", message["content"])
    ]
    return {**params, "messages": [{**message, "content": content}]}


def _block_text(block: Mapping[str, Any]) -> str:
    if block["type"] == "text":
        return str(block["text"])
    if "said" in block:
        return str(block["said"])
    source = cast("Mapping[str, str]", block["source"])
    data = source["data"]
    size = len(data) * 3 // 4 - data[-2:].count("=")
    return f"[{source['media_type']}, {size:,} bytes]"
