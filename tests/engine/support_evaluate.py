"""A stand-in for the evaluation: judges are functions of `support_judges`, by name."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

from tests.engine import support_judges


def setup(plain: dict[str, Any]) -> dict[str, Any]:
    if plain.get("fail") == "raise":
        raise RuntimeError("set up to fail")
    if plain.get("fail") == "exit":
        os._exit(4)
    return plain


def run_batch(state: dict[str, Any], batch: dict[str, Any], io: Any) -> bool:
    for case_index, item in enumerate(batch["cases"]):
        if item.get("loading") == "exit":
            os._exit(5)
        if item.get("loading") == "raise":
            raise ValueError(f"cannot load {item['case']}")
        for judge_index, job in enumerate(item["jobs"]):
            io.begin(case_index, judge_index)
            replace = _cell(state, batch, item, job, io)
            io.end()
            if replace:
                return False
    return True


def _cell(state: Any, batch: Any, item: Any, job: Any, io: Any) -> bool:
    message = {"t": "cell", "id": batch["id"], "case": item["case"], "judge": job["judge"]}
    with io.capture() as printed:
        try:
            message["value"] = getattr(support_judges, job["judge"])(item["case"])
        except BaseException as error:
            message["error"] = type(error).__name__
    notes, replace = io.check()
    message.update(
        out=printed.text,
        notes=notes,
        generation=state["name"],
        pid=os.getpid(),
        extra=batch.get("x"),
    )
    (io.hold if item.get("held") else io.emit)(message)
    return replace


def view(request: dict[str, Any]) -> dict[str, Any]:
    if request["op"] == "fail":
        raise ValueError("cannot be read")
    if request["op"] == "exit":
        os._exit(9)
    if request["op"] == "pieces":
        return {"answer": "whole", "pieces": [[number] * 3 for number in range(200)]}
    if request["op"] == "hang":
        while True:
            time.sleep(1)
    return {"answer": request["op"], "pid": os.getpid(), "python": sys.version_info[:2]}
