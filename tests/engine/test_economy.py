"""What the speed rests on, as counts: modules imported, frames sent, cells worked out anew."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eval_tui.engine import display
from eval_tui.engine.looks import look
from tests.support.live import Live
from tests.support.small import case_dir, write_project

_CASES = [f"case-{number:03}" for number in range(60)]
_JUDGES = [
    {"name": name, "check": f"return len(outputs['out_content']) > {limit}"}
    for limit, name in enumerate(("a", "b", "c"))
]

_BEFORE_FIRST_PAINT = """
import sys
import eval_tui.cli
from eval_tui.engine import supervisor
from eval_tui.engine.driver import Driver
from eval_tui.tui.run import run_app
print(*sys.modules, sep="\\n")
"""

_LATER = {
    "anthropic",
    "httpx",
    "jinja2",
    "watchfiles",
    "eval_tui.headless",
    "eval_tui.engine.evaluate",
    "eval_tui.engine.worker",
    "eval_tui.engine.hygiene",
    "eval_tui.engine.observe",
    "eval_tui.record.case",
    "eval_tui.judges.builtins",
}
"""What only workers, commands without a screen, or the app at a later time need."""


def test_the_first_paint_waits_for_nothing_that_only_others_need() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _BEFORE_FIRST_PAINT], capture_output=True, text=True, check=True
    )
    imported = set(done.stdout.split())
    assert "textual.app" in imported
    assert not imported & _LATER


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each judge's cells were worked out anew."""
    counts: Counter[str] = Counter()

    def counting(judge: Any, *args: Any) -> Any:
        counts[judge.name] += 1
        return look(judge, *args)

    monkeypatch.setattr(display, "look", counting)
    return counts


def _counting_messages(live: Live) -> Counter[str]:
    """Kinds of the messages that come from the workers from now on."""
    kinds: Counter[str] = Counter()
    pool: Any = live.driver.work.pool
    deliver: Callable[..., None] = pool._outbox._on_message

    def counting(message: Any, info: Any) -> None:
        kinds[message["t"]] += 1
        deliver(message, info)

    pool._outbox._on_message = counting
    return kinds


async def test_a_scoring_sends_one_message_for_a_cell_and_draws_no_state_that_nobody_sees(
    tmp_path: Path, counted: Counter[str]
) -> None:
    live = Live(write_project(tmp_path / "project", _JUDGES, _CASES), watch=False)
    kinds = _counting_messages(live)
    try:
        await live.start()
        cells = len(_CASES) * len(_JUDGES)
        batches = kinds["done"]
        assert kinds["cell"] == cells
        assert kinds["cased"] == len(_CASES)
        assert kinds["run"] <= batches * len(_JUDGES)  # a judge tells once a batch what it rests on
        assert not counted.total()
        live.driver.take_dirty()
        assert counted.total() == cells
    finally:
        await live.driver.close()


async def test_a_changed_file_costs_its_own_row_however_many_there_are(
    tmp_path: Path, counted: Counter[str]
) -> None:
    live = Live(write_project(tmp_path / "project", _JUDGES, _CASES), watch=False)
    try:
        await live.start()
        live.driver.take_dirty()
        counted.clear()
        page = case_dir(tmp_path / "project", _CASES[7]).resolve() / "out" / "page.md"
        page.write_text("")
        live.driver.apply(frozenset({str(page)}))
        await live.driver.idle()
        changed = live.driver.take_dirty().cells
        assert {key.case for key in changed} == {_CASES[7]}
        assert counted.total() == len(_JUDGES)
        assert live.driver.session.ran == len(_CASES) * len(_JUDGES) + len(_JUDGES)
    finally:
        await live.driver.close()
