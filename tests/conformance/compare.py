"""Compares what a scenario gave with what is expected of it, apart from the agreed differences."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

ABSENT = "absent"
"""The cell does not exist here: what it belongs to is no case."""

MODEL_BUILTINS = ("output_completeness", "no_harmful_content")


@dataclass(frozen=True)
class Is:
    """A measured value."""

    value: object


@dataclass(frozen=True)
class Line:
    """One agreed difference: where, what is right here, and why."""

    where: str
    """`scenario/cells/case/judge`; `*` is any name and `{a,b}` one of these."""
    right: Is | str
    """A value, a reason why there is none, or ABSENT."""
    decision: str


Cell = dict[str, Any]


class Differences:
    """The agreed differences of one conformance case; remembers which were needed."""

    def __init__(self, lines: tuple[Line, ...]) -> None:
        self.lines = lines
        self.used: set[str] = set()

    def at(self, where: str) -> Line | None:
        """The first line that speaks of a place."""
        return next((line for line in self.lines if _fits(where, line.where)), None)

    def unused(self) -> list[str]:
        return [
            f"needless line {line.where} ({line.decision})"
            for line in self.lines
            if line.where not in self.used
        ]


def _fits(where: str, pattern: str) -> bool:
    if brace := re.search(r"\{([^{}]*)\}", pattern):
        head, tail = pattern[: brace.start()], pattern[brace.end() :]
        return any(_fits(where, head + name + tail) for name in brace[1].split(","))
    return fnmatchcase(where, pattern)


def compare_cells(
    scenario: str,
    expected: dict[str, Any],
    document: dict[str, Any],
    agreed: Differences,
    *,
    models: bool = False,
) -> Iterator[str]:
    """Every cell that is neither as expected nor as agreed; those of models only when asked for."""
    for case, row in expected.get("cells", {}).items():
        for judge, cell in row.items():
            if needs_model(expected, judge) and not models:
                continue
            where = f"{scenario}/cells/{case}/{judge}"
            actual = document["cells"].get(case, {}).get(judge)
            line = agreed.at(where)
            fits = _agrees(line.right, actual) if line else _equals(cell, actual)
            if line and not _equals(cell, actual):
                agreed.used.add(line.where)
            if not fits:
                yield f"{where}: expected {line.right if line else _words(cell)}, got {_words(actual)}"
    for case in sorted(set(document["cells"]) - set(expected.get("cells", {}))):
        yield f"{scenario}/cells/{case}: is no case of the scenario"


def compare_aggregates(
    scenario: str, expected: dict[str, Any], document: dict[str, Any], *, models: bool = False
) -> Iterator[str]:
    """Every figure that is not what its own cells add up to (D27).

    Where no cell of the judge differs, what they add up to is what was expected anyway; a mix of
    booleans and numbers is the one figure that differs by decision.
    """
    for judge, figures in expected.get("aggregates", {}).items():
        if needs_model(expected, judge) and not models:
            continue
        actual = document["aggregates"].get(judge)
        cells = [row[judge] for row in document["cells"].values() if judge in row]
        right = _figures(cells)
        if _same_cells(expected, document, judge) and not right["mixed"]:
            right |= {
                key: figures[key] for key in ("mean", "pass_rate") if figures[key] != "Infinity"
            }
            right |= {"measured": figures["scored_cases"]}
        for key in ("measured", "mean", "pass_rate", "error_rate"):
            if actual is None or not _near(right[key], actual[key]):
                yield f"{scenario}/aggregates/{judge}/{key}: expected {right[key]}, got {actual}"


def compare_gates(
    scenario: str,
    expected: dict[str, Any],
    document: dict[str, Any],
    exit_code: int,
) -> Iterator[str]:
    """Every gate that does not follow from the figures, and an exit code that does not follow
    from the gates (D28, D31)."""
    found = {(gate["judge"], gate["metric"]): gate for gate in document["thresholds"]}
    for entry in expected.get("thresholds", []):
        key = (entry["judge"], entry["key"])
        gate = found.get(key)
        if entry["state"] == "ignored":
            known = entry["judge"] in document["aggregates"]
            # An entry that the other tool drops is a column here, whose gate cannot be told (D14).
            if gate is not None and not (known and gate["state"] == "cannot_tell"):
                yield f"{scenario}/thresholds/{key}: should be a problem, not a gate"
            if not document["problems"]:
                yield f"{scenario}/thresholds/{key}: nobody says that it guards nothing"
            continue
        figures = document["aggregates"][entry["judge"]]
        figure = figures.get(entry["metric"])
        right = _gate_state(entry, figure)
        if gate is None or gate["state"] != right or not _near(gate["actual"], figure):
            yield f"{scenario}/thresholds/{key}: expected {right}, got {gate}"
        same = entry["state"] if entry["state"] != "unavailable" else "cannot_tell"
        if _near(entry["actual"], figure) and right != same:
            yield f"{scenario}/thresholds/{key}: {entry} has become {right}"
    states = {gate["state"] for gate in document["thresholds"]}
    right = 1 if "fail" in states else 3 if "cannot_tell" in states else 0
    if exit_code not in (right, 2):
        yield f"{scenario}: exit code {exit_code} for gates {sorted(states)}"


def compare_samples(
    scenario: str, expected: dict[str, Any], document: dict[str, Any], agreed: Differences
) -> Iterator[str]:
    """Every measured cell whose answers are not those expected, in whatever order they came."""
    for case, row in expected.get("cells", {}).items():
        for judge, cell in row.items():
            actual = document["cells"].get(case, {}).get(judge)
            if cell["status"] != "measured" or actual is None or not _equals(cell, actual):
                continue  # not measured, or told to be another value
            found = [
                sample["value"] for sample in actual.get("samples", [{"value": actual["value"]}])
            ]
            where = f"{scenario}/samples/{case}/{judge}"
            same = _in_order(found) == _in_order(cell["samples"])
            line = None if same else agreed.at(where)
            right = line.right.value if line and isinstance(line.right, Is) else cell["samples"]
            if line:
                agreed.used.add(line.where)
            if not isinstance(right, list) or _in_order(found) != _in_order(right):
                yield f"{where}: expected {right}, got {found}"


def compare_pairwise(
    scenario: str, expected: dict[str, Any], document: dict[str, Any], agreed: Differences
) -> Iterator[str]:
    """Every winner that is neither as expected nor as agreed, and every count that is not theirs."""
    wanted, block = expected["pairwise"], document["pairwise"]
    found = {entry["case_id"]: entry["winner"] for entry in block["per_case"]}
    right = dict(wanted["per_case"])
    for case, winner in wanted["per_case"].items():
        line = agreed.at(f"{scenario}/pairwise/{case}")
        if line and isinstance(line.right, Is) and line.right.value != winner:
            agreed.used.add(line.where)
            right[case] = line.right.value
    if found != right:
        yield f"{scenario}/pairwise: expected {right}, got {found}"
    counts = Counter(found.values())
    names = {"wins_a": "A", "wins_b": "B", "ties": "tie", "errors": "error"}
    figures = {name: counts[winner] for name, winner in names.items()}
    figures |= {"cases_compared": len(found), "run_a": wanted["run_a"], "run_b": wanted["run_b"]}
    for name, figure in figures.items():
        if block[name] != figure or (right == wanted["per_case"] and wanted[name] != figure):
            yield f"{scenario}/pairwise/{name}: expected {figure}, got {block[name]}"
    stability = dict(block.get("stability", {}))
    if stability:
        flipped = {entry.pop("case_id"): entry for entry in stability.pop("flipped_cases")}
        stability["flipped"] = flipped
    if stability != wanted.get("stability", {}):
        yield f"{scenario}/pairwise/stability: got {stability}"


def compare_requests(
    scenario: str, expected: dict[str, Any], asked: list[dict[str, Any]], agreed: Differences
) -> Iterator[str]:
    """Every kind of request that the server got another number of times than it should."""
    wanted: Counter[str] = Counter()
    for entry in expected.get("requests") or []:
        wanted[_request_kind(entry, entry)] += entry["count"]
    got = Counter(_request_kind(entry, entry.get("schema") or {}) for entry in asked)
    for kind in sorted({*wanted, *got}):
        where = f"{scenario}/requests/{kind}"
        fits = got[kind] == wanted[kind]
        if _is_tried_again(kind):
            fits = (got[kind] > 0) == (wanted[kind] > 0)
        line = None if fits else agreed.at(where)
        if line:
            agreed.used.add(line.where)
            fits = line.right == Is(got[kind])
        if not fits:
            yield f"{where}: asked {got[kind]} times, expected {line.right if line else wanted[kind]}"


def _request_kind(entry: dict[str, Any], schema: dict[str, Any]) -> str:
    """What is compared of a request, in words: model, verdict, status and images."""
    words = [entry["model"], entry["shape"]]
    if entry["shape"] == "number":
        words += [schema["type"], f"{float(schema['minimum']):g}-{float(schema['maximum']):g}"]
    words.append(str(entry["status"]))
    if entry.get("images"):
        words.append(f"{entry['images']} images")
    return " ".join(words)


def _is_tried_again(kind: str) -> bool:
    """Whether the client library tries again, as often as it likes."""
    return bool(set(kind.split()) & {"408", "409", "429", "500", "529", "drop"})


def _in_order(values: list[Any]) -> list[str]:
    """Values that can be compared whatever their order; 4 and 4.0 are equal, 1 and true are not."""
    return sorted(
        repr(value if value is None or isinstance(value, (bool, str)) else float(value))
        for value in values
    )


def needs_model(expected: dict[str, Any], judge: str) -> bool:
    """Whether the judge asks a model or an agent."""
    kind = expected.get("judge_types", {}).get(judge)
    return kind in ("llm", "agent") or judge in MODEL_BUILTINS


def _gate_state(entry: dict[str, Any], figure: float | None) -> str:
    if figure is None:
        return "cannot_tell"
    holds = figure <= entry["limit"] if entry["op"] == "<=" else figure >= entry["limit"]
    return "pass" if holds else "fail"


def _figures(cells: list[Cell]) -> dict[str, Any]:
    """What cells add up to, written out once more."""
    values = [cell["value"] for cell in cells if cell["status"] == "measured"]
    errored = sum(c["status"] != "measured" and c["reason"] != "policy_skip" for c in cells)
    booleans = sum(isinstance(value, bool) for value in values)
    mixed = 0 < booleans < len(values)
    mean = None if mixed or not values else sum(value / len(values) for value in values)
    return {
        "mixed": mixed,
        "measured": len(values),
        "mean": mean,
        "pass_rate": mean if values and booleans == len(values) else None,
        "error_rate": errored / (errored + len(values)) if errored + len(values) else None,
    }


def _same_cells(expected: dict[str, Any], document: dict[str, Any], judge: str) -> bool:
    cells = {case: row[judge] for case, row in expected["cells"].items() if judge in row}
    actual = document["cells"]
    return set(cells) == set(actual) and all(
        _equals(cell, actual[case].get(judge)) for case, cell in cells.items()
    )


def _equals(cell: Cell, actual: Cell | None) -> bool:
    """Whether a cell is what the suite expects."""
    if actual is None:
        return False
    if cell["status"] == "measured":
        return actual["status"] == "measured" and _near(cell["value"], actual["value"])
    skipped = cell["status"] == "skipped"
    return actual["status"] == "unmeasured" and (actual["reason"] == "policy_skip") == skipped


def _agrees(right: Is | str, actual: Cell | None) -> bool:
    """Whether a cell is what a line says."""
    if right == ABSENT or actual is None:
        return right == ABSENT and actual is None
    if isinstance(right, Is):
        return actual["status"] == "measured" and _near(right.value, actual["value"])
    return actual["status"] == "unmeasured" and actual["reason"] == right


def _near(one: object, other: object) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return isinstance(one, bool) and isinstance(other, bool) and one == other
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    return one == other


def _words(cell: Cell | None) -> str:
    if cell is None:
        return ABSENT
    detail = str(cell.get("detail", "")).partition("\n")[0][:120]
    return " ".join(str(cell[k]) for k in ("status", "value", "reason") if k in cell) + f" {detail}"
