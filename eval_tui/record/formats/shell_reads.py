"""Which files a shell command reads, as far as that can be told for certain."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence

_SHELLS = frozenset({"bash", "sh", "zsh", "dash"})
_GIVE_UP = ("$(", "`", "<(", ">(")
_REDIRECTION = re.compile(r"^(?:&|\d*)(?:>>|>|<)&?(?P<target>.*)$", re.DOTALL)
_SKIPS_VALUE = frozenset({"-n", "--lines", "-c", "--bytes"})


def read_paths(command: str) -> list[str]:
    """The paths that `cat`, `head`, `tail` or `sed` reads in a single plain command; else none."""
    words = _split(command)
    if words and _program(words) in _SHELLS:
        if not any(word.startswith("-") and "c" in word for word in words[1:-1]):
            return []
        command = words[-1]
        words = _split(command)
    if not words or any(mark in command for mark in _GIVE_UP):
        return []
    words = _without_redirections(words)
    if not words or any(mark in word for word in words for mark in "|;&"):
        return []
    program = _program(words)
    if program == "cat":
        return _operands(words[1:], frozenset())
    if program in ("head", "tail"):
        return _operands(words[1:], _SKIPS_VALUE)
    return _sed(words[1:]) if program == "sed" else []


def _split(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return []


def _program(words: Sequence[str]) -> str:
    return os.path.basename(words[0])


def _without_redirections(words: Sequence[str]) -> list[str]:
    kept: list[str] = []
    target_follows = False
    for word in words:
        if target_follows:
            target_follows = False
            continue
        redirection = _REDIRECTION.match(word)
        if redirection:
            target_follows = not redirection["target"]
        else:
            kept.append(word)
    return kept


def _operands(words: Sequence[str], skips_value: frozenset[str]) -> list[str]:
    """The words that are no options, and no values of the options that take one."""
    kept: list[str] = []
    skip = options_over = False
    for word in words:
        if skip:
            skip = False
        elif options_over or not word.startswith("-"):
            kept.append(word)
        elif word == "--":
            options_over = True
        else:
            skip = word in skips_value
    return kept


def _sed(words: Sequence[str]) -> list[str]:
    scripts: list[str] = []
    operands: list[str] = []
    has_program = False
    pending = ""
    for word in words:
        if pending:
            scripts += [word] if pending == "file" else []
            pending = ""
        elif word in ("-e", "--expression"):
            pending, has_program = "expression", True
        elif word in ("-f", "--file"):
            pending, has_program = "file", True
        elif word.startswith(("-e", "--expression=")):
            has_program = True
        elif word.startswith("--file="):
            scripts.append(word.partition("=")[2])
            has_program = True
        elif word.startswith("-f"):
            scripts.append(word[2:])
            has_program = True
        elif not word.startswith("-"):
            operands.append(word)
    return scripts + (operands if has_program else operands[1:])
