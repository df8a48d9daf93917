"""`score --all`: every eval of a project, one after the other, and one summary."""

from __future__ import annotations

import asyncio
import math
import os
from dataclasses import replace
from pathlib import Path

from eval_tui.config.discovery import FoundEval, discover
from eval_tui.engine import project
from eval_tui.engine.project import NoSuchThing, Options
from eval_tui.engine.supervisor import SupervisorFactory
from eval_tui.headless import score_one
from eval_tui.output import publish, say, tell_problems
from eval_tui.reporting import ScoreOptions
from eval_tui.results.evals import (
    EvalSummary,
    ScoredEval,
    evals_json,
    evals_table,
    summary_of,
    worst_code,
)
from eval_tui.results.exit_code import BY_SIGNAL, NOTHING_SELECTED, UNUSABLE
from eval_tui.results.report import Report
from eval_tui.waiting import Interruption

FORMATS = {"table": evals_table, "json": evals_json}
"""How a summary of several evals can be written."""


def score_all(options: Options, supervisors: SupervisorFactory, wanted: ScoreOptions) -> int:
    """Score every eval that has a run and print the summary; the weightiest of their exit codes.

    An eval without a run, or without anything that was selected, decides nothing beside others.
    """
    found = discover(Path(options.root), options.environ)
    if not found:
        try:
            project.choose_eval(options)
        except NoSuchThing as exc:
            say(str(exc))
        return UNUSABLE
    scored = asyncio.run(_score(found, options, supervisors, wanted))
    if not publish(FORMATS[wanted.format](scored), wanted.output):
        return UNUSABLE
    codes = [one.exit_code for one in scored if one.exit_code != NOTHING_SELECTED]
    return worst_code(codes, NOTHING_SELECTED)


async def _score(
    found: tuple[FoundEval, ...],
    options: Options,
    supervisors: SupervisorFactory,
    wanted: ScoreOptions,
) -> list[ScoredEval]:
    """All until a signal asks for the end. What one spends is not there for the next."""
    scored: list[ScoredEval] = []
    interrupted = Interruption()
    for one in found:
        if len(found) > 1:
            say(f"--- {one.name} ({os.path.relpath(one.path, options.root)})")
        result = await _score_eval(one, options, supervisors, wanted, interrupted)
        scored.append(result)
        if result.exit_code is not None and result.exit_code > BY_SIGNAL:
            break
        if result.document and math.isfinite(options.budget):
            spent = result.document.get("cost_usd") or 0.0
            options = replace(options, budget=max(0.0, options.budget - spent))
    return scored


async def _score_eval(
    found: FoundEval,
    options: Options,
    supervisors: SupervisorFactory,
    wanted: ScoreOptions,
    interrupted: Interruption,
) -> ScoredEval:
    reports: list[Report] = []

    def take(report: Report) -> bool:
        reports.append(report)
        return True

    options = replace(options, config=found.path)
    place = os.path.relpath(found.path, options.root)
    config = project.read_config(found.path, options)
    if not config.usable:
        tell_problems([p for p in config.problems if p.severity == "error"], options.root)
        words = next((p.message for p in config.problems if p.severity == "error"), "unusable")
        return ScoredEval(found.name, place, UNUSABLE, EvalSummary(""), words)
    if not project.runs_of(config, options):
        return ScoredEval(found.name, place, None, EvalSummary(""))
    code = await score_one(options, supervisors, wanted, interrupted, take)
    if not reports:
        nothing = code == NOTHING_SELECTED
        words = "nothing that was selected" if nothing else "not scored, as told above"
        return ScoredEval(found.name, place, code, EvalSummary(options.run), words)
    report = reports[0]
    summary = summary_of(report.run, report.grid, report.board, report.critical)
    document = report.document if wanted.format == "json" or options.auto == "paid" else None
    return ScoredEval(found.name, place, code, summary, document=document)
