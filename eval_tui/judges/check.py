"""Inline checks: a snippet of Python in the config that returns its verdict (D16)."""

from __future__ import annotations

import ast
import builtins
import copy
import os
import warnings
from collections.abc import Callable
from typing import Any, cast

from eval_tui.config.schema import Judge
from eval_tui.judges.base import JudgeEnv, JudgeUnusable, Runner, prepare_path

_TEMPLATE = "def check(outputs, arguments, kwargs): pass"


def load_check(judge: Judge, env: JudgeEnv) -> Runner:
    """Compiles `judge.check` as the body of a function. Raises JudgeUnusable.

    The function sees `outputs`, `arguments` and `kwargs` (one mapping under two names). The
    config counts as its source file, so tracebacks name the line in the YAML. A check can import the
    project's modules, as a code judge can.
    """
    prepare_path(env)
    function = _compile(judge, env.config_path)

    def run(record: dict[str, Any]) -> object:
        arguments = copy.deepcopy(dict(judge.arguments)) if judge.arguments else {}
        return function(record, arguments, arguments)

    return run


def _compile(judge: Judge, filename: str) -> Callable[..., object]:
    """The check as a function.

    The snippet is parsed on its own and its statements are moved into the body of a function:
    indenting the text instead would change the inside of string literals.
    """
    first_line = max(judge.check_line, 1)
    where = os.path.basename(filename)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            body = _statements(judge.check)
            if not body:
                raise JudgeUnusable(
                    "the check is blank", "return True, False or a number", first_line
                )
            module = ast.parse(_TEMPLATE)
            cast("ast.FunctionDef", module.body[0]).body = body
            ast.increment_lineno(module, first_line - 1)
            code = compile(module, filename, "exec", dont_inherit=True)
    except SyntaxError as exc:
        line = first_line + (exc.lineno or 1) - 1 if exc.filename != filename else exc.lineno or 0
        text = f"the check is not valid Python: {exc.msg} (line {line} of {where})"
        raise JudgeUnusable(text, "", line) from exc
    except (ValueError, RecursionError, MemoryError) as exc:
        text = f"the check cannot be compiled: {exc or type(exc).__name__}"
        raise JudgeUnusable(text, "", first_line) from exc
    space: dict[str, Any] = {"__builtins__": builtins}
    exec(code, space)
    return cast("Callable[..., object]", space["check"])


def _statements(source: str) -> list[ast.stmt]:
    """The statements of a snippet, numbered from line 1. Raises SyntaxError and ValueError."""
    try:
        return ast.parse(source).body
    except IndentationError as exc:
        # A snippet that is indented as a whole, as quoted YAML text may be.
        try:
            holder = ast.parse("if 1:\n" + source)
        except SyntaxError:
            raise exc from None
        if len(holder.body) != 1:
            raise
        ast.increment_lineno(holder, -1)
        return cast("ast.If", holder.body[0]).body
