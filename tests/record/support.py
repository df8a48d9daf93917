"""Small runs on disk for the tests of the record."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from eval_tui.config.schema import Output, Traces
from eval_tui.record.case import CaseParts, load_case
from eval_tui.record.spec import RecordSpec

Looks = list[tuple[str, str, str]]


def write(root: Path, files: dict[str, str | bytes | list[Any] | dict[str, Any]]) -> Path:
    """Writes files below `root`: text and bytes as they are, lists and mappings as JSON."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        elif isinstance(content, str):
            path.write_text(content, encoding="utf-8", newline="")
        else:
            path.write_text(json.dumps(content), encoding="utf-8")
    return root


def spec_for(root: Path, *outputs: str, batch: bool = False, **traces: bool) -> RecordSpec:
    """The spec of the run `root/run` with the dataset `root/dataset`, if there is one."""
    dataset = root / "dataset"
    return RecordSpec(
        run_dir=str(root / "run"),
        dataset_dir=str(dataset) if dataset.is_dir() else "",
        outputs=tuple(Output(path=path) for path in outputs or ("artifacts",)),
        traces=Traces(**traces),
        batch=batch,
    )


def case_of(root: Path, case: str = "c1", **options: Any) -> CaseParts:
    """The parts of one case of the run `root/run`."""
    return load_case(spec_for(root, **options), case)


def said(*texts: str, **more: Any) -> list[dict[str, Any]]:
    """Events: one assistant turn per text."""
    return [
        {"type": "assistant", "text": text, "tools": [], "timestamp": None, **more}
        for text in texts
    ]


def observer() -> tuple[Looks, Any]:
    """A list and a function that puts into it what it is told."""
    looks: Looks = []
    return looks, lambda kind, key, version: looks.append((kind, key, version))


def sources_of(parts: CaseParts, part: str) -> dict[str, Any]:
    """The looks of a part, with paths relative to the folder above the run."""
    base = os.path.dirname(parts.spec.run_dir)
    found = parts.disk.sources.get(part, {})
    return {os.path.relpath(path, base): sig for path, sig in found.items()}
