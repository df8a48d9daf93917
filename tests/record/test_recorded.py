"""Reading what a run's `summary.yaml` holds."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval_tui.record.recorded import Recorded, read_recorded
from eval_tui.scores import Measured, Reason, Sample, Score, Unmeasured
from tests.support.shared import shared_dir


def recorded(folder: Path, text: str | bytes) -> Recorded:
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    (folder / "summary.yaml").write_bytes(data)
    return read_recorded(str(folder))


def cell(folder: Path, text: str) -> Score:
    """The one cell of a summary, given as a flow mapping."""
    found = recorded(folder, f"per_case: {{c: {{j: {text}}}}}\n")
    assert found.readable, found.problems
    return found.cells["c"]["j"]


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("{value: true, rationale: why, judge_type: check}", Measured(True, True, "why")),
        ("{value: false}", Measured(False, False)),
        ("{value: 4.5, rationale: ok}", Measured(4.5, None, "ok")),
        ("{value: 3}", Measured(3, None)),
        ("true", Measured(True, True)),
        ("{value: !!python/object/apply:decimal.Decimal ['0.5']}", Measured(0.5, None)),
        ("{value: !!python/object/apply:numpy.float64 [0.25]}", Measured(0.25, None)),
        ("{value: !!python/float '2.5'}", Measured(2.5, None)),
        ("{value: !verdict 3}", Measured(3, None)),
    ],
)
def test_measured_cells(tmp_path: Path, text: str, score: Score) -> None:
    assert cell(tmp_path, text) == score


@pytest.mark.parametrize(
    ("text", "reason", "words"),
    [
        ("{value: null}", "missing_evidence", "no value and no reason recorded"),
        ("{}", "missing_evidence", "no value and no reason recorded"),
        ("{value: null, rationale: ' '}", "missing_evidence", "no value and no reason recorded"),
        ("{value: null, rationale: not for this case}", "policy_skip", "not for this case"),
        ("{value: null, error: boom}", "grader_error", "boom"),
        ("{value: null, error: ''}", "grader_error", "without any text"),
        ("{value: .nan}", "contract_violation", "nan"),
        ("{value: -.inf, rationale: low}", "contract_violation", "low"),
        ("{value: 'yes'}", "contract_violation", "str 'yes'"),
        ("{value: [true, why]}", "contract_violation", "no verdict"),
        ("{value: !!python/tuple [true, a, b]}", "contract_violation", "no verdict"),
        ("{value: 2026-13-45}", "contract_violation", "2026-13-45"),
        ("{value: null, reason: missing_secret, detail: no key}", "missing_secret", "no key"),
        ("{value: null, reason: grader_timeout, error: slow}", "grader_error", "timed out"),
        ("{value: null, reason: invalid, detail: off scale}", "contract_violation", "off scale"),
    ],
)
def test_cells_without_a_verdict_have_a_reason(
    tmp_path: Path, text: str, reason: str, words: str
) -> None:
    score = cell(tmp_path, text)
    assert isinstance(score, Unmeasured)
    assert score.reason is Reason(reason)
    assert words in score.detail


def test_samples_are_kept_in_their_order(tmp_path: Path) -> None:
    rationales = (
        "{value: 4, stability: {samples: 3, values: [4, 5]}, sample_rationales: "
        "[{value: 4, rationale: a}, {value: null, error: boom}, {value: 5}]}"
    )
    score = cell(tmp_path, rationales)
    assert isinstance(score, Measured)
    assert score.samples == (Sample(4, "a"), Sample(None, "", "boom"), Sample(5))
    score = cell(tmp_path, "{value: true, stability: {samples: 2, values: [true, true]}}")
    assert isinstance(score, Measured) and score.samples == (Sample(True), Sample(True))


def test_names_keep_their_text(tmp_path: Path) -> None:
    found = recorded(tmp_path, "per_case:\n  007: {off: {value: 1}}\n  yes: {1.50: {value: 2}}\n")
    assert {case: list(row) for case, row in found.cells.items()} == {
        "007": ["off"],
        "yes": ["1.50"],
    }


def test_types_figures_and_metrics(tmp_path: Path) -> None:
    found = recorded(
        tmp_path,
        "run_id: r7\njudges: {j: {mean: 1.0, pass_rate: 1.0}}\nrun_metrics: {cost_per_turn_usd: 0.1}\n"
        "per_case: {c: {j: {value: true, judge_type: llm}}}\npairwise: {wins_a: 2}\nours: 1\n",
    )
    assert (found.run_id, found.judge_types) == ("r7", {"j": "llm"})
    assert found.aggregates == {"j": {"mean": 1.0, "pass_rate": 1.0}}
    assert found.run_metrics == {"cost_per_turn_usd": 0.1}
    assert found.pairwise == {"wins_a": 2}
    assert found.problems == ()


def test_no_summary_is_nothing_to_say(tmp_path: Path) -> None:
    found = read_recorded(str(tmp_path))
    assert (found.exists, found.readable, found.cells, found.problems) == (False, True, {}, ())
    assert found.path == str(tmp_path / "summary.yaml")


def test_a_truncated_file_is_a_problem_with_its_place(tmp_path: Path) -> None:
    found = recorded(tmp_path, "judges:\n  j: {mean: 1.0\nper_case:\n  c: {j: {val")
    assert (found.exists, found.readable, found.cells) == (True, False, {})
    (problem,) = found.problems
    assert problem.line > 1 and problem.file == str(tmp_path / "summary.yaml")


def test_parts_of_another_form_cost_only_themselves(tmp_path: Path) -> None:
    found = recorded(
        tmp_path, "judges: [1]\nper_case: {a: 3, b: {j: {value: 1}}}\nrun_metrics: x\n"
    )
    assert found.readable
    assert found.cells["b"] == {"j": Measured(1, None)}
    assert {p.message.split("`")[1] for p in found.problems} == {
        "judges",
        "per_case.a",
        "run_metrics",
    }


def test_control_characters_cost_only_themselves(tmp_path: Path) -> None:
    score = cell(tmp_path, '{value: 1, rationale: "a\x1b[31mb\x00c"}')
    assert isinstance(score, Measured) and score.rationale == "a\ufffd[31mb\ufffdc"


def test_aliases_that_multiply_or_bite_their_tail_do_no_harm(tmp_path: Path) -> None:
    bomb = ["a0: &a0 [x, x, x, x, x, x, x, x]"]
    bomb += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 8)}]" for n in range(1, 30)]
    text = "\n".join([*bomb, "per_case: {c: {j: {value: *a29}}}"])
    score = recorded(tmp_path, text).cells["c"]["j"]
    assert isinstance(score, Unmeasured) and len(score.detail) < 1_000
    found = recorded(tmp_path, "per_case: &a {c: {j: {value: *a}}}\n")
    assert not found.readable or found.cells


def test_a_fifo_is_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "summary.yaml")
    assert not read_recorded(str(tmp_path)).readable


def test_published_summaries_are_read_whole() -> None:
    folders = [path.parent for path in shared_dir("corpus", "projects").rglob("summary.yaml")]
    assert folders
    for folder in folders:
        found = read_recorded(str(folder))
        assert found.problems == () and found.cells
        scores = [score for row in found.cells.values() for score in row.values()]
        assert all(isinstance(score, Measured) for score in scores)


@settings(deadline=None)
@given(st.binary(max_size=60) | st.text(alphabet="{}[]:,- \n&*!|>'\"ab1.~", max_size=60))
def test_nothing_that_a_file_holds_raises(
    tmp_path_factory: pytest.TempPathFactory, text: str | bytes
) -> None:
    folder = tmp_path_factory.getbasetemp() / "fuzz"
    folder.mkdir(exist_ok=True)
    for prefix in (b"", b"per_case: {c: {j: "):
        data = text.encode() if isinstance(text, str) else text
        found = recorded(folder, prefix + data)
        assert found.readable or found.problems
