"""A case for reading: complete, and safe whatever lies in it."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path
from typing import Any

import pytest

from eval_tui.engine.grid import CaseView, FileEntry
from eval_tui.record.case import PartUnreadable
from eval_tui.record.view import case_view, view_file
from tests.record.support import said, spec_for, write


def entry_names(view: dict[str, Any]) -> list[str]:
    return [entry["name"] for entry in view["files"]]


def test_it_has_the_fields_of_the_screen(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "run/cases/c1/events.json": said("hello"),
            "run/cases/c1/stdout.log": "out\n",
            "run/cases/c1/artifacts/a.md": "a",
            "run/cases/c1/artifacts/b.bin": b"\xff\xfe",
            "run/cases/c1/_modified/m.py": "m",
            "run/cases/c1/notes.txt": "n",
            "run/run_result.json": {"per_case": {"c1": {"cost_usd": 1}}},
            "dataset/c1/input.yaml": "task: x\n",
            "dataset/c1/annotations.yaml": "tier: hard # kept\n",
        },
    )
    view = case_view(spec_for(tmp_path), "c1")
    assert set(view) == {field.name for field in dataclasses.fields(CaseView)}
    entry_fields = {field.name for field in dataclasses.fields(FileEntry)}
    assert all(set(entry) == entry_fields for entry in view["files"])
    json.dumps(view)
    assert entry_names(view) == ["artifacts/a.md", "artifacts/b.bin", "_modified/m.py", "notes.txt"]
    assert [entry["binary"] for entry in view["files"]] == [False, True, False, False]
    assert view["inputs"] == "task: x"
    assert view["input_path"] == str(tmp_path / "dataset/c1/input.yaml")
    assert view["annotations"] == "tier: hard # kept\n"
    assert view["events"] == said("hello") and view["events_path"].endswith("events.json")
    assert (view["stdout"], view["stderr"], view["conversation"]) == ("out\n", "", "hello")
    assert view["metrics"] == {"cost_usd": 1} and view["notes"] == []


def test_a_transcript_in_the_log_is_shown_as_a_trace(tmp_path: Path) -> None:
    line = {"type": "assistant", "message": {"content": [{"type": "text", "text": "said"}]}}
    write(tmp_path, {"run/cases/c1/stdout.log": json.dumps(line)})
    view = case_view(spec_for(tmp_path), "c1")
    assert [event["text"] for event in view["events"]] == ["said"]
    assert view["events_path"].endswith("stdout.log")


def test_subagents_are_put_into_a_trace_that_lacks_them(tmp_path: Path) -> None:
    def line(text: str) -> str:
        message = {"id": text, "content": [{"type": "text", "text": text}]}
        return json.dumps({"type": "assistant", "message": message})

    files: dict[str, Any] = {
        "run/cases/c1/events.jsonl": line("main"),
        "run/cases/c1/subagents/agent-1.jsonl": line("aside"),
    }
    write(tmp_path, files)
    view = case_view(spec_for(tmp_path), "c1")
    assert [(e["text"], e.get("agent_id")) for e in view["events"]] == [
        ("main", None),
        ("aside", "agent-1"),
    ]


def test_what_cannot_be_read_is_noted_and_the_rest_is_there(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "run/cases/c1/events.json": "{",
            "run/cases/c1/artifacts/a.md": "a",
            "run/cases/c1/stderr.log": b"\xff\n",
            "run/run_result.json": "[]",
            "dataset/c1/input.yaml": "a: [",
            "dataset/c1/annotations.yaml": "- x",
        },
    )
    os.mkfifo(tmp_path / "run/cases/c1/stdout.log")
    view = case_view(spec_for(tmp_path), "c1")
    assert entry_names(view) == ["artifacts/a.md"]
    assert view["annotations"] == "- x" and view["stderr"] == "\ufffd\n"
    for name in ("events.json", "stdout.log", "run_result.json", "input.yaml", "annotations.yaml"):
        assert any(name in note for note in view["notes"]), name
    assert len(view["notes"]) == len(set(view["notes"]))


def test_a_case_that_is_not_there(tmp_path: Path) -> None:
    view = case_view(spec_for(tmp_path), "gone")
    assert view["files"] == [] and view["events"] == [] and view["input_path"] == ""


class TestOneFile:
    def test_text(self, tmp_path: Path) -> None:
        write(tmp_path, {"run/cases/c1/artifacts/a.md": "a\r\nb"})
        assert view_file(spec_for(tmp_path), "c1", "artifacts/a.md") == {
            "text": "a\r\nb",
            "truncated": False,
            "size": 4,
            "binary": False,
        }

    def test_binary_and_large(self, tmp_path: Path) -> None:
        write(tmp_path, {"run/cases/c1/b.bin": b"\xff", "run/cases/c1/long.txt": "x" * 100})
        spec = spec_for(tmp_path)
        assert view_file(spec, "c1", "b.bin")["binary"] is True
        large = view_file(spec, "c1", "long.txt", limit=99)
        assert (large["text"], large["truncated"], large["size"]) == ("", True, 100)

    @pytest.mark.parametrize(
        "name", ["../c2/x", "/etc/passwd", "link", "sub/../../c2/x", "pipe", "no"]
    )
    def test_only_regular_files_of_the_case(self, tmp_path: Path, name: str) -> None:
        write(tmp_path, {"run/cases/c1/a": "", "run/cases/c2/x": "other"})
        (tmp_path / "run/cases/c1/link").symlink_to("a")
        (tmp_path / "run/cases/c1/sub").symlink_to(tmp_path / "run/cases/c2")
        os.mkfifo(tmp_path / "run/cases/c1/pipe")
        with pytest.raises(PartUnreadable):
            view_file(spec_for(tmp_path), "c1", name)
