"""What a model judge would ask now: the request as text, what it takes, and what is new in it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from eval_tui.engine import money
from eval_tui.engine.credentials import Credentials
from eval_tui.engine.grid import CellKey
from eval_tui.engine.money import Estimate
from eval_tui.engine.questions import apart, together
from eval_tui.engine.threads import in_thread
from eval_tui.engine.wire import judge_to_plain

if TYPE_CHECKING:
    from eval_tui.engine.calls import ModelCalls
    from eval_tui.engine.session import Session

Ask = Callable[[Mapping[str, Any]], Awaitable[dict[str, Any]]]
"""Puts a question to a worker (see `lookups`). Raises OSError."""

Before = Literal["none", "same", "other", "recorded"]
"""What the verdict in view was given for: there is none, this very request, another one, or it was
taken over from `summary.yaml` and nobody knows."""

_NO_CREDENTIALS = Credentials("key", "", "")


@dataclass(frozen=True, slots=True)
class DryRun:
    """A request that is not sent. Its text is raw, but for secrets."""

    text: str
    whole: Estimate
    """What one answer takes; for a comparison one to each order."""
    estimate: Estimate
    """What asking now would take: nothing when all answers are known."""
    before: Before
    diff: tuple[str, ...] | None = None
    """What is new since the verdict in view, as a unified diff; None when that is not known."""


async def rendered(session: Session, ask: Ask, key: CellKey) -> dict[str, Any]:
    """The request about a case (see `lookups`). Raises OSError when it cannot be told."""
    judge, spec, config = session.judge(key.judge), session.target.spec, session.config
    if spec is None:
        raise OSError("there is no run to read from")
    if not judge.asks_model:
        raise OSError(f"{key.judge} asks no model")
    question = {"op": "prompt", "record": spec.to_plain(), "case": key.case}
    question |= {"judge": judge_to_plain(judge), "root": config.root, "config": config.path}
    if judge.compares and session.target.baseline is not None:
        question["baseline"] = session.target.baseline.to_plain()
    answer = await ask(question)
    if "failed" in answer:
        raise OSError(answer["failed"])
    return answer


async def dry_run(
    session: Session, calls: ModelCalls, ask: Ask, mask: Callable[[str], str], key: CellKey
) -> DryRun:
    """What would be asked about a cell now. Raises OSError when that cannot be told."""
    answer = await rendered(session, ask, key)
    await money.load_prices()
    judge, digests = session.judge(key.judge), answer["digests"]
    samples = range(session.asking.samples_of(judge))
    missing = sum(calls.known(digest, sample) is None for digest in digests for sample in samples)
    before, asked = _before(session, key, together(digests))
    old = _asked(calls, apart(asked)) if before == "other" else None
    credentials = calls.credentials or _NO_CREDENTIALS

    def put_together() -> DryRun:
        from eval_tui.judges.model.shown import request_diff

        params = answer["params"]
        agent = "agent" in params
        one = money.most_for_agent(params) if agent else money.estimate(params, credentials)
        text = mask(answer["text"])
        diff = [] if before == "same" else None if old is None else request_diff(mask(old), text)
        return DryRun(
            text,
            money.total([one] * len(digests)),
            money.total([one] * missing),
            before,
            None if diff is None else tuple(diff),
        )

    return await in_thread(put_together)  # long texts take their time


def _asked(calls: ModelCalls, digests: Sequence[str]) -> str | None:
    """The text of what was asked before; None when it was not kept."""
    from eval_tui.judges.model.shown import both_orders

    texts = [text for digest in digests if (text := calls.asked(digest)) is not None]
    return both_orders(texts) if len(texts) == len(digests) else None


def _before(session: Session, key: CellKey, digest: str) -> tuple[Before, str]:
    """What the verdict in view was given for, and the digest of that request if it is known."""
    info, cell = session.infos.get(key), session.cell(key.case, key.judge)
    if cell.recorded:
        return "recorded", ""
    result = session.store.result(info.result) if info is not None and info.result else None
    inputs = result.inputs if result is not None else ()
    asked = next((version for kind, _, version in inputs if kind == "request"), "")
    if not asked:
        return "none", ""
    return ("same" if asked == digest else "other"), asked
