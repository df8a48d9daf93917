"""The trace on the screen: unfolding, moving, searching, narrowing down and growing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from textual.app import App, ComposeResult

from eval_tui.tui.themes import MARK_COLOURS
from eval_tui.tui.trace import TraceBuilder, make_trace
from eval_tui.tui.trace_document import document_of
from eval_tui.tui.trace_text import name_of
from eval_tui.tui.widgets import trace_rows
from eval_tui.tui.widgets.trace_view import TraceView
from tests.tui.events import Event, calls, gives, says


class Host(App[None]):
    def __init__(self, events: Sequence[Event]) -> None:
        super().__init__()
        self.events = events
        self.trace_view = TraceView()

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(MARK_COLOURS)

    def compose(self) -> ComposeResult:
        yield self.trace_view

    def on_mount(self) -> None:
        self.trace_view.focus()
        self.call_after_refresh(self.trace_view.show, make_trace(self.events))


def rows(view: TraceView) -> list[str]:
    return [view.render_line(y).text.rstrip() for y in range(view.size.height)]


def shown(view: TraceView) -> str:
    return "\n".join(rows(view))


RUN = [
    {"type": "system", "subtype": "init", "timestamp": None, "model": "m-1"},
    says("I will look at the files first.", "m1"),
    calls("Read", "a", {"file_path": "/data/page.md"}),
    gives("a", "first line\nsecond line"),
    calls("Bash", "b", {"command": "make test"}),
    gives("b", "it failed\nneedle here\nand needle there", True),
    says("Two\nlines", "m2"),
    calls("Edit", "c", {"file_path": "/data/page.md"}),
    gives("c", "no such file", True),
    {"type": "result", "cost_usd": 0.5, "num_turns": 3, "timestamp": None},
]


async def test_calls_are_folded_and_short_messages_are_not() -> None:
    app = Host(RUN)
    async with app.run_test(size=(80, 20)) as pilot:
        await pilot.pause()
        text = shown(app.trace_view)
        assert "I will look at the files first." in text
        assert "Read" in text
        assert "second line" not in text
        assert "2 lines" in text
        lines = rows(app.trace_view)
        at = next(y for y, line in enumerate(lines) if "Two" in line)
        assert lines[at + 1].strip() == "lines"


async def test_errors_are_marked_without_colour() -> None:
    app = Host(RUN)
    async with app.run_test(size=(80, 20)) as pilot:
        await pilot.pause()
        marked = [row for row in rows(app.trace_view) if "✗" in row]
        assert [("Bash" in row or "Edit" in row) and "error" in row for row in marked] == [True] * 2


async def test_dot_and_comma_targets_go_from_error_to_error() -> None:
    app = Host(RUN)
    async with app.run_test(size=(80, 30)) as pilot:
        await pilot.pause()
        view = app.trace_view
        seen: list[str] = []
        for by in (1, 1, 1, -1):
            assert view.step_error(by)
            seen.append(name_of(view.trace, view.entry))
        assert seen == ["Bash", "Edit", "Bash", "Edit"]
        assert "no such file" in shown(view)


async def test_unfolding_and_folding_keeps_the_cursor_on_the_entry() -> None:
    app = Host(RUN)
    async with app.run_test(size=(80, 30)) as pilot:
        await pilot.pause()
        view = app.trace_view
        before = shown(view).replace("▌", " ")
        await pilot.press("j", "j", "enter")
        assert "second line" in shown(view)
        await pilot.press("j", "j")
        assert view.entry == 2
        await pilot.press("enter")
        assert view.entry == 2
        assert shown(view).replace("▌", " ") == before


async def test_search_unfolds_what_it_finds_and_steps_inside_it() -> None:
    app = Host(RUN)
    async with app.run_test(size=(80, 30)) as pilot:
        await pilot.pause()
        view = app.trace_view
        assert view.search("needle") == 1
        assert "needle here" in rows(view)[view.cursor]
        view.step_match(1)
        assert "and needle there" in rows(view)[view.cursor]
        view.step_match(1)
        assert "needle here" in rows(view)[view.cursor]
        assert view.search("nowhere") == 0


async def test_copying_gives_the_raw_text_of_the_entry() -> None:
    app = Host([calls("Bash", "a", {"command": "x"}), gives("a", "\x1b[31mraw\x1b[0m")])
    async with app.run_test(size=(80, 10)) as pilot:
        await pilot.pause()
        assert app.trace_view.copy_text.endswith("\x1b[31mraw\x1b[0m")


async def test_a_summary_that_is_cut_counts_what_is_missing_and_unfolding_shows_it() -> None:
    command = "echo " + "word " * 100 + "END"
    app = Host([calls("Bash", "a", {"command": command}), gives("a")])
    async with app.run_test(size=(60, 30)) as pilot:
        await pilot.pause()
        assert "… +" in rows(app.trace_view)[0]
        assert "chars" in rows(app.trace_view)[0]
        await pilot.press("enter")
        assert "END" in shown(app.trace_view)


async def test_a_hundred_thousand_events_make_words_only_for_those_in_view(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    documents: list[int] = []

    def counted(trace: Any, position: int) -> Any:
        documents.append(position)
        return document_of(trace, position)

    monkeypatch.setattr(trace_rows, "document_of", counted)
    events: list[Event] = []
    for number in range(33_334):
        events += [
            says(f"step {number}", f"m{number}"),
            calls("Bash", str(number), {"command": "ls"}),
        ]
        events.append(gives(str(number), f"result {number}", error=number == 30_000))
    app = Host(events)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        view = app.trace_view
        assert view.row_count == 66_668
        await pilot.press("G")
        assert "Bash" in rows(view)[-1]
        assert view.step_error(1)
        assert "result 30000" in shown(view)
        assert view.search("step 12345") == 1
        assert "step 12345" in shown(view)
        assert len(documents) < 10


async def test_a_new_width_keeps_the_entry_under_the_cursor() -> None:
    events = [says(f"message {n}: " + "words that wrap " * 20, f"m{n}") for n in range(50)]
    app = Host(events)
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.pause()
        view = app.trace_view
        view.go_to_entry(20)
        for size in ((60, 20), (40, 10), (200, 50), (120, 30)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            assert view.entry == 20
            assert "message 20:" in shown(view)


async def test_a_longer_trace_of_the_same_case_keeps_the_place_and_the_folds() -> None:
    events = [says(f"message {number}", f"m{number}") for number in range(100)]
    app = Host([*events, *RUN])
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        view = app.trace_view
        view.go_to_entry(60)
        view.toggle()
        before = rows(view)
        view.show(make_trace([*events, *RUN, *RUN]), keep_place=True)
        assert rows(view) == before
        assert view.entry == 60


async def test_every_row_is_exactly_as_wide_as_the_view() -> None:
    wide = "日本語 👨‍👩‍👧‍👦 🇩🇪 e\u0301 ❤️ " * 20
    events = [says(wide), calls("道具" * 30, "a", {"command": wide}), gives("a", wide)]
    app = Host(events)
    async with app.run_test(size=(61, 30)) as pilot:
        await pilot.pause()
        app.trace_view.go_to_entry(1, unfold=True)
        for y in range(app.trace_view.size.height):
            assert app.trace_view.render_line(y).cell_length == app.trace_view.size.width


AGENTS = [
    says("first"),
    calls("Agent", "a", {"description": "Look around"}),
    calls("Agent", "b", {"description": "Look elsewhere"}),
    says("seen by b", parent_tool_use_id="b"),
    calls("Grep", "c", {"pattern": "x"}, parent_tool_use_id="a"),
    gives("c", "needle: not found", True, parent_tool_use_id="a"),
    says("seen by a", parent_tool_use_id="a"),
    gives("a", "report of a"),
    gives("b", "report of b"),
    says("last"),
]


async def test_subagents_are_folded_to_one_line_that_says_what_is_inside() -> None:
    app = Host(AGENTS)
    async with app.run_test(size=(80, 20)) as pilot:
        await pilot.pause()
        lines = [line for line in rows(app.trace_view) if line]
        assert len(lines) == 4
        assert "Look around" in lines[1] and "+2 entries, 1 error" in lines[1]
        assert "Look elsewhere" in lines[2] and "+1 entry" in lines[2]


async def test_a_subagent_unfolds_below_its_call_whatever_others_did_meanwhile() -> None:
    app = Host(AGENTS)
    async with app.run_test(size=(80, 30)) as pilot:
        await pilot.pause()
        await pilot.press("j", "right")
        text = shown(app.trace_view)
        places = [text.index(part) for part in ("report of a", "Grep", "seen by a", "elsewhere")]
        assert places == sorted(places)
        assert "seen by b" not in text
        await pilot.press("left")
        assert "Grep" not in shown(app.trace_view)


async def test_left_goes_from_a_subagent_to_its_call() -> None:
    app = Host(AGENTS)
    async with app.run_test(size=(80, 30)) as pilot:
        await pilot.pause()
        app.trace_view.go_to_entry(4)
        assert app.trace_view.entry == 4
        await pilot.press("left")
        assert app.trace_view.entry == 1


async def test_errors_and_matches_inside_folded_subagents_are_found() -> None:
    app = Host(AGENTS)
    async with app.run_test(size=(80, 30)) as pilot:
        await pilot.pause()
        assert app.trace_view.step_error(1)
        assert "needle: not found" in shown(app.trace_view)
        assert app.trace_view.search("seen by b") == 1
        assert "seen by b" in rows(app.trace_view)[app.trace_view.cursor]


async def test_a_trace_can_be_narrowed_down_to_the_tool_under_the_cursor() -> None:
    app = Host(AGENTS)
    async with app.run_test(size=(80, 30)) as pilot:
        await pilot.pause()
        view = app.trace_view
        view.go_to_entry(4)
        assert view.narrow() == "Grep"
        assert [line for line in rows(view) if line] == [rows(view)[0]]
        assert view.entry == 4
        assert view.narrow() == ""
        assert view.entry == 4


async def test_growing_leaves_the_reader_in_place_and_follows_at_the_end() -> None:
    app = Host([says(f"message {number}", f"m{number}") for number in range(100)])
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        view, builder = app.trace_view, TraceBuilder()
        builder.extend(app.events)
        view.show(builder.trace)
        view.go_to_entry(50)
        before = rows(view)
        for turn in range(50):
            known = len(builder.trace.entries)
            view.grow(builder.extend([says(f"new {turn}", f"n{turn}")]), known)
            assert rows(view) == before
        await pilot.press("G")
        view.grow(builder.extend([says("the newest", "z")]), len(builder.trace.entries) - 1)
        assert "the newest" in rows(view)[-1]
        assert view.row_count == 151


async def test_a_result_that_comes_later_fills_an_unfolded_call_above_the_reader() -> None:
    app = Host([calls("Bash", "a", {"command": "make"}), *(says(f"m {n}") for n in range(60))])
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        view, builder = app.trace_view, TraceBuilder()
        builder.extend(app.events)
        view.show(builder.trace)
        view.toggle()
        view.go_to_entry(40)
        before = rows(view)
        known = len(builder.trace.entries)
        view.grow(builder.extend([gives("a", "one\ntwo\nthree")]), known)
        assert rows(view) == before
        await pilot.press("g")
        assert "three" in shown(view)
