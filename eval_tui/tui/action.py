"""What an action is, and where it is available."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Context = Literal["app", "grid", "case", "list", "review", "opinion", "help", "confirm"]
"""Where an action is available. `app`: everywhere; `list`: runs, evals, problems."""


@dataclass(frozen=True, slots=True)
class Action:
    """Something a person can do. `method` is a Textual action, found on the context's screen."""

    id: str
    keys: tuple[str, ...]
    title: str
    """For the palette and the line of hints: a verb and at most three words."""
    help: str
    """One sentence for the help screen."""
    context: Context
    method: str
    hint: bool = False
    """Shown in the line of hints at the bottom of the screen."""
