"""Access to the conformance cases: small projects with the results that are expected of them."""

import importlib.util
import json
from pathlib import Path
from typing import Any

from tests.support.shared import SHARED, shared_dir


def conformance_cases() -> list[str]:
    """Names of all cases, or none where the shared material is absent."""
    root = SHARED / "conformance" / "cases"
    return sorted(p.name for p in root.iterdir()) if root.is_dir() else []


def case_dir(name_or_prefix: str) -> Path:
    """The folder of a case, by its whole name or its two-digit number."""
    root = shared_dir("conformance", "cases")
    return next(p for p in sorted(root.iterdir()) if p.name.startswith(name_or_prefix))


def load_case(name_or_prefix: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """`case.json` and `expected.json` of a case."""
    folder = case_dir(name_or_prefix)
    return (
        json.loads((folder / "case.json").read_text("utf-8")),
        json.loads((folder / "expected.json").read_text("utf-8")),
    )


def scenarios(name_or_prefix: str) -> list[dict[str, Any]]:
    """The case's scenarios with its defaults filled in."""
    case, _ = load_case(name_or_prefix)
    base = {"command": "judges", "config": "eval.yaml", "eval": "demo", "run": "r1", "cwd": "."}
    return [{**base, **case.get("defaults", {}), **s} for s in case["scenarios"]]


def materialize(name_or_prefix: str, dest: Path) -> Path:
    """A fresh copy of the case's project at `dest`, which must not exist yet."""
    tool = shared_dir("conformance", "tools", "materialize.py")
    spec = importlib.util.spec_from_file_location("conformance_materialize", tool)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return Path(module.materialize(case_dir(name_or_prefix), dest))
