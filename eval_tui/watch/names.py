"""Which names never count as changes, and which folders are not looked into."""

from __future__ import annotations

import re

TEMPORARY = re.compile(
    r"""
      .*~                                # backups
    | \..*\.sw[a-px]x?                   # vim's swap files
    | \.\#.* | \#.*\#                    # Emacs: locks and auto-saves
    | \.~lock\..*\#                      # LibreOffice's locks
    | .*\.lck
    | .*___jb_(?:tmp|old|bak)___         # JetBrains
    | \..*\.kate-swp
    | \.goutputstream-.*                 # GNOME's text editor
    """,
    re.VERBOSE | re.DOTALL,
)
"""What editors put beside a file while it is open or being saved (S12)."""

VIM_PROBE = "4913"
"""The file that vim creates to learn whether it may write; a *folder* of this name counts."""

NOT_CODE = frozenset(
    {
        ".eval-tui",
        ".git",
        ".hg",
        ".idea",
        ".mypy_cache",
        ".nox",
        ".pytest_cache",
        ".ruff_cache",
        ".svn",
        ".tox",
        ".venv",
        ".vscode",
        "__pycache__",
        "node_modules",
        "site-packages",
    }
)
"""Folders of a project's tree that hold nothing a person edits. In runs and datasets they count:
an agent may well have written them."""


def is_temporary(name: str, is_folder: bool) -> bool:
    """Whether an entry of this name is an editor's own and never a change."""
    if is_folder:
        return False
    return name == VIM_PROBE or TEMPORARY.fullmatch(name) is not None
