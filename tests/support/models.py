"""Projects whose judges ask a model, and a server on this machine that answers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Protocol

from eval_tui.scores import Score, Unmeasured
from tests.support.fake_anthropic import FakeAnthropic, _Handler
from tests.support.live import Live

MODEL = "claude-opus-4-5"
KEY = "test-key-0123456789"


def judge(name: str, words: str, feedback_type: str = "int", **more: Any) -> dict[str, Any]:
    """A model judge that shows the conversation and tells the server what to answer."""
    prompt = f"Judge {{{{ conversation }}}}\n{words}"
    fields = {"name": name, "prompt": prompt, "model": MODEL, "feedback_type": feedback_type}
    return {**fields, **more}


class Served(Protocol):
    """A server, wherever it runs."""

    @property
    def base_url(self) -> str: ...


def asking(server: Served, auto: str = "paid", **more: Any) -> dict[str, Any]:
    """Options of a driver that may ask this server."""
    environ = {k: v for k, v in os.environ.items() if not k.startswith("ANTHROPIC_")}
    environ |= {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": server.base_url}
    return {"auto": auto, "budget": 100.0, "environ": environ, **more}


def values(project: Live, name: str) -> Sequence[object]:
    """The values of a column; None where there is none."""
    return [project.value(row.case, name) for row in project.driver.grid.rows]


def unmeasured(project: Live, case: str, name: str) -> Unmeasured:
    """The whole score of a cell that was not measured."""
    score: Score | None = project.driver.detail(case, name).score
    assert isinstance(score, Unmeasured), score
    return score


class PickyAnthropic(FakeAnthropic):
    """Turns away every key that is not in `accepted`; those requests are in `refused` only."""

    def __init__(self, *accepted: str) -> None:
        super().__init__()
        self.accepted = {*accepted}
        self.refused = 0
        picky = self

        class Handler(_Handler):
            def do_POST(self) -> None:
                bearer = self.headers.get("authorization", "").removeprefix("Bearer ")
                if {bearer, self.headers.get("x-api-key")} & picky.accepted:
                    super().do_POST()
                    return
                self._body()
                picky.refused += 1
                self._error(401, "invalid x-api-key")

        self._server.RequestHandlerClass = Handler
