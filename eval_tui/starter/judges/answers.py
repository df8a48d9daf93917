"""Judges of the answers: plain functions that return a value, or a value and the reason for it."""

from __future__ import annotations

from typing import Any


def names_the_page(outputs: dict[str, Any], **_: Any) -> tuple[bool, str]:
    """Whether the answer names the page that a person put into annotations.yaml."""
    page: str = outputs["annotations"]["page"]
    found = page in outputs["files"].get("output/answer.md", "")
    return found, f"{page} is {'there' if found else 'missing'}"
