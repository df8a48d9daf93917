"""Parts of scores beside their baseline: named under their column, and never counted beside it."""

from __future__ import annotations

from dataclasses import replace

from eval_tui.config.schema import Criterion, Grader, Judge, Metric
from eval_tui.engine.grid import Cell, CellState
from eval_tui.results.compare import Comparison, compare
from eval_tui.results.part_changes import with_parts
from eval_tui.scores import Measured, Reason, Sample, Score, Unmeasured, measured
from tests.results.support import grid


def whole(value: bool | float, samples: tuple[Sample, ...] = (), **parts: bool | float) -> Cell:
    scores: dict[str, Score] = {name: measured(part) for name, part in parts.items()}
    passed = value if isinstance(value, bool) else None
    return Cell(CellState.FRESH, Measured(value, passed, samples=samples, parts=scores))


def versus(after: list[Cell], before: list[Cell], judge: Judge | None = None) -> Comparison:
    new, old = grid({"j": after}), grid({"j": before})
    new = replace(new, columns=(judge,)) if judge is not None else new
    return with_parts(compare(new, old, "r2", "r1"), new, old)


def told(found: Comparison) -> list[tuple[str, str, str]]:
    return [(one.case, one.part, one.group) for one in found.parts]


def test_a_part_that_turned_is_named_though_its_column_did_not() -> None:
    found = versus(
        [whole(True, tone=True, depth=False), whole(False, tone=False, depth=True)],
        [whole(True, tone=True, depth=True), whole(True, tone=True, depth=False)],
    )
    assert told(found) == [
        ("c2", "tone", "broke"),
        ("c1", "depth", "broke"),
        ("c2", "depth", "fixed"),
    ]
    assert [(one.case, one.group) for one in found.cells] == [("c2", "broke")]
    assert found.counts == {"broke": 1, "same": 1}  # of columns alone
    tone, depth = found.judges[0].parts
    assert (tone.judge, tone.was, tone.now, tone.fell) == ("tone", 1.0, 0.5, 0.5)
    assert (depth.fell, depth.moved) == (0.0, (1, 1))


def test_a_part_without_a_word_of_its_own_has_not_changed() -> None:
    lost = Cell(CellState.FRESH, Unmeasured(Reason.GRADER_ERROR, "boom"))
    assert told(versus([lost, whole(True)], [whole(True, tone=True)] * 2)) == []
    own = Unmeasured(
        Reason.GRADER_ERROR, "boom", parts={"tone": Unmeasured(Reason.UNSUPPORTED, "")}
    )
    found = versus([Cell(CellState.FRESH, own)], [whole(True, tone=True)])
    assert told(found) == [("c1", "tone", "lost")]


def test_parts_of_a_judge_that_does_not_agree_with_itself_are_unstable() -> None:
    answers = (Sample(True), Sample(False))
    found = versus([whole(True, answers, tone=False)], [whole(True, tone=True)])
    assert told(found) == [("c1", "tone", "unstable")]


def test_the_metric_that_is_the_column_is_not_named_twice_and_directions_are_declared() -> None:
    metrics = (Metric("quality"), Metric("size", direction="lower_is_better"), Metric("odd"))
    judge = Judge("j", "grader", grader=Grader("script", {}, metrics))
    after, before = (whole(n, quality=n, size=n, odd=n) for n in (3.0, 2.0))
    found = versus([after], [before], judge)
    assert told(found) == [("c1", "size", "worse"), ("c1", "odd", "other")]
    assert [(one.group, one.judge) for one in found.cells] == [("other", "j")]


def test_a_criterion_may_say_that_less_is_better() -> None:
    criteria = (Criterion("errors", pass_if="<= 2"), Criterion("depth"))
    judge = Judge("j", "model", criteria=criteria)
    found = versus([whole(3.0, errors=3, depth=3)], [whole(3.0, errors=2, depth=2)], judge)
    assert told(found) == [("c1", "errors", "worse"), ("c1", "depth", "better")]
