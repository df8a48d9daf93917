"""Events for reading: what is appended to a log, tokens, and what no transcript is."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from eval_tui.record import tail
from eval_tui.record.tail import Tail
from eval_tui.record.view import case_view
from tests.record.support import spec_for, write
from tests.support.shared import shared_dir


def line(text: str, name: str = "m", **more: Any) -> str:
    message = {"id": name, "content": [{"type": "text", "text": text}], **more}
    return json.dumps({"type": "assistant", "message": message}) + "\n"


def viewed(root: Path, log: str) -> dict[str, Any]:
    write(root, {"run/cases/c1/stdout.log": log})
    return case_view(spec_for(root), "c1")


def followed(view: dict[str, Any]) -> Tail:
    return Tail(view["events_path"], view["events_end"])


def append(tail: Tail, text: str) -> None:
    with open(tail.path, "a", encoding="utf-8") as file:
        file.write(text)


def texts(events: list[dict[str, object]] | None) -> list[object] | None:
    return None if events is None else [event["text"] for event in events]


def test_lines_appended_to_a_stream_come_as_events_once_each_is_whole(tmp_path: Path) -> None:
    tail = followed(viewed(tmp_path, line("one")))
    assert tail.more() == []
    second = line("two")
    append(tail, second[:20])
    assert tail.more() == []
    append(tail, second[20:] + line("three"))
    assert texts(tail.more()) == ["two", "three"]
    assert tail.more() == []


def test_a_line_that_was_being_written_when_the_case_was_read_is_not_lost(tmp_path: Path) -> None:
    second = line("two")
    view = viewed(tmp_path, line("one") + second[:20])
    assert texts(view["events"]) == ["one"]
    tail = followed(view)
    append(tail, second[20:])
    assert texts(tail.more()) == ["two"]


def test_a_line_longer_than_a_piece_is_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail, "FIRST_PIECE", 64)
    follower = followed(viewed(tmp_path, line("one")))
    append(follower, line("x" * 1_000) + line("end"))
    found: list[object] = []
    for _ in range(12):
        found += texts(follower.more()) or []
    assert found == ["x" * 1_000, "end"]


@pytest.mark.parametrize("how", ["shorter", "another file"])
def test_a_log_that_was_written_anew_has_to_be_read_anew(tmp_path: Path, how: str) -> None:
    tail = followed(viewed(tmp_path, line("one") + line("two")))
    if how == "shorter":
        Path(tail.path).write_text(line("new"))
    else:
        other = tmp_path / "other"
        other.write_text(line("one") + line("two") + line("three"))
        os.replace(other, tail.path)
    assert tail.more() is None


def test_a_format_that_is_only_known_as_a_whole_is_read_anew_once_per_change(
    tmp_path: Path,
) -> None:
    codex = {"type": "item.completed", "item": {"type": "agent_message", "text": "hi"}}
    view = viewed(tmp_path, json.dumps(codex) + "\n")
    assert view["events_end"] == 0
    tail = followed(view)
    assert tail.more() == []
    append(tail, json.dumps(codex) + "\n")
    assert tail.more() is None
    assert tail.more() == []


def test_a_log_that_is_gone_or_no_file_gives_nothing(tmp_path: Path) -> None:
    tail = followed(viewed(tmp_path, line("one")))
    os.unlink(tail.path)
    os.mkfifo(tail.path)
    assert tail.more() == []


def test_tokens_of_messages_are_kept_for_reading(tmp_path: Path) -> None:
    view = viewed(tmp_path, line("one", usage={"output_tokens": 12}) + line("two", "n"))
    assert [event.get("usage") for event in view["events"]] == [{"output_tokens": 12}, None]
    tail = followed(view)
    append(tail, line("three", "o", usage={"output_tokens": 5}))
    assert [event["usage"] for event in tail.more() or []] == [{"output_tokens": 5}]


@pytest.mark.parametrize("identity", [["a"], {"a": 1}, 7, None])
def test_usage_of_any_shape_is_harmless(tmp_path: Path, identity: Any) -> None:
    odd = {"type": "assistant", "message": {"id": identity, "usage": [1], "content": []}}
    counted = {**odd, "message": {**odd["message"], "usage": {"output_tokens": 3}}}
    view = viewed(tmp_path, json.dumps(odd) + "\n" + json.dumps(counted) + "\n")
    assert len(view["events"]) == 2


@pytest.mark.parametrize(
    ("log", "words"),
    [
        ("plain text\n", "is no transcript: none of its lines is a JSON object."),
        (
            '{"type": "step_start"}\n{"type": "text"}\n',
            "its lines are of the kinds step_start, text.",
        ),
        ('{"role": "user", "content": "x"}\n', "its lines are of the kinds user."),
        ('{"b": 1, "a": 2}\n', "its lines are objects with a, b."),
        ("", "cases/c1/stdout.log is empty."),
    ],
)
def test_a_log_that_is_no_transcript_says_what_it_is(tmp_path: Path, log: str, words: str) -> None:
    view = viewed(tmp_path, log)
    assert view["events"] == [] and words in view["events_words"]


def test_every_transcript_of_the_corpus_opens_or_says_what_it_is(tmp_path: Path) -> None:
    paths = [p for p in shared_dir("corpus", "transcripts").glob("*/*") if "json" in p.suffix]
    assert len(paths) > 50
    for path in paths:
        view = viewed(tmp_path, path.read_text())
        assert bool(view["events"]) != bool(view["events_words"]), path
        if "claude" in path.parent.name and path.suffix == ".jsonl":
            assert view["events"], path


# The beginning of a long trace ---------------------------------------------------------------


def test_the_beginning_of_a_long_log_is_read_before_the_rest(tmp_path: Path) -> None:
    whole = viewed(tmp_path, "".join(line(f"m {n}", f"m{n}") for n in range(100)))
    first = case_view(spec_for(tmp_path), "c1", first=1_000)
    count = len(first["events"])
    assert 5 < count < 50 and first["events"] == whole["events"][:count]
    assert 0 < first["events_part"] < 0.2 and whole["events_part"] == 1
    assert (first["events_end"], first["stdout"], first["conversation"]) == (0, "", "")
    assert whole["stdout"] and case_view(spec_for(tmp_path), "c1", first=1_000_000) == whole


@pytest.mark.parametrize("indent", [None, 2])
def test_the_beginning_of_a_long_list_of_events_is_read_before_the_rest(
    tmp_path: Path, indent: int | None
) -> None:
    events = [{"type": "assistant", "text": f"ä {n}", "tools": []} for n in range(100)]
    write(tmp_path, {"run/cases/c1/events.json": json.dumps(events, indent=indent)})
    for size in range(1_000, 1_100):
        first = case_view(spec_for(tmp_path), "c1", first=size)
        count = len(first["events"])
        assert 5 < count < 30 and first["events"] == events[:count]


@pytest.mark.parametrize("text", ["[1, 2, 3", '{"a": [1]', "[", "nonsense", '["a", "b'])
def test_what_is_no_list_of_events_has_no_beginning(tmp_path: Path, text: str) -> None:
    write(tmp_path, {"run/cases/c1/events.json": text + " " * 2_000})
    assert case_view(spec_for(tmp_path), "c1", first=1_000)["events_part"] == 1


def test_where_the_first_line_is_longer_the_whole_is_read_at_once(tmp_path: Path) -> None:
    view = viewed(tmp_path, line("a" * 5_000) + line("b"))
    assert case_view(spec_for(tmp_path), "c1", first=1_000) == view
