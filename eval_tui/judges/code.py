"""Code judges: a function of a module of the project."""

from __future__ import annotations

import copy
import difflib
import importlib
import os
import sys
import sysconfig
from collections.abc import Callable
from types import ModuleType
from typing import Any

from eval_tui.config.schema import Judge
from eval_tui.judges.base import JudgeEnv, JudgeUnusable, Runner, prepare_path
from eval_tui.judges.text import exception_words, own_traceback


def load_code(judge: Judge, env: JudgeEnv) -> Runner:
    """Imports the judge's module and finds its function. Raises JudgeUnusable.

    The function is called as `function(outputs=record)`, with the judge's arguments as further
    keywords when there are any.
    """
    _check_name(judge)
    prepare_path(env)
    module = import_module(judge.module, judge, env)
    _refuse_outside(judge, module, env)
    function = _find(judge, module)

    def run(record: dict[str, Any]) -> object:
        return function(outputs=record, **copy.deepcopy(dict(judge.arguments)))

    return run


def _check_name(judge: Judge) -> None:
    name = judge.module
    if not all(part.isidentifier() for part in name.split(".")):
        dotted = name.removesuffix(".py").replace("\\", "/").strip("./").replace("/", ".")
        raise JudgeUnusable(
            f"`module: {name}` is no module name",
            f"write it with dots and without `.py`, e.g. `module: {dotted}`",
            judge.line,
        )


def import_module(name: str, judge: Judge, env: JudgeEnv) -> ModuleType:
    """Imports the module that a judge lives in. Raises JudgeUnusable, whatever happens there."""
    importlib.invalidate_caches()
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as exc:
        raise _not_found(name, judge, env, exc) from exc
    except (
        BaseException
    ) as exc:  # whatever a module does while it is imported costs this judge alone
        trace = own_traceback(exc, lambda file: _is_own(file, env))
        what = (
            f"`{os.path.relpath(judge.source, env.root)}`" if judge.source else f"module `{name}`"
        )
        text = f"{what} cannot be imported: {exception_words(exc)}"
        raise JudgeUnusable(f"{text}\n{trace}" if trace else text, "", judge.line) from exc


def _not_found(name: str, judge: Judge, env: JudgeEnv, exc: ModuleNotFoundError) -> JudgeUnusable:
    """A missing module: the judge's own, or one that it needs (D50)."""
    missing = exc.name or name
    places = " and ".join(dict.fromkeys([env.root, env.config_dir]))
    if name == missing or name.startswith(missing + "."):
        text = f"there is no module `{missing}` in {places}, nor in {sys.executable}"
    else:
        what = (
            f"`{os.path.relpath(judge.source, env.root)}`" if judge.source else f"module `{name}`"
        )
        text = f"{what} needs `{missing}`, which {sys.executable} does not have"
    hint = "install it for that interpreter, or choose another with --python PATH"
    return JudgeUnusable(text, hint, judge.line)


def _find(judge: Judge, module: ModuleType) -> Callable[..., object]:
    where = getattr(module, "__file__", None) or judge.module
    try:
        function = getattr(module, judge.function)
    except AttributeError:
        close = difflib.get_close_matches(judge.function, list(vars(module)), 1)
        hint = f"did you mean `{close[0]}`?" if close else ""
        text = f"module `{judge.module}` ({where}) has no function `{judge.function}`"
        raise JudgeUnusable(text, hint, judge.line) from None
    if not callable(function):
        text = f"`{judge.function}` in {where} is no function but {type(function).__name__}"
        raise JudgeUnusable(text, "", judge.line)
    return function


def _refuse_outside(judge: Judge, module: ModuleType, env: JudgeEnv) -> None:
    """Judge modules stay inside the project (D5); installed packages belong to its interpreter."""
    file = getattr(module, "__file__", None)
    if not isinstance(file, str):
        return
    real = os.path.realpath(file)
    homes = [env.root, env.config_dir, *sysconfig.get_paths().values()]
    if any(_is_below(real, os.path.realpath(home)) for home in homes if home):
        return
    raise JudgeUnusable(
        f"module `{judge.module}` lies outside the project: {real}",
        "move it into the project, or install it as a package",
        judge.line,
    )


def _is_below(path: str, folder: str) -> bool:
    return path.startswith(folder.rstrip(os.sep) + os.sep)


def _is_own(file: str, env: JudgeEnv) -> bool:
    """Whether a source file is the project's own and not of a package installed in it."""
    in_project = _is_below(file, env.root) or _is_below(file, env.config_dir)
    return in_project and "site-packages" not in file.split(os.sep)
