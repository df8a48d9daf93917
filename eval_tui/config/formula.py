"""The small language of reward formulas: checked when a config is read, never run here.

Assignments and, last, an expression: numbers, judges' names, arithmetic without powers,
comparisons, `and` / `or` / `not`, `a if b else c`, lists, and a few functions.
"""

from __future__ import annotations

import ast

FUNCTIONS = frozenset({"min", "max", "abs", "round", "sum", "len", "mean"})
MAX_NODES = 200
MAX_NUMBER = 1_000_000
MAX_LENGTH = 10_000

_PLAIN_NODES = (
    ast.Module,
    ast.Expr,
    ast.Assign,
    ast.BinOp,
    ast.UnaryOp,
    ast.BoolOp,
    ast.Compare,
    ast.IfExp,
    ast.List,
    ast.Tuple,
    ast.expr_context,
    ast.boolop,
    ast.unaryop,
    ast.cmpop,
)
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)
_FORBIDDEN: dict[type[ast.AST], str] = {
    ast.Attribute: "attributes such as `a.b`",
    ast.Subscript: "subscripts such as `a[0]`",
    ast.Lambda: "functions of one's own",
    ast.JoinedStr: "text",
    ast.Pow: "powers",
}


class FormulaError(ValueError):
    """A formula that cannot be used; the text says why."""


def check_formula(source: str) -> frozenset[str]:
    """The judges that a formula names. Raises FormulaError if it is not of the language."""
    if len(source) > MAX_LENGTH:
        raise FormulaError("it is too long")
    try:
        tree = ast.parse(source.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        raise FormulaError(f"it cannot be read: {reason or 'too deeply nested'}") from None
    if not tree.body or not isinstance(tree.body[-1], ast.Expr):
        raise FormulaError("its last line must be an expression")
    nodes = list(ast.walk(tree))
    if len(nodes) > MAX_NODES:
        raise FormulaError(f"it has more than {MAX_NODES} parts")
    functions = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    for node in nodes:
        _check(node)
    return _free_names(tree, functions)


def _check(node: ast.AST) -> None:
    match node:
        case ast.Constant(value=value):
            if value is not None and not isinstance(value, (int, float)):
                raise FormulaError("it may hold no text, only numbers and names")
            if value is not None and abs(value) > MAX_NUMBER:
                raise FormulaError(f"numbers may not exceed {MAX_NUMBER:,}")
        case ast.Call(func=func, keywords=keywords):
            if not isinstance(func, ast.Name) or func.id not in FUNCTIONS:
                raise FormulaError(f"only these can be called: {', '.join(sorted(FUNCTIONS))}")
            if keywords:
                raise FormulaError("functions take no named arguments")
        case ast.Name(id=name, ctx=ast.Store()) if name.startswith("_"):
            raise FormulaError(f"`{name}`: names that it assigns may not start with `_`")
        case ast.Name():
            pass
        case ast.operator() if isinstance(node, _OPERATORS):
            pass
        case ast.Assign(targets=targets) if not all(isinstance(t, ast.Name) for t in targets):
            raise FormulaError("it can only assign to plain names")
        case _ if isinstance(node, _PLAIN_NODES):
            pass
        case _:
            what = _FORBIDDEN.get(type(node), f"`{type(node).__name__}`")
            raise FormulaError(f"it may not use {what}")


def _free_names(tree: ast.Module, functions: set[int]) -> frozenset[str]:
    """Names that are read before the formula assigns them and that are no function."""
    assigned: set[str] = set()
    free: set[str] = set()
    for statement in tree.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                is_function = id(node) in functions or node.id in FUNCTIONS
                if node.id not in assigned and not is_function:
                    free.add(node.id)
        if isinstance(statement, ast.Assign):
            assigned |= {target.id for target in statement.targets if isinstance(target, ast.Name)}
    return frozenset(free)
