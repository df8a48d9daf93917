"""Taking up what an earlier session knew of a grid: bit by bit, then compared with the disk.

Many rows take long to unpack, so those that come first in the grid are unpacked first, and any
other one the moment somebody asks for a cell of it: whoever looks never sees a row that is known
as if it were not. Until all rows are there nothing is judged, and nobody counts them.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING

from eval_tui.engine.cells import CellInfo, restored
from eval_tui.engine.entries import Inputs, StoredRow
from eval_tui.engine.grid import CellKey, cell_key

if TYPE_CHECKING:
    from eval_tui.engine.plan import Snapshot
    from eval_tui.engine.session import Session


class Restore:
    """The stored cells of a session's grid, from the store to the comparison with the disk."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._thread = threading.get_ident()
        self._left: dict[str, None] = {}
        """Cases whose cells are still to be taken up, in the order of the grid."""
        self._names: dict[tuple[str, str], list[str]] = {}
        """What the store knows a judge by -> its names."""
        self._samples: dict[str, int] = {}
        """How many answers make a score of each judge."""
        self._judged: frozenset[str] = frozenset()
        self._due: set[CellKey] = set()
        """Cells of which the store holds nothing."""
        self._ambients: set[str] = set()
        self._unusable: list[CellKey] = []
        self.checking: set[CellKey] = set()
        """Cells that are not known to hold yet: being taken up, or being compared with the disk."""

    @property
    def left(self) -> int:
        """How many cases are still to be taken up."""
        return len(self._left)

    def begin(self) -> None:
        """Another grid: whatever was known of it is to be taken up again."""
        session = self._session
        ran = session.snapshot.cases | session.target.recorded.keys()
        self._left = {row.case: None for row in session.rows if row.case in ran}
        self._look_at_judges()
        self._due, self._ambients, self._unusable, self.checking = set(), set(), [], set()
        session.store.look_at(session.run_key)

    def _look_at_judges(self) -> None:
        session = self._session
        self._names = {}
        for name, key in session.snapshot.judges.items():
            self._names.setdefault((key.fingerprint, key.condition), []).append(name)
        self._samples = {
            judge.name: session.asking.samples_of(judge) if judge.asks_model else 1
            for judge in session.columns
        }
        self._judged = self._always_judged()

    def come(self, before: Snapshot, trigger: str) -> set[CellKey]:
        """Judges may have come to the grid: their cells that the store holds are taken up as well.

        Those of single cases come late, once all cases were looked at. Returns the cells that are
        to be compared with the disk before they are trusted.
        """
        session = self._session
        old = {key.fingerprint for key in before.judges.values()}
        new = {
            name
            for name, key in session.snapshot.judges.items()
            if name not in before.judges and key.fingerprint not in old
        }
        self._look_at_judges()
        found: set[CellKey] = set()
        rows = session.store.rows(session.run_key, session.snapshot.cases) if new else {}
        for case, row in rows.items():
            found |= self._cells({name: cell_key((case, name)) for name in new}, row)
        if found:
            self.checking |= found
            session.begin(trigger, 0)  # workers of before do not know these judges
            session.dependencies.load(self._ambients - {""})
            self._tell_unusable()
        return found

    def need(self, case: str) -> None:
        """Somebody looks at the case. Threads other than the session's own change nothing."""
        if case in self._left and threading.get_ident() == self._thread:
            self._take([case])

    def some(self, cells: int) -> None:
        """Take up the cases that come next, with about so many cells."""
        judges = max(1, len(self._session.snapshot.judges))
        self._take(list(islice(self._left, max(1, cells // judges))))

    def finish(self) -> set[CellKey]:
        """Take up what is left; returns the cells of which nothing is known that still holds."""
        self._take(list(self._left))
        due, self._due = self._due, set()
        self.checking -= due
        self._session.dependencies.load(self._ambients - {""})
        self._tell_unusable()
        return due

    def _take(self, cases: list[str]) -> None:
        session, infos = self._session, self._session.infos
        judges, present = session.snapshot.judges, session.snapshot.cases
        rows = session.store.rows(session.run_key, cases)
        for case in cases:
            del self._left[case]
            keys = {name: cell_key((case, name)) for name in judges}
            infos.update((keys[n], CellInfo(k.fingerprint, k.condition)) for n, k in judges.items())
            session.display.outdate(keys.values())
            if case in present:
                due = set(keys.values())
                self.checking |= due  # for the time being: so they are shown until all is there
                if case in rows:
                    due -= self._put(case, keys, rows[case])
                self._due |= due

    def _put(self, case: str, keys: Mapping[str, CellKey], row: StoredRow) -> set[CellKey]:
        """Give a case the cells that the store holds; returns those that may still hold."""
        session = self._session
        session.dependencies.note_extra(case, row.extra)
        session.findings.note_keys(case, row.keys)
        return self._cells(keys, row)

    def _cells(self, keys: Mapping[str, CellKey], row: StoredRow) -> set[CellKey]:
        session, infos = self._session, self._session.infos
        holds = row.record == session.snapshot.record
        found: set[CellKey] = set()
        for stored in row.cells:
            for name in self._names.get((stored.fp, stored.condition), ()):
                if (key := keys.get(name)) is None:
                    continue
                same = holds and stored.samples == self._samples[name]
                infos[key] = restored(stored, stored.sig if same else "")
                if name in self._judged or session.judged(key):
                    found.add(key)
                    self._ambients.add(stored.ambient)
                    if stored.score.get("reason") == "unsupported":
                        self._unusable.append(key)
        return found

    def _always_judged(self) -> frozenset[str]:
        """Judges whose every cell a worker has something to do for (see `Session.judged`)."""
        session, policy = self._session, self._session.policy
        if policy.look_only or policy.judges is not None or policy.cases is not None:
            return frozenset()
        judges = (session.judge(name) for name in session.snapshot.judges)
        return frozenset(j.name for j in judges if j.problem is None and not j.asks_model)

    def _tell_unusable(self) -> None:
        """Judges that could not be loaded the last time, from one of their cells each."""
        session, told = self._session, set[str]()
        cells, self._unusable = self._unusable, []
        for key in cells:
            info = session.infos[key]
            if key.judge in told or not info.result:
                continue
            told.add(key.judge)
            result = session.store.result(info.result)
            why = result.extra.get("unusable") if result is not None else None
            if why is not None:
                session.findings.loaded(session.judge(key.judge), session.config, why)

    # Comparing with the disk

    def to_compare(self) -> tuple[list[tuple[str, list[str]]], dict[str, Inputs]]:
        """What must be compared with the disk before stored cells are trusted.

        Cases with the extra files of their records, and ambients with their inputs.
        """
        dependencies, infos = self._session.dependencies, self._session.infos
        cases = sorted(set(map(itemgetter(0), self.checking)))
        ids = {infos[key].ambient for key in self.checking} - {""}
        return (
            [(case, dependencies.extra(case)) for case in cases],
            # One that is not known proves nothing, so its cells are verified.
            {ambient: known for ambient in ids if (known := dependencies.inputs(ambient))},
        )

    def compared(
        self, signatures: Mapping[str, str], holds: Iterable[str]
    ) -> tuple[set[CellKey], set[CellKey]]:
        """The answer to that: the cells that still hold, and those that must be verified."""
        session, good = self._session, {*holds, ""}
        due: set[CellKey] = set()
        never = {j.name for j in session.columns if session.policy.force or not j.cache}
        models = {j.name for j in session.columns if j.asks_model}
        for key in self.checking:
            info = session.infos[key]
            case, judge = key
            trusted = info.sig and signatures.get(case) == info.sig and info.ambient in good
            # What a model may answer now is looked at again: D36 says whether it is asked.
            again = judge in models and (info.plain or {}).get("retryable")
            if not trusted or again or judge in never:
                due.add(key)
        settled, self.checking = self.checking, set()
        return settled - due, due
