"""`answer-match`: the agent's last message holds, or is, the expected answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from eval_tui.config.schema import Grader
from eval_tui.judges.graders.bench import Bench, Grade, NotGraded, Row, lacking
from eval_tui.judges.text import short_repr
from eval_tui.record.derive import final_answer
from eval_tui.scores import Measured, Reason, Unmeasured


def make(grader: Grader) -> Grade:
    """Emits `answer_match`. Case and blanks do not count; `expect` stands above the case's
    annotation `expected`."""
    exact = grader.config.get("mode") == "exact"

    def grade(bench: Bench) -> Sequence[Row]:
        expected = grader.config.get("expect")
        if expected is None:
            expected = cast("Mapping[str, object]", bench.record["annotations"]).get("expected")
        wanted = _plain(str(expected)) if expected is not None else ""
        if not wanted:
            detail = "no expected answer: neither `expect` here nor `expected` in annotations.yaml"
            change = frozenset({"config", "evidence"})
            raise NotGraded(Unmeasured(Reason.UNSUPPORTED, detail, recover_on=change))
        said = _plain(final_message(bench))
        passed = said == wanted if exact else wanted in said
        yes, no = ("is", "is not") if exact else ("holds", "does not hold")
        words = f"the last message {yes if passed else no} {short_repr(wanted)}"
        return [("answer_match", Measured(passed, passed, words))]

    return grade


def final_message(bench: Bench) -> str:
    """The agent's last message. Raises NotGraded when there is none."""
    answer = final_answer(cast("list[Mapping[str, object]]", bench.record["events"]))
    if not answer.strip():
        raise lacking("the case's trace holds no message of the agent")
    return answer


def _plain(text: str) -> str:
    return " ".join(text.lower().split())
