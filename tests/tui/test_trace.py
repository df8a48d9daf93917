"""A trace as entries: what is merged, folded, indented and marked, at any size."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from textual.app import App, ComposeResult

from eval_tui.tui.themes import MARK_COLOURS
from eval_tui.tui.trace import make_trace
from eval_tui.tui.trace_text import document_of, name_of, outcome_of, summary_of
from eval_tui.tui.widgets import trace_view
from eval_tui.tui.widgets.trace_view import TraceView
from tests.support.shared import shared_dir

Event = Mapping[str, Any]


def says(text: str, message: str = "", **more: Any) -> Event:
    event: dict[str, Any] = {
        "type": "assistant",
        "text": text,
        "tools": [],
        "timestamp": None,
        **more,
    }
    if message:
        event["_msg_id"] = message
    return event


def calls(name: str, use: str, arguments: Any = None, **more: Any) -> Event:
    tool = {"name": name, "id": use, "input": {} if arguments is None else arguments}
    return {"type": "assistant", "text": "", "tools": [tool], "timestamp": None, **more}


def gives(use: str, content: str = "done", error: bool = False, **more: Any) -> Event:
    return {
        "type": "tool_result",
        "tool_use_id": use,
        "tool_name": "",
        "content": content,
        "is_error": error,
        "timestamp": None,
        **more,
    }


def noise() -> Event:
    return {"type": "system", "subtype": "thinking_tokens", "timestamp": None}


def kinds(events: Sequence[Event]) -> list[str]:
    return [entry.kind for entry in make_trace(events).entries]


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


# What is an entry --------------------------------------------------------------------------------


def test_a_call_and_its_result_are_one_entry() -> None:
    trace = make_trace([calls("Read", "a", {"file_path": "/x.md"}), gives("a", "one\ntwo\nthree")])
    assert [entry.kind for entry in trace.entries] == ["call"]
    assert (name_of(trace, 0), summary_of(trace, 0)) == ("Read", "/x.md")
    assert outcome_of(trace, 0) == "3 lines"
    assert list(document_of(trace, 0).lines) == [
        "file_path: /x.md",
        "result",
        "one",
        "two",
        "three",
    ]


def test_results_find_their_calls_whatever_comes_between() -> None:
    events = [
        calls("A", "a"),
        calls("B", "b"),
        gives("b", "of b"),
        says("hm"),
        gives("a", "of a", True),
    ]
    trace = make_trace(events)
    assert [entry.kind for entry in trace.entries] == ["call", "call", "message"]
    assert "of a" in document_of(trace, 0).lines
    assert "of b" in document_of(trace, 1).lines
    assert trace.errors == [0]


def test_a_message_split_over_events_is_one_entry() -> None:
    events = [says("", "m"), noise(), says("first ", "m"), says("second", "m"), says("other", "n")]
    trace = make_trace(events)
    assert [summary_of(trace, at) for at in range(len(trace.entries))] == ["first second", "other"]


def test_what_a_message_says_after_a_call_comes_after_it() -> None:
    events = [says("before", "m"), calls("A", "a", _msg_id="m"), says("after", "m")]
    assert kinds(events) == ["message", "call", "message"]


def test_progress_without_content_is_left_out_and_counted() -> None:
    events = [noise()] * 500 + [says("hello")] + [noise()] * 500
    trace = make_trace(events)
    assert len(trace.entries) == 1
    assert trace.noise == 1000


def test_thinking_is_an_entry_of_its_own() -> None:
    trace = make_trace([says("text", "m", thinking="deep")])
    assert [(entry.kind, summary_of(trace, at)) for at, entry in enumerate(trace.entries)] == [
        ("thinking", "deep"),
        ("message", "text"),
    ]


def test_calls_are_numbered_as_in_the_tool_trace() -> None:
    two = {"name": "B", "id": "b", "input": {}}
    event = {**calls("A", "a"), "tools": [{"name": "A", "id": "a", "input": {}}, two]}
    trace = make_trace([says("x"), event, says("y"), calls("C", "c")])
    assert [(entry.number, name_of(trace, at)) for at, entry in enumerate(trace.entries)][1:3] == [
        (1, "A"),
        (2, "B"),
    ]
    assert trace.entries[-1].number == 3


def test_subagents_are_as_deep_as_the_call_that_started_them() -> None:
    events = [
        calls("Agent", "a"),
        calls("Agent", "b", parent_tool_use_id="a"),
        says("inner", parent_tool_use_id="b", agent_id="worker"),
        says("stray", parent_tool_use_id="unknown"),
        says("root"),
    ]
    assert [entry.depth for entry in make_trace(events).entries] == [0, 1, 2, 1, 0]


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"type": None},
        {"type": "assistant"},
        {"type": "assistant", "text": 5, "tools": "no"},
        {"type": "assistant", "text": None, "tools": [None, 3, {"name": ["x"], "input": "plain"}]},
        {"type": "assistant", "text": "", "tools": [{"name": "A", "id": {}, "input": [1]}]},
        {
            "type": "assistant",
            "text": "x",
            "_msg_id": ["unhashable"],
            "parent_tool_use_id": {"a": 1},
        },
        {"type": "tool_result"},
        {"type": "tool_result", "tool_use_id": [], "content": {"a": 1}, "is_error": "yes"},
        {"type": "result", "cost_usd": "free", "num_turns": None},
        {"type": "system", "subtype": 3, "model": {"x": 1}},
        {"type": "who knows", "payload": {"deep": [1, 2]}},
    ],
)
def test_events_of_any_shape_can_be_read(event: Event) -> None:
    trace = make_trace([event, event])
    for at in range(len(trace.entries)):
        name_of(trace, at), summary_of(trace, at), outcome_of(trace, at)
        assert all("\n" not in line for line in document_of(trace, at).lines)


def test_a_result_that_the_record_cut_says_so() -> None:
    cut = gives("a", "begin", truncated=True, original_length=120_000)
    trace = make_trace([calls("A", "a"), cut])
    assert any("120,000 characters" in line for line in document_of(trace, 0).lines)


def test_colours_are_left_out_of_results_and_kept_for_copying() -> None:
    trace = make_trace([calls("A", "a"), gives("a", "\x1b[1;31mred\x1b[0m \x1b[2Jend")])
    document = document_of(trace, 0)
    assert "red ␛[2Jend" in document.lines
    assert "\x1b[1;31mred\x1b[0m \x1b[2Jend" in document.raw
    assert any("colours left out" in line for line in document.lines)


def test_a_real_run_reads_as_a_conversation() -> None:
    folder = shared_dir("corpus", "projects", "wiki-ingest", "eval", "runs")
    path = next(folder.glob("*/cases/ingest-meeting-notes/events.json"))
    trace = make_trace(json.loads(path.read_text()))
    assert len(trace.entries) < len(trace.events) / 5
    assert sum(entry.kind == "call" for entry in trace.entries) == 23
    assert [name_of(trace, at) for at in trace.errors] == ["Edit", "Edit", "Edit"]
    assert all(outcome_of(trace, at).startswith("error") for at in trace.errors)
    assert summary_of(trace, len(trace.entries) - 1).startswith("24 turns, $0.")


# The view ----------------------------------------------------------------------------------------

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

    monkeypatch.setattr(trace_view, "document_of", counted)
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
