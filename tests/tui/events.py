"""Events as they stand in a record, for the tests of the trace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Event = Mapping[str, Any]


def says(text: str, message: str = "", **more: Any) -> Event:
    event: dict[str, Any] = {
        "type": "assistant",
        "text": text,
        "tools": [],
        "timestamp": None,
        **more,
    }
    if message:
        event["_msg_id"] = message
    return event


def calls(name: str, use: str, arguments: Any = None, **more: Any) -> Event:
    tool = {"name": name, "id": use, "input": {} if arguments is None else arguments}
    return {"type": "assistant", "text": "", "tools": [tool], "timestamp": None, **more}


def gives(use: str, content: str = "done", error: bool = False, **more: Any) -> Event:
    return {
        "type": "tool_result",
        "tool_use_id": use,
        "tool_name": "",
        "content": content,
        "is_error": error,
        "timestamp": None,
        **more,
    }
