"""A dict that loads its values when asked and tells an observer what was asked for.

To its users it is a plain `dict` in every respect they rely on. The keys are physically present
from the start, each with a placeholder, because much of CPython looks at a dict's size and keys
without asking it; every method is overridden, because much else bypasses `__missing__`. What only
C code that walks the raw storage could see is the placeholder, which trips (see `Trip`).
"""

from __future__ import annotations

import contextlib
import copy
import pprint
import reprlib
from collections.abc import Hashable, ItemsView, Iterable, Iterator, ValuesView
from typing import Any, NoReturn, Protocol, cast

import yaml

from eval_tui.record.errors import MissingKey


class Source(Protocol):
    """Where a tracked dict's values come from; each call tells the observer."""

    path: str
    """What the mapping is called: `outputs`, `files`, `annotations`."""

    def load(self, key: Hashable) -> object: ...
    def present(self, key: Hashable) -> None: ...
    def absent(self, key: Hashable) -> None: ...
    def keys(self) -> None: ...


class Trip:
    """Whether something saw a placeholder instead of a value; shared by nested dicts."""

    __slots__ = ("tripped",)

    def __init__(self) -> None:
        self.tripped = False


class RecordPlaceholder:
    """Stands for a value that is not loaded. Any use of it is noted and refused."""

    __slots__ = ("_trip",)

    def __init__(self, trip: Trip) -> None:
        self._trip = trip

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        self._trip.tripped = True
        raise TypeError("RecordPlaceholder: this value was read without asking the record for it")

    __repr__ = __str__ = __bytes__ = __bool__ = __len__ = __iter__ = __getitem__ = _refuse
    __contains__ = __format__ = __hash__ = __eq__ = __ne__ = __lt__ = __gt__ = _refuse
    __le__ = __ge__ = __call__ = __getattr__ = __reduce_ex__ = __copy__ = __deepcopy__ = _refuse
    __int__ = __float__ = __index__ = __add__ = __radd__ = __or__ = __ror__ = _refuse


_plain: type[dict[Any, Any]] = dict

# What `dict` itself does, past the methods below.
_has = _plain.__contains__
_raw = _plain.__getitem__
_put = _plain.__setitem__
_drop = _plain.__delitem__
_forward = _plain.__iter__
_backward = _plain.__reversed__
_size = _plain.__len__
_view = _plain.keys
_merge = _plain.update
_empty = _plain.clear


class TrackedDict(dict[Any, Any]):
    """See the module. Made with `tracked`; called like `dict` it is one without a source."""

    __slots__ = ("_eval_tui_state",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._eval_tui_state: _State | None = None

    def __getitem__(self, key: Any) -> Any:
        if _has(self, key):
            value = _raw(self, key)
            return self.__load(key) if type(value) is RecordPlaceholder else value
        raise self.__missing_key(key)

    def __load(self, key: Any) -> Any:
        state = self._eval_tui_state
        assert state is not None
        value = state.source.load(key)
        _put(self, key, value)
        return value

    def __missing_key(self, key: Any) -> KeyError:
        state = self._eval_tui_state
        if state is None or state.removed(key):
            return KeyError(key)
        state.source.absent(key)
        return MissingKey(key, state.source.path)

    def __keys_seen(self) -> None:
        if self._eval_tui_state is not None:
            self._eval_tui_state.source.keys()

    def get(self, key: Any, default: Any = None, /) -> Any:
        if _has(self, key):
            return self[key]
        state = self._eval_tui_state
        if state is not None and not state.removed(key):
            state.source.absent(key)
        return default

    def __contains__(self, key: object, /) -> bool:
        state = self._eval_tui_state
        if not _has(self, key):
            if state is not None and not state.removed(cast(Hashable, key)):
                state.source.absent(cast(Hashable, key))
            return False
        if state is not None and type(_raw(self, key)) is RecordPlaceholder:
            state.source.present(cast(Hashable, key))
        return True

    def __iter__(self) -> Iterator[Any]:
        self.__keys_seen()
        return _forward(self)

    def __reversed__(self) -> Iterator[Any]:
        self.__keys_seen()
        return _backward(self)

    def __len__(self) -> int:
        self.__keys_seen()
        return _size(self)

    def __bool__(self) -> bool:
        return len(self) > 0

    def keys(self) -> Any:
        self.__keys_seen()
        return _view(self)

    def items(self) -> Any:
        return _Items(self)

    def values(self) -> Any:
        return _Values(self)

    def copy(self) -> dict[Any, Any]:
        return dict(self)

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> dict[Any, Any]:
        plain: dict[Any, Any] = {}
        memo[id(self)] = plain
        for key in self:
            plain[copy.deepcopy(key, memo)] = copy.deepcopy(self[key], memo)
        return plain

    def __reduce_ex__(self, protocol: Any, /) -> Any:
        return (dict, (dict(self),))

    @reprlib.recursive_repr("{...}")
    def __repr__(self) -> str:
        return repr(dict(self))

    def __eq__(self, other: object, /) -> bool:
        if not isinstance(other, dict):
            return NotImplemented
        return dict(self) == dict(cast("dict[Any, Any]", other))

    def __ne__(self, other: object, /) -> bool:
        if not isinstance(other, dict):
            return NotImplemented
        return not self == other

    __hash__ = None  # type: ignore[assignment]

    def __or__(self, other: Any, /) -> Any:
        if not isinstance(other, dict):
            return NotImplemented
        return {**self, **cast("dict[Any, Any]", other)}

    def __ror__(self, other: Any, /) -> Any:
        if not isinstance(other, dict):
            return NotImplemented
        return {**cast("dict[Any, Any]", other), **self}

    def __ior__(self, other: Any, /) -> Any:
        self.update(other)
        return self

    def __setitem__(self, key: Any, value: Any, /) -> None:
        _put(self, key, value)

    def __delitem__(self, key: Any, /) -> None:
        if key not in self:
            raise self.__missing_key(key)
        _drop(self, key)
        self.__removed(key)

    def __removed(self, key: Any) -> None:
        if self._eval_tui_state is not None:
            self._eval_tui_state.gone.add(key)

    def update(self, *args: Any, **kwargs: Any) -> None:
        _merge(self, *args, **kwargs)

    def setdefault(self, key: Any, default: Any = None, /) -> Any:
        if key in self:
            return self[key]
        _put(self, key, default)
        return default

    def pop(self, key: Any, /, *default: Any) -> Any:
        if len(default) > 1:
            raise TypeError(f"pop expected at most 2 arguments, got {len(default) + 1}")
        if key in self:
            value = self[key]
            _drop(self, key)
            self.__removed(key)
            return value
        if default:
            return default[0]
        raise self.__missing_key(key)

    def popitem(self) -> tuple[Any, Any]:
        self.__keys_seen()
        for key in _backward(self):
            return key, self.pop(key)
        raise KeyError("popitem(): dictionary is empty")

    def clear(self) -> None:
        _empty(self)
        if self._eval_tui_state is not None:
            self._eval_tui_state.all_gone = True

    @classmethod
    def fromkeys(cls, iterable: Iterable[Any], value: Any = None, /) -> dict[Any, Any]:
        return dict.fromkeys(iterable, value)


class _State:
    """A tracked dict's source, and which keys the judge itself took out (D25)."""

    __slots__ = ("all_gone", "gone", "source", "trip")

    def __init__(self, source: Source, trip: Trip) -> None:
        self.source = source
        self.trip = trip
        self.gone: set[Hashable] = set()
        self.all_gone = False

    def removed(self, key: Hashable) -> bool:
        return self.all_gone or key in self.gone


class _Items(ItemsView[Any, Any]):
    """`items()`: loads a value only when the iteration gets there."""

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        mapping = cast(TrackedDict, self._mapping)
        return ((key, mapping[key]) for key in mapping)

    def __reversed__(self) -> Iterator[tuple[Any, Any]]:
        mapping = cast(TrackedDict, self._mapping)
        return ((key, mapping[key]) for key in reversed(mapping))

    def __repr__(self) -> str:
        return f"dict_items({list(self)!r})"


class _Values(ValuesView[Any]):
    """`values()`: loads a value only when the iteration gets there."""

    def __iter__(self) -> Iterator[Any]:
        mapping = cast(TrackedDict, self._mapping)
        return (mapping[key] for key in mapping)

    def __reversed__(self) -> Iterator[Any]:
        mapping = cast(TrackedDict, self._mapping)
        return (mapping[key] for key in reversed(mapping))

    def __repr__(self) -> str:
        return f"dict_values({list(self)!r})"


def attach(record: TrackedDict, source: Source, keys: Iterable[Hashable], trip: Trip) -> None:
    """Gives an empty tracked dict its source and its keys."""
    placeholder = RecordPlaceholder(trip)
    for key in keys:
        _put(record, key, placeholder)
    record._eval_tui_state = _State(source, trip)


def trip_of(record: TrackedDict) -> Trip | None:
    """The tripwire of a tracked dict, None if it has no source."""
    state = record._eval_tui_state
    return state.trip if state is not None else None


def _represent(dumper: Any, record: TrackedDict) -> Any:
    return dumper.represent_dict(dict(record))


def register(kind: type[TrackedDict]) -> None:
    """Makes PyYAML and pprint treat `kind` as the dict that it is."""
    for name in _DUMPERS:
        dumper = getattr(yaml, name, None)
        if dumper is not None:
            dumper.add_representer(kind, _represent)
    for representer in (yaml.representer.SafeRepresenter, yaml.representer.Representer):
        representer.add_representer(kind, cast(Any, _represent))
    printer: Any = pprint.PrettyPrinter
    with contextlib.suppress(AttributeError):
        printer._dispatch[kind.__repr__] = printer._pprint_dict


_DUMPERS = ("BaseDumper", "SafeDumper", "Dumper", "CBaseDumper", "CSafeDumper", "CDumper")
