"""Under which policy the verdicts of a run were last made (D43)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from eval_tui.config.problems import Problem
from eval_tui.engine.store import Store

if TYPE_CHECKING:
    from eval_tui.engine.authority import Authority
    from eval_tui.verdicts.policy import Stamp


class Stamps:
    """The stamp of the run in view, as it was when it came into view and as it is put now."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._run = ""
        self._before: Stamp | None = None
        self._put = ""
        self.problems: tuple[Problem, ...] = ()
        """That the run's last scoring was under another policy, once that is known."""

    def earlier(self, run: str, authority: Authority) -> Stamp | None:
        """The policy of the run's last scoring, if it is not the one in force."""
        self._look_at(run)
        book = authority.rulebook if self._before is not None else None
        another = book is not None and self._before and self._before.digest != book.stamp.digest
        return self._before if another else None

    def put(self, run: str, authority: Authority) -> None:
        """The run's scores are all there: from now on they stand under this policy."""
        self._look_at(run)
        book = authority.rulebook
        if not run or book is None or self._put == book.stamp.digest:
            return
        before, stamp = self.earlier(run, authority), book.stamp
        self.problems = (_changed(before),) if before is not None else ()
        self._put = stamp.digest
        plain = {"id": stamp.id, "version": stamp.version, "digest": stamp.digest}
        self._store.put_policy(run, {**plain, "document": book.policy.document()})

    def _look_at(self, run: str) -> None:
        if run != self._run:
            self._run, self._before = run, _stamp(self._store.policy(run) if run else None)
            self._put = self._before.digest if self._before else ""
            self.problems = ()


def _changed(before: Stamp) -> Problem:
    message = (
        "the last scoring of this run was under another verdict policy,"
        f" {before.id}@{before.version} ({before.short}): its verdicts are not comparable"
    )
    return Problem("note", "policy-changed", message)


def _stamp(plain: Mapping[str, Any] | None) -> Stamp | None:
    from eval_tui.verdicts.policy import Stamp

    try:
        return Stamp(plain["id"], plain["version"], plain["digest"]) if plain else None
    except KeyError:
        return None
