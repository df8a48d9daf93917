"""Whatever bytes the files of a case hold: a part is read, or it is unreadable, and nothing else."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval_tui.record.case import CaseParts, PartUnreadable
from eval_tui.record.record import current_version, make_record
from eval_tui.record.view import case_view
from tests.record.support import case_of, observer, spec_for, write

NAMES = (
    "run/cases/c1/events.json",
    "run/cases/c1/events.jsonl",
    "run/cases/c1/stdout.log",
    "run/cases/c1/stderr.log",
    "run/cases/c1/input.yaml",
    "run/cases/c1/hook_outputs.yaml",
    "run/cases/c1/run_result.json",
    "run/cases/c1/artifacts/a.md",
    "run/cases/c1/_modified/b.md",
    "run/cases/c1/steps/one/stdout.log",
    "run/run_result.json",
    "run/events.json",
    "dataset/c1/annotations.yaml",
)
SNIPPETS = (
    b"",
    b"[]",
    b"{}",
    b"null",
    b"a: !!bool x\n",
    b"a: !!timestamp x\n",
    b"a: !!int x\n",
    b"a: !!set {x}\n? !!python/none\n",
    b"a: =\n",
    b"a: &a [*a, *a]\n",
    b"a: a.md\n<<: 3\n",
    b"%YAML 9.9\n---\na\n",
    b'[{"type": "assistant", "tools": 3, "text": []}]',
    b'[{"type": ["assistant"]}]',
    b'{"per_case": {"c1": {"cost_usd": {"a": [1]}, "steps": [1]}}}',
    b'{"type": "assistant", "message": {"content": [{"type": "text", "text": "\\ud800"}]}}\n',
    b"[" * 50_000,
    b"\xff\xfe\x00a",
    b"1" * 5000,
)
CONTENT = st.sampled_from(SNIPPETS) | st.binary(max_size=30)


@settings(max_examples=120, deadline=None)
@given(st.dictionaries(st.sampled_from(NAMES), CONTENT, max_size=6))
def test_no_content_breaks_the_record(files: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = write(Path(folder), {"run/cases/c1/x": "", "dataset/c1/y": "", **files})
        parts = case_of(root)
        looks, observe = observer()
        record = make_record(parts, observe)
        names = parts.keys()
        for key in names:
            try:
                value: Any = record[key]
                if key in ("files", "annotations"):
                    value = dict(value)
                repr(value)
            except PartUnreadable as error:
                assert error.why and error.path.startswith(folder)
        again = case_of(root)
        assert [look for look in looks if current_version(again, look[0], look[1]) != look[2]] == []
        json.dumps(case_view(spec_for(root), "c1"))


@contextlib.contextmanager
def without_permission(*paths: Path) -> Iterator[None]:
    """Inside, nobody may read the paths: permissions do not bind root, so it steps down."""
    for path in paths:
        path.chmod(0)
    was = os.geteuid()
    if was == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(was)
        for path in paths:
            path.chmod(0o755)


def test_what_may_not_be_read_is_named_and_not_taken_for_empty() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        case = "run/cases/c1"
        files = {f"{case}/artifacts/a.md": "a", f"{case}/artifacts/sub/b.md": "b"}
        root = write(
            Path(folder), {**files, f"{case}/events.json": "[]", f"{case}/input.yaml": "x"}
        )
        sub, text = root / case / "artifacts" / "sub", root / case / "artifacts" / "a.md"

        def why(read: Callable[[CaseParts], object]) -> str:
            with pytest.raises(PartUnreadable) as caught:
                read(case_of(root))
            return f"{caught.value.path}: {caught.value.why}"

        with without_permission(sub):
            assert why(CaseParts.file_names) == f"{sub}: no permission to read it"
            assert case_of(root).value("artifacts_content") == "a"
            assert case_of(root).value("events") == []
            assert any("artifacts/sub" in note for note in case_view(spec_for(root), "c1")["notes"])
        with without_permission(text):
            assert case_of(root).file_names() == ("artifacts/a.md", "artifacts/sub/b.md")
            assert case_of(root).file_value("artifacts/sub/b.md") == "b"
            assert why(lambda c: c.file_value("artifacts/a.md")).startswith(str(text))
            assert why(lambda c: c.value("artifacts_content")).startswith(str(text))
        with without_permission(root / case / "events.json"):
            assert "events.json" in why(lambda c: c.value("conversation"))
            assert case_of(root).value("inputs") == "x"
        with without_permission(root / case):
            json.dumps(case_view(spec_for(root), "c1"))
            case_of(root).keys()


@pytest.mark.parametrize("name", ["a.md", "b.md"])
def test_what_is_too_large_is_refused_with_its_size(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also as the first file of its output; what changes its size changes what is told."""
    monkeypatch.setattr("eval_tui.record.disk.MAX_READ", 1000)
    artifacts = "run/cases/c1/artifacts"
    root = write(tmp_path, {f"{artifacts}/{name}": "x" * 1001, f"{artifacts}/ab.md": "fine"})
    parts = case_of(root)
    with pytest.raises(PartUnreadable, match="1,001 bytes"):
        parts.file_value(f"artifacts/{name}")
    assert parts.file_value("artifacts/ab.md") == "fine"
    if name == "a.md":
        with pytest.raises(PartUnreadable, match="1,001 bytes"):
            parts.value("artifacts_content")
    before = parts.file_digest(f"artifacts/{name}")
    write(tmp_path, {f"{artifacts}/{name}": "x" * 1002})
    assert case_of(root).file_digest(f"artifacts/{name}") != before
    write(tmp_path, {f"{artifacts}/{name}": b"\xff" * 5000})
    value: Any = case_of(root).file_value(f"artifacts/{name}")
    assert value["_binary"] is True
