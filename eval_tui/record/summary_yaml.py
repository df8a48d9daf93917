"""YAML that other tools wrote into a `summary.yaml`: read tolerantly, down to plain values (D32)."""

from __future__ import annotations

import re
import reprlib
from typing import Any

import yaml

from eval_tui.config.decoding import decode

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_REPR = reprlib.Repr()
_REPR.maxlevel = 3


def text_of(value: object) -> str:
    """The value as text; nothing for None, and in a few words for what is no text."""
    return "" if value is None else value if isinstance(value, str) else short(value)


def short(value: object) -> str:
    """The value in a few words; `reprlib` looks at no more of it than it shows."""
    words = " ".join(_REPR.repr(value).split())
    return words if len(words) <= 200 else words[:199] + "…"


class _Tolerant(_Loader):  # type: ignore[misc, valid-type]
    """The safe loader, where unknown tags, bad dates and odd keys cost only themselves."""


def _construct_mapping(loader: Any, node: Any) -> Any:
    """A mapping whose scalar keys keep their text: case ids and judge names are names (D8)."""
    result: dict[Any, Any] = {}
    yield result
    for key_node, value_node in node.value:
        is_text = isinstance(key_node, yaml.ScalarNode)
        key = key_node.value if is_text else short(loader.construct_object(key_node, deep=True))
        result[key] = loader.construct_object(value_node, deep=True)


def _construct_unknown(loader: Any, suffix: str, node: Any) -> Any:
    """The plain value below a tag of another tool, e.g. of Python tuples and numbers."""
    if isinstance(node, yaml.MappingNode):
        pairs = [(loader.construct_object(k, deep=True), v) for k, v in node.value]
        return {text_of(key): loader.construct_object(value, deep=True) for key, value in pairs}
    if isinstance(node, yaml.SequenceNode):
        items = [loader.construct_object(item, deep=True) for item in node.value]
        # `python/object/apply:` names a class and lists its arguments: one number is a number.
        alone = "object/apply" in suffix and len(items) == 1
        return _number(items[0]) if alone else items
    return _number(node.value)


def _number(text: object) -> object:
    """A number that was written as text, else the value unchanged."""
    if isinstance(text, str) and re.fullmatch(r"[-+]?\d+(\.\d+)?([eE][-+]?\d+)?", text):
        return float(text) if re.search(r"[.eE]", text) else int(text)
    return text


def _construct_text(loader: Any, node: Any) -> str:
    return node.value


_Tolerant.add_constructor("tag:yaml.org,2002:map", _construct_mapping)
_Tolerant.add_constructor("tag:yaml.org,2002:timestamp", _construct_text)
_Tolerant.add_constructor("tag:yaml.org,2002:binary", _construct_text)
_Tolerant.add_constructor("tag:yaml.org,2002:value", _construct_text)
_Tolerant.add_multi_constructor("!", _construct_unknown)
_Tolerant.add_multi_constructor("tag:", _construct_unknown)


def what_is_wrong(exc: Exception) -> tuple[str, int, int]:
    """What kept a document from being loaded, in words, and the 1-based place or zeros."""
    mark = getattr(exc, "problem_mark", None)
    words = getattr(exc, "problem", None) or str(exc) or type(exc).__name__
    return (str(words), mark.line + 1, mark.column + 1) if mark else (str(words), 0, 0)


def load_summary(data: bytes) -> object:
    """The document's value. Raises yaml.YAMLError, ValueError or RecursionError."""
    text = decode(data).text
    # Characters that YAML refuses appear in what models write; they cost only themselves.
    return yaml.load(_REFUSED.sub("\ufffd", text), _Tolerant)


_REFUSED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
