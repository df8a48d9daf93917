"""What judges rest on beyond their cases, as the session knows it, and the index over all paths."""

from __future__ import annotations

from collections.abc import Iterable

from eval_tui.engine.entries import Inputs
from eval_tui.engine.plan import PathIndex, Snapshot
from eval_tui.engine.store import Store

Entry = tuple[str, str, str]

CROWD = 256
"""Ambients above those in use that are kept before anybody looks which are."""


class Dependencies:
    """Ambients by their ids, extra files by case, and which paths changed while work was under way."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._ambients: dict[str, dict[Entry, None]] = {}
        self._extras: dict[str, frozenset[str]] = {}
        self._recent: dict[str, int] = {}
        self._enough = CROWD
        self.index = PathIndex()

    def forget_cases(self) -> None:
        """Another run is shown: what is known of judges stays, what is known of cases goes."""
        self._extras.clear()
        self._recent.clear()
        self.index = PathIndex()
        self._ambients.clear()

    def knows(self, ambient: str) -> bool:
        return ambient in self._ambients

    def load(self, ids: Iterable[str]) -> None:
        """Take ambients over from the store; unknown ones stay unknown."""
        missing = [ambient for ambient in ids if ambient not in self._ambients]
        for ambient, inputs in self._store.ambients(missing).items():
            self._ambients[ambient] = {(i[0], i[1], i[2]): None for i in inputs}
            self.index.add_ambient(ambient, inputs)

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
        self.index.add_ambient(ambient, inputs)
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
        self._store.keep_ambients(used)

    def extra(self, case: str) -> list[str]:
        """Files outside of its folders that a case's record rests on, sorted."""
        return sorted(self._extras.get(case, ()))

    def note_extra(self, case: str, paths: Iterable[str]) -> None:
        """Learn which these are."""
        self._extras[case] = frozenset(paths)
        self.index.add_extra(case, paths)

    def note_changes(self, paths: Iterable[str], epoch: int) -> None:
        """Paths changed while batches are under way: results that rest on them come too late."""
        self._recent.update(dict.fromkeys(paths, epoch))

    def nothing_under_way(self) -> None:
        """No result can come too late any more."""
        self._recent.clear()

    def changed_since(self, epoch: int) -> set[str]:
        """Paths that changed after a batch of that epoch had left."""
        return {path for path, at in self._recent.items() if at > epoch}

    def rests_on(self, paths: Iterable[str], ambient: str, case: str, snapshot: Snapshot) -> bool:
        """Whether a result of the case may rest on one of the paths."""
        late = set(paths)
        in_case = case in self.index.cases_of(late, snapshot)
        return in_case or ambient in self.index.ambients_of(late)
