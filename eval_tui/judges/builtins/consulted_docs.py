"""`consulted_docs`: the agent read the files that the case's annotations expect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from eval_tui.judges.base import Runner
from eval_tui.judges.builtins.arguments import choice, flag, number, texts
from eval_tui.judges.builtins.trace import trace_of
from eval_tui.record.derive import reads_of


def make(arguments: Mapping[str, Any]) -> Runner:
    """Arguments: `min_coverage` (0.8), `match` (suffix, exact or basename), `include_subagents`
    and `include_grep` (both true), `preloaded_files`.

    Expected are the paths in `annotations.expected_files`: with none the case is skipped, and
    without a trace nothing can be said (D19). A path that is expected twice counts twice.
    """
    least = number(arguments, "min_coverage", 0.8)
    match = choice(arguments, "match", ("suffix", "exact", "basename"))
    subagents = flag(arguments, "include_subagents", True)
    grep = flag(arguments, "include_grep", True)
    preloaded = texts(arguments, "preloaded_files")

    def judge(record: dict[str, Any]) -> object:
        expected = [_normal(path, match) for path in _expected(record["annotations"])]
        if not expected:
            return None, "no files are expected of this case (annotations.expected_files)"
        events = trace_of(record)
        read = {_normal(path, match) for path in reads_of(events, subagents, grep)}
        read |= {_normal(path, match) for path in preloaded}
        missed = [path for path in expected if not any(_same(path, seen, match) for seen in read)]
        hits = len(expected) - len(missed)
        words = f"read {hits} of {len(expected)} expected files"
        if missed:
            words += "; not read: " + ", ".join(missed)
        return hits / len(expected) >= least, words

    return judge


def _expected(annotations: Mapping[str, Any]) -> list[str]:
    """The expected paths without blanks. One text alone is one path. Raises TypeError."""
    value = annotations.get("expected_files", [])
    paths: list[object] = [value] if isinstance(value, str) else value
    if not isinstance(cast("object", paths), list) or not all(isinstance(p, str) for p in paths):
        raise TypeError(f"annotations.expected_files must be a list of paths, not {value!r}")
    return [str(path) for path in paths if str(path).strip()]


def _normal(path: str, match: str) -> str:
    slashes = path.replace("\\", "/").strip()
    return slashes.rpartition("/")[2] if match == "basename" else slashes


def _same(expected: str, seen: str, match: str) -> bool:
    if expected == seen:
        return True
    return match == "suffix" and (expected.endswith("/" + seen) or seen.endswith("/" + expected))
