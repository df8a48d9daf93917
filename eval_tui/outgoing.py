"""`export --format everdict`: a run as it stands, for another tool to take in."""

from __future__ import annotations

import json

from eval_tui.engine.driver import Driver
from eval_tui.engine.grid import CellKey
from eval_tui.output import publish, say
from eval_tui.results.exit_code import BY_SIGNAL, PASSED, UNUSABLE
from eval_tui.results.ingest import case_scores, ingest_body, ingest_case
from eval_tui.verdicts.producers import producers
from eval_tui.waiting import Interruption


async def write_ingest(driver: Driver, output: str, interrupted: Interruption) -> int:
    """Publish the run in view with its traces and scores; returns the exit code.

    What is secret is masked, as in everything that is printed.
    """
    config = driver.config
    assert config is not None
    found = producers(config)
    cases: list[object] = []
    for row in driver.grid.rows:
        if row.status == "not_run":
            continue
        try:
            view = await driver.view(row.case)
        except OSError as error:
            say(f"{row.case}: {error}")
            return UNUSABLE
        if interrupted.number:
            return BY_SIGNAL + interrupted.number
        keys = [CellKey(row.case, one.name) for one in found]
        whole = {key: score for key in keys if (score := driver.session.full_score(key))}
        case = ingest_case(case_scores(driver.grid, found, view, whole))
        cases.append(driver.secrets.mask_texts(case))
    text = json.dumps(ingest_body(cases), indent=1, allow_nan=False)
    return PASSED if publish(text, output) else UNUSABLE
