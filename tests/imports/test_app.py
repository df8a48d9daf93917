"""A document in the app: the same screens, nothing that runs."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any

import pytest

from eval_tui.engine.grid import CellKey
from eval_tui.imports.opened import Opened
from eval_tui.imports.source import DocumentSource
from tests.imports.support import (
    OOM,
    TESTS,
    TONE,
    TRACE,
    case,
    measured,
    opened,
    scorecard,
    unmeasured,
)
from tests.tui.hostile import ACTING, LITERAL
from tests.tui.seeing import lines_of, running, screen_text, sees

pytestmark = pytest.mark.asyncio


@pytest.fixture
def document(tmp_path: Path) -> Opened:
    snapshot = {"kind": "repo", "diff": "-old\n+new\n", "changedFiles": ["invoice.py"]}
    read = case("invoice", TESTS, TONE, trace=TRACE, snapshot=snapshot)
    failed = case("refund", measured("tests-pass", "tests_pass", 0, False, detail="1 failed"))
    return opened(tmp_path, scorecard(read, failed, case("late", failure=OOM)))


def rows(lines: list[str]) -> dict[str, list[str]]:
    return {words[0].lstrip("▌"): words[1:] for line in lines if (words := line.split())}


async def test_the_grid_shows_verdicts_scores_and_reasons(document: Opened) -> None:
    async with running(DocumentSource(document)) as (pilot, grid):  # type: ignore[arg-type]
        found = rows(lines_of(grid))
        assert found["invoice"] == ["✓", "✓", "∅", "secret"]
        assert found["refund"] == ["✗", "✗"]
        assert found["late"] == ["!", "?", "∅", "evidence", "∅", "evidence"]
        await sees(pilot, "1 passed, 1 failed, 1 not evaluated")
        await sees(pilot, "invoices@1.0.0")
        await sees(pilot, "read-only: scorecard")
        await sees(pilot, "verdict ✓ passed, by ground truth: tests_pass")


async def test_a_case_is_read_like_any_other(document: Opened) -> None:
    async with running(DocumentSource(document)) as (pilot, _):  # type: ignore[arg-type]
        await pilot.press("enter")
        for text in ("3 passed", "agent $0.50", "verdict ✓ passed, by ground truth: tests_pass"):
            await sees(pilot, text)
        await pilot.press("2")
        for text in ("Fix the total.", "Bash", "pytest -q", "error", "m, 10 tokens in, 2 out"):
            await sees(pilot, text)
        assert "judge:tone" not in screen_text(pilot.app)
        await pilot.press("3")
        for text in ("changes.diff", "judges.json", "+new"):
            await sees(pilot, text)
        await pilot.press("4")
        await sees(pilot, "Fix the total.")
        await pilot.press("5")
        for text in ("a warning", "changed files", "invoice.py"):
            await sees(pilot, text)
        await pilot.press("6")
        for text in (
            "scorecard.results[0].scores[0]: metric tests_pass, by tests-pass",
            "policy authority-ladder@1.1.0",
        ):
            await sees(pilot, text)


async def test_a_case_that_died_says_how(document: Opened) -> None:
    async with running(DocumentSource(document)) as (pilot, _):  # type: ignore[arg-type]
        await pilot.press("j", "j")
        await sees(pilot, "run/infra/OOM_KILLED: killed")
        await pilot.press("enter")
        await sees(pilot, "not evaluated, the case died before there was anything to judge")
        await sees(pilot, "no outcome: run/infra/OOM_KILLED: killed")


async def test_keys_that_would_run_something_find_nothing_to_do(document: Opened) -> None:
    async with running(DocumentSource(document)) as (pilot, grid):  # type: ignore[arg-type]
        before = lines_of(grid)
        for key in ("r", "R", "C", "a", "F", "t", "x", "p", "[", "]"):
            await pilot.press(key)
        await pilot.pause()
        assert lines_of(grid) == before
        for key in ("m", "E", "P", "A"):
            await pilot.press(key)
            await pilot.pause()
            await pilot.press("escape")
        assert lines_of(grid) == before


async def test_parts_unfold(tmp_path: Path) -> None:
    scores = measured("check", "ok", 1, True), measured("check", "grade", 2, label="good")
    found = opened(tmp_path, scorecard(case("a", *scores)))
    async with running(DocumentSource(found)) as (pilot, grid):  # type: ignore[arg-type]
        assert rows(lines_of(grid))["a"] == ["✓", "✓"]
        await pilot.press("o")
        await pilot.pause()
        assert rows(lines_of(grid))["a"] == ["✓", "✓", "✓", "good"]


async def test_what_one_should_know_of_a_document_stays_in_view(tmp_path: Path) -> None:
    found = opened(tmp_path, scorecard(case("a", TESTS, verdict=False), status="superseded"))
    async with running(DocumentSource(found)) as (pilot, _):  # type: ignore[arg-type]
        await sees(pilot, "superseded: a newer one stands in its place; 1 problem (P)")
        await pilot.press("P")
        await sees(pilot, "recorded as failed; its policy makes it passed")


@pytest.mark.parametrize("text", LITERAL)
async def test_texts_are_shown_as_they_are(tmp_path: Path, text: str) -> None:
    said = {"t": 0, "kind": "message", "role": text, "text": text}
    row: Any = measured("g", "m", 1, True, detail={"reason": text})
    found = opened(tmp_path, scorecard(case(text, row, trace=[said]), dataset={"id": text}))
    async with running(DocumentSource(found)) as (pilot, _):  # type: ignore[arg-type]
        await sees(pilot, text)
        await pilot.press("enter")
        await sees(pilot, f"reason: {text}")
        await pilot.press("2")
        await sees(pilot, text)


async def test_pictures_and_what_lies_elsewhere_are_named_and_not_fetched(tmp_path: Path) -> None:
    shot = {"kind": "browser", "url": "http://x", "dom": "<p>", "screenshot": "A" * 100_000}
    ref = {"t": 0, "kind": "artifact", "name": "report", "ref": "http://127.0.0.1:9/report"}
    source = DocumentSource(opened(tmp_path, case("a", TESTS, snapshot=shot, trace=[ref])))
    view = await source.view("a")
    assert [file.name for file in view.files] == ["snapshot/page.html"]
    assert view.notes == (
        "its screenshot (snapshot.screenshot) is not shown",
        "1 of its parts lie elsewhere and are not fetched",
    )
    assert (await source.file_text("a", "snapshot/page.html")).text == "<p>"


async def test_no_price_is_not_a_price_of_nothing(tmp_path: Path) -> None:
    call = {"t": 0, "kind": "llm_call", "model": "m"}
    source = DocumentSource(opened(tmp_path, case("a", TESTS, trace=[call])))
    assert "cost_usd" not in (await source.view("a")).metrics


async def test_a_detail_is_there_for_every_cell(document: Opened) -> None:
    source = DocumentSource(document)
    for row in source.grid.rows:
        for judge in source.grid.columns:
            detail = source.detail(row.case, judge.name)
            assert detail.key == CellKey(row.case, judge.name)
            assert detail.score == source.grid.cell(*detail.key).score
            assert detail.origin


async def test_a_retryable_reason_does_not_offer_to_try_again(tmp_path: Path) -> None:
    found = opened(tmp_path, case("a", unmeasured("g", "g", retryable=True, detail="503")))
    async with running(DocumentSource(found)) as (pilot, _):  # type: ignore[arg-type]
        await pilot.press("enter")
        await sees(pilot, "503")
        assert "trying again (r)" not in screen_text(pilot.app)


async def test_nothing_in_a_document_acts_on_the_terminal(tmp_path: Path) -> None:
    cases = [
        case(text, measured(text, text, 1, True, detail=text), trace=[{"t": 0, "kind": text}])
        for text in ACTING
    ]
    async with running(DocumentSource(opened(tmp_path, scorecard(*cases)))) as (pilot, _):  # type: ignore[arg-type]
        for keys in ((), ("enter",), ("2",), ("6",)):
            await pilot.press(*keys)
            await pilot.pause()
            shown = screen_text(pilot.app).replace("\n", "")
            assert not any(unicodedata.category(char) in ("Cc", "Cs") for char in shown)
