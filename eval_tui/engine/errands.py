"""What is looked up while judging goes on: in a worker or a thread, for there may be much of it."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from eval_tui.config.case_graders import ANNOTATIONS
from eval_tui.config.discovery import discover
from eval_tui.engine.credentials import find_credentials
from eval_tui.engine.enquiries import Enquiries
from eval_tui.engine.paid import RunCosts
from eval_tui.engine.reader import Reader
from eval_tui.engine.session import Session
from eval_tui.engine.summary import SUMMARY, YOUNG_S, unpacked, unread
from eval_tui.engine.templates import problems_in, templates_question
from eval_tui.engine.threads import in_thread


class Errands:
    """Other evals, earlier costs, graders of cases, a large summary, templates, and stored cells.

    `update` is called with the trigger when the target is another one because of what was found,
    `apply` with files that are to be looked at again, `told` when there are other problems, and
    `settled` when there may be nothing left to do.
    """

    def __init__(
        self,
        session: Session,
        reader: Reader,
        enquiries: Enquiries,
        *,
        spawn: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]],
        update: Callable[[str], None],
        apply: Callable[[frozenset[str]], None],
        told: Callable[[], None],
        settled: Callable[[], None],
    ) -> None:
        self._session, self._reader, self._enquiries = session, reader, enquiries
        self._spawn, self._update, self._apply = spawn, update, apply
        self._told, self._settled = told, settled
        self._under_way = 0
        self._reread: asyncio.TimerHandle | None = None
        self._summary_task: asyncio.Task[None] | None = None
        self._closed = False

    @property
    def idle(self) -> bool:
        """Nothing is being looked up."""
        return not self._under_way

    def stop(self) -> None:
        """Nothing follows any more from what is found."""
        self._closed = True
        if self._reread is not None:
            self._reread.cancel()

    def see_to_target(self) -> None:
        """The target may be another one: have its summary and its templates looked at."""
        self._see_to_summary()
        self._see_to_templates()

    def find_evals(self) -> None:
        """Look for the other evals of the project; nothing waits for them."""
        self._spawn(self._find_evals())

    def count_costs(self, costs: RunCosts) -> None:
        """Add up what was paid for the run in view before; nothing waits for it."""
        self._spawn(self._count_costs(costs))

    async def _count_costs(self, costs: RunCosts) -> None:
        session, options = self._session, self._reader.options
        known = find_credentials(options.environ, options.root)
        await costs.open(session.run_key, lambda: session.asking.spent, known)
        session.display.news()

    async def _find_evals(self) -> None:
        options = self._reader.options
        root, environ = Path(options.root), options.environ
        self._reader.found = await in_thread(lambda: discover(root, environ))
        self._session.display.news(structure=True)

    def _send(self, errand: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Spawn an errand, which counts as under way from now on."""
        self._under_way += 1
        task = self._spawn(errand)
        task.add_done_callback(self._over)
        return task

    def _over(self, task: asyncio.Task[None]) -> None:
        self._under_way -= 1
        if not self._closed:
            self._settled()

    # Graders that single cases declare

    def look_at_cases(self) -> asyncio.Task[None]:
        """Look for graders that single cases declare."""
        return self._send(self._find_case_graders())

    async def _find_case_graders(self) -> None:
        found = await in_thread(self._reader.scan_cases)
        if not self._closed and self._reader.take_case_graders(*found):
            self._update(ANNOTATIONS)

    # The summary

    def _see_to_summary(self) -> None:
        """A large summary is read by a worker, one that is being written is looked at again."""
        reader = self._reader
        if reader.recorded_elsewhere and reader.run is not None:
            reader.recorded_elsewhere = False
            self._summary_task = self._send(self._read_summary(reader.run.path))
        if self._reread is not None:
            self._reread.cancel()
            self._reread = None
        if reader.recorded_young and reader.run is not None:
            path = frozenset({os.path.join(reader.run.path, SUMMARY)})
            self._reread = asyncio.get_running_loop().call_later(YOUNG_S, self._apply, path)

    async def _read_summary(self, run_dir: str) -> None:
        try:
            answer = await self._enquiries.ask({"op": "recorded", "run_dir": run_dir})
            found = await in_thread(lambda: unpacked(answer))
        except OSError as error:
            found = unread(run_dir, str(error))
        run = self._reader.run
        latest = asyncio.current_task() is self._summary_task
        if latest and run is not None and run.path == run_dir and not self._closed:
            self._reader.take_recorded(found)
            self._update(SUMMARY)

    # Templates

    def _see_to_templates(self) -> None:
        """Let a worker look at the templates of model judges, whenever one of them changed."""
        config, notes = self._session.target.config, self._session.findings.templates
        question = templates_question(config) if config is not None else None
        if question != notes.asked_for:
            notes.asked_for = question
            notes.looked_at(())
            if question is not None:
                self._send(self._look_at_templates(question))

    async def _look_at_templates(self, question: dict[str, Any]) -> None:
        try:
            found = problems_in(await self._enquiries.ask(question), "notes")
        except OSError:
            found = ()  # what makes a template unusable is told by its cells
        notes = self._session.findings.templates
        if notes.asked_for is question:
            notes.looked_at(found)
            self._told()

    # Stored cells

    async def compare(self) -> None:
        """Compare what the store knows with the disk."""
        self._under_way += 1
        try:
            await self._compare()
        finally:
            self._under_way -= 1

    def compare_soon(self) -> None:
        """The same, while other things go on."""
        self._send(self._compare())

    async def _compare(self) -> None:
        session = self._session
        cases, ambients = session.restore.to_compare()
        spec = session.target.spec
        answer: dict[str, Any] = {"signatures": {}, "holds": []}
        if cases and spec is not None:
            request = {
                "op": "scan",
                "run_dir": spec.run_dir,
                "dataset_dir": spec.dataset_dir,
                "cases": cases,
                "ambients": ambients,
            }
            with contextlib.suppress(OSError):  # then nothing is taken on trust: all are verified
                answer = await self._enquiries.ask(request)
        if session.target.spec == spec:
            session.compared(answer["signatures"], answer["holds"])
