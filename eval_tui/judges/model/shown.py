"""A request as text, for people: what would be sent, and how it differs from an earlier one."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from typing import Any, cast

from eval_tui.judges.model.request import Request


def request_text(request: Request) -> str:
    """Everything that a model is sent: model, system text, tool, prompt; images by type and size."""
    params = request.params
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


def request_diff(old: Request, new: Request) -> list[str]:
    """Unified diff lines between the texts of two requests; empty when they ask the same."""
    before, after = request_text(old).splitlines(), request_text(new).splitlines()
    return list(difflib.unified_diff(before, after, "asked before", "would be asked", lineterm=""))


def _block_text(block: Mapping[str, Any]) -> str:
    if block["type"] == "text":
        return str(block["text"])
    source = cast("Mapping[str, str]", block["source"])
    data = source["data"]
    size = len(data) * 3 // 4 - data[-2:].count("=")
    return f"[{source['media_type']}, {size:,} bytes]"
