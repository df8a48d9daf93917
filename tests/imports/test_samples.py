"""The sample documents: each opens, or says in one line why it holds no grid."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval_tui.imports.opened import Opened, open_document
from eval_tui.imports.reading import NoGrid
from eval_tui.scores import Measured, Unmeasured
from eval_tui.verdicts.canonical import digest
from tests.imports.support import values
from tests.support.shared import shared_dir

WITHOUT_GRID = {
    "grader_context.json": "what a grader is told",
    "legacy_rows.json": "belong to no case",
    "run_failed_record.json": "INTERRUPTED: control plane restarted",
}
SCORED = ("scorecard_detail.json", "scorecard_record.json", "analysis_bundle.json")


@pytest.fixture
def samples() -> Path:
    return shared_dir("samples", "everdict")


def told(found: Opened) -> list[bool | None]:
    return [found.rulebook.given[row.case].value for row in found.grid.rows]


def test_every_sample_opens_or_says_why_not(samples: Path) -> None:
    for path in sorted(samples.glob("*.json")):
        why = WITHOUT_GRID.get(path.name)
        if why is None:
            found = open_document(str(path))
            assert found.grid.rows, path.name
            assert found.grid.columns, path.name
            assert not found.problems, path.name
        else:
            with pytest.raises(NoGrid, match=why):
                open_document(str(path))


@pytest.mark.parametrize("name", SCORED)
def test_scorecards_show_their_verdicts_however_they_were_saved(samples: Path, name: str) -> None:
    found = open_document(str(samples / name))
    assert told(found) == [True, False, None, None]
    rows = ("invoice-total #0", "invoice-total #1", "late-fee #0", "late-fee #1")
    assert tuple(row.case for row in found.grid.rows) == rows
    assert values(found, rows[0]) == {"totals-check": True, "cost": 0.0048, "tone": 0.9}
    assert values(found, rows[1]) == {"totals-check": False, "tone": "missing_secret"}
    assert values(found, rows[2]) == {
        "totals-check": "grader_error",
        "sneaky": "contract_violation",
        "tone": "grader_error",
    }
    assert set(values(found, rows[3]).values()) == {"missing_evidence"}
    assert found.grid.rows[3].notes == ("run/infra/OOM_KILLED: pod was OOM killed",)
    causes = [found.rulebook.given[row].cause for row in rows]
    assert [cause for cause in causes if cause] == [causes[2], "no_outcome"]
    cells = [found.grid.cell(row, judge.name).score for row in rows for judge in found.grid.columns]
    assert sum(isinstance(one, Unmeasured) and one.retryable for one in cells) == 2
    late = found.grid.cell(rows[2], "totals-check").score
    assert isinstance(late, Unmeasured)
    assert late.retryable
    assert late.detail.startswith("timed out")


def test_the_stamped_policy_of_the_samples_is_the_one_in_them(samples: Path) -> None:
    found = open_document(str(samples / "scorecard_detail.json"))
    assert found.ruling.resolution == "resolved"
    assert found.ruling.policy is not None
    assert digest(found.ruling.policy.document()) == found.ruling.stamp.digest


def test_the_list_shows_its_rows_and_that_their_policy_is_not_available(samples: Path) -> None:
    found = open_document(str(samples / "scorecard_list.json"))
    assert [one.cause for one in found.rulebook.given.values()] == ["policy_not_available"]
    assert values(found, "sc_demo01") == {
        "totals_ok": 0.5,
        "readability": 2,
        "usd": 0.0048,
        "totals-check": "missing_evidence",
        "tests_pass": "missing_evidence",
        "tone": 0.9,
    }


def test_a_run_shows_its_one_case(samples: Path) -> None:
    found = open_document(str(samples / "run_record.json"))
    assert told(found) == [True]
    tone = found.grid.cell("invoice-total", "tone").score
    assert isinstance(tone, Measured)
    assert list(tone.parts) == ["politeness", "milestone:opened-file"]


def test_an_ingest_body_is_judged_by_what_is_in_it(samples: Path) -> None:
    found = open_document(str(samples / "ingest_body.json"))
    assert values(found, "invoice-total") == {"totals-check": True, "tone": "policy_skip"}
    assert told(found) == [True]
