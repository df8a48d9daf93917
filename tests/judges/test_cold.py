"""The oracle of other tests agrees with the observed record, and remembers nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval_tui.config.load import load_config
from eval_tui.judges import condition
from eval_tui.judges.load import JudgeEnv, load
from eval_tui.judges.outcome import (
    apply_range,
    attempt,
    score_of_condition_error,
    score_of_exception,
)
from eval_tui.record.case import StepMissing, load_case
from eval_tui.record.record import make_record
from eval_tui.record.recorded import read_recorded
from eval_tui.record.spec import RecordSpec
from eval_tui.scores import Measured, Reason, Score, Unmeasured
from tests.support.cold import cold_score
from tests.support.conformance import materialize, scenarios
from tests.support.shared import shared_dir


def nothing_noted(kind: str, key: str, version: str) -> None:
    pass


def observed_score(root: Path, config_path: Path, run_dir: Path) -> dict[str, dict[str, Score]]:
    """Scores of checks and built-ins over the lazy record, in this process."""
    config = load_config(config_path, root)
    batch = config.mode == "batch"
    spec = RecordSpec(str(run_dir), config.dataset, config.outputs, config.traces, batch)
    env = JudgeEnv(config.root, config.path)
    found: dict[str, dict[str, Score]] = {}
    for case in sorted(path.name for path in (run_dir / "cases").iterdir() if path.is_dir()):
        parts = load_case(spec, case)
        row = found[case] = {}
        for judge in config.judges:
            if judge.asks_model:
                continue
            try:
                own = parts.scoped(judge.step) if judge.step else parts
            except StepMissing as exc:
                row[judge.name] = score_of_exception(exc, judge, (), parts)
                continue
            try:
                applies = condition.evaluate(judge.condition, make_record(own, nothing_noted))
            except BaseException as exc:
                row[judge.name] = score_of_condition_error(exc, judge, own)
                continue
            if not applies:
                row[judge.name] = condition.skipped(judge)
                continue
            record = make_record(own, nothing_noted)
            score = attempt(load(judge, env), record, judge, {config.path}, own)
            row[judge.name] = apply_range(score, judge)
    return found


@pytest.mark.parametrize("number", ["06", "21", "22", "23", "24", "25", "26", "27", "28", "29"])
def test_the_lazy_record_and_the_plain_one_give_the_same_scores(
    number: str, tmp_path: Path
) -> None:
    scenario = scenarios(number)[0]
    root = materialize(number, tmp_path / "p")
    config = root / scenario["config"]
    run = root / "runs" / scenario["eval"] / scenario["run"]
    cold = cold_score(root, config, run)
    observed = observed_score(root, config, run)
    assert cold and cold == {case: observed[case] for case in cold}


def test_a_real_run_scores_as_it_was_recorded() -> None:
    root = shared_dir("corpus", "projects", "wiki-ingest")
    (run,) = (root / "eval" / "runs").iterdir()
    recorded = read_recorded(str(run)).cells
    scores = cold_score(root, root / "eval.yaml", run)
    assert len(scores) == 5
    for case, row in scores.items():
        assert len(row) == 5
        for judge, score in row.items():
            before = recorded[case][judge]
            assert isinstance(score, Measured) and isinstance(before, Measured)
            assert score.value == before.value, (case, judge, score)


def project(tmp_path: Path, judges: str) -> Path:
    """A project of one case with these lines of `judges:`."""
    (tmp_path / "run" / "cases" / "c1" / "out").mkdir(parents=True)
    (tmp_path / "run" / "cases" / "c1" / "out" / "a.md").write_text("text")
    (tmp_path / "eval.yaml").write_text(f"name: demo\noutputs:\n  - path: out\njudges:\n{judges}")
    return tmp_path


def cold(root: Path, judges: set[str] | None = None) -> dict[str, Score]:
    return cold_score(root, root / "eval.yaml", root / "run", judges)["c1"]


def test_every_call_sees_the_modules_as_they_are_now(tmp_path: Path) -> None:
    root = project(tmp_path, "  - {name: j, module: mine, function: judge}\n")
    for number in (1, 2, 3):  # of equal size, within the same second
        (root / "mine.py").write_text(f"def judge(outputs):\n    return {number}\n")
        assert cold(root) == {"j": Measured(number, None)}


def test_judges_share_nothing_and_print_nowhere(tmp_path: Path) -> None:
    root = project(
        tmp_path,
        "  - name: plants\n    check: |\n      outputs['x'] = 1\n      outputs['files'].clear()\n"
        "      print('noise', flush=True)\n      return True\n"
        "  - {name: looks, check: \"return 'x' not in outputs and len(outputs['files']) == 1\"}\n",
    )
    assert cold(root) == {"plants": Measured(True, True), "looks": Measured(True, True)}
    assert set(cold(root, {"looks"})) == {"looks"}


def test_a_judge_that_cannot_be_loaded_costs_its_own_column(tmp_path: Path) -> None:
    root = project(
        tmp_path,
        "  - {name: broken, check: 'return ('}\n  - {name: gone, module: gone, function: f}\n"
        "  - {name: fine, check: 'return 1'}\n  - {name: asks, llm_rubric: good?, model: some}\n",
    )
    scores = cold(root)
    assert scores["fine"] == Measured(1, None)
    assert "asks" not in scores
    for name in ("broken", "gone"):
        score = scores[name]
        assert isinstance(score, Unmeasured) and score.reason is Reason.UNSUPPORTED
