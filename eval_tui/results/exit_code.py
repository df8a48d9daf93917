"""Exit codes of headless commands (D31)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from eval_tui.results.gates import Gate, GateState, worst_state

FailOn = Literal["fail", "unmeasured", "regression", "never"]
"""What a scoring fails on. The gates always count, except with `never`."""

PASSED = 0
GATE_FAILED = 1
UNUSABLE = 2
CANNOT_TELL = 3
NOTHING_SELECTED = 4
BY_SIGNAL = 128
"""And the number of the signal: 130 for ctrl+c, 143 for SIGTERM, 129 for SIGHUP."""


def exit_code(
    gates: Iterable[Gate],
    *,
    critical: GateState | None = None,
    interrupted: int = 0,
    unusable: bool = False,
    nothing_selected: bool = False,
    regressed: bool = False,
    undecided: bool = False,
    never: bool = False,
) -> int:
    """The code of a command that scored, the weightiest reason first.

    In that order: interrupted (by the signal of that number), the config or the command cannot be
    used, nothing matched the selection, a gate fails, a gate cannot be told. `unusable` is decided
    by `scoring_unusable`. What became of the `critical` cases is a gate as well. Having `regressed` is a gate that fails, `undecided` one that cannot be
    told; with `never` no gate decides anything.
    """
    if interrupted:
        return BY_SIGNAL + interrupted
    if unusable:
        return UNUSABLE
    if nothing_selected:
        return NOTHING_SELECTED
    states: list[GateState] = [gate.state for gate in gates]
    if critical is not None:
        states.append(critical)
    state = worst_state(states)
    if never:
        return PASSED
    if state == "fail" or regressed:
        return GATE_FAILED
    return CANNOT_TELL if state == "cannot_tell" or undecided else PASSED


def scoring_unusable(
    judges: Iterable[str],
    unloaded: Iterable[str],
    gated: Iterable[str] = (),
    named: Iterable[str] = (),
) -> bool:
    """Whether judges that could not be loaded make a scoring unusable (D3).

    They do when no other judge is left, or when one of them has a threshold (`gated`) or was
    asked for by name (`named`).
    """
    lost = set(unloaded)
    if not lost:
        return False
    return not set(judges) - lost or bool(lost & (set(gated) | set(named)))
