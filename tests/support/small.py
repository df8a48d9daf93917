"""A minimal project, written to order: a config, a dataset and a run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml


def write_project(
    root: Path,
    judges: Sequence[Mapping[str, Any]],
    cases: Sequence[str] = ("a", "b", "c"),
    *,
    run: str = "r1",
    summary: Mapping[str, Any] | None = None,
    files: Mapping[str, str] | None = None,
    **more: Any,
) -> Path:
    """A project with `judges`; each case has `out/page.md` and a short `events.json`."""
    root.mkdir(parents=True, exist_ok=True)
    write_config(root, judges, **more)
    for case in cases:
        write_case(root, case, run)
    if summary is not None:
        (run_dir(root, run) / "summary.yaml").write_text(yaml.safe_dump(dict(summary)))
    for name, text in (files or {}).items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def write_config(root: Path, judges: Sequence[Mapping[str, Any]], **more: Any) -> Path:
    """Write `eval.yaml` with these judges and further top-level keys."""
    document = {
        "name": "small",
        "dataset": {"path": "data"},
        "outputs": [{"path": "out"}],
        "judges": [dict(judge) for judge in judges],
        **more,
    }
    path = root / "eval.yaml"
    path.write_text(yaml.safe_dump(document, sort_keys=False))
    return path


def run_dir(root: Path, run: str = "r1") -> Path:
    """The folder of a run."""
    return root / "eval" / "runs" / "small" / run


def case_dir(root: Path, case: str, run: str = "r1") -> Path:
    """A case's folder in a run."""
    return run_dir(root, run) / "cases" / case


def write_case(root: Path, case: str, run: str = "r1", text: str = "page") -> None:
    """A case in the dataset and in a run."""
    folder = case_dir(root, case, run)
    (folder / "out").mkdir(parents=True, exist_ok=True)
    (folder / "out" / "page.md").write_text(f"{text} of {case}\n")
    event = {"type": "assistant", "text": f"I wrote {case}.", "tools": []}
    (folder / "events.json").write_text(json.dumps([event]))
    data = root / "data" / case
    data.mkdir(parents=True, exist_ok=True)
    (data / "input.yaml").write_text(f"prompt: write {case}\n")
    (data / "annotations.yaml").write_text("kind: plain\n")
