"""JSON: the document of schema 1 as it is."""

from __future__ import annotations

import json

from eval_tui.results.report import Report


def to_json(report: Report) -> str:
    """The whole document; in ASCII, so that no character of it is lost or acts anywhere."""
    return json.dumps(report.document, indent=2, allow_nan=False)
