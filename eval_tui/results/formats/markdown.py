"""Markdown for a pull-request comment or a job summary: what decides comes first.

Text from outside stands in code elements with every character of Markdown's as an entity: it is
neither formatting nor a link, and mentions nobody.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from eval_tui.results.compare import CHANGED, GROUP_WORDS, Comparison
from eval_tui.results.comparison_words import (
    comparison_headline,
    moved_words,
    part_lines,
    turn_words,
)
from eval_tui.results.critical import critical_words
from eval_tui.results.formats.plain import (
    cells_of,
    cut,
    one_line,
    outcome,
    plain,
    reason_of,
    value_word,
)
from eval_tui.results.gates import GateState
from eval_tui.results.noise import noise_note, trial_words
from eval_tui.results.report import Report
from eval_tui.results.reward import Undefined
from eval_tui.results.reward_words import reward_line
from eval_tui.results.verdict_words import counts_words
from eval_tui.results.words import count, limit_words

MOST = 65_000
"""Bytes of the whole: GitHub refuses comments of more than 65,536 characters."""

_TAIL = 200
"""Bytes kept for saying what was left out."""

_REASON = 1_500
"""Characters of a reason."""

_SPECIAL = re.compile(r"[\\`*_{}\[\]<>|~&$@#]|(?<=www)\.|:(?=//)")
"""What is formatting, math, a link, a mention or a reference, where no line begins with it."""

_SIGNS: dict[GateState, str] = {"pass": "✅", "fail": "❌", "cannot_tell": "❔"}


class _Page:
    """Text up to a length: what does not fit is counted and told."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._left = MOST - _TAIL
        self._dropped = 0

    def add(self, text: str, *, keep: int = 0) -> bool:
        """Add it unless it is too long; `keep` bytes stay free for what must follow."""
        size = len(text.encode("utf-8", "replace"))
        if self._dropped or size + keep > self._left:
            self._dropped += 1
            return False
        self._parts.append(text)
        self._left -= size
        return True

    def drop(self, entries: int) -> None:
        """So many entries more have no room."""
        self._dropped += entries

    def close(self, text: str) -> None:
        """Add what must follow, for which room was kept."""
        self._parts.append(text)
        self._left -= len(text)

    def text(self) -> str:
        more = (
            f"\n_{count(self._dropped, 'entry', 'entries')} more: this page has no room for them._\n"
            if self._dropped
            else ""
        )
        return "".join(self._parts) + more


def to_markdown(report: Report) -> str:
    """Gates, figures, what changed since the baseline, then failures and errors, folded."""
    document, page = report.document, _Page()
    page.add(f"## {_name(document['eval'])} · run {_name(document['run'])}\n\n")
    for line in _gates(report):
        page.add(line)
    for line in _figures(report):
        page.add(line)
    if report.comparison is not None:
        _compared(page, report.comparison)
    groups = {"fail": "Failed", "unmeasured": "Not measured"}
    for kind, title in groups.items():
        _folded(page, title, [
            (f"{_name(case)} · {_name(judge)}: {_name(value_word(cell))}", reason_of(cell))
            for case, judge, cell in cells_of(document)
            if outcome(cell) == kind
        ])  # fmt: skip
    if report.rewards is not None:
        _folded(page, "Reward undefined", [
            (f"{_name(case)}: {_words(one.why)}", "")
            for case, one in report.rewards.cases.items()
            if isinstance(one, Undefined)
        ])  # fmt: skip
    return page.text().rstrip("\n")


def _gates(report: Report) -> Iterator[str]:
    """One line per gate, those that decide first."""
    gates = [gate for column in report.board.columns for gate in column.gates]
    order: list[GateState] = ["fail", "cannot_tell", "pass"]
    for gate in sorted(gates, key=lambda gate: order.index(gate.state)):
        yield f"- {_SIGNS[gate.state]} {_name(gate.judge)} {_words(limit_words(gate))}\n"
    if (critical := report.critical) is not None:
        yield f"- {_SIGNS[critical.state]} {_words(critical_words(critical))}\n"
    for sentence in report.regressions:
        yield f"- {_SIGNS['fail']} {_name(sentence)}\n"
    yield "\n" if gates or critical or report.regressions else "No thresholds.\n\n"


def _figures(report: Report) -> Iterator[str]:
    board = report.board
    if board.empty:
        yield _words(board.empty) + "\n\n"
        return
    compared = report.comparison
    head = ["judge", "figure", *(["against the baseline"] if compared else [])]
    yield _row(head) + _row(["---"] * len(head))
    for column in board.columns:
        judge = compared.judge(column.judge.name) if compared else None
        since = [_words(moved_words(judge)) if judge else ""] if compared else []
        yield _row([_name(column.judge.name), _words(column.summary), *since])
    yield f"\n{_words(board.headline)}\n\n"
    if report.verdicts is not None:
        yield f"Verdicts: {_words(counts_words(report.verdicts.counts, report.verdicts.stale))}\n\n"
    if report.rewards is not None:
        yield f"{_words(reward_line(report.rewards).capitalize())}\n\n"


def _compared(page: _Page, found: Comparison) -> None:
    page.add(f"**{_words(comparison_headline(found))}**\n\n")
    for note in noise_note(found):
        page.add(f"{_words(note)}\n\n")
    for group in CHANGED:
        cells = found.group(group)
        _folded(page, GROUP_WORDS[group].capitalize(), [
            (f"{_name(one.case)} · {_name(one.judge)}: {_name(turn_words(one.before, one.after))}", "")
            for one in cells
        ], is_open=group == "broke")  # fmt: skip
    _folded(page, "Parts of scores", [(_words(line), "") for line in part_lines(found)])
    trials = [(f"{_name(one.case)}: {_words(trial_words(one))}", "") for one in found.trials]
    _folded(page, "Trials", trials)


def _folded(
    page: _Page, title: str, entries: list[tuple[str, str]], *, is_open: bool = False
) -> None:
    """A list that unfolds; each entry with its reason, which unfolds with it."""
    if not entries:
        return
    end = "\n</details>\n\n"
    opened = f"<details{' open' if is_open else ''}><summary>{_words(title)}: {len(entries):,}</summary>\n\n"
    if not page.add(opened, keep=len(end)):
        page.drop(len(entries) - 1)
        return
    for head, reason in entries:
        shown = cut(plain(reason).strip(), _REASON)
        body = f"\n  <pre>{_pre(shown)}</pre>" if shown else ""
        page.add(f"- {head}{body}\n", keep=len(end))
    page.close(end)


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def _name(text: str) -> str:
    """Text from outside on one line."""
    return f"<code>{_escaped(cut(one_line(text), 200))}</code>"


def _escaped(text: str) -> str:
    return _SPECIAL.sub(lambda found: f"&#{ord(found[0])};", one_line(text))


def _words(text: str) -> str:
    """Words of ours, in which names may stand: outside of code `@name` and `#1` would act."""
    escaped = _escaped(text)
    return escaped.replace("&#64;", "<code>@</code>").replace("&#35;", "<code>#</code>")


def _pre(text: str) -> str:
    """Text in a `<pre>`: lines stay, and an empty one does not end the element."""
    return "&#10;".join(html.escape(line) for line in text.split("\n"))
