"""Where this tool differs on purpose from what the conformance cases expect: one line each.

The first line that fits a place counts. A line that is not needed fails the test.
"""

from __future__ import annotations

from typing import Any

from tests.conformance.compare import ABSENT, Is, Line

ERROR, CONTRACT = "grader_error", "contract_violation"
EVIDENCE, SKIP, UNSUPPORTED = "missing_evidence", "policy_skip", "unsupported"


def _all(right: Is | str, decision: str, *places: str) -> tuple[Line, ...]:
    return tuple(Line(place, right, decision) for place in places)


DIFFERENCES: dict[str, tuple[Line, ...]] = {
    "02": (
        Line("rubric/cells/c1/budget", UNSUPPORTED, "D14: `builtin` excludes every other kind"),
    ),
    "04": (
        *_all(
            CONTRACT, "D17: no verdict", "default/cells/c1/none_bare", "default/cells/c1/no_return"
        ),
        *_all(CONTRACT, "D17: text is no verdict", "default/cells/c1/*text*"),
        *_all(CONTRACT, "D17: no number", "default/cells/c1/nan", "default/cells/c1/inf"),
        Line("default/cells/c1/list_pair", CONTRACT, "D17: a list"),
        Line("default/cells/c1/mapping", CONTRACT, "D17: a mapping"),
        *_all(
            ERROR, "D17: no text", "default/cells/c1/assert_bare", "default/cells/c1/raise_empty"
        ),
        Line("odd-types*/cells/c1/*tuple", CONTRACT, "D17: a tuple that is no pair"),
        Line("odd-types*/cells/c1/pair_in_pair", CONTRACT, "D17: a pair as the value of a pair"),
        Line("odd-types*/cells/c1/decimal", Is(0.5), "D17: it is a number"),
        Line("odd-types*/cells/c1/float_subclass", Is(0.5), "D17: it is a number"),
        Line("odd-types*/cells/c1/numpy_like", Is(1.0), "D17: it is a number"),
    ),
    "05": (
        Line("default/cells/c1/finds_planted_key", Is(False), "D25: judges share nothing"),
        Line("default/cells/c1/counts_files", Is(1), "D25: judges share nothing"),
        Line("default/cells/c1/multi_line_text", Is(True), "D16: literals keep their text"),
        Line(
            "default/cells/c1/project_import", Is(42), "D25: whatever other judges are configured"
        ),
    ),
    "06": (
        Line("default/cells/*/literal_false", SKIP, "D8: unquoted false is off"),
        Line("default/cells/*/literal_true", Is(True), "D8: unquoted true is on"),
    ),
    "08": (
        Line("*/cells/*/null_budget", UNSUPPORTED, "D3: an impossible limit is known at load"),
        Line("*/cells/*/text_budget", UNSUPPORTED, "D3: an impossible limit is known at load"),
        Line("default/cells/n*-cost*/*", EVIDENCE, "D19: no cost of the case's own"),
        Line("default/cells/not-in-result/*", EVIDENCE, "D12: the total is not this case's cost"),
        Line("no-*/cells/c1/*", EVIDENCE, "D19: nothing recorded"),
    ),
    "09": (
        Line(
            "default/cells/*/unknown_match", UNSUPPORTED, "D3: an impossible word is known at load"
        ),
        *_all(
            SKIP,
            "D19: nothing is expected",
            "default/cells/nothing-expected/*",
            "default/cells/blank-expected/*",
            "default/cells/no-annotations/*",
        ),
        Line("default/cells/no-events/*", EVIDENCE, "D19: no trace"),
        Line(
            "default/cells/text-expected/*", Is(True), "D10: one text is one path, not its letters"
        ),
    ),
    "10": (
        Line("*/cells/failed/calls_fine", Is(False), "D20: the trace says that the call failed"),
        Line("*/cells/no-events/calls_fine", EVIDENCE, "D19: no trace"),
        Line("planted/cells/*/calls_fine", EVIDENCE, "D25: what a judge plants only it sees"),
    ),
    "21": (
        *_all(
            EVIDENCE,
            "D19: the step left no record",
            "default/cells/linked/draft_*",
            "default/cells/linked/review_*",
            "default/cells/linked/condition_on_step",
            "default/cells/linked/knows_its_step",
            "default/cells/no-review/review_*",
            "default/cells/no-review/condition_on_step",
        ),
        *_all(
            EVIDENCE,
            "D12: a step's metrics are its own",
            "default/cells/no-log/draft_cost",
            "default/cells/plain-log/*_cost",
            "default/cells/null-steps/*_cost",
        ),
        *_all(
            Is(-9),
            "D12: a step's metrics are its own",
            "default/cells/no-log/draft_turns",
            "default/cells/plain-log/draft_turns",
            "default/cells/null-steps/draft_turns",
            "default/cells/no-log/review_exit_code",
            "default/cells/plain-log/review_exit_code",
            "default/cells/null-steps/review_exit_code",
        ),
    ),
    "22": (
        Line("{default,overlap}/cells/file-as-output/n_files", Is(1), "D10: a file is an output"),
        Line(
            "default/cells/file-as-output/{case_dir_key,first_file_key_present,has_unlisted,"
            "no_main_key,reserved_keys}",
            Is(True),
            "D10: a file is an output",
        ),
        Line(
            "default/cells/file-as-output/{binary_marker,empty_file,first_file_is_hidden,"
            "first_file_key,first_file_path,follows_link,has_hidden,has_nested,has_second_output,"
            "has_top,keeps_bom,latin_is_binary,nested_output_key,newlines_translated,"
            "utf16_is_binary}",
            Is(False),
            "D10: a file is an output",
        ),
        Line(
            "default/cells/escaping/{case_dir_key,no_main_key,reserved_keys}",
            Is(True),
            "D10: an output that leads outside costs itself",
        ),
        Line(
            "default/cells/escaping/{first_file_is_hidden,first_file_key,first_file_key_present,"
            "first_file_path,nested_output_key}",
            Is(False),
            "D10: an output that leads outside costs itself",
        ),
        Line(
            "overlap/cells/{escaping,file-as-output}/{dotted_path,inner_key}",
            Is(True),
            "D10: costs only itself",
        ),
        Line(
            "overlap/cells/{escaping,file-as-output}/{deepest_key,outer_key}",
            Is(False),
            "D10: costs only itself",
        ),
    ),
    "23": (
        Line(
            "default/cells/bad-hook-yaml/{hook_value,n_hook_outputs}",
            EVIDENCE,
            "D10: unreadable is not empty",
        ),
        Line("default/cells/main/n_files", Is(8), "D11: only whole path components are left out"),
        Line(
            "default/cells/main/n_modified", Is(7), "D11: only whole path components are left out"
        ),
        Line("default/cells/main/similar_names_kept", Is(4), "D11: `hooks.md` stays"),
    ),
    "24": (
        *_all(
            EVIDENCE,
            "D10: an unreadable trace is not an empty one",
            *(
                f"{scenario}/cells/{case}/{judge}"
                for scenario in ("default", "traces-off")
                for case in ("empty-file", "malformed", "mapping")
                for judge in ("n_events", "source")
            ),
        ),
        Line(
            "default/cells/list-of-text/stdout_key", Is(True), "D10: only the trace is unreadable"
        ),
        Line(
            "default/cells/list-of-text/stdout_source", Is(3), "D10: only the trace is unreadable"
        ),
        Line("*/cells/list-of-*/*_key", Is(False), "D10: only the trace is unreadable"),
        Line("*/cells/list-of-*/stdout_source", Is(0), "D10: only the trace is unreadable"),
        *_all(Is(0), "D47: a case's own log comes first", "run-level-*/cells/own-stdout/n_events"),
        *_all(Is(3), "D47: a case's own log comes first", "run-level-*/cells/own-stdout/source"),
        Line(
            "undecodable/cells/{bad-bytes,bad-stderr}/n_events",
            Is(0),
            "D10: a bad byte is replaced",
        ),
        Line("undecodable/cells/bad-bytes/*source", Is(3), "D10: a bad byte is replaced"),
        Line("undecodable/cells/bad-bytes/*_key", Is(True), "D10: a bad byte is replaced"),
        Line("undecodable/cells/bad-stderr/*source", Is(0), "D10: a bad byte is replaced"),
        Line("undecodable/cells/bad-stderr/stderr_key", Is(True), "D10: a bad byte is replaced"),
        Line("undecodable/cells/bad-stderr/stdout_key", Is(False), "D10: a bad byte is replaced"),
    ),
    "25": (
        Line(
            "default/cells/bad-annotations/n_annotations", EVIDENCE, "D10: unreadable is not empty"
        ),
        Line("default/cells/bad-annotations/tier", EVIDENCE, "D10: unreadable is not empty"),
        Line("*/cells/bad-case-copy/input*", EVIDENCE, "D10: unreadable is not empty"),
        Line("*/cells/bad-case-copy/nested_keys_sorted", EVIDENCE, "D10: unreadable is not empty"),
        Line("default/cells/*-annotations/n_reference_keys", Is(0), "D10: they read no annotation"),
        Line(
            "default/cells/*-annotations/input_is_empty", Is(True), "D10: they read no annotation"
        ),
        *_all(
            Is(False),
            "D10: they read no annotation",
            "default/cells/list-annotations/gold_content",
            "default/cells/text-annotations/gold_content",
            "default/cells/*-annotations/input*",
            "default/cells/*-annotations/nested_keys_sorted",
        ),
    ),
    "26": (
        *_all(
            Is(-9),
            "D12: the run's totals are not the case's",
            "per-case/cells/{absent,empty}/{cost_usd,duration_s,exit_code,input_tokens,num_turns}",
            "per-case/cells/partial/{cost_usd,input_tokens,num_turns}",
            "run-level-only/cells/*/{cost_usd,duration_s,exit_code,input_tokens,num_turns}",
            "no-run-level-values/cells/c1/{duration_s,exit_code,num_turns}",
            "no-run-level-values/cells/c2/{cost_usd,duration_s,exit_code,num_turns}",
        ),
        Line(
            "malformed/cells/c1/{cost_usd,duration_s,exit_code,input_tokens,num_turns}",
            EVIDENCE,
            "D10: unreadable is not empty",
        ),
        Line("null-per-case/cells/c1/cost_usd", Is(1), "D12: the only case of its run"),
        Line("null-*/cells/*/other_keys", Is(False), "D10: null costs only itself"),
        Line("null-{case,per-case}/cells/*/*", Is(-9), "D10: null costs only itself"),
        Line("list/cells/c1/other_keys", Is(False), "D10: it reads no metric"),
        Line("only-in-case-folder/cells/c1/cost_usd", Is(0.75), "D12: the case's own"),
        Line("only-in-case-folder/cells/c1/num_turns", Is(3), "D12: the case's own"),
    ),
    "27": (
        Line("default/cells/n*/first_title", Is(False), "D10: a line that is no object is skipped"),
        Line("default/cells/*/keys", Is(True), "D10: a line that is no object is skipped"),
        Line("default/cells/null-tools/n_events", Is(1), "D10: null costs only itself"),
        Line("*/cells/null-tools/*", Is(0), "D10: null costs only itself"),
        Line("*/cells/number-line-log/n_*", Is(0), "D10: a line that is no object is skipped"),
    ),
    "28": (
        Line(
            "odd-lines/cells/{list-line,null-line,null-message,number-line,text-message}/n_events",
            Is(1),
            "D10: such a line is skipped",
        ),
    ),
    "30": (
        Line("default/cells/.cache/*", ABSENT, "D47: a hidden folder is no case"),
        Line("hook-*/cells/linked/*", ABSENT, "D47: a link is no case"),
    ),
    "31": (Line("*/cells/*/text", CONTRACT, "D17: text is no verdict"),),
    "38": (
        Line("default/cells/*/all_none", CONTRACT, "D17: no verdict"),
        Line("default/cells/b/nulls", CONTRACT, "D17: no verdict"),
        Line("default/cells/*/words", CONTRACT, "D17: text is no verdict"),
        Line("default/cells/b/texty", CONTRACT, "D17: text is no verdict"),
        Line("default/cells/b/one_nan", CONTRACT, "D17: no number"),
    ),
}

SAME = "S25: what was answered is reused, so requests that are equal are one"

MODEL_DIFFERENCES: dict[str, tuple[Line, ...]] = {
    "11": (
        Line(
            "default/cells/{garbage,empty,omitted,as-text,number,text-prose}/{complete,harmless}",
            ERROR,
            "D21: no verdict is no fail",
        ),
        Line("arguments*/requests/fake-judge bool 200", Is(4), SAME),
    ),
    "13": (Line("default/cells/c1/boolean_for_number", ERROR, "D21: true is no score"),),
    "14": (
        Line(
            "default/cells/c1/{just_above,half_above,just_below,half_below}_rounds_in",
            ERROR,
            "D18: the bounds come before any rounding",
        ),
    ),
    "15": _all(
        ERROR,
        "D21: only one JSON object is read from prose",
        "default/cells/c1/{broken_json,prose_score,prose_overall,prose_rating,fraction_of_top}",
        "default/cells/c1/{bold_of_top,fraction_of_other,last_on_scale,ten_scale,negative}",
        "default/cells/c1/{prose_off_scale_undeclared,hyphen_in_token,version_number}",
        "default/cells/c1/{fraction_scale,two_scores,json_null,bool_capital,bool_unquoted}",
        "default/cells/c1/{bool_word,bool_text_value,bool_first_of_two}",
    ),
    "18": (
        Line(
            "default/cells/garbage-counts/{four,two}",
            Is(True),
            "D21: an unreadable sample is no vote",
        ),
        Line(
            "default/samples/garbage-counts/three",
            Is([True, None, True]),
            "D21: an unreadable sample is no vote",
        ),
    ),
    "20": (
        Line(
            "default/cells/c1/evidence_without_space",
            Is(False),
            "D23: spelling of white space does not matter",
        ),
        Line(
            "default/cells/c1/evidence_in_condition_only", Is(True), "D23: a statement is a use too"
        ),
        Line("default/requests/fake-judge bool 200", Is(3), SAME),
    ),
    "21": (
        Line("default/cells/linked/asked_about_draft", EVIDENCE, "D19: the step left no record"),
        Line("default/requests/fake-judge bool 200", Is(2), SAME),
    ),
}
"""Those that show only where a model is asked."""

AGENT_DIFFERENCES: dict[str, tuple[Line, ...]] = {
    "40": (
        Line("*/cells/c1/text_false", ERROR, "D21: the text `false` is no verdict"),
        Line("*/cells/c1/bool_for_score", ERROR, "D21: pass or fail is no score"),
        Line("*/cells/c1/{score,zero}_for_bool", ERROR, "D21: a score is no pass or fail"),
    ),
}
"""Those of judges that are agents."""

PAIRWISE_DIFFERENCES: dict[str, tuple[Line, ...]] = {
    "36": (
        Line("default/pairwise/broken-json", Is("error"), "D21: broken JSON is not read"),
        Line("default/pairwise/{unknown-word,lower-case}", Is("error"), "D30: no verdict"),
        Line("default/requests/fake-judge enum 200", Is(56), "D30: both orders are asked"),
        Line("binary-only/requests/fake-judge enum 200", Is(1), SAME),
    ),
    "37": (
        Line(
            "first-prompt-wins/pairwise/run-better",
            Is("A"),
            "D30: the entry called `pairwise` compares",
        ),
        Line(
            "first-prompt-wins/pairwise/baseline-better",
            Is("B"),
            "D30: the entry called `pairwise` compares",
        ),
        Line(
            "first-prompt-wins/requests/quality-model enum 200",
            Is(0),
            "D30: the entry called `pairwise` compares",
        ),
        Line(
            "first-prompt-wins/requests/pairwise-model enum 200",
            Is(6),
            "D30: the entry called `pairwise` compares",
        ),
        Line("not-a-template/pairwise/*-better", Is("tie"), "D30: its prompt is a template"),
        Line("context-is-not-used/pairwise/run-better", Is("A"), "D47: context is in the template"),
        Line(
            "context-is-not-used/pairwise/baseline-better",
            Is("B"),
            "D47: context is in the template",
        ),
        Line("samples/requests/suite-model enum 200", Is(29), "D30: both orders are asked"),
        Line(
            "samples-override/requests/suite-model enum 200", Is(19), "D30: both orders are asked"
        ),
    ),
}
"""Those of comparisons with a baseline: the winner here."""

REWARD_REFUSED: dict[str, str] = {
    "35/weighted-empty": "bad-weights",
    "35/bare-hyphenated": "bad-formula",
    "35/dotted": "bad-formula",
    **{
        f"35/{name}": "unknown-judge"
        for name in (
            *("weighted-unknown", "weighted-only-unknown"),
            *("unknown-name", "bare-unknown", "capital"),
        )
    },
}
"""Rules that can never give a reward: a problem when they are read (D29)."""

UNDEFINED = "undefined"

REWARD_DIFFERENCES: dict[str, tuple[Line, ...]] = {
    "33": (
        *_all(
            UNDEFINED,
            "D29: a gate was not measured",
            "default/reward/{gate-errors,text-gate,everything-errors}",
            "gates-only/reward/{gate-errors,text-gate,everything-errors}",
        ),
        *_all(
            UNDEFINED,
            "D29: nothing was judged",
            "{no-judges,only-pairwise}/reward/*",
            "default/reward/everything-skipped",
            "gates-only/reward/{everything-skipped,gate-skipped}",
        ),
        Line(
            "default/reward/{all-numbers-error,all-numbers-silent-error,only-nan,skips-and-one-error}",
            UNDEFINED,
            "D29: nothing measured",
        ),
        Line("default/reward/{infinite,undeclared-nan}", Is(0), "D29: no number, so left out"),
    ),
    "34": (
        Line("pairwise/reward/*", UNDEFINED, "D29: nothing measured"),
        Line("*/reward/{errors,skipped}", UNDEFINED, "D29: nothing measured"),
        Line("count-*/reward/nan", UNDEFINED, "D29: NaN never normalises"),
        Line("gated/reward/nan", UNDEFINED, "D29: what is false elsewhere may be a gate"),
    ),
    "35": (
        Line("*/reward/gate-errors", UNDEFINED, "D29: a gate was not measured"),
        Line("*/reward/{all-error,rubric-errors,rubric-skipped}", UNDEFINED, "D29: not measured"),
        Line("weighted-*/reward/efficiency-nan", Is(0), "D29: NaN never normalises"),
        Line("*/reward/efficiency-nan", UNDEFINED, "D29: NaN never normalises"),
        Line("{divide-by-zero,list-result}/reward/*", UNDEFINED, "D29: nothing was composed"),
    ),
}
"""Rewards that differ; what is not measured never becomes a 0."""


def _compared(
    run: str, baseline: str, winners: dict[str, str], requests: dict[str, int]
) -> dict[str, Any]:
    """A comparison in the form of the expected ones; requests by model."""
    counts = dict.fromkeys(("A", "B", "tie", "error"), 0)
    for winner in winners.values():
        counts[winner] += 1
    block = {"run_a": run, "run_b": baseline, "cases_compared": len(winners), "per_case": winners}
    block |= {"wins_a": counts["A"], "wins_b": counts["B"]}
    block |= {"ties": counts["tie"], "errors": counts["error"]}
    asked = [
        {"model": model, "shape": "enum", "status": "200", "count": count}
        for model, count in requests.items()
    ]
    return {"pairwise": block, "requests": asked}


_NUMBER = {"fine": "tie", "number": "error"}
_BROKEN = {"fine": "tie", "file-as-output": "tie"}
_RANKED = {"run-better": "A", "baseline-better": "B", "equal": "tie"}

PAIRWISE_COMPARED: dict[str, dict[str, Any]] = {
    # D30: an unusable answer is an error of that case alone.
    "36/number-as-answer": _compared("odd", "odd-base", _NUMBER, {"fake-judge": 4}),
    # D10: an output path that is a file is taken as that file.
    "36/unreadable-case": _compared("broken", "broken-base", _BROKEN, {"fake-judge": 4}),
    # D47: `samples: 0` is 1.
    "37/zero-samples-configured": _compared("r1", "base", _RANKED, {"suite-model": 6}),
}
"""What is right where another tool stops."""

NOT_COMPARED: dict[str, tuple[int, str]] = {
    "37/unknown-name": (4, "D30: only the entry called `pairwise` compares"),
    "37/rubric-by-name": (0, "D30: only the entry called `pairwise` compares"),
    "37/command-line-model": (2, "D30: the entry names its model"),
    "37/prompt-file-override": (2, "D30: the entry names its prompt"),
    "37/inline-beats-override": (2, "D30: the entry names its prompt"),
    "37/missing-prompt-file": (2, "D3: the judge that was asked for cannot be used"),
    "37/no-model": (2, "D22: no model costs the judge's own column"),
    "37/no-credentials": (0, "D22: no key costs the cells that need it"),
    "37/no-baseline": (2, "D31: there is no such run"),
    "37/bad-baseline-name": (2, "D31: there is no such run"),
    "37/no-cases": (0, "D28: nothing to compare, and no gate about it"),
    "37/zero-samples-option": (2, "D31: `--samples 0` is no command, not another way to say 1"),
}
"""Scenarios that ask nothing and have no winner: their exit code, and why."""

REFUSED: dict[str, set[str]] = {
    **{
        f"02/{kind}": {"budget"}
        for kind in ("check", "prompt", "prompt_file", "module", "function", "agent")
    },
    "05/bad-syntax": {"broken"},
    "05/blank": {"blank"},
    "05/number": {"number"},
    "07/no-module": {"a"},
    "07/bad-module": {"a"},
    "07/no-function": {"a"},
    "30/hook-fails": set(),
    "40/repo-mode": {"a"},
    "40/no-prompt": {"a"},
    "40/no-model": {"a"},
    "38/no-cases-folder": set(),
    "38/cases-is-a-file": set(),
}
"""Scenario -> the columns that are `unsupported` (D3); none: nothing is scored, exit code 2."""


_ANSWERED = {"status": "measured", "value": True, "samples": [True]}
_LOST = {"status": "errored", "value": None, "samples": [None]}
_LEFT_OUT = {"status": "skipped", "value": None, "samples": []}


def _scored(requests: dict[str, int] | None = None, **cells: dict[str, Any]) -> dict[str, Any]:
    """A scenario of one case in the form of the expected ones; requests by model."""
    asked = [
        {"model": model, "shape": "bool", "status": "200", "count": count}
        for model, count in (requests or {}).items()
    ]
    return {"cells": {"c1": cells}, "requests": asked}


_ONE_COLUMN = _scored(fine=_ANSWERED, a=_LOST)
_NO_KEY = _scored(own=_LOST, suite=_LOST, blank=_LOST, fine=_ANSWERED)
_OWN = {"own-model": 1}

STOPPED: dict[str, tuple[dict[str, Any], str]] = {
    "11/no-model": (_scored(harmless=_LOST), "D22: no model costs the judge's own column"),
    **{
        f"12/bad-{what}": (_ONE_COLUMN, "D3: it costs its own column")
        for what in (
            *("prompt-file-absent", "prompt-file-outside", "prompt-file-absolute"),
            *("prompt-file-empty", "prompt-file-directory"),
            *("context-outside", "context-directory", "context-text"),
        )
    },
    "19/no-model": (
        _scored(_OWN, own=_ANSWERED, other=_LOST, fine=_ANSWERED),
        "D22: no model costs the judge's own column",
    ),
    "19/no-credentials": (_NO_KEY, "D22: no key costs the cells that need it"),
    "19/empty-key": (_NO_KEY, "D22: no key costs the cells that need it"),
    "19/leave-out-without-credentials": (
        _scored(fine=_ANSWERED, budget=_ANSWERED, harmless=_LEFT_OUT, asked=_LEFT_OUT),
        "D22: what is left out needs no key",
    ),
    "19/leave-out-without-model": (
        _scored(own=_LEFT_OUT, other=_LOST, fine=_ANSWERED),
        "D22: what is left out needs no model",
    ),
}
"""What is right where another tool stops, and why."""

NO_COMMAND = {"17/override-zero": "D31: `--samples 0` is no command, not another way to say 1"}
"""Scenarios whose command cannot be used: exit code 2 and no document."""
