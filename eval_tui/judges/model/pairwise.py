"""Comparing a run with a baseline, case by case, in both orders (harness.md 17, D30)."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from eval_tui.config.schema import Judge
from eval_tui.judges.base import JudgeEnv, JudgeUnusable, NotMeasured
from eval_tui.judges.model.answer import Unreadable, answer_fields, unreadable
from eval_tui.judges.model.builtin_prompts import comparison_prompt
from eval_tui.judges.model.framing import UNTRUSTED
from eval_tui.judges.model.material import Variables, case_variables, files_text
from eval_tui.judges.model.model_name import resolve_model
from eval_tui.judges.model.prompt import Piece, Source, context_pieces, instructions
from eval_tui.judges.model.request import Request, forced_tool, make_request
from eval_tui.judges.model.scale import Scale
from eval_tui.judges.model.template import PromptFailed, Template
from eval_tui.judges.text import bounded, safe_str
from eval_tui.scores import Measured, Reason, Sample, Score, Unmeasured

MAX_TOKENS = 8_192
"""Twice this is still what the SDK sends without streaming (see `enlarged`)."""
TOOL = "record_preference"
CHOICES = ("A", "B", "tie")

Side = Literal["A", "B", "tie"]
Record = Mapping[str, Any]

WINNERS: Mapping[Side, tuple[int, str]] = {
    "A": (1, "run"),
    "tie": (0, "tie"),
    "B": (-1, "baseline"),
}
"""A comparison's winner as the value and the label of a score."""

_NO_VERDICT = Unmeasured(Reason.GRADER_ERROR, "the comparison gave no verdict", retryable=True)

_OUTPUTS = frozenset({"output_a", "output_b"})
_APPENDED = "\n\n## Output A\n\n{{ output_a|fenced }}\n\n## Output B\n\n{{ output_b|fenced }}\n"
_SYSTEM = f"""\
You compare the outputs of two runs of an AI agent on one case of an evaluation.

{UNTRUSTED}

Answer by calling `{TOOL}` once. First give your reasons in `reasoning`: brief, with the differences
that decide. Then set `preferred`: A if output A is better, B if output B is better, tie if neither."""


@dataclass(frozen=True)
class PairwiseJudge:
    """The comparison judge, its template compiled."""

    template: Template
    model: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Preference:
    """A readable answer to one order of the two outputs."""

    preferred: Side
    reasoning: str = ""


@dataclass(frozen=True)
class Comparison:
    """The outcome of one case: A is the run, B the baseline."""

    winner: Side | Literal["error"]
    reasoning: str = ""
    """Of both orders, under headings that say who was preferred."""
    failure: Unmeasured | None = None
    """Why there is no verdict; None unless the winner is `error`."""


Answer = Preference | Unmeasured


def load_pairwise(
    judge: Judge | None,
    env: JudgeEnv,
    model: str = "",
    environ: Mapping[str, str] | None = None,
) -> PairwiseJudge:
    """Compiles the comparison judge; without one, or without instructions, the built-in ones.

    `model` is for a judge that names none. Raises JudgeUnusable.
    """
    if judge is not None and judge.problem is not None:
        raise JudgeUnusable(judge.problem.message, judge.problem.hint, judge.problem.line)
    pieces = [Piece(comparison_prompt())]
    if judge is not None:
        if judge.llm_rubric or judge.prompt or judge.prompt_path:
            pieces = instructions(judge, env)
        pieces += context_pieces(judge)
    template = Template(Source(pieces))
    if not template.names >= _OUTPUTS:
        template = Template(Source([*pieces, Piece(_APPENDED)]))
    name = (judge.model if judge is not None else "") or model
    resolved = resolve_model(name, os.environ if environ is None else environ)
    return PairwiseJudge(template, resolved, judge.arguments if judge is not None else {})


def build_comparison(
    loaded: PairwiseJudge, run: Record, baseline: Record
) -> tuple[Request, Request]:
    """The two requests about one case: the run's output first, then the baseline's first.

    Raises NotMeasured for a side without files, PromptFailed and PartUnreadable.
    """
    for record, name in ((run, "run"), (baseline, "baseline")):
        if not len(record["files"]):
            words = f"the {name} has no output files for this case"
            raise NotMeasured(Reason.MISSING_EVIDENCE, words)
    shown = files_text(run), files_text(baseline)
    return _request(loaded, run, *shown), _request(loaded, run, shown[1], shown[0])


def enlarged(request: Request) -> Request | None:
    """A comparison with twice the room, for an answer that was cut off at the limit.

    None for one that has it already, and for other requests.
    """
    params = request.params
    if params["max_tokens"] != MAX_TOKENS or params["tool_choice"].get("name") != TOOL:
        return None
    return make_request({**params, "max_tokens": 2 * MAX_TOKENS}, request.scale)


def read_preference(answer: Mapping[str, Any]) -> Answer:
    """The preference in a message of the API; any word but A, B and tie is none (D30)."""
    try:
        given = answer_fields(answer, "preferred")
    except Unreadable as error:
        return unreadable(str(error), answer)
    preferred = given.get("preferred")
    if not isinstance(preferred, str) or preferred not in CHOICES:
        why = "is missing" if "preferred" not in given else "must be A, B or tie"
        return unreadable(f"`preferred` {why}", answer)
    reasoning = given.get("reasoning")
    words = "" if reasoning is None else bounded(safe_str(reasoning))
    return Preference(preferred, words)


def decide(first: Answer, swapped: Answer) -> Comparison:
    """The outcome of both orders: a side wins only if it wins in both (D30)."""
    if isinstance(first, Unmeasured):
        return _lost(first, "run")
    if isinstance(swapped, Unmeasured):
        return _lost(swapped, "baseline")
    orders = (first.preferred, swapped.preferred)
    winner: Side = "A" if orders == ("A", "B") else "B" if orders == ("B", "A") else "tie"
    said = (
        _said("run", {"A": "the run", "B": "the baseline"}, first),
        _said("baseline", {"A": "the baseline", "B": "the run"}, swapped),
    )
    return Comparison(winner, "\n\n".join(said))


def _lost(answer: Unmeasured, shown_first: str) -> Comparison:
    detail = f"asked with the {shown_first} shown first: {answer.detail}"
    return Comparison("error", failure=replace(answer, detail=detail))


def _said(shown_first: str, sides: Mapping[str, str], answer: Preference) -> str:
    """One order in words: the reader need not know who was A and who B."""
    preferred = sides.get(answer.preferred, "neither")
    heading = f"Shown with the {shown_first} as A, {preferred} is preferred."
    return f"{heading}\n{answer.reasoning}".rstrip()


def comparison_score(repetitions: Sequence[Comparison]) -> Score:
    """The score of a cell from its comparisons, in the order of sampling; at least one.

    1 for a win of the run, 0 for a tie, -1 for a loss; the label names the winner. It is no pass
    and no fail: it says which is better, not whether either is good. The first repetition with a
    verdict is the result (harness.md 17); without any, the first error.
    """
    samples = tuple(map(_sample, repetitions)) if len(repetitions) > 1 else ()
    for one in repetitions:
        if one.winner != "error":
            value, label = WINNERS[one.winner]
            return Measured(value, None, one.reasoning, label, samples)
    return repetitions[0].failure or _NO_VERDICT


def _sample(comparison: Comparison) -> Sample:
    if comparison.winner == "error":
        return Sample(None, error=(comparison.failure or _NO_VERDICT).detail)
    return Sample(WINNERS[comparison.winner][0], comparison.reasoning)


def _request(loaded: PairwiseJudge, run: Record, output_a: str, output_b: str) -> Request:
    shared = case_variables(run, loaded.arguments)
    names = ("inputs", "annotations", "annotations_text", "arguments")
    variables: Variables = {
        **{name: shared[name] for name in names},
        "output_a": lambda: output_a,
        "output_b": lambda: output_b,
    }
    text = loaded.template.render(variables).text
    if not text.strip():
        raise PromptFailed("the prompt is empty for this case")
    reasoning = {"type": "string", "description": "why, in a few sentences"}
    preferred = {"type": "string", "enum": list(CHOICES), "description": "the better output"}
    params = {
        "model": loaded.model,
        "max_tokens": MAX_TOKENS,
        "system": _SYSTEM,
        "messages": [{"role": "user", "content": [{"type": "text", "text": text}]}],
        **forced_tool(
            "Records which output is better.",
            {"reasoning": reasoning, "preferred": preferred},
            TOOL,
        ),
    }
    return make_request(params, Scale("number"))
