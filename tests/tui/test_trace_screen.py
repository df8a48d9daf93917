"""The trace in the case screen: its timeline, its growing file, and the way to it from the reason."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from eval_tui.engine.grid import CaseView, FileEntry
from eval_tui.scores import measured
from eval_tui.tui.screens.case import CaseScreen
from eval_tui.tui.widgets.line_view import LineView
from eval_tui.tui.widgets.trace_pane import TraceStrip
from eval_tui.tui.widgets.trace_view import TraceView
from tests.tui.events import Event, calls, gives, says
from tests.tui.fake import FakeDriver, check, ran
from tests.tui.seeing import running, screen_text, sees, until

RUN = [
    says("I begin."),
    calls("Bash", "a", {"command": "make"}, timestamp="2026-01-01T10:00:00Z"),
    gives("a", "no rule to make target", True, timestamp="2026-01-01T10:02:00Z"),
    calls("Write", "b", {"file_path": "/x/report.md", "content": "text"}),
    gives("b"),
    {"type": "system", "subtype": "thinking_tokens"},
    {"type": "result", "cost_usd": 0.25, "num_turns": 2},
]


def driver_of(events: Sequence[Event], why: str = "", **more: Any) -> FakeDriver:
    driver = FakeDriver(ran("one"), [check("style")])
    key = driver.put("one", "style", measured(False))
    driver.rationales[key] = why
    facts: dict[str, Any] = dict.fromkeys(
        ("case_dir", "input_path", "inputs", "annotations_path", "annotations"), ""
    )
    facts |= dict.fromkeys(("events_path", "conversation", "stdout", "stderr"), "")
    facts |= {"files": (), "metrics": {}, "notes": (), "events": tuple(events), **more}
    driver.views["one"] = CaseView(case="one", **facts)
    return driver


async def opened(pilot: Pilot[int], *keys: str) -> CaseScreen:
    await pilot.press("enter")
    await until(pilot, lambda: isinstance(pilot.app.screen, CaseScreen), "the case")
    screen = pilot.app.screen
    assert isinstance(screen, CaseScreen)
    await until(pilot, lambda: screen.case_view is not None, "the case is loaded")
    await pilot.press(*keys)
    return screen


async def linked(pilot: Pilot[int], screen: CaseScreen) -> LineView:
    """The reason, once its citations are marked."""
    reason = screen.query_one("#reason", LineView)
    await until(
        pilot,
        lambda: any(s.style == "link" for spans in reason.document.spans.values() for s in spans),
        "the citations are marked",
    )
    return reason


def line(text: str, name: str) -> str:
    message = {"id": name, "content": [{"type": "text", "text": text}]}
    return json.dumps({"type": "assistant", "message": message}) + "\n"


async def test_what_is_cited_is_reached_in_one_key_also_in_a_trace_never_seen() -> None:
    failure = "the index of the wiki could not be written " * 3
    events = [
        says("I will write the index."),
        calls("Bash", "a", {"command": "make index"}),
        gives("a", failure, True),
        *(says(f"m {n}", f"m{n}") for n in range(5)),
    ]
    driver = driver_of(events, f'It says "{failure.strip()[-60:]}".')
    async with running(driver) as (pilot, _):
        screen = await opened(pilot)
        await linked(pilot, screen)
        await pilot.press("c")
        view = screen.query_one(TraceView)
        await until(pilot, lambda: view.entry == 1, "the call that said it")
        await pilot.pause()
        assert view.entry == 1 and view.has_focus


async def test_the_timeline_shows_where_things_are_and_what_it_comes_to() -> None:
    async with running(driver_of(RUN)) as (pilot, _):
        screen = await opened(pilot, "2")
        strip = screen.query_one(TraceStrip)
        timeline, legend = (strip.render_line(y).text for y in (0, 1))
        assert 0 < timeline.index("✗") < timeline.index("±")
        for words in ("✗ 1 error", "± 1 edit", "~ 1 wait over 30 s", "2 calls", "2 min 0 s"):
            assert words in legend
        assert "$0.25" in legend and "1 progress event left out" in legend


async def test_a_click_on_the_timeline_goes_there() -> None:
    async with running(driver_of([says(f"m {n}", f"m{n}") for n in range(500)])) as (pilot, _):
        screen = await opened(pilot, "2")
        strip = screen.query_one(TraceStrip)
        await pilot.click(strip, offset=(strip.size.width // 2, 0))
        assert 230 <= screen.query_one(TraceView).entry <= 270


async def test_t_narrows_the_trace_down_and_the_timeline_says_so() -> None:
    async with running(driver_of(RUN)) as (pilot, _):
        screen = await opened(pilot, "2", "j", "t")
        assert "only Bash: 1 of 4 entries" in screen_text(pilot.app)
        await pilot.press("t")
        assert len(screen.query_one(TraceView).order) == 4


async def test_a_growing_log_is_followed_while_the_reader_stays_where_they_are(
    tmp_path: Path,
) -> None:
    log = tmp_path / "stdout.log"
    log.write_text("".join(line(f"m {n}", f"m{n}") for n in range(100)))
    events = [says(f"m {n}", f"m{n}") for n in range(100)]
    driver = driver_of(events, events_path=str(log), events_end=log.stat().st_size)
    async with running(driver) as (pilot, _):
        screen = await opened(pilot, "2")
        view = screen.query_one(TraceView)
        view.go_to_entry(50)
        view.go_to_row(45)
        place = view.scroll_offset.y
        for turn in range(5):
            with log.open("a") as file:
                file.write(line(f"new {turn}", f"n{turn}"))
            await until(pilot, lambda turn=turn: view.row_count == 101 + turn, "it grew")
            await pilot.press("j")
            assert (view.entry, view.scroll_offset.y) == (51 + turn, place)
        await sees(pilot, "+5 new below")
        await pilot.press("G")
        await sees(pilot, "new 4")
        assert "new below" not in screen_text(pilot.app)


class Slow(FakeDriver):
    """Reads the first events of a case at once, and the rest when it may."""

    part = 60
    merged: tuple[Event, ...] = ()
    """What the rest puts in before all that was there."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.rest = asyncio.Event()
        self.fails = False

    async def view(self, case: str, beginning: bool = False) -> CaseView:
        view = self.views[case]
        if beginning:
            events = view.events[: self.part]
            return replace(view, events=events, events_end=0, events_part=0.01, stdout="")
        await self.rest.wait()
        if self.fails:
            raise OSError("the file is gone")
        return replace(view, events=(*self.merged, *view.events))


def slow(count: int) -> Slow:
    driver = Slow(ran("one"), [check("style")])
    driver.put("one", "style", measured(False))
    events = [says(f"m {n}", f"m{n}") for n in range(count)]
    driver.views["one"] = replace(driver_of(events, stdout="the log").views["one"])
    return driver


async def test_the_beginning_of_a_long_trace_can_be_read_while_the_rest_is_loaded() -> None:
    driver = slow(3_000)
    driver.merged = (says("put in", "x"),)
    async with running(driver) as (pilot, _):
        screen = await opened(pilot, "2")
        await sees(pilot, "first 1% so far")
        view = screen.query_one(TraceView)
        view.go_to_entry(20)
        view.go_to_row(15)
        before = view.render_line(5).text
        assert "m 20" in before
        await pilot.press("5")
        await sees(pilot, "Loading this case")
        driver.rest.set()
        await sees(pilot, "the log")
        await pilot.press("2")
        await until(pilot, lambda: len(view.trace.entries) == 3_001, "the rest")
        assert view.entry == 21
        assert view.render_line(5).text == before, "the line stands where it stood"
        assert "so far" not in screen_text(pilot.app) and "new below" not in screen_text(pilot.app)


async def test_a_rest_that_cannot_be_read_leaves_the_beginning_and_says_so() -> None:
    driver = slow(3_000)
    driver.fails = True
    async with running(driver) as (pilot, _):
        screen = await opened(pilot, "2")
        await sees(pilot, "first 1% so far")
        driver.rest.set()
        await sees(pilot, "This case cannot be read: the file is gone")
        assert len(screen.query_one(TraceView).trace.entries) == 60
        await pilot.press("5")
        await sees(pilot, "the file is gone")


async def test_who_went_to_the_end_of_a_beginning_comes_to_the_end_of_the_whole() -> None:
    driver = slow(3_000)
    async with running(driver) as (pilot, _):
        await opened(pilot, "2")
        await sees(pilot, "first 1% so far")
        await pilot.press("G")
        driver.rest.set()
        await sees(pilot, "m 2999")


async def test_a_log_that_only_reads_as_a_whole_is_loaded_again(tmp_path: Path) -> None:
    log = tmp_path / "stdout.log"
    log.write_text("{}\n")
    driver = driver_of([says("before")], events_path=str(log))
    async with running(driver) as (pilot, _):
        await opened(pilot, "2")
        driver.views["one"] = driver_of([says("before"), says("after")]).views["one"]
        log.write_text("{}\n{}\n")
        await sees(pilot, "after")


async def test_a_case_that_is_read_again_leaves_the_reader_and_the_folds_as_they_are() -> None:
    events = [says(f"m {n}", f"m{n}") for n in range(60)] + RUN
    driver = driver_of(events)
    async with running(driver) as (pilot, _):
        screen = await opened(pilot, "2")
        view = screen.query_one(TraceView)
        view.go_to_entry(61, unfold=True)
        before = [view.render_line(y).text for y in range(view.size.height)]
        driver.views["one"] = driver_of([*events, says("later", "z")]).views["one"]
        screen.load_case()
        await sees(pilot, "+1 new below")
        assert [view.render_line(y).text for y in range(view.size.height)] == before


async def test_one_key_leads_from_the_reason_to_what_it_cites() -> None:
    why = 'The Bash call failed with "no rule to make target", see report.md.'
    files = (FileEntry("artifacts/report.md", 4, False, "/r/artifacts/report.md"),)
    async with running(driver_of(RUN, why, files=files)) as (pilot, _):
        screen = await opened(pilot)
        await linked(pilot, screen)
        await pilot.press("c")
        view = screen.query_one(TraceView)
        assert (screen.tab, view.entry) == ("trace", 1)
        await pilot.press("c")
        assert "no rule to make target" in "".join(s.text for s in view.row_segments(view.cursor))
        await pilot.press("c")
        assert screen.tab == "files"
        await sees(pilot, "one/artifacts/report.md")
        await pilot.press("C", "1")
        assert screen.tab == "reason"


async def test_what_the_reason_of_the_next_case_cites_is_known_before_it_is_read() -> None:
    driver = driver_of(RUN, "see call 2")
    driver.lay_out(ran("one", "two"))
    driver.rationales[driver.put("two", "style", measured(False))] = "see call 1"
    driver.views["two"] = replace(driver.views["one"], case="two")
    async with running(driver) as (pilot, _):
        screen = await opened(pilot)
        await linked(pilot, screen)
        await pilot.press("c")
        view = screen.query_one(TraceView)
        assert view.entry == 2
        await pilot.press("n")
        await until(pilot, lambda: screen.case == "two" and screen.cites, "the other reason")
        await until(pilot, lambda: not screen.workers, "it was looked through")
        await pilot.press("c")
        await until(pilot, lambda: view.entry == 1, "what the reason in view cites")


async def test_a_click_on_a_citation_leads_there() -> None:
    async with running(driver_of(RUN, "see call 1")) as (pilot, _):
        screen = await opened(pilot)
        reason = await linked(pilot, screen)
        await pilot.click(reason, offset=(6, 0))
        await until(pilot, lambda: screen.tab == "trace", "the trace")


async def test_a_reason_that_cites_nothing_says_so() -> None:
    async with running(driver_of(RUN, "because")) as (pilot, _):
        await opened(pilot)
        await pilot.press("c")
        await sees(pilot, "The reason cites nothing of this case.")


async def test_a_log_that_is_no_transcript_says_so_in_place_of_the_trace() -> None:
    async with running(driver_of([], events_words="stdout.log is no transcript")) as (pilot, _):
        await opened(pilot, "2")
        await sees(pilot, "stdout.log is no transcript")
