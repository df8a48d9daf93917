"""Cases as they are in the wild: links, pipes, broken files, and what is read of them."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from typing import Any

import pytest

from eval_tui.record.case import PartUnreadable, StepMissing, load_case
from eval_tui.record.disk import signature
from tests.record.support import case_of, said, sources_of, spec_for, write


def why(parts: Any, key: str) -> str:
    with pytest.raises(PartUnreadable) as caught:
        parts.value(key)
    return f"{os.path.basename(caught.value.path)}: {caught.value.why}"


class TestFilesOfOddKinds:
    def test_a_pipe_in_the_artifacts_is_never_opened(self, tmp_path: Path) -> None:
        folder = write(tmp_path, {"run/cases/c1/artifacts/a.md": "a"}) / "run/cases/c1/artifacts"
        os.mkfifo(folder / "0.fifo")
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(os.path.relpath(folder / "1.sock"))
            parts = case_of(tmp_path)
            assert parts.file_names() == ("artifacts/a.md",)
            assert parts.value("artifacts_content") == "a"
            assert len(parts.notes) == 2

    @pytest.mark.parametrize("name", ["events.json", "events.jsonl"])
    def test_a_pipe_as_events_is_unreadable_not_awaited(self, tmp_path: Path, name: str) -> None:
        write(tmp_path, {"run/cases/c1/stdout.log": "log"})
        os.mkfifo(tmp_path / "run/cases/c1" / name)
        parts = case_of(tmp_path)
        assert why(parts, "events") == f"{name}: it is a named pipe, not a file"
        assert parts.value("stdout") == "log"

    def test_a_pipe_as_log_or_input(self, tmp_path: Path) -> None:
        write(tmp_path, {"run/cases/c1/x": ""})
        os.mkfifo(tmp_path / "run/cases/c1/stdout.log")
        os.mkfifo(tmp_path / "run/cases/c1/input.yaml")
        parts = case_of(tmp_path)
        assert "named pipe" in why(parts, "stdout")
        assert "named pipe" in why(parts, "inputs")
        assert "stdout" in set(parts.keys())

    def test_links_are_not_followed_and_loops_end(self, tmp_path: Path) -> None:
        folder = write(tmp_path, {"run/cases/c1/artifacts/a.md": "a", "secret.md": "s"})
        artifacts = folder / "run/cases/c1/artifacts"
        (artifacts / "secret.md").symlink_to(tmp_path / "secret.md")
        (artifacts / "loop").symlink_to(artifacts)
        (artifacts / "dangling").symlink_to("nowhere")
        (artifacts / "stdout").symlink_to("/dev/stdout")
        assert case_of(tmp_path).file_names() == ("artifacts/a.md",)

    def test_an_output_that_leads_outside_is_refused(self, tmp_path: Path) -> None:
        write(tmp_path, {"run/cases/c1/x": "", "outside/secret.md": "s"})
        (tmp_path / "run/cases/c1/artifacts").symlink_to(tmp_path / "outside")
        parts = case_of(tmp_path)
        with pytest.raises(PartUnreadable):
            parts.file_names()
        assert "artifacts_content" not in set(parts.keys())
        assert "leads out of the case folder" in parts.why_absent("artifacts_content")
        assert not [path for path in parts.disk.opened if "outside" in path]

    def test_an_output_folder_may_link_inside_the_case(self, tmp_path: Path) -> None:
        write(tmp_path, {"run/cases/c1/real/a.md": "a"})
        (tmp_path / "run/cases/c1/artifacts").symlink_to("real")
        assert case_of(tmp_path).file_names() == ("artifacts/a.md",)

    def test_annotations_may_not_link_out_of_the_dataset(self, tmp_path: Path) -> None:
        write(tmp_path, {"run/cases/c1/x": "", "other.yaml": "a: 1", "dataset/c1/gold.md": "g"})
        (tmp_path / "dataset/c1/annotations.yaml").symlink_to(tmp_path / "other.yaml")
        assert "leads out of the dataset" in why(case_of(tmp_path), "annotations")

    def test_a_file_that_disappears_between_listing_and_reading(self, tmp_path: Path) -> None:
        write(tmp_path, {"run/cases/c1/artifacts/a.md": "a", "run/cases/c1/artifacts/b.md": "b"})
        parts = case_of(tmp_path)
        assert len(parts.file_names()) == 2
        (tmp_path / "run/cases/c1/artifacts/b.md").unlink()
        with pytest.raises(PartUnreadable, match="disappeared"):
            parts.file_value("artifacts/b.md")
        assert parts.file_value("artifacts/a.md") == "a"

    def test_names_that_are_no_utf8(self, tmp_path: Path) -> None:
        write(tmp_path, {"run/cases/c1/artifacts/x": ""})
        path = os.fsencode(tmp_path / "run/cases/c1/artifacts") + b"/a\xff.md"
        with open(path, "w") as file:
            file.write("odd")
        parts = case_of(tmp_path)
        name = parts.file_names()[0]
        assert parts.file_value(name) == "odd"
        assert parts.file_digest(name) and parts.file_names_digest() and parts.key_set_digest()

    @pytest.mark.parametrize("path", ["../c2", "/etc", ".", "a/../../c2"])
    def test_outputs_stay_inside_the_case(self, tmp_path: Path, path: str) -> None:
        write(tmp_path, {"run/cases/c1/own.md": "a", "run/cases/c2/other.md": "b"})
        parts = load_case(spec_for(tmp_path, path), "c1")
        assert parts.file_names() == ()


class TestBrokenDocuments:
    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("", "annotations.yaml: {}"),
            ("# nothing\n", "annotations.yaml: {}"),
            ("- a\n", "annotations.yaml: it is a list, not a mapping"),
            ("word\n", "annotations.yaml: it is text, not a mapping"),
            ("a: [1\n", "annotations.yaml: line 2: "),
            ("a: !!python/object/apply:os.system [x]\n", "annotations.yaml: line 1: "),
            ("a: &x [*x]\n", "annotations.yaml: line 1: it contains itself"),
            ("? [a]\n: 1\n? {b: 1}\n: 2\n", "annotations.yaml: line "),
            ("a: 1\n---\nb: 1\n", "annotations.yaml: line 2: "),
            ("a: \x01\n", "annotations.yaml: "),
        ],
    )
    def test_annotations(self, tmp_path: Path, text: str, words: str) -> None:
        write(tmp_path, {"run/cases/c1/x": "", "dataset/c1/annotations.yaml": text})
        parts = case_of(tmp_path)
        if words.endswith("{}"):
            assert parts.value("annotations") == {}
        else:
            assert why(parts, "annotations").startswith(words)
            assert "annotations" in set(parts.keys())
            assert any("annotations.yaml" in note for note in parts.notes)
            assert parts.digest("annotations").startswith("unreadable:")

    def test_an_alias_bomb_is_refused(self, tmp_path: Path) -> None:
        lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
        lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
        write(tmp_path, {"run/cases/c1/x": "", "dataset/c1/annotations.yaml": "\n".join(lines)})
        assert "expand to more than" in why(case_of(tmp_path), "annotations")

    def test_odd_but_readable_annotations(self, tmp_path: Path) -> None:
        text = (
            "day: 2026-13-45\nreal: 2026-01-02\ntwice: 1\ntwice: 2\nshared: &s {k: 1}\nmore: *s\n"
        )
        write(tmp_path, {"run/cases/c1/x": "", "dataset/c1/annotations.yaml": text})
        value: Any = case_of(tmp_path).value("annotations")
        assert value["day"] == "2026-13-45" and value["real"].year == 2026
        assert value["twice"] == 2 and value["more"] == {"k": 1}

    def test_byte_order_marks_and_line_ends(self, tmp_path: Path) -> None:
        files: dict[str, Any] = {
            "run/cases/c1/x": "",
            "dataset/c1/annotations.yaml": b"\xef\xbb\xbftier: hard\r\nn: 1\r\n",
            "dataset/c2/annotations.yaml": "tier: hard\nn: 1\n".encode("utf-16"),
            "dataset/c3/annotations.yaml": b"tier: h\xffrd\n",
        }
        write(tmp_path, files)
        expected = {"tier": "hard", "n": 1}
        assert case_of(tmp_path).value("annotations") == expected
        assert case_of(tmp_path, "c2").value("annotations") == expected
        assert case_of(tmp_path, "c3").value("annotations") == {"tier": "h\ufffdrd"}

    @pytest.mark.parametrize("text", ["", "{", "{}", "1", "[1]", '["x"]', "[{}, null]", "[" * 9000])
    def test_events_that_are_no_list_of_mappings(self, tmp_path: Path, text: str) -> None:
        write(tmp_path, {"run/cases/c1/events.json": text, "run/cases/c1/stdout.log": "log"})
        parts = case_of(tmp_path)
        for key in ("events", "conversation"):
            assert why(parts, key).startswith("events.json: ")
        assert parts.value("stdout") == "log" and parts.value("tool_calls") == []
        write(tmp_path, {"run/cases/c1/events.json": text + " "})
        assert case_of(tmp_path).digest("events") != parts.digest("events")

    def test_json_beyond_the_standard(self, tmp_path: Path) -> None:
        text = '[{"type": "result", "cost_usd": NaN, "num_turns": 1e999, "big": 123456789012345678901}]'
        write(tmp_path, {"run/cases/c1/events.json": "\ufeff" + text})
        events: Any = case_of(tmp_path).value("events")
        assert events[0]["cost_usd"] != events[0]["cost_usd"]
        assert events[0]["num_turns"] == float("inf") and events[0]["big"] == 123456789012345678901

    def test_a_growing_or_damaged_jsonl(self, tmp_path: Path) -> None:
        line = json.dumps({"type": "assistant", "message": {"content": [{"type": "text", "text": "a\u2028b"}]}}, ensure_ascii=False)  # fmt: skip
        text = f"{line}\n123\nnull\n[1]\nnot json\n\n{line}\r\n{line[:20]}"
        write(tmp_path, {"run/cases/c1/events.jsonl": text})
        parts = case_of(tmp_path)
        assert parts.value("conversation") == "a\u2028b\n\na\u2028b"
        assert parts.notes == ["4 malformed lines in cases/c1/events.jsonl"]

    def test_a_bad_byte_costs_itself(self, tmp_path: Path) -> None:
        write(tmp_path, {"run/cases/c1/stdout.log": b"one\r\ntw\xffo\n"})
        parts = case_of(tmp_path)
        assert parts.value("stdout") == "one\ntw\ufffdo\n" == parts.value("conversation")
        assert any("stdout.log" in note for note in parts.notes)

    @pytest.mark.parametrize("text", ["{", "[]", "3"])
    def test_a_broken_run_result(self, tmp_path: Path, text: str) -> None:
        write(tmp_path, {"run/cases/c1/events.json": said("x"), "run/run_result.json": text})
        parts = case_of(tmp_path)
        assert "run_result.json" in why(parts, "cost_usd")
        assert parts.value("conversation") == "x" and parts.value("steps") == {}

    def test_a_broken_hook_output(self, tmp_path: Path) -> None:
        write(
            tmp_path,
            {"run/cases/c1/hook_outputs.yaml": "a: [", "run/cases/c2/hook_outputs.yaml": ""},
        )
        assert "hook_outputs.yaml" in why(case_of(tmp_path), "hook_outputs")
        assert case_of(tmp_path, "c2").value("hook_outputs") == {}

    def test_a_missing_case_has_an_empty_record(self, tmp_path: Path) -> None:
        write(tmp_path, {"run/run_result.json": {"cost_usd": 1}})
        parts = case_of(tmp_path, "gone")
        assert parts.value("files") == {} and parts.value("conversation") == ""
        assert parts.value("events") == [] and "cost_usd" not in set(parts.keys())


class TestMetrics:
    def test_the_runs_totals_stand_in_for_its_only_case(self, tmp_path: Path) -> None:
        write(tmp_path, {"run/run_result.json": {"cost_usd": 9}, "run/cases/c1/x": ""})
        assert case_of(tmp_path).value("cost_usd") == 9
        write(tmp_path, {"run/cases/.hidden/x": ""})
        assert case_of(tmp_path).value("cost_usd") == 9
        before = sources_of(case := case_of(tmp_path), "cost_usd")
        assert case.value("cost_usd") == 9
        write(tmp_path, {"run/cases/c2/x": ""})
        parts = case_of(tmp_path)
        assert "cost_usd" not in set(parts.keys())
        assert "not this case's" in parts.why_absent("cost_usd")
        assert before == {} and "run/cases" in sources_of(case, "cost_usd")

    def test_a_changed_run_result_is_seen(self, tmp_path: Path) -> None:
        for cost in (1, 2, 3):
            write(tmp_path, {"run/run_result.json": {"per_case": {"c1": {"cost_usd": cost}}}})
            assert case_of(tmp_path).value("cost_usd") == cost

    def test_the_switch(self, tmp_path: Path) -> None:
        write(tmp_path, {"run/run_result.json": {"cost_usd": 9}, "run/cases/c1/x": ""})
        parts = load_case(spec_for(tmp_path, metrics=False, stdout=False), "c1")
        assert "cost_usd" not in set(parts.keys())
        assert parts.why_absent("cost_usd") == "traces.metrics is off"
        assert parts.why_absent("stdout") == "traces.stdout is off"


class TestSteps:
    @pytest.fixture
    def root(self, tmp_path: Path) -> Path:
        line = {"type": "assistant", "message": {"content": [{"type": "text", "text": "draft"}]}}
        return write(
            tmp_path,
            {
                "run/cases/c1/events.json": said("all"),
                "run/cases/c1/steps/one/stdout.log": json.dumps(line),
                "run/cases/c1/steps/two/stdout.log": "plain words\n",
                "run/run_result.json": {
                    "per_case": {"c1": {"cost_usd": 9, "steps": {"one": {"cost_usd": 1}}}}
                },
            },
        )

    def test_a_step_has_its_own_trace_and_metrics(self, root: Path) -> None:
        one = case_of(root).scoped("one")
        assert one.value("conversation") == "draft" and one.value("cost_usd") == 1
        assert one.value("_scoped_step") == "one"
        two = case_of(root).scoped("two")
        assert two.value("conversation") == "plain words\n" and two.value("events") == []
        assert "cost_usd" not in set(two.keys())
        assert two.why_absent("cost_usd") == "step 'two' has no cost_usd of its own"

    def test_the_whole_record_is_not_touched_by_a_view(self, root: Path) -> None:
        parts = case_of(root)
        assert parts.scoped("one").value("conversation") == "draft"
        assert parts.value("conversation") == "all" and "_scoped_step" not in set(parts.keys())

    def test_a_step_that_left_nothing(self, root: Path) -> None:
        with pytest.raises(StepMissing):
            case_of(root).scoped("three")

    def test_sources_of_a_step(self, root: Path) -> None:
        parts = case_of(root)
        parts.scoped("one").value("conversation")
        assert "run/cases/c1/steps/one/stdout.log" in sources_of(parts, "conversation")


class TestSources:
    def test_a_run_behind_a_link_that_is_swapped(self, tmp_path: Path) -> None:
        for name, text in (("first", "one"), ("second", "two")):
            write(tmp_path, {f"runs/{name}/cases/c1/artifacts/a.md": text})
        link = tmp_path / "run"
        for name, text in (("first", "one"), ("second", "two")):
            link.unlink(missing_ok=True)
            link.symlink_to(tmp_path / "runs" / name)
            parts = case_of(tmp_path)
            assert parts.value("artifacts_content") == text
            assert parts.value("case_dir") == str(tmp_path / "runs" / name / "cases" / "c1")
            assert parts.value("artifacts_file") == f"{parts.case_dir}/artifacts/a.md"
            # What was looked at is named as it was asked for, so that a swapped link shows.
            assert "run/cases/c1/artifacts/a.md" in sources_of(parts, "artifacts_content")

    def test_candidates_that_did_not_exist_are_noted(self, tmp_path: Path) -> None:
        write(tmp_path, {"run/cases/c1/x": "", "run/stdout.log": "log"})
        parts = case_of(tmp_path)
        assert parts.value("conversation") == "log"
        looked = sources_of(parts, "conversation")
        missing = {path for path, sig in looked.items() if sig is None}
        assert {
            "run/cases/c1/events.json",
            "run/events.jsonl",
            "run/cases/c1/stdout.log",
        } <= missing
        assert looked["run/stdout.log"] == signature(str(tmp_path / "run/stdout.log"))

    def test_the_run_s_events_beat_a_log_only_in_batch_mode(self, tmp_path: Path) -> None:
        write(tmp_path, {"run/cases/c1/stdout.log": "log", "run/events.json": said("all")})
        assert case_of(tmp_path).value("conversation") == "log"
        batch = case_of(tmp_path, batch=True)
        assert batch.value("conversation") == "all"
        assert "shared by its cases" in batch.notes[0]

    def test_a_large_trace_is_opened_only_by_who_needs_it(self, tmp_path: Path) -> None:
        events = [{"type": "system", "subtype": "thinking_tokens", "n": n} for n in range(100_000)]
        write(tmp_path, {"run/cases/c1/events.json": events, "run/cases/c1/artifacts/a.md": "a"})
        assert (tmp_path / "run/cases/c1/events.json").stat().st_size > 5_000_000
        parts = case_of(tmp_path)
        assert parts.keys() and parts.value("artifacts_content") == "a" and parts.file_names()
        assert "absent" not in set(parts.keys()) and parts.digest("inputs")
        assert parts.disk.opened == ()
        assert parts.value("conversation") == ""
        assert next(os.path.basename(path) for path in parts.disk.opened) == "events.json"

    def test_a_big_binary_is_not_read_to_its_end(self, tmp_path: Path) -> None:
        path = write(tmp_path, {"run/cases/c1/artifacts/a.bin": b"\xff\x00"})
        with open(path / "run/cases/c1/artifacts/a.bin", "r+b") as file:
            file.truncate(1 << 40)  # sparse: reading it all would not end well
        value: Any = case_of(tmp_path).file_value("artifacts/a.bin")
        assert value["_binary"] is True


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("metrics", 'the record has no key "metrics"'),
        ("transcript", 'the record has no key "transcript"'),
        ("conversations", 'no key "conversations" (did you mean "conversation"?)'),
        ("input", 'no key "input" (did you mean "inputs"?)'),
        ("cost_usd", "the run has no run_result.json"),
        ("report_content", "no output is called 'report' (there is artifacts)"),
        ("artifacts_content", "no output folder `artifacts`"),
        ("modified_files", "no text file was edited in place"),
        ("annotation_gold_content", "annotations.yaml has no key 'gold'"),
        ("annotation_tier_content", "the annotation 'tier' names no text file in the dataset"),
        ("stderr", "neither the case nor the run has a stderr.log"),
    ],
)
def test_why_a_key_is_absent(tmp_path: Path, key: str, words: str) -> None:
    write(tmp_path, {"run/cases/c1/x": "", "dataset/c1/annotations.yaml": "tier: hard\n"})
    assert words in case_of(tmp_path).why_absent(key)
