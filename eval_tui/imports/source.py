"""A document in the place of the running engine: the same screens show it, and nothing ever runs."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from eval_tui.config.problems import Problem
from eval_tui.config.schema import EvalConfig, Judge
from eval_tui.engine.authority import Authority
from eval_tui.engine.dryrun import DryRun
from eval_tui.engine.finding import Finding
from eval_tui.engine.grid import (
    CaseView,
    CellKey,
    Counterpart,
    Detail,
    Dirty,
    EvalInfo,
    FileText,
    Grid,
    RunInfo,
    Scope,
    Status,
)
from eval_tui.engine.money import NOTHING, Estimate
from eval_tui.engine.stored import StoredEval, StoredGrid
from eval_tui.engine.threads import in_thread
from eval_tui.imports.evidence import case_facts, case_view, texts_of
from eval_tui.imports.opened import Opened
from eval_tui.imports.words import banner_words, policy_words, sources_of
from eval_tui.results.verdict_words import basis_words, verdict_word
from eval_tui.scores import Score

T = TypeVar("T")

READ_ONLY = "this is a document: nothing is run"


class DocumentSource:
    """The face of an opened document. Commands find nothing to do."""

    def __init__(self, opened: Opened) -> None:
        self._opened = opened
        self._authority = Authority(opened.rulebook)
        self.finding = Finding(
            None, self._facts, lambda key: self.full_score(*key), self._column, self._stored
        )
        self._news = Dirty(structure=True, problems=True, status=True)

    @property
    def grid(self) -> Grid:
        return self._opened.grid

    @property
    def config(self) -> EvalConfig:
        return self._opened.config

    @property
    def status(self) -> Status:
        document = self._opened.document
        return Status(
            document.name, document.run, banner=banner_words(self._opened), document=document.what
        )

    @property
    def problems(self) -> tuple[Problem, ...]:
        return self._opened.problems

    @property
    def authority(self) -> Authority:
        return self._authority

    def authority_changed(self) -> None:
        """A document declares nothing that could be accepted."""

    def take_dirty(self) -> Dirty:
        news, self._news = self._news, Dirty()
        return news

    def detail(self, case: str, judge: str) -> Detail:
        opened, key = self._opened, CellKey(case, judge)
        cell = opened.grid.cell(case, judge)
        origin = (
            f"{opened.document.what} {opened.path}",
            *sources_of(opened, key),
            *([f"run {run}"] if (run := opened.results[case].run) else []),
            self._judged(case),
        )
        return Detail(key, cell, cell.score, origin=origin)

    def _judged(self, case: str) -> str:
        verdict = self._opened.rulebook.given[case]
        return (
            f"verdict {verdict_word(verdict)}, {basis_words(verdict)}; {policy_words(self._opened)}"
        )

    async def view(self, case: str, beginning: bool = False) -> CaseView:
        opened = self._opened
        return await in_thread(lambda: case_view(opened.results[case], case, opened.path))

    async def file_text(self, case: str, name: str) -> FileText:
        found = texts_of(self._opened.results[case]).get(name, "")
        return FileText(found, False, len(found.encode("utf-8", "replace")), False)

    async def _column(self, run: RunInfo, judge: Judge) -> Mapping[str, Score]:
        """Of another run, of which there is none here."""
        return {}

    async def _stored(self, runs: Sequence[RunInfo]) -> Mapping[str, StoredGrid]:
        """The same of whole runs."""
        return {}

    async def counterparts(self, case: str, name: str, run: str = "") -> tuple[Counterpart, ...]:
        """A document holds one run and no dataset."""
        return ()

    async def _facts(self, cases: Sequence[str]) -> Mapping[str, Any]:
        results = self._opened.results
        return await in_thread(lambda: {case: case_facts(results[case]) for case in cases})

    def full_score(self, case: str, judge: str) -> Score | None:
        return self._opened.grid.cell(case, judge).score

    @property
    def run_dir(self) -> str:
        """Empty: a document is no run, and nothing is written beside it."""
        return ""

    @property
    def baseline_id(self) -> str:
        return ""

    def as_written(self, path: str) -> bool:
        return False

    async def write_own(self, path: str, write: Callable[[], T]) -> T:
        """Raises OSError: nothing is written."""
        raise OSError(READ_ONLY)

    async def dry_run(self, case: str, judge: str) -> DryRun:
        """Raises OSError: a document does not hold what judges were asked."""
        raise OSError(READ_ONLY)

    def select(
        self, scope: Scope, case: str | None = None, judge: str | None = None
    ) -> tuple[CellKey, ...]:
        return ()

    def rerun(self, cells: Sequence[CellKey], force: bool = False) -> int:
        return 0

    def estimate(self, cells: Sequence[CellKey], force: bool = False) -> Estimate:
        return NOTHING

    def cancel(self, cells: Sequence[CellKey] | None) -> int:
        return 0

    def pause(self, on: bool) -> None:
        """Nothing runs that could pause."""

    def runs(self) -> tuple[RunInfo, ...]:
        return ()

    def evals(self) -> tuple[EvalInfo, ...]:
        return ()

    async def stored_eval(self, path: str) -> StoredEval:
        """Raises OSError: there is no eval in a document."""
        raise OSError(READ_ONLY)

    async def open_run(self, run_id: str) -> None:
        """There is no other run in a document."""

    async def open_eval(self, path: str) -> None:
        """There is no eval in a document."""

    async def start(self) -> None:
        """All is there, and stays: the collector need not walk over it."""
        gc.freeze()
        gc.enable()

    async def close(self) -> None:
        """Nothing is held."""
