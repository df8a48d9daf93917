"""The formats in which a scoring is written: one small module each.

All say the same, in stable order and with the same bytes for the same input. None holds anything
that a terminal, a parser or a browser would execute.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from eval_tui.results.formats.csv import to_csv
from eval_tui.results.formats.html import to_html
from eval_tui.results.formats.installed import FormatFailed, installed_format
from eval_tui.results.formats.json import to_json
from eval_tui.results.formats.jsonl import to_jsonl
from eval_tui.results.formats.junit import to_junit
from eval_tui.results.formats.markdown import to_markdown
from eval_tui.results.formats.table import to_table
from eval_tui.results.report import Report

__all__ = ["FORMATS", "FormatFailed", "format_called"]

FORMATS: Mapping[str, Callable[[Report], str]] = {
    "table": to_table,
    "json": to_json,
    "jsonl": to_jsonl,
    "csv": to_csv,
    "junit": to_junit,
    "markdown": to_markdown,
    "html": to_html,
}
"""Name -> the function that makes the text, without a line feed at its end."""


def format_called(name: str) -> Callable[[Report], str]:
    """The function of a format: one of `FORMATS`, or `plugin/name` of an installed package.

    Raises PluginUnusable for a plugin that is not there; the function then raises FormatFailed.
    """
    return FORMATS[name] if name in FORMATS else installed_format(name)
