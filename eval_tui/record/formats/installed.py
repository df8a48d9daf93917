"""Transcripts of agents that an installed package can read: entry points `eval_tui.transcripts`.

Each is called as `parse(lines)` with the objects of a JSON-lines transcript that we do not know,
and returns its events in the harness's form, or None when the transcript is not of its kind.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Sequence
from typing import cast

from eval_tui.plugins import PluginUnusable, load_plugin, names
from eval_tui.record.formats.jsonl import Line

_KINDS = ("assistant", "tool_result", "result", "system")
_WORKER = "EVAL_TUI_WORKER"
"""Set in the processes that may run other people's code; the app itself runs none."""


class ParserFailed(Exception):
    """An installed parser took a transcript for its own and did not read it; the text says why."""


def installed_events(lines: Sequence[Line]) -> list[dict[str, object]]:
    """The events by the first parser, by name, that knows the transcript; none without one.

    A parser that cannot be loaded is passed over (`eval-tui plugins` tells). Raises ParserFailed
    for one that breaks: no other reading of the transcript may pass for its events.
    """
    if _WORKER not in os.environ:
        return []
    for name in names("transcripts"):
        try:
            parse = load_plugin("transcripts", name)
        except PluginUnusable:
            continue
        try:
            found = parse(copy.deepcopy(list(lines)))
        except Exception as exc:
            raise ParserFailed(f"the parser `{name}` failed: {type(exc).__name__}: {exc}") from exc
        if found is not None:
            return _checked(found, name)
    return []


def _checked(found: object, name: str) -> list[dict[str, object]]:
    events = cast("list[object]", found) if isinstance(found, list) else [None]
    for event in events:
        if not isinstance(event, dict) or cast(Line, event).get("type") not in _KINDS:
            kinds = ", ".join(_KINDS)
            raise ParserFailed(f"the parser `{name}` gave no list of events of the kinds {kinds}")
    return cast("list[dict[str, object]]", events)
