"""What reading costs: long traces, long files, and a trace that grows while it is read."""

from __future__ import annotations

import asyncio
import json
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from eval_tui.config.schema import Judge
from eval_tui.engine.frames import FrameReader, encode
from eval_tui.engine.grid import CaseView, FileEntry, FileText, Row
from eval_tui.record.spec import RecordSpec
from eval_tui.record.view import case_view
from eval_tui.tui.app import EvalApp
from eval_tui.tui.screens.case import CaseScreen
from eval_tui.tui.widgets.line_view import LineView
from eval_tui.tui.widgets.trace_view import TraceView
from tests.bench.ground import Figure, Ground, median
from tests.tui.fake import FakeDriver
from tests.tui.seeing import screen_text
from tests.tui.showcase import opened as engine_opened

SIZE = (160, 40)
EVENTS = 100_000
PAGES = 50
FOLLOWED_S = 60.0
UPDATES_A_SECOND = 50


class _Driver(FakeDriver):
    """One case with one judge, and one file."""

    def __init__(self, view: CaseView, text: str = "") -> None:
        super().__init__([Row("one", "ran")], [Judge("style", "check")])
        self.views["one"] = view
        self._text = text

    async def file_text(self, case: str, name: str) -> FileText:
        return FileText(self._text, False, len(self._text), False)


def reading(ground: Ground) -> Iterator[Figure]:
    """A trace of 100,000 events, and a file of 4 MB with a line of 1 MB."""
    run = ground.scratch / "run"
    log = run / "cases" / "one" / "stdout.log"
    log.parent.mkdir(parents=True)
    log.write_text("".join(json.dumps(line) + "\n" for line in _stream(EVENTS)))
    yield from asyncio.run(_from_enter(ground.scratch / "project", log, f"{EVENTS:,} events"))
    began = time.perf_counter()
    found = case_view(RecordSpec(str(run), ""), "one")
    FrameReader().feed(encode({"t": "viewed", "reply": found}))
    took = time.perf_counter() - began
    yield Figure(f"reading {len(found['events']):,} events and passing them on", took, "s", None)
    view = _view(tuple(found["events"]))
    yield from asyncio.run(_opened(_Driver(view), "2", TraceView, f"{EVENTS:,} events"))
    text = "word " * 200_000 + "\n" + "a line of a long file\n" * 136_000
    files = (FileEntry("long.txt", len(text), False, "/long.txt"),)
    opened = _opened(_Driver(_view((), files), text), "3", LineView, "4 MB with a line of 1 MB")
    yield from asyncio.run(opened)


async def _from_enter(root: Path, log: Path, what: str) -> list[Figure]:
    """With the engine: from Enter on the case to its trace, and what the keyboard waits meanwhile."""
    case = root / "eval" / "runs" / "long" / "r1" / "cases" / "one"
    for folder in (case, root / "data" / "one"):
        folder.mkdir(parents=True)
    shutil.copy(log, case)
    (root / "data" / "one" / "input.yaml").write_text("task: long\n")
    judge = "judges:\n  - {name: fine, check: 'return True'}\n"
    (root / "eval.yaml").write_text(f"name: long\ndataset: {{path: data}}\n{judge}")
    async with engine_opened(root, SIZE, "dark") as pilot:
        app, halts = pilot.app, [0.0]
        await _until(lambda: "1 cell ran" in screen_text(app))
        ticking = asyncio.create_task(_tick(halts))
        began = time.perf_counter()
        app.simulate_key("enter")
        await _until(lambda: isinstance(app.screen, CaseScreen))
        app.simulate_key("2")
        await _until(lambda: "step 3 of" in screen_text(app))
        first = time.perf_counter() - began
        view = app.screen.query_one(TraceView)
        await _until(lambda: len(view.trace.entries) == EVENTS)
        whole = time.perf_counter() - began
        ticking.cancel()
    return [
        Figure(f"{what}: from Enter on the case to its first entries", first, "s", 1.0),
        Figure(f"{what}: to the last of them", whole, "s"),
        Figure("  the longest that a key waits meanwhile", max(halts) * 1000, "ms"),
    ]


async def _tick(halts: list[float]) -> None:
    last = time.perf_counter()
    while True:
        await asyncio.sleep(0.002)
        last, before = time.perf_counter(), last
        halts.append(last - before - 0.002)


async def _opened(
    driver: _Driver, tab: str, kind: type[TraceView | LineView], what: str
) -> list[Figure]:
    app = EvalApp(driver)
    async with app.run_test(size=SIZE) as pilot:
        await _open_case(pilot)
        began, spent = time.perf_counter(), time.process_time()
        await pilot.press(tab)
        selector = "#file-text" if kind is LineView else "TraceView"
        reader = app.screen.query_one(selector, kind)
        await _until(lambda: reader.virtual_size.height > SIZE[1])
        await pilot.pause()
        first, work = time.perf_counter() - began, time.process_time() - spent
        reader.focus()
        costs: list[float] = []
        for _ in range(PAGES):
            cpu = time.process_time()
            await pilot.press("pagedown")
            costs.append(time.process_time() - cpu)
    return [
        Figure(f"{what}: first paint", first, "s", 1.0, f"CPU {work:.3f} s"),
        Figure(f"{what}: a page, CPU, median", median(costs) * 1000, "ms", 16),
    ]


def following(ground: Ground) -> Iterator[Figure]:
    """A trace that grows 50 times a second for a minute, with a reader in its middle."""
    log = ground.scratch / "stdout.log"
    moved, lost, share, added = asyncio.run(_follow(log))
    yield Figure("entries that came in a minute of reading", added, "")
    yield Figure("  times that the reader's place moved", moved, "", 0)
    yield Figure("  keys lost", lost, "", 0)
    yield Figure("  CPU of the app, part of a core", share, "", 0.5)


async def _follow(log: Path) -> tuple[int, int, float, int]:
    lines = list(_stream(3_000))
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))
    events = tuple(_message(line["message"]["id"]) for line in lines)
    view = _view(events, path=str(log), end=log.stat().st_size)
    app = EvalApp(_Driver(view))
    async with app.run_test(size=SIZE) as pilot:
        await _open_case(pilot)
        await pilot.press("2")
        await pilot.pause(0.5)
        trace = app.screen.query_one(TraceView)
        trace.go_to_entry(1_000)
        pressed = moved = 0
        known = len(trace.trace.entries)
        place = (trace.entry, trace.cursor - trace.scroll_offset.y)
        cpu, began, turn = time.process_time(), time.monotonic(), 0
        with log.open("a") as file:
            while time.monotonic() - began < FOLLOWED_S:
                turn += 1
                file.write(json.dumps(next(_stream(1, f"new{turn}"))) + "\n")
                file.flush()
                moved += place != (trace.entry, trace.cursor - trace.scroll_offset.y)
                if turn % UPDATES_A_SECOND == 0:
                    await pilot.press("j")
                    pressed += 1
                    place = (trace.entry, trace.cursor - trace.scroll_offset.y)
                await asyncio.sleep(1 / UPDATES_A_SECOND)
        share = (time.process_time() - cpu) / (time.monotonic() - began)
        return moved, 1_000 + pressed - trace.entry, share, len(trace.trace.entries) - known


async def _open_case(pilot: Pilot[Any]) -> None:
    await pilot.pause(0.3)
    await pilot.press("enter")
    await _until(lambda: isinstance(pilot.app.screen, CaseScreen))
    await pilot.pause(0.3)


async def _until(reached: Callable[[], bool]) -> None:
    give_up = time.monotonic() + 30
    while not reached():
        if time.monotonic() > give_up:
            raise TimeoutError("it never came to that")
        await asyncio.sleep(0.001)


def _stream(count: int, name: str = "m") -> Iterator[dict[str, Any]]:
    for number in range(count):
        content = [{"type": "text", "text": f"step {number} of a long run"}]
        message = {"id": f"{name}-{number}", "content": content, "usage": {"output_tokens": 7}}
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(1_700_000_000 + number))
        yield {"type": "assistant", "message": message, "timestamp": stamp}


def _message(name: str) -> dict[str, Any]:
    return {"type": "assistant", "text": f"step {name}", "tools": [], "_msg_id": name}


def _view(
    events: tuple[Any, ...], files: tuple[FileEntry, ...] = (), path: str = "", end: int = 0
) -> CaseView:
    return CaseView(
        case="one",
        case_dir="/run/cases/one",
        input_path="",
        inputs="",
        annotations_path="",
        annotations="",
        files=files,
        events=events,
        events_path=path,
        conversation="",
        stdout="",
        stderr="",
        metrics={},
        notes=(),
        events_end=end,
    )
