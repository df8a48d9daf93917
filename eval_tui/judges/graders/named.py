"""The files of the project that a grader's command names (D39): its verifier, and what the lock pins.

A word of `cmd` or `entrypoint` that names an existing file relative to the config's folder, else
the project root, stands for that file, wherever the command runs. So the agent cannot put another
verifier into its output.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from eval_tui.config.paths import is_within
from eval_tui.config.schema import Grader

_WORD = re.compile(r"""(?:[^\s;&|<>()'"`$\\]|'[^']*'|"[^"`$\\]*")+""")
"""A word of a shell command in which the shell expands nothing."""
_PARTIAL = frozenset("$`\\\"'")
"""Characters that make a word part of a larger one."""


@dataclass(frozen=True)
class Named:
    """A command with the files that it names."""

    command: str
    """The command with their absolute paths in place of the words."""
    files: tuple[str, ...]
    """Absolute paths of the files, each once."""
    missing: tuple[str, ...] = ()
    """Where a file was looked for in vain, for words that look like one."""


def named_in(command: str, bases: Sequence[str]) -> Named:
    """The files that the words of a shell command name; `bases` are absolute folders, in order."""
    pieces: list[str] = []
    files: dict[str, None] = {}
    missing: dict[str, None] = {}
    done = 0
    for match in _WORD.finditer(command):
        word = _plain(command, match)
        path = _look(word, bases, missing) if word else ""
        if path:
            files[path] = None
            pieces += [command[done : match.start()], shlex.quote(path)]
            done = match.end()
    return Named("".join([*pieces, command[done:]]), tuple(files), tuple(missing))


def named_files(grader: Grader, bases: Sequence[str]) -> tuple[str, ...]:
    """Absolute paths of the files that a grader's command names, in order."""
    words = [str(grader.config.get(key) or "") for key in ("cmd", "entrypoint")]
    return tuple(dict.fromkeys(path for text in words for path in named_in(text, bases).files))


def _plain(command: str, match: re.Match[str]) -> str:
    """The word's own text; empty when it is no file name, or only part of a word."""
    around = command[match.start() - 1 : match.start()] + command[match.end() : match.end() + 1]
    if _PARTIAL.intersection(around) or match[0].startswith("-"):
        return ""
    try:
        words = shlex.split(match[0])
    except ValueError:
        return ""
    return words[0] if len(words) == 1 else ""


def _look(word: str, bases: Sequence[str], missing: dict[str, None]) -> str:
    if "\0" in word or (os.path.isabs(word) and not any(is_within(word, b) for b in bases)):
        return ""
    for base in bases:
        path = os.path.normpath(os.path.join(base, word))
        if os.path.isfile(path):
            return path
        if "." in word or "/" in word:  # other words are hardly ever files
            missing[path] = None
    return ""
