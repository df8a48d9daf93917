"""The case screen: one cell read from every side, while the world around it changes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from textual.app import App

from eval_tui.engine.grid import (
    CaseView,
    Cell,
    CellKey,
    CellState,
    Detail,
    Dirty,
    FileEntry,
    FileText,
    PastScore,
    Read,
)
from eval_tui.scores import Measured, Reason, Sample, Score, Unmeasured, measured
from eval_tui.tui.editor import editor_command
from eval_tui.tui.marks import ASCII
from eval_tui.tui.pages import moment
from eval_tui.tui.screens.case import CaseScreen
from eval_tui.tui.themes import MARK_COLOURS
from eval_tui.tui.widgets.line_view import LineView
from eval_tui.tui.widgets.squeeze import squeeze
from eval_tui.tui.widgets.trace_view import TraceView
from tests.tui.fake import FakeDriver, check, ran
from tests.tui.hostile import LITERAL
from tests.tui.test_line_view import ACTING


def case_view(case: str, **more: Any) -> CaseView:
    facts: dict[str, Any] = {
        "case": case,
        "case_dir": f"/run/cases/{case}",
        "input_path": f"/data/{case}/input.yaml",
        "inputs": f"prompt: do {case}\n",
        "annotations_path": "",
        "annotations": "",
        "files": (),
        "events": (),
        "events_path": "",
        "conversation": "",
        "stdout": "",
        "stderr": "",
        "metrics": {},
        "notes": (),
        **more,
    }
    return CaseView(**facts)


class Driver(FakeDriver):
    """A driver that knows details, case views and files, and gives them when it is let."""

    def __init__(self, *cases: str) -> None:
        super().__init__(ran(*cases), [check("style", line=12), check("other")])
        self.details: dict[str, Mapping[str, Any]] = {}
        self.views = {case: case_view(case) for case in cases}
        self.texts: dict[str, FileText] = {}
        self.asked: list[str] = []
        self.gate = asyncio.Event()
        self.gate.set()

    def detail(self, case: str, judge: str) -> Detail:
        cell = self.grid.cell(case, judge)
        facts: dict[str, Any] = {"score": cell.score, **self.details.get(case, {})}
        return Detail(CellKey(case, judge), cell, **facts)

    async def view(self, case: str, beginning: bool = False) -> CaseView:
        await self.gate.wait()
        self.asked.append(case)
        return self.views[case]

    async def file_text(self, case: str, name: str) -> FileText:
        self.asked.append(name)
        return self.texts[name]


class Host(App[None]):
    def __init__(self, driver: FakeDriver, case: str = "one", judge: str = "style") -> None:
        super().__init__()
        self.driver = driver
        self.case = CaseScreen(driver, case, judge)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(MARK_COLOURS)

    def on_mount(self) -> None:
        self.push_screen(self.case)

    def deliver(self) -> None:
        """What the app's timer does."""
        self.case.deliver(self.driver.take_dirty())

    @property
    def text(self) -> str:
        """Everything on the screen."""
        strips = self.screen._compositor.render_strips()
        return "\n".join(strip.text.rstrip() for strip in strips)


def toasts(app: App[None]) -> list[str]:
    return [str(toast.render()) for toast in app.screen.query("Toast")]


async def settled(pilot: Any) -> None:
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


def one(score: Score | Cell, **detail: Any) -> Driver:
    driver = Driver("one")
    driver.put("one", "style", score)
    if detail:
        driver.details["one"] = detail
    return driver


# Opening -----------------------------------------------------------------------------------------


async def test_the_reason_is_there_before_the_files_are() -> None:
    driver = one(measured(False, "The page has no sources."))
    driver.gate.clear()
    app = Host(driver)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "The page has no sources." in app.text
        assert "✗ failed" in app.text
        for key in ("2", "3", "4", "5"):
            await pilot.press(key)
            assert "Loading this case" in app.text
        await pilot.press("4")
        driver.gate.set()
        await settled(pilot)
        assert "prompt: do one" in app.text


async def test_a_case_that_cannot_be_loaded_says_why() -> None:
    driver = one(measured(True))
    driver.views.clear()
    app = Host(driver)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        for key in ("2", "3", "4", "5"):
            await pilot.press(key)
            assert "This case cannot be read: 'one'" in app.text


@pytest.mark.parametrize("reason", list(Reason))
async def test_each_reason_is_explained_with_its_own_words(reason: Reason) -> None:
    driver = one(
        Unmeasured(
            reason,
            "ValueError: [/x] is not a number",
            retryable=True,
            recover_on=frozenset({"code"}),
            attempts=3,
            traceback='  File "eval.yaml", line 9\nValueError',
        )
    )
    app = Host(driver)
    async with app.run_test(size=(100, 40)) as pilot:
        await settled(pilot)
        for words in (
            reason.value,
            "ValueError: [/x] is not a number",
            'File "eval.yaml", line 9',
            "trying again (r)",
            "a change of the judge's code",
            "attempts: 3",
            "What this means",
        ):
            assert words in app.text


async def test_no_value_and_no_words_is_said() -> None:
    app = Host(one(Unmeasured(Reason.GRADER_ERROR, "")))
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert "No value and no reason recorded." in app.text


async def test_recorded_and_recomputed_values_that_differ_are_both_shown() -> None:
    driver = one(measured(False, "now it fails"), recorded=measured(True, "it passed then"))
    app = Host(driver)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert "records something else" in app.text
        assert "recorded: passed" in app.text
        assert "it passed then" in app.text
        assert "computed here: failed" in app.text


async def test_samples_and_parts_are_listed() -> None:
    samples = (Sample(4, "good"), Sample(None, "", "overloaded"), Sample(2, "poor"))
    score = Measured(
        3.0, None, "the mean", samples=samples, parts={"depth": measured(False, "thin")}
    )
    app = Host(one(score))
    async with app.run_test(size=(80, 30)) as pilot:
        await settled(pilot)
        for words in (
            "3 samples",
            "1: 4",
            "2: no answer: overloaded",
            "poor",
            "depth: failed",
            "thin",
        ):
            assert words in app.text


async def test_why_says_what_was_read_what_changed_and_what_was_printed() -> None:
    driver = one(
        measured(True, "fine"),
        reads=(Read("annotations"), Read("conversation", changed=True)),
        condition_reads=(Read('key "x" (absent)'),),
        trigger="output/page.md changed",
        at=1_700_000_000.0,
        duration_s=0.25,
        output="hello from the judge",
        notes=("left a thread running",),
        opaque=("started a process: git",),
        reused=True,
    )
    app = Host(driver)
    async with app.run_test(size=(100, 50)) as pilot:
        await settled(pilot)
        await pilot.press("6")
        for words in (
            "* conversation",
            "  annotations",
            'key "x" (absent)',
            "output/page.md changed",
            moment(1_700_000_000.0),
            "250 ms",
            "hello from the judge",
            "left a thread running",
            "started a process: git",
            "taken from the store",
        ):
            assert words in app.text


async def test_history_is_a_tab_when_there_is_any() -> None:
    past = (PastScore(measured(False, "old words"), 1.0), PastScore(measured(True, "newer"), 2.0))
    for history in ((), past):
        app = Host(one(measured(True), history=history))
        async with app.run_test(size=(80, 24)) as pilot:
            await settled(pilot)
            assert ("7 history" in app.text) == bool(history)
            await pilot.press("7")
            assert app.case.tab == ("history" if history else "reason")
            assert ("old words" in app.text) == bool(history)
            if history:
                assert app.text.index("newer") < app.text.index("old words")


async def test_tabs_can_be_clicked() -> None:
    app = Host(one(measured(True)))
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        line = next(row for row in app.text.splitlines() if "4 inputs" in row)
        await pilot.click("#case-tabs", offset=(line.index("4 inputs") + 2, 0))
        assert app.case.tab == "inputs"
        assert "prompt: do one" in app.text


# Moving between cases ----------------------------------------------------------------------------


async def test_n_goes_through_the_failed_cases_of_this_judge() -> None:
    driver = Driver("a", "b", "c", "d", "e")
    for case, value in zip("abcde", (False, True, False, True, False), strict=True):
        driver.put(case, "style", measured(value, f"about {case}"))
        driver.put(case, "other", measured(False))
    app = Host(driver, "a")
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert "failed 1 of 3" in app.text
        seen: list[str] = []
        for key in ("n", "n", "n", "N"):
            await pilot.press(key)
            await settled(pilot)
            assert f"about {app.case.case}" in app.text
            seen.append(app.case.case)
        assert seen == ["c", "e", "a", "e"]
        assert "failed 3 of 3" in app.text
        driver.put("c", "style", measured(True))
        app.deliver()
        await pilot.pause()
        assert "failed 2 of 2" in app.text


async def test_the_tab_stays_when_the_case_changes_and_its_text_is_the_new_case() -> None:
    driver = Driver("a", "b")
    for case in "ab":
        driver.put(case, "style", measured(False))
    app = Host(driver, "a")
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("4")
        assert "do a" in app.text
        await pilot.press("n")
        await settled(pilot)
        assert app.case.tab == "inputs"
        assert "do b" in app.text
        assert "do a" not in app.text


async def test_no_other_failed_case_is_said() -> None:
    app = Host(one(measured(False)))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settled(pilot)
        await pilot.press("n")
        await pilot.pause()
        assert toasts(app) == ["No other case failed this judge."]
        assert app.case.case == "one"


# While things change -----------------------------------------------------------------------------


async def test_fifty_updates_refresh_the_header_and_leave_the_reader_where_they_are() -> None:
    text = "\n".join(f"line {number}" for number in range(300))
    driver = one(measured(False, text))
    app = Host(driver)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        view = app.case.query_one("#reason", LineView)
        view.go_to_row(120)
        await pilot.pause()
        for turn in range(50):
            state = CellState.RUNNING if turn % 2 else CellState.FRESH
            driver.put("one", "style", Cell(state, measured(turn % 4 == 0, f"{text}\nturn {turn}")))
            app.deliver()
            await pilot.pause()
            assert ("running" in app.text) == (turn % 2 == 1)
            assert view.render_line(0).text.startswith("line 120 ")
        assert app.case.tab == "reason"
        assert view.document.lines[-1] == "turn 49"


async def test_a_trace_that_grew_is_loaded_again_when_the_cell_was_judged_again() -> None:
    event = {"type": "assistant", "text": "hello", "tools": []}
    driver = one(measured(True))
    driver.views["one"] = case_view("one", events=(event,))
    app = Host(driver)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("2")
        assert "hello" in app.text
        driver.views["one"] = case_view("one", events=(event, {**event, "text": "and more"}))
        driver.put("one", "style", Cell(CellState.RUNNING, measured(True)))
        app.deliver()
        await settled(pilot)
        assert "and more" not in app.text
        driver.put("one", "style", measured(True))
        app.deliver()
        await settled(pilot)
        assert "and more" in app.text


async def test_changes_of_other_cells_ask_nothing_of_the_engine() -> None:
    driver = Driver("one", "two")
    driver.put("one", "style", measured(True))
    app = Host(driver)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        driver.asked.clear()
        for _ in range(20):
            driver.put("two", "style", measured(True))
            app.deliver()
        await settled(pilot)
        assert driver.asked == []


async def test_a_judge_or_a_case_that_is_gone_is_still_readable() -> None:
    driver = one(measured(False, "the last words"))
    app = Host(driver)
    async with app.run_test(size=(100, 24)) as pilot:
        await settled(pilot)
        driver.lay_out(judges=[check("other")])
        app.deliver()
        await settled(pilot)
        assert "no longer in the config" in app.text
        assert "the last words" in app.text
        driver.lay_out(rows=[], judges=[check("style")])
        app.deliver()
        await settled(pilot)
        assert "no longer in this run" in app.text


async def test_rerun_and_cancel_concern_this_cell_alone() -> None:
    driver = one(measured(True))
    app = Host(driver)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("r", "ctrl+r", "x")
        key = frozenset({CellKey("one", "style")})
        assert driver.calls == [("rerun", key, False), ("rerun", key, True), ("cancel", key)]


# Searching, copying ------------------------------------------------------------------------------


async def test_n_moves_between_matches_while_searching_and_between_cases_after() -> None:
    text = "\n".join(f"line {number}{' needle' * (number in (5, 50, 90))}" for number in range(100))
    driver = Driver("one", "two")
    for case in ("one", "two"):
        driver.put(case, "style", measured(False, text))
    app = Host(driver)
    async with app.run_test(size=(80, 20)) as pilot:
        await settled(pilot)
        await pilot.press("slash", *"needle", "enter")
        assert "match 1 of 3" in app.text
        await pilot.press("n", "n")
        assert "match 3 of 3" in app.text
        assert "line 90 needle" in app.text
        assert app.case.case == "one"
        await pilot.press("escape")
        assert "match" not in app.text
        await pilot.press("n")
        await settled(pilot)
        assert app.case.case == "two"
        await pilot.press("escape")
        assert app.screen is not app.case


async def test_keys_of_the_screen_are_letters_while_a_search_is_typed() -> None:
    app = Host(one(measured(False, "quarry 12 [/x]")))
    async with app.run_test(size=(80, 20)) as pilot:
        await settled(pilot)
        await pilot.press("slash", *"qry1")
        assert app.screen is app.case
        assert app.case.tab == "reason"
        assert "nothing found" in app.text
        await pilot.press("escape", "slash", "q", "u")
        assert "match 1 of 1" in app.text


async def test_copying_gives_the_raw_words() -> None:
    raw = "\x1b[31mred\tand [/x]"
    app = Host(one(measured(False, raw)))
    async with app.run_test(size=(80, 20)) as pilot:
        await settled(pilot)
        await pilot.press("y")
        assert app.clipboard == raw


# Files -------------------------------------------------------------------------------------------


def with_files() -> Driver:
    driver = one(measured(True))
    names = ("_modified/notes.md", "output/image.png", "output/page.md", "output/short.md")
    driver.views["one"] = case_view(
        "one",
        files=tuple(
            FileEntry(name, 1234, name.endswith("png"), f"/run/cases/one/{name}") for name in names
        ),
    )
    driver.texts = {
        "_modified/notes.md": FileText("changed notes", False, 13, False),
        "output/image.png": FileText("", False, 45_600, True),
        "output/page.md": FileText("the beginning", True, 5_000_013, False),
        "output/short.md": FileText("", False, 0, False),
    }
    return driver


@pytest.mark.parametrize("size", [(80, 24), (200, 50)])
async def test_a_file_is_loaded_when_the_cursor_comes_to_it(size: tuple[int, int]) -> None:
    driver = with_files()
    app = Host(driver)
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        assert driver.asked == ["one"]
        await pilot.press("3")
        await settled(pilot)
        assert driver.asked == ["one", "_modified/notes.md"]
        assert "changed notes" in app.text
        assert "modified 1.2 kB" in app.text
        assert "image 1.2 kB" in app.text
        await pilot.press("j")
        await settled(pilot)
        assert "A folder with 3 files" in app.text
        await pilot.press("j")
        await settled(pilot)
        assert "A binary file of 45.6 kB." in app.text
        await pilot.press("j")
        await settled(pilot)
        assert "the beginning" in app.text
        assert "… +5,000,000 bytes" in app.text
        await pilot.press("j")
        await settled(pilot)
        assert "An empty file." in app.text
        assert driver.asked == ["one", *driver.texts]


async def test_a_file_that_vanished_says_so_and_the_others_can_be_read() -> None:
    driver = with_files()
    del driver.texts["_modified/notes.md"]
    app = Host(driver)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("3")
        await settled(pilot)
        assert "_modified/notes.md cannot be read" in app.text
        await pilot.press("end")
        await settled(pilot)
        assert "An empty file." in app.text


async def test_tab_goes_from_the_list_to_the_text_and_back() -> None:
    driver = with_files()
    driver.texts["_modified/notes.md"] = FileText("raw \x1b text", False, 13, False)
    app = Host(driver)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("3")
        await settled(pilot)
        await pilot.press("y")
        assert app.clipboard == "/run/cases/one/_modified/notes.md"
        await pilot.press("tab", "y")
        assert app.clipboard == "raw \x1b text"
        await pilot.press("shift+tab", "j", "j")
        await settled(pilot)
        assert "A binary file" in app.text


# Text from outside, sizes ------------------------------------------------------------------------

WORDS = [*((text, text) for text in LITERAL), *ACTING.items()]
# Several at a time, each begun by a word, to keep the number of apps small.
GROUPS = [WORDS[at : at + 5] for at in range(0, len(WORDS), 5)]


def _flat(name: str) -> str:
    """A name that is no path: the parts of a path are shown on lines of their own."""
    return name.replace("/", "-")


@pytest.mark.parametrize("group", GROUPS)
async def test_outside_text_is_shown_literally_on_every_page(group: list[tuple[str, str]]) -> None:
    raw, seen = (" and ".join(words) for words in zip(*group, strict=True))
    driver = Driver(raw)
    driver.lay_out(judges=[check(f"J{raw}")])
    driver.put(raw, f"J{raw}", measured(False, f"R{raw}"))
    driver.details[raw] = {
        "trigger": f"T{raw}",
        "output": f"O{raw}",
        "notes": (f"N{raw}",),
        "reads": (Read(f"D{raw}"),),
        "history": (PastScore(Unmeasured(Reason.GRADER_ERROR, f"H{raw}"), 0.0),),
    }
    call = {"name": f"C{raw}", "id": "c", "input": {"command": f"A{raw}"}}
    driver.views[raw] = case_view(
        raw,
        inputs=f"I{raw}",
        annotations=f"B{raw}",
        stdout=f"S{raw}",
        stderr=f"E{raw}",
        metrics={f"M{raw}": f"V{raw}"},
        notes=(f"L{raw}",),
        files=(FileEntry(_flat(f"F{raw}"), 1, False, "/x"),),
        events=({"type": "assistant", "text": f"X{raw}", "tools": [call]},),
    )
    driver.texts = {_flat(f"F{raw}"): FileText(f"G{raw}", False, 1, False)}
    coloured = "\x1b[31m" in raw
    app = Host(driver, raw, f"J{raw}")
    async with app.run_test(size=(400, 40), notifications=True) as pilot:
        await settled(pilot)
        # Colours are left out of what the agent and the judge printed.
        pages = {"1": "JR", "2": "XA", "3": "FG", "4": "IB", "5": "LMV", "6": "TND", "7": "H"}
        if not coloured:
            pages["5"] += "SE"
            pages["6"] += "O"
        for key, letters in pages.items():
            await pilot.press(key)
            await settled(pilot)
            for letter in letters:
                words = f"{letter}{seen}"
                assert (_flat(words) if letter == "F" else words) in app.text, f"{key}, {letter}"
            assert not set(app.text) & set(map(chr, (*range(10), *range(11, 32), *range(127, 160))))
        await pilot.press("2", "j", "enter")
        assert f"tool: C{seen}" in app.text, "a long name is whole in the unfolded entry"
        await pilot.press("r")
        await pilot.pause()
        assert toasts(app) == [f"J{seen} is queued."]


async def test_every_size_shows_the_value_and_a_way_back() -> None:
    driver = one(measured(False, "why it failed"))
    app = Host(driver)
    async with app.run_test(size=(200, 50)) as pilot:
        await settled(pilot)
        for size in ((80, 24), (40, 10), (20, 5), (200, 50)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            assert "✗ failed" in app.text
            assert "why it failed" in app.text
        await pilot.press("q")
        assert app.screen is not app.case


async def test_a_rationale_of_two_megabytes_and_a_long_trace_open() -> None:
    driver = one(measured(False, "word " * 400_000 + "THE END"))
    events = tuple({"type": "assistant", "text": f"step {n}", "tools": []} for n in range(100_000))
    driver.views["one"] = case_view("one", events=events)
    app = Host(driver)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        view = app.case.query_one("#reason", LineView)
        await pilot.press("G")
        assert "THE END" in view.document.text
        await pilot.press("2")
        assert app.case.query_one(TraceView).row_count == 100_000
        assert "step 0" in app.text
        await pilot.press("G")
        assert "step 99999" in app.text


def test_a_line_that_is_squeezed_counts_what_it_leaves_out() -> None:
    assert squeeze("short", 10) == "short"
    assert squeeze("x" * 100, 40) == "x" * 28 + "… +72 chars"
    path = "/a/very/long/path/" * 4 + "name.md"
    assert squeeze(path, 40, keep_end=True).startswith("…")
    assert "name.md +" in squeeze(path, 40, keep_end=True)
    for width in range(30):
        assert len(squeeze("y" * 500, width)) <= width


def test_editors_are_opened_at_the_line_in_their_own_way() -> None:
    assert editor_command("vim", "/a b.yaml", 7) == ["vim", "+7", "/a b.yaml"]
    assert editor_command("code --wait", "/x", 7) == ["code", "--wait", "--goto", "/x:7"]
    assert editor_command("/usr/bin/hx", "/x", 7) == ["/usr/bin/hx", "/x:7"]
    assert editor_command("nano", "/x") == ["nano", "/x"]
    with pytest.raises(ValueError, match="empty"):
        editor_command(" ", "/x")


async def test_a_file_that_is_not_there_is_not_opened_in_an_editor() -> None:
    app = Host(one(measured(True)))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settled(pilot)
        await pilot.press("4", "e")
        await pilot.pause()
        assert toasts(app) == ["/data/one/input.yaml does not exist."]
        await pilot.press("5", "e")
        await pilot.pause()
        assert toasts(app) == ["There is no file behind this page."]


async def test_structure_alone_keeps_the_reader_where_they_are() -> None:
    driver = one(measured(False, "\n".join(str(number) for number in range(300))))
    app = Host(driver)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        view = app.case.query_one("#reason", LineView)
        view.go_to_row(100)
        driver.change(Dirty(structure=True))
        app.deliver()
        await settled(pilot)
        assert view.render_line(0).text.startswith("100 ")


async def test_a_trace_that_was_waited_for_opens_with_its_messages_unfolded() -> None:
    driver = one(measured(True))
    event = {"type": "assistant", "text": "first line\nsecond line", "tools": []}
    driver.views["one"] = case_view("one", events=(event,))
    driver.gate.clear()
    app = Host(driver)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("2")
        assert "Loading this case" in app.text
        driver.gate.set()
        await settled(pilot)
        assert "second line" in app.text


async def test_the_next_case_is_read_from_its_start() -> None:
    driver = Driver("a", "b")
    for case in "ab":
        driver.put(case, "style", measured(False, "\n".join(f"line {n}" for n in range(200))))
    app = Host(driver, "a")
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("G", "n")
        await settled(pilot)
        assert app.case.case == "b"
        assert "line 0\n" in app.text


async def test_files_that_cannot_be_read_any_more_stay_in_view() -> None:
    driver = one(measured(True))
    app = Host(driver)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settled(pilot)
        await pilot.press("4")
        driver.views.clear()
        driver.change(Dirty(structure=True))
        app.deliver()
        await settled(pilot)
        assert "do one" in app.text
        assert toasts(app) == ["This case cannot be read: 'one'"]


async def test_ascii_replaces_the_marks() -> None:
    driver = with_files()
    call = {"name": "Bash", "id": "a", "input": {"command": "echo " + "word " * 50}}
    result = {"type": "tool_result", "tool_use_id": "a", "content": "no", "is_error": True}
    driver.views["one"] = case_view(
        "one", events=({"type": "assistant", "text": "", "tools": [call]}, result)
    )
    driver.put("one", "style", measured(False, "plain words"))
    app = Host(driver)
    app.case = CaseScreen(driver, "one", "style", ASCII)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        for key in "12456":
            await pilot.press(key)
            assert app.text.isascii()
