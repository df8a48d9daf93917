"""The references of cold scoring: `python reference.py parse|eager PROJECT`."""

from __future__ import annotations

import json
import os
import sys
from typing import Any


def parse(root: str) -> None:
    """Open and parse every file of the run and the dataset once, and nothing else."""
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    for base in (os.path.join(root, "eval/dataset"), os.path.join(root, "eval/runs")):
        for folder, _, names in os.walk(base):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    data = file.read()
                if name.endswith(".json"):
                    json.loads(data)
                elif name.endswith(".yaml"):
                    yaml.load(data, loader)
                else:
                    data.decode()


def eager(root: str) -> None:
    """Load every record whole, then run all judges one after another."""
    from eval_tui.engine import project
    from eval_tui.engine.reader import Reader
    from eval_tui.judges.load import JudgeEnv, load
    from eval_tui.judges.outcome import attempt
    from eval_tui.record.case import load_case
    from eval_tui.record.record import plain_record

    reader = Reader(project.Options(root=root))
    reader.choose(*project.choose_eval(reader.options))
    target = reader.target()
    config, spec = target.config, target.spec
    assert config is not None and spec is not None
    env = JudgeEnv(config.root, config.path)
    runners = [(load(judge, env), judge) for judge in config.judges]
    records = [plain_record(load_case(spec, case), _ignore) for case in target.cases]
    for record in records:
        for runner, judge in runners:
            attempt(runner, record, judge)


def _ignore(kind: str, key: str, version: str) -> None:
    """Nobody wants to know what is read."""


if __name__ == "__main__":
    {"parse": parse, "eager": eager}[sys.argv[1]](sys.argv[2])
