"""`if:` expressions."""

from __future__ import annotations

from typing import Any

import pytest

from eval_tui.judges.condition import evaluate, skipped
from eval_tui.scores import Reason
from tests.judges.support import check

RECORD: dict[str, Any] = {"annotations": {"tier": "hard", "n": 3}, "files": {"a.md": "x"}}


@pytest.mark.parametrize(
    ("expression", "applies"),
    [
        (None, True),
        ("", True),
        (True, True),
        (False, False),
        ("False", False),
        ("annotations.get('tier') == 'hard'", True),
        (" annotations.get('missing')", False),
        ("outputs['annotations']['n'] > 3", False),
        ("[f for f in outputs['files'] if f.endswith('.md')]", True),
        ("[n for n in (1, 2) if n == annotations['n'] - 1]", True),
        ("(lambda: annotations['n'])() == 3", True),
        ("annotations['n'] == 3\n", True),
    ],
)
def test_truth(expression: str | bool | None, applies: bool) -> None:
    assert evaluate(expression, RECORD) is applies


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        ("len(annotations) > 0", NameError),
        ("[len(f) for f in outputs['files']]", NameError),
        ("annotations =", SyntaxError),
        ("  ", SyntaxError),
        ("annotations['none']", KeyError),
        ("__import__('os')", NameError),
    ],
)
def test_what_cannot_be_told_raises(expression: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        evaluate(expression, RECORD)


def test_annotations_are_asked_for_only_by_expressions_that_name_them() -> None:
    class Asked(dict[str, Any]):
        def __getitem__(self, key: str) -> Any:
            asked.append(key)
            return super().__getitem__(key)

    asked: list[str] = []
    evaluate("'a.md' in outputs['files']", Asked(RECORD))
    assert asked == ["files"]
    evaluate("[a for a in annotations]", Asked(RECORD))
    assert asked == ["files", "annotations"]


def test_a_skip_names_its_expression_and_is_no_error() -> None:
    score = skipped(check("", condition="annotations.get('tier') == 'easy'"))
    assert score.reason is Reason.POLICY_SKIP
    assert "`if: annotations.get('tier') == 'easy'`" in score.detail
    assert skipped(check("", condition=False)).detail == "switched off: `if: false`"
