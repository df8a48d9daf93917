"""Runs that repeat one configuration, beside the one in view: following them, and their words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from textual.content import Content

from eval_tui.engine.grid import Grid
from eval_tui.engine.threads import in_thread
from eval_tui.results.repeats import Repeats, make_repeats, trials_of
from eval_tui.results.verdict_words import trials_words
from eval_tui.results.verdicts import Court
from eval_tui.results.words import percent
from eval_tui.tui.face import Driver
from eval_tui.tui.marks import Glyphs, Look, Mark
from eval_tui.tui.text import content, one_line
from eval_tui.tui.verdict_words import OPEN
from eval_tui.tui.words import LOOK_STYLES, plural
from eval_tui.verdicts.compare import Difference
from eval_tui.verdicts.statistics import pass_at_k
from eval_tui.verdicts.trials import CaseTrials, TrialSummary

MOST_K: Final = 3
"""Up to this k a case's line says pass@k. That of k = n only says whether any of n trials passed."""


class Trials:
    """The runs of `verdict.trials`, or those marked, while the run in view is one of them."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._known: tuple[object, ...] = ()
        self._eval = ""
        """The config whose runs are marked."""
        self.marked: tuple[str, ...] = ()
        """Their ids, in place of those that the config names; empty where none are."""
        self.listed: tuple[str, ...] = ()
        """Their ids; empty where the run in view is none of them."""
        self.repeats: Repeats | None = None
        """None until the others are read."""

    def mark(self, runs: tuple[str, ...]) -> None:
        """Take these runs of the eval in view for repetitions; none: those that its config names."""
        config = self._driver.config
        self.marked, self._eval = runs, config.path if config is not None else ""

    def follow(self) -> bool:
        """Look at config and runs; whether the other runs are to be read (anew)."""
        driver = self._driver
        config, shown, book = driver.config, driver.status.run_id, driver.authority.rulebook
        rules = config.verdict if config is not None else None
        if config is not None and config.path != self._eval:
            self.marked = ()
        wanted = self.marked or (rules.trials if rules is not None else ())
        self.listed = wanted if shown in wanted else ()
        before, self._known = self._known, ()
        if config is None or book is None or not self.listed:
            self.repeats = None
            return False
        there = tuple((run.id, run.path) for run in driver.runs() if run.id in self.listed)
        code = driver.status.code
        self._known = (config.path, shown, there, driver.grid.columns, self.listed, book, code)
        if self._known[:2] != before[:2]:
            self.repeats = None
        return self._known != before

    async def read(self) -> None:
        """Read the other runs as they were last scored: nothing is judged."""
        driver, listed = self._driver, self.listed
        shown, book = driver.status.run_id, driver.authority.rulebook
        others = [run for run in driver.runs() if run.id in listed and run.id != shown]
        stored = await driver.finding.stored(others)
        if book is not None:
            self.repeats = await in_thread(lambda: make_repeats(listed, shown, stored, book))


def tally_mark(trials: CaseTrials, glyphs: Glyphs) -> Mark:
    """`3/5`: passed of evaluated trials, with a mark where they differ; blank without any."""
    passed, count = trials.tally
    if not count:
        return Mark("")
    look: Look = "number" if trials.flaky else "pass" if passed else "fail"
    return Mark(f"{passed}/{count}", glyphs.unstable if trials.flaky else "", look)


def trials_line(found: Mapping[str, bool | None], repeats: Repeats, glyphs: Glyphs) -> Content:
    """`trials 2/3~ flaky · pass@1 67%, … · r1 ✓, r2 ✗, r3 ✓ · not scored …: r4`."""
    trials = CaseTrials("", tuple(found.values()))
    shown = tally_mark(trials, glyphs)
    tally = f"{shown.field}{shown.suffix}" + (" flaky" if trials.flaky else "")
    marks = {True: glyphs.passed, False: glyphs.failed, None: OPEN}
    facts = [
        _chances(trials),
        ", ".join(f"{run} {marks[value]}" for run, value in found.items()),
        f"not scored under these judges: {', '.join(repeats.unscored)}" * bool(repeats.unscored),
        f"not there: {', '.join(repeats.gone)}" * bool(repeats.gone),
    ]
    dot = f" {glyphs.dot} "
    return Content.assemble(
        Content.styled("trials ", "$skip"),
        content(tally or "none evaluated", LOOK_STYLES[shown.look]),
        content(one_line("".join(dot + fact for fact in facts if fact)), "$skip"),
    )


def noise_line(found: Difference, run: str, glyphs: Glyphs) -> Content:
    """Whether what differs from the baseline, which is of `run`, is more than chance explains."""
    was = glyphs.passed if found.before.passed else glyphs.failed
    beyond = "more than noise" if found.significant else "within the noise"
    chance = "" if found.p is None else f" (p = {found.p:.2g})"
    words = f"the verdict was {was} in the baseline, {run}: the difference is {beyond}{chance}"
    return content(one_line(words), "$skip")


def case_trials_line(
    repeats: Repeats, court: Court, grid: Grid, case: str, glyphs: Glyphs
) -> Content | None:
    """The line about a case's trials; None where there are none, or where it did not run."""
    row = next((row for row in grid.rows if row.case == case), None)
    if row is None or row.status == "not_run":
        return None
    return trials_line(trials_of(repeats, court, grid, case), repeats, glyphs)


def summary_words(found: TrialSummary | None, glyphs: Glyphs, short: bool, marked: int = 0) -> str:
    """What all trials add up to; where room is scarce only how many cases are flaky.

    `marked`: so many runs are trials because the person marked them.
    """
    if found is None:
        return ""
    of = f" of {plural(marked, 'marked run')}" if marked else ""
    return f"{found.flaky:,}{glyphs.unstable}" if short else f"trials{of}: {trials_words(found)}"


def _chances(trials: CaseTrials) -> str:
    passed, count = trials.tally
    most = min(MOST_K, max(count - 1, 1)) if count else 0
    chances = {k: pass_at_k(count, passed, k) for k in range(1, most + 1)}
    return ", ".join(f"pass@{k} {percent(chance)}" for k, chance in chances.items())
