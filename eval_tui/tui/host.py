"""What screens and widgets ask of the app they are in."""

from __future__ import annotations

from typing import Literal, cast

from textual.app import App
from textual.message_pump import MessagePump

from eval_tui.tui.text import clean

SAY_SECONDS = 5.0
"""How long a notice stays."""


def app_of(node: MessagePump) -> App[int]:
    """The app of a node, with a type."""
    return cast("App[int]", node.app)  # pyright: ignore[reportUnknownMemberType]


def say(
    node: MessagePump,
    text: str,
    severity: Literal["information", "warning", "error"] = "information",
) -> None:
    """Show a short notice in place of the one before; the text may come from outside."""
    app_of(node).clear_notifications()
    app_of(node).notify(clean(text), severity=severity, timeout=SAY_SECONDS, markup=False)
