"""The formats: what each says, and that none of them breaks on or executes any text."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from xml.etree.ElementTree import Element, fromstring

import defusedxml.ElementTree
import pytest
from hypothesis import HealthCheck, given, settings
from markdown_it import MarkdownIt

from eval_tui.cli_options import FORMATS as NAMES
from eval_tui.config.problems import Problem
from eval_tui.config.schema import RewardRules
from eval_tui.engine.grid import Cell, CellState
from eval_tui.results.annotations import github_lines
from eval_tui.results.formats import FORMATS
from eval_tui.results.formats.csv import HEADER, MOST
from eval_tui.results.formats.html import style
from eval_tui.results.formats.markdown import MOST as MARKDOWN_MOST
from eval_tui.results.formats.plain import outcome, value_word
from eval_tui.results.report import Report
from eval_tui.scores import Measured, Reason, Unmeasured, measured
from eval_tui.verdicts.compare import Difference
from eval_tui.verdicts.statistics import Tally
from tests.results.pages import Page
from tests.results.reports import HOSTILE, report, reports
from tests.results.support import config, grid

any_report = given(reports())
RENDERER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
some = settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow], deadline=None)


def cell(value: bool | float, rationale: str, passed: bool | None = None) -> Cell:
    passed = value if isinstance(value, bool) else passed
    return Cell(CellState.FRESH, Measured(value, passed, rationale))


def error(detail: str) -> Cell:
    return Cell(CellState.FRESH, Unmeasured(Reason.GRADER_ERROR, detail))


@pytest.fixture
def example() -> Report:
    return report(
        grid(
            {
                "flag": [cell(True, "fine"), cell(False, "no <title>"), error("boom")],
                "n": [4, "policy_skip", Cell(CellState.WAITING, waiting="money")],
            },
            ["late"],
        ),
        config(("flag", "min_pass_rate", 0.9), ("n", "min_mean", 1.0)),
        grid({"flag": [True, True, True], "n": [5, 3, 3]}, ["late"]),
    )


# What each says


def test_every_name_on_the_command_line_is_a_format() -> None:
    assert tuple(FORMATS) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_the_same_input_gives_the_same_text(name: str, example: Report) -> None:
    again = Report(example.grid, example.board, example.build, "r2", "r1", example.comparison)
    first = Report(example.grid, example.board, example.build, "r2", "r1", example.comparison)
    assert FORMATS[name](first) == FORMATS[name](again)


def test_the_comparison_is_in_the_document(example: Report) -> None:
    found = json.loads(FORMATS["json"](example))["comparison"]
    assert (found["run"], found["baseline"], found["shared"]) == ("r2", "r1", 3)
    assert found["judges"]["flag"] == {
        "shared": 2,
        "was": 1.0,
        "now": 0.5,
        "fell": 0.5,
        "direction": "higher_is_better",
        "chance": 1.0,
        "groups": {"broke": 1, "lost": 1, "same": 1},
    }
    assert found["cells"]["c2"] == {
        "flag": {"group": "broke", "before": {"value": True, "pass": True}},
        "n": {"group": "lost", "before": {"value": 3}},
    }


def test_json_lines_list_what_the_document_holds(example: Report) -> None:
    lines = [json.loads(line) for line in FORMATS["jsonl"](example).split("\n")]
    kinds = Counter(line["type"] for line in lines)
    assert kinds == {"run": 1, "cell": 6, "not_run": 1, "aggregate": 2, "threshold": 4}
    assert (lines[0]["schema"], lines[0]["run"], lines[0]["baseline"]) == (1, "r2", "r1")
    broke = next(line for line in lines if line.get("case") == "c2" and line["judge"] == "flag")
    assert (broke["change"], broke["rationale"]) == ("broke", "no <title>")


def test_csv_has_a_row_per_cell(example: Report) -> None:
    rows = list(csv.DictReader(io.StringIO(FORMATS["csv"](example), newline="")))
    assert [(row["case"], row["judge"], row["status"]) for row in rows[-2:]] == [
        ("c3", "n", "unmeasured"),
        ("late", "", "not_run"),
    ]
    broke = next(row for row in rows if row["change"] == "broke")
    told = [broke[key] for key in ("case", "judge", "value", "pass", "text", "before")]
    assert told == ["c2", "flag", "false", "false", "no <title>", "true"]


def test_csv_runs_nothing_in_a_spreadsheet_and_fits_into_it() -> None:
    texts = ["=1+1", "+1", "-1", "@x", "\t=1", "  =1", "＝1", "plain", "x" * 100_000]
    made = report(grid({"flag": [cell(True, text) for text in texts], "n": [-1.5] * 9}))
    rows = list(csv.DictReader(io.StringIO(FORMATS["csv"](made), newline="")))
    found = [row["text"] for row in rows if row["judge"] == "flag"]
    assert found[:7] == [f"'{text}" for text in texts[:7]]
    assert found[7] == "plain"
    assert found[8] == "x" * MOST + "… +68,000 chars"
    assert {row["value"] for row in rows if row["judge"] == "n"} == {"-1.5"}  # a number stays one


def test_junit_tells_failures_errors_and_skips_apart(example: Report) -> None:
    root = fromstring(FORMATS["junit"](example))
    flag, n, gates = root
    assert [kind(test) for test in flag] == ["", "failure", "error", "skipped"]
    assert [kind(test) for test in n] == ["", "skipped", "skipped", "skipped"]
    assert [kind(test) for test in gates] == ["failure", "failure", "", "failure", "failure"]
    assert flag.attrib == {
        "name": "flag", "tests": "4", "failures": "1", "errors": "1", "skipped": "1",
    }  # fmt: skip
    assert (root.get("tests"), root.get("failures")) == ("13", "5")
    failure = flag[1].find("failure")
    assert failure is not None and (failure.get("message"), failure.text) == ("no <title>",) * 2


def kind(test: Element) -> str:
    return next((child.tag for child in test if child.tag != "system-out"), "")


def test_markdown_says_first_what_decides(example: Report) -> None:
    text = FORMATS["markdown"](example)
    assert text.splitlines()[:6] == [
        "## <code>demo</code> · run <code>r2</code>",
        "",
        "- ❌ <code>flag</code> pass rate 50% &#62;= 90%",
        "- ❌ <code>flag</code> drop 0.5 &#60;= 0",
        "- ❌ <code>n</code> drop 1 &#60;= 0",
        "- ✅ <code>n</code> mean 4 &#62;= 1",
    ]
    order = [text.index(words) for words in ("| judge |", "Pass → fail: 1", "Failed: 1")]
    assert order == sorted(order)
    assert "no &lt;title&gt;" in text


def test_markdown_fits_into_a_comment_and_says_what_does_not() -> None:
    long = "é" * 5_000 + "\n"
    made = report(grid({"flag": [cell(False, long)] * 300}), baseline=grid({"flag": [True] * 300}))
    text = FORMATS["markdown"](made)
    assert len(text.encode()) <= MARKDOWN_MOST
    assert re.search(r"\d+ entries more: this page has no room for them", text)
    assert text.count("<details") == text.count("</details>")


def test_markdown_mentions_nobody_and_refers_to_nothing() -> None:
    text = FORMATS["markdown"](
        report(grid({"flag": [cell(False, "@all see #1")], "@all": [True]}), config(), None, "@all")
    )
    bare = re.sub(r"<(code|pre)>.*?</\1>", "", text)
    assert "@" not in bare.replace("&#64;", "@") and "#1" not in bare


def test_a_page_shows_the_grid_of_the_document(example: Report) -> None:
    page = Page.of(FORMATS["html"](example))
    assert page.grid == words_of(example)
    assert page.details["c2 · flag"] == "fail no <title> in the baseline: pass (pass → fail)"
    assert "late" in page.text and "not run" in page.text


REWARDED = {
    "n": [cell(4.0, "good"), error("boom"), cell(2.0, "poor")],
    "gate": [True, True, False],
}
RULES = RewardRules(weights={"n": 1}, score_range=(0, 5))


def test_every_format_has_the_rewards_and_none_makes_a_number_of_what_is_undefined() -> None:
    made = report(grid(REWARDED), rules=RULES)
    why = "nothing to weigh: n (error)"
    rows = list(csv.DictReader(io.StringIO(FORMATS["csv"](made), newline="")))
    assert [(row["reward"], row["reward_note"]) for row in rows[::2]] == [
        ("0.8", ""),
        ("undefined", why),
        ("0.0", "0, as gate failed"),
    ]
    suite = fromstring(FORMATS["junit"](made)).findall("testsuite")[-1]
    assert (suite.get("name"), suite.get("failures"), suite.get("errors")) == ("reward", "0", "0")
    assert [(kind(test), "".join(test.itertext()).strip()) for test in suite] == [
        ("", "0.8"),
        ("skipped", ""),
        ("", "0\n0, as gate failed"),
    ]
    skipped = suite[1].find("skipped")
    assert skipped is not None and skipped.get("message") == f"undefined: {why}"
    text = FORMATS["markdown"](made)
    assert "Reward: 0.4 2/3" in text and "Reward undefined: 1" in text
    page = Page.of(FORMATS["html"](made))
    assert page.rewards == ["0.8", "undefined", "0"]
    assert page.grid == words_of(made) and why in page.text
    lines = [json.loads(line) for line in FORMATS["jsonl"](made).split("\n")]
    told = {line["case"]: line["value"] for line in lines if line["type"] == "reward"}
    assert told == {"c1": 0.8, "c2": None, "c3": 0.0}
    assert lines[0]["rewards"] == {"mean": 0.4, "defined": 2, "total": 3}


def test_without_rewards_no_format_speaks_of_any() -> None:
    made = report(grid(REWARDED))
    assert {name for name in NAMES if "reward" in FORMATS[name](made).lower()} == {"csv"}


def test_parts_and_noise_are_in_every_format_for_people() -> None:
    before, after = (rubric(passed, *parts) for passed, parts in ((True, "tt"), (True, "tf")))
    sure = Difference("c1", Tally(3, 3), Tally(0, 3), 0.1, significant=False)
    made = report(
        grid({"rubric": [after], "flag": [False]}),
        baseline=grid({"rubric": [before], "flag": [True]}),
        trials=(sure,),
    )
    told = (
        "rubric › depth: pass → fail in c1",
        "3/3 → 0/3 trials pass: within the noise (p = 0.1)",
    )
    for name in ("table", "markdown", "html"):
        text = FORMATS[name](made)
        shown = text if name == "table" else Page.of(RENDERER.render(text)).text
        shown = Page.of(text).text if name == "html" else shown
        assert all(words in shown for words in told), name
        assert all(
            words in shown for words in ("100% → 0% over 1 cell", "within the noise (p = 1)")
        )
    found = json.loads(FORMATS["json"](made))["comparison"]
    assert "rubric" not in found["cells"]["c1"]  # as a whole it did not change
    broke = {"group": "broke", "before": {"value": True, "pass": True}}
    assert found["parts"] == {"c1": {"rubric": {"depth": broke}}}
    assert found["judges"]["rubric"]["parts"]["depth"]["groups"] == {"broke": 1}
    assert found["trials"]["c1"]["significant"] is False


def rubric(passed: bool, first: str, second: str) -> Cell:
    parts = {name: measured(word == "t") for name, word in (("tone", first), ("depth", second))}
    return Cell(CellState.FRESH, Measured(passed, passed, "", parts=parts))


def test_a_page_needs_nothing_from_anywhere_and_runs_nothing(example: Report) -> None:
    page = Page.of(FORMATS["html"](example))
    assert "default-src 'none'" in page.policy and "script" not in page.policy
    assert page.addresses and all(address.startswith("#") for address in page.addresses)
    assert "url(" not in style() and "@import" not in style()
    assert "prefers-color-scheme: dark" in style()


def test_annotations_are_lines_of_one_command_each(example: Report) -> None:
    text = "100%\n::stop-commands::x"
    problems = [
        Problem("warning", "odd", text, "/p/a,b:c.yaml", 3, 7),
        Problem("note", "n", "", ""),
    ]
    settings = config(("flag", "min_pass_rate", 0.9))
    made = report(example.grid, settings, example.grid)
    lines = list(github_lines(made, settings, problems, "/p"))
    assert lines == [
        "::error file=eval.yaml,title=eval-tui::flag: pass rate 50%25 >= 90%25: fail",
        "::warning file=a%2Cb%3Ac.yaml,line=3,col=7,title=eval-tui::100%25%0A::stop-commands::x",
    ]


def test_a_grid_of_nothing_says_why() -> None:
    for name in NAMES:
        assert FORMATS[name](report(grid({}))) or name == "table"
    assert "No judges" in FORMATS["html"](report(grid({})))
    assert "No judges" in FORMATS["markdown"](report(grid({})))


# Any text


@any_report
@some
def test_junit_parses_whatever_the_text(made: Report) -> None:
    text = FORMATS["junit"](made).encode("utf-8")
    root = defusedxml.ElementTree.fromstring(text)
    tests = [test for suite in root[: len(made.board.columns)] for test in suite]
    cells = sum(len(row) for row in made.document["cells"].values())
    not_run = len(made.document["not_run"]) * len(made.board.columns)
    assert len(tests) == cells + not_run
    failed = sum(outcome(cell) == "fail" for cell in cells_of(made))
    assert sum(test.find("failure") is not None for test in tests) == failed


@any_report
@some
def test_json_holds_whatever_the_text(made: Report) -> None:
    text = FORMATS["json"](made)
    assert text.isascii()
    assert json.loads(text) == json.loads(json.dumps(made.document))
    for line in FORMATS["jsonl"](made).split("\n"):
        assert json.loads(line)["type"]


@any_report
@some
def test_csv_parses_whatever_the_text(made: Report) -> None:
    text = FORMATS["csv"](made).encode("utf-8").decode("utf-8")
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    assert rows[0] == list(HEADER)
    assert {len(row) for row in rows} == {len(HEADER)}
    assert len(rows) == 1 + len(list(cells_of(made))) + len(made.document["not_run"])
    outside = [row[at] for row in rows[1:] for at in (0, 1, 2, 3, 7, 9)]
    assert not [text for text in outside if text.lstrip().startswith(("=", "+", "-", "@"))]


@any_report
@some
def test_a_page_is_only_ours_whatever_the_text(made: Report) -> None:
    page = Page.of(FORMATS["html"](made))
    assert page.tags <= TAGS
    assert page.attributes <= ATTRIBUTES
    assert all(address.startswith("#") for address in page.addresses)
    assert page.grid == words_of(made)


@any_report
@some
def test_markdown_is_only_ours_whatever_the_text(made: Report) -> None:
    page = Page.of(RENDERER.render(FORMATS["markdown"](made)))
    assert page.tags <= MARKDOWN_TAGS
    assert page.attributes <= {"open"} and page.addresses == []


@any_report
@some
@pytest.mark.parametrize("name", sorted(set(NAMES) - {"json", "jsonl"}))
def test_nothing_in_it_acts_on_a_terminal(name: str, made: Report) -> None:
    text = FORMATS[name](made)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff]", text)


@pytest.mark.parametrize("name", NAMES)
def test_a_text_of_a_megabyte_is_no_trouble(name: str) -> None:
    text = "".join(HOSTILE) * 4_000
    assert len(text) > 1_000_000
    made = FORMATS[name](report(grid({"flag": [cell(False, text)]})))
    if name == "junit":
        assert len(list(fromstring(made).iter("failure"))) == 1
    elif name == "csv":
        assert len(list(csv.reader(io.StringIO(made, newline="")))) == 2
    elif name == "html":
        assert Page.of(made).tags <= TAGS
    elif name in ("json", "jsonl"):
        assert json.loads(made.split("\n")[1] if name == "jsonl" else made)
    else:
        assert len(made) < 70_000


def cells_of(made: Report) -> list[dict[str, object]]:
    return [cell for row in made.document["cells"].values() for cell in row.values()]


TAGS = {
    "html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "p", "ul", "li", "span",
    "details", "summary", "a", "bdi", "label", "input", "div", "table", "thead", "tbody", "tr",
    "th", "td", "br", "section", "pre",
}  # fmt: skip
ATTRIBUTES = {
    "lang", "charset", "http-equiv", "content", "name", "class", "id", "href", "type",
    "colspan", "title", "open",
}  # fmt: skip


MARKDOWN_TAGS = {
    "code", "details", "h2", "li", "p", "pre", "strong", "summary", "table", "tbody", "td", "th",
    "thead", "tr", "ul",
}  # fmt: skip

MARKS = {
    "pass": "✓ ",
    "fail": "✗ ",
    "unmeasured": "∅ ",
    "skipped": "– ",
    "waiting": "= ",
    "value": "",
}


def words_of(made: Report) -> list[list[str]]:
    """The grid of a document in the words that a page has for its cells."""
    judges = list(made.document["aggregates"])
    return [
        [
            MARKS[outcome(row[judge])] + value_word(row[judge]) if judge in row else ""
            for judge in judges
        ]
        for row in made.document["cells"].values()
    ]
