"""What the terminal shows after an error of our own."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Final

from eval_tui.tui.text import clean

_SECRET_NAME: Final = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
_SECRET_LENGTH: Final = 8
"""Shorter values are words that may stand anywhere."""


def masked(text: str, environment: Mapping[str, str] | None = None) -> str:
    """The text with every value of a secret environment variable replaced by its name."""
    values = os.environ if environment is None else environment
    for name, value in values.items():
        if len(value) >= _SECRET_LENGTH and _SECRET_NAME.search(name):
            text = text.replace(value, f"<{name}>")
    return text


def crash_report(trace: str) -> str:
    """The traceback as it may be shown: no values of variables, no secrets, nothing that acts."""
    return (
        f"{clean(masked(trace)).rstrip()}\n\n"
        "eval-tui stopped because of an error of its own. Results so far are kept."
    )
