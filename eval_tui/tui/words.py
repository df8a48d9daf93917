"""The sentences of the grid screen, as content: pure functions of what is known."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from rich.cells import cell_len
from textual.content import Content

from eval_tui.config.problems import Problem
from eval_tui.config.schema import EvalConfig
from eval_tui.engine.grid import Grid, Row, Status
from eval_tui.results.words import usd
from eval_tui.tui.marks import Glyphs, Look
from eval_tui.tui.text import ELLIPSIS, content, cut, one_line

LOOK_STYLES: Final[dict[Look, str]] = {
    "pass": "$pass bold",
    "fail": "$fail bold",
    "number": "$foreground bold",
    "unmeasured": "$unmeasured bold",
    "violation": "$unmeasured bold",
    "skip": "$skip",
    "queued": "$skip",
    "running": "$running",
    "empty": "$skip",
}


RUNS_ELSEWHERE: Final = "where they are elsewhere: eval-tui --runs FOLDER, or AGENT_EVAL_RUNS_DIR"


def plural(count: int, noun: str) -> str:
    """`1 cell`, `2 cells`, `12,000 cells`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def beside(left: Content, right: Content, width: int, ellipsis: str = ELLIPSIS) -> Content:
    """Two pieces at both ends of a line; the left one is cut where they do not fit."""
    room = width - right.cell_length - (1 if right else 0)
    if room <= 0:
        return right.truncate(width)
    if left.cell_length > room:
        left = Content.assemble(left.truncate(max(0, room - cell_len(ellipsis))), ellipsis)
    return Content.assemble(left, " " * (width - left.cell_length - right.cell_length), right)


class Counts(NamedTuple):
    """Cases by what became of them."""

    ran: int
    not_run: int
    recorded_only: int

    @property
    def total(self) -> int:
        return sum(self)


def counts_of(rows: Iterable[Row]) -> Counts:
    """How many cases ran, did not, or are only recorded."""
    found = Counter(row.status for row in rows)
    return Counts(found["ran"], found["not_run"], found["recorded_only"])


def title_line(
    config: EvalConfig | None,
    status: Status,
    counts: Counts,
    glyphs: Glyphs,
    width: int,
    verdicts: str | None = None,
    then: str = "",
) -> Content:
    """The first line: eval, run, how many cases ran, and how many have which verdict.

    `then`: the run that stands beside the one in view.
    """
    name = status.eval_name or (config.name if config else "")
    parts: list[Content] = [content(one_line(name) or "eval-tui", "bold $primary")]
    if status.run_id:
        if then:
            parts += [Content.styled("  then ", "$skip"), content(one_line(then))]
        now = "  now " if then else "  run "
        parts += [Content.styled(now, "$skip"), content(one_line(status.run_id))]
        if status.following and not then:
            parts.append(Content.styled("  newest, followed", "$skip"))
    right = [f"{counts.ran:,} of {plural(counts.total, 'case')} ran"] if counts.total else []
    if counts.not_run:
        right.append(f"{counts.not_run:,} not run")
    if counts.recorded_only:
        right.append(f"{counts.recorded_only:,} recorded only")
    left, told = Content.assemble(" ", *parts), ", ".join(right)
    if verdicts:
        both = f"{verdicts} {glyphs.dot} {told}"
        told = both if left.cell_length + len(both) + 2 <= width else verdicts
    if left.cell_length + len(told) + 2 > width:
        told = verdicts or (f"{counts.ran:,}/{counts.total:,}" if counts.total else "")
    return beside(left, Content.styled(told + " ", "$skip"), width, glyphs.ellipsis)


def window_title(config: EvalConfig | None, status: Status) -> str:
    """What the terminal's window is called; changes only when work begins or ends."""
    name = one_line(status.eval_name or (config.name if config else ""))
    doing = "working" if status.running or status.queued else one_line(status.run_id)
    return " - ".join(part for part in (name, doing, "eval-tui") if part)


def welcome_line(keys: Sequence[tuple[str, str]], width: int, glyphs: Glyphs) -> Content:
    """The hint for the first time: keys with what they do, as many as fit."""
    pieces = [Content.assemble(Content.styled(key, "bold"), f" {text}") for key, text in keys]
    pieces.append(Content("save a judge: it reruns"))
    line, between = Content.styled(" New here? ", "bold $primary"), ""
    for piece in pieces:
        if line.cell_length + len(between) + piece.cell_length > width:
            break
        line = Content.assemble(line, between, piece)
        between = f" {glyphs.dot} "
    return line


def status_line(status: Status, frozen: bool, behind: int, glyphs: Glyphs, width: int) -> Content:
    """The last line but one: what set off the last work, what is going on, and what is unusual."""
    going = [
        f"{count:,} {word}"
        for count, word in (
            (status.running, "running"),
            (status.queued, "queued"),
            (status.waiting - status.unpaid, "waiting"),
        )
        if count > 0
    ]
    if status.unpaid:
        known = status.unpaid_cost is not None
        price = f"about {usd(status.unpaid_cost)}" if known else "price n/a"
        going.append(f"{status.unpaid:,} wait for {glyphs.money}, {price}")
    activity = Content.styled(
        f" {glyphs.dot} ".join(going), "$running" if status.running else "$skip"
    )
    flags: list[Content] = []
    if status.paused:
        flags.append(Content.styled(" PAUSED ", "$background on $unmeasured bold"))
    if frozen:
        text = f" FROZEN, {behind:,} changed " if behind else " FROZEN "
        flags.append(Content.styled(text, "$background on $primary bold"))
    if status.document:
        flags.append(content(one_line(f"read-only: {status.document}"), "$skip"))
    elif status.watching == "polling":
        flags.append(Content.styled("polling", "$unmeasured"))
    elif not status.watching:
        flags.append(Content.styled("not watching", "$unmeasured"))
    else:
        flags.append(Content.styled("watching", "$skip"))
    right = Content("  ").join([part for part in (activity, *flags) if part])
    room = max(0, width - right.cell_length - 3)
    return beside(
        _trigger(status, glyphs, room), Content.assemble(right, " "), width, glyphs.ellipsis
    )


def _trigger(status: Status, glyphs: Glyphs, room: int) -> Content:
    if not status.trigger:
        return Content("")
    done = f": {_done(status)}"
    name = one_line(trigger_words(status.trigger))
    left = max(8, room - len(done) - 1)
    if cell_len(name) > left:
        # The end of a path tells more than its beginning.
        name = glyphs.ellipsis + cut(name[::-1], left - 1, "")[::-1]
    return Content.assemble(" ", content(name), Content.styled(done, "$skip"))


def trigger_words(trigger: str) -> str:
    """What set off work, for people: `eval.yaml changed`, `opened`, `rerun by hand`. Raw."""
    if trigger in _TRIGGERS:
        return _TRIGGERS[trigger]
    if trigger.startswith("run "):
        return f"{trigger} opened"
    if trigger.startswith("new run "):
        return trigger
    return trigger if trigger.endswith(" changed") else f"{trigger} changed"


_TRIGGERS: Final = {
    "start": "first look",
    "opened": "first look",
    "first run": "first look",
    "rerun": "rerun by hand",
}
"""Words for what is no file."""


def _done(status: Status) -> str:
    """What became of the last trigger's cells: `5 cells ran`, `3 of 7 cells done`."""
    finished = status.ran + status.reused
    if status.running or status.queued:
        total = max(status.touched, finished + status.running + status.queued)
        return f"{finished:,} of {plural(total, 'cell')} done"
    told = [f"{plural(status.ran, 'cell')} ran"] if status.ran else ["nothing to run"]
    if status.reused:
        told.append(f"{status.reused:,} still valid")
    if status.calls:
        told.append(plural(status.calls, "model call"))
    return ", ".join(told)


def no_failures(numbers: bool) -> str:
    """Said where there is no failure to go to; `numbers`: there are values that cannot fail."""
    more = " Numbers neither pass nor fail: s sorts by a judge, worst first." if numbers else ""
    return f"No failures here.{more}"


def banner(status: Status, rows: bool = False) -> Content:
    """The lasting message, or empty; `rows`: there are cases, so the empty page does not tell it."""
    if status.banner:
        return content(one_line(status.banner))
    if status.looked_in and rows:
        return content(f"No runs yet in {one_line(status.looked_in[0])}; {RUNS_ELSEWHERE}")
    return Content("")


def place_of(problem: Problem, root: str = "") -> str:
    """`eval.yaml:12:5`, relative to the root where that is possible."""
    name = problem.file
    if root and name.startswith(root.rstrip("/") + "/"):
        name = name[len(root.rstrip("/")) + 1 :]
    if not problem.line:
        return name
    return f"{name}:{problem.line}:{problem.column}" if problem.column else f"{name}:{problem.line}"


def empty_words(
    config: EvalConfig | None,
    grid: Grid,
    status: Status,
    problems: Sequence[Problem] = (),
    others: bool = False,
) -> tuple[str, str] | None:
    """A headline and what to do, where there is no grid to show; None where there is one.

    `others`: the project has evals, but not the one that was asked for.
    """
    if config is None:
        if problems:
            return (
                "The eval config cannot be used yet",
                f"{one_line(status.banner)}\n\nIt is read anew whenever it is saved."
                " P lists everything that is wrong, E the evals of this project.",
            )
        if others:
            return (
                "No such eval",
                f"{one_line(status.banner)}\n\nE lists the evals of this project.",
            )
        said = one_line(status.banner) or "An eval is a YAML file with `judges:` and a `dataset:`"
        return (
            "No eval config yet",
            f"{said.removesuffix('.')}.\n\nSave one in this project and it shows up here.",
        )
    if not grid.columns:
        return (
            "This eval has no judges",
            f"Nothing is measured until {one_line(config.name)} has an entry under `judges:`."
            " e opens the config.",
        )
    if not grid.rows and not status.run_id:
        places = "".join(f"\n  {one_line(folder)}" for folder in status.looked_in)
        return (
            "No runs yet",
            "Let the agent run on the dataset: a new run shows up here by itself."
            + f"\n\nRuns were looked for in:{places}" * bool(places)
            + f"\n\n{RUNS_ELSEWHERE[:1].upper()}{RUNS_ELSEWHERE[1:]}.",
        )
    if not grid.rows:
        return (
            "No cases",
            "Neither the dataset nor this run has a case. Check `dataset.path` in the config,"
            " or choose another run with m.",
        )
    return None


def seconds(duration: float) -> str:
    """A duration: `12 ms`, `3.4 s`, `2 min 5 s`."""
    if duration < 0.001:
        return "under 1 ms"
    if duration < 1:
        return f"{duration * 1000:.0f} ms"
    if duration < 60:
        return f"{duration:.1f} s"
    return f"{int(duration) // 60} min {int(duration) % 60} s"


def ago(at: float, now: float | None = None) -> str:
    """How long ago a time is, in seconds since the epoch: `3 min ago`; beyond two days the date."""
    past = (time.time() if now is None else now) - at
    if past < 5:
        return "just now"
    for limit, size, unit in ((60, 1, "s"), (3600, 60, "min"), (172_800, 3600, "h")):
        if past < limit:
            return f"{int(past // size)} {unit} ago"
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at))
