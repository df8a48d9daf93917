"""Cases that must pass, whatever the figures say (`verdict.critical_cases`): a gate of their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from eval_tui.results.gates import GateState
from eval_tui.results.words import count

NAMED = 5
"""Cases that a sentence names."""

Named = Sequence[Mapping[str, Any]]
"""Which cases are meant, each entry by its `id` or by a `prefix`."""


@dataclass(frozen=True, slots=True)
class CriticalGate:
    """What became of the critical cases of a run."""

    passed: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    """Those that are not evaluated or did not run."""
    absent: tuple[str, ...] = ()
    """Ids, and prefixes with `...`, that no case has."""

    @property
    def state(self) -> GateState:
        """One that failed decides; one without a verdict, or that is not there, leaves it open."""
        if self.failed:
            return "fail"
        return "cannot_tell" if self.open or self.absent else "pass"


def is_critical(case: str, named: Named) -> bool:
    """Whether a case is one of those."""
    return any(_fits(case, one) for one in named)


def critical_gate(
    named: Named, verdicts: Mapping[str, bool | None], not_run: Iterable[str] = ()
) -> CriticalGate | None:
    """The gate over the verdicts of the cases that ran, by case; None where no case is critical."""
    if not named:
        return None
    values = {**dict.fromkeys(not_run), **verdicts}
    found = {case: value for case, value in values.items() if is_critical(case, named)}

    def those(wanted: bool | None) -> tuple[str, ...]:
        return tuple(case for case, value in found.items() if value is wanted)

    absent = tuple(_name(one) for one in named if not any(_fits(case, one) for case in found))
    return CriticalGate(those(True), those(False), those(None), absent)


def critical_words(gate: CriticalGate) -> str:
    """`critical cases: 1 failed (auth/login), 2 passed`: each state by itself, and nothing else."""
    told = [
        f"{len(cases):,} {state} ({_listed(cases)})"
        for state, cases in (
            ("failed", gate.failed),
            ("not evaluated", gate.open),
            ("not there", gate.absent),
        )
        if cases
    ]
    return f"critical cases: {', '.join([*told, f'{len(gate.passed):,} passed'])}"


def missing_critical(named: Named, gone: Iterable[str], baseline: str) -> tuple[str, ...]:
    """What is lost when critical cases of a baseline are not there any more, as a sentence."""
    lost = [case for case in gone if is_critical(case, named)]
    if not lost:
        return ()
    return (f"{count(len(lost), 'critical case')} of {baseline} not there: {_listed(lost)}",)


def _fits(case: str, one: Mapping[str, Any]) -> bool:
    prefix = one.get("prefix")
    return case == one.get("id") or (isinstance(prefix, str) and case.startswith(prefix))


def _name(one: Mapping[str, Any]) -> str:
    known = one.get("id")
    return known if isinstance(known, str) else f"{one.get('prefix', '')}..."


def _listed(cases: Sequence[str]) -> str:
    more = [f"{len(cases) - NAMED:,} more"] if len(cases) > NAMED else []
    return ", ".join([*cases[:NAMED], *more])
