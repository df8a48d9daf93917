"""JUnit XML, as CI servers read it: a suite per judge, a test per case, and a suite of gates."""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from eval_tui.results.critical import critical_words
from eval_tui.results.formats.plain import (
    Plain,
    cut,
    one_line,
    outcome,
    plain,
    reason_of,
    reward_note,
    rewards_of,
    value_word,
)
from eval_tui.results.gates import Gate, GateState
from eval_tui.results.report import Report
from eval_tui.results.reward_words import UNDEFINED
from eval_tui.results.words import gate_words, number

MOST = 64_000
"""Characters of a text: CI servers refuse or drop files that are too large."""

_MESSAGE = 200
"""Characters of a message, which lists show on one line."""


def to_junit(report: Report) -> str:
    """A failed cell is a failure, an unmeasured one an error, a skipped or waiting one skipped.

    Rewards are a suite that holds no failure: one that is undefined is skipped.
    """
    document = report.document
    root = Element("testsuites", {"name": _name(document["eval"])})
    for judge in document["aggregates"]:
        suite = _suite(root, judge)
        for case, row in document["cells"].items():
            if judge in row:
                _cell(_test(suite, document, judge, case), row[judge])
        for case in document["not_run"]:
            SubElement(_test(suite, document, judge, case), "skipped", {"message": "did not run"})
    if rewards := rewards_of(document):
        suite = _suite(root, "reward")
        for case, reward in rewards.items():
            _reward(_test(suite, document, "reward", case), reward)
    gates = [gate for column in report.board.columns for gate in column.gates]
    critical = report.critical
    if gates or critical or report.comparison is not None:
        suite = _suite(root, "gates")
        _gates(suite, document, gates, report.regressions)
        if critical is not None:
            _gate(suite, document, "critical cases", critical.state, critical_words(critical))
    for suite in root:
        _count(suite, list(suite))
    _count(root, list(root.iter("testcase")))
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode")


def _cell(test: Element, cell: Plain) -> None:
    text = reason_of(cell)
    match outcome(cell):
        case "fail":
            _told(test, "failure", value_word(cell), text)
        case "unmeasured":
            _told(test, "error", cell["reason"], text)
        case "skipped" | "waiting":
            SubElement(test, "skipped", {"message": cut(one_line(text), _MESSAGE)})
        case "pass" | "value":
            shown = f"{value_word(cell)}\n{text}" if text else value_word(cell)
            SubElement(test, "system-out").text = cut(plain(shown), MOST)


def _reward(test: Element, reward: Plain) -> None:
    """A reward neither passes nor fails; what it lacks is an error of a judge already."""
    value, note = reward["value"], reward_note(reward)
    if value is None:
        words = f"{UNDEFINED}: {note}"
        SubElement(test, "skipped", {"message": cut(one_line(words), _MESSAGE)})
    else:
        shown = "\n".join(filter(None, (number(value), note)))
        SubElement(test, "system-out").text = cut(plain(shown), MOST)


def _gates(
    suite: Element, document: Plain, gates: Iterable[Gate], regressions: Iterable[str]
) -> None:
    for gate in gates:
        _gate(suite, document, f"{gate.judge} {gate.metric}", gate.state, gate_words(gate))
    for sentence in regressions:
        _told(_test(suite, document, "gates", sentence), "failure", "regression", sentence)


def _gate(suite: Element, document: Plain, name: str, state: GateState, words: str) -> None:
    test = _test(suite, document, "gates", name)
    if state != "pass":
        _told(test, "failure" if state == "fail" else "error", state, words)


def _suite(root: Element, name: str) -> Element:
    return SubElement(root, "testsuite", {"name": _name(name)})


def _test(suite: Element, document: Plain, judge: str, case: str) -> Element:
    group = f"{_name(document['eval'])}.{_name(judge)}"
    return SubElement(suite, "testcase", {"classname": group, "name": _name(case), "time": "0"})


def _told(test: Element, tag: str, kind: str, text: str) -> None:
    element = SubElement(test, tag, {"type": kind, "message": cut(one_line(text), _MESSAGE)})
    element.text = cut(plain(text), MOST)


def _count(element: Element, tests: list[Element]) -> None:
    element.set("tests", str(len(tests)))
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        element.set(attribute, str(sum(test.find(tag) is not None for test in tests)))


def _name(text: str) -> str:
    return one_line(text) or "(no name)"
