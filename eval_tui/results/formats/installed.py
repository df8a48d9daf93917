"""Formats that installed packages offer: `--format plugin/name` calls `write(document)`."""

from __future__ import annotations

import json
from collections.abc import Callable

from eval_tui.plugins import load_plugin, plugin_name
from eval_tui.results.report import Report


class FormatFailed(RuntimeError):
    """A format of a package made no text; the text says why."""


def installed_format(name: str) -> Callable[[Report], str]:
    """The format `plugin/name`: its function gets the document of schema 1 and returns text.

    Raises PluginUnusable when no package offers it; what it returns, FormatFailed when it breaks.
    """
    write = load_plugin("formats", plugin_name(name))

    def to_text(report: Report) -> str:
        try:
            text = write(json.loads(json.dumps(report.document)))
        except Exception as exc:
            raise FormatFailed(f"the format `{name}` failed: {type(exc).__name__}: {exc}") from exc
        if not isinstance(text, str):
            raise FormatFailed(f"the format `{name}` gave no text but {type(text).__name__}")
        return text

    return to_text
