"""What the terminal shows after an error of our own."""

from __future__ import annotations

import os
from collections.abc import Mapping

from eval_tui.engine.dotenv import read_env_file
from eval_tui.engine.secrets import known_secrets, mask
from eval_tui.tui.text import clean


def masked(text: str, environment: Mapping[str, str] | None = None) -> str:
    """The text with every value that is known to be secret replaced by its variable's name.

    Without `environment`: those of this process and of `.env` in the current folder.
    """
    if environment is None:
        return mask(text, known_secrets(os.environ, read_env_file(".", {})))
    return mask(text, known_secrets(environment, {}))


def crash_report(trace: str) -> str:
    """The traceback as it may be shown: no values of variables, no secrets, nothing that acts."""
    return (
        f"{clean(masked(trace)).rstrip()}\n\n"
        "eval-tui stopped because of an error of its own. Results so far are kept."
    )
