"""Cells as marks: the table of what each state of a cell looks like, readable without colour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, assert_never

from eval_tui.config.schema import Judge
from eval_tui.engine.grid import Cell, CellState, Waiting
from eval_tui.results.words import power
from eval_tui.scores import Measured, Reason, Score, Unmeasured, differ
from eval_tui.tui.text import fit, one_line

Look = Literal[
    "pass", "fail", "number", "unmeasured", "violation", "skip", "queued", "running", "empty"
]
"""What a mark means; each has a colour of the theme."""

SHADES: Final = 5
"""Steps of shading between the low and the high end of a scale."""


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The marks themselves; single cells of the basic plane, or plain ASCII."""

    passed: str = "✓"
    failed: str = "✗"
    unmeasured: str = "∅"
    skipped: str = "–"
    nothing: str = "·"
    """No value at all, where another run has one beside it."""
    violation: str = "!!"
    queued: str = "◌"
    running: str = "◐◓◑◒"
    recorded: str = "ʳ"
    stale: str = "*"
    unstable: str = "~"
    money: str = "$"
    waiting: str = "="
    better: str = "▲"
    worse: str = "▼"
    level: str = "="
    marked: str = "•"
    ellipsis: str = "…"
    descending: str = "▾"
    ascending: str = "▴"
    dot: str = "·"
    row: str = "▌"
    rule: str = "─"
    arrow: str = "→"
    back: str = "←"
    least: str = "≥"
    most: str = "≤"
    bar: str = "█"
    folded: str = "▸"
    unfolded: str = "▾"
    edit: str = "±"
    differs: str = "≠"
    side: str = "│"


UNICODE: Final = Glyphs()
ASCII: Final = Glyphs(
    passed="P",
    failed="F",
    unmeasured="?",
    skipped="-",
    nothing="_",
    queued=".",
    running="|/-\\",
    recorded="r",
    better="^",
    worse="v",
    marked="+",
    ellipsis="~",
    descending="v",
    ascending="^",
    dot="-",
    row=">",
    rule="-",
    arrow="->",
    back="<-",
    least=">=",
    most="<=",
    bar="#",
    folded="+",
    unfolded="-",
    edit="+",
    differs="!=",
    side="|",
)

SHORT_REASONS: Final = {
    Reason.GRADER_ERROR: "error",
    Reason.MISSING_EVIDENCE: "evidence",
    Reason.MISSING_SECRET: "secret",
    Reason.UNSUPPORTED: "unsupported",
    Reason.POLICY_SKIP: "skipped",
    Reason.CONTRACT_VIOLATION: "violation",
}
"""One word for each reason, as the grid shows it."""

REASON_WORDS: Final = {
    Reason.GRADER_ERROR: "the judge failed",
    Reason.MISSING_EVIDENCE: "the evidence it needs is missing",
    Reason.MISSING_SECRET: "no API key, or it was refused",
    Reason.UNSUPPORTED: "nothing here can run this judge",
    Reason.POLICY_SKIP: "skipped on purpose",
    Reason.CONTRACT_VIOLATION: "the judge returned something that is no score",
}
"""Each reason in words for someone who meets it for the first time."""

WAITING_WORDS: Final[dict[Waiting, str]] = {
    "money": "waiting for a go-ahead, as it costs money",
    "paused": "waiting, as work is paused",
    "cancelled": "waiting, as it was cancelled",
    "secret": "waiting, as there is no API key to ask with",
    "off": "waiting, as it runs only when asked",
}


@dataclass(frozen=True, slots=True)
class Mark:
    """One cell as drawn: a field, aligned with the others of its column, and what follows it."""

    field: str
    suffix: str = ""
    look: Look = "empty"
    dim: bool = False
    """The value is an old one."""
    shade: int | None = None
    """Place on the scale, 0 to SHADES - 1; None when the value has none."""
    turning: bool = False
    """A turning mark stands at the end (of the field when alone, else of the suffix)."""
    quiet: bool = False
    """Nothing to look at: the same as in the other run."""

    @property
    def measured(self) -> bool:
        """Whether the field is aligned with the other values."""
        return self.look in ("pass", "fail", "number")


LABEL_MOST: Final = 10
"""Cells that a category takes at most."""
UNSHADED: Final = frozenset({"cost", "steps", "latency"})
"""Graders whose numbers stand on no scale."""

_BLANK: Final = Mark("")


def mark(cell: Cell, judge: Judge, glyphs: Glyphs = UNICODE, frame: int = 0) -> Mark:
    """How a cell of `judge` is drawn; `frame` counts the turns of the running mark."""
    after, dim = _after(cell, glyphs, frame)
    turning = cell.state is CellState.RUNNING
    if cell.score is None:
        if not after:
            return _BLANK
        look: Look = "running" if turning else "queued"
        return Mark(after, "", look, turning=turning)
    field, suffix, look = _value(cell.score, glyphs)
    if judge.compares and isinstance(cell.score, Measured):
        field, look = _winner(cell.score.value, glyphs)
    if cell.recorded:
        suffix += glyphs.recorded
    shade = None if judge.compares else shade_of(cell.score, judge)
    return Mark(field, suffix + after, look, dim, shade, turning)


def _after(cell: Cell, glyphs: Glyphs, frame: int) -> tuple[str, bool]:
    """What the state adds behind the value, and whether the value is an old one."""
    match cell.state:
        case CellState.EMPTY | CellState.FRESH:
            return "", False
        case CellState.CHECKING:
            return ("" if cell.score else glyphs.queued), False
        case CellState.QUEUED:
            return glyphs.queued, True
        case CellState.RUNNING:
            return glyphs.running[frame % len(glyphs.running)], True
        case CellState.STALE:
            return glyphs.stale, True
        case CellState.WAITING:
            return (glyphs.money if cell.waiting == "money" else glyphs.waiting), True
        case _:
            assert_never(cell.state)


def _value(score: Score, glyphs: Glyphs) -> tuple[str, str, Look]:
    if isinstance(score, Unmeasured):
        match score.reason:
            case Reason.POLICY_SKIP:
                return glyphs.skipped, "", "skip"
            case Reason.CONTRACT_VIOLATION:
                return glyphs.violation, "", "violation"
            case _:
                return f"{glyphs.unmeasured} {SHORT_REASONS[score.reason]}", "", "unmeasured"
    unstable = glyphs.unstable if differ(score.samples) else ""
    if isinstance(score.value, bool):
        passed = score.value if score.passed is None else score.passed
        return (glyphs.passed, unstable, "pass") if passed else (glyphs.failed, unstable, "fail")
    shown = (
        fit(one_line(score.label), LABEL_MOST, ellipsis=glyphs.ellipsis).rstrip()
        if score.label
        else ""
    )
    shown = shown or number(score.value)
    if score.passed is None:
        return shown, unstable, "number"
    sign = glyphs.passed if score.passed else glyphs.failed
    return shown, sign + unstable, "pass" if score.passed else "fail"


def _winner(value: bool | int | float, glyphs: Glyphs) -> tuple[str, Look]:
    """Which of two runs did better in a case, the one in view or the baseline (D30)."""
    # Of one length, so that the signs stand below each other.
    if value == 0:
        return f"{glyphs.level} tie ", "skip"
    return (f"{glyphs.better} run ", "pass") if value > 0 else (f"{glyphs.worse} base", "fail")


def sign_of(score: Score | None, shown: Mark, glyphs: Glyphs) -> str:
    """The mark that stands in front of a score in words, with a space; empty for a plain number."""
    if isinstance(score, Measured) and shown.field == number(score.value):
        if score.passed is None or isinstance(score.value, bool):
            return ""
        return f"{glyphs.passed if score.passed else glyphs.failed} "
    return f"{shown.field.split()[0]} " if shown.field else ""


def number(value: int | float) -> str:
    """A number in at most about seven characters; the drill-down shows it whole."""
    if isinstance(value, int):
        return str(value) if abs(value) < 10_000_000 else power(value)
    size = abs(value)
    if size >= 10_000_000 or 0 < size < 0.001:
        return f"{value:.1e}".replace("e+0", "e").replace("e-0", "e-").replace("e+", "e")
    decimals = 0 if size >= 1000 else 1 if size >= 100 else 2 if size >= 1 else 3
    shown = f"{value:.{decimals}f}"
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def scale_of(judge: Judge) -> tuple[float, float]:
    """The scale for shading: the declared one, else the default of the judge's kind (D33)."""
    if judge.score_range is not None:
        return judge.score_range
    return (1.0, 5.0) if judge.asks_model else (0.0, 1.0)


def shade_of(score: Score, judge: Judge) -> int | None:
    """Place of a number on its judge's scale, 0 to SHADES - 1; None off the scale (D33)."""
    if isinstance(score, Unmeasured) or isinstance(score.value, bool) or score.label:
        return None
    if judge.grader is not None and judge.grader.id in UNSHADED:
        return None
    low, high = scale_of(judge)
    if not low <= score.value <= high or low >= high:
        return None
    return min(SHADES - 1, int((score.value - low) / (high - low) * SHADES))


def score_words(score: Score | None, judge: Judge) -> str:
    """The score in words: `passed`, `4 on a scale of 1 to 5`, `not measured: ...`."""
    if score is None:
        return "not measured yet"
    if isinstance(score, Unmeasured):
        if score.reason is Reason.POLICY_SKIP:
            return REASON_WORDS[score.reason]
        return f"not measured: {REASON_WORDS[score.reason]}"
    return _measured_words(score, judge)


def _measured_words(score: Measured, judge: Judge) -> str:
    if judge.compares:
        both = "neither is" if score.value == 0 else "it is"
        words = f"{winner_words(score.value)}: {both} preferred in both orders"
    elif isinstance(score.value, bool):
        passed = score.value if score.passed is None else score.passed
        words = "passed" if passed else "failed"
    else:
        words = whole_number(score.value)
        if judge.score_range is not None:
            low, high = judge.score_range
            words += f" on a scale of {low:g} to {high:g}"
        if score.passed is not None:
            words += ", passed" if score.passed else ", failed"
    if score.label and not judge.compares:
        words += f" ({score.label})"
    if differ(score.samples):
        words += f", not stable over {len(score.samples)} samples"
    return words


def winner_words(value: bool | int | float) -> str:
    """The outcome of a comparison of two runs, in words."""
    if value == 0:
        return "a tie"
    return "this run is better" if value > 0 else "the baseline is better"


def whole_number(value: int | float) -> str:
    """The number with all its digits, as far as that is readable."""
    if isinstance(value, int) and abs(value) >= 10**20:
        return number(value)
    return repr(value)


def state_words(cell: Cell) -> str:
    """What is going on with a cell, in words; empty when its value is simply in force."""
    old = ", the old value is shown" if cell.score is not None else ""
    match cell.state:
        case CellState.EMPTY:
            return "no score" if cell.score is None else ""
        case CellState.FRESH:
            words = ""
        case CellState.CHECKING:
            words = "being compared with the files"
        case CellState.QUEUED:
            words = f"queued{old}"
        case CellState.RUNNING:
            words = f"running{old}"
        case CellState.STALE:
            words = "stale: an input changed since"
        case CellState.WAITING:
            words = WAITING_WORDS[cell.waiting or "off"] + old
        case _:
            assert_never(cell.state)
    if not cell.recorded:
        return words
    if cell.state is CellState.WAITING:
        return f"recorded for older inputs; {WAITING_WORDS[cell.waiting or 'off']}"
    return "recorded, not recomputed" + (f"; {words}" if words else "")
