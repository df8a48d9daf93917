"""Reading the small YAML documents of a case: tolerant of odd scalars, safe against bombs."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import Any, cast

import yaml

_MAX_NODES = 200_000
"""A document whose aliases expand to more values than this is refused."""

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _TolerantLoader(_Loader):
    """The safe loader, except that a date that does not exist stays the text it is."""


def _timestamp(loader: Any, node: Any) -> object:
    try:
        return loader.construct_yaml_timestamp(node)
    except (ValueError, AttributeError):
        return loader.construct_scalar(node)


_TolerantLoader.add_constructor("tag:yaml.org,2002:timestamp", _timestamp)


def load_yaml(data: bytes) -> object:
    """The plain value of a YAML document; None for an empty one.

    Raises ValueError, in words that name the line where there is one, for anything that is no
    single plain document: bad syntax, unknown tags, cycles, aliases that expand without end.
    """
    text = _text(data)
    loader = _TolerantLoader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        if "*" in text:  # without an alias there is neither a cycle nor a bomb
            _check(node)
        return loader.construct_document(node)
    except yaml.YAMLError as error:
        raise ValueError(_words(error)) from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except (TypeError, OverflowError, AttributeError, LookupError) as error:
        raise ValueError(f"a value is not of its type ({error})") from None
    finally:
        loader.dispose()


def dump_block(value: object) -> str:
    """The value as block-style YAML with sorted keys."""
    return str(cast(Any, yaml).safe_dump(value, default_flow_style=False, allow_unicode=True))


def _text(data: bytes) -> str:
    for bom in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        if data.startswith(bom):
            return data.decode("utf-16", "replace")
    return data.removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace")


def _check(root: Any) -> None:
    """Refuses cycles and documents that grow without bound when their aliases are expanded."""
    sizes: dict[int, int] = {}
    open_nodes: set[int] = set()
    stack: list[tuple[Any, bool]] = [(root, False)]
    while stack:
        node, done = stack.pop()
        key = id(node)
        if done:
            open_nodes.discard(key)
            sizes[key] = 1 + sum(sizes[id(child)] for child in _children(node))
            if sizes[key] > _MAX_NODES:
                raise ValueError(f"its aliases expand to more than {_MAX_NODES} values")
        elif key in open_nodes:
            raise ValueError(f"line {node.start_mark.line + 1}: it contains itself")
        elif key not in sizes:
            open_nodes.add(key)
            stack.append((node, True))
            stack.extend((child, False) for child in _children(node) if id(child) not in sizes)


def _children(node: Any) -> Iterator[Any]:
    if isinstance(node, yaml.MappingNode):
        for key, value in cast("list[tuple[Any, Any]]", node.value):
            yield key
            yield value
    elif isinstance(node, yaml.SequenceNode):
        yield from cast("list[Any]", node.value)


def _words(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error).split("\n", 1)[0]
    return f"line {mark.line + 1}: {problem}" if mark is not None else str(problem)
