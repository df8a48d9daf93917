"""JUnit XML, as CI servers read it: a suite per judge, a test per case, and a suite of gates."""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from eval_tui.results.formats.plain import (
    Plain,
    cut,
    one_line,
    outcome,
    plain,
    reason_of,
    value_word,
)
from eval_tui.results.gates import Gate
from eval_tui.results.report import Report
from eval_tui.results.words import gate_words

MOST = 64_000
"""Characters of a text: CI servers refuse or drop files that are too large."""

_MESSAGE = 200
"""Characters of a message, which lists show on one line."""


def to_junit(report: Report) -> str:
    """A failed cell is a failure, an unmeasured one an error, a skipped or waiting one skipped."""
    document = report.document
    root = Element("testsuites", {"name": _name(document["eval"])})
    for judge in document["aggregates"]:
        suite = _suite(root, judge)
        for case, row in document["cells"].items():
            if judge in row:
                _cell(_test(suite, document, judge, case), row[judge])
        for case in document["not_run"]:
            SubElement(_test(suite, document, judge, case), "skipped", {"message": "did not run"})
    gates = [gate for column in report.board.columns for gate in column.gates]
    if gates or report.comparison is not None:
        suite = _suite(root, "gates")
        _gates(suite, document, gates, report.regressions)
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


def _gates(
    suite: Element, document: Plain, gates: Iterable[Gate], regressions: Iterable[str]
) -> None:
    for gate in gates:
        test = _test(suite, document, "gates", f"{gate.judge} {gate.metric}")
        if gate.state != "pass":
            tag = "failure" if gate.state == "fail" else "error"
            _told(test, tag, gate.state, gate_words(gate))
    for sentence in regressions:
        _told(_test(suite, document, "gates", sentence), "failure", "regression", sentence)


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
