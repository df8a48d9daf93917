"""Calling a judge on a record of its own, and what becomes of it: a score, whatever the judge does."""

from __future__ import annotations

import contextvars
import functools
from collections.abc import Mapping
from typing import Any

from eval_tui.config.schema import Judge
from eval_tui.engine.observe import Observer, Watch
from eval_tui.engine.seen import Seen, is_young, noting
from eval_tui.engine.workstate import State
from eval_tui.judges.base import env_of
from eval_tui.judges.load import JudgeUnusable, Runner
from eval_tui.judges.outcome import score_of, score_of_exception
from eval_tui.record.case import CaseParts
from eval_tui.record.record import MissingKey, Record, make_record, plain_record, tripped
from eval_tui.scores import Reason, Score, Unmeasured

C_WALKERS = frozenset({"orjson", "msgspec", "ujson", "rapidjson", "pydantic_core"})
"""Libraries that read a dict past its methods."""


def invoke(
    runner: Runner | JudgeUnusable,
    judge: Judge,
    parts: CaseParts,
    seen: Seen,
    watch: Watch,
    state: State,
) -> tuple[Score, bool]:
    """The score, and whether it may be that of a document that is just being written (D13)."""
    raw: object = None
    error: BaseException | None = None
    if isinstance(runner, JudgeUnusable):
        change = frozenset({"config", "code"})
        return Unmeasured(Reason.UNSUPPORTED, runner.words, recover_on=change), False
    for plain in (judge.name in state.plain or _walks_in_c(judge, state.observer), True):
        raw, error, stumbled = _try(runner, judge, parts, seen, watch, state.observer, plain)
        if not stumbled:
            break
        state.plain.add(judge.name)
    if error is None:
        try:
            return score_of(raw, judge), False
        except BaseException as exc:  # what was returned may run code of its own
            error = exc
    files = {env_of(judge, state.env).config_path, *state.observer.modules.files}
    return score_of_exception(error, judge, files, parts), is_young(error)


class Watched:
    """While inside, what user code looks at is noted and imports are blamed on the judge."""

    def __init__(self, observer: Observer, watch: Watch, judge: Judge) -> None:
        self.observer, self.watch, self.importer = observer, watch, importer_of(judge)

    def __enter__(self) -> None:
        self.observer.modules.current = self.importer
        self.observer.watch = self.watch

    def __exit__(self, *exc: object) -> None:
        self.observer.watch = None
        self.observer.modules.current = ""


def importer_of(judge: Judge) -> str:
    """The name under which what a judge imports is filed."""
    return f"judge:{judge.name}"


def _walks_in_c(judge: Judge, observer: Observer) -> bool:
    """Whether the judge may hand its record to C code, which would see placeholders.

    The record notices most of that by itself; not when the judge swallows the error.
    """
    imported = observer.modules.imported(importer_of(judge))
    return not C_WALKERS.isdisjoint(imported) or _names_a_walker(judge.check)


@functools.lru_cache(maxsize=1024)
def _names_a_walker(check: str) -> bool:
    return any(name in check for name in C_WALKERS)


def _try(
    runner: Runner,
    judge: Judge,
    parts: CaseParts,
    seen: Seen,
    watch: Watch,
    observer: Observer,
    plain: bool,
) -> tuple[object, BaseException | None, bool]:
    """(what the judge returned, what it raised, whether it needs a plain dict)."""
    record: dict[str, Any] | None = None
    raw: object = None
    error: BaseException | None = None
    try:
        record = make_record(parts, noting(seen), trusted=judge.kind == "builtin")
        if plain:
            record = _plain(plain_record(parts, noting(seen)))
        with Watched(observer, watch, judge):
            # A context of its own: decimal's precision and the like are not handed on.
            raw = contextvars.copy_context().run(runner, record)
    except BaseException as exc:
        error = exc
    return raw, error, isinstance(record, Record) and tripped(record, error)


class _Plain(dict[Any, Any]):
    """A dict with nothing to load that still says which of our mappings lacks a key."""

    def __init__(self, values: Mapping[Any, Any], path: str) -> None:
        super().__init__(values)
        self._path = path

    def __missing__(self, key: Any) -> Any:
        raise MissingKey(key, self._path)


def _plain(record: dict[str, Any]) -> dict[str, Any]:
    for key in ("files", "annotations"):
        record[key] = _Plain(record[key], key)
    return _Plain(record, "outputs")
