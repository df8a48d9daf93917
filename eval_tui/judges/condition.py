"""`if:`: whether a judge looks at a case at all (D8, D16)."""

from __future__ import annotations

import ast
import functools
import warnings
from types import CodeType
from typing import Any

from eval_tui.config.schema import Judge
from eval_tui.scores import Reason, Unmeasured

FILENAME = "<if>"
"""What tracebacks name as the file of a condition."""


def evaluate(expression: str | bool | None, record: dict[str, Any]) -> bool:
    """Whether the judge applies to the case.

    None and an empty text are no condition, an unquoted true or false is itself (D8). Text is
    a Python expression without any built-in function that sees `outputs` and `annotations`;
    whatever it raises, SyntaxError included, goes to the caller.
    """
    if expression is None or expression == "":
        return True
    if isinstance(expression, bool):
        return expression
    code, uses_annotations = _compiled(expression)
    space: dict[str, Any] = {"__builtins__": {}, "outputs": record}
    # Taken from the record only when the expression asks for them: what is read is an input.
    if uses_annotations:
        space["annotations"] = record["annotations"]
    return bool(eval(code, space))


def skipped(judge: Judge) -> Unmeasured:
    """The score of a case that the judge's condition leaves out."""
    expression = judge.condition
    if isinstance(expression, bool):
        detail, recovery = f"switched off: `{word_of(judge)}: false`", frozenset({"config"})
    else:
        detail = f"skipped: `{word_of(judge)}: {str(expression).strip()}` is false for this case"
        recovery = frozenset({"config", "evidence"})
    return Unmeasured(Reason.POLICY_SKIP, detail, recover_on=recovery)


def word_of(judge: Judge) -> str:
    """The key that a condition stands under."""
    return "when" if judge.kind == "grader" else "if"


@functools.lru_cache(maxsize=512)
def _compiled(expression: str) -> tuple[CodeType, bool]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(expression.lstrip(" \t"), FILENAME, "eval")
        code = compile(tree, FILENAME, "eval", dont_inherit=True)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return code, "annotations" in names
