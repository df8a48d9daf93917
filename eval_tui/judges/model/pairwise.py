"""Comparing a run with a baseline, case by case, in both orders (harness.md 17, D30)."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

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
from eval_tui.scores import Reason, Unmeasured

MAX_TOKENS = 8_192
"""Twice this is still what the SDK sends without streaming (see `enlarged`)."""
TOOL = "record_preference"
CHOICES = ("A", "B", "tie")

Side = Literal["A", "B", "tie"]
Record = Mapping[str, Any]

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
    error: str = ""
    """Why there is no verdict; empty unless the winner is `error`."""


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


def enlarged(request: Request) -> Request:
    """The same question with twice the room, for an answer that was cut off at the limit."""
    params = {**request.params, "max_tokens": 2 * cast("int", request.params["max_tokens"])}
    return make_request(params, request.scale)


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
    for answer in (first, swapped):
        if isinstance(answer, Unmeasured):
            return Comparison("error", error=answer.detail)
    one, two = cast("Preference", first), cast("Preference", swapped)
    orders = (one.preferred, two.preferred)
    winner: Side = "A" if orders == ("A", "B") else "B" if orders == ("B", "A") else "tie"
    reasoning = f"{one.reasoning}\n\n(outputs swapped) {two.reasoning}"
    return Comparison(winner, reasoning.strip())


@dataclass(frozen=True)
class Stability:
    """How far repeated comparisons of one case agree."""

    verdicts: tuple[str, ...]
    """The winner of each repetition, in order."""
    majority: str
    """The most frequent one, the first seen on a draw."""

    @property
    def stable(self) -> bool:
        return len(set(self.verdicts)) == 1


def stability(repetitions: Sequence[Comparison]) -> Stability:
    """The verdicts of at least one repetition; the first one stays the case's result."""
    verdicts = tuple(comparison.winner for comparison in repetitions)
    return Stability(verdicts, Counter(verdicts).most_common(1)[0][0])


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
