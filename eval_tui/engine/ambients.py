"""What judges rest on beyond their cases, as the session knows it, and the index over all paths."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple

from eval_tui.engine.entries import Inputs
from eval_tui.engine.plan import PathIndex, Snapshot
from eval_tui.engine.store import Store

Entry = tuple[str, str, str]

CROWD = 256
"""Ambients above those in use that are kept before anybody looks which are."""


class Change(NamedTuple):
    """Paths that changed, and what may rest on one of them."""

    paths: frozenset[str]
    around: frozenset[str]
    """The paths and their folders."""
    cases: set[str]
    ambients: set[str]


class Dependencies:
    """Ambients by their ids, extra files by case, and which paths changed while work was under way."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._ambients: dict[str, dict[Entry, None]] = {}
        self._extras: dict[str, frozenset[str]] = {}
        self._recent: dict[str, int] = {}
        self._changes: dict[int, Change] = {}
        self._seen = Snapshot()
        self._enough = CROWD
        self.index = PathIndex()

    def forget_cases(self) -> None:
        """Another run is shown: what is known of judges stays, what is known of cases goes."""
        self._extras.clear()
        self.nothing_under_way()
        self.index = PathIndex()
        self._ambients.clear()

    def knows(self, ambient: str) -> bool:
        return ambient in self._ambients

    def load(self, ids: Iterable[str]) -> None:
        """Take ambients over from the store; unknown ones stay unknown."""
        missing = [ambient for ambient in ids if ambient not in self._ambients]
        for ambient, inputs in self._store.ambients(missing).items():
            self._ambients[ambient] = {(i[0], i[1], i[2]): None for i in inputs}
            self._reads(ambient, self.index.add_ambient(ambient, inputs))

    def inputs(self, ambient: str) -> Inputs:
        """What is known under the id; empty when nothing is."""
        self.load([ambient] if ambient else [])
        return [list(entry) for entry in self._ambients.get(ambient, ())]

    def learn(self, ambient: str, inputs: Iterable[Iterable[str]]) -> bool:
        """Learn more of an ambient; True when two versions of one thing were seen in it."""
        known = self._ambients.setdefault(ambient, {})
        versions = {(kind, key): version for kind, key, version in known}
        torn = False
        for kind, key, version in inputs:
            torn = torn or versions.get((kind, key), version) != version
            known[(kind, key, version)] = None
        self._reads(ambient, self.index.add_ambient(ambient, inputs))
        self._store.put_ambient(ambient, [list(entry) for entry in known])
        return torn

    @property
    def crowded(self) -> bool:
        """Much is known that no cell in view may rest on any more: every plan brings new ambients."""
        return len(self._ambients) > self._enough

    def prune(self, used: set[str]) -> None:
        """Forget ambients that nobody uses; the store still has those that results rest on."""
        self._ambients = {key: known for key, known in self._ambients.items() if key in used}
        self._enough = 2 * len(self._ambients) + CROWD
        self.index.keep_ambients(used)
        self._changes.clear()
        self._store.keep_ambients(used)

    def extra(self, case: str) -> list[str]:
        """Files outside of its folders that a case's record rests on, sorted."""
        return sorted(self._extras.get(case, ()))

    def note_extra(self, case: str, paths: Iterable[str]) -> None:
        """Learn which these are."""
        self._extras[case] = frozenset(paths)
        new = self.index.add_extra(case, self._extras[case])
        for change in self._concerned(new):
            change.cases.add(case)

    def note_changes(self, paths: Iterable[str], epoch: int) -> None:
        """Paths changed while batches are under way: results that rest on them come too late."""
        self._recent.update(dict.fromkeys(paths, epoch))
        self._changes.clear()

    def nothing_under_way(self) -> None:
        """No result can come too late any more."""
        self._recent.clear()
        self._changes.clear()

    def changed_since(self, epoch: int, snapshot: Snapshot) -> Change:
        """What changed after a batch of that epoch had left.

        It is asked for each result, and thousands of files may have changed: worked out once.
        """
        if self._seen is not snapshot:
            self._seen = snapshot
            self._changes.clear()
        if epoch not in self._changes:
            paths = frozenset(path for path, at in self._recent.items() if at > epoch)
            self._changes[epoch] = self.change(paths, snapshot)
        return self._changes[epoch]

    def change(self, paths: Iterable[str], snapshot: Snapshot) -> Change:
        """What may rest on one of these paths."""
        paths = frozenset(paths)
        cases, ambients = self.index.cases_of(paths, snapshot), self.index.ambients_of(paths)
        return Change(paths, paths.union(map(os.path.dirname, paths)), set(cases), ambients)

    def _reads(self, ambient: str, new: set[str]) -> None:
        for change in self._concerned(new):
            change.ambients.add(ambient)

    def _concerned(self, new: set[str]) -> list[Change]:
        """The known changes of which one is now known to be read, or its folder to be listed."""
        return [change for change in self._changes.values() if not change.around.isdisjoint(new)]
