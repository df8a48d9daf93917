"""The verdicts of a document: its own, else those of the policy that it is stamped with (7.4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast, get_args

from eval_tui.imports.document import Document, Result
from eval_tui.imports.plain import a_list, an_object, text
from eval_tui.results.verdict_words import basis_words, verdict_word
from eval_tui.verdicts.evaluate import MetricScore, Rung, Verdict, Vote, evaluate
from eval_tui.verdicts.policy import FIRST_LADDER, Policy, Resolution, Stamp, resolve, stamp_of

UNKNOWN = Stamp("", "")
"""Of verdicts that came with a document which does not say how they were made."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a document's verdicts rest on."""

    resolution: Resolution
    policy: Policy | None
    stamp: Stamp
    served: bool
    """The document's own verdicts stand."""
    comparable: bool
    """They can be worked out anew, and should come out the same."""

    @property
    def shown(self) -> Policy:
        """The policy; of one that is not available nothing but the name is known."""
        return self.policy or Policy(self.stamp.id, self.stamp.version, (), fallback="none")


def ruling_of(document: Document) -> Ruling:
    """Under which policy the verdicts of a document were made, or are."""
    resolution, policy = _resolved(document)
    unsaid = UNKNOWN if document.served else stamp_of(FIRST_LADDER)
    return Ruling(
        resolution,
        policy,
        document.stamp or unsaid,
        document.served,
        document.served and document.stamp is not None and policy is not None,
    )


def _resolved(document: Document) -> tuple[Resolution, Policy | None]:
    try:
        return resolve(document.stamp, document.policy)
    except RecursionError:  # whoever nests a policy that deeply has not stamped it
        return "unresolvable", None


def verdict_of(ruling: Ruling, result: Result, rows: Sequence[MetricScore]) -> tuple[Verdict, str]:
    """The verdict of a case, and a warning where its policy gives another one than the document."""
    if result.verdict is not None:
        return result.verdict, ""
    worked_out = evaluate(ruling.policy, rows, outcome=not result.died)
    if not ruling.served:
        return worked_out, ""
    warning = ""
    if ruling.comparable and worked_out.value != result.served:
        recorded = verdict_word(Verdict(result.served))
        warning = (
            f"recorded as {recorded}; its policy makes it {verdict_word(worked_out)},"
            f" {basis_words(worked_out)}"
        )
    return _served(result, worked_out), warning


def _served(result: Result, worked_out: Verdict) -> Verdict:
    value = result.served
    if value is None:
        return Verdict(None, cause=worked_out.cause or "no_vote", missing=worked_out.missing)
    basis = an_object(result.plain.get("verdictBasis"))
    authority = text(basis.get("authority"))
    if authority in get_args(Rung):
        return Verdict(value, cast("Rung", authority), tuple(_votes(a_list(basis.get("deciders")))))
    return worked_out if worked_out.value == value else Verdict(value)


def _votes(deciders: Iterable[object]) -> Iterable[Vote]:
    for one in map(an_object, deciders):
        yield Vote(text(one.get("metric")), text(one.get("graderId")), one.get("pass") is True)
