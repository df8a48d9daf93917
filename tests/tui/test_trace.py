"""A trace as entries: what is merged, folded, indented and marked, at any size."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from eval_tui.tui.trace import TraceBuilder, make_trace
from eval_tui.tui.trace_document import document_of
from eval_tui.tui.trace_text import name_of, outcome_of, summary_of
from tests.support.shared import shared_dir
from tests.tui.events import Event, calls, gives, says


def noise() -> Event:
    return {"type": "system", "subtype": "thinking_tokens", "timestamp": None}


def kinds(events: Sequence[Event]) -> list[str]:
    return [entry.kind for entry in make_trace(events).entries]


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
    assert trace.noise == {"thinking_tokens": 1000}


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


def at(clock: str) -> dict[str, str]:
    return {"timestamp": f"2026-01-01T{clock}Z"}


def test_long_waits_are_marked_where_something_took_its_time() -> None:
    events = [
        says("begin", **at("10:00:00")),
        calls("Bash", "a", **at("10:00:05")),
        gives("a", **at("10:01:05")),
        says("after a long thought", **at("10:02:05")),
    ]
    assert make_trace(events).waits == {1: 60.0, 2: 60.0}
    assert "1 min 0 s" in "\n".join(document_of(make_trace(events), 1).lines)


def test_tokens_of_a_message_are_counted_once_where_it_begins() -> None:
    usage = {"usage": {"output_tokens": 40}}
    trace = make_trace([says("a", "m", **usage), calls("Bash", "b", _msg_id="m", **usage)])
    assert trace.tokens == {0: 40}
    assert outcome_of(trace, 0) == "40 tokens"


def test_hooks_status_and_retries_are_counted_and_left_out() -> None:
    subtypes = ["hook_started", "hook_response", "status", "api_retry", "api_retry", "init"]
    trace = make_trace([{"type": "system", "subtype": name} for name in subtypes])
    assert len(trace.entries) == 1
    assert trace.noise == {"hook_started": 1, "hook_response": 1, "status": 1, "api_retry": 2}


def test_an_edit_is_shown_as_a_diff_of_its_lines() -> None:
    given = {"file_path": "/x.md", "old_string": "one\ntwo\nthree", "new_string": "one\n2\nthree"}
    document = document_of(make_trace([calls("Edit", "a", given), gives("a")]), 0)
    assert list(document.lines)[:5] == ["file_path: /x.md", " one", "-two", "+2", " three"]
    assert [document.spans[line][0].style for line in (2, 3)] == ["bad", "good"]


def test_several_edits_of_a_call_are_several_diffs() -> None:
    edits = [{"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": ""}]
    document = document_of(make_trace([calls("MultiEdit", "a", {"edits": edits})]), 0)
    assert list(document.lines)[:3] == ["-a", "+b", "-c"]


def test_a_command_is_shown_as_one_types_it() -> None:
    given = {"description": "List", "command": "ls -l |\n  wc"}
    document = document_of(make_trace([calls("Bash", "a", given)]), 0)
    assert list(document.lines)[:3] == ["$: ls -l |", "    wc", "description: List"]


def test_a_trace_that_grows_says_which_entries_are_no_longer_as_they_were() -> None:
    builder = TraceBuilder()
    assert builder.extend([calls("A", "a"), says("x", "m")]) == set()
    assert builder.extend([gives("a", "bad", True), says("y", "m"), says("new")]) == {0, 1}
    assert builder.trace.errors == [0]
    assert summary_of(builder.trace, 1) == "xy"


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
