"""`reward-file`: a verifier that writes its reward into a file; its exit code never decides."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence

from eval_tui.config.plain import as_mapping, as_number
from eval_tui.config.schema import Grader
from eval_tui.judges.graders.bench import Bench, Grade, Row, Workspace, lacking
from eval_tui.judges.graders.commands import Bases, excerpt, execute, resolved
from eval_tui.judges.graders.script_score import number, threshold_of
from eval_tui.scores import Measured, Reason, Score, Unmeasured

COMMAND = "bash /tests/test.sh"
TESTS_DIR, REWARD_DIR = "/tests", "/logs/verifier"
MAX_REWARD = 1_000_000
"""Bytes of a reward file that are read."""


def make(grader: Grader, bases: Bases) -> Grade:
    """Emits `tests_pass` from `reward.json`, else `reward.txt`, and `reward:<key>` for each of
    several keys.

    The folders of tests and rewards are private ones: their usual paths are replaced in `cmd`, and
    EVAL_TUI_TESTS and EVAL_TUI_REWARDS name them.
    """
    threshold = threshold_of(grader, 1.0)

    def grade(bench: Bench) -> Sequence[Row]:
        with bench.workspace(bool(grader.config.get("in_place"))) as place:
            tests, rewards = _folders(place, grader)
            command = str(grader.config.get("cmd") or COMMAND)
            command = resolved(bench, command, bases)
            for key, usual, private in (
                ("testsDir", TESTS_DIR, tests),
                ("rewardDir", REWARD_DIR, rewards),
            ):
                command = _moved(command, str(grader.config.get(key) or usual), private)
            argv = ["/bin/sh", "-c", command, "sh", place.context]
            own = {"EVAL_TUI_TESTS": tests, "EVAL_TUI_REWARDS": rewards}
            done = execute(bench, place, grader, argv, own)
            found = _rewards(rewards)
        if found is None:
            detail = "the verifier wrote no usable reward.json or reward.txt to $EVAL_TUI_REWARDS"
            raise lacking(f"{detail} (exit {done.code}): {excerpt(done)}")
        return _rows(found, threshold)

    return grade


def _folders(place: Workspace, grader: Grader) -> tuple[str, str]:
    tests, rewards = (os.path.join(place.private, name) for name in ("tests", "rewards"))
    os.makedirs(tests)
    os.makedirs(rewards)
    files = as_mapping(grader.config.get("files")) or {}
    for name, text in files.items():
        path = os.path.join(tests, *str(name).replace("\\", "/").split("/"))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", errors="surrogatepass") as file:
            file.write(str(text))
    return tests, rewards


def _moved(command: str, usual: str, own: str) -> str:
    """The command with a folder's usual path replaced where it stands as one."""
    pattern = rf"(?<![\w./-]){re.escape(usual.rstrip('/'))}(?![\w.-])"
    return re.sub(pattern, lambda match: own, command)


def _rewards(folder: str) -> dict[str, float] | None:
    """Key -> reward: of `reward.json` if it is there, whatever it holds; else of `reward.txt`."""
    text = _text(os.path.join(folder, "reward.json"))
    if text is None:
        value = number(_text(os.path.join(folder, "reward.txt")))
        return None if value is None else {"reward": value}
    try:
        document: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    mapping = as_mapping(document) or {}
    found: dict[str, float] = {}
    for key, value in mapping.items():
        reward = as_number(value)
        if reward is None:
            return None
        found[str(key)] = float(reward)
    return found or None


def _text(path: str) -> str | None:
    if os.path.islink(path) or not os.path.isfile(path):
        return None
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read(MAX_REWARD)


def _rows(found: Mapping[str, float], threshold: float) -> list[Row]:
    single = next(iter(found.values())) if len(found) == 1 else found.get("reward")
    head: Score
    if single is None:
        detail = f"several rewards ({', '.join(found)}) and none called `reward`"
        change = frozenset({"config", "code"})
        head = Unmeasured(Reason.UNSUPPORTED, detail, recover_on=change)
    else:
        passed = single >= threshold
        head = Measured(single, passed, f"reward {single:g}, passes from {threshold:g}")
    rows: list[Row] = [("tests_pass", head)]
    if len(found) > 1:
        rows += [(f"reward:{key}", Measured(value, None)) for key, value in found.items()]
    return rows
