"""The digest of a whole plane of scores: whether what is read is what was written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from eval_tui.verdicts import canonical

_MEASURED = ("graderId", "metric", "status", "value", "pass", "label")
_OTHER = ("graderId", "metric", "status", "reason")


def plane_digest(results: Iterable[Mapping[str, Any]]) -> str:
    """The digest over normalised results, each with `caseId`, an optional `trial`, and `scores`.

    Rows are sorted by code point; where other tools sort by language, another digest proves nothing.
    """
    plane = {
        f"{_escaped(str(one['caseId']))}#{one.get('trial') or 0}": _rows(one["scores"])
        for one in results
    }
    return canonical.digest(plane)


def _rows(scores: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    rows = [_row(score) for score in scores]
    return sorted(rows, key=lambda row: (cast("str", row["metric"]), cast("str", row["graderId"])))


def _row(score: Mapping[str, Any]) -> dict[str, Any]:
    plain = {**score, "status": score.get("status", "measured")}
    keys = _MEASURED if plain["status"] == "measured" else _OTHER
    return {key: plain[key] for key in keys if key in plain}


def _escaped(case: str) -> str:
    return case.replace("%", "%25").replace("#", "%23")
