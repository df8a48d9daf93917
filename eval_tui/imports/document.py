"""A document of case results, whatever its shape was: what all that follows works on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from eval_tui.imports.plain import Path, Plain, an_object, is_object, text
from eval_tui.verdicts.evaluate import Verdict
from eval_tui.verdicts.policy import Stamp

NO_OUTCOME = frozenset({"dispatch", "install", "run"})
"""Stages of a failure after which there was nothing to judge."""


@dataclass(frozen=True, slots=True)
class Result:
    """What is known of one case, or of one trial of it."""

    at: Path
    """Where it stands in the document."""
    plain: Plain
    case: str
    trial: int | None = None
    """None without an axis of trials."""
    served: bool | None = None
    """The verdict that the document has for it."""
    run: str = ""
    """The id of the run that it came from, where that is known."""
    died: str = ""
    """Why there was nothing to judge; empty when there was."""
    failed: str = ""
    """How it failed, in words; empty when it did not."""
    spec: Plain = field(default_factory=dict[str, object])
    """What was asked: task, expected answer."""
    verdict: Verdict | None = None
    """Its verdict where none can be worked out."""


@dataclass(frozen=True, slots=True)
class Document:
    """Case results with what they were made under."""

    what: str
    """What kind of document it is, in words."""
    name: str
    """Of what: the dataset with its version, or the nearest thing to it."""
    run: str
    """Which one: the harness and the document's id."""
    results: tuple[Result, ...]
    stamp: Stamp | None = None
    """The policy that its verdicts were made under; None when it does not say."""
    policy: Plain | None = None
    """That policy's own document, where it is included."""
    served: bool = False
    """It brings verdicts of its own: a case without one was not evaluated."""
    notes: tuple[str, ...] = ()
    """What one should know before trusting it."""


def result_of(
    at: Path,
    value: object,
    fallback: str = "",
    *,
    run: str = "",
    served: object = None,
    spec: Plain | None = None,
) -> Result:
    """A case result; `fallback` is its name where it has none."""
    plain = an_object(value)
    failure = an_object(plain.get("failure"))
    trial = plain.get("trial")
    verdict = plain.get("verdict") if served is None else served
    died = "" if is_object(value) else "the document holds no object here"
    if failure.get("code") == "CANCELLED" or text(failure.get("stage")) in NO_OUTCOME:
        died = failure_words(failure)
    return Result(
        at,
        plain,
        text(plain.get("caseId")) or fallback or "case",
        trial if isinstance(trial, int) and not isinstance(trial, bool) else None,
        verdict if isinstance(verdict, bool) else None,
        run,
        died,
        failure_words(failure) if failure else "",
        spec or {},
    )


def failure_words(failure: Plain) -> str:
    """`run/infra/OOM_KILLED: pod was OOM killed`."""
    badge = "/".join(text(failure.get(key)) or "?" for key in ("stage", "class", "code"))
    message = text(failure.get("message"))
    return f"{badge}: {message}" if message else badge


def brings_verdicts(results: Sequence[Result]) -> bool:
    """Whether any case has a verdict with it."""
    return any("verdict" in one.plain or "verdictBasis" in one.plain for one in results)


def stamp_in(plain: Plain) -> Stamp | None:
    """The policy that a record is stamped with."""
    found = plain.get("verdictPolicy")
    if not is_object(found):
        return None
    stamp = an_object(found)
    return Stamp(
        text(stamp.get("id")) or "unnamed", text(stamp.get("version")), text(stamp.get("digest"))
    )


def versioned(value: object) -> str:
    """`invoices@1.0.0`, of a reference to something that has versions."""
    reference = an_object(value)
    name, version = text(reference.get("id")), text(reference.get("version"))
    return text(value) or (f"{name}@{version}" if version else name)
