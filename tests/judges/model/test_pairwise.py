"""Comparing a run with a baseline: both orders, by the conformance cases and by hand."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anthropic
import pytest

from eval_tui.config.schema import EvalConfig, Judge
from eval_tui.judges.base import JudgeEnv, JudgeUnusable, NotMeasured
from eval_tui.judges.model.pairwise import (
    Answer,
    Comparison,
    PairwiseJudge,
    Preference,
    build_comparison,
    comparison_score,
    decide,
    enlarged,
    load_pairwise,
    read_preference,
)
from eval_tui.judges.model.request import Request, make_request
from eval_tui.record.errors import PartUnreadable
from eval_tui.scores import Measured, Reason, Unmeasured
from tests.judges.model.support import ENV, case_of, project, prompt_of, record_of, server
from tests.record.support import case_of as small_case
from tests.record.support import write
from tests.support.conformance import load_case, materialize, scenarios
from tests.support.fake_anthropic import FakeAnthropic

__all__ = ["server"]

DIFFERENCES: dict[str, dict[str, str]] = {
    # D21: broken JSON is not read. D30: any word but A, B and tie is an error.
    "36/default": {"broken-json": "error", "unknown-word": "error", "lower-case": "error"},
    "36/number-as-answer": {"fine": "tie", "number": "error"},
    # D10: an output path that is a file is that file, so this case can be compared.
    "36/unreadable-case": {"fine": "tie", "file-as-output": "tie"},
    # D30: the entry called `pairwise` is the comparison judge.
    "37/first-prompt-wins": {"run-better": "A", "baseline-better": "B", "equal": "tie"},
    # D30: the comparison prompt is a template like any other.
    "37/not-a-template": {"run-better": "tie", "baseline-better": "tie"},
    # The context files of the comparison judge are used like those of any other.
    "37/context-is-not-used": {"run-better": "A", "baseline-better": "B", "equal": "tie"},
}
"""Scenario -> case -> winner here, where it is another than expected."""

COMPARED = [
    *(f"36/{name}" for name in ("default", "binary-only", "number-as-answer", "unreadable-case")),
    *(f"37/{name}" for name in ("first-prompt-wins", "by-name", "no-judges", "prompt-file")),
    *("37/inline-beats-file", "37/not-a-template", "37/context-is-not-used"),
    *("37/environment-model", "37/one-sample"),
]


@pytest.mark.parametrize("where", COMPARED)
def test_a_conformance_comparison(where: str, tmp_path: Path, server: FakeAnthropic) -> None:
    number, name = where.split("/")
    scenario = next(one for one in scenarios(number) if one["id"] == name)
    expected = load_case(number)[1]["scenarios"][name].get("pairwise") or {}
    root = materialize(number, tmp_path / "project")
    config, run_dir = project(root, scenario)
    loaded = _load(config, scenario)
    client = anthropic.Anthropic(base_url=server.base_url, api_key="x")
    wanted = {**expected.get("per_case", {}), **DIFFERENCES.get(where, {})}
    found = {
        case: _compare(client, loaded, config, run_dir, scenario["baseline"], case).winner
        for case in wanted
    }
    assert found == wanted
    assert {entry["shape"] for entry in server.requests} == {"enum"}
    assert {entry["model"] for entry in server.requests} == {loaded.model}


def _load(config: EvalConfig, scenario: Mapping[str, Any]) -> PairwiseJudge:
    judge = config.pairwise[0] if config.pairwise else None
    env = JudgeEnv(config.root, config.path)
    model = config.models.judge or scenario.get("env", {}).get("EVAL_JUDGE_MODEL", "")
    return load_pairwise(judge, env, model, {})


def _compare(
    client: anthropic.Anthropic,
    loaded: PairwiseJudge,
    config: EvalConfig,
    run_dir: Path,
    baseline: str,
    case: str,
) -> Comparison:
    run, _ = record_of(case_of(config, run_dir, case))
    other, _ = record_of(case_of(config, run_dir.parent / baseline, case))
    try:
        first, second = build_comparison(loaded, run, other)
    except (NotMeasured, PartUnreadable) as error:
        return Comparison("error", failure=Unmeasured(Reason.MISSING_EVIDENCE, str(error)))
    return decide(_ask(client, first), _ask(client, second))


def _ask(client: anthropic.Anthropic, request: Request) -> Answer:
    try:
        message = client.messages.create(**request.params)
        larger = enlarged(request)
        if message.stop_reason == "max_tokens" and larger is not None:
            message = client.messages.create(**larger.params)
    except anthropic.APIError as error:
        return Unmeasured(Reason.GRADER_ERROR, str(error))
    return read_preference(message.to_dict())


def test_an_answer_that_was_cut_off_is_asked_for_again_with_twice_the_room(
    tmp_path: Path, server: FakeAnthropic
) -> None:
    write(tmp_path, {"run/cases/c1/artifacts/a.md": "STOP: max_tokens RESPOND: garbage"})
    record, _ = record_of(small_case(tmp_path))
    first, _second = build_comparison(load_pairwise(None, ENV, "m"), record, record)
    _ask(anthropic.Anthropic(base_url=server.base_url, api_key="x"), first)
    assert [entry["max_tokens"] for entry in server.requests] == [8_192, 16_384]


def test_the_swapped_order_shows_the_baseline_as_output_a(tmp_path: Path) -> None:
    write(tmp_path / "new", {"run/cases/c1/artifacts/a.md": "from the run"})
    write(tmp_path / "old", {"run/cases/c1/artifacts/a.md": "from the baseline"})
    judge = Judge(
        "pairwise", "model", prompt="{{ output_a }}\n---\n{{ output_b }}\n---\n{{ inputs }}"
    )
    run, _ = record_of(small_case(tmp_path / "new"))
    baseline, _ = record_of(small_case(tmp_path / "old"))
    requests = build_comparison(load_pairwise(judge, ENV, "m"), run, baseline)
    sides = [prompt_of(request).split("\n---\n")[:2] for request in requests]
    assert [["the run" in side for side in order] for order in sides] == [
        [True, False],
        [False, True],
    ]
    assert requests[0].digest != requests[1].digest


def test_a_prompt_that_places_neither_output_gets_both(tmp_path: Path) -> None:
    write(tmp_path, {"run/cases/c1/artifacts/a.md": "the text"})
    record, _ = record_of(small_case(tmp_path))
    judge = Judge("pairwise", "model", prompt="Which is better?")
    first, _ = build_comparison(load_pairwise(judge, ENV, "m"), record, record)
    assert prompt_of(first).startswith("Which is better?")
    assert prompt_of(first).count("the text") == 2


def test_a_side_without_files_is_missing_evidence_that_names_the_side(tmp_path: Path) -> None:
    write(tmp_path / "new", {"run/cases/c1/artifacts/a.md": "text"})
    write(tmp_path / "old", {"run/cases/c1/stdout.log": "nothing"})
    run, _ = record_of(small_case(tmp_path / "new"))
    baseline, _ = record_of(small_case(tmp_path / "old"))
    with pytest.raises(NotMeasured, match="baseline has no output") as caught:
        build_comparison(load_pairwise(None, ENV, "m"), run, baseline)
    assert caught.value.reason is Reason.MISSING_EVIDENCE


def test_no_model_costs_the_comparison() -> None:
    with pytest.raises(JudgeUnusable, match="no model is named"):
        load_pairwise(None, ENV, "")


@pytest.mark.parametrize(
    ("first", "second", "winner"),
    [
        ("A", "B", "A"),
        ("B", "A", "B"),
        ("A", "A", "tie"),
        ("B", "B", "tie"),
        ("tie", "B", "tie"),
        ("A", "tie", "tie"),
    ],
)
def test_a_side_wins_only_in_both_orders(first: Any, second: Any, winner: str) -> None:
    assert decide(Preference(first), Preference(second)).winner == winner


LOST = Unmeasured(Reason.GRADER_ERROR, "no verdict: cut off", retryable=True)


def test_an_unusable_order_is_an_error_that_names_the_order() -> None:
    score = comparison_score([decide(Preference("A"), LOST)])
    assert isinstance(score, Unmeasured)
    assert score.detail == "asked with the baseline shown first: no verdict: cut off"
    assert (score.reason, score.retryable) == (Reason.GRADER_ERROR, True)


def test_a_win_is_told_in_the_reader_s_terms_not_in_letters() -> None:
    score = comparison_score([decide(Preference("B", "clearer"), Preference("A", "complete"))])
    assert isinstance(score, Measured)
    assert (score.value, score.passed, score.label, score.samples) == (-1, None, "baseline", ())
    assert score.rationale == (
        "Shown with the run as A, the baseline is preferred.\nclearer\n\n"
        "Shown with the baseline as A, the baseline is preferred.\ncomplete"
    )


def test_the_first_repetition_with_a_verdict_is_the_result_and_all_are_kept() -> None:
    win, tie = (Preference("A"), Preference("B")), (Preference("A"), Preference("A"))
    score = comparison_score([decide(LOST, win[1]), decide(*win), decide(*tie)])
    assert isinstance(score, Measured)
    assert (score.value, score.label) == (1, "run")
    assert [sample.value for sample in score.samples] == [None, 1, 0]
    assert score.samples[0].error.endswith("cut off")


def test_only_a_comparison_is_asked_again_with_more_room_and_only_once(tmp_path: Path) -> None:
    write(tmp_path, {"run/cases/c1/artifacts/a.md": "text"})
    record, _ = record_of(small_case(tmp_path))
    first, _ = build_comparison(load_pairwise(None, ENV, "m"), record, record)
    larger = enlarged(first)
    assert larger is not None
    assert larger.digest != first.digest
    assert enlarged(larger) is None
    other = {**first.params, "tool_choice": {"type": "tool", "name": "record_verdict"}}
    assert enlarged(make_request(other, first.scale)) is None
