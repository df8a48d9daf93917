"""Problems: what is wrong with a project's files, where, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "note"]
"""error: the config or a judge cannot be used; warning: something given is ignored or surely
unintended; note: unknown keys and observations (D51)."""


def with_hint(detail: str, hint: str) -> str:
    """What is wrong and what to do about it, in one text."""
    return f"{detail.rstrip('.')}. {hint}" if hint else detail


@dataclass(frozen=True)
class Problem:
    """One thing to tell the person, with its place (1-based line and column, 0 if unknown)."""

    severity: Severity
    code: str
    """A stable kebab-case word, e.g. `unknown-key`."""
    message: str
    file: str = ""
    """Absolute path of the file, or empty."""
    line: int = 0
    column: int = 0
    judge: str | None = None
    hint: str = ""
    """What to do about it."""
