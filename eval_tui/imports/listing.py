"""A list of scorecards: a row for each, with the figures that it says of itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from eval_tui.config.plain import as_number
from eval_tui.imports.document import Document, Result, stamp_in, versioned
from eval_tui.imports.plain import Plain, a_list, an_object, text
from eval_tui.results.words import count, percent
from eval_tui.verdicts.evaluate import Verdict
from eval_tui.verdicts.policy import resolve

WHAT = "list of scorecards"


def scorecard_list(entries: Sequence[object]) -> Document:
    """The rows are scorecards and the values their means: nothing is known of single cases."""
    results = tuple(_row(at, an_object(entry)) for at, entry in enumerate(entries))
    first = an_object(entries[0])
    return Document(
        WHAT,
        versioned(first.get("dataset")) or WHAT,
        "",
        results,
        stamp_in(first),
        served=True,
        notes=("values are means over the cases of a scorecard",),
    )


def _row(at: int, plain: Plain) -> Result:
    resolution, _ = resolve(stamp_in(plain))
    gone = resolution == "unresolvable"
    return Result(
        (at,),
        {"scores": list(_scores(plain)), **{key: plain[key] for key in plain if key != "scores"}},
        text(plain.get("id")) or f"scorecard {at}",
        failed=_verdict_words(plain),
        verdict=Verdict(None, cause="policy_not_available" if gone else "no_vote"),
    )


def _verdict_words(plain: Plain) -> str:
    """What the scorecard says of its cases' verdicts; under another policy than its own nothing."""
    summary, stamp = an_object(plain.get("verdictSummary")), stamp_in(plain)
    words = [versioned(plain.get("harness")), text(plain.get("status"))]
    passed, failed = as_number(summary.get("passed")), as_number(summary.get("failed"))
    own = stamp is None or summary.get("policyDigest") in (None, stamp.digest)
    if own and passed is not None and failed is not None:
        words.append(f"{passed:,.0f} passed, {failed:,.0f} failed")
    requested = as_number(plain.get("requested"))
    if requested is not None:
        words.append(f"of {count(int(requested), 'case')}")
    return ", ".join(filter(None, words))


def _scores(plain: Plain) -> Iterator[Plain]:
    """Each figure as if it were a score: a mean, or that nothing was measured."""
    for one in map(an_object, a_list(plain.get("summary"))):
        metric, mean = text(one.get("metric")), as_number(one.get("mean"))
        measured, lost = as_number(one.get("count")) or 0, as_number(one.get("unmeasured")) or 0
        told = f"{count(int(measured), 'case')} measured"
        told += f", {lost:,.0f} not" if lost else ""
        rate = as_number(one.get("passRate"))
        told += f"; {percent(rate)} of those with a pass or fail passed" if rate is not None else ""
        row: Plain = {"graderId": metric, "metric": metric, "detail": told}
        if measured and mean is not None:
            label = {"label": one["mode"]} if isinstance(one.get("mode"), str) else {}
            yield {**row, "value": mean, **label}
        else:
            yield {**row, "status": "unmeasured", "reason": "missing_evidence"}
