"""What a file of a case can be compared with, and that nothing else is read for it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from eval_tui.record.counterparts import counterparts
from tests.record.support import spec_for, write


def found(
    tmp_path: Path, name: str, baseline: str = "", root: str = "", side: str = "baseline"
) -> dict[str, Any]:
    listed = counterparts(spec_for(tmp_path), "c1", name, baseline, root, 1000, side)
    return {one["side"]: one["file"]["text"] for one in listed}


def test_the_same_file_of_the_baseline_and_the_reference_of_the_dataset(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "run/cases/c1/artifacts/a.md": "now",
            "older/cases/c1/artifacts/a.md": "before",
            "dataset/c1/input.yaml": "x: 1\n",
            "dataset/c1/reference/a.md": "wanted",
        },
    )
    sides = found(tmp_path, "artifacts/a.md", str(tmp_path / "older"))
    assert sides == {"baseline": "before", "reference": "wanted"}
    assert found(tmp_path, "artifacts/other.md", str(tmp_path / "older")) == {}
    chosen = found(tmp_path, "artifacts/a.md", str(tmp_path / "older"), side="other")
    assert chosen == {"other": "before", "reference": "wanted"}


def test_a_reference_elsewhere_is_found_by_its_name_unless_there_are_two(tmp_path: Path) -> None:
    write(tmp_path, {"dataset/c1/deep/down/a.md": "one"})
    assert found(tmp_path, "artifacts/a.md") == {"reference": "one"}
    write(tmp_path, {"dataset/c1/up/a.md": "two"})
    assert found(tmp_path, "artifacts/a.md") == {}


def test_an_edited_file_is_compared_with_the_one_it_was(tmp_path: Path) -> None:
    write(tmp_path, {"src/m.py": "of the project"})
    assert found(tmp_path, "_modified/src/m.py", root=str(tmp_path)) == {
        "original": "of the project"
    }
    write(tmp_path, {"dataset/c1/src/m.py": "of the dataset"})
    assert found(tmp_path, "_modified/src/m.py", root=str(tmp_path)) == {
        "original": "of the dataset"
    }


def test_links_that_lead_away_and_pipes_are_no_counterparts(tmp_path: Path) -> None:
    write(tmp_path, {"secret": "never shown", "dataset/c1/input.yaml": "x: 1\n"})
    (tmp_path / "dataset/c1/a.md").symlink_to(tmp_path / "secret")
    os.mkfifo(tmp_path / "dataset/c1/b.md")
    assert found(tmp_path, "artifacts/a.md") == {}
    assert found(tmp_path, "artifacts/b.md") == {}
    assert found(tmp_path, "_modified/../../../secret", root=str(tmp_path / "src")) == {}
