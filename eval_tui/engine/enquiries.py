"""Questions about the run in view that a worker answers (see `lookups`): no user code runs.

Each of them raises OSError when it cannot be answered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from eval_tui.engine.grid import (
    CaseView,
    CellKey,
    Counterpart,
    FileEntry,
    FileText,
    RunInfo,
    Side,
)
from eval_tui.engine.session import Session
from eval_tui.engine.threads import in_thread
from eval_tui.engine.views import ViewError
from eval_tui.engine.workers import Workers
from eval_tui.scores import Score

if TYPE_CHECKING:
    from eval_tui.config.schema import Judge
    from eval_tui.engine.calls import ModelCalls
    from eval_tui.engine.dryrun import DryRun
    from eval_tui.engine.stored import StoredGrid

FILE_LIMIT = 20_000_000
"""Bytes of a file that are read for looking at it."""

BEGINNING = 1 << 19
"""Bytes of a long trace that can be read before the rest of it."""

VIEW_TIMEOUT = 60.0
"""Seconds that a worker may take to load a case for reading."""


class Enquiries:
    """Put to a worker, or answered in this process when nothing may be started."""

    def __init__(self, session: Session, pool: Workers, look_only: bool) -> None:
        self._session, self._pool, self._look_only = session, pool, look_only

    async def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to any question of `lookups`."""
        if self._look_only:
            from eval_tui.engine.lookups import LOOKUPS

            return await in_thread(lambda: LOOKUPS[request["op"]](dict(request)))
        try:
            return await self._pool.view(dict(request), VIEW_TIMEOUT)
        except (ViewError, TimeoutError) as error:
            raise OSError(f"the case could not be read: {error}") from error

    async def view(self, case: str, beginning: bool = False) -> CaseView:
        """One case for reading; with `beginning` only the first part of a long trace."""
        first = BEGINNING if beginning else 0
        request = {"op": "case", "record": self._record(), "case": case, "first": first}
        answer = await self.ask(request)
        plain: dict[str, Any] = answer["view"]
        files = tuple(FileEntry(**entry) for entry in plain.pop("files"))
        events, notes = tuple(chain.from_iterable(answer["pieces"])), tuple(plain.pop("notes"))
        return CaseView(**plain, files=files, events=events, notes=notes)

    async def file_text(self, case: str, name: str) -> FileText:
        """The text of one file of a case."""
        request = {"op": "file", "record": self._record(), "case": case, "name": name}
        answer = await self.ask({**request, "limit": FILE_LIMIT})
        return FileText(**answer["file"])

    async def counterparts(
        self, case: str, name: str, run: str, side: Side
    ) -> tuple[Counterpart, ...]:
        """What one file of a case can be compared with; `run`: the folder of one, `side` what it is."""
        config = self._session.target.config
        request = {"op": "counterparts", "record": self._record(), "case": case, "name": name}
        where = {"run": run, "side": side, "root": config.root if config else ""}
        answer = await self.ask({**request, **where, "limit": FILE_LIMIT})
        found: list[dict[str, Any]] = answer["counterparts"]
        return tuple(Counterpart(file=FileText(**one.pop("file")), **one) for one in found)

    async def facts(self, cases: Sequence[str]) -> Mapping[str, Any]:
        """What cases are about, as plain data by case."""
        request = {"op": "facts", "record": self._record(), "cases": list(cases)}
        return (await self.ask(request))["facts"]

    async def column(self, run: RunInfo, judge: Judge) -> Mapping[str, Score]:
        """What a judge, as it is now, said in another run, by case."""
        from eval_tui.engine.over_runs import stored_column

        return await stored_column(self._session, run, judge)

    async def said(self, run: RunInfo, key: CellKey) -> Score | None:
        """What it said there of one case, with its whole rationale."""
        from eval_tui.engine.over_runs import stored_score

        return await stored_score(self._session, run, key)

    async def stored(self, runs: Sequence[RunInfo]) -> Mapping[str, StoredGrid]:
        """Other runs as they were last scored, by their ids, under the judges as they are now."""
        from eval_tui.engine.stored import stored_runs

        config, store = self._session.target.config, self._session.store
        if config is None:
            return {}
        store.flush()  # a run that was in view just now is among them
        return await in_thread(lambda: stored_runs(config, runs))

    async def prompt(self, key: CellKey) -> str:
        """Exactly what a model judge would send for a case."""
        from eval_tui.engine.dryrun import rendered

        return (await rendered(self._session, self.ask, key))["text"]

    async def dry_run(self, key: CellKey, calls: ModelCalls, mask: Callable[[str], str]) -> DryRun:
        """The same with what it takes and what is new in it."""
        from eval_tui.engine.dryrun import dry_run

        return await dry_run(self._session, calls, self.ask, mask, key)

    def _record(self) -> dict[str, Any]:
        spec = self._session.target.spec
        if spec is None:
            raise OSError("there is no run to read from")
        return spec.to_plain()
