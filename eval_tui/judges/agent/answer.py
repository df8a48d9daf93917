"""What an agent left, as an answer that can be kept, and the verdict in it (D18, D21)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, cast

from eval_tui.judges.model.answer import Outcome, Verdict
from eval_tui.judges.model.scale import OffScale, Scale
from eval_tui.judges.text import bounded, safe_str
from eval_tui.scores import Reason, Unmeasured

Stop = Literal["", "timed out", "budget"]
"""Why an agent was stopped; empty when it ended by itself."""

_RECOVERY = frozenset({"config", "evidence"})
_RAW = 4_000
_RATIONALES = ("rationale", "reasoning", "reason")


def content_of(
    verdict: Mapping[str, Any] | None, source: str, why: str, transcript: str, errors: str
) -> list[dict[str, Any]]:
    """The parts of an answer: the verdict and where it was found, else why there is none."""
    found: list[dict[str, Any]] = []
    if verdict is not None:
        found.append({"type": "verdict", "input": dict(verdict), "source": source})
    elif why:
        found.append({"type": "why", "text": why})
    found.append({"type": "transcript", "text": transcript})
    if errors.strip():
        found.append({"type": "stderr", "text": errors})
    return found


def is_agent_answer(answer: Mapping[str, Any]) -> bool:
    """Whether an answer as plain data came from an agent."""
    return any(True for _ in _blocks(answer, "transcript"))


def transcript_of(answer: Mapping[str, Any]) -> str:
    """What the agent said and did, and what it wrote to standard error."""
    pieces = [str(block["text"]) for block in _blocks(answer, "transcript")]
    pieces += [f"[standard error]\n{block['text']}" for block in _blocks(answer, "stderr")]
    return "\n\n".join(piece for piece in pieces if piece.strip())


def verdict_source(answer: Mapping[str, Any]) -> str:
    """Where the verdict was found, or empty."""
    return next((str(block.get("source", "")) for block in _blocks(answer, "verdict")), "")


def read_agent_answer(answer: Mapping[str, Any], scale: Scale) -> Outcome:
    """The verdict in an agent's answer. One on no scale is a `grader_error`, never a guess.

    An agent that ran out of time or money gave no verdict, whatever it had written until then;
    the same budget would not do a second time.
    """
    stop = str(answer.get("stop_reason", ""))
    if stop == "budget":
        detail = "no verdict: the agent has spent its `max_budget_usd`"
        return Unmeasured(Reason.GRADER_ERROR, detail, recover_on=frozenset({"config"}))
    if stop:
        return _unreadable(f"the agent was stopped: {stop} (`agent.timeout`)", answer)
    block = next(_blocks(answer, "verdict"), None)
    if block is None:
        words = next((str(block["text"]) for block in _blocks(answer, "why")), "")
        return _unreadable(words or "the agent gave none", answer)
    given = cast("Mapping[str, Any]", block["input"])
    rationale = next((given[key] for key in _RATIONALES if given.get(key)), "")
    try:
        if scale.field not in given:
            raise OffScale(f"`{scale.field}` is missing")
        return Verdict(scale.read(given[scale.field]), bounded(safe_str(rationale)))
    except OffScale as error:
        return _unreadable(f"{error} (in {block['source']}: {safe_str(dict(given))})", answer)


def _unreadable(why: str, answer: Mapping[str, Any]) -> Unmeasured:
    said = transcript_of(answer)
    shown = said if len(said) <= _RAW else f"… {said[-_RAW:]}"
    detail = f"no verdict: {bounded(why, _RAW)}. The agent's last words: {shown or 'none'}"
    return Unmeasured(Reason.GRADER_ERROR, detail, retryable=True, recover_on=_RECOVERY)


def _blocks(answer: Mapping[str, Any], kind: str) -> Iterator[Mapping[str, Any]]:
    for block in cast("list[Mapping[str, Any]]", answer.get("content", [])):
        if block.get("type") == kind:
            yield block
