"""What an action is, and where it is available."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

Context = Literal["app", "grid", "case", "list", "runs", "review", "opinion", "help", "confirm"]
"""Where an action is available. `app`: everywhere; `list`: runs, evals, problems."""

_LAYERS: Final[Mapping[Context, tuple[Context, ...]]] = {"runs": ("list", "runs")}


def layers(context: Context) -> tuple[Context, ...]:
    """The contexts whose actions are available in one: what it is a kind of, and itself."""
    return _LAYERS.get(context, (context,))


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
