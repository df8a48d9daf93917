"""What workers should be born with: heavy imports that those of earlier generations have made."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any

from eval_tui.engine.frames import Message

MAX_NAMES = 64


class Births:
    """The modules of a session's judges, and the order for a template that knows them."""

    def __init__(self) -> None:
        self._names: dict[str, None] = {}
        self._unfit: set[str] = set()
        """Modules that a judge imports in surroundings of its own making."""
        self.like = ""
        """The key of the template for the generation at hand, or empty."""

    def __bool__(self) -> bool:
        return bool(self._names)

    def learn(self, names: Iterable[str]) -> None:
        """The import of these took a worker long."""
        for name in names:
            if len(self._names) < MAX_NAMES:
                self._names[name] = None

    def exclude(self, name: str) -> None:
        """No worker may be born with this one any more."""
        self._unfit.add(name)
        self.like = ""

    def begin(self, setup: Mapping[str, Any], memory_mb: int) -> None:
        """Another generation, with this setup."""
        order = self.order(setup, memory_mb)
        self.like = order["key"] if order is not None else ""

    def order(self, setup: Mapping[str, Any], memory_mb: int) -> Message | None:
        """What to ask of the supervisor for workers with this setup; None when there is nothing.

        Its `key` is another one whenever anything in it is.
        """
        names = [name for name in self._names if name not in self._unfit]
        if not names or sys.platform != "linux":
            return None
        record = setup["record"]
        order: Message = {
            "names": names,
            "unfit": sorted(self._unfit),
            "root": setup["root"],
            "config": setup["config"],
            "folders": [path for path in (record["run_dir"], record["dataset_dir"]) if path],
            "memory_mb": memory_mb,
        }
        digest = blake2b(json.dumps(order).encode(), digest_size=8).hexdigest()
        return {**order, "key": digest}
