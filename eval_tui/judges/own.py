"""Built-in-style judges that are not ours: files of the project, and plugins of packages.

Both are called like the harness calls built-ins: `judge(outputs, **arguments)`.
"""

from __future__ import annotations

import copy
import os
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from eval_tui.config.own_judges import FOLDER
from eval_tui.config.schema import Judge
from eval_tui.judges.base import JudgeEnv, JudgeUnusable, Runner, offered, prepare_path
from eval_tui.judges.code import import_module

FUNCTION = "judge"
_PACKAGE = "project_judges"


def load_own(judge: Judge, env: JudgeEnv) -> Runner:
    """Imports a project's own built-in. Raises JudgeUnusable.

    It is imported as a module of a package that is made up for its category, so its name may be
    that of any other module, it may import its neighbours with a dot, and what it imports is seen
    like the imports of any module.
    """
    prepare_path(env)
    category, _, name = judge.builtin.partition("/")
    package = f"{_PACKAGE}.{category}"
    if package not in sys.modules:
        sys.modules[package] = _package(package, category, env)
    module = import_module(f"{package}.{name}", judge, env)
    function = getattr(module, FUNCTION, None)
    if not callable(function):
        shown = os.path.relpath(judge.source, env.root)
        hint = f"define `def {FUNCTION}(outputs, **arguments)` in it"
        raise JudgeUnusable(f"`{shown}` has no function `{FUNCTION}`", hint, judge.line)
    return _runner(function, judge)


def load_package_judge(judge: Judge, env: JudgeEnv) -> Runner:
    """The judge that an installed package offers. Raises JudgeUnusable."""
    prepare_path(env)
    return _runner(offered("judges", judge.builtin, judge.line), judge)


def _package(name: str, category: str, env: JudgeEnv) -> ModuleType:
    made = ModuleType(name)
    starts = dict.fromkeys([env.root, env.config_dir])
    made.__path__ = [os.path.join(start, FOLDER, category) for start in starts]
    return made


def _runner(function: Callable[..., object], judge: Judge) -> Runner:
    def run(record: dict[str, Any]) -> object:
        return function(record, **copy.deepcopy(dict(judge.arguments)))

    return run
