"""What a cell asks a model: its requests, each as often as it is sampled, and the score of the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from eval_tui.config.schema import Judge
from eval_tui.scores import Score, Unmeasured

if TYPE_CHECKING:
    from eval_tui.judges.model.request import Request

Answered = Mapping[str, Any] | Unmeasured
"""An answer as plain data, or why there is none."""


class Question(NamedTuple):
    """One sample of one request: what is bought at once, and kept under its digest."""

    request: Request
    sample: int

    @property
    def digest(self) -> str:
        """The digest of the request."""
        return self.request.digest


def questions_of(requests: Sequence[Request], samples: int) -> list[Question]:
    """All questions of a cell, sample by sample: a comparison has a request for each order."""
    return [Question(request, sample) for sample in range(samples) for request in requests]


def asked_digest(requests: Sequence[Request]) -> str:
    """What a cell's requests are known by together; that of the one of most cells is its own."""
    return together([request.digest for request in requests])


def together(digests: Sequence[str]) -> str:
    """The digests of a cell's requests as one."""
    return "+".join(digests)


def apart(digest: str) -> list[str]:
    """The inverse of `together`."""
    return digest.split("+")


def asked_again(question: Question, stop_reason: str) -> Question | None:
    """What is asked instead of a comparison whose answer was cut off at the limit, once."""
    if stop_reason != "max_tokens":
        return None
    from eval_tui.judges.model.pairwise import enlarged

    larger = enlarged(question.request)
    return None if larger is None else question._replace(request=larger)


def score_of_answers(
    judge: Judge, questions: Sequence[Question], answers: Sequence[Answered]
) -> Score:
    """The score of a cell; the answers stand in the order of its questions."""
    # Rendering libraries come along: not before there is an answer to read.
    from eval_tui.judges.agent.answer import is_agent_answer, read_agent_answer
    from eval_tui.judges.model.answer import read_answer
    from eval_tui.judges.model.pairwise import comparison_score, decide, read_preference
    from eval_tui.judges.model.sampling import combine

    if judge.compares:
        said = [a if isinstance(a, Unmeasured) else read_preference(a) for a in answers]
        # Where both sides are the same, both orders are one question.
        orders = sum(not question.sample for question in questions)
        repetitions = [said[i : i + orders] for i in range(0, len(said), orders)]
        return comparison_score([decide(both[0], both[-1]) for both in repetitions])
    return combine(
        [
            answer
            if isinstance(answer, Unmeasured)
            else read_agent_answer(answer, question.request.scale)
            if is_agent_answer(answer)
            else read_answer(answer, question.request.scale, judge.criteria)
            for question, answer in zip(questions, answers, strict=True)
        ],
        judge,
    )


def agents_took(answers: Sequence[Answered]) -> float | None:
    """Milliseconds that the slowest of a cell's agents took; None where no agent was run."""
    from eval_tui.judges.agent.answer import is_agent_answer

    given = [one for one in answers if not isinstance(one, Unmeasured) and is_agent_answer(one)]
    return max((float(one["seconds"]) * 1000 for one in given), default=None)


def agents_said(answers: Sequence[Answered]) -> dict[str, Any]:
    """What agents said and did, as it is kept with a cell's result; empty for models."""
    from eval_tui.judges.agent.answer import is_agent_answer, transcript_of, verdict_source

    given = [one for one in answers if not isinstance(one, Unmeasured) and is_agent_answer(one)]
    if not given:
        return {}
    texts: list[str] = []
    for number, one in enumerate(given, 1):
        head = [f"[sample {number}]"] if len(given) > 1 else []
        source = verdict_source(one)
        end = [f"[the verdict stood in {source}]"] if source else []
        texts.append("\n\n".join([*head, transcript_of(one), *end]))
    return {"out": "\n\n".join(texts)}
