"""One page that needs nothing else: the grid with drill-down, for people without a terminal.

It holds no script at all. What a cell says is shown by its address (`:target`), failures alone by a
check box, so that a browser told to run nothing (as the page itself tells it) loses nothing.
"""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files

from eval_tui.results.compare import CHANGED, GROUP_WORDS, Group
from eval_tui.results.comparison_words import comparison_headline, figures_words, part_lines
from eval_tui.results.critical import critical_words
from eval_tui.results.formats.plain import (
    Plain,
    cut,
    groups_of,
    outcome,
    plain,
    reason_of,
    reward_note,
    rewards_of,
    value_word,
)
from eval_tui.results.noise import chance_words, noise_note, trial_words
from eval_tui.results.report import Report
from eval_tui.results.reward_words import UNDEFINED, reward_lines
from eval_tui.results.verdict_words import counts_words
from eval_tui.results.words import limit_words, number

MOST = 50_000
"""Characters of a text in the page."""

_LISTED = 200
"""Cells of a group that are listed; all are marked in the grid."""

_MARKS = {"pass": "✓ ", "fail": "✗ ", "unmeasured": "∅ ", "skipped": "– ", "waiting": "= "}

_GATES = {"pass": "pass", "fail": "fail", "cannot_tell": "cannot tell"}

_TURNS: Mapping[Group, str] = {
    "broke": "▼", "lost": "▼", "worse": "▼", "unstable": "~",
    "fixed": "▲", "gained": "▲", "better": "▲", "other": "◆",
}  # fmt: skip

Places = Mapping[tuple[str, str], str]
"""(case, judge) -> the address of the cell's details in the page."""


def to_html(report: Report) -> str:
    """The page. Everything from outside is text in it, without control characters."""
    document = report.document
    judges = list(document["aggregates"])
    places = _places(document, judges)
    return "\n".join(
        [
            *_head(document),
            *_summary(report, places),
            *_grid(report, judges, places),
            *_problems(document),
            *_details(document, places),
            "</body>",
            "</html>",
        ]
    )


@cache
def style() -> str:
    """The page's style sheet."""
    return files("eval_tui.results.formats").joinpath("page.css").read_text("utf-8")


def _places(document: Plain, judges: Sequence[str]) -> Places:
    """Addresses are made of positions, never of names."""
    columns = {judge: at for at, judge in enumerate(judges)}
    return {
        (case, judge): f"c{row}-{columns[judge]}"
        for row, (case, cells) in enumerate(document["cells"].items())
        for judge in cells
        if judge in columns
    }


def _head(document: Plain) -> Iterator[str]:
    digest = base64.b64encode(hashlib.sha256(style().encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    title = f"{document['eval']} · run {document['run']}"
    yield "<!DOCTYPE html>"
    yield '<html lang="en">'
    yield "<head>"
    yield '<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    yield '<meta name="referrer" content="no-referrer">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{_plain(title)}</title>"
    yield f"<style>{style()}</style>"
    yield "</head>"
    yield "<body>"


def _summary(report: Report, places: Places) -> Iterator[str]:
    document = report.document
    yield f"<h1>{_text(document['eval'])}</h1>"
    yield f'<p class="quiet">run {_text(document["run"])} · {_plain(report.board.headline)}</p>'
    if report.verdicts is not None:
        yield f"<p>Verdicts: {_plain(counts_words(report.verdicts.counts, report.verdicts.stale))}</p>"
    if report.rewards is not None:
        told, *whys = reward_lines(report.rewards)
        yield f"<p>{_plain(told.capitalize())}</p>"
        yield from _list(_text(line.strip()) for line in whys)
    gates = [gate for column in report.board.columns for gate in column.gates]
    critical = report.critical
    if gates or critical or report.regressions:
        yield "<h2>Gates</h2>"
        yield '<ul class="gates">'
        for gate in gates:
            tag = f'<span class="tag {gate.state}">{_GATES[gate.state]}</span>'
            yield f"<li>{tag}{_text(gate.judge)}: {_plain(limit_words(gate))}</li>"
        if critical is not None:
            tag = f'<span class="tag {critical.state}">{_GATES[critical.state]}</span>'
            yield f"<li>{tag}{_text(critical_words(critical))}</li>"
        for sentence in report.regressions:
            yield f'<li><span class="tag fail">fail</span>{_text(sentence)}</li>'
        yield "</ul>"
    yield from _compared(report, places)


def _compared(report: Report, places: Places) -> Iterator[str]:
    found = report.comparison
    if found is None:
        return
    yield "<h2>Against the baseline</h2>"
    yield f"<p>{_text(comparison_headline(found))}</p>"
    for note in noise_note(found):
        yield f'<p class="quiet">{_plain(note)}</p>'
    for group in CHANGED:
        cells = found.group(group)
        if not cells:
            continue
        yield f"<details{' open' if group == 'broke' else ''}>"
        yield f"<summary>{_TURNS[group]} {_plain(GROUP_WORDS[group])}: {len(cells):,}</summary><ul>"
        for one in cells[:_LISTED]:
            place = places.get((one.case, one.judge), "")
            yield f'<li><a href="#{place}">{_text(one.case)} · {_text(one.judge)}</a></li>'
        if len(cells) > _LISTED:
            yield f"<li>and {len(cells) - _LISTED:,} more</li>"
        yield "</ul></details>"
    folded = {
        "parts of scores": [_text(line) for line in part_lines(found)],
        "trials": [f"{_text(one.case)}: {_plain(trial_words(one))}" for one in found.trials],
    }
    for title, lines in folded.items():
        if lines:
            yield f"<details><summary>{title}: {len(lines):,}</summary>"
            yield from _list(lines[:_LISTED])
            if len(lines) > _LISTED:
                yield f"<p>and {len(lines) - _LISTED:,} more</p>"
            yield "</details>"


def _grid(report: Report, judges: Sequence[str], places: Places) -> Iterator[str]:
    document, board = report.document, report.board
    yield "<h2>Cells</h2>"
    if board.empty:
        yield f"<p>{_plain(board.empty)}</p>"
        return
    yield '<p><label><input type="checkbox" id="only">only cases with a failure, an error or a change</label></p>'
    yield '<div class="grid"><table><thead><tr><th>case</th>'
    rewards = rewards_of(document)
    if report.rewards is not None:
        yield f'<th>reward<span class="figure">{_plain(report.rewards.summary)}</span></th>'
    for judge in judges:
        column = board.column(judge)
        figure = _plain(column.summary) if column else ""
        change = report.comparison.judge(judge) if report.comparison else None
        if change is not None and change.shared and change.was != change.now:
            figure += f"<br>{_plain(figures_words(change))}"
            figure += f"<br>{_plain(chance_words(change))}"
        yield f'<th>{_text(judge)}<span class="figure">{figure}</span></th>'
    yield "</tr></thead><tbody>"
    changes = groups_of(document)
    for at, (case, cells) in enumerate(document["cells"].items()):
        turns = changes.get(case, {})
        loud = turns or any(outcome(cell) in ("fail", "unmeasured") for cell in cells.values())
        calm = "" if loud else ' class="calm"'
        yield f'<tr id="r{at}"{calm}><th>{_text(case)}</th>'
        if case in rewards:
            yield _reward(rewards[case])
        for judge in judges:
            cell = cells.get(judge)
            yield _cell(cell, places[case, judge], turns.get(judge)) if cell else "<td></td>"
        yield "</tr>"
    for case in document["not_run"]:
        yield f'<tr class="calm"><th>{_text(case)}</th>'
        width = max(1, len(judges) + (report.rewards is not None))
        yield f'<td class="empty" colspan="{width}">not run</td></tr>'
    yield "</tbody></table></div>"


def _cell(cell: Plain, place: str, turn: Plain | None) -> str:
    kind = outcome(cell)
    told = [(word, mark) for word, mark in (("recorded", "ʳ"), ("stale", "*")) if cell.get(word)]
    if turn is not None:
        group: Group = turn["group"]
        told.append((GROUP_WORDS[group], _TURNS[group]))
    marks = "".join(f'<span class="turn" title="{word}"> {mark}</span>' for word, mark in told)
    word = _MARKS.get(kind, "") + value_word(cell)
    return f'<td class="{kind}"><a href="#{place}">{_plain(word)}{marks}</a></td>'


def _reward(reward: Plain) -> str:
    value, stale = reward["value"], "*" if reward.get("stale") else ""
    shown = UNDEFINED if value is None else number(value) + stale
    kind = "reward waiting" if value is None else "reward"
    return f'<td class="{kind}" title="{_plain(reward_note(reward))}">{_plain(shown)}</td>'


def _list(lines: Iterable[str]) -> Iterator[str]:
    """A list of lines that are HTML already; nothing without any."""
    told = [f"<li>{line}</li>" for line in lines]
    if told:
        yield f"<ul>{''.join(told)}</ul>"


def _problems(document: Plain) -> Iterator[str]:
    if not document["problems"]:
        return
    yield "<h2>Problems</h2><ul>"
    for problem in document["problems"]:
        judge = f"{_text(problem['judge'])}: " if "judge" in problem else ""
        hint = f" ({_text(problem['hint'])})" if "hint" in problem else ""
        yield f"<li>{problem['severity']}: {judge}{_text(problem['message'])}{hint}</li>"
    yield "</ul>"


def _details(document: Plain, places: Places) -> Iterator[str]:
    changes = groups_of(document)
    for row, (case, cells) in enumerate(document["cells"].items()):
        for judge, cell in cells.items():
            place = places.get((case, judge))
            if place is None:
                continue
            yield f'<section class="detail" id="{place}">'
            yield f'<a class="close" href="#r{row}">close</a>'
            yield f"<h2>{_text(case)} · {_text(judge)}</h2>"
            yield from _told(cell)
            turn = changes.get(case, {}).get(judge)
            if turn is not None:
                was, words = value_word(turn["before"]), GROUP_WORDS[turn["group"]]
                yield f'<p class="quiet">in the baseline: {_plain(was)} ({_plain(words)})</p>'
            yield "</section>"


def _told(cell: Plain) -> Iterator[str]:
    """What a cell says: its value, its reason, its samples and its parts."""
    yield f'<p><span class="tag {outcome(cell)}">{_plain(value_word(cell))}</span>'
    words = [word for word in ("recorded", "stale") if cell.get(word)]
    words += [f"waits for {cell['waiting']}"] if "waiting" in cell else []
    words += ["can be retried"] if cell.get("retryable") else []
    yield f'<span class="quiet">{_plain(", ".join(words))}</span></p>'
    if reason := reason_of(cell):
        yield f"<pre>{_text(reason)}</pre>"
    for at, sample in enumerate(cell.get("samples", ()), 1):
        value = "no answer" if sample["value"] is None else str(sample["value"])
        text = sample.get("rationale") or sample.get("error") or ""
        yield f"<p>sample {at}: {_plain(value)}</p>"
        if text:
            yield f"<pre>{_text(text)}</pre>"
    for name, part in cell.get("parts", {}).items():
        yield f"<h3>{_text(name)}</h3>"
        yield from _told(part)


def _text(text: str) -> str:
    """Text from outside, in an element of its own so that its direction is too."""
    return f"<bdi>{_plain(text)}</bdi>"


def _plain(text: str) -> str:
    return html.escape(cut(plain(text), MOST))
