"""Opening a file in the person's own editor, with the app out of the way meanwhile."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from textual.app import SuspendNotSupported
from textual.message_pump import MessagePump

from eval_tui.tui.host import app_of, say

_COLON: Final = frozenset({"code", "codium", "cursor", "zed", "subl", "hx", "helix"})
"""Editors that take `file:line`."""

_PLAIN: Final = frozenset({"ed", "gedit", "open", "xdg-open"})
"""Programs that know no lines."""


def editor_command(editor: str, path: str, line: int = 0) -> list[str]:
    """The command that opens a file at a line (from 1; 0 for anywhere) in an editor.

    Raises ValueError where `editor` cannot be split into words or is empty.
    """
    words = shlex.split(editor)
    if not words:
        raise ValueError("the name of the editor is empty")
    program = Path(words[0]).name
    if not line or program in _PLAIN:
        return [*words, path]
    if program in _COLON:
        goto = ["--goto"] if program in ("code", "codium", "cursor") else []
        return [*words, *goto, f"{path}:{line}"]
    return [*words, f"+{line}", path]


def edit(node: MessagePump, path: str, line: int = 0) -> None:
    """Open a file in `$VISUAL`, else `$EDITOR`, else vi, and come back; says what goes wrong."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    if not Path(path).exists():
        say(node, f"{path} does not exist.", "warning")
        return
    try:
        command = editor_command(editor, path, line)
    except ValueError as error:
        say(node, f"$EDITOR cannot be used: {error}", "error")
        return
    try:
        with app_of(node).suspend():
            problem = _run(command)
    except SuspendNotSupported:
        say(node, "An editor cannot be opened from here.", "warning")
        return
    if problem:
        say(node, problem, "error")


def _run(command: Sequence[str]) -> str:
    """Run an editor to its end. What went wrong, or empty."""
    try:
        code = subprocess.run(command, check=False).returncode
    except OSError as error:
        return f"{command[0]} cannot be started: {error.strerror or error}"
    return f"{command[0]} ended with exit code {code}." if code else ""
