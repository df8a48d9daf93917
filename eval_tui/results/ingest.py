"""A run as a body that Everdict takes in: traces and scores, case by case (measurement rules, 7)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, assert_never, cast

from eval_tui.config.grader_kinds import JUDGE_FAMILY, RESERVED
from eval_tui.engine.grid import CaseView, Cell, CellKey, Grid
from eval_tui.record.derive import final_answer
from eval_tui.record.exchange import exchange_trace
from eval_tui.results.export import cell_document
from eval_tui.scores import Measured, Reason, Score, Unmeasured
from eval_tui.verdicts.policy import JUDGE_PREFIX
from eval_tui.verdicts.producers import Producer, rows_of

RENAMED = "llm-"
"""Before the metric of a model judge whose own name belongs to somebody else there."""


@dataclass(frozen=True, slots=True)
class CaseScores:
    """One case with the whole scores of its columns."""

    view: CaseView
    scores: tuple[tuple[Producer, Score], ...]


def case_scores(
    grid: Grid,
    producers: Sequence[Producer],
    view: CaseView,
    whole: Mapping[CellKey, Score],
) -> CaseScores:
    """The scores of a case; a cell that waits says so, one that never was is left out.

    `whole` gives scores with their rationales.
    """
    found: list[tuple[Producer, Score]] = []
    for producer in producers:
        cell = grid.cell(view.case, producer.name)
        score = whole.get(CellKey(view.case, producer.name), cell.score) or _waiting(cell)
        if score is not None:
            found.append((producer, score))
    return CaseScores(view, tuple(found))


def _waiting(cell: Cell) -> Unmeasured | None:
    if cell.waiting is None:
        return None
    return Unmeasured(Reason.POLICY_SKIP, str(cell_document(cell)["detail"]))


def ingest_body(cases: Iterable[object]) -> dict[str, Any]:
    """The body of these cases (`ingest_case`). No judge of theirs is asked for."""
    return {"traces": list(cases), "judges": []}


def ingest_case(case: CaseScores) -> dict[str, Any]:
    """One case as plain JSON values. Without events there is no trace: an empty one would say that nothing was done."""
    view = case.view
    trace = exchange_trace(view.events)
    if trace:
        trace += [{"t": trace[-1]["t"], **more} for more in _besides(view)]
    output = final_answer(view.events) or view.conversation or view.stdout
    return {
        "caseId": view.case,
        **({"trace": trace} if trace else {}),
        "snapshot": {"kind": "prompt", "output": output},
        "scores": list(_rows(case.scores)),
    }


def _besides(view: CaseView) -> Iterator[dict[str, object]]:
    """Standard error, and what the agent took as one call where its price is known.

    Standard output is the transcript, which is there event by event.
    """
    if view.stderr:
        yield {"kind": "log", "stream": "stderr", "text": view.stderr}
    usd = view.metrics.get("cost_usd")
    if isinstance(usd, int | float) and not isinstance(usd, bool):
        tokens = view.metrics.get("token_usage")
        none: Mapping[str, Any] = {}
        counts = cast("Mapping[str, Any]", tokens) if isinstance(tokens, dict) else none
        cost = {"inputTokens": counts.get("input", 0), "outputTokens": counts.get("output", 0)}
        yield {"kind": "llm_call", "model": "all of the case", "cost": {**cost, "usd": usd}}


def _rows(scores: Iterable[tuple[Producer, Score]]) -> Iterator[dict[str, Any]]:
    taken: set[str] = set()
    chosen = list(scores)
    for producer, score in chosen:
        if not _asks_model(producer):
            taken.update(row.metric for row in rows_of(producer, score))
    for producer, score in chosen:
        if not _asks_model(producer):
            for row in rows_of(producer, score):
                if row.score is not None:
                    yield _row(producer.name, row.metric, row.score)
            continue
        metric = _metric_of_model(producer.name, taken)
        yield _row(producer.name, metric, score)
        for part, own in score.parts.items():
            # Without a pass of its own: a judge's criteria are shown and decide nothing.
            row = _row(producer.name, f"{metric}:{part}", own)
            yield {key: value for key, value in row.items() if key != "pass"}


def _asks_model(producer: Producer) -> bool:
    return producer.authority == "judge"


def _metric_of_model(name: str, taken: set[str]) -> str:
    """The judge's name: the family of names that begin with `judge` belongs to judges of theirs."""
    foreign = name in taken or name in RESERVED or name.partition(":")[0] == JUDGE_FAMILY
    return f"{RENAMED}{name.removeprefix(JUDGE_PREFIX)}" if foreign else name


def _row(grader: str, metric: str, score: Score) -> dict[str, Any]:
    address = {"graderId": grader, "metric": metric}
    match score:
        case Measured():
            value = int(score.value) if isinstance(score.value, bool) else score.value
            row: dict[str, Any] = {**address, "status": "measured", "value": value}
            row |= {"pass": score.passed} if score.passed is not None else {}
            row |= {"label": score.label} if score.label is not None else {}
            return row | ({"detail": score.rationale} if score.rationale else {})
        case Unmeasured(reason=Reason.CONTRACT_VIOLATION):
            told = {"status": "invalid", "reason": score.reason.value, "detail": score.detail}
            return {**address, **told}
        case Unmeasured():
            told = {"status": "unmeasured", "reason": score.reason.value, "detail": score.detail}
            attempts = {"attempts": score.attempts} if score.attempts > 1 else {}
            return {**address, **told, "retryable": score.retryable, **attempts}
        case _:
            assert_never(score)
