"""Running agents that judge: each in a worker of its own, with its money, its time and its end.

The worker (`agentrun`) belongs to the supervisor like all others, so an agent with everything it
started ends when it is cancelled, when its time is up, and when the app is gone, however it went.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from eval_tui.engine.client import Answer
from eval_tui.engine.crew import Crew
from eval_tui.engine.dotenv import read_env_file
from eval_tui.engine.failures import Failure
from eval_tui.engine.frames import Message, encode
from eval_tui.engine.grid import CellKey
from eval_tui.engine.lane import Death, Lane
from eval_tui.engine.secrets import Secrets
from eval_tui.engine.supervisor import SupervisorError
from eval_tui.engine.wire import judge_to_plain
from eval_tui.judges.agent.command import HOW_TO_GET, environment, program
from eval_tui.judges.agent.settings import AgentSettings, agent_settings
from eval_tui.record.spec import RecordSpec
from eval_tui.scores import Reason, Unmeasured

if TYPE_CHECKING:
    from eval_tui.engine.session import Session

GRACE_S = 60.0
"""Seconds beyond its own time limit after which a worker that runs an agent is given up."""
END_S = 5.0
"""How long a worker's end, and with it that of its folder, is waited for."""
_CONFIG = frozenset({"config"})


@dataclass(frozen=True)
class Bought:
    """An answer and what it cost in US dollars, None where that is not known."""

    answer: Answer
    cost: float | None


class Agents:
    """Runs a session's agents. Belongs to one event loop."""

    def __init__(
        self,
        session: Session,
        crew: Crew,
        secrets: Secrets,
        environ: Mapping[str, str],
    ) -> None:
        self._session, self._crew = session, crew
        self._secrets, self._environ = secrets, environ

    def mask(self, text: str) -> str:
        """The text without any known secret."""
        return self._secrets.mask(text)

    def unavailable(self, key: CellKey) -> Unmeasured | None:
        """Why a judge's runner cannot be started here, and how to get it; None when it can."""
        settings = agent_settings(self._session.judge(key.judge))
        # Many cells ask at once: what is in `.env` is looked up only where that may matter.
        own = self._variables(settings) if "PATH" in settings.env else self._environ
        if shutil.which(program(settings), path=own.get("PATH", os.defpath)) is not None:
            return None
        return missing(settings, program(settings)).score()

    async def run(self, key: CellKey, digest: str) -> Bought | Failure:
        """Run a cell's agent and wait for what it leaves. Cancelling ends it with all it started.

        `digest` is that of the request: what the agent is given must still be what was asked.
        """
        settings = agent_settings(self._session.judge(key.judge))
        spec = self._session.target.spec
        if spec is None:
            return Failure(Reason.GRADER_ERROR, "not asked: the run is gone", retryable=True)
        request = self._request(key, spec, settings)
        reply = await self._ask({**request, "digest": digest}, settings)
        return reply if isinstance(reply, Failure) else self._read(reply, settings)

    def _request(self, key: CellKey, spec: RecordSpec, settings: AgentSettings) -> dict[str, Any]:
        config = self._session.config
        return {
            "op": "agent",
            "case": key.case,
            "judge": judge_to_plain(self._session.judge(key.judge)),
            "root": config.root,
            "config": config.path,
            "record": spec.to_plain(),
            "environ": self._variables(settings),
        }

    def _variables(self, settings: AgentSettings) -> dict[str, str]:
        """The agent's environment; ours wins over `.env`, name by name."""
        dotenv = read_env_file(self._session.config.root, self._environ)
        return environment(settings, {**dotenv, **self._environ})

    async def _ask(
        self, request: dict[str, Any], settings: AgentSettings
    ) -> dict[str, Any] | Failure:
        errand = _Errand()
        try:
            lane = self._crew.fork(errand, 0, encode({"t": "view", "id": 1, "request": request}))
        except (SupervisorError, OSError) as error:
            return Failure(Reason.GRADER_ERROR, f"no process for the agent: {error}", True)
        try:
            async with asyncio.timeout(settings.timeout + GRACE_S):
                return await errand.reply
        except TimeoutError:
            words = f"timed out: the agent could not be ended after {settings.timeout:g} s"
            return Failure(Reason.GRADER_ERROR, words, retryable=True, billed=True)
        finally:
            self._crew.kill(lane)
            try:
                async with asyncio.timeout(END_S):
                    await errand.over.wait()
            except TimeoutError:
                pass  # a process in the kernel: the supervisor goes on trying

    def _read(self, reply: Mapping[str, Any], settings: AgentSettings) -> Bought | Failure:
        text = self._secrets.mask(str(reply.get("text", "")))
        if kind := reply.get("failed"):
            if kind == "missing":
                return missing(settings, text)
            if kind == "moved":
                return Failure(Reason.GRADER_ERROR, f"not asked: {text}", retryable=True)
            words = f"the agent could not be started: {text}"
            return Failure(Reason.GRADER_ERROR, words, retryable=True)
        gave_up = self._secrets.mask(str(reply["gave_up"]))
        if gave_up and _is_about_key(gave_up):
            words = f"{program(settings)} is not signed in: {gave_up}"
            return Failure(Reason.MISSING_SECRET, words, recover_on=frozenset({"secret"}))
        cost = cast("float | None", reply["cost"])
        if gave_up and not cost:
            return Failure(Reason.GRADER_ERROR, f"the agent gave up: {gave_up}", retryable=True)
        content = self._secrets.mask_texts(reply["content"])
        blocks = tuple(cast("list[Mapping[str, Any]]", content))
        answer = Answer(
            blocks,
            str(reply["stop_reason"]),
            cast("Mapping[str, Any]", reply["usage"]),
            str(reply["model"]),
            seconds=float(reply["seconds"]),
        )
        return Bought(answer, cost)


def missing(settings: AgentSettings, name: str) -> Failure:
    """A runner that is not installed, with how to get it."""
    what = "the runner claude-code" if settings.type == "claude-code" else "this judge's command"
    if os.path.isfile(name):
        detail = f"{what} cannot be started: {name} is not executable; chmod +x makes it so"
        return Failure(Reason.UNSUPPORTED, detail, recover_on=_CONFIG)
    hint = HOW_TO_GET[settings.type]
    detail = f"{what} is not installed: there is no `{os.path.basename(name)}` on the PATH; {hint}"
    return Failure(Reason.UNSUPPORTED, detail, recover_on=_CONFIG)


def _is_about_key(words: str) -> bool:
    """Whether Claude Code says that nobody is signed in, or that the key is refused."""
    text = words.lower()
    signs = ("invalid api key", "please run /login", "not logged in", "authentication_error")
    return any(sign in text for sign in signs)


class _Errand:
    """The owner of a worker that does one thing."""

    def __init__(self) -> None:
        self.reply: asyncio.Future[dict[str, Any] | Failure] = (
            asyncio.get_running_loop().create_future()
        )
        self.over = asyncio.Event()

    def lane_message(self, lane: Lane, message: Message) -> None:
        if message["t"] == "viewed":
            self._settle(message["reply"])
        elif message["t"] == "view_failed":
            words = f"the agent could not be run: {message['text']}"
            self._settle(Failure(Reason.GRADER_ERROR, words))

    def lane_exit(self, lane: Lane, death: Death) -> None:
        words = f"the process that ran the agent ended before it: {death.text}"
        self._settle(Failure(Reason.GRADER_ERROR, words, retryable=True, billed=True))
        self.over.set()

    def _settle(self, reply: dict[str, Any] | Failure) -> None:
        if not self.reply.done():
            self.reply.set_result(reply)
