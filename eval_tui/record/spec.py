"""Where the records of one run come from, as plain data that crosses to the workers."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from eval_tui.config.schema import Output, Traces


@dataclass(frozen=True)
class RecordSpec:
    """Everything a record depends on besides the files themselves."""

    run_dir: str
    """Absolute path of the run folder."""
    dataset_dir: str = ""
    """Absolute path of the dataset folder, or empty."""
    outputs: tuple[Output, ...] = ()
    traces: Traces = field(default_factory=Traces)
    batch: bool = False
    """`execution.mode: batch`: run-level events beat a case's own stdout.log (D47)."""

    def to_plain(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> RecordSpec:
        return cls(
            run_dir=plain["run_dir"],
            dataset_dir=plain["dataset_dir"],
            outputs=tuple(Output(**output) for output in plain["outputs"]),
            traces=Traces(**plain["traces"]),
            batch=plain["batch"],
        )
