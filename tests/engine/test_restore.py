"""Opening a project that is known: its cells are taken up bit by bit, and no look is wrong."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from eval_tui.engine import session as session_module
from eval_tui.engine.driver import Driver
from eval_tui.engine.grid import CellState
from eval_tui.engine.project import Options
from eval_tui.engine.supervisor import supervisors
from eval_tui.scores import Measured
from tests.engine.test_property import essence, live, opened
from tests.support.cold import cold_score
from tests.support.live import PATIENCE
from tests.support.small import case_dir, run_dir, write_case, write_project

CASES = tuple(f"case-{number:02}" for number in range(30))
JUDGES = [
    {"name": "words", "check": "return len(outputs['out_content'].split())"},
    {"name": "name", "check": "return outputs['out_content'].strip()[-1] == '0'"},
]


@pytest.fixture
async def known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Path]:
    """A project that was scored before; from here on two cases are taken up at a time."""
    root = write_project(tmp_path.resolve(), JUDGES, cases=CASES)
    first = await opened(root)
    await first.idle()
    await first.close()
    monkeypatch.setattr(session_module, "AT_ONCE", 4)
    yield root


class Opening:
    """A driver that is about to open the project, and whether it is in the middle of that."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.driver = Driver(
            Options(root=str(root), run="r1", watch=False), supervisors(None, str(root))
        )
        self.session = self.driver.session
        self._start = asyncio.ensure_future(self.driver.start())

    async def half_way(self) -> None:
        """Wait until some cases are there and others are not."""
        async with asyncio.timeout(PATIENCE):
            while not 0 < self.session.line.loading < len(CASES):
                assert not self._start.done(), "everything was there at once"
                await asyncio.sleep(0)

    async def close(self) -> None:
        async with asyncio.timeout(PATIENCE):
            await self._start
            await self.driver.idle()
        scores = cold_score(self.root, self.root / "eval.yaml", run_dir(self.root))
        expected = {(c, j): essence(s) for c, row in scores.items() for j, s in row.items()}
        shown = live(self.driver)
        await self.driver.close()
        assert shown == expected


async def test_whoever_looks_at_a_case_sees_what_is_known_of_it(known: Path) -> None:
    opening = Opening(known)
    await opening.half_way()
    session, left = opening.session, opening.session.line.loading
    cell = session.cell(CASES[-1], "words")
    assert isinstance(cell.score, Measured) and cell.score.value == 3
    assert cell.state is CellState.CHECKING
    assert session.line.loading == left - 1
    assert not session.idle and not session.queue.any_due
    await opening.close()
    assert session.ran == 0 and session.line.loading == 0


async def test_what_is_not_known_waits_until_all_is_there(known: Path) -> None:
    write_case(known, "case-new", "r1")
    opening = Opening(known)
    await opening.half_way()
    session = opening.session
    assert session.cell("case-new", "words").state is CellState.QUEUED
    assert not session.queue.any_due
    await opening.close()
    assert session.ran == len(JUDGES)


async def test_a_file_that_changes_meanwhile_is_seen(known: Path) -> None:
    opening = Opening(known)
    await opening.half_way()
    page = case_dir(known, CASES[-2]) / "out" / "page.md"
    page.write_text("only two\n")
    opening.driver.apply(frozenset({str(page)}))
    assert opening.session.line.loading == 0
    await opening.close()
    assert opening.session.ran == len(JUDGES)


async def test_a_rerun_and_a_cancel_meanwhile_concern_all_cells(known: Path) -> None:
    opening = Opening(known)
    await opening.half_way()
    keys = opening.driver.select("column", CASES[0], "words")
    assert len(keys) == len(CASES)
    assert opening.driver.rerun(keys) == len(CASES)
    await opening.close()
    assert opening.session.ran == len(CASES)


async def test_another_run_meanwhile_is_not_mixed_with_the_first(known: Path) -> None:
    write_case(known, CASES[0], "r0", "an older page")
    opening = Opening(known)
    await opening.half_way()
    await opening.driver.open_run("r0")
    session = opening.session
    assert {key.case for key in session.infos} == {CASES[0]}
    await opening.driver.idle()
    await opening.driver.open_run("r1")
    await opening.close()
    assert session.ran == len(JUDGES)
