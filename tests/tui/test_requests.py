"""What the drill-down tells of model judges: the request, samples, criteria, and what was paid."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from eval_tui.config.schema import Criterion
from eval_tui.engine.dryrun import DryRun
from eval_tui.engine.grid import Cell, CellState, Paid
from eval_tui.engine.money import NOTHING, Estimate
from eval_tui.scores import Measured, Reason, Sample, Unmeasured, measured
from eval_tui.tui.marks import ASCII, UNICODE
from eval_tui.tui.samples import histogram
from eval_tui.tui.widgets.line_view import LineView
from tests.tui.fake import check, model
from tests.tui.hostile import LITERAL
from tests.tui.test_case import Driver, Host, case_view, settled, toasts

WHOLE = Estimate(1, 2310, 500, 0.0144)
TEXT = "model: m\n\n--- system ---\nYou grade.\n\n--- message ---\n\nIs it good?\n"


class Asking(Driver):
    """A driver with one model judge, whose requests are given when the test lets them."""

    def __init__(self, *cases: str, judge: Any = None) -> None:
        super().__init__(*(cases or ("one",)))
        self.grid.columns = (judge or model("style", line=12, prompt_line=14), check("other"))
        self.rendered: asyncio.Queue[DryRun | OSError] = asyncio.Queue()

    async def dry_run(self, case: str, judge: str) -> DryRun:
        self.asked.append(f"request {case}")
        found = await self.rendered.get()
        if isinstance(found, OSError):
            raise found
        return found


def dry(before: Any = "none", estimate: Estimate = WHOLE, **more: Any) -> DryRun:
    return DryRun(TEXT, WHOLE, estimate, before, **more)


async def test_the_request_is_put_together_when_its_page_is_opened() -> None:
    driver = Asking()
    driver.put("one", "style", measured(4, "fine"))
    app = Host(driver)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "request one" not in driver.asked
        await pilot.press("8")
        assert "Putting the request together" in app.text
        driver.rendered.put_nowait(dry())
        await settled(pilot)
        for words in ("Not sent. Asking now takes 1 model call", "$0.014", "Is it good?"):
            assert words in app.text
        await pilot.press("y")
        assert app.clipboard == TEXT


@pytest.mark.parametrize(
    ("found", "told", "untold"),
    [
        (dry("same", NOTHING), "given for exactly this request", "What is new"),
        (dry("other", NOTHING), "asked before, and the answer was kept", "Not sent"),
        (dry("recorded"), "What the recorded verdict was given for is not known", "What is new"),
        (dry("other"), "another request, which was not kept", "What is new"),
        (dry("other", diff=("-old words", "+new words")), "+new words", "not kept"),
        (dry(estimate=Estimate(3, 6930, 1500, None)), "a price that is not known", "What is new"),
    ],
)
async def test_what_would_happen_and_what_is_new_is_said(
    found: DryRun, told: str, untold: str
) -> None:
    driver = Asking()
    driver.put("one", "style", measured(4))
    driver.rendered.put_nowait(found)
    app = Host(driver)
    async with app.run_test(size=(140, 40)) as pilot:
        await pilot.press("8")
        await settled(pilot)
        assert told in app.text
        assert untold not in app.text


async def test_a_request_follows_its_cell_and_stays_in_view_meanwhile() -> None:
    driver = Asking()
    driver.put("one", "style", measured(4))
    driver.rendered.put_nowait(dry("same", NOTHING))
    app = Host(driver)
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press("8")
        await settled(pilot)
        driver.put("one", "style", Cell(CellState.WAITING, measured(4), waiting="money"))
        app.deliver()
        await pilot.pause()
        assert "given for exactly this request" in app.text
        driver.rendered.put_nowait(dry("other", diff=("+new words",)))
        await settled(pilot)
        assert "+new words" in app.text
        assert driver.asked.count("request one") == 2


async def test_a_request_that_cannot_be_told_says_why_literally() -> None:
    driver = Asking()
    driver.put("one", "style", measured(4))
    driver.rendered.put_nowait(OSError(f"eval.yaml, line 3: {LITERAL[0]}"))
    app = Host(driver)
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press("8")
        await settled(pilot)
        assert f"eval.yaml, line 3: {LITERAL[0]}" in app.text


async def test_a_judge_that_asks_no_model_has_no_request() -> None:
    driver = Asking(judge=check("style"))
    driver.put("one", "style", measured(True))
    app = Host(driver)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await pilot.press("8")
        await pilot.pause()
        assert "sends no request" in toasts(app)[0]
        assert "8 request" not in app.text
        assert "request one" not in driver.asked


async def test_the_next_case_gets_its_own_request() -> None:
    driver = Asking("one", "two")
    for case in ("one", "two"):
        driver.put(case, "style", measured(False))
    app = Host(driver)
    async with app.run_test(size=(100, 30)) as pilot:
        driver.rendered.put_nowait(dry())
        await pilot.press("8")
        await settled(pilot)
        await pilot.press("n")
        assert "Is it good?" not in app.text
        driver.rendered.put_nowait(dry())
        await settled(pilot)
        assert "Is it good?" in app.text
        assert "request two" in driver.asked


async def test_agent_and_judge_costs_stand_apart_in_the_head() -> None:
    driver = Asking()
    driver.put("one", "style", measured(4))
    paid = Paid("claude-sonnet-4-5", 3, 0.0432, 23_110, 18_000, 1_500, 0.0486)
    driver.details["one"] = {"paid": paid}
    driver.views["one"] = case_view("one", metrics={"cost_usd": 1.5})
    app = Host(driver)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert "agent $1.50 · judge $0.043" in app.text.splitlines()[1]
        await pilot.press("6")
        for words in (
            "model: claude-sonnet-4-5",
            "calls: 3",
            "tokens: 23,110 in (18,000 from the prompt cache), 1,500 out",
            "cost: $0.043",
            "the prompt cache saved: $0.049",
        ):
            assert words in app.text


async def test_a_cost_that_is_not_known_is_not_zero() -> None:
    driver = Asking()
    driver.put("one", "style", measured(4))
    driver.details["one"] = {"paid": Paid("own-model", 1, None)}
    app = Host(driver)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert app.text.splitlines()[1].endswith("judge n/a")


async def test_samples_lie_on_the_scale_with_their_reasons() -> None:
    samples = (Sample(4, "fits"), Sample(3, "a slip"), Sample(4, "fine"), Sample(None, error="cut"))
    driver = Asking(judge=model("style", score_range=(1.0, 5.0)))
    driver.put("one", "style", Measured(4, None, "fits", samples=samples))
    app = Host(driver)
    async with app.run_test(size=(80, 30)) as pilot:
        await pilot.pause()
        for words in ("4 ██ 2", "3 █ 1", "5 ·", "no answer █ 1", "a slip", "no answer: cut"):
            assert words in app.text


@pytest.mark.parametrize(
    ("values", "judge", "lines"),
    [
        ((True, True, False), model("j"), ["passed ██ 2", "failed █ 1"]),
        ((1, 1, 7), model("j", score_range=(1.0, 3.0)), ["3 ·", "2 ·", "1 ██ 2", "7 █ 1"]),
        (
            (0.1, 0.5, 1.0),
            model("j", score_range=(0.0, 1.0)),
            ["0.8 to 1 █ 1", "0.6 to 0.8 ·", "0.4 to 0.6 █ 1", "0.2 to 0.4 ·", "0 to 0.2 █ 1"],
        ),
        ((50, 50), model("j", score_range=(0.0, 100.0)), None),
    ],
)
def test_a_histogram_is_drawn_on_the_judges_scale(
    values: tuple[Any, ...], judge: Any, lines: list[str] | None
) -> None:
    drawn = [line.strip() for line in histogram([Sample(v) for v in values], judge, UNICODE)]
    if lines is None:
        assert drawn == ["80 to 100 ·", "60 to 80 ·", "40 to 60 ██ 2", "20 to 40 ·", "0 to 20 ·"]
    else:
        assert drawn == lines


def test_a_histogram_of_many_samples_stays_narrow_and_needs_only_ascii() -> None:
    drawn = histogram([Sample(5)] * 500 + [Sample(1)], model("j", score_range=(1.0, 5.0)), ASCII)
    assert max(map(len, drawn)) < 60
    assert drawn[0].endswith(" 500") and drawn[-1].endswith("# 1"), "one is not nothing"
    assert "".join(drawn).isascii()


async def test_every_criterion_has_its_own_verdict_and_reason() -> None:
    parts = {
        "tone": Measured(4, True, "warm", samples=(Sample(4), Sample(3), Sample(None))),
        "facts": Unmeasured(Reason.GRADER_ERROR, "criterion `facts`: the model did not answer it"),
    }
    judge = model("style", criteria=(Criterion("tone"), Criterion("facts")))
    driver = Asking(judge=judge)
    failed = Unmeasured(Reason.GRADER_ERROR, "1 of 2 criteria have no verdict", parts=parts)
    driver.put("one", "style", failed)
    app = Host(driver)
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.pause()
        page = app.case.query_one("#reason", LineView).document.text
        assert "1 of 2 criteria have no verdict" in page
        assert "tone: 4, passed" in page and "(samples: 4, 3, none)" in page
        assert page.index("warm") < page.index("criterion `facts`: the model did not answer it")
