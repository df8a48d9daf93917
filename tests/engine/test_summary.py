"""A large `summary.yaml`, which a worker reads, comes to the same as one that is read at once."""

from __future__ import annotations

import json
from pathlib import Path

from eval_tui.engine.summary import packed, unpacked
from eval_tui.record.recorded import read_recorded

SUMMARY = """
per_case:
  a: {one: {value: true, rationale: yes, judge_digest: abc}, two: {value: 3}, three: 4}
  b: {one: {value: null, error: boom, judge_digest: abc}, old: {value: 1, stale: true}}
  c: no mapping
"""


def test_nothing_is_lost_on_the_way_from_the_worker(tmp_path: Path) -> None:
    (tmp_path / "summary.yaml").write_text(SUMMARY)
    read = read_recorded(str(tmp_path))
    came = unpacked(json.loads(json.dumps(packed(str(tmp_path)))))
    assert (came.cells, came.problems) == (read.cells, read.problems)
    told = {case: row for case, row in came.made_by.items() if row}
    assert told == read.made_by == {"a": {"one": "abc"}, "b": {"one": "abc"}}
