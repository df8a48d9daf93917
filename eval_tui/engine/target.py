"""What is judged, and what may run without being asked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b

from eval_tui.config.schema import EvalConfig, Judge
from eval_tui.engine.grid import CellKey, Row
from eval_tui.engine.plan import JudgeKey, Snapshot
from eval_tui.judges.fingerprint import FRAMING_VERSION, fingerprint, version
from eval_tui.record.spec import RecordSpec
from eval_tui.scores import Score


def _no_scores() -> Mapping[str, Mapping[str, Score]]:
    return {}


@dataclass(frozen=True)
class Target:
    """What is on screen: one eval and one run, as the disk has them."""

    config: EvalConfig | None = None
    run_id: str = ""
    spec: RecordSpec | None = None
    cases: tuple[str, ...] = ()
    """Case folders of the run, sorted."""
    dataset_cases: tuple[str, ...] = ()
    recorded: Mapping[str, Mapping[str, Score]] = field(default_factory=_no_scores)
    """Scores that `summary.yaml` holds: case -> judge -> score."""
    outdated: frozenset[CellKey] = frozenset()
    """Those of them that another version of their judge made."""
    baseline_id: str = ""
    baseline: RecordSpec | None = None
    """The run that this one is compared with by asking a model; None while it is not."""

    @property
    def identity(self) -> tuple[str, str, str]:
        """Targets of equal identity are the same grid at different moments."""
        config, spec = self.config, self.spec
        return (
            config.path if config else "",
            spec.run_dir if spec else "",
            spec.dataset_dir if spec else "",
        )


@dataclass(frozen=True)
class Policy:
    """What may run without being asked."""

    look_only: bool = False
    """`--view`: nothing runs at all (D45)."""
    judges: frozenset[str] | None = None
    """`--judge`: only these are judged."""
    cases: frozenset[str] | None = None
    """`--case`: only these are judged."""
    force: bool = False
    """Run everything once, whatever is known."""
    samples: int = 0
    """`--samples`: how many answers make a model judge's score; 0 leaves it to the judges."""

    def selects(self, case: str, judge: str) -> bool:
        """Whether the person's selection holds the cell."""
        return (self.judges is None or judge in self.judges) and (
            self.cases is None or case in self.cases
        )


def rows_of(target: Target) -> tuple[Row, ...]:
    """The rows of the grid: cases of the run, of the dataset, and those only recorded (D7)."""
    ran, dataset = set(target.cases), set(target.dataset_cases)
    rows: list[Row] = []
    for case in sorted(ran | dataset | set(target.recorded)):
        if case in ran:
            notes = () if case in dataset or not dataset else ("not in the dataset",)
            rows.append(Row(case, "ran", notes))
        elif case in target.recorded:
            note = ("its folder is gone: only what was recorded is shown",)
            rows.append(Row(case, "recorded_only", note))
        else:
            rows.append(Row(case, "not_run"))
    return tuple(rows)


def snapshot_of(target: Target) -> Snapshot:
    """The target as `plan` compares it."""
    config, spec = target.config, target.spec
    if config is None:
        return Snapshot()
    judges = {
        judge.name: JudgeKey(_fingerprint(judge, target), condition_digest(judge))
        for judge in config.judges
    }
    if spec is None:
        return Snapshot(judges=judges)
    # With another framing every request is another one, so stored cells are looked at again (D49).
    record = _digest(json.dumps([spec.to_plain(), FRAMING_VERSION], sort_keys=True))
    return Snapshot(spec.run_dir, spec.dataset_dir, record, judges, frozenset(target.cases))


def _fingerprint(judge: Judge, target: Target) -> str:
    """What can change a judge's scores; for a comparison also with which run."""
    if not judge.compares or target.baseline is None:
        return fingerprint(judge)
    return _digest(f"{fingerprint(judge)} {target.baseline.run_dir}")


def of_other_versions(
    config: EvalConfig, made_by: Mapping[str, Mapping[str, str]]
) -> frozenset[CellKey]:
    """The recorded cells that say that another version of their judge made them."""
    if not made_by:
        return frozenset()
    now = {judge.name: version(judge, config.root) for judge in config.judges}
    return frozenset(
        CellKey(case, judge)
        for case, row in made_by.items()
        for judge, digest in row.items()
        if now.get(judge, digest) != digest
    )


def condition_digest(judge: Judge) -> str:
    """What the store knows a judge's `if:` by."""
    return "" if judge.condition is None else _digest(repr(judge.condition))


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
