"""What about a judge can change its score, and what cannot."""

from __future__ import annotations

from dataclasses import replace

import pytest

from eval_tui.config.schema import Judge
from eval_tui.judges.fingerprint import fingerprint, version

CHECK = Judge("c", "check", check="return True", check_line=5, arguments={"a": 1, "b": [1, "x"]})
CODE = Judge("m", "code", module="mod", function="f")
MODEL = Judge("q", "model", prompt="p", model="one", score_range=(1.0, 5.0))


@pytest.mark.parametrize(
    ("judge", "fields"),
    [
        (CHECK, {"check": "return False"}),
        (CHECK, {"check": " return True"}),
        (CHECK, {"arguments": {"a": 1}}),
        (CHECK, {"arguments": {"a": True, "b": [1, "x"]}}),
        (CHECK, {"arguments": {"a": "1", "b": [1, "x"]}}),
        (CHECK, {"step": "draft"}),
        (CODE, {"function": "g"}),
        (CODE, {"module": "other"}),
        (MODEL, {"prompt": "q"}),
        (MODEL, {"model": "two"}),
        (MODEL, {"score_range": (0.0, 5.0)}),
        (MODEL, {"feedback_type": "int"}),
        (MODEL, {"context": ("a.md",)}),
        (MODEL, {"kind": "agent", "agent": {"timeout": 3}}),
    ],
)
def test_what_changes_a_score_changes_it(judge: Judge, fields: dict[str, object]) -> None:
    assert fingerprint(replace(judge, **fields)) != fingerprint(judge)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("judge", "fields"),
    [
        (judge, fields)
        for judge in (CHECK, CODE, MODEL)
        for fields in (
            {"name": "other"},
            {"description": "words"},
            {"line": 40, "check_line": 44},
            {"samples": 5},
            {"condition": "annotations"},
            {"auto": False, "cache": False},
        )
    ]
    + [
        (CHECK, {"score_range": (0.0, 1.0)}),
        (CHECK, {"feedback_type": "bool"}),
        (CHECK, {"check": "return True\n"}),
        (CODE, {"score_range": (0.0, 1.0)}),
    ],
)
def test_what_changes_no_score_does_not(judge: Judge, fields: dict[str, object]) -> None:
    assert fingerprint(replace(judge, **fields)) == fingerprint(judge)  # type: ignore[arg-type]


def test_it_is_the_same_in_every_process_and_holds_any_text() -> None:
    odd = replace(CHECK, check="return '\ud800'", arguments={"n": float("nan"), "z": None})
    assert fingerprint(odd) == fingerprint(replace(odd))
    assert len(fingerprint(odd)) == 32


def test_a_version_is_the_same_wherever_the_project_lies() -> None:
    def judge(root: str, runner: str = "run.sh") -> Judge:
        found = f"{root}/{runner}"
        agent = {"command": [found, "-x"], "paths": {"a": found}, "material": {found: "digest"}}
        return replace(MODEL, kind="agent", agent=agent)

    assert version(judge("/here"), "/here") == version(judge("/far/away"), "/far/away")
    assert version(judge("/here"), "/here") != version(judge("/here", "other.sh"), "/here")
    assert version(MODEL, "/here") == fingerprint(MODEL)
