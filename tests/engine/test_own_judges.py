"""Built-in-style judges of the project's own, live: their files are inputs like any module."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.support.live import live
from tests.support.small import write_project

JUDGE = """
from ._words import WORD

def judge(outputs, **kwargs):
    return WORD in outputs["out_content"], "looked for " + WORD
"""
FILES = {"judges/style/says.py": JUDGE, "judges/style/_words.py": "WORD = 'page'\n"}
JUDGES = [
    {"name": "says", "builtin": "says"},
    {"name": "other", "check": "return 'page' in outputs['out_content']"},
    {"name": "later", "builtin": "style/later"},
]


def test_edits_of_its_file_and_of_what_it_imports_rerun_it_alone(tmp_path: Path) -> None:
    async def scenario() -> None:
        root = write_project(tmp_path, JUDGES, cases=("a", "b"), files=FILES)
        async with live(root) as opened:
            assert opened.value("a", "says") is True
            ran = opened.ran
            (root / "judges/style/_words.py").write_text("WORD = 'nothing'\n")
            await opened.until(lambda: opened.value("b", "says") is False)
            assert opened.ran - ran == 2
            (root / "judges/style/says.py").write_text("def judge(outputs):\n    return 5\n")
            await opened.until(lambda: opened.value("b", "says") == 5)
            assert opened.ran - ran == 4

    asyncio.run(scenario())


def test_a_missing_one_costs_its_column_until_it_appears(tmp_path: Path) -> None:
    async def scenario() -> None:
        root = write_project(tmp_path, JUDGES, cases=("a",), files=FILES)
        async with live(root) as opened:
            column = next(judge for judge in opened.driver.grid.columns if judge.name == "later")
            assert column.problem is not None and column.problem.code == "unknown-builtin"
            assert opened.value("a", "other") is True
            (root / "judges/style/later.py").write_text("def judge(outputs):\n    return 3\n")
            await opened.until(lambda: opened.value("a", "later") == 3)

    asyncio.run(scenario())


def test_what_was_judged_is_known_after_reopening(tmp_path: Path) -> None:
    async def scenario() -> None:
        root = write_project(tmp_path, JUDGES[:2], cases=("a", "b"), files=FILES)
        async with live(root) as opened:
            assert opened.ran == 4
        async with live(root) as opened:
            assert opened.ran == 0 and opened.value("a", "says") is True
        (root / "judges/style/_words.py").write_text("WORD = 'nothing'\n")
        async with live(root) as opened:
            assert opened.ran == 2 and opened.value("a", "says") is False

    asyncio.run(scenario())
