"""Built-in-style judges of the project's own: how they are loaded, called, and refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from eval_tui.config.schema import Judge
from eval_tui.judges.load import JudgeUnusable
from tests.judges.support import run, value

pytestmark = pytest.mark.usefixtures("fresh_imports")


def own(root: Path, name: str, text: str, **fields: Any) -> Judge:
    path = root / "judges" / f"{name}.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return Judge("j", "code", builtin=name, source=str(path), line=3, **fields)


def test_it_is_called_like_a_builtin(tmp_path: Path) -> None:
    text = "def judge(record, least=1, **kwargs):\n    return record['n'] >= least, str(kwargs)\n"
    judge = own(tmp_path, "size/enough", text, arguments={"least": 4, "other": "x"})
    score = run(judge, {"n": 3}, str(tmp_path))
    assert value(score) is False
    assert getattr(score, "rationale", "") == "{'other': 'x'}"


def test_it_may_be_called_like_any_other_module_and_import_its_neighbours(tmp_path: Path) -> None:
    own(tmp_path, "style/_words", "LIMIT = 7\n")
    text = "from ._words import LIMIT\nimport json as real\ndef judge(outputs):\n"
    judge = own(tmp_path, "style/json", text + "    return real.loads(str(LIMIT))\n")
    assert value(run(judge, {}, str(tmp_path))) == 7
    import json

    assert json.loads("1") == 1


def test_its_name_need_not_be_an_identifier(tmp_path: Path) -> None:
    judge = own(tmp_path, "2-style/has-title", "def judge(outputs):\n    return True\n")
    assert value(run(judge, {}, str(tmp_path))) is True


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def other(outputs): pass", "`judges/a/b.py` has no function `judge`"),
        ("judge = 5", "has no function `judge`"),
        ("def judge(:", "`judges/a/b.py` cannot be imported: SyntaxError"),
        ("raise SystemExit(3)", "`judges/a/b.py` cannot be imported: SystemExit: 3"),
        ("import no_such_thing", "`judges/a/b.py` needs `no_such_thing`, which"),
    ],
)
def test_one_that_cannot_be_used_says_why(tmp_path: Path, text: str, words: str) -> None:
    judge = own(tmp_path, "a/b", text)
    with pytest.raises(JudgeUnusable) as caught:
        run(judge, {}, str(tmp_path))
    assert words in caught.value.detail
