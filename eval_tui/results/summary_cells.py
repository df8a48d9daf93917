"""One cell in the form of `summary.yaml`, as the harness's tools read it (harness.md 13 and 14)."""

from __future__ import annotations

import math
import re
from typing import Any, assert_never

from eval_tui.config.schema import Judge
from eval_tui.engine.grid import Cell
from eval_tui.record.recorded_cell import JUDGE_DIGEST
from eval_tui.results.aggregate import is_old
from eval_tui.results.words import WAITING_WORDS
from eval_tui.scores import Measured, Reason, Sample, Score, Unmeasured, recovery

OURS = frozenset(
    {"value", "rationale", "judge_type", "error", "stability", "sample_rationales", "step"}
    | {"pass", "label", "parts", "reason", "retryable", "recover_on", "attempts"}
    | {"stale", "waiting", JUDGE_DIGEST}
)
"""What is written about a cell; what else an entry holds belongs to somebody else."""

_HALVES = re.compile("[\ud800-\udfff]")


def cell_entry(judge: Judge, cell: Cell, score: Score | None, version: str = "") -> dict[str, Any]:
    """The entry of a cell; `score` is its score with the whole rationale, None where it has none.

    What is not measured has no value, and an error or the words of its skip, so that other tools
    count it as they count their own. Reading it again gives the same score. A value that belongs
    to older inputs and a cell that waits are marked, and are not taken for verdicts when read; all
    others say which `version` of the judge they were made with.
    """
    if score is None:
        words = WAITING_WORDS[cell.waiting] if cell.waiting else f"not judged: {cell.state.value}"
        plain: dict[str, Any] = {"value": None, "rationale": words}
        plain["waiting"] = cell.waiting or "cancelled"
    else:
        plain = _plain(score)
        if is_old(cell):
            plain["stale"] = True
    plain["judge_type"] = "llm" if judge.kind == "model" else judge.kind
    if judge.step:
        plain["step"] = judge.step
    if version and score is not None and not is_old(cell):
        plain[JUDGE_DIGEST] = version
    return plain


def _plain(score: Score) -> dict[str, Any]:
    match score:
        case Measured():
            return _measured(score)
        case Unmeasured():
            return _unmeasured(score)
        case _:
            assert_never(score)


def _measured(score: Measured) -> dict[str, Any]:
    plain: dict[str, Any] = {"value": score.value, "rationale": text(score.rationale)}
    if score.passed is not None and not isinstance(score.value, bool):
        plain["pass"] = score.passed
    if score.label is not None:
        plain["label"] = text(score.label)
    if len(score.samples) > 1:
        stability = _stability(score.samples)
        plain["stability"] = stability
        if not stability["stable"]:
            plain["sample_rationales"] = [_sample(sample) for sample in score.samples]
    return plain | _parts(score)


def _unmeasured(score: Unmeasured) -> dict[str, Any]:
    plain: dict[str, Any] = {"value": None, "rationale": ""}
    plain["rationale" if score.reason is Reason.POLICY_SKIP else "error"] = text(score.detail)
    plain["reason"] = score.reason.value
    return plain | recovery(score) | _parts(score)


def _parts(score: Score) -> dict[str, Any]:
    parts = {text(metric): _plain(part) for metric, part in score.parts.items()}
    return {"parts": parts} if parts else {}


def _stability(samples: tuple[Sample, ...]) -> dict[str, Any]:
    """How far the answers of a sampled judge agree."""
    values = [sample.value for sample in samples if sample.value is not None]
    plain: dict[str, Any] = {
        "samples": len(samples),
        "error_count": len(samples) - len(values),
        "values": values,
        "stable": len(values) == len(samples) and len(set(values)) == 1,
    }
    if all(isinstance(value, bool) for value in values):
        return plain | {"pass_count": sum(map(bool, values))}
    mean = math.fsum(value / len(values) for value in values)
    return plain | {"min": min(values), "max": max(values), "mean": round(mean, 2)}


def _sample(sample: Sample) -> dict[str, Any]:
    plain: dict[str, Any] = {"value": sample.value, "rationale": text(sample.rationale)}
    return plain | ({"error": text(sample.error)} if sample.error else {})


def text(raw: str) -> str:
    """Text that UTF-8 can hold: halves of characters are replaced."""
    return _HALVES.sub("\ufffd", raw)
