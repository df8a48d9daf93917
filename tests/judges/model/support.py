"""Model judges asked for real: the SDK over HTTP against the stand-in server."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import anthropic
import pytest

from eval_tui.config.load import load_config
from eval_tui.config.schema import EvalConfig, Judge
from eval_tui.judges.base import JudgeEnv, JudgeUnusable
from eval_tui.judges.condition import evaluate, skipped
from eval_tui.judges.model import (
    ModelJudge,
    Outcome,
    PromptFailed,
    Request,
    build_request,
    combine,
    load_model_judge,
    read_answer,
)
from eval_tui.record.case import CaseParts, load_case
from eval_tui.record.record import Record, make_record
from eval_tui.record.spec import RecordSpec
from eval_tui.scores import Reason, Score, Unmeasured
from tests.support.fake_anthropic import FakeAnthropic

PROJECT = "/project"
CONFIG = f"{PROJECT}/eval.yaml"
ENV = JudgeEnv(PROJECT, CONFIG)
Looks = list[tuple[str, str, str]]


@pytest.fixture
def server() -> Iterator[FakeAnthropic]:
    with FakeAnthropic() as fake:
        yield fake


def client_of(server: FakeAnthropic) -> anthropic.Anthropic:
    return anthropic.Anthropic(base_url=server.base_url, api_key="x", max_retries=0)


def model_judge(prompt: str = "p", **fields: Any) -> Judge:
    return Judge("j", "model", prompt=prompt, **{"model": "m", "prompt_line": 7, **fields})


def loaded(judge: Judge) -> ModelJudge:
    return load_model_judge(judge, ENV, {})


def record_of(parts: CaseParts) -> tuple[Record, Looks]:
    """The case's record and a list that fills with what is looked at."""
    looks: Looks = []
    return make_record(parts, lambda kind, key, version: looks.append((kind, key, version))), looks


def request_of(judge: Judge, parts: CaseParts) -> Request:
    return build_request(loaded(judge), record_of(parts)[0], parts)


def prompt_of(request: Request) -> str:
    """The text of the user's message, without images."""
    content = request.params["messages"][0]["content"]
    return "\n".join(block["text"] for block in content if block["type"] == "text")


def ask(client: anthropic.Anthropic, request: Request, judge: Judge) -> Outcome:
    """One call; an HTTP error is an unmeasured score."""
    try:
        message = client.messages.create(**request.for_samples(judge.samples))
    except anthropic.APIError as error:
        return Unmeasured(Reason.GRADER_ERROR, str(error), retryable=True)
    return read_answer(message.to_dict(), request.scale, judge.criteria)


def score(client: anthropic.Anthropic, judge: Judge, parts: CaseParts, env: JudgeEnv) -> Score:
    """A cell of a model judge from start to end, without an engine."""
    record, _ = record_of(parts)
    if not evaluate(judge.condition, record):
        return skipped(judge)
    try:
        request = build_request(load_model_judge(judge, env), record, parts)
    except JudgeUnusable as error:
        return Unmeasured(Reason.UNSUPPORTED, error.words)
    except PromptFailed as error:
        return Unmeasured(Reason.GRADER_ERROR, str(error))
    return combine([ask(client, request, judge) for _ in range(judge.samples)], judge)


def spec_of(config: EvalConfig, run_dir: Path) -> RecordSpec:
    return RecordSpec(str(run_dir), config.dataset, config.outputs, config.traces)


def project(root: Path, scenario: Mapping[str, Any]) -> tuple[EvalConfig, Path]:
    """The config and the run folder of a conformance scenario."""
    folder = root / scenario["cwd"]
    env = {name: value for name, value in scenario.get("env", {}).items() if value is not None}
    config = load_config(folder / scenario["config"], folder, env)
    return config, folder / "runs" / scenario["eval"] / scenario["run"]


def case_of(config: EvalConfig, run_dir: Path, case: str) -> CaseParts:
    return load_case(spec_of(config, run_dir), case)


def shown(value: object) -> str:
    return json.dumps(value, sort_keys=True)
