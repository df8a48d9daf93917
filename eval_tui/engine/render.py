"""What a model would be asked about a case, rendered in a worker; the app decides whether it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eval_tui.config.schema import Judge
from eval_tui.engine.seen import Seen, is_young, noting
from eval_tui.engine.workstate import State
from eval_tui.judges.base import JudgeUnusable, env_of
from eval_tui.judges.outcome import score_of_exception
from eval_tui.record.case import CaseParts
from eval_tui.record.record import make_record
from eval_tui.scores import Reason, Unmeasured, to_plain

if TYPE_CHECKING:
    from eval_tui.judges.model import Request


def render(judge: Judge, case: str, parts: CaseParts, state: State) -> dict[str, Any]:
    """What is told of a cell whose judge asks: its requests, or why there are none."""
    from eval_tui.judges.model.request import subject_of

    seen: Seen = {}
    try:
        requests = _requests(judge, case, parts, seen, state)
    except JudgeUnusable as found:
        change = frozenset({"config", "code"})
        score = Unmeasured(Reason.UNSUPPORTED, found.words, recover_on=change)
        return {"outcome": "unasked", "score": to_plain(score), "unusable": found.to_plain()}
    except BaseException as exc:
        score = score_of_exception(exc, judge, (env_of(judge, state.env).config_path,), parts)
        return {"outcome": "unasked", "score": to_plain(score), "young": is_young(exc)}
    told: dict[str, Any] = {"outcome": "asked", "requests": [one.to_plain() for one in requests]}
    if not (judge.compares or judge.kind == "agent"):  # they see more than is rendered
        told["subject"] = subject_of(requests[0], seen)
    return told


def _requests(
    judge: Judge, case: str, parts: CaseParts, seen: Seen, state: State
) -> tuple[Request, ...]:
    from eval_tui.judges.askers import request_for  # brings Jinja2 along

    record = make_record(parts, noting(seen))
    if judge.compares and state.comparing is not None:
        return state.comparing.requests(judge, state.env, record, case)
    found = state.asker(judge)
    if isinstance(found, JudgeUnusable):
        raise found
    return (request_for(found, record, parts),)
