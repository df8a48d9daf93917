"""What every kind of judge shares: the environment it loads in and the words for failing."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from eval_tui.config.problems import Problem, with_hint
from eval_tui.config.schema import Judge
from eval_tui.plugins import Kind, PluginUnusable, load_plugin, plugin_name
from eval_tui.scores import Reason

Runner = Callable[[dict[str, Any]], object]
"""A loaded judge: takes a case's record and gives the raw value that the author returned."""


@dataclass(frozen=True)
class JudgeEnv:
    """Where judges are loaded: absolute paths of the project root and of the config file."""

    root: str
    config_path: str
    config_dir: str = ""
    """Absolute path of the config's folder; taken from `config_path` when empty."""

    def __post_init__(self) -> None:
        if not self.config_dir:
            object.__setattr__(self, "config_dir", os.path.dirname(self.config_path))


def prepare_path(env: JudgeEnv) -> None:
    """Puts the project root, then the config's folder, in front of the import path (D5)."""
    front = list(dict.fromkeys([env.root, env.config_dir]))
    if sys.path[: len(front)] != front:
        sys.path[:] = front + [entry for entry in sys.path if entry not in front]


def env_of(judge: Judge, env: JudgeEnv) -> JudgeEnv:
    """The environment of a judge that stands in another file than the config (D52)."""
    return JudgeEnv(env.root, judge.file, env.config_dir) if judge.file else env


class JudgeUnusable(Exception):
    """A judge that cannot be loaded: its whole column is `unsupported` (D3)."""

    def __init__(self, detail: str, hint: str = "", line: int = 0) -> None:
        super().__init__(detail)
        self.detail = detail
        self.hint = hint
        """What the author can do about it, or empty."""
        self.line = line
        """1-based line in the config, 0 if unknown."""

    @property
    def words(self) -> str:
        """Detail and hint as the cells of the column show them."""
        return with_hint(self.detail, self.hint)

    def to_plain(self) -> dict[str, Any]:
        """The same as a worker tells it."""
        return {"detail": self.detail, "hint": self.hint, "line": self.line}

    def problem(self, judge: Judge, config_path: str) -> Problem:
        """The same as an entry of the list of problems."""
        place, code = self.line or judge.line, "judge-not-loaded"
        return Problem(
            "error",
            code,
            self.detail,
            judge.file or config_path,
            place,
            judge=judge.name,
            hint=self.hint,
        )


def offered(kind: Kind, name: str, line: int = 0) -> Callable[..., object]:
    """What an installed package offers as `plugin/name`; `line` is that of the entry which wants it.

    Raises JudgeUnusable.
    """
    try:
        return load_plugin(kind, plugin_name(name))
    except PluginUnusable as exc:
        hint = "install the package for that interpreter, or choose another with --python PATH"
        raise JudgeUnusable(str(exc), hint, line) from exc


class NotMeasured(Exception):
    """Raised by built-ins for a case that they cannot judge: becomes an unmeasured score (D19)."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail
