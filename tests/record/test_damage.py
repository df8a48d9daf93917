"""Whatever bytes the files of a case hold: a part is read, or it is unreadable, and nothing else."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from eval_tui.record.case import PartUnreadable
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
