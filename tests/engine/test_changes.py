"""Which results come too late, when files change while judges are at work."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from eval_tui.engine.ambients import Dependencies
from eval_tui.engine.plan import PathIndex, Snapshot
from eval_tui.engine.store import Store

CASES = frozenset(f"case-{number}" for number in range(50))
SNAPSHOT = Snapshot(run_dir="/runs/r", dataset_dir="/cases", cases=CASES)


@pytest.fixture
def dependencies() -> Dependencies:
    return Dependencies(Store(None))


def test_each_case_is_due_because_of_its_own_files_and_those_of_the_whole_run():
    index = PathIndex()
    index.add_extra("case-1", ["/shared/handbook"])
    mine = {"/runs/r/cases/case-0/output/a.md", "/cases/case-0/input.yaml"}
    paths = {*mine, "/shared/handbook/page.md", "/runs/r/cases/not-in-the-run/a.md", "/other"}
    assert index.by_case(paths, SNAPSHOT) == {
        "case-0": [mine],
        "case-1": [{"/shared/handbook/page.md"}],
    }
    whole = "/runs/r/run_result.json"
    assert index.by_case([whole], SNAPSHOT) == {case: [{whole}] for case in CASES}


def test_what_changed_after_a_batch_had_left_concerns_its_results(dependencies: Dependencies):
    dependencies.note_changes(["/runs/r/cases/case-0/a.md"], 1)
    dependencies.note_changes(["/runs/r/cases/case-1/a.md", "/judges/tone.py"], 2)
    assert dependencies.changed_since(1, SNAPSHOT).cases == {"case-1"}
    assert dependencies.changed_since(0, SNAPSHOT).cases == {"case-0", "case-1"}
    assert not dependencies.changed_since(0, SNAPSHOT).ambients
    # A result may be the first to tell that its judge reads a file.
    dependencies.learn("tone", [("file", "/judges/tone.py", "1")])
    assert dependencies.changed_since(1, SNAPSHOT).ambients == {"tone"}
    dependencies.note_extra("case-2", ["/judges/tone.py"])
    assert dependencies.changed_since(1, SNAPSHOT).cases == {"case-1", "case-2"}
    dependencies.nothing_under_way()
    assert not dependencies.changed_since(0, SNAPSHOT).paths


def test_thousands_of_changed_files_are_not_looked_at_again_for_each_result(
    dependencies: Dependencies,
):
    looks: list[int] = []

    class Counting(PathIndex):
        def cases_of(self, paths: Iterable[str], snapshot: Snapshot) -> frozenset[str]:
            looks.append(1)
            return super().cases_of(paths, snapshot)

    dependencies.index = Counting()
    dependencies.note_changes((f"/cases/{case}/input.yaml" for case in CASES), 1)
    for case in CASES:
        dependencies.note_extra(case, ["/cases", "/shared/handbook"])
        assert dependencies.changed_since(0, SNAPSHOT).cases == CASES
    assert len(looks) == 1
