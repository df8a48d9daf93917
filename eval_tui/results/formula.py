"""Reward formulas at work: a checked formula is walked, never handed to Python (harness.md 16)."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from eval_tui.config.formula import FUNCTIONS

_ARITHMETIC: Final[dict[type[ast.operator], Callable[[float, float], float]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda one, other: one / other,
    ast.FloorDiv: lambda one, other: one // other,
    ast.Mod: operator.mod,
}
_COMPARISONS: Final[dict[type[ast.cmpop], Callable[[Any, Any], bool]]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda item, items: item in [_single(one) for one in items],
    ast.NotIn: lambda item, items: item not in [_single(one) for one in items],
}


class NoValue(LookupError):
    """The formula needs the value of a judge that has none; the text is the judge's name."""


class Formula:
    """A formula that `config.formula.check_formula` has let pass."""

    def __init__(self, source: str) -> None:
        self._body = ast.parse(source.strip()).body

    def __call__(self, values: Mapping[str, float]) -> object:
        """What the formula comes to with these values of judges by name.

        Raises NoValue, and TypeError, ValueError or ArithmeticError for what cannot be worked out.
        """
        names: dict[str, object] = {}
        for statement in self._body:
            if isinstance(statement, ast.Assign):
                value = _value(statement.value, names, values)
                names |= {cast("ast.Name", target).id: value for target in statement.targets}
        last = self._body[-1]
        assert isinstance(last, ast.Expr)
        return _value(last.value, names, values)


def _value(node: ast.expr, names: Mapping[str, object], values: Mapping[str, float]) -> Any:
    def of(inner: ast.expr) -> Any:
        return _value(inner, names, values)

    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return _named(name, names, values)
        case ast.BinOp(left=left, op=op, right=right):
            # Floats all the way: whole numbers that are multiplied again and again fill the memory.
            return _ARITHMETIC[type(op)](_number(of(left)), _number(of(right)))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not of(operand)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_number(of(operand))
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _number(of(operand))
        case ast.BoolOp(op=op, values=operands):
            found = of(operands[0])
            for operand in operands[1:]:
                if bool(found) == isinstance(op, ast.Or):
                    break
                found = of(operand)
            return found
        case ast.Compare(left=left, ops=ops, comparators=others):
            before = of(left)
            for op, other in zip(ops, others, strict=True):
                after = of(other)
                if not isinstance(op, (ast.In, ast.NotIn)):
                    _single(after)
                if not _COMPARISONS[type(op)](_single(before), after):
                    return False
                before = after
            return True
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return of(body) if of(test) else of(orelse)
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [of(item) for item in items]
        case ast.Call(func=ast.Name(id=name), args=args) if name not in names:
            return _called(name, [of(arg) for arg in args])
        case _:
            raise TypeError(f"`{ast.unparse(node)}` cannot be worked out")


def _named(name: str, names: Mapping[str, object], values: Mapping[str, float]) -> object:
    if name in names:
        return names[name]
    if name in FUNCTIONS:  # they hide judges of that name
        raise TypeError(f"`{name}` is a function: call it")
    if name not in values:
        raise NoValue(name)
    return values[name]


def _single(value: object) -> object:
    """What may be compared: no lists, as lists of lists of lists take forever."""
    if isinstance(value, list):
        raise TypeError("a list is compared")
    return value


def _number(value: object) -> float:
    if not isinstance(value, (bool, int, float)):
        what = "a list" if isinstance(value, list) else "nothing"
        raise TypeError(f"{what} is used as a number")
    return float(value)


def _called(name: str, args: list[Any]) -> Any:
    match name:
        case "mean":
            items = [_number(item) for item in (args[0] if _is_list(args) else args)]
            return sum(items) / len(items) if items else 0.0
        case "round":
            number, *digits = map(_number, args)
            return round(number, *map(int, digits[:1])) if digits else float(round(number))
        case "sum":
            return sum(map(_number, args[0] if _is_list(args) else args))
        case "abs":
            (number,) = args
            return abs(_number(number))
        case "len":
            (items,) = args
            return len(items)
        case _:
            least_or_most = {"min": min, "max": max}[name]
            return least_or_most(map(_number, args[0] if _is_list(args) else args))


def _is_list(args: list[Any]) -> bool:
    return len(args) == 1 and isinstance(args[0], list)
